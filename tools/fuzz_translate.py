"""Differential testing of the translator: csmith's programs run inside a target region against gcc's own execution.

    python tools/fuzz_translate.py [--first SEED] [--count N] [--device cudasim] [--keep DIR]

The whole of such a program (its functions, its globals, the checksum over them) runs on the device: the globals are
`declare target`, and the region first gives them their initial values, because an address in a global has to be one of
the device.  gcc's result is taken at -O0 and at -O2; where these differ the program is csmith's mistake.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

OPTIONS = (
    "--no-argc",
    "--packed-struct",
    "--no-volatiles",
    "--concise",
    "--max-funcs",
    "4",
    "--max-block-depth",
    "3",
)
GCC = ("gcc", "-w", "-fopenmp", "-foffload=disable", "-fwrapv", "-ffp-contract=off")
SIGNED, UNSIGNED = ("int8_t", "int16_t", "int32_t", "int64_t"), ("uint8_t", "uint16_t", "uint32_t", "uint64_t")
_GLOBAL = re.compile(r"^static (.*?\b(\w+)((?:\[\d+\])*)) = (.*);(?:/\*.*\*/)?$", re.M)
# csmith packs by the pragma, which compilers for GPUs do not obey for bit-fields; the attribute says the same.
_PACKED = re.compile(r"#pragma pack\(push\)\n#pragma pack\(1\)\n(struct \w+ \{[^}]*\})(;\n)#pragma pack\(pop\)\n")
_SECTION = "/* --- GLOBAL VARIABLES --- */"


def safe_math() -> str:
    """csmith's arithmetic without undefined behaviour: what is undefined gives the left operand, the rest wraps."""
    out = ["static unsigned long crc_of = 5381;"]
    for t in (*SIGNED, *UNSIGNED):
        s, bits = ("u" if t in UNSIGNED else "s"), int(t.strip("uint_"))

        def define(name: str, params: str, result: str, kind: str = t) -> None:
            out.append(f"static {kind} safe_{name}({params}) {{ return {result}; }}")

        define(f"unary_minus_func_{t}_{s}", f"{t} a", f"({t})(0 - (uint64_t)a)")
        for name, op in (("add", "+"), ("sub", "-"), ("mul", "*")):
            define(f"{name}_func_{t}_{s}_{s}", f"{t} a, {t} b", f"({t})((uint64_t)a {op} (uint64_t)b)")
        undefined = "b == 0" if s == "u" else f"b == 0 || (a == ({t})(1ull << {bits - 1}) && b == -1)"
        for name, op in (("div", "/"), ("mod", "%")):
            define(f"{name}_func_{t}_{s}_{s}", f"{t} a, {t} b", f"{undefined} ? a : ({t})(a {op} b)")
        for second, of in (("int", "s"), ("unsigned int", "u")):
            undefined = f"{'b < 0 || ' if of == 's' else ''}b >= {bits}"
            define(f"lshift_func_{t}_{s}_{of}", f"{t} a, {second} b", f"{undefined} ? a : ({t})((uint64_t)a << b)")
            define(f"rshift_func_{t}_{s}_{of}", f"{t} a, {second} b", f"{undefined} ? a : ({t})(a >> b)")
    out.append("static void transparent_crc(uint64_t v, const char *name, int print)")
    out.append("{ for (int i = 0; i < 8; i++) crc_of = (crc_of * 33) ^ (unsigned char)(v >> 8 * i); }")
    return "\n".join(out)


def wrapped(program: str) -> str:
    """csmith's program with its main in a region."""
    program = re.sub(r"/\*.*?\*/", lambda m: m.group() if m.group() == _SECTION else "", program, flags=re.S)
    program = program.replace('#include "csmith.h"', "").replace("static long __undefined;", "")
    program = _PACKED.sub(r"\1 __attribute__((packed))\2", program)
    initial: list[str] = []

    def declared(m: re.Match[str]) -> str:
        kind, name, _, value = m.groups()
        if not name.startswith("g_"):
            return m.group()
        kind = re.sub(r"\bconst\b", "", kind)
        initial.append(f"    {{ {kind.replace(name, 'first', 1)} = {value}; memcpy(&{name}, &first, sizeof {name}); }}")
        return f"static {kind};"

    program = _GLOBAL.sub(declared, program)
    head, main = program.split("int main (void)")
    body = re.sub(r"^\s*(platform_main_\w+|crc32_gentab)\(.*\);\n", "", main, flags=re.M)
    body = re.sub(r"return 0;\s*}\s*$", "}", body.strip())
    return (
        "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n#pragma omp declare target\n"
        f"{safe_math()}\n{head}\nstatic void all(void)\n{{\n" + "\n".join(initial) + f"\n{body}\n}}\n"
        "#pragma omp end declare target\nint main(void)\n{\n    unsigned long sum = 0;\n"
        "#pragma omp target map(from: sum)\n    {\n        all();\n        sum = crc_of;\n    }\n"
        '    printf("%lx\\n", sum);\n    return 0;\n}\n'
    )


def _run(command: list[str], seconds: int, place: str | None = None) -> tuple[int, str, str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, cwd=place)
    except subprocess.TimeoutExpired:
        return 124, "", "took too long"
    return done.returncode, done.stdout, done.stderr


def expected(source: Path, program: Path) -> str | None:
    """What gcc's program prints; None when it takes too long or depends on optimisation."""
    seen = set()
    for level in ("-O0", "-O2"):
        if _run([*GCC, level, str(source), "-o", str(program)], 60)[0]:
            raise SystemExit(f"gcc does not compile {source}")
        code, out, _ = _run([str(program)], 4)
        seen.add(out if code == 0 else "")
    return seen.pop() if len(seen) == 1 and seen != {""} else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--device", default="cudasim")
    parser.add_argument("--keep", type=Path, help="directory for the programs that fail")
    options = parser.parse_args()
    failed = tried = refused = 0
    with tempfile.TemporaryDirectory() as place:
        for seed in range(options.first, options.first + options.count):
            source = Path(place, f"csmith_{seed}.c")
            code, text, _ = _run(["csmith", "--seed", str(seed), *OPTIONS], 10, place)
            if code:
                continue
            source.write_text(wrapped(text))
            wanted = expected(source, Path(place, "program"))
            if wanted is None:
                continue
            tried += 1
            command = [sys.executable, "-m", "ompls", "run", "--timeout", "60", "--device", options.device, str(source)]
            code, got, errors = _run(command, 120)
            if (code, got) == (0, wanted):
                continue
            if "compilers for GPUs" in errors or "misaligned address" in errors:  # of a packed member's
                refused += 1
                continue
            failed += 1
            first = next((x for x in errors.splitlines() if "error" in x or "ompls" in x), errors[:200])
            shown = f"{got.strip() or 'nothing'} instead of {wanted.strip()}"
            print(f"seed {seed}: exit code {code}, {shown}: {first[:200]}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                Path(options.keep, source.name).write_text(source.read_text())
    print(f"{tried} programs, {failed} failed, {refused} refused because of a structure")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
