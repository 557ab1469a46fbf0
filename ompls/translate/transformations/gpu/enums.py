"""Where C and C++ compute differently with enumerations.

An enumeration without negative values is `unsigned int` for gcc in C, and is promoted to that; C++ promotes it to int
because its values fit.  So `-`, `<`, `/`, … of one need a cast in CUDA C++.  Enumerators are int for both.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import UNSIGNED, CType, Enum
from ompls.analysis.model.peel import bare


def promoted_operands(n: ast.Node) -> Iterator[ast.Expr]:
    """The operands of `n` that C promotes to unsigned int and C++ to int, where that can make a difference."""
    operands: list[ast.Expr] = []
    if isinstance(n, ast.Binary) and n.op not in (",", "&&", "||"):
        operands = [n.left, n.right]
        if n.op in ("==", "!=") and all(_small(e) for e in operands):
            operands = []
    elif isinstance(n, ast.Unary) and n.op in ("-", "~", "+") and not n.postfix:
        operands = [n.operand]
    elif isinstance(n, ast.Conditional) and n.then is not None and unqualified(n.type) == UNSIGNED:
        operands = [n.then, n.otherwise]
    elif isinstance(n, ast.Assign) and n.op in ("/=", "%=", ">>=") and not isinstance(n.target.type, Enum):
        operands = [n.value]
    return (e for e in operands if promotion(e.type))


def promotion(t: CType) -> str:
    """The cast that makes of an operand of type `t` what C does and C++ does not; '' where they agree."""
    return "(unsigned)" if isinstance(t, Enum) and unqualified(t.underlying) == UNSIGNED else ""


def _small(e: ast.Expr) -> bool:
    """Whether C and C++ compare `e` for equality alike: an enumeration, an enumerator or a literal."""
    e = bare(e)
    return (
        isinstance(e.type, Enum)
        or isinstance(e, ast.IntLiteral)
        or (
            isinstance(e, ast.Name)
            and e.symbol is not None
            and e.symbol.kind == "enumconst"
            and (e.symbol.value or 0) >= 0
        )
    )
