"""Loops and nests of them as counts of normalised iterations (OpenMP 5.2 §4.4.1); `canonical.py` reads them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.convert import INTEGERS, arithmetic, promote, unqualified
from ompls.analysis.model.ctype import CType, Enum, Integer, Pointer
from ompls.analysis.model.layout import sizeof
from ompls.translate.ctext import strip


@dataclass(frozen=True)
class Loop:
    """`for (symbol = lower; symbol OP bound; symbol += step)`; `step` counts in the loop's direction (`up`)."""

    stmt: ast.For
    symbol: Symbol
    lower: ast.Expr
    bound: ast.Expr
    op: str
    up: bool
    step: ast.Expr | None  # None: one
    negated: bool  # the written step counts against the direction
    rows: tuple[Symbol, ...] = ()  # counters of outer loops that its bounds depend on: each has a row of its own

    def step_text(self, text: str) -> str:
        return "1" if self.step is None else f"(-({text}))" if self.negated else text

    def known(self) -> int | None:
        """The number of iterations when all is constant."""
        low, high = constant(self.lower), constant(self.bound)
        step = 1 if self.step is None else constant(self.step)
        if low is None or high is None or not step or isinstance(self.symbol.type, Pointer):
            return None
        if min(low, high) < 0 and not (_is_signed(self.symbol.type) and _is_signed(self.bound.type)):
            return None
        distance = (high - low if self.up else low - high) + (self.op in ("<=", ">="))
        step = -step if self.negated else step
        return max(0, (distance + step - 1) // step) if step > 0 else None

    @property
    def small(self) -> bool:
        """Whether there are at most 2^31 iterations, for all values of the bounds that have a meaning."""
        t = self.symbol.type
        count = self.known()
        if count is not None:
            return count <= _HALF
        start = constant(self.lower if self.up else self.bound)
        size = sizeof(t) if isinstance(t, Integer) else None
        return size is not None and (size < 4 or (size == 4 and _is_signed(t) and start is not None and start >= 0))

    @property
    def kind(self) -> str:
        """The type for numbers of iterations (`Nest.kind`)."""
        return "unsigned int" if self.small else "long long"

    def count(self, lower: str, bound: str, kind: str, step: str = "1") -> str:
        """The number of iterations as an expression of type `kind`, 0 when there are none."""
        count = self.known()
        if count is not None:
            return str(count)
        if isinstance(self.symbol.type, Pointer):
            first, last = (lower, bound) if self.up else (bound, lower)
            distance = f"({kind})(({last}) - ({first}))"
        elif (lower if self.up else bound) == "0":
            last = bound if self.up else lower
            distance = f"({kind}){last}" if last.replace("_", "a").isalnum() else f"({kind})({last})"
        else:
            first, last = (lower, bound) if self.up else (bound, lower)
            distance = f"({kind})({last}) - ({kind})({first})"
        if self.op in ("<=", ">="):
            distance += " + 1"
        if step == "1":
            return f"{lower} {self.op} {bound} ? {distance} : 0"
        return f"{lower} {self.op} {bound} ? ({distance} + ({step}) - 1) / ({step}) : 0"

    def limits(self, text: Callable[[ast.Expr], str], spell: Callable[[CType], str]) -> tuple[str, str]:
        """(lower, bound) converted as C does when it initialises the counter and compares it with the bound."""
        t, lower, bound = unqualified(self.symbol.type), text(self.lower), text(self.bound)
        if not isinstance(t, Integer):
            return lower, bound
        plain = constant(self.lower) is not None and (_is_signed(promote(t)) or constant(self.bound) is not None)
        if unqualified(self.lower.type) != t and not plain:
            lower = f"({spell(t)})({lower})"
        common = arithmetic(t, self.bound.type)
        if (
            isinstance(common, Integer)
            and not _is_signed(common)
            and _is_signed(self.bound.type)
            and (constant(self.bound) is None)
        ):
            bound = f"({spell(common)})({bound})"
        return lower, bound


_HALF = 1 << 31


def _is_signed(t: CType) -> bool:
    t = t.underlying if isinstance(t, Enum) else t
    return isinstance(t, Integer) and INTEGERS[t.kind][1]


@dataclass(frozen=True)
class Nest:
    """`collapse` loops, outermost first, and the innermost one's body.

    inner -- counters of associated loops that are not among `loops`: code stands between the loops, so one thread runs
             the inner ones as they are
    """

    loops: tuple[Loop, ...]
    body: ast.Stmt
    inner: tuple[Symbol, ...] = ()

    @property
    def rectangular(self) -> bool:
        """Whether no loop's bounds depend on another one's counter."""
        return not any(x.rows for x in self.loops)

    @property
    def counters(self) -> set[Symbol]:
        """All counters of associated loops, which are private."""
        return {x.symbol for x in self.loops} | set(self.inner)

    def known(self) -> int | None:
        """How many iterations there are in all, when every bound is constant."""
        counts = [x.known() for x in self.loops]
        return None if None in counts else math.prod(c for c in counts if c is not None)

    @property
    def kind(self) -> str:
        """The type for numbers of iterations.  32 bits are faster on a GPU, and leave room for a stride to be added."""
        count = self.known()
        if len(self.loops) == 1:
            return self.loops[0].kind
        return "unsigned int" if count is not None and count <= _HALF else "long long"


def constant(e: ast.Expr) -> int | None:
    """The value of a small integer constant expression."""
    e = strip(e)
    if isinstance(e, ast.IntLiteral):
        return e.value
    if isinstance(e, ast.Name) and e.symbol is not None:
        return e.symbol.value
    if isinstance(e, ast.Unary) and e.op == "-" and _is_signed(e.type):
        inner = constant(e.operand)
        return None if inner is None else -inner
    if isinstance(e, ast.Binary) and e.op in _FOLDED and _is_signed(e.type):
        row = ast.chain(e, _FOLDED)
        value = constant(row[0].left)
        for operation in row:
            other = constant(operation.right)
            if value is None or other is None or not _is_signed(operation.type):
                return None
            if operation.op == "/" and (value < 0 or other <= 0):
                return None
            value = _FOLDED[operation.op](value, other)
        return value
    return None


_FOLDED: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}
