"""Barriers that a function leaves to the team of its caller, and conditions that differ between threads."""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Expr, FunctionDef, Node, Span, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import peel, strip
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Unit

_KEY = "orphans"
_MEETS = frozenset(("for", "sections", "single", "scope"))
_NEW_TEAM = frozenset(("parallel", "target", "teams"))
THREAD_NUMBER = "omp_get_thread_num"


@dataclass(frozen=True, slots=True)
class Meeting:
    """A place that all threads of a team have to come to: a barrier, a worksharing construct, a call of a function
    that holds one.

    around -- constructs, branches and loops between it and the function (or the `parallel` that begins the team),
              innermost first
    name -- for people
    """

    node: Node
    span: Span
    name: str
    around: tuple[Node, ...]


def meets(directive: Directive) -> bool:
    """Whether every thread of the team, or none, has to come to it (5.2 §15.3.1, §11)."""
    return directive.name == "barrier" or directive.constructs[:1] in [(c,) for c in _MEETS]


def meetings(content: Content, unit: Unit) -> list[Meeting]:
    """All such places of a function, those inside its own `parallel` constructs too."""
    function = content.node
    if not isinstance(function, FunctionDef) or not _may_meet(content, unit):
        return []
    found: list[Meeting] = []
    waiting: list[tuple[Node, tuple[Node, ...]]] = [(function.body, ())]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, DirectiveStmt):
            directive = node.directive
            if meets(directive):
                found.append(Meeting(node, directive.name_span, f"`{directive.constructs[0]}`", around))
            around = () if _NEW_TEAM & set(directive.constructs) else (node, *around)
        elif isinstance(node, ast.Call) and isinstance(node.function, ast.Name):
            called = unit.functions.get(node.function.name)
            if called is not None and called is not content and holds_barrier(called, unit):
                found.append(Meeting(node, node.function.span, f"the barrier in `{node.function.name}`", around))
        elif isinstance(node, (ast.If, ast.For, ast.While, ast.DoWhile, ast.Switch)):
            around = (node, *around)
        waiting.extend((child, around) for child in reversed(list(node.children())))
    return found


def _may_meet(content: Content, unit: Unit) -> bool:
    return any(s.name in unit.functions for s in content.calls) or any(meets(s.directive) for s in content.directives)


def holds_barrier(content: Content, unit: Unit) -> bool:
    """Whether a function certainly comes to an explicit barrier that binds to its caller's team."""
    known: dict[Content, bool] = unit.summaries.setdefault(_KEY, {})
    waiting = [content]
    while waiting:
        at = waiting[-1]
        if at in known:
            waiting.pop()
            continue
        own, calls = _unconditional(at)
        below = [c for name in calls if (c := unit.functions.get(name)) is not None and c not in waiting]
        unknown = [c for c in below if c not in known]
        if own or not unknown:
            known[at] = own or any(known[c] for c in below)
            waiting.pop()
        else:
            waiting += unknown
    return known[content]


def _unconditional(content: Content) -> tuple[bool, tuple[str, ...]]:
    """Whether a barrier stands in the function outside of all conditions; and which functions it calls there."""
    kept: tuple[bool, tuple[str, ...]] | None = content.memo.get(_KEY)
    if kept is not None:
        return kept
    own, calls = False, []
    waiting: list[Node] = [content.node.body] if isinstance(content.node, FunctionDef) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Jump, ast.Labeled)) or (isinstance(node, ast.If) and _jumps(node)):
            break  # what comes after may not be reached
        if isinstance(node, (ast.If, ast.For, ast.While, ast.DoWhile, ast.Switch, ast.Conditional)):
            continue
        if isinstance(node, DirectiveStmt):
            own = own or node.directive.name == "barrier"
            if node.directive.name != "critical":
                continue
        if isinstance(node, ast.Call) and isinstance(node.function, ast.Name):
            calls.append(node.function.name)
        waiting.extend(reversed(list(node.children())))
    content.memo[_KEY] = made = (own, tuple(calls))
    return made


def _jumps(node: Node) -> bool:
    return any(isinstance(n, ast.Jump) for n in node.walk())


def picks_threads(condition: Expr | None, function: FunctionDef, team: int = 0) -> bool | None:
    """Whether a condition holds for some threads of a team and not for others; None: perhaps.

    Decided for comparisons of the thread's number with a constant, and for its truth value; `<` and the like where the
    text says how many threads the `team` has.
    """
    if condition is None:
        return False
    numbers = _thread_numbers(function)

    def is_number(expr: Expr) -> bool:
        expr = strip(expr)
        if isinstance(expr, ast.Binary) and expr.op == "%":
            return is_number(expr.left)
        return _is_call(expr) or (isinstance(expr, ast.Name) and expr.symbol in numbers)

    condition = peel(condition, ops="!")
    if is_number(condition):
        return True
    if isinstance(condition, ast.Binary) and condition.op in ("==", "!="):
        left, right = condition.left, condition.right
        if (is_number(left) and fold(right) is not None) or (is_number(right) and fold(left) is not None):
            return True
    if isinstance(condition, ast.Binary) and condition.op in ("<", "<=", ">", ">="):
        left, right = condition.left, condition.right
        bound = fold(right) if is_number(left) else fold(left) if is_number(right) else None
        at = strip(left) if is_number(left) else strip(right)
        if bound is not None and 0 < bound < team - 1 and not isinstance(at, ast.Binary):
            return True
    inside = (n for n in condition.walk() if isinstance(n, Expr))
    return None if any(_is_call(n) or (isinstance(n, ast.Name) and n.symbol in numbers) for n in inside) else False


def _is_call(expr: Expr) -> bool:
    return isinstance(expr, ast.Call) and isinstance(expr.function, ast.Name) and expr.function.name == THREAD_NUMBER


def _thread_numbers(function: FunctionDef) -> set[Symbol]:
    """Variables that hold the thread's number and nothing else."""
    found: dict[Symbol, bool] = {}
    for node in function.body.walk():
        symbol, value = None, None
        if isinstance(node, ast.VarDecl) and node.init is not None:
            symbol, value = node.symbol, node.init
        elif isinstance(node, ast.Assign) and isinstance(node.target, ast.Name):
            symbol, value = node.target.symbol, node.value if node.op == "=" else None
        if symbol is not None:
            found[symbol] = found.get(symbol, True) and value is not None and _is_call(value)
    return {s for s, only in found.items() if only}
