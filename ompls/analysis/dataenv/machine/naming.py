"""What accesses are called in messages; how the outcomes of several cases add up."""

from __future__ import annotations

from ompls.analysis.dataenv.machine.events import Outcome
from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node
from ompls.analysis.model.ctype import Pointer


def worst(outcomes: list[Outcome]) -> Outcome:
    """Bad when it is so in every case; perhaps when it is so in some."""
    if outcomes and all(o == "bad" for o in outcomes):
        return "bad"
    return "perhaps" if any(o != "fine" for o in outcomes) else "fine"


def pointer_of(node: Node) -> str:
    """The pointer that an access follows last: `p` of `p[i]`, `*p` and `p->x`, `s.p` of `s.p[i].x`."""
    while isinstance(node, (ast.Paren, ast.Member, ast.Index)):
        inner = node.inner if isinstance(node, ast.Paren) else node.base
        if not isinstance(node, ast.Paren) and isinstance(inner.type, Pointer):
            return name_of(inner)
        node = inner
    return name_of(node)


def name_of(node: Node) -> str:
    """The variable that an access starts from, with the members on the way."""
    if isinstance(node, ast.VarDecl):
        return node.symbol.name
    expr = node
    words: list[str] = []
    while not isinstance(expr, ast.Name):
        if isinstance(expr, ast.Member):
            words.insert(0, ("->" if expr.arrow else ".") + expr.field)
            expr = expr.base
        elif isinstance(expr, (ast.Index, ast.Section)):
            expr = expr.base
        elif isinstance(expr, ast.Paren):
            expr = expr.inner
        elif isinstance(expr, (ast.Unary, ast.Cast)):
            expr = expr.operand
        else:
            symbol = root(expr) if isinstance(expr, ast.Expr) else None
            return symbol.name if symbol is not None else ""
    return expr.name + "".join(words)
