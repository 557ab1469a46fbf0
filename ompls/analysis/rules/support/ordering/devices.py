"""Device constructs: target regions, and what they and data motion copy, now or (with `nowait`) later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.paths import depth_of, root
from ompls.analysis.dataenv.region import map_type_of
from ompls.analysis.dataenv.symbolic import ONE, ZERO, LoopRange, Poly, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Expr, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import INT, Array
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import MapItem, Region, Variable
from ompls.analysis.rules.support.ordering.depend import dependences
from ompls.analysis.rules.support.ordering.model import BY_ADDRESS, Touch, Unit
from ompls.analysis.rules.support.ordering.tasks import Tasks, has
from ompls.analysis.rules.support.ordering.touches import resolved

_ON_DEVICE = frozenset(("mapped", "is_device_ptr", "has_device_addr", "declare_target"))
_IN, _OUT = frozenset(("to", "tofrom")), frozenset(("from", "tofrom"))


class Devices(Tasks):
    """`target`, `target data`, `target update`, `target enter data`, `target exit data`."""

    regions: dict[int, Region]
    present: set[Symbol]  # has storage on the device, perhaps: nothing is copied where a region begins or ends
    shared_memory: bool
    text: bytes  # of the external declaration

    def target(self, stmt: DirectiveStmt, level: int) -> None:
        directive, region = stmt.directive, self.regions.get(id(stmt))
        on_host = any(c.keyword in ("", "target") and c.args and fold(c.args[0]) == 0 for c in directive.all("if"))
        device = directive.clause("device")
        if region is None or on_host or self.side != "host" or (device is not None and "ancestor" in device.modifiers):
            self.leaf(stmt, level + 1)
            return
        outer = self.side
        self.side = "host" if self.shared_memory else _side(directive)
        inside, _ = self._apart(stmt, level)
        self.side = outer
        shared = {v.symbol: v for v in region.variables if v.sharing in _ON_DEVICE}
        reduced = {i.symbol for c in directive.all("in_reduction") for i in c.items}
        unread = {m.symbol for v in region.variables for m in v.maps if _has_mapper(m)} | reduced
        shared = {s: v for s, v in shared.items() if s not in unread}
        # what is present has one storage for all sections
        listed = [m for v in shared.values() for m in v.maps if v.symbol not in self.present]
        moving = {m.symbol for m in listed if m.item is not None and _moves(m.item.expr)}
        own = [t for t in inside if (t.via or t.symbol) in shared and (t.via or t.symbol) not in moving]
        copies = [] if self.shared_memory else [c for v in shared.values() for c in self._copies(v)]
        given = {s for s, v in shared.items() if v.sharing == "is_device_ptr"}
        own = [replace(t, side=BY_ADDRESS) if t.depth and (t.via or t.symbol) in given else t for t in own]
        self._operation(stmt, [*own, *copies])

    def _copies(self, variable: Variable) -> Iterator[Touch]:
        """What the maps of a region copy from and to the host."""
        symbol = variable.symbol
        for mapped in variable.maps if variable.sharing == "mapped" else ():
            if mapped.zero_length or symbol.declare_target:
                continue
            if symbol in self.present and "always" not in mapped.modifiers:
                continue
            expr = mapped.item.expr if mapped.item is not None else None
            read = mapped.map_type in _IN and bool(variable.reads)
            write = mapped.map_type in _OUT and bool(variable.writes)
            if read or write:
                yield self._item(symbol, expr, self._at(variable, expr), read=read, write=write)

    def _at(self, variable: Variable, expr: Expr | None) -> ast.Node:
        found: ast.Node | None = expr
        return found if found is not None else (*variable.writes, *variable.reads)[0]

    def _item(
        self, symbol: Symbol, expr: Expr | None, node: ast.Node, *, read: bool, write: bool, freed: bool = False
    ) -> Touch:
        """A list item as one access."""
        place = self.place
        depth = min(max(depth_of(expr), 0), 2) if expr is not None else 0
        made = Touch(symbol, node, depth, read, write, loops=place.loops, held=place.held, guards=place.guards,
                     copy=True, freed=freed, certain=depth < 2)  # fmt: skip
        if not isinstance(expr, (ast.Section, ast.Index)):
            return resolved(replace(made, whole=isinstance(symbol.type, Array)), place)
        subs: list[Poly | None] = []
        loops: list[LoopRange] = []
        at: Expr = expr
        while isinstance(at, (ast.Section, ast.Index)):
            sub, loop = self._range(at)
            subs.insert(0, sub)
            if loop is not None:
                loops.insert(0, loop)
            at = at.base
        return resolved(replace(made, subs=tuple(subs), loops=(*place.loops, *loops)), place)

    def _range(self, expr: ast.Section | ast.Index) -> tuple[Poly | None, LoopRange | None]:
        """One subscript of a section: an index that runs over it."""
        if isinstance(expr, ast.Index):
            return poly_of(expr.index, self.place.known), None
        lower = ZERO if expr.lower is None else poly_of(expr.lower, self.place.known)
        length = None if expr.length is None else poly_of(expr.length, self.place.known)
        base = expr.base.type
        if expr.length is None and isinstance(base, Array) and base.length is not None and lower is not None:
            length = Poly.of(base.length) - lower
        if lower is None or expr.stride is not None:
            return None, None
        if length is None:
            return lower, None  # its first element
        index = Symbol("", "var", INT)
        return Poly.of(index), LoopRange(index, lower, lower + length - ONE, 1, ast.Stmt(expr.span))

    # --- data motion

    def motion(self, stmt: DirectiveStmt) -> None:
        moved = list(self._moved(stmt, begins=True, ends=True))
        if stmt.directive.name == "target enter data":
            self.present |= _mapped_by(stmt.directive)
        self._operation(stmt, moved)

    def target_data(self, stmt: DirectiveStmt, level: int) -> None:
        self._operation(stmt, list(self._moved(stmt, begins=True, ends=False)))
        directive = stmt.directive
        before = {id(e) for e in self.entries()}
        outer = self.present
        self.present = outer | _mapped_by(directive)
        self.leaf(stmt, level + 1)
        self.present = outer
        # Since 6.0 it is a taskgroup as well, unless a clause says something else.
        if directive.clause("nogroup", "nowait", "depend") is not None:
            self.forget()
        elif self.program.settings.openmp >= "6.0" or b"_" in self.text[slice(*directive.name_span)]:
            self.drop(e for e in self.entries() if e.unit is not None and id(e) not in before)
        self._operation(stmt, list(self._moved(stmt, begins=False, ends=True)))

    def _moved(self, stmt: DirectiveStmt, begins: bool, ends: bool) -> Iterator[Touch]:
        """The accesses of a data directive, on the host and on the device."""
        name = stmt.directive.name
        for clause in stmt.directive.all("map", "to", "from"):
            kind = map_type_of(clause) if clause.name == "map" else clause.name
            into = kind in _IN and begins and name != "target exit data"
            out = kind in _OUT and ends and name != "target enter data"
            freed = name == "target exit data" or (name == "target data" and ends)
            for item in clause.items:
                symbol = root(item.expr)
                if symbol is None or self.shared_memory or any(m.startswith("mapper") for m in clause.modifiers):
                    continue
                if into or out:
                    yield self._item(symbol, item.expr, item.expr, read=into, write=out)
                if into or out or freed:
                    write = into or freed
                    yield replace(
                        self._item(symbol, item.expr, item.expr, read=out and not freed, write=write, freed=freed),
                        side=_side(stmt.directive),
                    )

    def _operation(self, stmt: DirectiveStmt, made: list[Touch]) -> None:
        """A device operation with these accesses: complete here, or going on."""
        directive = stmt.directive
        unit = Unit(stmt, dependences(directive, self.place.values.other_names), device=True)
        nowait = directive.clause("nowait")
        if nowait is None or not has(directive, "nowait") or directive.name == "target data":
            self.wait_for(unit)
            self.create(unit, made, [], keeps=False)
            return
        if nowait.args and fold(nowait.args[0]) is None:
            guard = Guard(nowait.args[0], True, (), stmt, vague=True)
            made = [replace(t, guards=(*t.guards, guard)) for t in made]
        self.create(unit, made, [])


def _side(directive: Directive) -> str:
    """The device that a construct speaks of, by its number as written."""
    clause = directive.clause("device")
    return f"device {clause.text if clause is not None else ''}"


def _moves(expr: Expr) -> bool:
    """Whether a section begins somewhere that is not a number: perhaps every region has another one."""
    return isinstance(expr, ast.Section) and expr.lower is not None and fold(expr.lower) is None


def _has_mapper(mapped: MapItem) -> bool:
    return any(m.startswith("mapper") for m in mapped.modifiers)


def _mapped_by(directive: Directive) -> set[Symbol]:
    """What has storage on the device from here on: what is only allocated, too."""
    return {s for c in directive.all("map") for i in c.items if (s := root(i.expr)) is not None}
