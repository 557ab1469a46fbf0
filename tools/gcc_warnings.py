"""Compare what gcc says of programs with what it says of their host halves: python tools/gcc_warnings.py FILE…

Each file is translated, and both texts are compiled with every -W that gcc lists for C.  Prints what is said of the
output only (`+`, noise that a user's -Werror would stumble over) and of the input only (`-`, a warning that got lost).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[1] / "ompls/runtime/include"
# The strictest value of each option that takes one.
_STRICTEST = {
    "-Warray-bounds": "2", "-Warray-parameter": "2", "-Wattribute-alias": "2", "-Wbidi-chars": "any",
    "-Wdangling-pointer": "2", "-Wformat": "2", "-Wformat-overflow": "2", "-Wformat-truncation": "2",
    "-Wimplicit-fallthrough": "5", "-Wnormalized": "nfkc", "-Wshift-overflow": "2", "-Wstrict-aliasing": "1",
    "-Wstrict-overflow": "5", "-Wstringop-overflow": "4", "-Wunused-const-variable": "2",
}  # fmt: skip
# They ask for a number of bytes, of which the output has more; or they are no warnings of their own.
_NOT = ("-Wno-", "-Walloc-size", "-Walloca-larger", "-Wvla-larger", "-Wframe-larger", "-Wstack-usage", "-Wlarger-than",
        "-Wsystem-headers", "-Werror", "-Wfatal-errors", "-Wabi", "-Wsuggest-attribute")  # fmt: skip
_ATTRIBUTES = ("cold", "const", "format", "malloc", "noreturn", "pure")
_SAID = re.compile(r"^(.*?):(\d+):(?:(\d+):)? (warning|error): (.*?)(?: \[(-W[^\]]*)\])?$", re.M)

Said = Counter[tuple[str, str, str]]  # (file:line:column, which warning, message)


@lru_cache(maxsize=1)
def every_warning() -> tuple[str, ...]:
    """All warnings that gcc has for C, each as strict as it can be."""
    found = [f"-Wsuggest-attribute={name}" for name in _ATTRIBUTES]
    for kind in ("c", "common"):
        command = ["gcc", "-Q", f"--help=warnings,{kind}"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        names = [name for name in re.findall(r"^\s+(-W[\w+-]+)", listed, re.M) if not name.startswith(_NOT)]
        found += [f"{name}={_STRICTEST[name]}" if name in _STRICTEST else name for name in names]
    return tuple(dict.fromkeys(found))


def said_of(path: Path, words: Sequence[str]) -> Said:
    """What gcc says of a file."""
    flags = ["-fopenmp", "-foffload=disable", "-O2", "-fdiagnostics-color=never", "-isystem", str(INCLUDE)]
    command = ["gcc", *flags, *words, "-c", "-o", "/dev/null", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    return Counter((f"{Path(p).name}:{line}:{column}", option, message)
                   for p, line, column, _, message, option in _SAID.findall(text))  # fmt: skip


def compared(path: Path, words: Sequence[str]) -> tuple[Said, Said]:
    """(what is said of the output only, what is said of the input only)."""
    with tempfile.TemporaryDirectory() as directory:
        made = f"{directory}/bundle"
        command = [sys.executable, "-m", "ompls", "translate", "--device", "host", "-o", made, str(path)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        theirs = said_of(path, words)
        ours = said_of(Path(made, "host", f"{path.stem}.c"), [*words, "-iquote", str(path.parent)])
    return ours - theirs, theirs - ours


def main() -> int:
    different = 0
    for name in sys.argv[1:]:
        more, less = compared(Path(name), every_warning())
        print(f"{name}: {more.total()} more, {less.total()} less")
        for sign, found in (("+", more), ("-", less)):
            for (place, option, message), times in sorted(found.items()):
                print(f"  {sign} {times}x {place}: {message} [{option}]")
        different += bool(more or less)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
