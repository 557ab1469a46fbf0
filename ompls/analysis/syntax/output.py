"""Builds the expanded text and its SourceMap, piece by piece, in order.

What was passed before comes as whole stretches; the rest is put together line by line.  Text that keeps its place (also
when it was blanked) is verbatim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ompls.analysis.source import Location, Piece, Run, SourceMap, Stack
from ompls.analysis.syntax.lexer import blank
from ompls.analysis.syntax.stretch import Range, Stretch, Stretches

Note = tuple[str, int, int, str]  # kind, range, message
Stacks = Mapping[tuple[str, ...], Stack]
_INSERTED: Stacks = {(): ()}
_NO_STACKS: Stacks = {}


@dataclass(slots=True, frozen=True)
class Line:
    """A logical line after expansion; all offsets count in it, so it is the same wherever the line stands.

    pieces  -- what is not verbatim
    pragmas -- ranges of `text` that are active pragmas
    notes   -- ranges of `text` with what is wrong there
    cost    -- tokens that the expansion took, when these are many
    unread  -- it would be more tokens than are read: it stays as it is
    """

    text: str
    pieces: tuple[Piece, ...] = ()
    pragmas: tuple[Range, ...] = ()
    notes: tuple[tuple[int, int, str], ...] = ()
    cost: int = 0
    unread: bool = False


@dataclass(slots=True, frozen=True)
class Passed:
    """Whole lines after expansion, wherever they stand: `lines` of them; other offsets count in the stretch."""

    stretch: Stretch
    lines: int
    pieces: tuple[Piece, ...]
    notes: tuple[Note, ...]
    names: frozenset[tuple[str, ...]]  # of the macros in the pieces


def notes_of(line: Line) -> tuple[Note, ...]:
    kind = "unread" if line.unread else "pragma" if line.pragmas else "parse"
    if line.pragmas and "omp" not in line.text:
        return ()  # a pragma of others has a grammar of its own
    return tuple([(kind, *note) for note in line.notes])


def assemble(text: str, changed: list[tuple[int, int, Line]], lines: int, known: Stretches) -> Passed:
    """The block `text` of so many lines, of which the ranges in `changed` become something else."""
    parts: list[str] = []
    pieces: list[Piece] = []
    pragmas: list[Range] = []
    notes: list[Note] = []
    at = size = 0
    for start, end, line in changed:
        parts += (text[at:start], line.text)
        x = size + start - at
        pieces += [(x + a, x + b, start + c, start + d, names) for a, b, c, d, names in line.pieces]
        pragmas += [(x + a, x + b) for a, b in line.pragmas]
        notes += [(kind, x + a, x + b, message) for kind, a, b, message in notes_of(line)]
        at, size = end, x + len(line.text)
    parts.append(text[at:])
    stretch = known.get("".join(parts).encode("latin-1"), tuple(pragmas))
    return Passed(stretch, lines, tuple(pieces), tuple(notes), frozenset(piece[4] for piece in pieces))


@dataclass(slots=True)
class _Source:
    path: str
    text: str
    included_at: Location | None
    copied: int = 0  # offset up to which the text has been put out
    start: int = 0  # where the open run starts, in the source
    x: int = 0  # and in the output
    pieces: list[Piece] = field(default_factory=list)
    stacks: dict[tuple[str, ...], Stack] = field(default_factory=dict)


class Output:
    """stretches -- the text so far, with the offset of each; after `finish`, all of it"""

    def __init__(self, known: Stretches) -> None:
        self.size = 0
        self.stretches: list[tuple[int, Stretch]] = []
        self._known = known
        self._runs: list[Run] = []
        self._sources: list[_Source] = []
        self._source = _Source("", "", None)
        self._parts: list[str] = []  # since the last stretch
        self._pragmas: list[Range] = []  # in them
        self._begin = 0  # of them

    def enter(self, path: str, text: str, included_at: Location | None) -> None:
        """From here on `text` is put out; the text before goes on at `leave`."""
        self._close()
        self._sources.append(self._source)
        self._source = _Source(path, text, included_at, x=self.size)

    def leave(self) -> None:
        """The end of the text that was entered last: put out the rest of it."""
        self.copy(len(self._source.text))
        self._close()
        self._source = source = self._sources.pop()
        source.start, source.x = source.copied, self.size

    def at(self, offset: int) -> int:
        """The expanded offset that `offset` of the current text has or will have."""
        return self.size + offset - self._source.copied

    def copy(self, upto: int) -> None:
        """Put out the current text up to `upto` as it is."""
        source = self._source
        if upto > source.copied:
            self._parts.append(source.text[source.copied : upto])
            self.size += upto - source.copied
            source.copied = upto

    def blank(self, start: int, end: int) -> None:
        """Put out [start, end) of the current text as blanks."""
        self.copy(start)
        self._parts.append(blank(self._source.text[start:end]))
        self.size += end - start
        self._source.copied = end

    def replace(self, start: int, end: int, line: Line, stacks: Stacks) -> int:
        """Put out `line` for [start, end) of the current text; gives the expanded offset where it stands."""
        self.copy(start)
        source, x = self._source, self.size
        if any(source.stacks.get(piece[4], stacks[piece[4]]) != stacks[piece[4]] for piece in line.pieces):
            self._close()  # a macro was defined anew
        by_x, by_start = x - source.x, start - source.start
        for a, b, piece_start, piece_end, names in line.pieces:
            source.pieces.append((by_x + a, by_x + b, by_start + piece_start, by_start + piece_end, names))
            source.stacks[names] = stacks[names]
        for a, b in line.pragmas:
            self._pragmas.append((x - self._begin + a, x - self._begin + b))
        self._parts.append(line.text)
        self.size += len(line.text)
        source.copied = end
        return x

    def take(self, start: int, end: int, passed: Passed, stacks: Stacks) -> int:
        """Put out `passed` for [start, end) of the current text; gives the expanded offset where it stands."""
        source, stretch = self._source, passed.stretch
        if self._parts or source.copied < start or self.size > source.x:  # else it follows one that was taken, too
            self.copy(start)
            self._close()
            self.finish()
        x = self.size
        self.size = x + len(stretch.text)
        self.stretches.append((x, stretch))
        its = {names: stacks[names] for names in passed.names} if passed.names else _NO_STACKS
        self._runs.append(Run(x, self.size, source.path, start, end, passed.pieces, its, source.included_at))
        source.copied = source.start = end
        source.x = self._begin = self.size
        return x

    def insert(self, text: str) -> None:
        """Put out `text`, which stands nowhere in the source."""
        self._close()
        source, x = self._source, self.size
        self.size = source.x = x + len(text)
        at, pieces = source.copied, ((0, len(text), 0, 0, ()),)
        self._runs.append(Run(x, self.size, source.path, at, at, pieces, _INSERTED, source.included_at))
        self._parts.append(text)

    def flush(self) -> None:
        """Make what was put out since the last stretch one, if it is whole lines."""
        if self._parts and self._parts[-1].endswith("\n"):
            self.finish()

    def finish(self) -> None:
        """Make what was put out since the last stretch one."""
        if not self._parts:
            return
        stretch = self._known.get("".join(self._parts).encode("latin-1"), tuple(self._pragmas))
        if stretch.text:
            self.stretches.append((self._begin, stretch))
        self._parts, self._pragmas, self._begin = [], [], self.size

    def _close(self) -> None:
        """End the open run."""
        source = self._source
        if self.size > source.x:
            pieces, source.pieces = tuple(source.pieces), []
            stacks, source.stacks = source.stacks, {}
            where = (source.path, source.start, source.copied)
            self._runs.append(Run(source.x, self.size, *where, pieces, stacks, source.included_at))
        source.x, source.start = self.size, source.copied
        source.pieces = []

    def find(self, path: str, offset: int) -> int:
        """The expanded offset of `offset` of the file `path`, or of what follows it (slow)."""
        for segment in self.source_map(path).segments:
            if segment.path == path and segment.end > offset:
                verbatim = segment.kind == "verbatim"
                return segment.x_start + (max(0, offset - segment.start) if verbatim else 0)
        return self.size

    def source_map(self, main: str) -> SourceMap:
        return SourceMap(main, tuple(self._runs))
