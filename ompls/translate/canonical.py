"""Canonical loop nests (OpenMP 5.2 §4.4.1), out of the statements that a directive stands before."""

from __future__ import annotations

from dataclasses import replace

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import decay
from ompls.analysis.model.ctype import Enum, Integer, Pointer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare
from ompls.translate.loops import Loop, Nest, constant
from ompls.translate.problem import Problem

LOOP_CONSTRUCTS = frozenset({"for", "distribute", "simd", "loop", "taskloop"})
_SWAP = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}
_INT = 4  # bytes


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
    value = fold(clause.args[0])
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
    e = bare(e)
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
    if isinstance(e, ast.Cast) and (isinstance(e.to, Pointer) or (isinstance(e.to, Integer) and e.to.size >= _INT)):
        return _degree(e.operand, counters)
    return 2


def kept_counters(d: Directive, nest: Nest) -> set[Symbol]:
    """Counters that have their last value after the loop: from outside of a `simd` loop, where they are linear or
    lastprivate (OpenMP 5.2 §5.1.1), or as a clause says so."""
    outside = {x.symbol for x in nest.loops if isinstance(x.stmt.init, ast.ExprStmt)} if d.has("simd") else set()
    private = {i.symbol for c in d.all("private") for i in c.items}
    return (outside - private) | {i.symbol for c in d.all("lastprivate") for i in c.items if i.symbol in nest.counters}


def only(body: ast.Stmt | None) -> ast.Stmt | None:
    while isinstance(body, ast.Compound) and len(body.items) == 1:
        body = body.items[0]
    return body


def loop_of(s: ast.For) -> Loop:
    symbol, lower = _init(s)
    if not isinstance(symbol.type, (Integer, Pointer, Enum)):
        raise Problem(s.span, f"a loop over '{symbol.name}'", "its counter is neither an integer nor a pointer")
    c = bare(s.condition) if s.condition else None
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
        e = bare(s.init.expr)
        if isinstance(e, ast.Assign) and e.op == "=":
            target = bare(e.target)
            if isinstance(target, ast.Name) and target.symbol is not None:
                return target.symbol, e.value
    raise Problem(s.span, "the loop's initialisation", "it is not in canonical form (i = lower)")


def _step(s: ast.For, symbol: Symbol) -> tuple[bool, ast.Expr | None]:
    e = bare(s.step) if s.step else None
    if isinstance(e, ast.Unary) and e.op in ("++", "--") and _is(e.operand, symbol):
        return e.op == "++", None
    if isinstance(e, ast.Assign) and _is(e.target, symbol):
        if e.op in ("+=", "-="):
            return e.op == "+=", e.value
        value = bare(e.value)
        if e.op == "=" and isinstance(value, ast.Binary) and value.op in ("+", "-"):
            if _is(value.left, symbol):
                return value.op == "+", value.right
            if value.op == "+" and _is(value.right, symbol):
                return True, value.left
    raise Problem(s.span, "the loop's increment", "it is not in canonical form (i++, i += step)")


def _is(e: ast.Expr, symbol: Symbol) -> bool:
    e = bare(e)
    return isinstance(e, ast.Name) and e.symbol is symbol
