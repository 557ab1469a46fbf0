"""Directives: target regions, the data directives, and what other constructs do to their variables."""

from __future__ import annotations

from abc import abstractmethod

from ompls.analysis.dataenv.machine.closed import is_closed
from ompls.analysis.dataenv.machine.copies import Choice, Copies, Copy, Lost, find, outside_copy
from ompls.analysis.dataenv.machine.events import Event
from ompls.analysis.dataenv.machine.facts import facts_of
from ompls.analysis.dataenv.machine.items import Items, Mapped
from ompls.analysis.dataenv.machine.objects import Where
from ompls.analysis.dataenv.machine.routines import INITIAL, NUM_DEVICES, lent
from ompls.analysis.dataenv.machine.state import ALL_CLEAN, State, assumed, decided, join
from ompls.analysis.dataenv.machine.values import Loc, Obj, Range, Site, Value, at_start, order
from ompls.analysis.dataenv.private import PRIVATISING, loop_variables
from ompls.analysis.dataenv.symbolic import ZERO, Opaque, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, Pointer, Record
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import Region, Variable

_FIRST = ("to", "tofrom")
_ON_HOST = ("map", "device", "if", "depend", "num_teams", "thread_limit", "priority", "affinity")


class Directives(Items):
    """`directive` does what a directive and its body do."""

    def directive(self, stmt: ast.DirectiveStmt) -> None:
        directive = stmt.directive
        region = next((r for r in self.frame.content.regions if r.stmt is stmt), None)
        if self.region is not None and (region is not None or directive.name.startswith("target")):
            self.not_understood(stmt)  # reverse offload
        elif region is not None:
            self.target(region)
        elif directive.name == "target data":
            self.data(stmt)
        elif directive.name in ("target enter data", "target exit data", "target update"):
            self.transfer(directive)
        else:
            self.construct(stmt)

    # --- clauses

    def device_of(self, directive: Directive) -> Poly | None:
        """The device a directive is about; INITIAL: the host."""
        assert self.now is not None
        clause = directive.clause("device")
        if clause is None or not clause.args:
            number = self.now.device
        elif "ancestor" in (clause.keyword, *clause.modifiers):
            return INITIAL
        else:
            value = self.value(clause.args[0])
            number = value if isinstance(value, Poly) else None
        if number is None:
            return Poly.of(Opaque("device", None, (Poly.of(directive.span.start),)))
        return INITIAL if number == Poly.of(NUM_DEVICES) or number.constant == -1 else number

    def applies(self, directive: Directive) -> tuple[bool | None, tuple[Choice | None, int]]:
        """Whether the `if` clause lets it; None: not known, then the decision and its side when it does."""
        for clause in directive.all("if"):
            if clause.args and (not clause.keyword or directive.name.startswith(clause.keyword)):
                known = self.truth(clause.args[0])
                return known, self.choice(clause.args[0]) if known is None and self.now is not None else (None, 0)
        return True, (None, 0)

    def without(self, applies: bool | None, choice: tuple[Choice | None, int]) -> tuple[State | None, bool]:
        """(where an `if` clause is not known, the state if it does not let the directive; whether that is a doubt).

        What is mapped by the same condition is there when the condition holds, without a doubt.
        """
        assert self.now is not None
        if applies is not None:
            return None, False
        before, (decision, side) = self.now.copy(), choice
        if decision is None:
            return before, True
        assumed(before, decision, 1 - side)
        return before, not assumed(self.now, decision, side)

    # --- data directives

    def transfer(self, directive: Directive) -> None:
        """`target enter data`, `target exit data`, `target update`."""
        assert self.now is not None
        (applies, choice), device = self.applies(directive), self.device_of(directive)
        if applies is False or device is None or device == INITIAL or self.now is None:
            return
        before, doubt = self.without(applies, choice)
        self.doubts += doubt
        if directive.name == "target update":
            for clause in directive.all("to", "from"):
                for item in clause.items:
                    self.update(self.item(item, clause.name, clause), device)
        else:
            entering = directive.name == "target enter data"
            items = self.mapped_by(directive.all("map"))
            for mapped in items:
                references = self.references(mapped, device)
                if entering:
                    self.enter(mapped, device, lasting=True)
                else:
                    self.leave(mapped, device, unstructured=True)
                self.recorder.count(mapped.site, references, self.references(mapped, device))
        self.settle()
        self.doubts -= doubt
        self.or_else(before, directive, choice)

    def or_else(self, before: State | None, directive: Directive, choice: tuple[Choice | None, int]) -> None:
        """Where an `if` clause is not known: what the directive did, or nothing."""
        if before is not None:
            decision, side = choice
            sides = [self.now, before] if side == 0 else [before, self.now]
            decided(sides, decision or Site(self.frame.name, directive.name_span), self.conditions)
            self.now = join(self.now, before)

    def mapped_by(self, clauses: list[Clause]) -> list[Mapped]:
        """The list items of map clauses; those that copy come first (5.2 §5.8.3)."""
        found = [self.item(i, clause.keyword or "tofrom", clause) for clause in clauses for i in clause.items]
        return in_order(found)

    def data(self, stmt: ast.DirectiveStmt) -> None:
        """`target data`."""
        assert self.now is not None
        directive = stmt.directive
        (applies, choice), device = self.applies(directive), self.device_of(directive)
        if applies is False or device is None or device == INITIAL or self.now is None:
            self.statement(stmt.body)
            return
        before, _ = self.without(applies, choice)
        items = self.mapped_by(directive.all("map"))
        for mapped in items:
            self.enter(mapped, device)
        self.or_else(before, directive, choice)
        own, given = self.frame.own, self.lent_by(directive)
        self.frame.own = {**own, **given}
        self.statement(stmt.body)
        self.frame.own = own
        self.gone({obj for obj in given.values() if obj.kind == "variable"})
        if self.now is None:
            return
        before, doubt = self.without(applies, choice)
        self.doubts += doubt
        for mapped in reversed(items):
            self.leave(mapped, device)
        self.settle()
        self.doubts -= doubt
        self.or_else(before, directive, choice)

    def lent_by(self, directive: Directive) -> dict[Symbol, Obj]:
        """Variables that name the device's storage inside of `use_device_ptr` and `use_device_addr`."""
        found: dict[Symbol, Obj] = {}
        for clause in directive.all("use_device_ptr", "use_device_addr"):
            for item in clause.items:
                symbol = item.symbol
                if symbol is None or self.now is None:
                    continue
                value = self.value(ast.Name(item.span, symbol.name, symbol, type=symbol.type))
                if isinstance(value, frozenset):
                    for obj, _ in value:
                        if self.cases_of(obj) is not None:
                            self.lend(
                                Mapped("", [Loc(obj, None, None, symbol.type)], "", (), Site("", item.span), False)
                            )
                if clause.name == "use_device_addr" and not isinstance(symbol.type, Pointer):
                    original = self.variable(symbol)
                    found[symbol] = Obj("lent", original, symbol.name, of=original)
                else:
                    found[symbol] = self.substitute(symbol, lent(value), directive)
        return found

    def substitute(self, symbol: Symbol, value: Value, directive: Directive) -> Obj:
        """An object that stands for a variable inside of a construct."""
        assert self.now is not None
        key = (self.frame.name, "own", symbol.name, directive.span.start)
        obj = Obj("variable", key, symbol.name, size=self.size_of(symbol.type), symbol=symbol)
        self.fresh(obj, True)
        self.now.cells[obj, 0] = value
        if self.region is not None:
            self.region.local.add(obj)
        return obj

    # --- target regions

    def target(self, region: Region) -> None:
        """A target construct: its data come, the body runs on the device, the data go."""
        assert self.now is not None
        stmt, directive = region.stmt, region.directive
        (applies, choice), device = self.applies(directive), self.device_of(directive)
        if self.now is None:
            return
        if applies is False or device is None or device == INITIAL:
            self.construct(stmt)
            return
        before, doubt = self.without(applies, choice)
        self.doubts += doubt
        items = self.region_items(region)
        if self.ends_as_it_begins(region, items, device):
            return
        for mapped in items:
            self.enter(mapped, device)
        self.point_before(region, device)
        if self.now is not None:
            self.body(region, device)
        if self.now is not None:
            for mapped in reversed(items):
                self.leave(mapped, device)
            self.settle()
            self.private_results(region)
        self.doubts -= doubt
        self.or_else(before, directive, choice)

    def ends_as_it_begins(self, region: Region, items: list[Mapped], device: Poly) -> bool:
        """Whether all is known to be well before a region that is plainly closed."""
        content = self.frame.content
        if self.now is None or self.conditional or not is_closed(region, content):
            return False
        objs = {loc.obj for mapped in items for loc in mapped.locs}
        if len(objs) != len(items) or any(self.defines(name) for name in facts_of(content).calls_in(region.stmt)):
            return False
        unknown = frozenset((Copies(copies=(outside_copy(device, Site("", ast.Span(0, 0))),)),))
        for mapped in items:
            obj, size = mapped.locs[0].obj, mapped.locs[0].obj.size
            known = obj.kind in ("variable", "heap", "outside") and obj not in self.now.many and len(mapped.locs) == 1
            if not known or self.cases_of(obj) not in (ALL_CLEAN, unknown):
                return False
            if size is not None and order(mapped.locs[0].high, size, self.positive) not in ("<", "<=", "=="):
                return False
        return not any((c[0].key if c[0].kind == "copy" else c[0]) in objs for c in self.now.cells)

    @abstractmethod
    def defines(self, name: str) -> bool:
        """Whether the unit has a function of that name."""

    def private_results(self, region: Region) -> None:
        """What the region assigned to a copy of a global that is firstprivate by default is gone."""
        clause = region.directive.clause("default")
        if self.now is None or (clause is not None and clause.keyword in ("private", "firstprivate")):
            return
        for variable in region.variables:
            symbol = variable.symbol
            by_default = variable.sharing == "firstprivate" and variable.implicit and variable.section != "5.8.7"
            written = [n for n in variable.writes if isinstance(n, ast.Name)]
            if by_default and written and symbol.level == "file":
                obj = self.variable(symbol)
                site = self.site(min(written, key=lambda n: n.span))
                lost = Lost(Range(ZERO, obj.size, True, True), site, site, "firstprivate")
                self.change(obj, lambda case, lost=lost: case._replace(lost=(lost,)))  # type: ignore[misc]

    def region_items(self, region: Region) -> list[Mapped]:
        """What the region maps, by clauses and by itself."""
        found = []
        for variable in region.variables:
            for m in variable.maps if variable.sharing == "mapped" else ():
                if m.item is not None and m.clause is not None:
                    found.append(self.item(m.item, m.map_type, m.clause))
                elif not m.zero_length:
                    symbol = variable.symbol
                    obj = self.variable(symbol)
                    loc = Loc(obj, ZERO, obj.size or self.size_of(symbol.type), symbol.type)
                    site = Site(self.frame.name, region.directive.name_span)
                    found.append(Mapped(symbol.name, [loc], m.map_type, m.modifiers, site, False))
        return in_order(found)

    def point_before(self, region: Region, device: Poly) -> None:
        """Pointers that no clause lists, to storage of which only a part further on is mapped: such a pointer comes as
        a section of length zero, which is in no mapped section, so that it keeps the host's address (5.2 §5.8.6)."""
        for variable in region.variables if not region.tainted else ():
            implicit = any(m.zero_length and m.item is None for m in variable.maps) and variable.sharing == "mapped"
            followed = [n for n in (*variable.reads, *variable.writes) if not isinstance(n, ast.Name)]
            if self.now is None or not implicit or not followed:
                continue
            obj = self.variable(variable.symbol)
            value = self.load(Loc(obj, ZERO, obj.size, variable.symbol.type))
            if not isinstance(value, frozenset) or len(value) != 1:
                continue
            ((target, at),) = value
            found = [self.begins_after(case, device, at) for case in self.cases_of(target) or (None,)]
            if (copy := found[0]) is not None:
                site = self.site(min(followed, key=lambda n: n.span))
                related = ((copy.origin, "what is mapped begins further on"),)
                event = Event("points-before", site, variable.symbol.name, "certain", related)
                self.judge(event, "bad" if all(found) and target not in self.now.many else "fine")

    def begins_after(self, case: Copies | None, device: Poly, at: Poly | None) -> Copy | None:
        """The copy on the device that certainly begins after `at`, when none holds `at`."""
        if case is None or at is None or find(case, device, at, at, self.positive) != (None, ""):
            return None
        mine = (c for c in case.copies if c.device == device and c.refs and not c.forever)
        return next((c for c in mine if order(at, c.low, self.positive) == "<"), None)

    def body(self, region: Region, device: Poly) -> None:
        """The region runs."""
        own, where = self.frame.own, Where(device, len(self.loops), len(self.frames))
        where.chosen = region.directive.clause("defaultmap") is not None
        self.device_pointers(region)
        values = {v.symbol: self.copied(v) for v in region.variables if v.sharing != "mapped"}
        self.region = where
        private = {
            v.symbol: self.substitute(v.symbol, values.get(v.symbol), region.directive)
            for v in region.variables
            if v.sharing in ("private", "firstprivate", "is_device_ptr", "has_device_addr")
            and self.variable(v.symbol).kind != "lent"  # by `use_device_addr`: the device's storage itself
        }
        self.frame.own = {**own, **private}
        where.conditions = self.conditions
        self.construct(region.stmt, taken=True)
        self.partly_filled()
        self.frame.own = own
        self.gone(set(private.values()))
        self.region = None

    def device_pointers(self, region: Region) -> None:
        """`is_device_ptr` for an address of the host or of freed memory; `has_device_addr` for a host's variable."""
        for item in [i for c in region.directive.all("has_device_addr") for i in c.items]:
            symbol = item.symbol
            if symbol is not None and not isinstance(symbol.type, Pointer):
                lies = symbol.kind == "var" and symbol.level == "block" and symbol not in self.frame.own
                site = Site(self.frame.name, item.span)
                event = Event("host-pointer", site, item.text, "certain", (), "has_device_addr")
                self.judge(event, "bad" if lies and symbol.storage not in ("static", "extern") else "fine")
        for clause in region.directive.all("is_device_ptr"):
            for item in clause.items:
                if item.symbol is None or self.now is None or not isinstance(item.symbol.type, Pointer):
                    continue
                obj = self.variable(item.symbol)
                value = self.load(Loc(obj, ZERO, obj.size, item.symbol.type))
                known = isinstance(value, frozenset) and value
                host = known and all(t.obj.kind in ("heap", "variable") for t in value)  # type: ignore[union-attr]
                event = Event("host-pointer", Site(self.frame.name, item.span), item.text, "certain")
                self.judge(event, "bad" if host else "fine")
                freed = known and all(self.is_gone(t.obj) for t in value)  # type: ignore[union-attr]
                event = Event("freed-used", Site(self.frame.name, item.span), item.text, "certain")
                self.judge(event, "bad" if freed else "fine")

    def copied(self, variable: Variable) -> Value:
        """What a variable that is not mapped holds in the region."""
        symbol = variable.symbol
        if variable.sharing == "is_device_ptr":
            value = self.load(Loc(self.variable(symbol), ZERO, self.size_of(symbol.type), symbol.type))
            if isinstance(value, frozenset) and value and all(t.obj.kind in ("device", "lent") for t in value):
                return value
            return at_start(Obj("device", ("is_device_ptr", symbol.name)))
        if variable.sharing != "firstprivate" or isinstance(symbol.type, (Array, Record)) or self.now is None:
            return None
        if not isinstance(symbol.type, Pointer) and not is_integer(symbol.type):
            return None
        obj = self.variable(symbol)
        return self.load(Loc(obj, ZERO, obj.size, symbol.type))

    # --- other constructs

    def construct(self, stmt: ast.DirectiveStmt, taken: bool = False) -> None:
        """Clauses' expressions, private copies, the body over them, and what goes back.

        taken -- a target region, of which the host has looked at the clauses already
        """
        directive, outer = stmt.directive, self.frame.own
        iterating = loop_variables(directive, stmt.body)
        for clause in directive.clauses:
            if not taken or clause.name not in _ON_HOST:
                for arg in clause.args:
                    self.value(arg)
            reads, _ = PRIVATISING.get(clause.name, (False, False))
            for item in clause.items if reads and not (taken and clause.name == "firstprivate") else ():
                if self.now is not None and item.symbol not in iterating and not isinstance(item.expr.type, Record):
                    self.access(self.places(item.expr), item.expr, True, False)
        if self.now is None or stmt.body is None:
            return
        private: dict[Symbol, Obj] = {}
        for clause in directive.clauses:
            for item in clause.items if clause.name in PRIVATISING else ():
                symbol = item.symbol
                if symbol is not None:
                    private[symbol] = self.private_copy(symbol, clause, directive)
        self.frame.own = {**outer, **private}
        self.tasks += directive.has("task")
        self.statement(stmt.body)
        self.tasks -= directive.has("task")
        self.frame.own = outer
        self.gone(set(private.values()))
        for clause in directive.clauses:
            _, writes = PRIVATISING.get(clause.name, (False, False))
            for item in clause.items if writes else ():
                if self.now is not None and not isinstance(item.expr.type, Record):
                    locs = self.places(item.expr)
                    self.access(locs, item.expr, False, True)
                    self.store([loc for loc in locs if is_integer(loc.type)], None)

    def private_copy(self, symbol: Symbol, clause: Clause, directive: Directive) -> Obj:
        value: Value = None
        if isinstance(symbol.type, Pointer) and clause.name != "private":
            obj = self.variable(symbol)
            value = self.load(Loc(obj, ZERO, obj.size, symbol.type))
        return self.substitute(symbol, value, directive)


def in_order(items: list[Mapped]) -> list[Mapped]:
    """What copies to the device comes first; the same storage listed twice counts once (5.2 §5.8.3)."""
    found: list[Mapped] = []
    for mapped in sorted(items, key=lambda m: m.kind not in _FIRST):
        same = next((k for k, other in enumerate(found) if other.locs == mapped.locs and mapped.locs), None)
        if same is None:
            found.append(mapped)
            continue
        kinds = {found[same].kind, mapped.kind}
        both = {"to", "from"} <= kinds or "tofrom" in kinds
        if both:
            found[same] = found[same]._replace(kind="tofrom", modifiers=found[same].modifiers + mapped.modifiers)
    return found
