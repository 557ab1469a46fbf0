"""What goes into an analysis (texts, header snapshot, settings) and how positions come back out (SourceMap).

All offsets are bytes.  *Original* offsets count in a file as the user sees it; *expanded* offsets count in the
translation unit's expanded text: the main file and the project's own headers after macro expansion, with comments
and directives still in it.  Lines and UTF-16 columns exist in `text.py` only.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from ompls.analysis.spec.devices import DeviceSpec


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """The bytes [start, end) of a file."""

    path: str
    start: int
    end: int


class Segment(NamedTuple):
    """Expanded bytes [x_start, x_end) and where they come from.

    verbatim  -- byte for byte the original's [start, end)
    expansion -- the result of the macro invocation at the original's [start, end); `stack` names the macros, outermost
                 first, each with where its definition stands (None: system header or command line)
    """

    x_start: int
    x_end: int
    kind: Literal["verbatim", "expansion"]
    path: str
    start: int
    end: int
    stack: tuple[tuple[str, Location | None], ...] = ()
    included_at: Location | None = None  # the main file's `#include` when `path` is a header


Stack = tuple[tuple[str, "Location | None"], ...]
# x range in the new text, byte range in the old text, the macros it came through
Piece = tuple[int, int, int, int, tuple[str, ...]]


class Run(NamedTuple):
    """Expanded bytes [x, x_end) that stand for the bytes [start, end) of a file.

    pieces -- what is not verbatim, in order; offsets count from `x` and `start`
    stacks -- what a Segment says about the macros of a piece
    """

    x: int
    x_end: int
    path: str
    start: int
    end: int
    pieces: tuple[Piece, ...]
    stacks: Mapping[tuple[str, ...], Stack]
    included_at: Location | None


class Shape(NamedTuple):
    """Where a range of the expanded text comes from: bytes [start, end) of the file `path` (None: of several files).

    parts -- equal for ranges that differ only in where they begin, here and in the file
    """

    path: str | None
    start: int
    end: int
    parts: tuple[object, ...]


class SourceMap:
    """Where the expanded text of the main file `main` comes from: segments in order, without gaps.

    They are made when they are asked for, out of runs, of which an edited file has few new ones.
    """

    __slots__ = ("_last", "_left", "_right", "_segments", "_starts", "main", "runs")

    def __init__(self, main: str, runs: tuple[Run, ...]) -> None:
        self.main = main
        self.runs = runs = tuple([run for run in runs if run.x_end > run.x])
        self._starts = [run.x for run in runs]
        # where the verbatim segments begin and end that reach over the start and the end of each run
        self._left: list[int] = []
        self._right: list[int] = []
        self._segments: tuple[Segment, ...] | None = None
        self._last: Segment | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceMap) and self.main == other.main and self.segments == other.segments

    __hash__ = None  # type: ignore[assignment]

    @property
    def segments(self) -> tuple[Segment, ...]:
        """All of them; they cost time when there are thousands."""
        if self._segments is None:
            found, x = [self.at(0)], 0
            size = self.runs[-1].x_end if self.runs else 0
            while (x := found[-1].x_end) < size:
                found.append(self.at(x))
            self._segments = tuple(found)
        return self._segments

    def at(self, x: int) -> Segment:
        """The segment that holds expanded offset `x` (the last one for the end of the text)."""
        last = self._last
        if last is not None and last.x_start <= x < last.x_end:
            return last  # who asks for one place asks for its neighbours, too
        found = self._last = self._at(x)
        return found

    def _at(self, x: int) -> Segment:
        if not self.runs:
            return Segment(0, 0, "verbatim", self.main, 0, 0)
        x = min(max(x, 0), self.runs[-1].x_end - 1)
        number = bisect.bisect_right(self._starts, x) - 1
        run = self.runs[number]
        pieces, offset = run.pieces, x - run.x
        after = bisect.bisect_right(pieces, offset, key=_first) if pieces else 0
        shift = run.start - run.x
        if after:
            a, b, start, end, names = pieces[after - 1]
            if offset < b:
                where = (run.start + start, run.start + end)
                return Segment(run.x + a, run.x + b, "expansion", run.path, *where, run.stacks[names], run.included_at)
            begin, shift = run.x + b, shift + end - b
        else:
            begin = self._edges()[0][number]
        stop = run.x + pieces[after][0] if after < len(pieces) else self._edges()[1][number]
        return Segment(begin, stop, "verbatim", run.path, begin + shift, stop + shift, (), run.included_at)

    def _edges(self) -> tuple[list[int], list[int]]:
        runs, left, right = self.runs, self._left, self._right
        if left:
            return left, right
        opened: list[int] = []  # where the verbatim segment begins that is open at the end of a run; -1: there is none
        for run, before in zip(runs, (None, *runs), strict=False):
            goes_on = before is not None and opened[-1] >= 0 and _adjacent(before, run)
            left.append(opened[-1] if goes_on else run.x)
            end = run.x + run.pieces[-1][1] if run.pieces else left[-1]
            opened.append(end if end < run.x_end else -1)
        right.extend(run.x_end for run in runs)
        for number in range(len(runs) - 2, -1, -1):
            following = runs[number + 1]
            if opened[number] >= 0 and _adjacent(runs[number], following):
                right[number] = following.x + following.pieces[0][0] if following.pieces else right[number + 1]
        return left, right

    def location(self, x_start: int, x_end: int) -> Location:
        """Where the user sees expanded bytes [x_start, x_end): an expansion is shown at its invocation."""
        first = self.at(x_start)
        behind = x_end - 1 if x_end > x_start else x_start
        last = first if behind < first.x_end else self.at(behind)
        start = first.start + min(x_start, first.x_end) - first.x_start if first.kind == "verbatim" else first.start
        if last.path != first.path:
            return Location(first.path, start, first.end)
        end = last.start + min(x_end, last.x_end) - last.x_start if last.kind == "verbatim" else last.end
        return Location(first.path, start, end if end > start else start)

    def expanded(self, path: str, offset: int) -> int:
        """The expanded offset of byte `offset` of a file; of the nearest byte before it that has one (0: none has)."""
        for run in reversed([run for run in self.runs if run.path == path and run.start <= offset]):
            at = offset - run.start
            best, x, start = -1, 0, 0
            for a, b, piece_start, piece_end, _ in (*run.pieces, _beyond(run)):
                if start > at:
                    break
                if a > x:
                    best = x + min(at, piece_start) - start
                x, start = b, piece_end
            if best >= 0:
                return run.x + best
        return 0

    def shape(self, x: int, x_end: int) -> Shape:
        """What decides where places in expanded bytes [x, x_end) are shown."""
        first = bisect.bisect_right(self._starts, x) - 1 if self.runs else 0
        runs = self.runs[first : bisect.bisect_left(self._starts, x_end, first)]
        if not runs:
            return Shape(None, 0, 0, ())
        start, path = runs[0].start, runs[0].path
        parts = tuple([(run.x - x, run.start - start, run.end - start, run.pieces, run.included_at) for run in runs])
        return Shape(path if len({run.path for run in runs}) == 1 else None, start, runs[-1].end, parts)

    def macros(self, x: int) -> list[tuple[str, Location]]:
        """The macros that expanded offset `x` came through, outermost first, as far as their definitions are in a text
        that the user has."""
        return [(name, where) for name, where in self.at(x).stack if where is not None]


def _first(piece: Piece) -> int:
    return piece[0]


def _beyond(run: Run) -> Piece:
    """As if an expansion followed the run."""
    return (run.x_end - run.x, run.x_end - run.x, run.end - run.start, run.end - run.start, ())


def _adjacent(run: Run, following: Run) -> bool:
    return (run.end, run.path, run.included_at) == (following.start, following.path, following.included_at)


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro definition.  `params` is None for an object-like macro; a last one '...' or 'name...' is variadic."""

    name: str
    params: tuple[str, ...] | None
    body: str
    where: Location | None = None


