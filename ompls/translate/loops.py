"""Loops and nests of them as counts of normalised iterations (OpenMP 5.2 §4.4.1); `canonical.py` reads them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.convert import arithmetic, promote, unqualified
from ompls.analysis.model.ctype import CType, Enum, Integer, Pointer
from ompls.analysis.model.peel import bare
from ompls.translate.precedence import operand
from ompls.translate.ranges import Range, converted, holds, values_in, values_of


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
        return "1" if self.step is None else f"(-{operand(text, 'unary')})" if self.negated else text

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

    def most(self, outer: Sequence[Loop] = ()) -> int | None:
        """The most iterations that bounds with a meaning can give, inside of `outer` loops; None: nobody knows."""
        count = self.known()
        if count is not None:
            return count
        span = self._span({x.symbol: values for x in outer if (values := x.values) is not None})
        step = 1 if self.step is None else constant(self.step) or 1
        return None if span is None else -(-(span + (self.op in ("<=", ">="))) // abs(step))

    @property
    def values(self) -> Range | None:
        """The values that the counter has in the loop's body."""
        inside, low, high = values_in(self.symbol.type), values_of(self.lower), values_of(self.bound)
        if inside is None or low is None or high is None or not self.plain or self.op not in ("<", "<=", ">", ">="):
            return inside
        short = self.op in ("<", ">")
        first, last = (low[0], high[1] - short) if self.up else (high[0] + short, low[1])
        return (max(first, inside[0]), min(last, inside[1])) if first <= last else inside

    def _span(self, known: Mapping[Symbol, Range] | None = None) -> int | None:
        """How far the bound can be from the lower end; None where nobody knows."""
        t, inside = unqualified(self.symbol.type), values_in(self.symbol.type)
        compared = values_in(arithmetic(t, self.bound.type)) if inside is not None else None
        low, high = converted(values_of(self.lower, known), t), values_of(self.bound, known)
        if inside is None or compared is None or low is None or high is None:
            return None
        if not holds(compared, low):  # C converts negative numbers to large ones, and counts there
            return compared[1] - compared[0]
        high = high if holds(compared, high) else compared
        high = max(high[0], inside[0]), min(high[1], inside[1])  # a counter cannot pass what its type does not hold
        return max(0, high[1] - low[0] if self.up else low[1] - high[0])

    @property
    def small(self) -> bool:
        """Whether there are at most 2^31 iterations: a stride can be added to their 32-bit numbers."""
        most = self.most()
        return most is not None and most <= _HALF

    @property
    def plain(self) -> bool:
        """Whether C's conversions leave both ends as they are, also where the program compares them itself."""
        low, high = values_of(self.lower), values_of(self.bound)
        if low is None or high is None:
            return False
        counter = unqualified(self.symbol.type)
        common = (arithmetic(counter, self.bound.type), arithmetic(self.lower.type, self.bound.type))
        inside = [(values_in(counter), low), *((values_in(t), x) for t in common for x in (low, high))]
        return all(outer is not None and holds(outer, x) for outer, x in inside)

    @property
    def wraps(self) -> bool:
        """Whether an `int` counter's distance from the lower end may be more than an `int` holds."""
        inside, span = values_in(self.symbol.type), self._span()
        return inside == _INT and (span is None or span > inside[1])

    @property
    def kind(self) -> str:
        """The type for numbers of iterations (`Nest.kind`)."""
        most = self.most()
        return "unsigned int" if most is not None and most < 1 << 32 else "long long"

    def count(self, lower: str, bound: str, kind: str, step: str = "1") -> str:
        """The number of iterations as an expression of type `kind`, 0 when there are none."""
        count = self.known()
        if count is not None:
            return str(count)
        first, last = (lower, bound) if self.up else (bound, lower)
        if isinstance(self.symbol.type, Pointer):
            distance = f"({kind})({operand(last, '-')} - {operand(first, '-', right=True)})"
        elif first == "0":
            distance = f"({kind}){operand(last, 'cast')}"
        else:  # of 32 bits it is right whatever the signs are
            small = _is_small(self.lower if self.up else self.bound) and _is_signed(promote(self.symbol.type))
            less = operand(first, "-", right=True) if small else f"({kind}){operand(first, 'cast')}"
            distance = f"({kind}){operand(last, 'cast')} - {less}"
        inclusive = self.op in ("<=", ">=")
        if step == "1":
            return f"{lower} {self.op} {bound} ? {distance}{' + 1' if inclusive else ''} : 0"
        by = operand(step, "/", right=True)
        return f"{lower} {self.op} {bound} ? ({distance}{'' if inclusive else ' - 1'}) / {by} + 1 : 0"

    def limits(self, text: Callable[[ast.Expr], str], spell: Callable[[CType], str]) -> tuple[str, str]:
        """(lower, bound) converted as C does when it initialises the counter and compares it with the bound."""
        t, lower, bound = unqualified(self.symbol.type), text(self.lower), text(self.bound)
        if not isinstance(t, Integer):
            return lower, bound
        if unqualified(self.lower.type) != t and not self._fits(t):
            lower = f"({spell(t)}){operand(lower, 'cast')}"
        common = arithmetic(t, self.bound.type)
        if isinstance(common, Integer) and not _is_signed(common):
            low = converted(values_of(self.lower), t)
            if low is not None and low[0] < 0:
                lower = f"({spell(common)}){operand(lower, 'cast')}"
            if _is_signed(self.bound.type) and constant(self.bound) is None:
                bound = f"({spell(common)}){operand(bound, 'cast')}"
        return lower, bound

    def _fits(self, t: Integer) -> bool:
        """Whether the lower end is a constant that is compared as it is, without a conversion to the counter's type."""
        value, inside = constant(self.lower), values_in(t)
        if value is None or inside is None or not holds(inside, (value, value)):
            return False
        return value >= 0 or _is_signed(promote(t)) or constant(self.bound) is not None


_HALF = 1 << 31
_INT = (-_HALF, _HALF - 1)


def _is_small(e: ast.Expr) -> bool:
    """Whether it is a constant that any type of a count holds, and that makes none of them unsigned."""
    value = constant(e)
    return value is not None and 0 <= value < 1 << 15 and _is_signed(e.type)


def _is_signed(t: CType) -> bool:
    t = t.underlying if isinstance(t, Enum) else t
    return isinstance(t, Integer) and t.signed


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
        """The type for numbers of iterations.  32 bits are faster on a GPU."""
        if len(self.loops) == 1:
            return self.loops[0].kind
        return "unsigned int" if self.small else "long long"

    @property
    def pair_kind(self) -> str:
        """The type for numbers of iterations of two rows of the second of two loops together."""
        outer, inner = self.loops
        most = inner.most([outer])
        return "unsigned int" if most is not None and 2 * most + 1 < 1 << 32 else "long long"

    @property
    def small(self) -> bool:
        """Whether there are at most 2^31 iterations (`Loop.small`), also of the box around rows of several lengths."""
        most = [x.most(self.loops[:k]) for k, x in enumerate(self.loops)]
        return None not in most and math.prod(m for m in most if m is not None) <= _HALF


def constant(e: ast.Expr) -> int | None:
    """The value of a small integer constant expression."""
    e = bare(e)
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
