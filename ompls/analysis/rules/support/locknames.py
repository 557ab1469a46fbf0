"""The lock variables of the file that nothing initialises: a question about all of it, answered once for a version."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol, walk_all
from ompls.analysis.model.items import Group
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Unit, of_whole
from ompls.analysis.rules.support.locks import lock_call

_KEY = __name__
_USES = ("set", "unset", "test", "destroy")


@of_whole
def never_initialised(unit: Unit) -> frozenset[str]:
    """The names of those that are taken somewhere, and appear nowhere but in calls that take, try, release or end them."""
    symbols = [symbol for group in unit.groups for symbol in _of_file(group)]
    taken = {symbol.name for symbol in symbols if is_whole(symbol, unit)}
    for content in unit.contents if taken else ():
        taken -= others(content)
    return frozenset(taken)


def is_whole(symbol: Symbol, unit: Unit) -> bool:
    """Whether all uses of the variable are in this unit."""
    if symbol.kind != "var" or symbol.storage == "extern" or symbol.init is not None:
        return False
    if symbol.level == "file":
        return symbol.storage == "static" or ("main" in unit.functions and symbol.defined)
    return True


def taken_in(content: Content) -> Iterator[tuple[ast.Call, Symbol]]:
    """The calls that take or try a lock, with the variable."""
    for node in walk_all(content.node) if b"_lock" in content.text else ():
        routine = lock_call(node)
        if routine is not None and routine[0] in ("set", "test") and (symbol := root(routine[2])) is not None:
            yield routine[1], symbol


def others(content: Content) -> frozenset[str]:
    """Names of variables that stand anywhere but in calls that take, try, release or end a lock."""
    found: frozenset[str] | None = content.memo.get(_KEY)
    if found is None:
        skipped: set[int] = set()
        names: set[str] = set()
        for node in walk_all(content.node):
            routine = lock_call(node)
            if routine is not None and routine[0] in _USES:
                skipped.update(id(n) for n in routine[1].args[0].walk())
            elif isinstance(node, ast.Name) and id(node) not in skipped and node.symbol is not None:
                names.add(node.name)
        found = content.memo[_KEY] = frozenset(names)
    return found


def _of_file(group: Group) -> tuple[Symbol, ...]:
    """The variables at file scope that are taken in the group."""
    kept: tuple[Symbol, ...] | None = group.memo.get(_KEY)
    if kept is None:
        taken = dict.fromkeys(s for c in group.contents for _, s in taken_in(c) if s.level == "file")
        kept = group.memo[_KEY] = tuple(taken)
    return kept
