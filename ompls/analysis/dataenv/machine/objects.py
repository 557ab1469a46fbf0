"""The objects and cells of the machine: variables, what they hold, and how their copies change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ompls.analysis.dataenv.faults import Event
from ompls.analysis.dataenv.machine import copies as cp
from ompls.analysis.dataenv.machine.cases import ALL_CLEAN, MOST_CASES, UNFILLED, Cases, by_one_way, joined_cases
from ompls.analysis.dataenv.machine.copies import Copies
from ompls.analysis.dataenv.machine.events import Outcome, Recorder
from ompls.analysis.dataenv.machine.initial import given
from ompls.analysis.dataenv.machine.state import State, joined_value
from ompls.analysis.dataenv.machine.values import (
    NULL,
    Cell,
    Loc,
    Obj,
    Pointers,
    Range,
    Site,
    Target,
    Value,
    cell_of,
    converted,
    number,
)
from ompls.analysis.dataenv.paths import may_exceed_its_type
from ompls.analysis.dataenv.symbolic import ZERO, Atom, LoopRange, Opaque, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Symbol
from ompls.analysis.model.ctype import Array, Pointer, Record, innermost
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.tu import Content, Region

# Something is mapped through a pointer that is not known, or written on a device; other code is called.
Beyond = Literal["maps", "fills", "calls"]
STEPS = 60_000  # expressions that one walk from a root evaluates at most
LOOKS = 64  # at cells, of which there may be thousands, take as long as an expression


class GivenUp(Exception):
    """The walk takes too long."""


class Around(NamedTuple):
    """A `target data` construct around the place where the machine is: on which device it maps what."""

    site: Site
    device: Poly
    objs: frozenset[Obj]


@dataclass(slots=True)
class Frame:
    """A call that is being walked.

    chain -- the calls that lead here, as text places; tells the objects of one call from those of another
    own -- private copies and device pointers that stand for variables here
    around -- the data constructs of the function, outermost first
    """

    content: Content
    name: str
    chain: tuple[object, ...]
    own: dict[Symbol, Obj] = field(default_factory=dict)
    around: list[Around] = field(default_factory=list)
    locals: list[Obj] = field(default_factory=list)
    placed: dict[Symbol, Loc] = field(default_factory=dict)  # where the variable of a mapper lies
    results: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """A loop around the place where the machine is.  `plain`: no region runs in it, nor anything that is called."""

    range: LoopRange
    conditions: int
    plain: bool
    varied: int = 0  # of the conditions
    changed: set[Symbol] | None = None  # variables that its statement gives other values, once that was asked for


@dataclass(slots=True)
class Where:
    """The device region that is being walked, and what is private to it.

    chosen -- its directive says how variables come in by default: whoever writes that knows what does not come back
    quiet -- while what is evaluated may as well be evaluated on the host
    conditions -- how many conditions are around it
    partial -- reads of more than what an object's device copy has been given, and where they begin
    written -- where its writes to an object begin
    """

    device: Poly
    loops: int  # how many loops are around it
    frames: int  # calls that lead to it
    local: set[Obj] = field(default_factory=set)
    chosen: bool = False
    quiet: int = 0
    conditions: int = 0
    partial: list[tuple[Event, Obj, Range, Poly | None]] = field(default_factory=list)
    written: dict[Obj, set[Poly | None]] = field(default_factory=dict)
    construct: Region | None = None  # itself


class Store(ABC):
    """The machine's view of memory.  `now` is the state; None where no path comes."""

    def __init__(self, recorder: Recorder, whole: bool) -> None:
        self.recorder = recorder
        self.whole = whole  # the walk starts at `main`: what nothing in the unit does, nobody has done
        self.now: State | None = State(self.start_of)
        self.frames: list[Frame] = []
        self.loops: list[Loop] = []
        self.conditions = 0
        self.varied = 0  # of them on what changes from one iteration of the loop around to the next
        self.tasks = 0  # explicit tasks around
        self.bare = False  # `main` is walked as without arguments
        self.settled = 0  # of branches that are known to be taken
        self.doubts = 0  # of directives that perhaps do nothing, or run on the host
        self.region: Where | None = None
        self.steps = 0
        self.chosen = False  # whether a case may be so by a `Choice`
        self.beyond: set[Beyond] = set()  # what may have been done to objects that nothing known leads to
        self.sizes: set[Atom] = set()  # that are at least 1
        self.deferred: list[tuple[Event, Outcome]] | None = None  # while a comparison is evaluated
        self._variables: dict[Symbol, Obj] = {}

    # --- what it costs

    @property
    @abstractmethod
    def model(self) -> DataModel:
        """The sizes of types on the host."""

    @abstractmethod
    def out_of_time(self) -> bool:
        """Whether there is no time left for the walk."""

    def spend(self, work: int) -> None:
        """Note that `work` things were looked at besides expressions.  Raises GivenUp when that takes too long."""
        before, self.steps = self.steps, self.steps + work // LOOKS
        if self.steps > STEPS or (before >> 8 != self.steps >> 8 and self.out_of_time()):
            raise GivenUp

    def scanned(self) -> dict[Cell, Value]:
        """The cells, for somebody who looks at all of them."""
        assert self.now is not None
        self.spend(len(self.now.cells))
        return self.now.cells

    # --- objects

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def positive(self, atom: Atom) -> bool:
        return atom in self.sizes

    def is_size(self, p: Poly | None) -> None:
        """A length: nothing happens unless it is at least 1."""
        if p is not None and len(p.terms) == 1:
            self.sizes.update(p.atoms())
            for atom in p.atoms():
                if isinstance(atom, Opaque) and atom.op == "/":
                    self.is_size(atom.args[0])

    def site(self, node: Node) -> Site:
        return Site(self.frame.name, node.span)

    def variable(self, symbol: Symbol) -> Obj:
        """The object of a variable where the machine is."""
        own = self.frame.own.get(symbol)
        if own is not None:
            return own
        obj = self._variables.get(symbol)
        if obj is None:
            at = symbol.span.start if symbol.span is not None else 0
            key = ("", symbol.name) if symbol.level == "file" else (self.frame.name, symbol.name, at)
            size = sizeof(symbol.type, self.model) if not may_exceed_its_type(symbol) else None
            obj = Obj("variable", key, symbol.name, size=None if size is None else number(size), symbol=symbol)
            self._variables[symbol] = obj
        return obj

    def cases_of(self, obj: Obj) -> Cases | None:
        """What may be known of an object's copies; None: nothing is."""
        assert self.now is not None
        if obj in self.now.cases:
            return self.now.cases[obj]
        cases = self.start_of(obj)
        if _is_static(obj):
            self.now.cases[obj] = cases
        return cases

    def start_of(self, obj: Obj) -> Cases | None:
        """The cases of an object as long as nothing has happened to it."""
        return self.at_start(obj.symbol) if _is_static(obj) and obj.symbol is not None else ALL_CLEAN

    @abstractmethod
    def at_start(self, symbol: Symbol) -> Cases | None:
        """The cases of a static variable at the start."""

    # --- cells

    def load(self, loc: Loc) -> Value:
        """The scalar at `loc`; of pointers at places that vary in loops, over which pieces they go."""
        value = self.loaded(loc)
        if isinstance(value, frozenset) and loc.low is not None and loc.low.constant is None:
            every = self.all_over(loc)
            if every and self.region is None:
                self.recorder.walks(every, [t.obj for t in value])
            value = frozenset([t._replace(every=every) for t in value])
        return value

    def loaded(self, loc: Loc) -> Value:
        assert self.now is not None
        cell = cell_of(loc.obj, loc.low)
        value: Value
        if self.region is not None and loc.obj not in self.region.local:
            there = (Obj("copy", loc.obj), cell[1])
            if there in self.now.cells:
                return self.now.cells[there]
        if cell in self.now.cells:
            value = self.now.cells[cell]
        elif loc.obj in self.now.many or isinstance(cell[1], tuple):
            value = None if not isinstance(loc.type, Pointer) else self.initial(loc, cell)
        elif isinstance(loc.type, Pointer) and (found := self.among(loc.obj)) is not None:
            value = found
        else:
            value = self.initial(loc, cell)
            self.now.cells[cell] = value
        if self.region is not None and isinstance(value, frozenset) and loc.obj in self.now.many:
            value = self.another(value)
        if isinstance(cell[1], tuple):
            for other, held in self.scanned().items():
                anywhere = isinstance(other[1], int) or cell[1] == ("~", None)
                if anywhere and other[0] == loc.obj and isinstance(held, frozenset):
                    value = joined_value(value, held) if isinstance(value, frozenset) else held
        return value

    def among(self, obj: Obj) -> Pointers | None:
        """What an element of a new object holds, when all that was stored in it was stored in a loop over them."""
        assert self.now is not None
        if not self.is_new(obj):
            return None
        held = [v for c, v in self.scanned().items() if c[0] == obj and isinstance(v, frozenset)]
        known = [v for c, v in self.scanned().items() if c[0] == obj and isinstance(c[1], tuple)]
        return held[0] if len(held) == 1 and known == held else None

    @abstractmethod
    def all_over(self, loc: Loc) -> frozenset[Symbol]:
        """The variables of the loops around that take `loc` over all pointers that its object holds; none if not."""

    def in_part(self, loc: Loc | Target) -> bool:
        """Whether it is one of several pieces, and the loops around do not come to all of them."""
        assert self.now is not None
        return loc.obj in self.now.many and not (loc.every and loc.every <= {loop.range.symbol for loop in self.loops})

    def another(self, value: Pointers) -> Pointers:
        """What links in an object lead to on a device where the object stands for several: to others of them.

        Of a list of which one node was mapped, and never one in a loop, the next nodes are not on the device.
        """
        assert self.now is not None
        found = []
        for obj, at, _ in value:
            cases = self.now.cases.get(obj)
            if obj in self.now.many and cases is not None and obj not in self.now.each:
                other = Obj("heap", ("another", obj.key), obj.name, size=obj.size)
                self.now.cases[other] = frozenset([c._replace(copies=(), lost=()) for c in cases])
                found.append(Target(other, at))
            else:
                found.append(Target(obj, at))
        return frozenset(found)

    def initial(self, loc: Loc, cell: Cell) -> Value:
        """What a cell held at the start."""
        obj, t = loc.obj, loc.type
        symbol = obj.symbol
        if obj.kind == "variable" and symbol is not None:
            if symbol.level == "file" or symbol.storage == "static":
                if self.whole and obj not in self.recorder.handed:
                    return None if self.stored_somewhere(obj) else self.initialised(symbol, loc)
            elif symbol.kind == "param":
                pass
            else:
                return None
        elif obj.kind in ("heap", "null", "device", "lent"):
            return None
        if isinstance(t, Pointer):
            return self.outside(cell, obj.name)
        if is_integer(t):
            scalar = symbol is not None and obj.kind == "variable" and not isinstance(symbol.type, (Array, Record))
            return Poly.of(symbol if scalar and symbol is not None else Opaque(f"{obj.key}+{cell[1]}", None, ()))
        return None

    def stored_somewhere(self, obj: Obj) -> bool:
        """Whether something was stored in it at places that are not known: any element may have got it."""
        assert self.now is not None
        return any(c[0] == obj and isinstance(c[1], tuple) for c in self.scanned())

    def initialised(self, symbol: Symbol, loc: Loc) -> Value:
        """The value a static variable starts with; not of a pointer that each device has, with all that it names."""
        on_devices = any(copy.forever for case in self.cases_of(loc.obj) or () for copy in case.copies)
        if on_devices and symbol.init is not None and isinstance(loc.type, Pointer):
            return None
        if symbol.init is None:
            if symbol.storage == "extern":
                return self.outside((loc.obj, 0), symbol.name) if isinstance(loc.type, Pointer) else None
            return frozenset((Target(NULL, ZERO),)) if isinstance(loc.type, Pointer) else Poly.of(0)
        init: ast.Expr | None = symbol.init
        if isinstance(init, ast.InitList):
            at = loc.low.constant if loc.low is not None else None
            element = given(init, symbol.type, self.model).get(at) if at is not None else None
            init = element.expr if element is not None and isinstance(element.type, type(loc.type)) else None
        if init is None or isinstance(init, ast.StringLiteral):
            return None
        value = self.constant(init)
        if isinstance(loc.type, Pointer) and isinstance(value, Poly):
            return frozenset((Target(NULL, ZERO),)) if value.constant == 0 else None
        return converted(value, loc.type)

    @abstractmethod
    def constant(self, expr: ast.Expr) -> Value:
        """An initialiser at file scope."""

    def settle(self) -> None:
        """After data have moved: scalars that the device has written are known where the host has got them."""
        assert self.now is not None
        for cell in [c for c in self.scanned() if c[0].kind == "copy"]:
            obj = cell[0].key
            assert isinstance(obj, Obj)
            cases = self.cases_of(obj)
            present = cases is None or any(c.copies for c in cases)
            apart = [bool(c.lost) or any(k.ahead or k.old for k in c.copies) for c in cases or ()]
            if cases is not None and not any(apart):
                self.now.cells[obj, cell[1]] = self.now.cells[cell]
            elif not apart or not all(apart):
                self.now.cells[obj, cell[1]] = None
            if not present:
                del self.now.cells[cell]

    def outside(self, cell: Cell, name: str) -> Value:
        """What an unknown pointer in `cell` points to."""
        assert self.now is not None
        obj = Obj("outside", cell, name)
        if obj not in self.now.cases:
            unknown = Copies(copies=(cp.outside_copy(self.now.device or ZERO, Site("", ast.Span(0, 0))),))
            self.now.cases[obj] = ALL_CLEAN if self.whole and _of_parameters(obj) else frozenset((unknown,))
        return frozenset((Target(obj, ZERO),))

    def aliases(self, loc: Loc) -> Iterator[Loc]:
        """What an unknown pointer to `loc` may lead to as well: variables at file scope that are on a device, and what
        another one points to that nothing in sight has mapped."""
        assert self.now is not None
        if loc.obj.kind != "outside" or (self.whole and _of_parameters(loc.obj)):
            return
        pointed = innermost(loc.type)
        for obj, cases in list(self.now.cases.items()):
            copies = [copy for case in cases or () for copy in case.copies]
            if not copies or obj == loc.obj:
                continue
            if obj.symbol is not None and obj.symbol.level == "file":
                of = innermost(obj.symbol.type)
                if type(of) is type(pointed) and sizeof(of, self.model) == sizeof(pointed, self.model):
                    yield Loc(obj, ZERO, obj.size, of)
            elif obj.kind == "outside" and not any(copy.refs for copy in copies):
                yield Loc(obj, None, None, pointed)

    def store(self, locs: list[Loc], value: Value) -> None:
        """A scalar is assigned; weakly when it may be one of several."""
        assert self.now is not None
        for loc in locs:
            cell = cell_of(loc.obj, loc.low)
            if self.region is not None and loc.obj not in self.region.local:
                copy = Obj("copy", loc.obj)
                if isinstance(cell[1], tuple):  # any element of the copy may be no more what the host's is
                    for other, held in list(self.scanned().items()):
                        if other[0] == loc.obj and isinstance(other[1], int):
                            self.now.cells.setdefault((copy, other[1]), held)
                    self.overlaid(copy, value)
                self.now.cells[copy, cell[1]] = value if len(locs) == 1 else None
                continue
            sure = len(locs) == 1 and isinstance(cell[1], int) and loc.obj not in self.now.many
            if sure:
                self.now.cells[cell] = value
            elif isinstance(value, frozenset) and cell in self.now.cells:
                self.now.cells[cell] = joined_value(self.now.cells[cell], value)
            elif isinstance(value, frozenset) and self.is_new(loc.obj):
                self.now.cells[cell] = value
            else:
                self.now.cells[cell] = None
            if isinstance(cell[1], tuple):
                self.overlaid(loc.obj, value)

    def overlaid(self, obj: Obj, value: Value) -> None:
        """`value` was stored somewhere in `obj`: a number or a null that an element held may be no more."""
        assert self.now is not None
        for other, held in list(self.scanned().items()):
            if other[0] == obj and isinstance(other[1], int):
                if isinstance(held, Poly):
                    self.now.cells[other] = None
                elif isinstance(held, frozenset) and all(t.obj is NULL for t in held):
                    self.now.cells[other] = value if isinstance(value, frozenset) else None

    def unknown(self, node: Node) -> Poly:
        """An integer that is not known, but is the same wherever it is used: what `node` gives."""
        return Poly.of(Opaque(f"{self.frame.name}@{node.span.start}", None, ()))

    def is_new(self, obj: Obj) -> bool:
        """Whether nobody has stored pointers in it before the walk began."""
        symbol = obj.symbol
        return obj.kind == "heap" or (
            obj.kind == "variable" and symbol is not None and (self.whole or symbol.level == "block")
        )

    # --- changes

    def change(self, place: Obj | Loc, how: Callable[[Copies], Copies], weak: bool = False) -> None:
        """Every case of an object becomes what `how` makes of it; `weak`: or stays."""
        assert self.now is not None
        obj = place if isinstance(place, Obj) else place.obj
        cases = self.cases_of(obj)
        if cases is None:
            return
        self.spend(LOOKS * (2 + sum([len(c.copies) for c in cases]) // 2))
        new: Cases | None = by_one_way(frozenset([how(c) for c in cases]))
        if weak or (obj in self.now.many if isinstance(place, Obj) else self.in_part(place)):
            new = joined_cases(cases, new)
        if new == cases:
            new = cases  # the same object: where paths meet, only others are looked at
        self.now.cases[obj] = new if new is None or len(new) <= MOST_CASES else None

    def forget(self, objs: Iterable[Obj]) -> None:
        """Nothing is known of these any more."""
        assert self.now is not None
        for obj in objs:
            self.now.cases[obj] = None

    def fresh(self, obj: Obj, filled: bool) -> None:
        """The object begins to exist."""
        assert self.now is not None
        self.now.cases[obj] = ALL_CLEAN if filled else UNFILLED
        self._empty({obj})

    def gone(self, objs: Collection[Obj]) -> None:
        """These objects end, so that what the walk remembers does not grow with all constructs that it comes by."""
        if self.now is None or not objs:
            return
        for obj in objs:
            self.now.cases.pop(obj, None)
        self._empty(objs)

    def _empty(self, objs: Collection[Obj]) -> None:
        assert self.now is not None
        hashes = {obj.hash for obj in objs}  # few cells get past this, which calls nothing
        for cell in [c for c in self.scanned() if c[0].hash in hashes and c[0] in objs]:
            del self.now.cells[cell]


def _of_parameters(obj: Obj) -> bool:
    """Whether it is reached through the parameters of `main`: they are new when the program begins."""
    while obj.kind == "outside" and isinstance(obj.key, tuple):
        obj = obj.key[0]
    return obj.symbol is not None and obj.symbol.kind == "param" and isinstance(obj.key, tuple) and obj.key[0] == "main"


def _is_static(obj: Obj) -> bool:
    """Whether it is a variable that lives as long as the program."""
    symbol = obj.symbol
    return obj.kind == "variable" and symbol is not None and (symbol.level == "file" or symbol.storage == "static")
