"""What code gives another value: which nodes do that, and to what."""

from __future__ import annotations

from ompls.analysis.model.ast import Assign, Expr, Name, Node, Symbol, Unary, VarDecl, walk_all
from ompls.analysis.model.peel import bare

_CHANGING = frozenset((Assign, Unary, VarDecl))


def assigned_by(node: Node) -> Expr | None:
    """The lvalue that the node itself gives another value."""
    if isinstance(node, Assign):
        return node.target
    return node.operand if isinstance(node, Unary) and node.op in ("++", "--") else None


def changed_by(node: Node) -> Expr | None:
    """The same, and the lvalue of which it takes the address: who has that may change it."""
    return node.operand if isinstance(node, Unary) and node.op == "&" else assigned_by(node)


def variable_changed_by(node: Node) -> Symbol | None:
    """The variable that the node itself declares, gives another value as a whole, or takes the address of."""
    if type(node) not in _CHANGING:  # hardly any is
        return None
    if isinstance(node, VarDecl):
        return node.symbol
    target = bare(changed_by(node))
    return target.symbol if isinstance(target, Name) else None


def assigned_in(node: Node) -> set[Symbol]:
    """All variables of which something in `node` does that, clauses included."""
    changing = [n for n in walk_all(node) if type(n) in _CHANGING]
    return {symbol for n in changing if (symbol := variable_changed_by(n)) is not None}
