"""What goes into an analysis (texts, header snapshot, settings) and how positions come back out (SourceMap).

All offsets are bytes.  *Original* offsets count in a file as the user sees it; *expanded* offsets count in the
translation unit's expanded text: the main file and the project's own headers after macro expansion, with comments
and directives still in it.  Lines and UTF-16 columns exist in `text.py` only.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol


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
    # a NamedTuple because thousands are made for each keystroke, and a frozen dataclass takes four times as long


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Segments in order, without gaps over the expanded text."""

    main: str
    segments: tuple[Segment, ...]
    starts: tuple[int, ...] = field(repr=False)

    def at(self, x: int) -> Segment:
        """The segment that holds expanded offset `x` (the last one for the end of the text)."""
        return self.segments[max(0, bisect.bisect_right(self.starts, x) - 1)]

    def location(self, x_start: int, x_end: int) -> Location:
        """Where the user sees expanded bytes [x_start, x_end): an expansion is shown at its invocation."""
        first, last = self.at(x_start), self.at(max(x_start, x_end - 1))
        start = first.start + (x_start - first.x_start) if first.kind == "verbatim" else first.start
        if last.path != first.path:
            return Location(first.path, start, first.end)
        end = last.start + (x_end - last.x_start) if last.kind == "verbatim" else last.end
        return Location(first.path, start, max(start, end))

    def macros(self, x: int) -> list[tuple[str, Location]]:
        """The macros that expanded offset `x` came through, outermost first, as far as their definitions are in a text
        that the user has."""
        return [(name, where) for name, where in self.at(x).stack if where is not None]


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


@dataclass(frozen=True, slots=True)
class Settings:
    """What changes the meaning of a text: part of every memo key.  Names are those of rules or of groups.

    severity -- (name, 'error' 'warning' 'hint' or 'off'); a rule's own entry comes after its group's
    """

    openmp: OpenMPVersion = "5.2"
    device: str = "cuda"  # device class that the device-limit rules speak about
    select: tuple[str, ...] = ()  # empty: all
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()


class Budget(Protocol):
    """Analysis polls this between items; `expired()` True makes it stop early with what it has."""

    def expired(self) -> bool: ...
