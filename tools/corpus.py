"""`make corpus`: what the rules find in programs with seeded errors, and whether they leave correct ones alone.

    tools/corpus.py                      the project's own programs (tests/corpus): recall and false alarms per group
    tools/corpus.py --list [GROUP…]      and every program that is missed or wrongly reported, with what was said
    tools/corpus.py --write DIR          every variant of the programs as a C file of its own
    tools/corpus.py --run [GROUP…]       builds and runs them (see tools/corpus_run.py)
    tools/corpus.py --dracc DIR          a checkout of DRACC: `_yes` and `_other` in a file's name mean an error
    tools/corpus.py --drb DIR            a checkout of DataRaceBench: its lines of race pairs are where a report belongs
    tools/corpus.py --clean DIR… [-- -Iflags]   every warning or error is a false alarm

A program's text makes several *variants*.  A line that ends in `//@ NAMES` stands only in those variants, as do the
lines between `//@ NAMES {` and `//@ }`; a variant whose name starts with `bad` has a seeded error, `run` means a driver
that is built but not analysed.  `// expect: mapping`, `// expect: race` or `// expect: hint` (with ` [NAME]` for one
variant) is where a good tool reports, `// or-here` is as good.  The tool itself sees none of these marks.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ompls.analysis.source import HeaderSnapshot

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "tests/corpus/programs"
_MARK = re.compile(r"[ \t]*//@ *(?P<names>[\w ]*?) *(?P<brace>[{}])? *(?=$|//)")
_LABEL = re.compile(r"[ \t]*// *(?P<what>expect: *(?P<kind>mapping|race|hint)|or-here)(?: *\[(?P<only>[\w ]+)\])? *$")
_PAIR = re.compile(r"@(\d+)\s*:\s*\d+(?:\s*:\s*[RW])?")
_MEANT = re.compile(r"dg-(?:error|warning|shouldfail)")  # gcc's tests of its own messages are not correct programs
_SECONDS = 60  # for the analysis of one file


@dataclass(frozen=True)
class Variant:
    """One C text of a program.  Lines are numbered from 1 and are the same in every variant."""

    path: Path
    name: str  # 'good', 'bad', 'bad2', ...
    text: str
    driver: str  # the text with the driver that only runs
    kind: str = ""  # of the error: 'mapping', 'race', 'hint'; '' when there is none
    expected: frozenset[int] = frozenset()  # lines where the error is reported
    accepted: frozenset[int] = frozenset()  # lines where a report is right, too

    @property
    def group(self) -> str:
        """The directories that the program is in: the kind of error."""
        return "/".join(self.path.relative_to(PROGRAMS).parts[:-1]) if PROGRAMS in self.path.parents else ""

    @property
    def id(self) -> str:
        return f"{self.group}/{self.path.stem}:{self.name}"


@dataclass
class Said:
    """What was reported about a text: (line, severity, rule, message) each; `problem` when it could not be analysed."""

    reports: list[tuple[int, str, str, str]] = field(default_factory=list)
    problem: str = ""

    def lines(self, *severities: str) -> set[int]:
        return {line for line, severity, _, _ in self.reports if severity in severities}


def variants(path: Path, text: str) -> list[Variant]:
    """The variants of a program: 'good' always, 'bad' where a report is expected, and
    every name that a mark holds.  Raises ValueError for a mark that
    cannot be right."""
    lines = list(_marked_lines(path, text))
    names = {name for _, where, _, _ in lines for name in where if name != "run"} | {"good"}
    if any(label for _, _, label, _ in lines):
        names.add("bad")
    return [_variant(path, name, lines) for name in sorted(names)]


_Line = tuple[
    str, frozenset[str], str, frozenset[str]
]  # text, variants it stands in (none: all), label, variants of it


def _marked_lines(path: Path, text: str) -> Iterator[_Line]:
    block: frozenset[str] = frozenset()
    for number, whole in enumerate(text.split("\n"), 1):
        label, only = "", frozenset[str]()
        line = whole
        if found := _LABEL.search(line):
            label, only = found["kind"] or "or-here", frozenset((found["only"] or "").split())
            line = line[: found.start()]
        where = block
        if found := _MARK.search(line):
            line = line[: found.start()]
            if found["brace"] == "}":
                block = frozenset()
            elif found["brace"]:
                block = frozenset(found["names"].split())
            elif found["names"]:
                where = frozenset(found["names"].split())
            if found["brace"] and line.strip():
                raise ValueError(f"{path}:{number}: a line that opens or closes a block holds nothing else")
        if "//@" in line or "// expect" in line or "or-here" in line:
            raise ValueError(f"{path}:{number}: this mark is not understood: {whole.strip()}")
        yield line, where, label, only


def _variant(path: Path, name: str, lines: Sequence[_Line]) -> Variant:
    seeded = name.startswith("bad")
    shown = [text if not where or name in where else "" for text, where, _, _ in lines]
    driven = [text if not where or name in where or "run" in where else "" for text, where, _, _ in lines]
    labels = {
        number: label
        for number, (_, where, label, only) in enumerate(lines, 1)
        if seeded and label and (not where or name in where) and (not only or name in only)
    }
    kinds = {label for label in labels.values() if label != "or-here"}
    if seeded and len(kinds) != 1:
        raise ValueError(f"{path}: the variant '{name}' needs one kind of expected report, not {sorted(kinds)}")
    return Variant(
        path,
        name,
        "\n".join(shown),
        "\n".join(driven),
        kinds.pop() if kinds else "",
        frozenset(number for number, label in labels.items() if label != "or-here"),
        frozenset(labels),
    )


def programs(groups: Sequence[str] = (), folder: Path = PROGRAMS) -> list[Variant]:
    """Every variant of the programs in `folder` whose group or id starts with one of `groups` (all by default)."""
    found = [v for path in sorted(folder.rglob("*.c")) for v in variants(path, path.read_text(encoding="utf-8"))]
    return [v for v in found if not groups or v.id.startswith(tuple(groups))]


class Tool:
    """The analysis, as `ompls check` does it, with what several files share."""

    def __init__(self, flags: Sequence[str] = (), folder: Path = PROGRAMS) -> None:
        from ompls.project.workspace import Workspace

        self._workspace = Workspace([str(folder)], tuple(flags))

    def check(self, path: Path, text: bytes) -> Said:
        """What is said about `text` as the file `path`; reports in headers are counted at line 1."""
        from ompls.analysis import notes
        from ompls.analysis.model.builder import Analyzer
        from ompls.analysis.rules import check
        from ompls.analysis.source import Settings

        tu = Analyzer().analyze(str(path), text, self.headers(path, text), Settings())
        said = Said()
        for d in (*notes.diagnostics(tu), *check(tu)):
            line = text.count(b"\n", 0, d.where.start) + 1 if d.where.path == str(path) else 1
            said.reports.append((line, d.severity, d.rule, d.message))
        return said

    def headers(self, path: Path, text: bytes) -> HeaderSnapshot:
        """What `text` includes where it is the file `path`."""
        self._workspace.open(str(path), text)
        snapshot = self._workspace.snapshot(str(path), text, self._workspace.flags(str(path)))
        self._workspace.close(str(path))
        return snapshot


@dataclass
class Tally:
    """Counts of a group; the false alarms and the missed ones by id, for --list."""

    seeded: int = 0
    found: int = 0
    correct: int = 0
    missed: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)

    def add(self, variant: Variant, said: Said) -> None:
        loud = said.lines("error", "warning")
        if variant.kind:
            self.seeded += 1
            seen = loud if variant.kind != "hint" else said.lines("error", "warning", "hint")
            if seen & variant.accepted:
                self.found += 1
            else:
                self.missed.append(f"{variant.id} line {_numbers(variant.expected)}{_said(said, {'hint'})}")
        else:
            self.correct += 1
        for line, severity, rule, message in said.reports:
            if severity != "hint" and line not in variant.accepted:
                self.alarms.append(f"{variant.id} line {line}: {severity}: {message} [{rule}]")
        if said.problem:
            self.alarms.append(f"{variant.id}: {said.problem}")


def _numbers(lines: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(lines)))


def _said(said: Said, severities: set[str]) -> str:
    hints = [f"line {line}: [{rule}]" for line, severity, rule, _ in said.reports if severity in severities]
    return f" ({', '.join(hints)} only hints)" if hints else ""


def measure(chosen: Iterable[Variant]) -> dict[str, Tally]:
    """Every variant analysed in this process: the tallies by group."""
    tool = Tool()
    tallies: dict[str, Tally] = {}
    for variant in chosen:
        tallies.setdefault(variant.group, Tally()).add(variant, tool.check(variant.path, variant.text.encode()))
    return tallies


def total(tallies: Iterable[Tally]) -> Tally:
    whole = Tally()
    for one in tallies:
        whole.seeded += one.seeded
        whole.found += one.found
        whole.correct += one.correct
        whole.missed += one.missed
        whole.alarms += one.alarms
    return whole


def show(tallies: dict[str, Tally], listing: bool) -> None:
    print(f"{'group':44} {'seeded':>7} {'found':>6} {'recall':>7} {'correct':>8} {'alarms':>7}")
    for name, one in [*sorted(tallies.items()), ("all", total(tallies.values()))]:
        recall = f"{100 * one.found / one.seeded:.0f} %" if one.seeded else "-"
        print(f"{name:44} {one.seeded:>7} {one.found:>6} {recall:>7} {one.correct:>8} {len(one.alarms):>7}")
    if listing:
        whole = total(tallies.values())
        for title, entries in (("missed", whole.missed), ("false alarms", whole.alarms)):
            print(f"\n{title}:", *(entries or ["none"]), sep="\n  ")


# -- public suites, by their own conventions ---


def dracc(path: Path) -> Variant:
    """A file of DRACC: the name says whether there is an error, the line is not given (any is accepted)."""
    text = path.read_text(encoding="utf-8", errors="replace")
    bad = not path.stem.endswith("_no") or "_051_" in path.stem  # 051 reads what `map(from:)` did not send
    race = int(path.stem.split("_")[2]) not in {*range(22, 35), 49, 50, 51}
    lines = frozenset(range(1, text.count("\n") + 2)) if bad else frozenset[int]()
    return Variant(
        path, "bad" if bad else "good", text, text, ("race" if race else "mapping") if bad else "", lines, lines
    )


def drb(path: Path) -> Variant:
    """A file of DataRaceBench: its first comments name the lines of the race pairs."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if not path.stem.endswith("-yes"):
        return Variant(path, "good", text, text)
    lines = frozenset(int(found[1]) for found in _PAIR.finditer(text))
    return Variant(path, "bad", text, text, "race", lines, lines)


