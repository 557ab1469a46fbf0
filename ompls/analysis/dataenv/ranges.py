"""Loops that give variables their ranges, and what a polynomial reaches over them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ompls.analysis.dataenv.expressions import Values, is_integer, poly_of
from ompls.analysis.dataenv.poly import Atom, Opaque, Order, Poly, sign
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.peel import strip


class LoopRange(NamedTuple):
    """The values that a loop's variable takes in its body.

    symbol -- the variable; None: not canonical, nothing is known but `stmt`
    lower, upper -- the smallest and the largest value (inclusive), in terms of what is known before the loop and of
                    the variables of loops around it; None: not known
    step -- from one iteration to the next (signed); 0: not known
    stmt -- the loop
    exact -- whether the loop, when it runs at all, takes both values
    stride -- with step 0: what is added each time, when that is no number: `i += threads`
    factor -- with step 0: what the variable is multiplied by each time; negative: divided by (`s >>= 1` is -2)

    `for (i = n - 1; i >= 0; i--)` is (i, 0, n - 1, -1).
    """

    symbol: Symbol | None
    lower: Poly | None
    upper: Poly | None
    step: int
    stmt: ast.Stmt
    exact: bool = True
    stride: Poly | None = None
    factor: int = 0

    @property
    def trips(self) -> Poly | None:
        """The number of iterations of a loop with step 1 or -1, or with constant bounds."""
        if self.lower is None or self.upper is None or not self.step:
            return None
        width = self.upper - self.lower
        if abs(self.step) == 1:
            return width + 1
        known = width.constant
        return None if known is None else Poly.of(max(0, known // abs(self.step) + 1))


def loop_range(stmt: ast.For, values: Values | None = None, before: Values | None = None) -> LoopRange | None:
    """The range of a canonical loop: `i < n`, `<=`, `>`, `>=`, `!=`; `i++`, `i += 2`, `i = i - 1`; None for others.

    values -- what variables hold in the loop; before -- what they hold where it starts (the same when left out).
    That the body leaves the variable alone is the caller's to know.
    """
    head = _start(stmt)
    if head is None:
        return None
    symbol, start = head
    step = _step(stmt.step, symbol, values)
    limit = _limit(stmt.condition, symbol)
    if step is None or step == 0 or limit is None:
        return None
    op, bound = limit
    if any(isinstance(n, ast.Name) and n.symbol is symbol for n in bound.walk()):
        return None
    if (op in ("<", "<=") and step < 0) or (op in (">", ">=") and step > 0) or (op == "!=" and abs(step) != 1):
        return None
    first, last = poly_of(start, values if before is None else before), poly_of(bound, values)
    if last is not None and op in ("<", ">", "!="):
        last = last + (-1 if step > 0 else 1)
    exact = True
    if abs(step) != 1:
        width = (last - first).constant if first is not None and last is not None else None
        exact = width is not None
        if width is not None and first is not None:
            last = first + abs(width) // abs(step) * step
    lower, upper = (first, last) if step > 0 else (last, first)
    return LoopRange(symbol, lower, upper, step, stmt, exact)


def uneven_range(stmt: ast.For, values: Values, before: Values) -> LoopRange | None:
    """The range of a loop that has no constant step: `i += threads`, `s *= 2`, `s >>= 1`; arguments as `loop_range`."""
    head, step = _start(stmt), strip(stmt.step) if stmt.step is not None else None
    if head is None or not isinstance(step, ast.Assign) or not _is(step.target, head[0]):
        return None
    symbol, start = head
    factor = fold(step.value) if step.op in _FACTORS else None
    stride = poly_of(step.value, values) if step.op == "+=" else None
    if factor is None and stride is None:
        return None
    if factor is not None:
        factor = 1 << min(factor, 16) if step.op in ("<<=", ">>=") and factor > 0 else factor
        if factor < 2:
            return None
        factor *= _FACTORS[step.op]
    falling = factor is not None and factor < 0
    op, bound = _limit(stmt.condition, symbol) or ("", None)
    if falling and stmt.condition is not None and _is(stmt.condition, symbol):
        op = "!="  # `s; s >>= 1` ends at 0
    first, last = poly_of(start, before), poly_of(bound, values) if bound is not None else Poly.of(0)
    if op not in ((">", ">=", "!=") if falling else ("<", "<=")) or first is None or last is None:
        return None
    if symbol in last.symbols() or (stride is not None and symbol in stride.symbols()):
        return None
    if op not in ("<=", ">="):
        last = last + (1 if falling else -1)
    low, high = (last, first) if falling else (first, last)
    if factor is not None and (low.constant or 0) < 1:
        return None
    return LoopRange(symbol, low, high, 0, stmt, False, stride, factor or 0)


_FACTORS = {"*=": 1, "<<=": 1, "/=": -1, ">>=": -1}


def _start(stmt: ast.For) -> tuple[Symbol, Expr] | None:
    if isinstance(stmt.init, ast.DeclStmt) and len(stmt.init.decls) == 1:
        decl = stmt.init.decls[0]
        return (decl.symbol, decl.init) if decl.init is not None and is_integer(decl.symbol.type) else None
    expr = strip(stmt.init.expr) if isinstance(stmt.init, ast.ExprStmt) and stmt.init.expr is not None else None
    if isinstance(expr, ast.Assign) and expr.op == "=":
        target = strip(expr.target)
        if isinstance(target, ast.Name) and target.symbol is not None and is_integer(target.symbol.type):
            return target.symbol, expr.value
    return None


def _is(expr: Expr, symbol: Symbol) -> bool:
    expr = strip(expr)
    return isinstance(expr, ast.Name) and expr.symbol is symbol


def _step(expr: Expr | None, symbol: Symbol, values: Values | None) -> int | None:
    expr = strip(expr) if expr is not None else None
    if isinstance(expr, ast.Unary) and expr.op in ("++", "--") and _is(expr.operand, symbol):
        return 1 if expr.op == "++" else -1
    if not isinstance(expr, ast.Assign) or not _is(expr.target, symbol):
        return None
    if expr.op in ("+=", "-="):
        step = poly_of(expr.value, values)
        known = step.constant if step is not None else None
        return known if known is None or expr.op == "+=" else -known
    if expr.op == "=":
        after = poly_of(expr.value)
        return (after - Poly.of(symbol)).constant if after is not None else None
    return None


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def _limit(expr: Expr | None, symbol: Symbol) -> tuple[str, Expr] | None:
    expr = strip(expr) if expr is not None else None
    if not isinstance(expr, ast.Binary) or expr.op not in _MIRRORED:
        return None
    if _is(expr.left, symbol):
        return expr.op, expr.right
    return (_MIRRORED[expr.op], expr.left) if _is(expr.right, symbol) else None


def range_over(p: Poly, loops: Iterable[LoopRange], steps: bool = False) -> tuple[Poly, Poly] | None:
    """The smallest and the largest value of `p` over loops (outermost first); None when it is not monotonic in one.

    j + i*C over i = 0..R-1, j = 0..C-1 is (0, R*C - 1).  Bounds of inner loops may name outer variables.
    `steps`: also where it is not linear in one, as i*(i + 1)/2 + j, by what it grows from one value to the next.
    """
    loops = list(loops)
    low = high = p
    for loop in reversed(loops):
        symbol = loop.symbol
        if symbol is None or (symbol not in low.symbols() and symbol not in high.symbols()):
            continue
        if loop.lower is None or loop.upper is None:
            return None
        of_low, of_high = (_direction(p, symbol, loops, steps) for p in (low, high))
        if not of_low or not of_high:
            return None
        low = low.substitute({symbol: loop.lower if of_low in _RISING else loop.upper})
        high = high.substitute({symbol: loop.upper if of_high in _RISING else loop.lower})
    return low, high


_RISING = (">", ">=", "==")


def _direction(p: Poly, symbol: Symbol, loops: list[LoopRange], steps: bool) -> Order:
    """Whether `p` rises or falls with `symbol`; '' when it does both or that is not known."""
    parts = p.coefficient(symbol)
    if parts is not None:
        return sign_over(parts[0], loops)
    return _growth(p, symbol, loops) if steps else ""


def _growth(p: Poly, symbol: Symbol, loops: list[LoopRange]) -> Order:
    """How the next value compares with one, when `symbol` grows by 1; '' when that is not always the same."""
    inside = [(m, c) for m, c in p.terms.items() if any(isinstance(a, Opaque) and symbol in _names(a) for a, _ in m)]
    plain = p - Poly(dict(inside))
    found = [_least_sign(plain.substitute({symbol: Poly.of(symbol) + 1}) - plain, loops)]
    for m, c in inside:
        (atom, power), *others = m
        if others or not isinstance(atom, Opaque) or atom.op != "/" or power != 1 or (atom.args[1].constant or 0) < 1:
            return ""
        found.append(_growth(atom.args[0] * (1 if c > 0 else -1), symbol, loops))
    if all(f in _RISING for f in found):
        return ">="
    return "<=" if all(f in ("<", "<=", "==") for f in found) else ""


def _names(atom: Opaque) -> frozenset[Symbol]:
    return frozenset().union(*(arg.symbols() for arg in atom.args))


def _least_sign(p: Poly, loops: list[LoopRange]) -> Order:
    """As `sign_over`, where a loop's lower bound may be an outer loop's variable."""
    known: list[LoopRange] = []
    for loop in loops:
        least = range_over(loop.lower, known) if loop.lower is not None else None
        known.append(loop._replace(lower=least[0]) if least is not None else loop)
    return sign_over(p, known)


def sign_over(p: Poly, loops: Iterable[LoopRange]) -> Order:
    """As `sign`, where the variables of `loops` are at least their lower bounds instead of 1."""
    if p.constant is not None:
        return sign(p)
    shifted: dict[Atom, Poly] = {}
    unknown: set[Atom] = set()
    for loop in loops:
        if loop.symbol is not None and loop.symbol in p.symbols():
            least = loop.lower.constant if loop.lower is not None else None
            if least is None:
                unknown.add(loop.symbol)
            else:
                shifted[loop.symbol] = Poly.of(loop.symbol) + (least - 1)
    return sign(p.substitute(shifted), lambda a: a not in unknown)
