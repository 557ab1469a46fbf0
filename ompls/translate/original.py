"""Edits made in expanded text, carried out in the files as the user wrote them.

Places are expanded offsets.
An edit whose ends lie in verbatim text (or on the border of a macro invocation) is made there.  Where one lies inside
what a macro made, the invocation is replaced by its expansion with the edits in it; everything around it stays.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from ompls.analysis.encoding import decoded
from ompls.analysis.model.tu import TU
from ompls.analysis.source import Segment
from ompls.analysis.syntax.quoted import line_directive
from ompls.analysis.text import LineIndex
from ompls.translate.rewrite import Chunk, joined


@dataclass(frozen=True)
class _Edit:
    start: int  # expanded
    end: int
    text: str | None  # None: blanks, as many as the original has columns
    order: int  # insertions at one place: the one made first ends up last (inner constructs close first)


class Edits:
    """Collects edits by expanded offsets of one unit."""

    def __init__(self, tu: TU, presumed: Callable[[str, int], tuple[str, int]]) -> None:
        self.tu, self.presumed = tu, presumed
        self._edits: list[_Edit] = []

    @cached_property
    def _starts(self) -> list[int]:
        """Where the segments begin."""
        return [s.x_start for s in self.tu.map.segments]

    @cached_property
    def _group(self) -> list[int]:
        """The first segment of each one's group: consecutive segments of one macro invocation are one."""
        group: list[int] = []
        before = None
        for k, s in enumerate(self.tu.map.segments):
            same = (
                before is not None
                and s.kind == before.kind == "expansion"
                and (s.path, s.start, s.end) == (before.path, before.start, before.end)
            )
            group.append(group[-1] if same else k)
            before = s
        return group

    def replace(self, start: int, end: int, text: str) -> None:
        """Put `text` for the expanded bytes [start, end)."""
        self._edits.append(_Edit(start, end, text, len(self._edits)))

    def blank(self, start: int, end: int) -> None:
        """Put blanks for the bytes [start, end) of a directive: everything behind them keeps its line and column."""
        if start < end:
            self._edits.append(_Edit(start, end, None, len(self._edits)))

    def insert_after(self, end: int, text: str) -> None:
        """Put `text` after the byte before `end`.  Of two at one place the later one comes first."""
        self._edits.append(_Edit(end, end, text, len(self._edits)))

    def is_written(self, x: int) -> bool:
        """Whether `x` is a place in the user's text, or on the border of a macro invocation."""
        return self._inside(x) is None

    def _data(self, path: str) -> bytes:
        return self.tu.source if path == self.tu.path else dict(self.tu.headers.values()).get(path, b"")

    def apply(self, texts: dict[str, bytes]) -> dict[str, str]:
        """Every file of `texts` with its edits."""
        by_path: dict[str, list[tuple[int, int, str | None, int]]] = {path: [] for path in texts}
        for path, start, end, text, order in self._original():
            by_path.setdefault(path, []).append((start, end, text, order))
        out: dict[str, str] = {}
        for path, data in texts.items():
            edits = sorted(by_path[path], key=lambda e: (e[0], e[1] != e[0], -e[3]))
            out[path] = _edited(data, 0, len(data), ((start, end, text) for start, end, text, _ in edits))
        return out

    def _original(self) -> list[tuple[str, int, int, str | None, int]]:
        """The edits as (path, start, end, text, order) of original files."""
        opened = self._opened()
        out: list[tuple[str, int, int, str | None, int]] = []
        for lo, hi in opened:
            out.append(self._expanded(lo, hi))
        for e in self._edits:
            if any(lo <= e.start and e.end <= hi and not self._outside(e, lo) for lo, hi in opened):
                continue
            if e.start == e.end:
                path, at = self.end(e.end)
                out.append((path, at, at, e.text, e.order))
            else:
                path, start = self.start(e.start)
                out.append((path, start, self.end(e.end)[1], e.text, e.order))
        return out

    def repeated(self) -> set[int]:
        """Where edits are in a header that is included several times, at a place that another inclusion edits, too."""
        opened = [lo for lo, _ in self._opened()]
        found: dict[tuple[str, int], set[int]] = {}
        for x in {*opened, *(e.start for e in self._edits if self._inside(e.start) is None)}:
            path, at = self.start(x)
            if path != self.tu.path:
                found.setdefault((path, at), set()).add(x)
        return {x for places in found.values() if len(places) > 1 for x in places}

    def _outside(self, e: _Edit, lo: int) -> bool:
        return e.start == e.end == lo

    def _bounds(self, k: int) -> tuple[int, int]:
        """The expanded range of the invocation that segment `k` belongs to."""
        segments, g = self.tu.map.segments, self._group[k]
        last = k
        while last + 1 < len(segments) and self._group[last + 1] == g:
            last += 1
        return segments[g].x_start, segments[last].x_end

    def _opened(self) -> list[tuple[int, int]]:
        """Expanded ranges to be written out: invocations that an edit begins or ends inside of."""
        ranges: list[tuple[int, int]] = []
        for e in self._edits:
            crossed = [self._inside(e.start), self._inside(e.end)] if e.start < e.end else [self._inside(e.end)]
            found = [r for r in crossed if r is not None]
            if found:
                ranges.append((min(r[0] for r in found), max(r[1] for r in found)))
        out: list[tuple[int, int]] = []
        for lo, hi in sorted(set(ranges)):
            if out and lo < out[-1][1]:
                out[-1] = (out[-1][0], max(hi, out[-1][1]))
            else:
                out.append((lo, hi))
        return out

    def _inside(self, x: int) -> tuple[int, int] | None:
        k = self._index(x)
        if self.tu.map.segments[k].kind != "expansion":
            return None
        lo, hi = self._bounds(k)
        return (lo, hi) if lo < x < hi else None

    def _index(self, x: int) -> int:
        return max(0, bisect.bisect_right(self._starts, x) - 1)

    def start(self, x: int) -> tuple[str, int]:
        """(path, offset) in the user's files of the byte `x`."""
        s = self.tu.map.at(x)
        return s.path, s.start + (x - s.x_start if s.kind == "verbatim" else 0)

    def end(self, x: int) -> tuple[str, int]:
        """(path, offset) in the user's files behind the byte before `x`."""
        s: Segment = self.tu.map.at(max(0, x - 1))
        return s.path, s.start + (x - s.x_start) if s.kind == "verbatim" else s.end

    def _expanded(self, lo: int, hi: int) -> tuple[str, int, int, str, int]:
        """What stands for the original of [lo, hi): its expansion with the edits in it."""
        mine = [e for e in self._edits if lo <= e.start and e.end <= hi and not self._outside(e, lo)]
        mine.sort(key=lambda e: (e.start, e.end != e.start, -e.order))
        text = _edited(self.tu.expanded, lo, hi, ((e.start, e.end, e.text) for e in mine))
        path, start = self.start(lo)
        _, end = self.end(hi)
        if "\n" in text:
            line = LineIndex(self._data(path)).position(max(start, end - 1), "utf-8")[0] + 1
            shown, line = self.presumed(path, line)
            text = f"{text}\n{line_directive(line, shown)}"
        return path, start, end, text, 0


def _edited(data: bytes, lo: int, hi: int, edits: Iterable[tuple[int, int, str | None]]) -> str:
    """data[lo:hi] with each text for its bytes [start, end)."""
    pieces: list[Chunk] = []
    at = lo
    for start, end, text in edits:
        made = blanks(decoded(data[start:end])) if text is None else text
        pieces += [Chunk(decoded(data[at:start]), at, True), Chunk(made, start, False)]
        at = max(at, end)
    pieces.append(Chunk(decoded(data[at:hi]), at, True))
    return joined([c for c in pieces if c.text])


_LINE_END = re.compile(r"(?:\\|\?\?/)?[ \t\r]*\n")


def blanks(text: str) -> str:
    """As many lines and columns as `text` has, with nothing on them, as it may stand in a directive."""
    return "\\\n".join("".join(map(_blank, line)) for line in _LINE_END.split(text))


def _blank(char: str) -> str:
    """As gcc counts columns: a wide character is two, a combining one none, a tab goes on to the next stop."""
    if char == "\t":
        return char
    if unicodedata.combining(char):
        return ""
    return "  " if unicodedata.east_asian_width(char) in "WF" else " "
