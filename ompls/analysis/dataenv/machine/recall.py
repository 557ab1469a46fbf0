"""Calls that were walked before: what a call did is kept with its function, for the same input.

The input is what the function can reach: its arguments, the variables at file scope that it or its callees name, and
all that pointers in these lead to.  An edit in one function of a program then costs the calls that get there, and not
all that `main` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ompls.analysis.dataenv.machine.cases import Cases
from ompls.analysis.dataenv.machine.events import Recorder
from ompls.analysis.dataenv.machine.facts import facts_of
from ompls.analysis.dataenv.machine.objects import Beyond
from ompls.analysis.dataenv.machine.outside import is_harmless
from ompls.analysis.dataenv.machine.state import State
from ompls.analysis.dataenv.machine.values import Cell, Obj, Value
from ompls.analysis.dataenv.symbolic import Atom, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.tu import Content
from ompls.analysis.spec.known import KNOWN

_NONE: Mapping[str, Any] = {}
_REACH = f"{__name__} reach"  # in `Content.memo`
_MOST = 12  # inputs that are kept for one function
_ALLOCATE = frozenset(name for name, row in KNOWN.items() if row.allocates is not None)


class Reach(NamedTuple):
    """What a function calls, with the definitions; the variables that these name.

    allocates -- whether one of them allocates; every -- whether other code is called, which knows all variables
    """

    called: Mapping[str, Content | None]
    variables: Mapping[str, Symbol | None]
    allocates: bool
    every: bool


class Done(NamedTuple):
    """What a call did to the objects that it could reach, and what was noticed."""

    reach: Reach
    around: tuple[object, ...]
    result: Value
    ended: bool
    cells: Mapping[Cell, Value]
    cases: Mapping[Obj, Cases | None]
    many: frozenset[Obj]
    each: frozenset[Obj]
    device: Poly | None
    sizes: frozenset[Atom]
    log: tuple[tuple[str, tuple[object, ...]], ...]
    steps: int
    beyond: frozenset[Beyond]


def reach_of(content: Content, functions: Mapping[str, Content], symbols: Mapping[str, Symbol]) -> Reach:
    """What a function reaches: kept with it, the same object as long as that is what it was."""
    kept: Reach | None = content.memo.get(_REACH)
    if (
        kept is None
        or (kept.called and not all(functions.get(n) is c for n, c in kept.called.items()))
        or (kept.variables and not all(symbols.get(n) is s for n, s in kept.variables.items()))
    ):
        kept = content.memo[_REACH] = _looked_for(content, functions, symbols)
    return kept


def _looked_for(content: Content, functions: Mapping[str, Content], symbols: Mapping[str, Symbol]) -> Reach:
    seen: dict[str, Content | None] = {}
    strangers: dict[str, Content | None] = {}
    waiting = [content]
    names: set[str] = set()
    allocates = every = False
    while waiting:
        one = waiting.pop()
        facts = facts_of(one)
        names |= facts.globals
        allocates = allocates or any(name in _ALLOCATE for _, name in facts.calls)
        for name in (*[s.name for s in one.calls], *sorted(facts.handed)):  # these may be called, by a pointer
            if name not in seen:
                called = seen[name] = functions.get(name)
                if called is not None:
                    waiting.append(called)
        others = [s.name for s in one.calls if s.name not in functions and not s.from_system_header]
        every = every or not all(is_harmless(n) for n in (*others, *one.strangers))
        strangers.update({name: functions.get(name) for name in one.strangers})
    variables = _leading_to(names, symbols)
    seen |= strangers
    return Reach(seen or _NONE, variables or _NONE, allocates, every)


def _leading_to(names: Iterable[str], symbols: Mapping[str, Symbol]) -> dict[str, Symbol | None]:
    """Variables at file scope by their names, and those to which the values that they start with lead."""
    found: dict[str, Symbol | None] = {}
    waiting = set(names)
    while waiting:
        found.update({n: symbols.get(n) for n in waiting})
        starts = [s.init for n in waiting if (s := found[n]) is not None and s.init is not None]
        named = {n.symbol.name for e in starts for n in e.walk() if isinstance(n, ast.Name) and n.symbol is not None}
        waiting = {n for n in named - found.keys() if n in symbols}  # no set of all: it would read all headers
    return {n: found[n] for n in sorted(found)}


def reached(state: State, args: list[Value], reach: Reach) -> set[Obj]:
    """The objects that a call can get at."""
    names = None if reach.every else reach.variables
    found = {t.obj for v in args if isinstance(v, frozenset) for t in v}
    held: dict[Obj, list[Obj]] = {}
    for (obj, _), value in state.cells.items():
        if _is_static(obj, names):
            found.add(obj)
        if isinstance(value, frozenset):
            held.setdefault(obj, []).extend([t.obj for t in value])
    found.update(obj for obj in state.cases if _is_static(obj, names))
    waiting = list(found)
    while waiting:
        obj = waiting.pop()
        for other in (*held.get(obj, ()), *((obj.of,) if obj.of is not None else ())):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _is_static(obj: Obj, names: Mapping[str, Symbol | None] | None) -> bool:
    """Whether it is a variable at file scope with one of these names (None: any), or static in a function."""
    symbol = obj.symbol
    if symbol is None:
        return obj.kind == "copy" and isinstance(obj.key, Obj) and _is_static(obj.key, names)
    return names is None or symbol.name in names if symbol.level == "file" else symbol.storage == "static"


def of_copies(objs: set[Obj]) -> set[Obj]:
    """With the devices' values of their scalars."""
    return objs | {Obj("copy", o) for o in objs}


def is_from(obj: Obj, chain: tuple[object, ...]) -> bool:
    """Whether it was allocated in this call, or in one below it."""
    return obj.kind in ("heap", "device") and isinstance(obj.key, tuple) and obj.key[: len(chain)] == chain


def replay(recorder: Recorder, log: tuple[tuple[str, tuple[object, ...]], ...]) -> None:
    """What was noticed then is noticed again."""
    for name, args in log:
        getattr(recorder, name)(*args)


def keep(content: Content, key: object, done: Done) -> None:
    kept: dict[object, Done] = content.memo.setdefault(__name__, {})
    if len(kept) >= _MOST:
        kept.pop(next(iter(kept)))
    kept[key] = done


def recall(content: Content, key: object, reach: Reach, around: object) -> Done | None:
    """What is kept for an input, if all that it depends on is as it was."""
    kept: dict[object, Done] = content.memo.get(__name__, {})
    done = kept.get(key)
    return done if done is not None and done.reach == reach and done.around == around else None
