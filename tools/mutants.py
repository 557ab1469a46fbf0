"""`make mutants SUITE=DIR`: which mistakes in correct programs are reported?

    tools/mutants.py DIR… [--count N] [--each N] [--seed N] [--keep DIR] [-- -Iflags]   make, build, run and check
    tools/mutants.py --again DIR [-- -Iflags]                    check what an earlier `--keep DIR` has kept once more

A program with a `main` that exits with 0 is taken as correct and as one that checks itself.  Of its mutants (see
mutation.py) up to `--each` are built with clang and run with memory of the device apart from the host's; one that then
fails is *killed*: certainly wrong.  It is *found* when a warning or an error is reported that the original does not
get, and *near* when one of these is in the function that was changed.  Mutants that take synchronisation away and still
pass are counted apart: many are races that do not show.  A warning about an original is a false alarm until somebody
has looked.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from corpus import Said, Tool
from mutation import UNSYNCHRONISED, Mutant, mutants

CLANG = ("clang-19", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-O1", "-w")
LIBRARIES = ("-lm", "-Wl,-rpath,/usr/lib/llvm-19/lib")
_SECONDS = 20


@dataclass(frozen=True)
class Tried:
    """A mutant that was run; `text` is the file it is kept in, `result` the exit status, or 'timeout'."""

    program: str
    text: str
    kind: str
    line: int
    before: str
    result: str

    @property
    def killed(self) -> bool:
        return self.result != "0"


def outcome(path: Path, text: str, folder: Path, flags: Sequence[str]) -> str:
    """What `text` in place of the file `path` does: its exit status, 'timeout', or 'rejected' by the compiler."""
    source, program = folder / path.name, folder / "program"
    source.write_text(text, encoding="utf-8")
    build = [*CLANG, *flags, f"-I{path.parent}", str(source), "-o", str(program), *LIBRARIES]
    surroundings = {**os.environ, "OMP_NUM_THREADS": "4", "OMP_TARGET_OFFLOAD": "MANDATORY"}
    try:
        if subprocess.run(build, check=False, capture_output=True, timeout=120).returncode:
            return "rejected"
        ran = subprocess.run(
            [program], check=False, capture_output=True, timeout=_SECONDS, env=surroundings, cwd=folder
        )
        return str(ran.returncode)
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        program.unlink(missing_ok=True)


def tried(path: Path, each: int, chance: random.Random, keep: Path, flags: Sequence[str]) -> Iterator[Tried]:
    """Up to `each` mutants of a program that the compiler takes, run; none when the program itself fails."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if not re.search(r"\bmain\s*\(", text) or not (choice := mutants(text)):
        return
    with tempfile.TemporaryDirectory() as folder:
        if outcome(path, text, Path(folder), flags) != "0":
            return
        for mutant in _spread(choice, each, chance):
            result = outcome(path, mutant.text, Path(folder), flags)
            if result != "rejected":
                yield _kept(path, mutant, result, keep)


def _spread(choice: list[Mutant], each: int, chance: random.Random) -> list[Mutant]:
    """Up to `each` of the mutants, of as many kinds as there are."""
    chance.shuffle(choice)
    seen: Counter[str] = Counter()
    ranked = []
    for one in choice:
        ranked.append((seen[one.kind], one))
        seen[one.kind] += 1
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])][:each]


def _kept(path: Path, mutant: Mutant, result: str, keep: Path) -> Tried:
    name = hashlib.sha256(f"{path}{mutant.text}".encode()).hexdigest()[:12] + ".c"
    (keep / name).write_text(mutant.text, encoding="utf-8")
    one = Tried(str(path), str(keep / name), mutant.kind, mutant.line, mutant.before, result)
    with (keep / "tried.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(one)) + "\n")
    return one


# -- what is reported ---


@dataclass
class Score:
    total: int = 0
    found: int = 0
    near: int = 0


def judge(all_tried: Iterable[Tried], flags: Sequence[str]) -> tuple[dict[str, Score], list[str], list[str]]:
    """The scores by kind, the missed ones in words, and what is said about the originals."""
    originals: dict[str, Said] = {}
    scores: dict[str, Score] = {}
    missed = []
    for one in all_tried:
        if not one.killed and one.kind not in UNSYNCHRONISED:
            continue
        path = Path(one.program)
        tool = Tool((*flags, f"-I{path.parent}"), path.parent)
        if one.program not in originals:
            originals[one.program] = tool.check(path, path.read_bytes())
        text = Path(one.text).read_text(encoding="utf-8")
        said = tool.check(path, text.encode())
        known = {(rule, message) for _, severity, rule, message in originals[one.program].reports if severity != "hint"}
        new = [r for r in said.reports if r[1] != "hint" and (r[2], r[3]) not in known]
        score = scores.setdefault(one.kind if one.killed else f"{one.kind} (unsynchronised, passes)", Score())
        score.total += 1
        score.found += bool(new)
        score.near += any(line in function_at(text, one.line) for line, _, _, _ in new)
        if not new:
            hints = sorted({f"{rule}:{line}" for line, severity, rule, _ in said.reports if severity == "hint"})
            missed.append(
                f"{one.kind} {one.text} line {one.line} ({path.name}, {one.result}) {one.before[:110]}"
                f" hints: {hints[:4]}"
            )
    alarms = [
        f"{name} line {line}: {message} [{rule}]"
        for name, said in sorted(originals.items())
        for line, severity, rule, message in said.reports
        if severity != "hint"
    ]
    return scores, missed, alarms


def function_at(text: str, line: int) -> range:
    """The lines (from 1) of the external declaration around a line: up to the next `}` in the first column."""
    lines = text.split("\n")
    start = next((at for at in range(line - 1, 0, -1) if lines[at - 1].startswith("}")), 0)
    end = next((at for at in range(line, len(lines)) if lines[at].startswith("}")), len(lines) - 1)
    return range(start + 1, end + 2)


def show(scores: dict[str, Score], missed: Sequence[str], alarms: Sequence[str]) -> None:
    print(f"{'kind':48} {'wrong':>6} {'found':>6} {'near':>6}")
    killed = [score for kind, score in scores.items() if not kind.endswith("passes)")]
    whole = Score(sum(s.total for s in killed), sum(s.found for s in killed), sum(s.near for s in killed))
    for name, one in [*sorted(scores.items()), ("all that are killed", whole)]:
        print(f"{name:48} {one.total:>6} {one.found:>6} {one.near:>6}")
    for title, entries in (("missed", missed), ("about originals", alarms)):
        print(f"\n{title}:", *(sorted(entries) or ["none"]), sep="\n  ")


def programs(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.rglob("*.c"))]


def main(arguments: Sequence[str]) -> int:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    own, flags = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(
        prog="mutants.py", description="Mistakes in correct programs; flags for C after `--`."
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--count", type=int, default=100, help="how many mutants are run")
    parser.add_argument("--each", type=int, default=5, help="how many of one program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the mutants are kept")
    parser.add_argument("--again", type=Path, metavar="DIR", help="check kept mutants")
    given = parser.parse_args(own)
    if given.again:
        lines = (given.again / "tried.jsonl").read_text(encoding="utf-8").splitlines()
        show(*judge([Tried(**json.loads(line)) for line in lines], flags))
        return 0
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as temporary:
        keep = given.keep or Path(temporary)
        keep.mkdir(parents=True, exist_ok=True)
        files = programs(given.folders)
        chance.shuffle(files)
        made: list[Tried] = []
        for path in files:
            made += tried(path.resolve(), given.each, chance, keep, flags)
            if len(made) >= given.count:
                break
        show(*judge(made, flags))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
