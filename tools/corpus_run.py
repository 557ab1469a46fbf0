"""Builds and runs the programs of tests/corpus with gcc and with clang, whose x86-64 devices have memory of their own.

A correct variant must build without a warning of -Wall and end with exit code 0 under both compilers; under clang only
where it says `// needs: clang`, because gcc 12 is too old for it.  What a variant with a seeded mapping error does
under clang is written to tests/corpus/outcomes.txt: 'wrong' (exit code 1: the program found its result wrong), 'fails'
(the device runtime or the system ended it), 'hangs', 'does not build', or 'right' (the error is one, but this run does
not show it).  Races are not run: what they do is chance.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus import Variant

CLANG = "clang-19"
OUTCOMES = Path(__file__).resolve().parents[1] / "tests/corpus/outcomes.txt"
_WRONG = 1  # the exit code of a program that found its result wrong


def _commands() -> dict[str, list[str]]:
    library = subprocess.run(
        [CLANG, "-print-file-name=libomptarget.so"], capture_output=True, text=True, check=True
    ).stdout
    rpath = f"-Wl,-rpath,{Path(library.strip()).resolve().parent}"
    clang = [CLANG, "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-Wno-pass-failed", rpath]
    return {"gcc": ["gcc", "-fopenmp"], "clang": clang}


def _build_and_run(compiler: list[str], variant: Variant, scratch: Path) -> tuple[str, str]:
    """The outcome, and what the compiler or the program printed."""
    program = scratch / "program"
    (scratch / "program.c").write_text(variant.driver, encoding="utf-8")
    # gcc calls a pointer unused whose only use is in a map clause
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wno-unknown-pragmas", "-Wno-unused-variable"]
    build = [*compiler, *flags, str(scratch / "program.c"), "-o", str(program), "-lm"]
    built = subprocess.run(build, capture_output=True, text=True, check=False, timeout=120)
    if built.returncode:
        return "does not build", built.stderr
    if "warning:" in built.stderr and not variant.kind:
        return "warns", built.stderr
    try:
        done = subprocess.run(
            [str(program)],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=20,
            env={"OMP_NUM_THREADS": "4", "PATH": "/usr/bin:/bin"},
        )
    except subprocess.TimeoutExpired:
        return "hangs", ""
    outcome = {0: "right", _WRONG: "wrong"}.get(done.returncode, "fails")
    if "omptarget fatal" in done.stderr.lower() or "PluginInterface" in done.stderr:
        outcome = "fails"
    return outcome, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"


def _judge(variant: Variant, commands: dict[str, list[str]]) -> tuple[str, list[str]]:
    """The outcome under clang, and what is wrong with a correct variant."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        if not variant.kind and "// needs: clang" not in variant.text:
            outcome, text = _build_and_run(commands["gcc"], variant, Path(folder))
            if outcome != "right":
                problems.append(f"{variant.id}: gcc: {outcome}\n{text[:600]}")
        outcome, text = _build_and_run(commands["clang"], variant, Path(folder))
        if not variant.kind and outcome != "right":
            problems.append(f"{variant.id}: clang: {outcome}\n{text[:600]}")
    return outcome, problems


def run(chosen: Sequence[Variant], jobs: int) -> int:
    """Prints what is wrong; the exit code says whether anything is.  Records the outcomes of mapping errors."""
    commands = _commands()
    work = [v for v in chosen if not v.kind or not v.group.startswith("races")]
    with ThreadPoolExecutor(jobs) as pool:
        judged = list(pool.map(lambda v: _judge(v, commands), work))
    problems = [problem for _, found in judged for problem in found]
    known = dict(line.rsplit(": ", 1) for line in OUTCOMES.read_text().splitlines()) if OUTCOMES.exists() else {}
    known |= {v.id: outcome for v, (outcome, _) in zip(work, judged, strict=True) if v.kind}
    OUTCOMES.write_text("".join(f"{name}: {known[name]}\n" for name in sorted(known)))
    print(*problems, sep="\n")
    good = sum(not v.kind for v in work)
    print(f"{good} correct variants built and run twice, {len(problems)} problems; {len(work) - good} seeded ones run")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit("say tools/corpus.py --run")
