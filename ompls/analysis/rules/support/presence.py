"""What may be on the device at each point of a function: which storage is present, and whether it holds values.

The facts and what mappings make of them are in `facts.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import cast

from ompls.analysis.dataenv.uses import depth_of, root, walk_all
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
    Mapping,
    entered,
    filled,
    left,
    mappings,
    maps_unfollowed,
    place_in,
)
from ompls.analysis.rules.support.flow import Flow, State
from ompls.analysis.rules.support.framework import Unit
from ompls.analysis.rules.support.storage import Place, place_of, pointed_at, source_of, storages_of, strip
from ompls.analysis.spec.runtime import MAPPING_FUNCTIONS


class Presence(Flow):
    """`inside` has the facts of every class at the start of each region, after its own mapping."""

    def __init__(self, content: Content, unit: Unit, start: Facts | None = None, pending: frozenset[str] = frozenset()):
        super().__init__()
        node = content.node
        assert isinstance(node, ast.FunctionDef)
        self.function, self.unit, self.start = node, unit, start
        self.pending = pending | {node.symbol.name}
        self.storages = storages_of(node)
        self.regions = {id(r.stmt): r for r in content.regions}
        self.inside: dict[int, State] = {}
        self.local_static = {
            n.symbol for n in walk_all(node.body) if isinstance(n, ast.VarDecl) and n.symbol.storage == "static"
        }

    def facts(self, state: State, place: Place) -> Facts:
        """What holds for a place; a class with storage from elsewhere is at least unknown."""
        key = self.storages.find(place)
        return state.get(key, self.default(key))

    def default(self, key: Hashable) -> Facts:
        rep = cast(Place, key)
        members = [p for p in (rep, *self.storages.parent) if self.storages.find(p) == rep]
        if any(self.storages.find(p) == rep for p in self.storages.unknown):
            return UNKNOWN
        if self.start is not None and any(s in self.function.params for k, s in members if k == "pointee"):
            return self.start
        first_call = self.function.symbol.name == "main"
        for member_kind, s in members:
            from_outside = s.level == "file" or s in self.local_static
            if (s.kind == "param" and member_kind == "pointee") or (from_outside and not first_call):
                return UNKNOWN
        return ABSENT

    # --- host code

    def expr(self, expr: Expr, state: State) -> State:
        for node in walk_all(expr):
            if isinstance(node, ast.Call):
                state = self._call(node, state)
            elif isinstance(node, ast.Assign) and node.op == "=":
                target = strip(node.target)
                if isinstance(target, ast.Name) and target.symbol is not None:
                    state = self._assign(target.symbol, node.value, state)
        return state

    def declare(self, decl: ast.VarDecl, state: State) -> State:
        if decl.init is None:
            return state
        return self._assign(decl.symbol, decl.init, self.expr(decl.init, state))

    def _assign(self, symbol: Symbol, value: Expr, state: State) -> State:
        if not isinstance(symbol.type, Pointer):
            return state
        place: Place = ("pointee", symbol)
        key, source = self.storages.find(place), source_of(value)
        fresh = {"host": ABSENT, "unknown": UNKNOWN, "device": UNKNOWN}.get(source)
        if fresh is None:
            return state
        if not self.storages.alone(place):
            fresh |= self.facts(state, place)
        return {**state, key: fresh}

    def _call(self, call: ast.Call, state: State) -> State:
        name = call.function if isinstance(call.function, ast.Name) else None
        symbol = name.symbol if name is not None else None
        if name is not None and name.name in MAPPING_FUNCTIONS:
            return self._forget(state, call.args, False)
        if symbol is not None and symbol.kind == "func" and symbol.from_system_header:
            return state
        if name is not None and (name.name.startswith(("omp_", "__builtin_")) or name.name in _HARMLESS):
            return state
        callee = self.unit.functions.get(name.name) if name is not None else None
        if callee is None or name is None or name.name in self.pending:
            return self._forget(state, call.args, True)
        summary = self.unit.summaries.get(name.name)
        if summary is None:
            summary = self.unit.summaries[name.name] = summarise(callee, self.unit, self.pending)
        new = dict(state)
        for arg, effect in zip(call.args, summary.params, strict=False):
            place = pointed_at(arg)
            if place is not None and place[0] == "object" and isinstance(place[1].type, Pointer):  # f(&p)
                new[self.storages.find(("pointee", place[1]))] = UNKNOWN
            if place is None or effect == "none":
                continue
            key, facts = self.storages.find(place), self.facts(state, place)
            if effect in ("to", "alloc"):
                new[key] = entered(facts, Mapping(place, effect))
            elif effect in ("release", "delete"):
                new[key] = left(facts, Mapping(place, effect))
            else:
                new[key] = facts | UNKNOWN
        return self._forget(new, (), True) if summary.touches_globals else new

    def _forget(self, state: State, args: Iterable[Expr], everything: bool, escaped: bool = False) -> State:
        """After a call that may map its arguments, everything that it can reach, or what was stored somewhere."""
        new = dict(state)
        for arg in args:
            place = pointed_at(arg)
            if place is not None and isinstance(arg.type, (Pointer, Array)):
                new[self.storages.find(place)] = self.facts(state, place) | UNKNOWN
                if place[0] == "object" and isinstance(place[1].type, Pointer):  # f(&p)
                    new[self.storages.find(("pointee", place[1]))] = UNKNOWN
        if everything or escaped:
            reachable = set(self.storages.escaped) | (self._places() if everything else set())
            for place in reachable:
                new[self.storages.find(place)] = self.facts(new, place) | UNKNOWN
        return new

    def _places(self) -> set[Place]:
        """Every place at file scope that the function names."""
        found: set[Place] = set()
        for node in walk_all(self.function.body):
            if isinstance(node, ast.Name) and node.symbol is not None and node.symbol.level == "file":
                found.add(("pointee" if isinstance(node.symbol.type, Pointer) else "object", node.symbol))
        return found

    # --- directives

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        name = stmt.directive.name
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
        new = dict(self._forget(state, (), False, escaped=True) if maps_unfollowed(directive) else state)
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
                    held[self.storages.find(place)] = self.facts(within, place)
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


_HARMLESS = frozenset(
    """printf fprintf puts putchar sprintf snprintf memset memcpy memmove free malloc calloc realloc exit abort rand srand
    time clock strlen strcmp strcpy atoi atof fabs sqrt sin cos exp pow abs assert gettimeofday getenv fflush""".split()  # noqa: SIM905
)


# --- calls inside the unit


@dataclass(frozen=True, slots=True)
class Summary:
    """What a function does to the storage of each pointer parameter: 'none', a map type, or 'unknown'."""

    params: tuple[str, ...]
    touches_globals: bool


_EFFECTS: dict[tuple[str, ...], str] = {
    ("A", "V2"): "none", ("V1", "V3"): "to", ("G1", "V3"): "alloc", ("A", "V1"): "release", ("A", "A"): "delete",
}  # fmt: skip


def summarise(content: Content, unit: Unit, pending: frozenset[str]) -> Summary:
    """Runs the callee from 'absent' and from 'mapped twice'; what comes out tells its effect."""
    node = content.node
    assert isinstance(node, ast.FunctionDef)
    ends = []
    for start in ("A", "V2"):
        flow = Presence(content, unit, frozenset((start,)), pending)
        end = flow.run(node.body, {})
        for other in flow.returns:
            end = flow.join(end, other)
        ends.append((flow, end))
    effects = []
    for param in node.params:
        place: Place = ("pointee", param)
        outcome = tuple(_single(flow, end, place) for flow, end in ends)
        escaped = any(flow.storages.marked(flow.storages.escaped, place) for flow, _ in ends)
        effects.append("unknown" if escaped else _EFFECTS.get(outcome, "unknown"))
    return Summary(tuple(effects), _touches_globals(content, unit, frozenset((node.symbol.name,))))


def _single(flow: Presence, end: State | None, place: Place) -> str:
    if end is None:
        return "A"
    facts = flow.facts(end, place)
    return next(iter(facts)) if len(facts) == 1 else "?"


def _touches_globals(content: Content, unit: Unit, seen: frozenset[str]) -> bool:
    """Whether it maps something at file scope or behind pointers in memory, or calls code that may."""
    for stmt in content.directives:
        lasting = stmt.directive.name in ("target enter data", "target exit data")
        at_file_scope = any(m.place[1].level == "file" for m in mappings(stmt.directive))
        if lasting and (at_file_scope or maps_unfollowed(stmt.directive)):
            return True
    for symbol in content.calls:
        if symbol.from_system_header or symbol.name in _HARMLESS or symbol.name.startswith(("omp_", "__builtin_")):
            continue
        callee = unit.functions.get(symbol.name)
        if callee is None:
            return True
        if symbol.name not in seen and _touches_globals(callee, unit, seen | {symbol.name}):
            return True
    return False


def presence_of(content: Content, unit: Unit) -> Presence:
    """The analysis of one function, from a caller that is not known."""
    flow = Presence(content, unit)
    node = content.node
    assert isinstance(node, ast.FunctionDef)
    flow.run(node.body, {})
    return flow


def weakest(clause: Clause | None) -> bool:
    """Whether an `if` or `device` clause leaves open that the region runs on the host."""
    if clause is None or not clause.args:
        return False
    value = fold(clause.args[0])
    return not value if clause.name == "if" else value is None or value < 0
