"""What a called function of the unit accesses, in terms of its parameters; kept with its `Content`."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace

from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.places import Env, Place, pointee_of
from ompls.analysis.dataenv.records import Access, Held, Sync, Walk, settled
from ompls.analysis.dataenv.symbolic import Atom, LoopRange, Poly, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.substituted import substituted
from ompls.analysis.model.tu import Content

_Move = Callable[["Poly | None"], "Poly | None"]
_MakeWalk = Callable[[ast.FunctionDef, "Summaries"], Walk]
_KEY = "access summary"
_DEEPEST = 6  # calls in calls
_MANY = 400  # accesses of one function; a larger one is not known


@dataclass(frozen=True, slots=True)
class Summary:
    """What a caller can see of a function.

    steady -- parameters that it gives no other value
    sets -- variables at file scope that it may give another value
    syncs -- where threads wait in it
    waits, locks -- whether a thread may wait for another in it
    kept, given -- locks that the caller holds after it, and that it gives back for the caller: at file scope, or where
                   a parameter leads to
    """

    content: Content
    params: tuple[Symbol, ...]
    steady: frozenset[Symbol]
    accesses: tuple[Access, ...]
    sets: frozenset[Symbol]
    syncs: tuple[Sync, ...]
    waits: bool
    locks: bool
    kept: frozenset[Held]
    given: frozenset[Held]


class Summaries:
    """Summaries by the function's name; each is made once for a text and what it calls."""

    def __init__(self, functions: Mapping[str, Content], walk: _MakeWalk) -> None:
        self.functions = functions
        self.walk = walk
        self.active: list[str] = []

    def of(self, name: str) -> Summary | None:
        """None when the function is not known, calls itself, or is too large."""
        content = self.functions.get(name)
        if content is None or name in self.active or len(self.active) >= _DEEPEST:
            return None
        if any("metadirective" in s.directive.name for s in content.directives):
            return None  # what it does is not decided here
        node = content.node
        if not isinstance(node, ast.FunctionDef):
            return None
        below = self._below(content)
        kept = content.memo.get(_KEY)
        if kept is not None and kept[0] == below:
            known: Summary | None = kept[1]
            return known
        self.active.append(name)
        made = self._make(content, node)
        self.active.pop()
        if not self.active or made is not None:
            content.memo[_KEY] = (below, made)
        return made

    def _below(self, content: Content) -> tuple[Content | None, ...]:
        """The definitions of everything that the function calls, directly or not."""
        seen: dict[str, Content | None] = {}
        waiting = list(content.calls)
        while waiting:
            name = waiting.pop().name
            if name not in seen:
                called = self.functions.get(name)
                seen[name] = called
                waiting += called.calls if called is not None else []
        return tuple(seen.values())

    def _make(self, content: Content, node: ast.FunctionDef) -> Summary | None:
        found = self.walk(node, self)
        params = set(node.params)
        seen = [settled(a, 0, found.touched) for a in found.accesses if _is_visible(a, params, found.declared)]
        if len(seen) > _MANY:
            return None
        sets = frozenset(a.symbol for a in seen if a.write and a.depth == 0 and not a.place.path)
        return Summary(
            content, tuple(node.params), frozenset(params - assigned_in(node)), tuple(seen), sets, tuple(found.syncs),
            bool(found.waits), bool(found.locks), _for_callers(found.kept, params), _for_callers(found.given, params),
        )  # fmt: skip


def _for_callers(locks: frozenset[Held], params: set[Symbol]) -> frozenset[Held]:
    """Those that a caller can name: the lock is a variable at file scope, or a parameter leads to it."""

    def is_known(lock: object) -> bool:
        if not isinstance(lock, Place) or lock.since:
            return False
        return lock.symbol.level == "file" or (lock.symbol in params and lock.depth > 0)

    return frozenset(h for h in locks if is_known(h[1]))


def _is_visible(access: Access, params: set[Symbol], declared: Container[Symbol]) -> bool:
    symbol = access.symbol
    if access.owner is not None or symbol in declared:
        return False
    return access.depth > 0 if symbol in params else symbol.level == "file" or symbol.storage == "static"


class Passed:
    """What is known of a function in terms of what a call passes to it."""

    def __init__(self, params: tuple[Symbol, ...], call: ast.Call, env: Env, steady: frozenset[Symbol]) -> None:
        self._args = dict(zip(params, call.args, strict=False)) if len(params) == len(call.args) else None
        self._env = env
        self._values: dict[Atom, Poly] = {}
        self._lost: set[Symbol] = set()
        self._given = {p: a for p, a in (self._args or {}).items() if p in steady}
        self._guards: dict[Guard, Guard] = {}
        for param, arg in (self._args or {}).items():
            value = poly_of(arg, env.values) if not isinstance(param.type, Pointer) else None
            if value is None:
                self._lost.add(param)
            else:
                self._values[param] = value

    def access(self, access: Access) -> Access | None:
        """None when no variable leads there."""
        place = self._place(access.place)
        if place is None:
            return None
        loops = tuple([_moved_loop(loop, self._poly) for loop in access.loops])
        guards = tuple([self._guard(guard) for guard in access.guards])
        return replace(access, place=place, loops=loops, guards=guards, held=self.locks(access.held))

    def locks(self, held: frozenset[Held]) -> frozenset[Held]:
        """Those of which it is known where they are; most functions have none."""
        if not held:
            return held
        moved = ((kind, self._place(lock) if isinstance(lock, Place) else lock) for kind, lock in held)
        return frozenset((kind, lock) for kind, lock in moved if lock is not None)

    def _place(self, place: Place) -> Place | None:
        if self._args is None:
            return None
        place = place._replace(subscripts=tuple([self._poly(s) for s in place.subscripts]))
        if place.symbol in self._args:
            target = pointee_of(self._args[place.symbol], self._env)
            return _joined(target, place) if target is not None else None
        # where the function itself gave the pointer its value
        return place._replace(sure=False, since=0) if place.since else place

    def _guard(self, guard: Guard) -> Guard:
        found = self._guards.get(guard)
        if found is None:
            facts = tuple([(p, op) for old, op in guard.facts if (p := self._poly(old)) is not None])
            given = substituted(guard.asked, self._given)
            found = self._guards[guard] = replace(guard, facts=facts, passed=True, given=given)
        return found

    def _poly(self, p: Poly | None) -> Poly | None:
        return None if p is None or (self._lost and self._lost & p.symbols()) else p.substitute(self._values)


def _joined(target: Place, place: Place) -> Place:
    """What `place`, which starts at a pointer, is when the pointer points to `target`."""
    start = target.shifted(place.subscripts[0] if place.subscripts else None)
    if not place.path or place.path[0] != "[]":
        return target.blurred()
    return Place(
        start.symbol,
        start.depth + place.depth - 1,
        (*start.path, *place.path[1:]),
        (*start.subscripts, *place.subscripts[1:]),
        (*start.dims, *place.dims[1:]),
        start.sure and place.sure and not place.since,
        start.since,
    )


def _moved_loop(loop: LoopRange, moved: _Move) -> LoopRange:
    return loop._replace(lower=moved(loop.lower), upper=moved(loop.upper), stride=moved(loop.stride))
