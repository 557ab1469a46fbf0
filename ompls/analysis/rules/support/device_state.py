"""What mapping directives make of the state of device storage along a function: `DeviceState`, the flow under `Presence`.

The facts and what mappings make of them are in `facts.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import cast

from ompls.analysis.dataenv.paths import depth_of, root, walk_all
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import Content, Region
from ompls.analysis.rules.support.facts import (
    ABSENT,
    PRESENT,
    UNKNOWN,
    Facts,
    entered,
    filled,
    left,
    mappings,
    maps_unfollowed,
    place_in,
)
from ompls.analysis.rules.support.flow import Flow, State
from ompls.analysis.rules.support.storage import Place, place_of, pointed_at, storages_of


class DeviceState(Flow):
    """`inside` has the facts of every class at the start of each region, after its own mapping.

    start -- what holds at first for what a parameter points to, where that is known
    device -- a device number: directives that name another one in their `device` clause do nothing to its storage.
              None: all count, as if there were one device
    """

    def __init__(
        self, content: Content, start: Mapping[Symbol, Facts] | None = None, device: int | None = None
    ) -> None:
        super().__init__()
        node = content.node
        assert isinstance(node, ast.FunctionDef)
        self.function, self.start, self.device = node, start or {}, device
        self.storages = storages_of(node)
        self.regions = {id(r.stmt): r for r in content.regions}
        self.inside: dict[int, State] = {}
        self.local_static, self.global_places = _from_outside(node)

    def facts(self, state: State, place: Place) -> Facts:
        """What holds for a place; a class with storage from elsewhere is at least unknown."""
        key = self.storages.find(place)
        return state.get(key, self.default(key))

    def default(self, key: Hashable) -> Facts:
        rep = cast(Place, key)
        members = [p for p in (rep, *self.storages.parent) if self.storages.find(p) == rep]
        if any(self.storages.find(p) == rep for p in self.storages.unknown):
            return UNKNOWN
        params = [s for k, s in members if k == "pointee" and s in self.function.params]
        if params and all(s in self.start for s in params):
            return frozenset().union(*(self.start[s] for s in params))
        first_call = self.function.symbol.name == "main"
        for member_kind, s in members:
            from_outside = s.level == "file" or s in self.local_static
            if (s.kind == "param" and member_kind == "pointee") or (from_outside and not first_call):
                return UNKNOWN
        return ABSENT

    # --- calls that are not followed

    def forget(self, state: State, args: Iterable[Expr], everything: bool, escaped: bool = False) -> State:
        """After a call that may map its arguments, everything that it can reach, or what was stored somewhere."""
        new = dict(state)
        for arg in args:
            place = pointed_at(arg)
            if place is not None and isinstance(arg.type, (Pointer, Array)):
                new[self.storages.find(place)] = self.facts(state, place) | UNKNOWN
                if place[0] == "object" and isinstance(place[1].type, Pointer):  # f(&p)
                    new[self.storages.find(("pointee", place[1]))] = UNKNOWN
        if everything or escaped:
            reachable = self.storages.escaped | (self.global_places if everything else set())
            for place in reachable:
                new[self.storages.find(place)] = self.facts(new, place) | UNKNOWN
        return new

    # --- directives

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        name = stmt.directive.name
        if self.device is not None and device_number(stmt.directive) not in (None, self.device):
            # A region on another device changes host data at most; a `target data` of another is its body here.
            return self.stmt(stmt.body, state) if name == "target data" else state
        region = self.regions.get(id(stmt))
        if region is not None:
            return self._region(region, stmt, state)
        if name == "target enter data":
            return self._perhaps(stmt.directive, state, self._enter(stmt.directive, state))
        if name == "target exit data":
            return self._perhaps(stmt.directive, state, self._exit(stmt.directive, state))
        if name == "target update":
            return self._update(stmt.directive, state)
        if name == "target data":
            return self._data(stmt, state)
        return self.construct(stmt, state)

    def _perhaps(self, directive: Directive, without: State, with_it: State) -> State:
        """An `if` clause may switch the directive off."""
        clause = directive.clause("if")
        value = fold(clause.args[0]) if clause is not None and clause.args else None
        if clause is None or value:
            return with_it
        return (without if value == 0 else self.join(without, with_it)) or with_it

    def _enter(self, directive: Directive, state: State) -> State:
        new = dict(self.forget(state, (), False, escaped=True) if maps_unfollowed(directive) else state)
        for mapping in mappings(directive):
            new[self.storages.find(mapping.place)] = entered(self.facts(new, mapping.place), mapping)
        return new

    def _exit(self, directive: Directive, state: State) -> State:
        new = dict(state)
        for mapping in mappings(directive):
            new[self.storages.find(mapping.place)] = left(self.facts(new, mapping.place), mapping)
        return new

    def _update(self, directive: Directive, state: State) -> State:
        new = dict(state)
        for clause in directive.all("to"):
            for item in clause.items:
                if (place := place_of(item.expr)) is not None:
                    new[self.storages.find(place)] = filled(self.facts(new, place))
        return new

    def _data(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        directive = stmt.directive
        within = self._perhaps(directive, state, self._enter(directive, state))
        held: State = {}
        for clause in directive.all("use_device_ptr", "use_device_addr"):
            for item in clause.items:
                symbol = item.symbol or root(item.expr)
                if symbol is not None:
                    place: Place = ("pointee" if isinstance(symbol.type, Pointer) else "object", symbol)
                    # Who gets the device's address is likely to fill what is there.
                    held[self.storages.find(place)] = filled(self.facts(within, place))
        end = self.stmt(stmt.body, {**within, **dict.fromkeys(held, PRESENT)})
        if end is None:
            return None
        end = {**end, **held}
        return self._perhaps(directive, end, self._exit(directive, end))

    def _region(self, region: Region, stmt: ast.DirectiveStmt, state: State) -> State:
        inside = self._enter(stmt.directive, state)
        self.inside[id(stmt)] = inside
        after = dict(inside)
        for variable in region.variables:
            place = place_in(variable)
            if variable.writes:
                after[self.storages.find(place)] = filled(self.facts(after, place))
            if place[0] == "pointee" and any(isinstance(n, Expr) and depth_of(n) == 0 for n in variable.writes):
                after[self.storages.find(place)] = UNKNOWN  # a device address may come back in it
        for mapping in mappings(stmt.directive):
            after[self.storages.find(mapping.place)] = left(self.facts(after, mapping.place), mapping)
        return after


def _from_outside(function: ast.FunctionDef) -> tuple[set[Symbol], set[Place]]:
    """The static variables of a function, and every place at file scope that it names."""
    static: set[Symbol] = set()
    at_file_scope: set[Place] = set()
    for node in walk_all(function.body):
        if isinstance(node, ast.VarDecl) and node.symbol.storage == "static":
            static.add(node.symbol)
        elif isinstance(node, ast.Name) and node.symbol is not None and node.symbol.level == "file":
            at_file_scope.add(("pointee" if isinstance(node.symbol.type, Pointer) else "object", node.symbol))
    return static, at_file_scope


def device_number(directive: Directive) -> int | None:
    """The number in its `device` clause; None when there is none, or one that is not a constant."""
    clause = directive.clause("device")
    if clause is None or not clause.args or "ancestor" in (clause.keyword, *clause.modifiers):
        return None
    number = fold(clause.args[0])
    return number if isinstance(number, int) and number >= 0 else None


def weakest(clause: Clause | None) -> bool:
    """Whether an `if` or `device` clause leaves open that the region runs on the host."""
    if clause is None or not clause.args:
        return False
    value = fold(clause.args[0])
    return not value if clause.name == "if" else value is None or value < 0
