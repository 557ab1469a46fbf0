"""Indices that are worked out from data, for which there is no polynomial: `hist[bin(x[i]) % 16]`, `hist[(int)x[i]]`.

What such an index can be is read off its text: that of a remainder, a mask or a narrow type has few values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by, assigned_in, changed_by
from ompls.analysis.model.ast import DirectiveStmt, Expr, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Floating, Integer
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Content

Interval = tuple[int, int]  # both inclusive
Functions = Mapping[str, Content]
_DEEP = 3  # calls, and variables that are declared with one another


def index_of(access: Access, stmt: DirectiveStmt, functions: Functions) -> Expr | None:
    """The index of an update of `a[k]`, when it is a function of data that nobody changes in `stmt`.

    None too for what a call might learn from elsewhere, such as the thread's number or a ticket.
    """
    by = access.by
    target = by.target if isinstance(by, ast.Assign) else by.operand if isinstance(by, ast.Unary) else None
    target = bare(target) if target is not None else None
    base = bare(target.base) if isinstance(target, ast.Index) else None
    if not isinstance(target, ast.Index) or not isinstance(base, ast.Name) or base.symbol is not access.symbol:
        return None
    if access.inner is not None or base.symbol in assigned_in(stmt):
        return None
    index = bare(target.index)
    return index if _is_computed(index, _changed(stmt), functions) and any(_loads(index)) else None


def interval_of(expr: Expr, deep: int = _DEEP) -> Interval | None:
    """Between what the values of an integer expression lie; None: not known to be few."""
    expr = bare(expr)
    value = fold(expr)
    if value is not None:
        return value, value
    match expr:
        case ast.Binary(op="%" | "&"):
            by = fold(expr.right)
            inner = interval_of(expr.left, deep)
            if by is None or by <= 0:
                return None
            if expr.op == "&" or _is_unsigned(expr.left) or (inner is not None and inner[0] >= 0):
                return 0, by - (expr.op == "%")
            return 1 - by, by - 1
        case ast.Binary(op="+" | "-"):
            a, b = interval_of(expr.left, deep), interval_of(expr.right, deep)
            if a is None or b is None:
                return None
            return (a[0] + b[0], a[1] + b[1]) if expr.op == "+" else (a[0] - b[1], a[1] - b[0])
        case ast.Binary(op="<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||"):
            return 0, 1
        case ast.Cast() if isinstance(expr.type, Integer):
            inner = interval_of(expr.operand, deep)
            narrow = _of_type(expr)
            return narrow if inner is None or (narrow is not None and inner[0] < narrow[0]) else inner
        case ast.Name() if deep and expr.symbol is not None and expr.symbol.init is not None:
            # `_is_computed` has seen that nothing else sets it.
            return interval_of(expr.symbol.init, deep - 1) if expr.symbol.level == "block" else _of_type(expr)
    return _of_type(expr)


def is_rounded(index: Expr, deep: int = _DEEP) -> bool:
    """Whether it is a number of floating point, of which the digits behind the point are cut off."""
    index = bare(index)
    if isinstance(index, ast.Name) and deep and index.symbol is not None and index.symbol.level == "block":
        init = index.symbol.init
        return init is not None and (isinstance(bare(init).type, Floating) or is_rounded(init, deep - 1))
    return isinstance(index, ast.Cast) and isinstance(bare(index.operand).type, Floating)


def _of_type(expr: Expr) -> Interval | None:
    kind = expr.type
    if not isinstance(kind, Integer) or kind.size != 1:
        return None
    return (-128, 127) if kind.signed else (0, 1 if kind.kind == "_Bool" else 255)


def _is_unsigned(expr: Expr) -> bool:
    return isinstance(expr.type, Integer) and not expr.type.signed


def _loads(expr: Expr, deep: int = _DEEP) -> Iterator[ast.Index]:
    """The elements of arrays that a value comes from."""
    for node in expr.walk():
        if isinstance(node, ast.Index):
            yield node
        elif isinstance(node, ast.Name) and deep and node.symbol is not None and node.symbol.level == "block":
            yield from _loads(node.symbol.init, deep - 1) if node.symbol.init is not None else ()


def _changed(stmt: DirectiveStmt) -> set[Symbol]:
    """What `stmt` sets but where it declares it, elements of arrays included; loops' variables are left out."""
    found: set[Symbol] = set()
    steps = [n.step for n in stmt.walk() if isinstance(n, ast.For) and n.step is not None]
    counting = {id(n) for step in steps for n in step.walk()}
    counting |= {id(n) for f in stmt.walk() if isinstance(f, ast.For) and f.init is not None for n in f.init.walk()}
    for n in stmt.walk():
        target = changed_by(n)
        symbol = root(target) if target is not None and id(n) not in counting else None
        if symbol is not None:
            found.add(symbol)
    return found


def _is_computed(expr: Expr, changed: set[Symbol], functions: Functions, deep: int = _DEEP) -> bool:
    """Whether nothing goes into a value but loops' variables, what stays as it is, and functions of these."""
    for node in expr.walk():
        if assigned_by(node) is not None or isinstance(node, ast.StatementExpr):
            return False
        if isinstance(node, ast.Name) and node.symbol is not None and node.symbol.kind in ("var", "param"):
            if node.symbol in changed:
                return False
            init = node.symbol.init if node.symbol.level == "block" else None
            if init is not None and not (deep and _is_computed(init, changed, functions, deep - 1)):
                return False
        if isinstance(node, ast.Call) and not _is_function_of_arguments(node, functions, deep):
            return False
    return True


def _is_function_of_arguments(call: ast.Call, functions: Functions, deep: int) -> bool:
    """Whether a called function of the unit uses nothing but its arguments."""
    name = call.function.name if isinstance(call.function, ast.Name) else ""
    content = functions.get(name)
    if content is None or not deep or not isinstance(content.node, ast.FunctionDef) or not call.args:
        return False
    for node in content.node.body.walk():
        if isinstance(node, (DirectiveStmt, ast.Index, ast.Member)) or (isinstance(node, ast.Unary) and node.op == "*"):
            return False
        symbol = node.symbol if isinstance(node, ast.Name) else None
        if symbol is not None and symbol.kind == "var" and (symbol.level == "file" or symbol.storage == "static"):
            return False
        if isinstance(node, ast.Call) and not _is_function_of_arguments(node, functions, deep - 1):
            return False
    return True
