"""Findings quote the file as the user wrote it.

They are made, and kept, with the expanded text, in which the `N` of `map(to: x[0:N])` is `64`.  What a message or a fix
repeats of a place gets the macros back when the finding is put at its place.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import ListItem
from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.analysis.patterns import later
from ompls.analysis.rules.support.framework import Change, Finding
from ompls.analysis.source import Location, Segment

_QUOTED = later(r"`([^`]+)`")
_GAP = later(r"(?:\\\r?\n|\s)+")


def as_written(tu: TU, place: Item | FileDirective, finding: Finding) -> Finding:
    """A finding whose spans count in `place`, with what it quotes of them as it stands in the file; itself if it does."""
    quoted = {_bare(quote) for quote in _QUOTED.findall(finding.message)}
    message = finding.message
    for span in (finding.span, *[span for span, _ in finding.related]) if quoted else ():
        text, instead = _written(tu, place, span)
        if instead and text in quoted:
            message = _QUOTED.sub(lambda q: f"`{instead if _bare(q[1]) == text else q[1]}`", message)  # noqa: B023
    changes = tuple([_change(tu, home_of(tu, place, change) or place, change) for change in finding.changes])
    same = message == finding.message and changes == finding.changes
    return finding if same else replace(finding, message=message, changes=changes)


def home_of(tu: TU, place: Item | FileDirective, change: Change) -> Item | FileDirective | None:
    """Where the spans count of a change that a finding in `place` offers; None: not in this text."""
    return place if change.home is None else tu.items.holding(change.home)


def _change(tu: TU, place: Item | FileDirective, change: Change) -> Change:
    for quote, span in change.quotes:
        _, instead = _written(tu, place, span)
        if instead:
            title, text = (_replaced(t, quote, instead) for t in (change.title, change.text))
            change = replace(change, title=title, text=text)
    return change


def _replaced(text: str, quote: str, instead: str) -> str:
    """The `8` of `x8[0:8]` is not in the name."""
    return re.sub(rf"(?<!\w){re.escape(quote)}(?!\w)", lambda _: instead, text)


def spelled(tu: TU, start: int, end: int) -> tuple[Location, str] | None:
    """Where the user wrote expanded bytes [start, end), and how; None when a macro made more than these."""
    first, last = tu.map.at(start), tu.map.at(max(start, end - 1))
    whole = _begins(tu, first, start) and _ends(tu, last, end)
    where = tu.map.location(start, end)
    text = tu.source if where.path == tu.path else dict(tu.headers.values()).get(where.path)
    if text is None or not whole or first.path != last.path:
        return None
    return where, decoded(text[where.start : where.end])


def text_of(tu: TU, item: Item, span: Span) -> str:
    """A span of a declaration, as the user wrote it."""
    return _written(tu, item, span)[1] or decoded(item.content.text[span.start : span.end])


def name_of(tu: TU, place: Item | FileDirective, entry: ListItem) -> str:
    """A list item of a directive in `place`, as the user wrote it: `a[0:ROWS*COLS]`."""
    return _written(tu, place, entry.span)[1] or entry.text


def _begins(tu: TU, segment: Segment, start: int) -> bool:
    return segment.kind == "verbatim" or (segment.x_start == start and not _goes_on(segment, tu.map.at(start - 1)))


def _ends(tu: TU, segment: Segment, end: int) -> bool:
    return segment.kind == "verbatim" or (segment.x_end == end and not _goes_on(segment, tu.map.at(end)))


def _goes_on(one: Segment, other: Segment) -> bool:
    """Whether two pieces are of one macro invocation."""
    return one is not other and (one.path, one.start, one.end) == (other.path, other.start, other.end)


def _written(tu: TU, place: Item | FileDirective, span: Span) -> tuple[str, str]:
    """The expanded text of a span, without blanks, and how the user wrote it; "" when that is the same, or when the
    macro that it comes from made more than this."""
    start, end = place.start + span.start, place.start + span.end
    first = tu.map.at(start)
    if end <= first.x_end and first.kind == "verbatim":
        return "", ""
    found = spelled(tu, start, end)
    return ("", "") if found is None else (_bare(decoded(tu.expanded[start:end])), _GAP.sub(" ", found[1]))


def _bare(text: str) -> str:
    return _GAP.sub("", text)
