"""Who calls a function, when that can be known: a `static` one whose address is never taken."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
    for group in unit.groups:
        kept = group.memo.get(__name__)
        if kept is None:
            kept = group.memo[__name__] = _calling(group.contents)
        words, graph = kept
        unit.words.update(words)
        for name, callers in graph.items():
            unit.callers[name] = (*unit.callers.get(name, ()), *callers)
    unit.callers[""] = ()  # made, also when nothing calls anything


def _calling(contents: Iterable[Content]) -> tuple[frozenset[str], dict[str, tuple[Content, ...]]]:
    """Words that stand for something else than a call, and the callers of each function."""
    graph: dict[str, list[Content]] = {}
    for content in contents:
        for symbol in content.calls:
            graph.setdefault(symbol.name, []).append(content)
    words = frozenset().union(*[_words(content) for content in contents])
    return words, {name: tuple(found) for name, found in graph.items()}


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


def known_callers(contents: Iterable[Content], unit: Unit) -> tuple[tuple[Content, tuple[Content, ...]], ...]:
    """The functions that can only be called from known places, and those above them, each with its callers."""
    seen: dict[Content, tuple[Content, ...]] = {}
    waiting = list(contents)
    while waiting:
        content = waiting.pop()
        if content not in seen and _is_static(content):
            seen[content] = direct_callers(content, unit)
            waiting += seen[content]
    return tuple(seen.items())


def _is_static(content: Content) -> bool:
    return isinstance(content.node, ast.FunctionDef) and content.node.symbol.storage == "static"


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
