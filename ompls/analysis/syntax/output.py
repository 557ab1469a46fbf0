"""Builds the expanded text and its SourceMap, piece by piece, in order.

Text that keeps its place (also when it was blanked) is one verbatim segment for as long as nothing interrupts it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.source import Location, Segment, SourceMap
from ompls.analysis.syntax.lexer import blank

# x range in the line's new text, byte range in the line's old text, the macros it came through
Piece = tuple[int, int, int, int, tuple[str, ...]]


@dataclass(slots=True, frozen=True)
class Line:
    """A logical line after expansion; all offsets count in it, so it is the same wherever the line stands.

    pieces  -- what is not verbatim
    pragmas -- ranges of `text` that are active pragmas
    notes   -- ranges of `text` with what is wrong there
    cost    -- tokens that the expansion took, when these are many
    """

    text: str
    pieces: tuple[Piece, ...] = ()
    pragmas: tuple[tuple[int, int], ...] = ()
    notes: tuple[tuple[int, int, str], ...] = ()
    cost: int = 0


_make = tuple.__new__  # Segment(…) without its argument handling: this runs thousands of times for each keystroke


@dataclass(slots=True)
class _Source:
    path: str
    text: str
    included_at: Location | None
    copied: int = 0  # offset up to which the text has been put out
    start: int = 0  # where the open verbatim segment starts, in the source
    x_start: int = 0  # and in the output


class Output:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0
        self.segments: list[Segment] = []
        self._sources: list[_Source] = []
        self._source = _Source("", "", None)

    def enter(self, path: str, text: str, included_at: Location | None) -> None:
        """From here on `text` is put out; the text before goes on at `leave`."""
        self._close(self.size, 0)
        self._sources.append(self._source)
        self._source = _Source(path, text, included_at, x_start=self.size)

    def leave(self) -> None:
        """The end of the text that was entered last: put out the rest of it."""
        source = self._source
        self.copy(len(source.text))
        self._close(self.size, 0)
        self._source = self._sources.pop()
        self._source.start, self._source.x_start = self._source.copied, self.size

    def at(self, offset: int) -> int:
        """The expanded offset that `offset` of the current text has or will have."""
        return self.size + offset - self._source.copied

    def copy(self, upto: int) -> None:
        """Put out the current text up to `upto` as it is."""
        source = self._source
        if upto > source.copied:
            self.parts.append(source.text[source.copied : upto])
            self.size += upto - source.copied
            source.copied = upto

    def blank(self, start: int, end: int) -> None:
        """Put out [start, end) of the current text as blanks."""
        self.copy(start)
        self.parts.append(blank(self._source.text[start:end]))
        self.size += end - start
        self._source.copied = end

    def replace(self, start: int, end: int, line: Line, stacks: dict[tuple[str, ...], Stack]) -> int:
        """Put out `line` for [start, end) of the current text; gives the expanded offset where it stands."""
        self.copy(start)
        source, x = self._source, self.size
        segments = self.segments
        path, included_at = source.path, source.included_at
        x_start, verbatim = source.x_start, source.start
        for piece_x, piece_x_end, piece_start, piece_end, names in line.pieces:
            at = x + piece_x
            if at > x_start:
                ends = verbatim + at - x_start
                segments.append(_make(Segment, (x_start, at, "verbatim", path, verbatim, ends, (), included_at)))
            x_start = x + piece_x_end
            verbatim = start + piece_end
            if x_start > at:
                where = start + piece_start
                stack = stacks[names]
                segments.append(_make(Segment, (at, x_start, "expansion", path, where, verbatim, stack, included_at)))
        source.x_start, source.start = x_start, verbatim
        self.parts.append(line.text)
        self.size += len(line.text)
        source.copied = end
        return x

    def insert(self, text: str) -> None:
        """Put out `text`, which stands nowhere in the source."""
        source = self._source
        self._close(self.size, source.copied)
        end = self.size + len(text)
        self.segments.append(
            Segment(self.size, end, "expansion", source.path, source.copied, source.copied, (), source.included_at)
        )
        self.parts.append(text)
        self.size = source.x_start = end

    def _close(self, x: int, verbatim: int) -> None:
        source = self._source
        if x > source.x_start:
            end = source.start + x - source.x_start
            self.segments.append(
                Segment(source.x_start, x, "verbatim", source.path, source.start, end, (), source.included_at)
            )
        source.x_start, source.start = x, verbatim

    def find(self, path: str, offset: int) -> int:
        """The expanded offset of `offset` of the file `path`, or of what follows it (slow)."""
        for segment in self.segments:
            if segment.path == path and segment.end > offset:
                verbatim = segment.kind == "verbatim"
                return segment.x_start + (max(0, offset - segment.start) if verbatim else 0)
        return self.size

    def source_map(self, main: str) -> SourceMap:
        segments = tuple(self.segments) or (Segment(0, 0, "verbatim", main, 0, 0),)
        return SourceMap(main, segments, tuple([s.x_start for s in segments]))


Stack = tuple[tuple[str, "Location | None"], ...]
