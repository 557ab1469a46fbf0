"""What may be on the device at each point of a function: which storage is present, and whether it holds values.

This adds to `DeviceState` what the host's code does: assignments to pointers, and calls, which count with a summary of
the callee when it is in this unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ompls.analysis.dataenv.paths import walk_all
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.callers import callers_above, calls_of, direct_callers
from ompls.analysis.rules.support.device_state import DeviceState, device_number
from ompls.analysis.rules.support.facts import ABSENT, UNKNOWN, Facts, Mapped, entered, left, mappings, maps_unfollowed
from ompls.analysis.rules.support.flow import State
from ompls.analysis.rules.support.framework import Unit
from ompls.analysis.rules.support.storage import Place, pointed_at, source_of, strip
from ompls.analysis.spec.runtime import MAPPING_FUNCTIONS


class Presence(DeviceState):
    """The state of device storage along one function of `unit`; `pending` are the callers that wait for it."""

    def __init__(
        self,
        content: Content,
        unit: Unit,
        start: Mapping[Symbol, Facts] | None = None,
        pending: frozenset[str] = frozenset(),
        device: int | None = None,
    ) -> None:
        super().__init__(content, start, device)
        self.unit = unit
        self.pending = pending | {self.function.symbol.name}
        self.at_calls: dict[int, State] = {}  # before each call of a function of this unit

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
            return self.forget(state, call.args, False)
        if symbol is not None and symbol.kind == "func" and symbol.from_system_header:
            return state
        if name is not None and (name.name.startswith(("omp_", "__builtin_")) or name.name in _HARMLESS):
            return state
        callee = self.unit.functions.get(name.name) if name is not None else None
        if callee is not None:
            self.at_calls[id(call)] = state
        if callee is None or name is None or name.name in self.pending:
            return self.forget(state, call.args, True)
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
                new[key] = entered(facts, Mapped(place, effect))
            elif effect in ("release", "delete"):
                new[key] = left(facts, Mapped(place, effect))
            else:
                new[key] = facts | UNKNOWN
        return self.forget(new, (), True) if summary.touches_globals else new


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
        flow = Presence(content, unit, dict.fromkeys(node.params, frozenset((start,))), pending)
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
    """The analysis of one function, with what its callers have mapped as far as they are known.

    A region on a device with a number sees what is on that device: the function is followed once for each of them.
    """
    known = unit.presences.get(content)
    if isinstance(known, Presence):
        return known
    flow = unit.presences[content] = _followed(content, unit, None)
    numbers = {n for d in content.directives if (n := device_number(d.directive)) is not None}
    for number in numbers if len(numbers) > 1 else ():
        view = _followed(content, unit, number)
        for region in content.regions:
            if device_number(region.directive) == number and id(region.stmt) in view.inside:
                flow.inside[id(region.stmt)] = view.inside[id(region.stmt)]
    return flow


def _followed(content: Content, unit: Unit, device: int | None) -> Presence:
    flow = Presence(content, unit, _handed_over(content, unit), device=device)
    flow.run(flow.function.body, {})
    return flow


def _handed_over(content: Content, unit: Unit) -> dict[Symbol, Facts]:
    """What holds for what each pointer parameter points to, when all callers are known."""
    node = content.node
    if not isinstance(node, ast.FunctionDef) or not callers_above(content, unit):
        return {}
    found: dict[Symbol, Facts] = {}
    for caller in direct_callers(content, unit):
        if caller.tainted or not isinstance(caller.node, ast.FunctionDef):
            return {}
        flow = presence_of(caller, unit)
        for call in calls_of(caller, node.symbol.name):
            for param, facts in zip(node.params, _arguments(flow, call, len(node.params)), strict=True):
                found[param] = found.get(param, frozenset()) | facts
    return found


def _arguments(flow: Presence, call: ast.Call, count: int) -> list[Facts]:
    """What is on the device of each argument's storage; unknown where the callee may have another way to it."""
    state = flow.at_calls.get(id(call))
    if state is None or len(call.args) != count:
        return [UNKNOWN] * count
    places = [pointed_at(a) for a in call.args]
    classes = [flow.storages.find(p) if p is not None else None for p in places]
    found: list[Facts] = []
    for place, key in zip(places, classes, strict=True):
        known = place is not None and classes.count(key) == 1 and place[1].level != "file"
        if place is None or not known or flow.storages.marked(flow.storages.escaped | flow.storages.device, place):
            found.append(UNKNOWN)
        else:
            found.append(flow.facts(state, place))
    return found
