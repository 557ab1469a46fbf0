"""Who calls a function, when that can be known: a `static` one whose address is never taken."""

from __future__ import annotations

from collections.abc import Iterable

from ompls.analysis.model import ast
from ompls.analysis.model.ast import walk_all
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Unit
from ompls.analysis.rules.support.mentions import mentions

_FEW = 100  # functions of which the callers are looked for one by one: an edit asks for those of what it changed


def direct_callers(content: Content, unit: Unit) -> tuple[Content, ...]:
    """All functions that call this one; () when there are none, or when others may call it."""
    node = content.node
    if not isinstance(node, ast.FunctionDef) or node.symbol.storage != "static":
        return ()
    name = node.symbol.name
    if unit.functions.get(name) is not content:
        return ()
    known = unit.callers.get(name)
    if known is None and len(unit.callers) < _FEW:
        known = unit.callers[name] = _look_for(name, unit)
    elif known is None:
        if "" not in unit.callers:
            _look_through(unit)
        known = unit.callers.get(name, ())
    return known


def _look_for(name: str, unit: Unit) -> tuple[Content, ...]:
    """The callers of one function; () when its name stands for something else than a call somewhere."""
    found: list[Content] = []
    for group in unit.groups:
        words, graph = mentions(group)
        if name in words:
            return ()
        found += graph.get(name, ())
    return tuple(found)


def _look_through(unit: Unit) -> None:
    """Find out who calls what: the same for all functions at once."""
    kept = [mentions(group) for group in unit.groups]
    found: dict[str, tuple[Content, ...]] = {}
    for _, graph in kept:
        for name, callers in graph.items():
            found[name] = (*found.get(name, ()), *callers)
    for words, _ in kept:
        found.update(dict.fromkeys(words & found.keys(), ()))
    unit.callers.update(found)
    unit.callers[""] = ()  # it was done, also when nothing calls anything


def callers_above(content: Content, unit: Unit) -> tuple[Content, ...]:
    """The callers, theirs, and so on, as far as they are known; () for a function that may call itself."""
    above: dict[Content, None] = {}
    waiting = list(direct_callers(content, unit))
    while waiting:
        caller = waiting.pop()
        if caller is content:
            return ()
        if caller not in above:
            above[caller] = None
            waiting += direct_callers(caller, unit)
    return tuple(above)


def known_callers(contents: Iterable[Content], unit: Unit) -> dict[Content, tuple[Content, ...]]:
    """The functions that can only be called from known places, and those above them, each with its callers."""
    seen: dict[Content, tuple[Content, ...]] = {}
    waiting = list(contents)
    while waiting:
        content = waiting.pop()
        if content not in seen and _is_static(content):
            seen[content] = direct_callers(content, unit)
            waiting += seen[content]
    return seen


def _is_static(content: Content) -> bool:
    return isinstance(content.node, ast.FunctionDef) and content.node.symbol.storage == "static"


def calls_of(caller: Content, name: str) -> list[ast.Call]:
    """The calls of the function `name` in the body of `caller`."""
    calls = (n for n in walk_all(caller.node) if isinstance(n, ast.Call))
    return [n for n in calls if isinstance(n.function, ast.Name) and n.function.name == name]
