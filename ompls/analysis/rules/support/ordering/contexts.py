"""Functions whose tasks no other thread can run: the program calls them outside of any parallel region only.

By the letter such a task may still run later; every implementation runs it at once, and programs rely on that.
"""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Node
from ompls.analysis.model.items import Group
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Unit, of_whole

_KEY = "ordering-calls"
# Inside of these, several threads may be there.
_SEVERAL = frozenset(("parallel", "teams", "target"))
Calls = tuple[bool, dict[str, bool]]


@of_whole
def sequential(unit: Unit) -> frozenset[str]:
    """Names of the functions that create tasks outside of any construct with threads, and are never called from one.

    Empty when the unit has no `main`: others may call its functions.
    """
    if "main" not in unit.functions or not any(_creates(group) for group in unit.groups):
        return frozenset()
    made = [_calls(content) for content in unit.contents]
    names = {n: _calls(content) for n, content in unit.functions.items()}
    # A function that is named but not called may be called from anywhere.
    beside = {name for _, calls in made for name, several in calls.items() if several}
    waiting = list(beside)
    while waiting:
        for called in names.get(waiting.pop(), (False, {}))[1]:
            if called not in beside:
                beside.add(called)
                waiting.append(called)
    called_at_all = {name for _, calls in made for name in calls} | {"main"}
    return frozenset(n for n, (orphans, _) in names.items() if orphans and n in called_at_all and n not in beside)


def _creates(group: Group) -> bool:
    """Whether a function of the group creates tasks outside of constructs with threads."""
    kept: bool | None = group.memo.get(_KEY)
    if kept is None:
        kept = group.memo[_KEY] = any(_calls(content)[0] for content in group.contents)
    return kept


def _calls(content: Content) -> Calls:
    """Whether tasks are created outside of constructs with threads; the functions that are named, and whether inside."""
    kept: Calls | None = content.memo.get(_KEY)
    if kept is not None:
        return kept
    orphans, calls = False, dict[str, bool]()
    waiting: list[tuple[Node, bool]] = [(content.node, False)]
    while waiting:
        node, several = waiting.pop()
        if isinstance(node, DirectiveStmt):
            constructs = set(node.directive.constructs)
            orphans = orphans or (bool(constructs & {"task", "taskloop"}) and not several)
            several = several or bool(constructs & _SEVERAL)
        elif isinstance(node, ast.Call) and isinstance(node.function, ast.Name):
            calls[node.function.name] = calls.get(node.function.name, False) or several
            waiting.extend((arg, several) for arg in node.args)
            continue
        elif isinstance(node, ast.Name) and node.symbol is not None and node.symbol.kind == "func":
            calls[node.name] = True
        waiting.extend((child, several) for child in node.children())
    content.memo[_KEY] = made = (orphans, calls)
    return made
