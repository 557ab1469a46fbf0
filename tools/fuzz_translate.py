"""Differential testing of the translator: csmith's programs run inside a target region against gcc's own execution.

    python tools/fuzz_translate.py [--first SEED] [--count N] [--device cudasim] [--layouts] [--keep DIR]

The whole of such a program (its functions, its globals, the checksum over them) runs on the device: the globals are
`declare target`, and the region first gives them their initial values, because an address in a global has to be one of
the device.  gcc's result is taken at -O0 and at -O2; where these differ the program is csmith's mistake.

--layouts runs nothing: NVIDIA's compiler (OMPLS_NVRTC, or the one that is installed) reads the kernel up to its end, so
it judges what the kernel asserts of its structures.  A kernel that it does not take should have been refused before.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from ompls.devices.cuda.module import nvrtc

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
# Answers that are no fault of the translator's, each by words of its: a member that only gcc puts there, an access of
# csmith's through a pointer to a packed member, and what the old nvrtc cannot compile.
REFUSALS = {
    "layout": ("its compilers lay it out otherwise",),
    "misaligned": ("misaligned address",),
    "old compiler": ("nvrtc 10.2 has no",),
}
_END = "the end of what is judged"


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


def refusal(errors: str) -> str:
    """Of which kind it is; '' for what is none."""
    return next((kind for kind, said in REFUSALS.items() if any(words in errors for words in said)), "")


def first_error(errors: str) -> str:
    """The line that says what went wrong."""
    lines = errors.splitlines()
    return next((x for x in lines if "error" in x or "ompls" in x), errors)[:200]


def ran(source: Path, wanted: str, device: str) -> str:
    """What went wrong when the device ran the program; '' for gcc's result."""
    command = [sys.executable, "-m", "ompls", "run", "--timeout", "60", "--device", device, str(source)]
    code, got, errors = _run(command, 120, str(source.parent))
    if (code, got) == (0, wanted):
        return ""
    kind = refusal(errors)
    if kind:
        reason = next(x for x in errors.splitlines() if refusal(x) == kind)
        return f"{kind}: {reason[:300]}"
    shown = f"{got.strip() or 'nothing'} instead of {wanted.strip()}"
    return f"exit code {code}, {shown}: {first_error(errors)}"


def judged(source: Path) -> str:
    """What nvrtc has against the kernels, or the translator against the program; '' for nothing."""
    made = Path(tempfile.mkdtemp(dir=source.parent))
    code, _, errors = _run(
        [sys.executable, "-m", "ompls", "translate", "--device", "cuda", "-o", str(made / "bundle"), str(source)], 120
    )
    if code:
        reason = next((x for x in errors.splitlines() if refusal(x)), first_error(errors))
        return f"{refusal(reason) or 'not translated'}: {reason[:300]}"
    for kernel in sorted(made.rglob("*.cu")):
        done = nvrtc.compile(f'{kernel.read_text()}\n#line 1 "end"\n#error {_END}\n', "sm_75", kind="ptx")
        wrong = [m for m in done.messages if "error" in m.severity and _END not in m.text]
        if wrong or _END not in done.log:
            return f"not taken: {wrong[0].file}:{wrong[0].line}: {wrong[0].text}" if wrong else f"not taken: {done.log}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--device", default="cudasim")
    parser.add_argument("--layouts", action="store_true", help="only compile, by nvrtc")
    parser.add_argument("--keep", type=Path, help="directory for the programs that fail, or are refused")
    options = parser.parse_args()
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        for seed in range(options.first, options.first + options.count):
            source = Path(place, f"csmith_{seed}.c")
            code, text, _ = _run(["csmith", "--seed", str(seed), *OPTIONS], 10, place)
            if code:
                continue
            source.write_text(wrapped(text))
            wanted = "" if options.layouts else expected(source, Path(place, "program"))
            if wanted is None:
                continue
            said = judged(source) if options.layouts else ran(source, wanted, options.device)
            kind = said.partition(":")[0]
            kind = kind if kind in REFUSALS else "failed" if said else "right"
            counted[kind] += 1
            if said:
                print(f"seed {seed}: {said}", flush=True)
            if said and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                Path(options.keep, source.name).write_text(source.read_text())
    print(f"{counted.total()} programs: " + ", ".join(f"{n} {kind}" for kind, n in counted.most_common()))
    return counted["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
