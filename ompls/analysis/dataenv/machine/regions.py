"""Target regions: their data come, the body runs on the device, the data go."""

from __future__ import annotations

from abc import abstractmethod

from ompls.analysis.dataenv.faults import (
    Does,
    FreedUsed,
    HostPointer,
    MapsUnset,
    OtherDevice,
    PointsBefore,
    Seen,
)
from ompls.analysis.dataenv.machine.cases import ALL_CLEAN
from ompls.analysis.dataenv.machine.closed import is_closed
from ompls.analysis.dataenv.machine.constructs import in_order
from ompls.analysis.dataenv.machine.copies import Copies, Copy, find, outside_copy
from ompls.analysis.dataenv.machine.facts import facts_of
from ompls.analysis.dataenv.machine.mappers import Mapped
from ompls.analysis.dataenv.machine.objects import LOOKS, Where
from ompls.analysis.dataenv.machine.pieces import Pieces
from ompls.analysis.dataenv.machine.routines import INITIAL
from ompls.analysis.dataenv.machine.values import Loc, Obj, Range, Site, Value, at_start, order
from ompls.analysis.dataenv.machine.written import Lost
from ompls.analysis.dataenv.symbolic import ZERO, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Array, Pointer, Record
from ompls.analysis.model.tu import Region, Variable


class Regions(Pieces):
    """`target` walks one."""

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
        if self.frame.around:
            self.is_elsewhere(directive, self.used_in(region), device)
        pieces = self.told_apart(region)
        items = self.region_items(region)
        if not pieces and self.ends_as_it_begins(region, items, device):
            return
        for mapped in items:
            self.enter(mapped, device)
        self.unlisted(region, device)
        if self.now is not None:
            self.body(region, device)
        if self.now is not None:
            for mapped in reversed(items):
                self.leave(mapped, device)
            self.settle()
            self.put_back(pieces)
            self.private_results(region)
        self.doubts -= doubt
        self.or_else(before, directive, choice)

    def ends_as_it_begins(self, region: Region, items: list[Mapped], device: Poly) -> bool:
        """Whether all is known to be well before a region that is plainly closed."""
        content = self.frame.content
        watched = self.recorder.watch is not None and self.recorder.watch.point.content is content
        if self.now is None or self.conditional or watched or not is_closed(region, content):
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
        return not any((c[0].key if c[0].kind == "copy" else c[0]) in objs for c in self.scanned())

    @abstractmethod
    def defines(self, name: str) -> bool:
        """Whether the unit has a function of that name."""

    def used_in(self, region: Region) -> dict[Obj, str]:
        """What the region's variables are and lead to, with their names."""
        found: dict[Obj, str] = {}
        for variable in region.variables:
            obj = self.variable(variable.symbol)
            found[obj] = variable.symbol.name
            if isinstance(variable.symbol.type, Pointer):
                value = self.load(Loc(obj, ZERO, obj.size, variable.symbol.type))
                found |= {t.obj: variable.symbol.name for t in value} if isinstance(value, frozenset) else {}
        return found

    def private_results(self, region: Region) -> None:
        """What the region assigned to a copy of a global that is firstprivate by default is gone."""
        if self.now is None or region.wants_copies:
            return
        for variable in region.variables:
            symbol = variable.symbol
            written = [n for n in variable.writes if isinstance(n, ast.Name)]
            if variable.copied_by_default and written and symbol.level == "file":
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
                    self.on_the_way(m.item.expr)
                elif not m.zero_length:
                    symbol = variable.symbol
                    loc = Loc(self.variable(symbol), ZERO, self.size_of_variable(symbol), symbol.type)
                    site = Site(self.frame.name, region.directive.name_span)
                    found.append(Mapped(symbol.name, [loc], m.map_type, m.modifiers, site, False))
        return in_order(found, self.positive)

    def unlisted(self, region: Region, device: Poly) -> None:
        """Pointers that no clause lists, and that the region follows: where they lead is looked at here."""
        by_default = region.directive.clause("device") is None
        for variable in region.variables if not region.tainted else ():
            implicit = any(m.zero_length and m.item is None for m in variable.maps) and variable.sharing == "mapped"
            followed = [n for n in (*variable.reads, *variable.writes) if not isinstance(n, ast.Name)]
            if self.now is None or not implicit or not followed:
                continue
            name, obj, site = variable.symbol.name, self.variable(variable.symbol), self.site(min(followed, key=_start))
            loc = Loc(obj, ZERO, obj.size, variable.symbol.type)
            if self.is_unset([loc]) and not any(isinstance(n, ast.Name) for n in variable.writes):
                self.judge(MapsUnset(site, name, "certain", (), "followed"), "bad")
            value = self.load(loc)
            self.of_another(OtherDevice(site, name, "certain", (), "used"), value, device, by_default)
            self.point_before(value, device, site, name)

    def point_before(self, value: Value, device: Poly, site: Site, name: str) -> None:
        """An unlisted pointer to storage of which only a part further on is mapped: it comes as a section of length
        zero, which is in no mapped section, so that it keeps the host's address (5.2 §5.8.6)."""
        if self.now is None or not isinstance(value, frozenset) or len(value) != 1:
            return
        ((target, at, _),) = value
        found = [self.begins_after(case, device, at) for case in self.cases_of(target) or (None,)]
        if (copy := found[0]) is not None:
            related = (Seen(copy.origin, Does.MAPPED_BEHIND),)
            event = PointsBefore(site, name, "certain", related)
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
        where.construct = region
        where.chosen = region.directive.clause("defaultmap") is not None
        self.spend(LOOKS * len(region.variables))
        self.device_pointers(region, device)
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

    def device_pointers(self, region: Region, device: Poly) -> None:
        """`is_device_ptr` for an address of the host, another device, freed memory; `has_device_addr` of the host."""
        for item in [i for c in region.directive.all("has_device_addr") for i in c.items]:
            symbol = item.symbol
            if symbol is not None and not isinstance(symbol.type, Pointer):
                lies = symbol.kind == "var" and symbol.level == "block" and symbol not in self.frame.own
                site = Site(self.frame.name, item.span)
                event = HostPointer(site, item.text, "certain", (), "has_device_addr")
                self.judge(event, "bad" if lies and symbol.storage not in ("static", "extern") else "fine")
        for clause in region.directive.all("is_device_ptr"):
            for item in clause.items:
                if item.symbol is None or self.now is None or not isinstance(item.symbol.type, Pointer):
                    continue
                obj = self.variable(item.symbol)
                value = self.load(Loc(obj, ZERO, obj.size, item.symbol.type))
                known = isinstance(value, frozenset) and value
                host = known and all(t.obj.kind in ("heap", "variable") for t in value)  # type: ignore[union-attr]
                site = Site(self.frame.name, item.span)
                self.judge(HostPointer(site, item.text), "bad" if host else "fine")
                by_default = region.directive.clause("device") is None
                self.of_another(OtherDevice(site, item.text, how="used"), value, device, by_default)
                freed = known and all(self.is_gone(t.obj) for t in value)  # type: ignore[union-attr]
                self.judge(FreedUsed(site, item.text), "bad" if freed else "fine")

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


def _start(node: ast.Node) -> ast.Span:
    return node.span
