"""What steers a loop: expressions that choose a buffer, a function or a branch by the number of the iteration.

    for (int t = 0; t < steps; t++) {
        float *in = t % 2 ? b : a, *out = buffers[1 - now];

Where they are known, the iterations of such a loop are walked one by one (`phases.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import is_address, named_in
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, Function, Pointer
from ompls.analysis.model.peel import indexed

_ARITHMETIC = {ast.Name, ast.IntLiteral, ast.CharLiteral, ast.Paren, ast.Unary, ast.Binary}
_MOST_TURNS = 3  # larger ones are about something done now and then, not about buffers that take turns


def steering(
    stmt: ast.For | ast.While | ast.DoWhile, changed: set[Symbol], inner: set[Symbol]
) -> list[tuple[Expr, Symbol | None]]:
    """Arithmetic on what changes from iteration to iteration, but not inside of one, that chooses what is worked on.

    changed -- variables that the loop changes; inner -- those that loops in it change
    With a subscript that takes the loop along an array, that array.
    """
    found = []
    counter = named_in(stmt.step) if isinstance(stmt, ast.For) and stmt.step is not None else set()
    for expr, array in _choosing(stmt.body, counter):
        named = named_in(expr)
        if named & changed and not named & inner and is_arithmetic(expr):
            found.append((expr, array))
    return found


def is_arithmetic(expr: Expr) -> bool:
    """Whether it is made of names, numbers and operators only."""
    return {type(n) for n in expr.walk()} <= _ARITHMETIC


def _choosing(body: Node, counter: set[Symbol]) -> Iterator[tuple[Expr, Symbol | None]]:
    for n in _with_items(body):
        chooses = isinstance(n, ast.Conditional) and n.then is not None and is_address(n.type)
        if chooses or (isinstance(n, ast.If) and _takes_turns(n.condition)):
            yield n.condition, None  # type: ignore[attr-defined]
        elif isinstance(n, ast.Index) and isinstance(n.type, Pointer):
            base = indexed(n)
            if isinstance(base, ast.Name) and isinstance(base.type, Array):
                index = n.index if base is n.base else n.base
                each = isinstance(index, ast.Name) and index.symbol in counter
                yield index, base.symbol if each and not isinstance(n.type.to, Function) else None


def _with_items(body: Node) -> Iterator[Node]:
    """What stands in the statement, list items of clauses included."""
    for n in body.walk():
        yield n
        if isinstance(n, ast.DirectiveStmt):
            for clause in n.directive.clauses:
                for item in clause.items:
                    if item.expr is not None:
                        yield from item.expr.walk()


def _takes_turns(condition: Expr) -> bool:
    """`t % 2`, `i & 1`: every second or third iteration goes another way."""
    for n in condition.walk():
        if isinstance(n, ast.Binary) and n.op in ("%", "&"):
            by = fold(n.right)
            if by is not None and by + (n.op == "&") <= _MOST_TURNS:
                return True
    return False
