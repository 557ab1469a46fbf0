"""The translation unit as every reader sees it: items, regions, the data of each region.  Immutable once built."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import (
    Declaration,
    DirectiveStmt,
    FunctionDef,
    Member,
    Name,
    Node,
    OtherStmt,
    Span,
    Symbol,
)
from ompls.analysis.model.ctype import CType, RecordBody
from ompls.analysis.model.datamodel import LP64, DataModel
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, Location, Settings, SourceMap

if TYPE_CHECKING:
    from ompls.analysis.model.items import Items
    from ompls.analysis.model.names import Names

MapType = Literal["alloc", "to", "from", "tofrom", "release", "delete"]
Sharing = Literal["mapped", "firstprivate", "private", "is_device_ptr", "has_device_addr", "declare_target", "shared"]


@dataclass(slots=True, eq=False)
class MapItem:
    """One mapping of a list item at a construct."""

    item: ListItem | None  # None: implicit
    symbol: Symbol
    map_type: MapType
    modifiers: tuple[str, ...]
    clause: Clause | None
    zero_length: bool = False  # an implicit pointer: zero-length array section (OpenMP 5.2 §5.8.6)


@dataclass(slots=True, eq=False)
class Variable:
    """How one variable that is used in a target region gets there, and why."""

    symbol: Symbol
    sharing: Sharing
    implicit: bool
    maps: tuple[MapItem, ...]  # when sharing == 'mapped'; a pointer base with mapped sections has one entry per section
    why: str  # one sentence for people
    section: str  # of the OpenMP specification, e.g. '5.8.1'
    reads: tuple[Node, ...] = ()  # uses of the variable (or of what it points to) in the region
    writes: tuple[Node, ...] = ()
    reads_pointee: bool = False
    writes_pointee: bool = False

    @property
    def copied_by_default(self) -> bool:
        """Whether it is firstprivate, and nobody has said so; `defaultmap` would have (section 5.8.7)."""
        return self.sharing == "firstprivate" and self.implicit and self.section != "5.8.7"


@dataclass(slots=True, eq=False)
class Region:
    """One target construct (any combined form)."""

    function: str
    ordinal: int  # 0-based within its function
    directive: Directive
    stmt: DirectiveStmt
    variables: tuple[Variable, ...]
    calls: tuple[Symbol, ...]  # functions called directly, in order of first call
    tainted: bool = False  # something in it was not understood
    by_symbol: dict[Symbol, Variable] | None = None  # `variables`, once somebody has asked for one

    @property
    def id(self) -> str:
        return f"{self.function}_{self.ordinal}"

    @property
    def wants_copies(self) -> bool:
        """Whether it says `default(private)` or `default(firstprivate)`: copies that are lost are meant to be."""
        clause = self.directive.clause("default")
        return clause is not None and clause.keyword in ("private", "firstprivate")

    def variable(self, symbol: Symbol) -> Variable | None:
        if self.by_symbol is None:
            self.by_symbol = {v.symbol: v for v in reversed(self.variables)}
        return self.by_symbol.get(symbol)


@dataclass(slots=True, eq=False)
class Content:
    """What an external declaration means; independent of where it stands.  Shared between versions of a text."""

    node: FunctionDef | Declaration | OtherStmt
    text: bytes  # the item's slice of the expanded text
    directives: tuple[DirectiveStmt, ...]  # every executable directive in it, in source order
    regions: tuple[Region, ...]
    calls: tuple[Symbol, ...] = ()  # direct calls in the whole body
    strangers: tuple[str, ...] = ()  # names that are called and not declared before: they may be further down
    tainted: bool = False
    undeclared: tuple[Name, ...] = ()  # names that no declaration before it declares; none where it was not understood
    unknown_members: tuple[Member, ...] = ()  # the same, of members that no structure has where they are named
    records: tuple[RecordBody, ...] = ()  # structures and unions whose members it needs, or defines
    memo: dict[str, Any] = field(default_factory=dict, repr=False)  # what readers keep with it, by reader
    # Of no other one, ever: what is kept with one names another by it, so that they do not keep each other in memory.
    serial: int = field(default_factory=itertools.count().__next__, repr=False)


@dataclass(slots=True, eq=False)
class Item:
    """An external declaration at its place in the expanded text."""

    start: int
    end: int
    content: Content


@dataclass(slots=True, eq=False)
class FileDirective:
    """A directive between external declarations (declare target, requires, threadprivate, declare reduction, …)."""

    start: int  # spans in it count from here
    end: int
    directive: Directive


@dataclass(slots=True, eq=False)
class SyntaxNote:
    """Something the front end itself noticed (an unknown include, a parse error, …): expanded range, message.

    'undecided': an `#if` that a missing header decides; no branch of it is read
    'unread': a line whose macros are too much to expand
    """

    kind: Literal["pragma", "include", "undecided", "unread", "parse", "budget", "encoding"]
    start: int
    end: int
    message: str

    @property
    def hides(self) -> bool:
        """Whether it says that a part of the text is not known: names may be declared there, and macros defined."""
        return self.kind in ("include", "undecided", "unread")


@dataclass(slots=True, eq=False)
class TU:
    path: str
    source: bytes  # the main file as given
    expanded: bytes
    map: SourceMap
    settings: Settings
    items: Items
    directives: list[FileDirective]
    symbols: Names  # the file scope's ordinary names at the end of the unit (headers' included)
    tags: dict[str, CType]
    notes: list[SyntaxNote]
    inactive: list[Location]
    complete: bool = True  # False: the budget ran out
    headers: dict[str, tuple[str, bytes]] = field(default_factory=dict)  # project headers: operand -> (path, text)
    headers_known: bool = True  # False: what an include gives is not known (missing, or not looked for yet)
    snapshot: HeaderSnapshot = EMPTY_SNAPSHOT  # all that came from outside
    kept: dict[str, Any] = field(default_factory=dict, repr=False)  # by readers, for the next versions of the text
    model: DataModel = LP64  # of the host
    _declared: bool | None = field(default=None, init=False, repr=False)  # `declarations_known`, once asked
    identity: str = ""  # tells apart units that have one path and are linked together; empty: the path does

    @property
    def declarations_known(self) -> bool:
        """Whether a name that is in no declaration here is declared nowhere: all headers are there, all macros could be
        expanded, and what stands between the functions was understood."""
        if self._declared is None:
            broken = (note.start for note in self.notes if note.kind == "parse")
            whole = self.headers_known and self.complete and not any(note.kind == "unread" for note in self.notes)
            self._declared = whole and all(map(self._in_function, broken))
        return self._declared

    def _in_function(self, at: int) -> bool:
        item = self.items.at(at)
        return item is not None and isinstance(item.content.node, FunctionDef)

    def begun_variants(self) -> list[Item]:
        """What stands between `begin declare variant` and its end."""
        steps = {"begin declare variant": 1, "end declare variant": -1}
        ends = [d for d in self.directives if d.directive.name in steps]
        if not ends:
            return []
        starts = [d.start for d in ends]
        depths = [0, *itertools.accumulate(steps[d.directive.name] for d in ends)]  # before, between and after them
        return [item for item in self.items if depths[bisect_left(starts, item.start)] > 0]

    def locate(self, item: Item | FileDirective, span: Span) -> Location:
        """Where the user sees `span` of `item`."""
        return self.map.location(item.start + span.start, item.start + span.end)

    def text(self, item: Item, span: Span) -> str:
        """The expanded text of `span`."""
        return decoded(item.content.text[span.start : span.end])
