"""Inactive branches, to be dimmed, and the conditional directives that make them."""

from __future__ import annotations

import re

from ompls.analysis.model.tu import TU
from ompls.analysis.source import Location

_CONDITIONAL = re.compile(rb"(?m)^[ \t]*(?:#|%:)[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b[^\r\n]*")


def inactive(tu: TU) -> list[Location]:
    """The branches of the main file that are not compiled.

    Those of a condition that nobody can tell, because a header is missing, are not among them: one of them is.
    """
    own = [where for where in tu.inactive if where.path == tu.path and where.start < where.end]
    if not any(note.kind == "undecided" for note in tu.notes):
        return own
    return [where for where in own if unknown_condition(tu, where) is None]


def unknown_condition(tu: TU, where: Location) -> str | None:
    """Why nobody can tell whether the branch `where` is compiled; None when it is known not to be."""
    above = conditions(tu.source, where.start)
    if not above:
        return None
    for note in tu.notes:
        at = tu.map.location(note.start, note.start)
        if note.kind == "undecided" and at.path == tu.path and above[-1][0] <= at.start <= where.start:
            return note.message
    return None


def conditions(source: bytes, offset: int) -> list[tuple[int, int, str]]:
    """The conditional directives that byte `offset` is under, outermost first.

    Each is (offset of the `#if` of its group, offset of the branch's own line, text of that line).
    """
    open_: list[tuple[int, int, str]] = []
    for match in _CONDITIONAL.finditer(source, 0, max(offset, 0)):
        word, at = match[1], match.start()
        first = at
        if word.startswith(b"e"):
            first = open_.pop()[0] if open_ else at
        if word != b"endif":
            open_.append((first, at, match[0].strip().decode("utf-8", "replace")))
    return open_
