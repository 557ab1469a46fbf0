"""Canonical loop nests (OpenMP 5.2 §4.4.1): from a `for` to a count of normalised iterations and back."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.convert import INTEGERS, arithmetic, decay, promote, unqualified
from ompls.analysis.model.ctype import CType, Enum, Integer, Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Directive
from ompls.translate.ctext import strip
from ompls.translate.problem import Problem

LOOP_CONSTRUCTS = frozenset({"for", "distribute", "simd", "loop", "taskloop"})
_SWAP = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}


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
_INT = 4  # bytes


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


def find_nest(stmt: DirectiveStmt) -> Nest | None:
    """The loop nest of the first loop construct in the chain of strictly nested directives; None without one."""
    body: ast.Stmt | None = stmt
    while body is not None:
        if isinstance(body, DirectiveStmt):
            if LOOP_CONSTRUCTS & set(body.directive.constructs):
                try:
                    return nest_of(body.directive, body.body)
                except Problem:
                    return None
            body = body.body
        elif isinstance(body, ast.Compound) and len(body.items) == 1:
            body = body.items[0]
        else:
            return None
    return None


def nest_of(directive: Directive, body: ast.Stmt | None) -> Nest:
    """The loops that `directive` is about.  Raises Problem when they are not in canonical form.

    Code between the loops (OpenMP 5.2 section 4.4.3) runs once for each iteration of the loop around it when only the
    loops above it are collapsed, which the specification allows.
    """
    collapsed, ordered = _argument(directive, "collapse"), _argument(directive, "ordered")
    loops: list[Loop] = []
    while len(loops) < collapsed:
        below = only(body)
        if not isinstance(below, ast.For):
            break
        loops.append(_in_nest(loop_of(below), loops))
        body = below.body
    if not loops or body is None:
        raise Problem(body.span if body is not None else directive.span, f"'{directive.name}'", "it needs a for loop")
    return Nest(tuple(loops), body, tuple(_deeper(directive, body, max(collapsed, ordered) - len(loops))))


def _argument(directive: Directive, name: str) -> int:
    """How many loops `collapse` or `ordered` says that the directive is about.  Raises Problem."""
    clause = directive.clause(name)
    if clause is None or not clause.args:
        return 1
    value = constant(clause.args[0])
    if value is None:
        raise Problem(clause.span, f"{name}({clause.text})", "its argument is not a constant")
    return value


def _deeper(directive: Directive, body: ast.Stmt | None, depth: int) -> list[Symbol]:
    """The counters of the next `depth` loops in `body`, where other code may stand, too."""
    found: list[Symbol] = []
    while body is not None and len(found) < depth:
        below = [x for x in body.items if isinstance(only(x), (ast.For, ast.Compound))] if isinstance(
            body, ast.Compound) else [body]  # fmt: skip
        loop = only(below[0]) if len(below) == 1 else None
        if isinstance(loop, ast.For):
            found.append(_init(loop)[0])
        elif not isinstance(loop, ast.Compound):
            raise Problem(body.span, f"'{directive.name}'", f"it needs {depth - len(found)} more nested loops here")
        body = loop.body if isinstance(loop, ast.For) else loop
    return found


def _in_nest(loop: Loop, outer: list[Loop]) -> Loop:
    """`loop` with the outer counters that its bounds depend on.  Raises Problem when they do not depend linearly."""
    counters = {x.symbol for x in outer}
    used = {n.symbol for e in (loop.lower, loop.bound) for n in e.walk() if isinstance(n, ast.Name)} & counters
    if loop.step is not None and _degree(loop.step, counters):
        raise Problem(loop.step.span, "the loop's step", "it uses an outer loop's counter")
    for e in (loop.lower, loop.bound):
        if _degree(e, counters) > 1:
            raise Problem(e.span, "a non-rectangular loop nest", "a bound is not linear in an outer loop's counter")
    return replace(loop, rows=tuple(x.symbol for x in outer if x.symbol in used))


def _degree(e: ast.Expr, counters: set[Symbol]) -> int:
    """The degree of `e` as a polynomial in the counters; 2 for all that is not linear."""
    e = strip(e)
    if not any(isinstance(n, ast.Name) and n.symbol in counters for n in e.walk()):
        return 0
    if isinstance(e, ast.Name):
        return 1
    if isinstance(e, ast.Binary) and e.op in ("+", "-"):
        return max(_degree(e.left, counters), _degree(e.right, counters))
    if isinstance(e, ast.Binary) and e.op == "*":
        return _degree(e.left, counters) + _degree(e.right, counters)
    if isinstance(e, ast.Unary) and e.op in ("+", "-"):
        return _degree(e.operand, counters)
    if isinstance(e, ast.Cast) and isinstance(e.to, (Integer, Pointer)) and (sizeof(e.to) or 0) >= _INT:
        return _degree(e.operand, counters)
    return 2


def kept_counters(d: Directive, nest: Nest) -> set[Symbol]:
    """Counters that have their last value after the loop: from outside of a `simd` loop, where they are linear or
    lastprivate (OpenMP 5.2 §5.1.1), or as a clause says so."""
    outside = {x.symbol for x in nest.loops if isinstance(x.stmt.init, ast.ExprStmt)} if d.has("simd") else set()
    private = {i.symbol for c in d.all("private") for i in c.items}
    return (outside - private) | {i.symbol for c in d.all("lastprivate") for i in c.items if i.symbol in nest.counters}


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
        a, b = constant(e.left), constant(e.right)
        if a is None or b is None or (e.op == "/" and (a < 0 or b <= 0)):
            return None
        return _FOLDED[e.op](a, b)
    return None


_FOLDED: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}


def only(body: ast.Stmt | None) -> ast.Stmt | None:
    while isinstance(body, ast.Compound) and len(body.items) == 1:
        body = body.items[0]
    return body


def loop_of(s: ast.For) -> Loop:
    symbol, lower = _init(s)
    if not isinstance(symbol.type, (Integer, Pointer, Enum)):
        raise Problem(s.span, f"a loop over '{symbol.name}'", "its counter is neither an integer nor a pointer")
    c = strip(s.condition) if s.condition else None
    if not isinstance(c, ast.Binary) or c.op not in _SWAP:
        raise Problem(s.span, "the loop's condition", "it is not in canonical form (i < bound)")
    if _is(c.left, symbol):
        op, bound = c.op, c.right
    elif _is(c.right, symbol):
        op, bound = _SWAP[c.op], c.left
    else:
        raise Problem(c.span, "the loop's condition", f"it does not compare '{symbol.name}' with a bound")
    if not isinstance(decay(bound.type), (Integer, Pointer, Enum)):
        raise Problem(bound.span, "the loop's bound", "it is not an integer")
    forward, step = _step(s, symbol)
    if op == "!=":
        value = constant(step) if step is not None else 1
        up = forward == (value is None or value > 0)
        op = "<" if up else ">"
    else:
        up = op in ("<", "<=")
    return Loop(s, symbol, lower, bound, op, up, step, negated=forward != up)


def _init(s: ast.For) -> tuple[Symbol, ast.Expr]:
    if isinstance(s.init, ast.DeclStmt) and len(s.init.decls) == 1 and s.init.decls[0].init is not None:
        return s.init.decls[0].symbol, s.init.decls[0].init
    if isinstance(s.init, ast.ExprStmt) and s.init.expr is not None:
        e = strip(s.init.expr)
        if isinstance(e, ast.Assign) and e.op == "=":
            target = strip(e.target)
            if isinstance(target, ast.Name) and target.symbol is not None:
                return target.symbol, e.value
    raise Problem(s.span, "the loop's initialisation", "it is not in canonical form (i = lower)")


def _step(s: ast.For, symbol: Symbol) -> tuple[bool, ast.Expr | None]:
    e = strip(s.step) if s.step else None
    if isinstance(e, ast.Unary) and e.op in ("++", "--") and _is(e.operand, symbol):
        return e.op == "++", None
    if isinstance(e, ast.Assign) and _is(e.target, symbol):
        if e.op in ("+=", "-="):
            return e.op == "+=", e.value
        value = strip(e.value)
        if e.op == "=" and isinstance(value, ast.Binary) and value.op in ("+", "-"):
            if _is(value.left, symbol):
                return value.op == "+", value.right
            if value.op == "+" and _is(value.right, symbol):
                return True, value.left
    raise Problem(s.span, "the loop's increment", "it is not in canonical form (i++, i += step)")


def _is(e: ast.Expr, symbol: Symbol) -> bool:
    e = strip(e)
    return isinstance(e, ast.Name) and e.symbol is symbol
