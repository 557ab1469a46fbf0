"""Accesses of memory: cells that hold values, and what reads and writes do to an object's host and device copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ompls.analysis.dataenv.machine import copies as cp
from ompls.analysis.dataenv.machine.copies import Copies, Copy, Written
from ompls.analysis.dataenv.machine.events import Event, Outcome, Recorder
from ompls.analysis.dataenv.machine.state import ALL_CLEAN, UNFILLED, Cases, State, joined_cases, joined_value
from ompls.analysis.dataenv.machine.values import (
    ANYWHERE,
    NULL,
    Cell,
    Loc,
    Obj,
    Range,
    Site,
    Target,
    Value,
    cell_of,
    number,
    spread,
)
from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.symbolic import ZERO, Atom, LoopRange, Opaque, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Symbol
from ompls.analysis.model.ctype import Array, CType, Pointer, Record
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.tu import Content

_OLD = frozenset(("lost", "host-stale", "device-stale"))  # what an old value is the matter of
STEPS = 60_000  # expressions that one walk from a root evaluates at most


class GivenUp(Exception):
    """The walk takes too long."""


@dataclass(slots=True)
class Frame:
    """A call that is being walked.

    chain -- the calls that lead here, as text places; tells the objects of one call from those of another
    own -- private copies and device pointers that stand for variables here
    """

    content: Content
    name: str
    chain: tuple[object, ...]
    own: dict[Symbol, Obj] = field(default_factory=dict)
    locals: list[Obj] = field(default_factory=list)
    results: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """A loop around the place where the machine is.  `plain`: no region runs in it, nor anything that is called."""

    range: LoopRange
    conditions: int
    plain: bool


@dataclass(slots=True)
class Where:
    """The device region that is being walked, and what is private to it.

    chosen -- its directive says how variables come in by default: whoever writes that knows what does not come back
    quiet -- while what is evaluated may as well be evaluated on the host
    """

    device: Poly
    loops: int  # how many loops are around it
    local: set[Obj] = field(default_factory=set)
    chosen: bool = False
    quiet: int = 0


class Memory:
    """The machine's view of memory.  `now` is the state; None where no path comes."""

    def __init__(self, recorder: Recorder, whole: bool) -> None:
        self.recorder = recorder
        self.whole = whole  # the walk starts at `main`: what nothing in the unit does, nobody has done
        self.now: State | None = State()
        self.frames: list[Frame] = []
        self.loops: list[Loop] = []
        self.conditions = 0
        self.doubts = 0  # of directives that perhaps do nothing, or run on the host
        self.region: Where | None = None
        self.steps = 0
        self.beyond = False  # whether what was not reachable has changed
        self.sizes: set[Atom] = set()  # that are at least 1
        self.deferred: list[tuple[Event, Outcome]] | None = None  # while a comparison is evaluated
        self._variables: dict[Symbol, Obj] = {}

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
            size = sizeof(symbol.type)
            obj = Obj("variable", key, symbol.name, size=None if size is None else number(size), symbol=symbol)
            self._variables[symbol] = obj
        return obj

    def cases_of(self, obj: Obj) -> Cases | None:
        """What may be known of an object's copies; None: nothing is."""
        assert self.now is not None
        if obj in self.now.cases:
            return self.now.cases[obj]
        symbol = obj.symbol
        cases: Cases | None = ALL_CLEAN
        if obj.kind == "variable" and symbol is not None and (symbol.level == "file" or symbol.storage == "static"):
            cases = self.at_start(symbol)
            self.now.cases[obj] = cases
        return cases

    def at_start(self, symbol: Symbol) -> Cases | None:
        """The cases of a static variable at the start."""
        raise NotImplementedError

    # --- cells

    def load(self, loc: Loc) -> Value:
        """The scalar at `loc`."""
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
        else:
            value = self.initial(loc, cell)
            self.now.cells[cell] = value
        if isinstance(cell[1], tuple):
            for other, held in self.now.cells.items():
                anywhere = isinstance(other[1], int) or cell[1] == ("~", None)
                if anywhere and other[0] == loc.obj and isinstance(held, frozenset):
                    value = joined_value(value, held) if isinstance(value, frozenset) else held
        return value

    def initial(self, loc: Loc, cell: Cell) -> Value:
        """What a cell held at the start."""
        obj, t = loc.obj, loc.type
        symbol = obj.symbol
        if obj.kind == "variable" and symbol is not None:
            if symbol.level == "file" or symbol.storage == "static":
                if self.whole and obj not in self.recorder.handed:
                    return self.initialised(symbol, loc)
            elif symbol.kind == "param":
                pass
            else:
                return None
        elif obj.kind in ("heap", "null", "device", "lent"):
            return None
        if isinstance(t, Pointer):
            return self.outside(cell, obj.name, t)
        if is_integer(t):
            scalar = symbol is not None and obj.kind == "variable" and not isinstance(symbol.type, (Array, Record))
            return Poly.of(symbol if scalar and symbol is not None else Opaque(f"{obj.key}+{cell[1]}", None, ()))
        return None

    def initialised(self, symbol: Symbol, loc: Loc) -> Value:
        """The value a static variable starts with."""
        if symbol.init is None:
            if symbol.storage == "extern":
                return self.outside((loc.obj, 0), symbol.name, loc.type) if isinstance(loc.type, Pointer) else None
            return frozenset((Target(NULL, ZERO),)) if isinstance(loc.type, Pointer) else Poly.of(0)
        if isinstance(symbol.init, (ast.InitList, ast.StringLiteral)):
            return None
        return self.constant(symbol.init)

    def constant(self, expr: ast.Expr) -> Value:
        """An initialiser at file scope."""
        raise NotImplementedError

    def settle(self) -> None:
        """After data have moved: scalars that the device has written are known where the host has got them."""
        assert self.now is not None
        for cell in [c for c in self.now.cells if c[0].kind == "copy"]:
            obj = cell[0].key
            assert isinstance(obj, Obj)
            cases = self.cases_of(obj)
            present = cases is None or any(c.copies for c in cases)
            apart = [c.lost is not None or any(k.ahead or k.old for k in c.copies) for c in cases or ()]
            if cases is not None and not any(apart):
                self.now.cells[obj, cell[1]] = self.now.cells[cell]
            elif not apart or not all(apart):
                self.now.cells[obj, cell[1]] = None
            if not present:
                del self.now.cells[cell]

    def outside(self, cell: Cell, name: str, t: CType) -> Value:
        """What an unknown pointer in `cell` points to."""
        assert self.now is not None
        obj = Obj("outside", cell, name)
        if obj not in self.now.cases:
            unknown = Copies(copies=(cp.outside_copy(self.now.device or ZERO, Site("", ast.Span(0, 0))),))
            self.now.cases[obj] = frozenset((unknown,))
        return frozenset((Target(obj, ZERO),))

    def store(self, locs: list[Loc], value: Value) -> None:
        """A scalar is assigned; weakly when it may be one of several."""
        assert self.now is not None
        for loc in locs:
            cell = cell_of(loc.obj, loc.low)
            if self.region is not None and loc.obj not in self.region.local:
                self.now.cells[Obj("copy", loc.obj), cell[1]] = value if len(locs) == 1 else None
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

    def is_new(self, obj: Obj) -> bool:
        """Whether nobody has stored pointers in it before the walk began."""
        symbol = obj.symbol
        return obj.kind == "heap" or (
            obj.kind == "variable" and symbol is not None and (self.whole or symbol.level == "block")
        )

    # --- accesses

    def range_of(self, loc: Loc) -> Range:
        """What an access at `loc` touches over the loops that belong together with it."""
        first = len(self.loops)
        if self.region is not None:
            first = self.region.loops
        else:
            while first > 0 and self.loops[first - 1].plain:
                first -= 1
        loops = self.loops[first:]
        if loc.low is None or not loops:
            return spread(loc.low, loc.size, [], not loops or self.conditions == loops[0].conditions)
        names = loc.low.symbols()
        sure = True
        for loop in loops:
            if loop.range.symbol in names:
                sure = self.conditions == loop.conditions
                break
        return spread(loc.low, loc.size, [loop.range for loop in loops], sure)

    def access(self, locs: list[Loc], node: Node, read: bool, write: bool, through: bool = False) -> None:
        """`node` reads or writes one of `locs`; `through` a pointer."""
        if self.now is None or not locs:
            return
        if self.region is not None:
            self.on_device(locs, node, read, write, through)
        else:
            self.on_host(locs, node, read, write, through)

    def on_host(self, locs: list[Loc], node: Node, read: bool, write: bool, through: bool) -> None:
        assert self.now is not None
        if through and all(loc.obj.kind in ("device", "lent") for loc in locs):
            self.judge(Event("host-dereference", self.site(node), name_of(node), "certain"), "bad")
            return
        tracked = [loc for loc in locs if self.cases_of(loc.obj) != ALL_CLEAN]
        if not tracked:
            return
        if read and len(tracked) == len(locs):
            self.host_reads(locs, node)
        if write:
            for loc in tracked:
                r = self.range_of(loc)
                site = self.site(node)

                def wrote(case: Copies, r: Range = r, site: Site = site) -> Copies:
                    return cp.host_writes(case, r, site, self.positive)

                self.change(loc.obj, wrote, len(locs) > 1)

    def host_reads(self, locs: list[Loc], node: Node) -> None:
        assert self.now is not None
        answers: list[tuple[Outcome, Written | cp.Lost | None]] = []
        for loc in locs:
            cases = self.cases_of(loc.obj)
            if cases is None or loc.obj in self.now.many:
                return
            r = self.range_of(loc)
            answers += [self._behind(case, r, loc.obj.size) for case in cases]
        behind = next((w for o, w in answers if o == "bad"), None) or next((w for o, w in answers if w), None)
        if behind is None:
            return
        outcome = worst([o for o, _ in answers])
        here = self.site(node)
        if isinstance(behind, cp.Lost):
            related = ((behind.site, "written on the device here"), (here, "the host reads old values here"))
            event = Event("lost", behind.by, name_of(node), "certain", related, behind.how)
        else:
            event = Event("host-stale", here, name_of(node), "certain", ((behind.site, "written on the device here"),))
        self.judge(event, outcome)

    def _behind(self, case: Copies, r: Range, size: Poly | None) -> tuple[Outcome, Written | cp.Lost | None]:
        found = cp.touches(case.lost, r, size, self.positive)
        if found != "no":
            return ("bad" if found == "yes" else "perhaps"), case.lost
        for copy in case.copies:
            found = cp.touches(copy.ahead, r, size, self.positive)
            if found != "no":
                return ("bad" if found == "yes" else "perhaps"), copy.ahead
        return "fine", None

    def on_device(self, locs: list[Loc], node: Node, read: bool, write: bool, through: bool) -> None:
        assert self.now is not None
        assert self.region is not None
        if any(loc.obj.kind in ("device", "lent", "null") or loc.obj in self.region.local for loc in locs):
            return
        answers: list[tuple[str, Outcome, Copy | None]] = []
        for loc in locs:
            cases = self.cases_of(loc.obj)
            if cases is None or any(c.freed for c in cases) or (not through and self.untracked(loc.obj)):
                return
            r = self.range_of(loc)
            if isinstance(loc.type, Pointer) and any(c.copies for c in cases):
                continue  # a pointer on the device is set when what it points to is mapped
            reads = "both" if read and write else "read" if read else ""
            answers += [self._device_check(case, r, reads, loc.obj.size, self.site(node)) for case in cases]
        some = any(loc.obj in self.now.many for loc in locs)
        if answers and not (some and any(o != "bad" for _, o, _ in answers)):
            self._report(answers, node, locs)
        if write:
            site, device = self.site(node), self.region.device
            for loc in locs:
                r = self.range_of(loc)
                r = r._replace(sure=r.sure and not self.region.chosen)

                def wrote(case: Copies, r: Range = r) -> Copies:
                    copy, _ = cp.find(case, device, r.low, r.high, self.positive)
                    copy = copy or next((c for c in case.copies if c.device == device), None)
                    return case if copy is None else cp.device_writes(case, copy, r, site, self.positive)

                self.change(loc.obj, wrote, len(locs) > 1)

    def untracked(self, obj: Obj) -> bool:
        """A variable that no region's clauses speak of: a global in a function that runs on the device."""
        symbol = obj.symbol
        if obj.kind != "variable" or symbol is None or self.now is None:
            return False
        cases = self.cases_of(obj)
        return cases is not None and not any(c.copies for c in cases)

    def _device_check(
        self, case: Copies, r: Range, reads: str, size: Poly | None, here: Site
    ) -> tuple[str, Outcome, Copy | None]:
        assert self.region is not None
        device = self.region.device
        copy, how = cp.find(case, device, r.low, r.high, self.positive)
        if copy is None:
            if how == "?":
                return "", "fine", None
            mine = next((c for c in case.copies if c.device == device), None)
            if mine is not None:
                return "short", "bad" if r.sure else "fine", mine
            return "absent", "bad", None
        others = [c for c in case.copies if c.device == device and c is not copy and c.refs]
        if how == "over" or (how == "?" and not others and cp.lacks(copy, r, self.positive)):
            return "short", "bad" if r.sure else "fine", copy
        if self.region.quiet:
            return "", "fine", copy
        if copy.extra and copy.refs == 0:
            own = next(
                (c for c in case.copies if c.device == device and c.refs and c.how in ("to", "from", "tofrom")), None
            )
            if own is not None and r.sure:
                # What the caller may have mapped is hidden by the clause that says less.
                return ("short", "bad", own) if cp.lacks(own, r, self.positive) else ("", "fine", own)
            return "absent", "perhaps", copy
        if not reads:
            return "", "fine", copy
        if reads == "both" and copy.first == here:
            return "garbage", "bad", copy  # its first execution finds nothing
        if copy.filled in ("no", "unsure"):
            return "garbage" if copy.filled == "no" else "garbage-if-new", "bad", copy
        if copy.old is not None:
            found = cp.touches(copy.old, r, size, self.positive)
            if found != "no":
                return "device-stale", "bad" if found == "yes" else "perhaps", copy
        return "", "fine", copy

    def _report(self, answers: list[tuple[str, Outcome, Copy | None]], node: Node, locs: list[Loc]) -> None:
        if all(k == "" for k, _, _ in answers) and not (self.conditional and self.recorder.tentative):
            return
        here = self.site(node)
        for kind in ("absent", "short", "garbage", "garbage-if-new", "device-stale"):
            name = pointer_of(node) if kind == "absent" else name_of(node)
            outcomes: list[Outcome] = [o if k == kind else "fine" for k, o, _ in answers]
            copy = next((c for k, _, c in answers if k == kind), None)
            if kind not in [k for k, _, _ in answers]:
                if self.conditional and self.recorder.tentative:
                    self.judge(self._event(kind, here, name, copy), "fine")
                continue
            event = self._event(kind, here, name, copy)
            if kind == "absent" and len(locs) == 1:
                event = event._replace(detail=self.length_of(locs[0], node))
            self.judge(event, worst(outcomes))

    def length_of(self, loc: Loc, node: Node) -> str:
        """How many elements of the accessed kind the object has, as an expression that can be written here; ''."""
        size, element = loc.obj.size, loc.size.constant if loc.size is not None else None
        count = size.divided(element) if size is not None and element else None
        if count is None or not isinstance(node, (ast.Index, ast.Unary)):
            return ""
        mine = all(isinstance(a, Symbol) and self.names().get(a.name) is a for a in count.atoms())
        return repr(count) if mine else ""

    def names(self) -> dict[str, Symbol]:
        """Parameters and local variables of the function that is walked."""
        raise NotImplementedError

    def _event(self, kind: str, here: Site, name: str, copy: Copy | None) -> Event:
        if copy is None or kind == "absent":
            return Event(kind, here, name, "certain")
        if kind == "short":
            return Event(kind, copy.origin, name, "certain", ((here, "accessed here"),), copy.how)
        if kind.startswith("garbage"):
            return Event(kind, copy.origin, name, "certain", ((here, "read here"),), copy.how)
        related = ((copy.old.site, "the host writes it here"),) if copy.old is not None else ()
        return Event(kind, here, name, "certain", related, copy.how)

    def judge(self, event: Event, outcome: Outcome, about: Iterable[Loc] = ()) -> None:
        if self.deferred is not None and event.kind in _OLD:
            self.deferred.append((event, outcome))
            return
        if self.doubts and outcome == "bad":
            outcome = "perhaps"
        self.recorder.judge(event, outcome, self.conditional, frozenset([loc.obj for loc in about]))

    @property
    def conditional(self) -> bool:
        """Whether the first iteration of the loops around the place need not come here."""
        return bool(self.loops) and self.conditions > self.loops[0].conditions

    # --- changes

    def change(self, obj: Obj, how: Callable[[Copies], Copies], weak: bool = False) -> None:
        """Every case of `obj` becomes what `how` makes of it; `weak`: or stays."""
        assert self.now is not None
        cases = self.cases_of(obj)
        if cases is None:
            return
        new: Cases | None = frozenset([how(c) for c in cases])
        if weak or obj in self.now.many:
            new = joined_cases(cases, new)
        self.now.cases[obj] = new if new is None or len(new) <= 6 else None

    def forget(self, objs: Iterable[Obj]) -> None:
        """Nothing is known of these any more."""
        assert self.now is not None
        for obj in objs:
            self.now.cases[obj] = None

    def fresh(self, obj: Obj, filled: bool) -> None:
        """The object begins to exist."""
        assert self.now is not None
        self.now.cases[obj] = ALL_CLEAN if filled else UNFILLED
        for cell in [c for c in self.now.cells if c[0] == obj]:
            del self.now.cells[cell]


