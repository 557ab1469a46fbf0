"""The diagnostics of a group of declarations (`model/items.py`), kept with it: findings at their places in the files.

An edit moves what stands below it and leaves nearly all else as it is.  What `SourceMap.shape` says decides where the
places of a group are; when only its beginning has changed, the diagnostics are those that were kept, moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ompls.analysis.diagnostic import Diagnostic, Edit, Fix, Related
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.rules.support.framework import Finding, Rule
from ompls.analysis.rules.support.kept import Found
from ompls.analysis.source import Location, Shape

Place = Callable[[TU, Item, Rule, Finding], Diagnostic]  # makes the diagnostic of a finding
_KEY = __name__


class _Kept(NamedTuple):
    """said -- None where a place is not in the group, so that the group does not decide where it is
    written -- the group's text in the file, when something in `said` quotes macros from there, of which the shape does
    not tell how they are invoked
    """

    found: Found
    path: str
    start: int
    parts: tuple[object, ...]
    said: tuple[Diagnostic | None, ...]
    written: bytes | None


def placed(tu: TU, number: int, found: Found, place: Place) -> Iterator[Diagnostic]:
    """What `place` makes of each of `found`, the findings of group `number`."""
    groups = tu.items.groups
    x, group = groups[number]
    x_end = groups[number + 1][0] if number + 1 < len(groups) else len(tu.expanded)
    shape = tu.map.shape(x, x_end)
    kept: _Kept | None = group.memo.get(_KEY)
    same = kept is not None and kept.found is found and (kept.path, kept.parts) == (shape.path, shape.parts)
    if kept is not None and same and (kept.written is None or kept.written == _source(tu, shape)):
        said, written = kept.said, kept.written
        if distance := shape.start - kept.start:
            said = tuple([d and _moved(d, distance) for d in said])
    else:
        items = tu.items.of(number)
        said = tuple(
            [place(tu, items[at], r, f) if _within(tu, items[at], f, x, x_end) else None for at, r, f in found]
        )
        quoting = (d is not None and _quotes(d, f) for d, (_, _, f) in zip(said, found, strict=True))
        written = _source(tu, shape) if any(quoting) else None
    if shape.path is not None:
        group.memo[_KEY] = _Kept(found, shape.path, shape.start, shape.parts, said, written)
    for (at, rule, finding), known in zip(found, said, strict=True):
        yield known if known is not None else place(tu, tu.items.of(number)[at], rule, finding)


def _quotes(diagnostic: Diagnostic, finding: Finding) -> bool:
    """Whether macros stand in the diagnostic that the finding, with the expanded text, does not know."""
    return diagnostic.message != finding.message or any(change.quotes for change in finding.changes)


def _source(tu: TU, shape: Shape) -> bytes | None:
    """The text that the shape's range comes from."""
    text = tu.source if shape.path == tu.path else dict(tu.headers.values()).get(shape.path or "")
    return text[shape.start : shape.end] if text is not None else None


def _within(tu: TU, item: Item, finding: Finding, x: int, x_end: int) -> bool:
    """Whether all that is shown of the finding follows from what is in the group: no other declaration, no macro that
    is defined somewhere, and no insertion at the group's very start, which belongs to the text before it."""
    if finding.home is not None or finding.elsewhere or tu.map.macros(item.start + finding.span.start):
        return False
    if any(change.behind or change.home is not None for change in finding.changes):
        return False
    spans = (finding.span, *(span for span, _ in finding.related), *(change.span for change in finding.changes))
    return all(x < item.start + span.start < x_end and item.start + span.end <= x_end for span in spans)


def _moved(diagnostic: Diagnostic, distance: int) -> Diagnostic:
    """The same, so many bytes further down in its file."""
    related, fixes = diagnostic.related, diagnostic.fixes
    if related:
        related = tuple([Related(_beyond(r.where, distance), r.message) for r in related])
    if fixes:
        fixes = tuple([replace(fix, edits=_edits(fix, distance)) for fix in fixes])
    rule, severity, message = diagnostic.rule, diagnostic.severity, diagnostic.message
    return Diagnostic(rule, severity, message, _beyond(diagnostic.where, distance), related, fixes)


def _edits(fix: Fix, distance: int) -> tuple[Edit, ...]:
    return tuple([Edit(_beyond(edit.where, distance), edit.text) for edit in fix.edits])


def _beyond(where: Location, distance: int) -> Location:
    return Location(where.path, where.start + distance, where.end + distance)