@dataclass(frozen=True, slots=True)
class HeaderUnit:
    """What one system `#include` directive contributes: `ops` in order (a Macro defines, a str undefines), and the
    preprocessed declarations (line markers removed; pragmas kept)."""

    ops: tuple[Macro | str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class HeaderSnapshot:
    """Everything that comes to a text from outside.  Immutable; `key` changes when anything in it does.

    predefined -- the compiler's macros for the flags in use (with -D/-U applied)
    system     -- by spelling of the directive's operand ('<stdio.h>', '"third_party.h"').  What a header gives when it
                  is included again (<assert.h>) has an entry of its own (preprocess.again_key); most give nothing
    texts      -- project headers: operand spelling as resolved -> (path, bytes); an open buffer wins over the disk.
                  An operand that means another file in some directory has an entry of its own (preprocess.include_key)
    missing    -- operands that could not be found, with the reason
    first      -- operands that are included before the first line (`-include`)
    """

    key: str
    predefined: tuple[Macro, ...] = ()
    system: dict[str, HeaderUnit] = field(default_factory=dict)
    texts: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    first: tuple[str, ...] = ()


EMPTY_SNAPSHOT = HeaderSnapshot("empty")

OpenMPVersion = Literal["4.0", "4.5", "5.0", "5.1", "5.2", "6.0"]
OPENMP_DATES: Mapping[OpenMPVersion, int] = {  # what `_OPENMP` is in each
    "4.0": 201307, "4.5": 201511, "5.0": 201811, "5.1": 202011, "5.2": 202111, "6.0": 202411,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """What changes the meaning of a text: part of every memo key.  Names are those of rules or of groups.

    severity -- (name, 'error' 'warning' 'hint' or 'off'); a rule's own entry comes after its group's
    devices -- which the rules about devices speak of
    device_chosen -- somebody said which device the program is for; otherwise what it cannot run is a hint
    """

    openmp: OpenMPVersion = "5.2"
    devices: tuple[DeviceSpec, ...] = ()
    select: tuple[str, ...] = ()  # empty: all
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    device_chosen: bool = False


class Budget(Protocol):
    """Analysis polls this between items; `expired()` True makes it stop early with what it has."""

    def expired(self) -> bool: ...