def worst(outcomes: list[Outcome]) -> Outcome:
    """Bad when it is so in every case; perhaps when it is so in some."""
    if outcomes and all(o == "bad" for o in outcomes):
        return "bad"
    return "perhaps" if any(o != "fine" for o in outcomes) else "fine"


def pointer_of(node: Node) -> str:
    """The pointer that an access follows last: `p` of `p[i]`, `*p` and `p->x`, `s.p` of `s.p[i].x`."""
    while isinstance(node, (ast.Paren, ast.Member, ast.Index)):
        inner = node.inner if isinstance(node, ast.Paren) else node.base
        if not isinstance(node, ast.Paren) and isinstance(inner.type, Pointer):
            return name_of(inner)
        node = inner
    return name_of(node)


def name_of(node: Node) -> str:
    """The variable that an access starts from, with the members on the way."""
    if isinstance(node, ast.VarDecl):
        return node.symbol.name
    expr = node
    words: list[str] = []
    while not isinstance(expr, ast.Name):
        if isinstance(expr, ast.Member):
            words.insert(0, ("->" if expr.arrow else ".") + expr.field)
            expr = expr.base
        elif isinstance(expr, (ast.Index, ast.Section)):
            expr = expr.base
        elif isinstance(expr, ast.Paren):
            expr = expr.inner
        elif isinstance(expr, (ast.Unary, ast.Cast)):
            expr = expr.operand
        else:
            symbol = root(expr) if isinstance(expr, ast.Expr) else None
            return symbol.name if symbol is not None else ""
    return expr.name + "".join(words)


__all__ = ["ANYWHERE", "Frame", "GivenUp", "Loop", "Memory", "Where", "name_of", "worst"]
