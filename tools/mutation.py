"""Wrong programs made of correct ones: every edit of one OpenMP line that a programmer could have made by mistake.

`mutants(text)` only edits text; whether an edit is a mistake is found out by running (see mutants.py).  No edit changes
the number of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp\b(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
_TYPE = re.compile(r"(\bmap\s*\(\s*(?:(?:always|present|close)\s*,\s*)*)(tofrom|to|from|alloc|release|delete)(\s*:)")
_SECTION = re.compile(r"\[([^\[\]:]*):([^\[\]:]+)\]")
_NONE: dict[str, tuple[str, ...]] = {}
_OTHER_TYPES: dict[str, dict[str, tuple[str, ...]]] = {
    "enter": {"to": ("alloc",)},
    "exit": {"from": ("release", "delete")},
    "": {"tofrom": ("to", "from", "alloc"), "to": ("alloc", "from"), "from": ("to", "alloc")},
}
_DROPPED_CLAUSES = [
    "map",
    "reduction",
    "private",
    "firstprivate",
    "lastprivate",
    "depend",
    "is_device_ptr",
    "has_device_addr",
    "use_device_ptr",
    "use_device_addr",
]
_DROPPED_LINES = re.compile(
    r"omp\s+(target\s+update|target\s+enter|target\s+exit|target\s+data|(?:begin\s+)?declare\s+target|end\s+declare\s+target"
    r"|atomic|critical|barrier|taskwait|taskgroup)\b"
)
UNSYNCHRONISED = frozenset(
    [
        "drop-reduction",
        "drop-private",
        "drop-atomic",
        "drop-critical",
        "drop-barrier",
        "drop-taskwait",
        "drop-taskgroup",
        "drop-depend",
        "swap-depend",
        "share-private",
        "add-nowait",
        "leave-critical",
        "deeper-collapse",
    ]
)  # a race that seldom shows: counted also when the program still passes


@dataclass(frozen=True)
class Mutant:
    """`text` with one edit of `kind`; `line` (from 1) is where it was, `before` what stood there."""

    kind: str
    line: int
    before: str
    text: str


def mutants(text: str) -> list[Mutant]:
    """Every mutant of a C text, in the order of its lines.  A text without OpenMP has none."""
    found = [
        Mutant(
            kind,
            text.count("\n", 0, at.start()) + 1,
            " ".join(at[0].split()),
            text[: at.start()] + new + text[at.end() :],
        )
        for at in _PRAGMA.finditer(text)
        for kind, new in _edits(at[0])
        if new != at[0]
    ]
    found += _declare_target(text)
    found += [
        Mutant(kind, text.count("\n", 0, place) + 1, before.strip(), new) for kind, place, before, new in _moves(text)
    ]
    return [one for one in found if one.text.count("\n") == text.count("\n")]


def _edits(pragma: str) -> Iterator[tuple[str, str]]:
    """(kind, the pragma in its place) for the edits of one pragma."""
    if "target" in pragma:
        yield from _mapped(pragma)
    for name in _DROPPED_CLAUSES:
        for start, end in clauses(pragma, name):
            yield f"drop-{name}", pragma[:start] + _lines(pragma[start:end]) + pragma[end:]
    if (found := _DROPPED_LINES.search(pragma)) and "declare" not in found[1]:
        yield f"drop-{found[1].split()[-1]}", "//" + "\\\n" * pragma.count("\n")
    for start, end in clauses(pragma, "private"):
        yield "share-private", pragma[:start] + re.sub(r"^private", "shared", pragma[start:end]) + pragma[end:]
    for old, new in (("out", "in"), ("inout", "in")):  # an `in` that becomes an `out` orders as much
        for at in re.finditer(rf"(\bdepend\s*\(\s*){old}(\s*:)", pragma):
            yield "swap-depend", pragma[: at.start()] + at[1] + new + at[2] + pragma[at.end() :]
    if found := re.search(r"\bcollapse\s*\(\s*(\d)\s*\)", pragma):
        yield "deeper-collapse", pragma[: found.start(1)] + str(int(found[1]) + 1) + pragma[found.end(1) :]
    target = re.search(r"omp\s+target\b(?!\s+data)", pragma)
    if target and "nowait" not in pragma:
        yield "add-nowait", pragma + " nowait"
    if re.search(r"omp\s+for\b", pragma) and "nowait" not in pragma:
        yield "add-nowait", pragma + " nowait"


def _mapped(pragma: str) -> Iterator[tuple[str, str]]:
    """The edits of what a construct maps or moves."""
    construct = found[1] if (found := re.search(r"omp\s+target\s+(enter|exit|update)\b", pragma)) else ""
    for start, end in clauses(pragma, "map"):
        head, clause, tail = pragma[:start], pragma[start:end], pragma[end:]
        found = _TYPE.match(clause)
        if not found and not construct and not re.match(r"map\s*\([^\[\]()]*:", clause):
            found = _TYPE.match(clause := re.sub(r"\(", "(tofrom: ", clause, count=1))
        if found:
            for new in _OTHER_TYPES.get(construct, _NONE).get(found[2], ()):
                yield f"{found[2]}->{new}", head + found[1] + new + clause[found.end(2) :] + tail
    if construct == "update":
        for old, new in (("to", "from"), ("from", "to")):
            for start, _ in clauses(pragma, old):
                yield f"update-{old}->{new}", pragma[:start] + new + pragma[start + len(old) :]
    elif construct in ("enter", "exit"):
        yield f"twice-{construct}", _twice(pragma)
    for at in _SECTION.finditer(pragma):
        yield "half-section", pragma[: at.start(2)] + f"({at[2]})/2" + pragma[at.end(2) :]
        yield (
            "later-section",
            pragma[: at.start(1)] + f"({at[1].strip() or 0})+1:({at[2]})-1" + pragma[at.end(2) :],
        )
    if construct or re.search(r"target\s+data", pragma):
        for start, end in clauses(pragma, "device"):
            yield "other-device", pragma[:start] + "device(1)" + pragma[end:]
        if not re.search(r"\bdevice\s*\(", pragma):
            yield "other-device", pragma + " device(1)"


def _twice(pragma: str) -> str:
    """The directive a second time, on the same line."""
    words = pragma.strip().replace("\\\n", " ").lstrip("#").replace("pragma", "", 1).strip()
    again = '_Pragma("' + words.replace('"', '\\"') + '")'
    return f"{again} {again}" + "\\\n" * 0 + "\n" * pragma.count("\n")


def _declare_target(text: str) -> Iterator[Mutant]:
    """Without one of the stretches of `declare target`, or without one directive that has a list."""
    opened: re.Match[str] | None = None
    for at in _PRAGMA.finditer(text):
        if not re.search(r"declare\s+target\b", at[0]):
            continue
        before, line = " ".join(at[0].split()), text.count("\n", 0, at.start()) + 1
        blank = "\n" * at[0].count("\n")
        if re.search(r"end\s+declare", at[0]):
            if opened:
                start = text.count("\n", 0, opened.start()) + 1
                inner = text[: opened.start()] + "\n" * opened[0].count("\n") + text[opened.end() : at.start()]
                yield Mutant(
                    "drop-declare-target", start, " ".join(opened[0].split()), inner + blank + text[at.end() :]
                )
            opened = None
        elif re.search(r"declare\s+target\s*\(|\b(?:to|enter|link)\s*\(", at[0]):
            yield Mutant("drop-declare-target", line, before, text[: at.start()] + blank + text[at.end() :])
        else:
            opened = at


def _moves(text: str) -> Iterator[tuple[str, int, str, str]]:
    """(kind, offset, what stood there, the new text) for the edits that concern more than a pragma."""
    critical = re.compile(
        r"^([ \t]*#\s*pragma\s+omp\s+critical\b[^\n]*)\n([ \t]*\{[ \t]*)\n([^\n{}]*;[^\n]*)\n", re.MULTILINE
    )
    for at in critical.finditer(text):
        yield (
            "leave-critical",
            at.start(),
            at[1],
            text[: at.start()] + f"{at[3]}\n{at[1]}\n{at[2]}\n" + text[at.end() :],
        )
    for at in re.finditer(r"^[ \t]*#\s*pragma\s+omp\s+target\s+exit\s+data\b[^\n\\]*\n", text, re.MULTILINE):
        for free in re.finditer(r"^[ \t]*free\s*\(\s*(\w+)\s*\);[^\n]*\n", text[at.end() :], re.MULTILINE):
            if re.search(rf"\b{free[1]}\b", at[0]):
                between, rest = text[at.end() : at.end() + free.start()], text[at.end() + free.end() :]
                yield "free-before-exit", at.start(), at[0], text[: at.start()] + free[0] + at[0] + between + rest
                break
    for at in re.finditer(r"\bomp_target_alloc\s*\(([^;]*),[^;,]*\)\s*;", text):
        yield "host-alloc", at.start(), at[0], text[: at.start()] + f"malloc({at[1]});" + text[at.end() :]
    for at in re.finditer(
        r"^[ \t]*(?:omp_target_memcpy|omp_target_free|omp_target_disassociate_ptr)\s*\([^;\n]*\);", text, re.MULTILINE
    ):
        yield (
            "drop-" + at[0].split("(")[0].strip().replace("_", "-"),
            at.start(),
            at[0],
            text[: at.start()] + text[at.end() :],
        )


def clauses(pragma: str, name: str) -> Iterator[tuple[int, int]]:
    """Where the clauses `name(...)` of a pragma stand."""
    for found in re.finditer(rf"\b{name}\s*\(", pragma):
        depth = 0
        for at in range(found.end() - 1, len(pragma)):
            depth += {"(": 1, ")": -1}.get(pragma[at], 0)
            if not depth:
                yield found.start(), at + 1
                break


def _lines(text: str) -> str:
    return "\\\n" * text.count("\n")