def clean(path: Path) -> Variant:
    text = path.read_text(encoding="utf-8", errors="replace")
    return Variant(path, "good", text, text)


def _measure_one(job: tuple[Variant, tuple[str, ...]]) -> Said:
    variant, flags = job
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(_SECONDS)
    try:
        return Tool(flags, variant.path.parent).check(variant.path, variant.path.read_bytes())
    except Exception as error:  # noqa: BLE001 -- what analysis must never do is a result here
        return Said(problem=f"{type(error).__name__}: {error}")
    finally:
        signal.alarm(0)


def _too_long(_number: int, _frame: object) -> None:
    raise TimeoutError(f"no answer after {_SECONDS} s")


def measure_suite(chosen: Sequence[Variant], flags: Sequence[str], jobs: int) -> Tally:
    """Every file analysed by one of `jobs` processes."""
    tally = Tally()
    with ProcessPoolExecutor(jobs) as pool:
        work = [(variant, tuple(flags)) for variant in chosen]
        for variant, said in zip(chosen, pool.map(_measure_one, work, chunksize=8), strict=True):
            tally.add(variant, said)
    return tally


def write(chosen: Iterable[Variant], folder: Path) -> None:
    for variant in chosen:
        target = folder / variant.group / f"{variant.path.stem}-{variant.name}.c"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(variant.driver, encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    own, flags = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(prog="corpus.py", description="Recall and false alarms; flags for C after `--`.")
    parser.add_argument("groups", nargs="*", help="groups or programs of tests/corpus")
    parser.add_argument("--list", action="store_true", help="name what is missed and what is wrongly reported")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write every variant as a file")
    parser.add_argument("--run", action="store_true", help="build with gcc and clang, and run")
    parser.add_argument("--dracc", type=Path, metavar="DIR")
    parser.add_argument("--drb", type=Path, metavar="DIR")
    parser.add_argument("--clean", type=Path, nargs="+", metavar="DIR", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(own)
    if given.run:
        import corpus_run

        return corpus_run.run(programs(given.groups), given.jobs)
    if given.write:
        write(programs(given.groups), given.write)
        return 0
    suites = {}
    if given.dracc:
        suites["DRACC"] = [dracc(path) for path in sorted(given.dracc.rglob("DRACC_OMP_*.c"))]
    if given.drb:
        suites["DataRaceBench"] = [drb(path) for path in sorted(given.drb.rglob("DRB*.c"))]
    for folder in given.clean:
        texts = [clean(path) for path in sorted(folder.rglob("*.c")) if path.is_file()]
        suites[str(folder)] = [v for v in texts if not _MEANT.search(v.text)]
    if suites:
        show({name: measure_suite(files, flags, given.jobs) for name, files in suites.items()}, given.list)
    else:
        show(measure(programs(given.groups)), given.list)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
