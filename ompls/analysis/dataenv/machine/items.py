"""List items of data clauses: what they name, and what mapping them does to every case of it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import (
    THESE,
    BeyondObject,
    Does,
    Event,
    ExitAbsent,
    Extends,
    FreedUsed,
    KeptBack,
    MapsDeviceMemory,
    MapsNull,
    MapsUnset,
    OverPresent,
    PresentFails,
    RedundantUpdate,
    Seen,
    UpdateAbsent,
)
from ompls.analysis.dataenv.machine import copies as cp
from ompls.analysis.dataenv.machine.copies import Copies
from ompls.analysis.dataenv.machine.events import Outcome
from ompls.analysis.dataenv.machine.mappers import Mapped, Mappers
from ompls.analysis.dataenv.machine.naming import name_of, worst
from ompls.analysis.dataenv.machine.values import NULL, Loc, Obj, Range, Site, at_start, covers
from ompls.analysis.dataenv.paths import goes_beyond
from ompls.analysis.dataenv.symbolic import ZERO, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.model.peel import peel

_KEPT = ("to", "alloc")  # map types with which nothing comes back


class Items(Mappers):
    """Entering, leaving and updating what list items name."""

    def item(self, item: ListItem, kind: str, clause: Clause) -> Mapped:
        locs = self.places(item.expr)
        site = Site(self.frame.name, item.span)
        if not locs and isinstance(item.expr, ast.Section) and isinstance(item.expr.base.type, Pointer):
            null = self.value(item.expr.base) == at_start(NULL)
            self.judge(MapsNull(site, item.text, "certain", (), kind), "bad" if null else "fine")
            unset = self.is_unset(self.places(item.expr.base))
            self.judge(MapsUnset(site, name_of(item.expr), "certain"), "bad" if unset else "fine")
        return Mapped(item.text, locs, kind, clause.modifiers, site, True, goes_beyond(item.expr))

    def references(self, mapped: Mapped, device: Poly) -> int | None:
        """The reference count of what the item names; None when it is not one number."""
        found: set[int | None] = set()
        for loc in mapped.locs:
            for case in self.cases_of(loc.obj) or (None,):
                copy, how = cp.find(case, device, loc.low, loc.high, self.positive) if case is not None else (None, "?")
                if copy is None:
                    found.add(None if how else 0)
                else:
                    counted = not (
                        copy.extra
                        or copy.forever
                        or copy.least
                        or copy.refs >= cp.MOST
                        or self.now is None
                        or loc.obj in self.now.many
                    )
                    found.add(copy.refs if counted else None)
        return found.pop() if len(found) == 1 else None

    def on_the_way(self, expr: ast.Expr) -> None:
        """A region that lists `t.s->a[0:n]` reaches it through `*t.s`, which comes along.  With one that only maps
        data it does not: a region that follows has to have it."""
        expr = peel(expr, ast.Section, ast.Index)
        if not isinstance(expr, ast.Member) or not isinstance(expr.type, Pointer) or self.now is None:
            return
        unknown = cp.outside_copy(self.now.device or ZERO, Site("", ast.Span(0, 0)))
        while isinstance(expr, (ast.Member, ast.Paren)):
            if isinstance(expr, ast.Member) and expr.arrow:
                for loc in self.places(expr):
                    cases = self.cases_of(loc.obj)
                    if cases is not None and loc.obj.kind != "null" and not any(c.copies for c in cases):
                        self.now.cases[loc.obj] = frozenset([c._replace(copies=(unknown,)) for c in cases])
            expr = expr.inner if isinstance(expr, ast.Paren) else expr.base

    def give_up(self, mapped: Mapped) -> None:
        """The directive does something to what the item reaches that is not followed."""
        assert self.now is not None
        self.anything()
        ahead, seen = {loc.obj for loc in mapped.locs}, set[Obj]()
        while ahead:
            seen |= ahead
            held = [v for c, v in self.scanned().items() if c[0] in ahead and isinstance(v, frozenset)]
            ahead = {t.obj for v in held for t in v} - seen
        self.forget(seen)

    def enter(self, mapped: Mapped, device: Poly, lasting: bool = False) -> None:
        """The item comes into a device data environment."""
        assert self.now is not None
        for part in self.by_mapper(mapped):
            self._enter(part, device, lasting)

    def by_mapper(self, mapped: Mapped, backwards: bool = False) -> Iterator[Mapped]:
        """The items that the item stands for, each while the loops over arrays' elements are around."""
        parts = self.parts(mapped)
        if parts is None:
            self.give_up(mapped)
        for part, loops in (parts or ())[:: -1 if backwards else 1]:
            self.loops += loops
            yield part
            del self.loops[len(self.loops) - len(loops) :]

    def _enter(self, mapped: Mapped, device: Poly, lasting: bool) -> None:
        assert self.now is not None
        self._of_device(mapped)
        self._freed(mapped)
        if not mapped.locs and mapped.explicit:
            self.anything()
        answers: list[tuple[cp.Outcome, Copies]] = []
        for loc in mapped.locs:
            self._bounds(mapped, loc)
            cases, m = self.cases_of(loc.obj), mapped.mapping(loc, device, lasting)
            if loc.obj in self.now.many and (self.loops or any(c.copies for c in cases or ())):
                self.now.each |= {loc.obj}
            if cases is None or self.in_part(loc):
                answers.append(("unknown", Copies()))
                self.change(loc, lambda c, m=m: cp.enter(c, m, self.positive)[0])  # type: ignore[misc]
                continue
            made = [cp.enter(case, m, self.positive) for case in cases]
            answers += [(outcome, case) for (_, outcome), case in zip(made, cases, strict=True)]
            self.change(loc, lambda c, m=m: cp.enter(c, m, self.positive)[0], len(mapped.locs) > 1)  # type: ignore[misc]
            if any(outcome == "unknown" for _, outcome in made):
                self.now.cases[loc.obj] = None
        if mapped.copied_in:
            self.copy_scalars(mapped, answers)
        if mapped.locs and mapped.explicit:
            self._judge_entry(mapped, answers, device)
            if lasting and all(outcome == "new" for outcome, _ in answers) and self._meets_next(mapped):
                event = Extends(mapped.site, mapped.name, "certain", (), mapped.kind)
                self.judge(event, "bad")

    def _meets_next(self, mapped: Mapped) -> bool:
        """Whether the section shares bytes with that of the next iteration, and goes beyond it, when it stays."""
        loop = self.loops[-1] if self.loops else None
        if loop is None or len(mapped.locs) != 1 or self.tasks or self.conditions != loop.conditions:
            return False
        r, low, size = loop.range, mapped.locs[0].low, mapped.locs[0].size
        trips = r.trips.constant if r.trips is not None and r.exact else None
        if r.symbol is None or low is None or size is None or trips is None or trips < 2:
            return False
        shift = (low.substitute({r.symbol: Poly.of(r.symbol) + r.step}) - low).constant
        if not shift or size.constant is None or abs(shift) >= size.constant:
            return False
        inside = [n for n in r.stmt.walk() if isinstance(n, (ast.DirectiveStmt, ast.Call))]
        return not any(isinstance(n, ast.Call) or n.directive.name == "target exit data" for n in inside)

    def copy_scalars(self, mapped: Mapped, answers: list[tuple[cp.Outcome, Copies]]) -> None:
        """What the device's copy holds when it is new, or is copied always: what the host's does."""
        assert self.now is not None
        new = all(outcome == "new" for outcome, _ in answers) or "always" in mapped.modifiers
        obj = mapped.locs[0].obj
        for cell, value in list(self.scanned().items()) if new else ():
            if cell[0] == obj:
                self.now.cells[Obj("copy", obj), cell[1]] = value

    def anything(self) -> None:
        """Something is mapped through a pointer that is not known: it may be whatever a pointer points to."""
        assert self.now is not None
        self.beyond.add("maps")
        objs = {t.obj for v in self.scanned().values() if isinstance(v, frozenset) for t in v}
        unknown = cp.outside_copy(self.now.device or ZERO, Site("", ast.Span(0, 0)))
        for obj in objs:
            cases = self.cases_of(obj)
            if cases is not None and obj.kind != "null":
                self.now.cases[obj] = frozenset([c if c.copies else c._replace(copies=(unknown,)) for c in cases])

    def _judge_entry(self, mapped: Mapped, answers: list[tuple[cp.Outcome, Copies]], device: Poly) -> None:
        there = [next((c for c in case.copies if c.device == device), None) for _, case in answers]
        origin = next((c.origin for c in there if c is not None), None)
        related = (Seen(origin, Does.MAPPED_BEFORE),) if origin is not None and origin.function else ()

        def judge(kind: type[Event], wrong: list[bool]) -> None:
            outcome: Outcome = worst(["bad" if w else "fine" for w in wrong])
            self.judge(kind(mapped.site, mapped.name, "certain", related, mapped.kind), outcome)

        outcomes = [outcome for outcome, _ in answers]
        judge(Extends, [o == "extends" for o in outcomes])
        if "present" in mapped.modifiers:
            judge(PresentFails, [o == "new" for o in outcomes])
        elif mapped.kind in cp.OUT and "always" not in mapped.modifiers:
            # with `target enter data` what comes back is up to the exit, and is not known here
            kept = [c is not None and not c.lasting and not c.forever and c.how in _KEPT for c in there]
            judge(KeptBack, [o == "present" and k for o, k in zip(outcomes, kept, strict=True)])

    def _of_device(self, mapped: Mapped) -> None:
        """Whether what is mapped is the device's own: the target of a pointer, or a variable of `use_device_addr`."""
        kinds = ("device", "lent") if mapped.explicit else ("lent",)
        if mapped.locs and all(loc.obj.kind in kinds for loc in mapped.locs):
            by = "" if mapped.explicit else "has_device_addr"
            self.judge(MapsDeviceMemory(mapped.site, mapped.name, "certain", (), by), "bad")

    def _freed(self, mapped: Mapped) -> None:
        """Whether what is mapped was freed before."""
        if mapped.explicit:
            freed = self.freed_at(mapped.locs)
            related = (Seen(freed, Does.FREED),) if freed is not None else ()
            event = FreedUsed(mapped.site, mapped.name, "certain", related, "mapped")
            self.judge(event, "fine" if freed is None else "bad")

    def _bounds(self, mapped: Mapped, loc: Loc) -> None:
        """Whether the section lies in its object."""
        if not mapped.explicit or loc.obj.size is None or loc.high is None:
            return
        beyond = self.is_outside(loc.low, loc.high, loc.obj.size) or any(
            self.is_outside(*(p and p.substitute(at) for p in (loc.low, loc.high, loc.obj.size)))
            for at in self.ends_of_loops(loc.low, loc.high, loc.obj.size)
        )
        rest = loc.obj.size - loc.low if loc.low is not None else None
        count = self.count_of(rest, self.size_of(loc.type))
        event = BeyondObject(mapped.site, mapped.name, "certain", (), count)
        self.judge(event, "bad" if beyond and len(mapped.locs) == 1 else "fine")

    def leave(self, mapped: Mapped, device: Poly, unstructured: bool = False) -> None:
        """The item leaves it."""
        assert self.now is not None
        for part in self.by_mapper(mapped, backwards=True):
            self._leave(part, device, unstructured)

    def _leave(self, mapped: Mapped, device: Poly, unstructured: bool) -> None:
        assert self.now is not None
        outcomes: list[cp.Outcome] = []
        if unstructured:
            self.reaches_over(mapped, device)
        for loc in mapped.locs:
            cases, m = self.cases_of(loc.obj), mapped.mapping(loc, device, unstructured)
            known = cases is not None and not self.in_part(loc)
            outcomes += [cp.leave(case, m, self.positive)[1] for case in cases or ()] if known else ["unknown"]
            if not m.copies_out:  # what it overwrites if it copies back
                risky = not known or any(self._spoils(case, m, unstructured) for case in cases or ())
                self.recorder.risks(mapped.site, THESE if risky else "")
            self.change(loc, lambda c, m=m: cp.leave(c, m, self.positive)[0], len(mapped.locs) > 1)  # type: ignore[misc]
            for other in self.aliases(loc) if unstructured else ():
                m = mapped.mapping(other, device, True)
                self.change(other, lambda c, m=m: cp.leave(c, m, self.positive)[0], weak=True)  # type: ignore[misc]
        if unstructured and mapped.locs:
            outcome = worst(["bad" if o == "absent" else "fine" for o in outcomes])
            self.judge(ExitAbsent(mapped.site, mapped.name, "certain", (), mapped.kind), outcome, mapped.locs)

    def _spoils(self, case: Copies, m: cp.Mapping, unstructured: bool) -> bool:
        """Whether `from`, where the item leaves, might bring something old, or what was never given a value."""
        copy, _ = cp.find(case, m.device, m.low, m.high, self.positive)
        if copy is None or _may_be_old(copy):
            return True
        # a structured map that copies back would copy to the device, too
        filled = copy.how in cp.IN or (copy.part is not None and covers(copy.part, m.range, self.positive))
        return unstructured and not filled

    def reaches_over(self, mapped: Mapped, device: Poly) -> None:
        """Whether what leaves, or is updated, is there in part only."""
        over: list[bool] = []
        for loc in mapped.locs:
            for case in self.cases_of(loc.obj) or (None,):
                copy, how = cp.find(case, device, loc.low, loc.high, self.positive) if case is not None else (None, "")
                known = copy is not None and copy.refs > 0 and not copy.extra and loc.obj not in self.now.many  # type: ignore[union-attr]
                alone = case is not None and sum(c.device == device for c in case.copies) == 1
                over.append(how == "over" and known and alone)
        outcome = worst(["bad" if o else "fine" for o in over])
        self.judge(OverPresent(mapped.site, mapped.name, "certain", (), mapped.kind), outcome, mapped.locs)

    def update(self, mapped: Mapped, device: Poly) -> None:
        """`target update to` or `from`."""
        assert self.now is not None
        idle = [self._update(part, device) for part in self.by_mapper(mapped) if part.kind == mapped.kind]
        if mapped.locs:
            same = RedundantUpdate(mapped.site, mapped.name, "certain", (), mapped.kind)
            # it has to be so whenever the directive is met, not in the first iteration only
            self.recorder.judge(same, "bad" if idle and all(idle) and not self.doubts else "fine", True)

    def _update(self, mapped: Mapped, device: Poly) -> bool:
        """Whether all that it copies is there already."""
        assert self.now is not None
        outcomes: list[Outcome] = []
        idle: list[bool] = []
        self.reaches_over(mapped, device)
        for loc in mapped.locs:
            self._bounds(mapped, loc)
            cases = self.cases_of(loc.obj)
            if cases is None:
                outcomes.append("fine")
                continue
            r = Range(loc.low, loc.high, True, len(mapped.locs) == 1 and not _strided(mapped, loc))
            m = mapped.mapping(loc, device, False)

            def updated(case: Copies, r: Range = r, m: cp.Mapping = m) -> Copies:
                copy, _ = cp.find(case, device, r.low, r.high, self.positive)
                if copy is None:
                    return case
                if mapped.kind == "from":
                    return cp.sent_back(case, copy, r, self.positive)
                return cp.updated_to(case, copy, r, m, self.positive)

            some = self.in_part(loc)
            outcomes += ["fine"] * some
            for case in () if some else cases:
                copy, how = cp.find(case, device, r.low, r.high, self.positive)
                idle.append(copy is not None and _is_current(copy, mapped.kind))
                absent = copy is None and how == ""
                outcomes.append("bad" if absent else "fine")
                if mapped.kind == "to":  # what it overwrites if it is turned round
                    self.recorder.risks(mapped.site, THESE if copy is None or _may_be_old(copy) else "")
            self.change(loc, updated, len(mapped.locs) > 1)
            for other in self.aliases(loc):
                r = Range(other.low, other.high, True, True)
                self.change(other, lambda c, r=r, m=m: updated(c, r, m), weak=True)  # type: ignore[misc]
        if mapped.kind == "to" and mapped.locs:
            self.copy_scalars(mapped._replace(modifiers=("always",)), [])
        if mapped.locs:
            event = UpdateAbsent(mapped.site, mapped.name, "certain", (), mapped.kind)
            self.judge(event, worst(outcomes), mapped.locs)
        return bool(idle) and all(idle)

    def lend(self, mapped: Mapped) -> None:
        """The device's address of the item becomes known to the host's code: to whom that gives it, is followed."""
        for loc in mapped.locs:
            if self.now is not None and self.cases_of(loc.obj) is not None:
                self.change(loc, _lent)


def _lent(case: cp.Copies) -> cp.Copies:
    return case._replace(copies=tuple([c._replace(lent=True) for c in case.copies]))


def _may_be_old(copy: cp.Copy) -> bool:
    """Whether the host may have newer values of some of it."""
    return bool(copy.old) or copy.extra or cp.unknown(copy)


def _is_current(copy: cp.Copy, kind: str) -> bool:
    """Whether what an update would copy is there already: nobody has written since the last time."""
    known = copy.filled == "yes" and not copy.extra and not copy.forever and not copy.lent
    return known and not copy.ahead and (not copy.old or kind == "from")


def _strided(mapped: Mapped, loc: Loc) -> bool:
    """Whether the section may leave out elements between its ends."""
    return mapped.name.count(":") > 1 or loc.low is None
