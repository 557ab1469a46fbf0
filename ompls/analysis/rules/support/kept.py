"""What the rules said, kept with the groups of declarations (`model/items.py`) that they said it about.

Most of an edited unit are groups in which nothing changed and that call nothing that did.  To see that costs a few
look-ups for each group, so that the rules of a file cost what was edited in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from ompls.analysis.model.ast import FunctionDef, Symbol
from ompls.analysis.model.items import Group
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.callers import direct_callers, known_callers
from ompls.analysis.rules.support.framework import Finding, Rule, Unit
from ompls.analysis.rules.support.noticed import follow, noticed

Found = tuple[tuple[int, Rule, Finding], ...]  # number of the declaration in its group, and what was said about it
_KEY, _MARK = __name__, f"{__name__} mark"  # _MARK: the version in which what is kept held
_ANSWER = f"{__name__} answer"


class _Kept(NamedTuple):
    around: Hashable
    answers: dict[str, object]
    callers: dict[Content, tuple[Content, ...]]
    names: frozenset[str]  # of `answers`, and of those of which the callers are known
    events: object
    headers: frozenset[bool]  # `Unit.asked_headers`
    found: Found


def findings_of(
    group: Group,
    around: Hashable,
    unit: Unit,
    findings: Callable[[Content], Iterable[tuple[Rule, Finding]]],
    apart: str = "",
) -> Found:
    """What `findings` says about each declaration of the group; `around`: what it depends on besides these, their known
    callers, what these and they call, and what the abstract machine noticed in them.

    apart -- the name under which it is kept beside the others; it does not depend on what the machine noticed
    """
    events = () if apart else _events(group, unit)
    key, mark = _KEY + apart, _MARK + apart
    kept: _Kept | None = group.memo.get(key)
    same = kept is not None and kept.around == around and kept.events == events and unit.headers_told(kept.headers)
    if kept is not None and same and (unit.same_since(group.memo.get(mark), kept.names) or _same(kept, unit)):
        group.memo[mark] = unit.mark
        return kept.found
    unit.asked_headers.clear()
    found = tuple([(at, *said) for at, content in enumerate(group.contents) for said in findings(content)])
    asked = asked_of(unit)
    if not unit.unfinished:
        callers = known_callers(group.contents, unit)
        above = dict.fromkeys(caller for known in callers.values() for caller in known)
        static = [c.node.symbol.name for c in callers if isinstance(c.node, FunctionDef)]
        answers = _asked((*group.contents, *above), unit)
        group.memo[key] = _Kept(around, answers, callers, frozenset([*answers, *static]), events, asked, found)
        group.memo[mark] = unit.mark
    return found


def asked_of(unit: Unit) -> frozenset[bool]:
    """What `unit.asked_headers` holds, to be kept: equal sets are one object."""
    asked = frozenset(unit.asked_headers)
    return _ASKED.setdefault(asked, asked)


_ASKED: dict[frozenset[bool], frozenset[bool]] = {}


def answer(name: str, unit: Unit) -> object:
    """What the unit says about a function that is called: its definition, and how it is declared."""
    known = unit.answers.get(name)
    if known is None:
        function, end = unit.functions.get(name), at_end(unit.symbols.get(name))
        known = unit.answers[name] = (None, end) if function is None else _of_function(function, end)
    return known


def _of_function(function: Content, end: object) -> object:
    """The same object for all who ask: each version of a `main` remembers the answers about all that it calls."""
    known = function.memo.get(_ANSWER)
    if known is None or known[1] != end:
        known = function.memo[_ANSWER] = (function.serial, end)
    return known


def at_end(symbol: Symbol | None) -> object:
    """What rules ask of a function's name at the end of the unit."""
    if symbol is None:
        return None
    end = (symbol.declare_target, symbol.from_system_header, symbol.kind)
    return _ENDS.setdefault(end, end)


_ENDS: dict[object, object] = {}


def names_called(content: Content) -> list[str]:
    """What a declaration calls, also without a declaration of it: it may be defined further down."""
    return [*[symbol.name for symbol in content.calls], *content.strangers]


def _same(kept: _Kept, unit: Unit) -> bool:
    for name, known in kept.answers.items():
        if answer(name, unit) != known:
            return False
    return all(direct_callers(content, unit) == known for content, known in kept.callers.items())


def _asked(contents: Iterable[Content], unit: Unit) -> dict[str, object]:
    """The functions that the declarations call, directly or through others."""
    seen: dict[str, object] = {}
    waiting = [name for content in contents for name in names_called(content)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen[name] = answer(name, unit)
            called = unit.functions.get(name)
            waiting += names_called(called) if called is not None else []
    return seen


def _events(group: Group, unit: Unit) -> object:
    """What was noticed in the group's functions."""
    if not group.functions:
        return ()
    if "" not in unit.noticed:
        follow(unit)
    if unit.noticed.keys().isdisjoint(group.functions):
        return ()
    return tuple([noticed(content, unit) for content in group.contents])
