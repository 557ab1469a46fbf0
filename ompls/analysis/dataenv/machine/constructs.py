"""Constructs: what clauses ask for, and what a construct does to the variables that they name."""

from __future__ import annotations

from collections.abc import Mapping

from ompls.analysis.dataenv.faults import DataElsewhere, Does, Seen
from ompls.analysis.dataenv.machine.copies import IN, OUT, Choice
from ompls.analysis.dataenv.machine.items import Items
from ompls.analysis.dataenv.machine.mappers import Mapped, all_of
from ompls.analysis.dataenv.machine.routines import INITIAL, NUM_DEVICES
from ompls.analysis.dataenv.machine.state import State, assumed, decided, join
from ompls.analysis.dataenv.machine.values import Loc, Obj, Positive, Range, Site, Value, apart, covers
from ompls.analysis.dataenv.private import PRIVATISING, loop_variables
from ompls.analysis.dataenv.symbolic import ZERO, Opaque, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Pointer, Record
from ompls.analysis.model.omp import Clause, Directive

_ON_HOST = ("map", "device", "if", "depend", "num_teams", "thread_limit", "priority", "affinity")


class Constructs(Items):
    """`construct` walks one that maps nothing; the rest is what all kinds of them need."""

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
        return in_order(found, self.positive)

    def is_elsewhere(self, directive: Directive, objs: Mapping[Obj, str], device: Poly) -> None:
        """Whether a construct without `device` works on what a data construct around it maps on another device.

        objs -- what it works on, with the names
        """
        for obj, name in objs.items() if directive.clause("device") is None else ():
            around = next((a for a in reversed(self.frame.around) if obj in a.objs), None)
            if around is not None:
                related = (Seen(around.site, Does.MAPPED_HERE),)
                event = DataElsewhere(Site(self.frame.name, directive.name_span), name, "possible", related)
                self.judge(event, "fine" if around.device == device else "perhaps")
                return

    # --- constructs

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


def in_order(items: list[Mapped], positive: Positive) -> list[Mapped]:
    """What copies to the device comes first; the same storage listed twice counts once (5.2 §5.8.3)."""
    found: list[Mapped] = []
    takes: list[int] = []  # those in `found` of which another item may be a part, whatever its own map type is
    for mapped in _once(items):
        several = range(len(found)) if mapped.beyond else takes
        whole = next((k for k in several if _is_one(found[k], mapped, positive)), None)
        if whole is None:
            if mapped.beyond or mapped.kind not in OUT:
                takes.append(len(found))
            found.append(mapped)
        else:  # which bytes go which way is not told apart
            loc, kind = found[whole].locs[0]._replace(low=None), all_of((found[whole].kind, mapped.kind))
            modifiers = found[whole].modifiers + mapped.modifiers
            found[whole] = found[whole]._replace(locs=[loc], kind=kind, modifiers=modifiers)
    return found


def _is_one(whole: Mapped, part: Mapped, positive: Positive) -> bool:
    """Whether a part comes back with what the construct has mapped before, or both are one structure."""
    if len(whole.locs) != 1 or len(part.locs) != 1 or whole.locs[0].obj != part.locs[0].obj:
        return False
    a, b = [Range(m.locs[0].low, m.locs[0].high, dense=True) for m in (whole, part)]
    if whole.beyond or part.beyond:
        return not apart(a, b, positive)
    return part.kind in OUT and whole.kind not in OUT and covers(a, b, positive)


def _once(items: list[Mapped]) -> list[Mapped]:
    found: list[Mapped] = []
    places: dict[tuple[object, ...], int] = {}
    for mapped in sorted(items, key=lambda m: m.kind not in IN):
        same = places.setdefault(tuple(mapped.locs), len(found)) if mapped.locs else len(found)
        if same == len(found):
            found.append(mapped)
            continue
        kind = all_of((found[same].kind, mapped.kind))
        if mapped.kind in (*IN, *OUT) and kind != found[same].kind:
            found[same] = found[same]._replace(kind=kind, modifiers=found[same].modifiers + mapped.modifiers)
    return found
