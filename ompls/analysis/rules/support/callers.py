"""Who calls a function, when that can be known: a `static` one whose address is never taken."""

from __future__ import annotations

import re

from ompls.analysis.dataenv.paths import walk_all
from ompls.analysis.model import ast
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Unit

# A word that is not called; strings and comments are skipped.
_WORD = re.compile(rb'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*|\b([A-Za-z_]\w*)\b(?!\s*\()', re.S)


def direct_callers(content: Content, unit: Unit) -> tuple[Content, ...]:
    """All functions that call this one; () when there are none, or when others may call it."""
    node = content.node
    if not isinstance(node, ast.FunctionDef) or node.symbol.storage != "static":
        return ()
    name = node.symbol.name
    if unit.functions.get(name) is not content:
        return ()
    if not unit.callers:
        _look_through(unit)
    return () if name in unit.words else unit.callers.get(name, ())


def _look_through(unit: Unit) -> None:
    """Find out who calls what, and which names stand for something else than a call."""
    graph: dict[str, list[Content]] = {}
    for content in unit.contents:
        unit.words.update(_words(content))
        for symbol in content.calls:
            graph.setdefault(symbol.name, []).append(content)
    unit.callers.update({name: tuple(found) for name, found in graph.items()})
    unit.callers[""] = ()  # made, also when nothing calls anything


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


def calls_of(caller: Content, name: str) -> list[ast.Call]:
    """The calls of the function `name` in the body of `caller`."""
    calls = (n for n in walk_all(caller.node) if isinstance(n, ast.Call))
    return [n for n in calls if isinstance(n.function, ast.Name) and n.function.name == name]


def _words(content: Content) -> frozenset[str]:
    """Words of the text that stand for something else than a call; kept with the text."""
    words = content.memo.get("words")
    if words is None:
        words = content.memo["words"] = frozenset(w.decode() for w in _WORD.findall(content.text) if w)
    found: frozenset[str] = words
    return found
