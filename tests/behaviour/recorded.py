"""`make behaviour`: what is found in all C texts of this repository, one line of JSON for each finding.

A file for each corpus, `NAME.jsonl`, sorted: the text, the rule, the place, the severity and the related places, no
messages.  So a change of what the analysis says is reviewed like code.

    recorded.py [NAME…]           write them again (a minute)
    recorded.py --show NAME TEXT  print the text that a line speaks of
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rules"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import corpus
import drawing
from mutation import mutants

from ompls.analysis import notes
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import RULES, check
from ompls.analysis.source import EMPTY_SNAPSHOT, Location, Settings

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
MUTANTS = {"examples": 3, "programs": 25}  # one in so many is looked at


@dataclass(frozen=True)
class Text:
    """A C text that stands for the file `path`; `alone`: without headers, for the devices and version that it names."""

    name: str
    path: Path
    text: str
    alone: bool = False


def programs() -> Iterator[Text]:
    """The programs with seeded errors, and their correct twins."""
    for variant in corpus.programs():
        yield Text(variant.id, variant.path, variant.text)


def examples() -> Iterator[Text]:
    """Programs that are as people write them, all correct."""
    for path in [*sorted((ROOT / "examples").rglob("*.c")), *sorted((ROOT / "tests/rules/lookalikes").glob("*.c"))]:
        yield Text(str(path.relative_to(ROOT)), path, path.read_text(encoding="utf-8"))


def rules() -> Iterator[Text]:
    """Each rule's own examples; what all rules say of them."""
    for rule in RULES.values():
        for kind, texts in (("bad", rule.bad), ("good", rule.good)):
            for text in texts:
                name = f"{rule.id} {kind} {crc32(text.encode()):08x}"  # by content: others come and go
                yield Text(name, Path("example.c"), text, alone=True)


def mutated() -> Iterator[Text]:
    """Correct programs with one mistake in a pragma: some of the many, the same ones whatever else is added."""
    for texts, one_in in MUTANTS.items():
        for original in CORPORA[texts]():
            if original.name.rpartition(":")[2].startswith("bad"):
                continue
            seen: Counter[str] = Counter()
            for mutant in mutants(original.text):
                name = f"{original.name} {mutant.kind} line {mutant.line}"
                seen[name] += 1
                name += f" {seen[name]}" if seen[name] > 1 else ""
                if not part_of(f"mutant {name}", one_in):
                    yield Text(name, original.path, mutant.text)


CORPORA: dict[str, Callable[[], Iterator[Text]]] = {
    "programs": programs,
    "examples": examples,
    "rules": rules,
    "mutants": mutated,
}


def part_of(name: str, parts: int) -> int:
    """In which of so many parts a text is: it stays there whatever is added."""
    return crc32(name.encode()) % parts


def said(texts: Iterator[Text]) -> Iterator[str]:
    """The lines of the texts, as they come.  One analyzer for all: it knows again what several texts share."""
    tool, analyzer = corpus.Tool(), Analyzer()
    for each in texts:
        data = each.text.encode("latin-1" if "// Latin-1\n" in each.text else "utf-8")
        if each.alone:
            settings = Settings(
                openmp=drawing.version_of(each.text),  # type: ignore[arg-type]
                devices=drawing.devices_of(each.text),
            )
            tu = analyzer.analyze(str(each.path), data, EMPTY_SNAPSHOT, settings)
        else:
            tu = analyzer.analyze(str(each.path), data, tool.headers(each.path, data), Settings())
        for diagnostic in (*notes.diagnostics(tu), *check(tu)):
            yield _line(each, data, diagnostic)


def _line(of: Text, data: bytes, diagnostic: Diagnostic) -> str:
    def place(where: Location) -> str:
        if where.path != str(of.path):
            return f"{Path(where.path).name} byte {where.start}-{where.end}"
        ends = [(data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at)) for at in (where.start, where.end)]
        return "-".join(f"{line}:{column}" for line, column in ends)

    found = {
        "text": of.name,
        "rule": diagnostic.rule,
        "place": place(diagnostic.where),
        "severity": diagnostic.severity,
        "related": [place(related.where) for related in diagnostic.related],
    }
    return json.dumps(found)


@cache
def lines(name: str) -> list[str]:
    """What is recorded of a corpus."""
    return (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def main(names: list[str]) -> None:
    if names[:1] == ["--show"]:
        print(next(text.text for text in CORPORA[names[1]]() if text.name == names[2]))
        return
    for name in names or CORPORA:
        whole = sorted(set(said(CORPORA[name]())))
        (FOLDER / f"{name}.jsonl").write_text("".join(line + "\n" for line in whole), encoding="utf-8")
        print(f"{name}: {len(whole)} findings")


if __name__ == "__main__":
    main(sys.argv[1:])
