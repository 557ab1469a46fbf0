"""Which variables an expression or statement reads and writes, directly or through a pointer, in evaluation order.

The facts under `Region`'s reads and writes and under the flow rules.  It follows no pointer from variable to variable:
a pointer whose value goes anywhere but into an access of its own is reported with `escapes`, and what it points to as
possibly read and written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ompls.analysis.dataenv.paths import depth_of, is_address, points_to_const, root
from ompls.analysis.dataenv.private import PRIVATISING, private_copies
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.ctype import Array, Function, Pointer
from ompls.analysis.model.peel import bare, indexed, strip
from ompls.analysis.steps import Steps, found_in


class Use(NamedTuple):
    """One access of a variable.

    depth -- 0: the variable itself (an element of an array, a member of a structure too); 1: what it points to;
             2: what lies behind further pointers
    certain -- False: a called function or an alias may do it
    escapes -- its address, or its value when it is a pointer, goes somewhere that is not followed
    """

    symbol: Symbol
    node: Node
    depth: int
    read: bool
    write: bool
    certain: bool = True
    escapes: bool = False


def uses(node: Node | None) -> Iterator[Use]:
    """The uses in an expression or statement, operands before the access that needs them.

    A directive's statement counts with its data-sharing: private copies are no uses of the original.
    """
    return found_in(_of(node))


def list_item_operands(expr: Expr) -> Iterator[Use]:
    """What a list item's subscripts and bounds read (`n` of `a[0:n]`)."""
    return found_in(_item_operands(expr))


def _of(node: Node | None) -> Steps[Use]:
    if isinstance(node, Expr):
        return _value(node)
    return _directive(node) if isinstance(node, ast.DirectiveStmt) else _parts(node)


def _parts(node: Node | None) -> Steps[Use]:
    if isinstance(node, ast.VarDecl):
        for dim in node.dims:
            yield _value(dim)
        yield _of(node.init)
        if node.init is not None:
            yield Use(node.symbol, node, 0, False, True)
    elif node is not None:
        for child in node.children():
            yield _of(child)


# --- directives


def _directive(stmt: ast.DirectiveStmt) -> Steps[Use]:
    directive = stmt.directive
    for clause in directive.clauses:
        for arg in clause.args:
            yield _value(arg)
        for item in clause.items:
            yield _item_operands(item.expr)
            symbol = item.symbol or root(item.expr)
            if symbol is None:
                continue
            if PRIVATISING.get(clause.name, (False, False))[0]:
                yield Use(symbol, item.expr, min(depth_of(item.expr), 2), True, False)
    private = private_copies(directive, stmt.body)
    yield from (u for u in uses(stmt.body) if u.symbol not in private)
    for clause in directive.clauses:
        if PRIVATISING.get(clause.name, (False, False))[1]:
            for item in clause.items:
                if (symbol := item.symbol or root(item.expr)) is not None:
                    yield Use(symbol, item.expr, min(depth_of(item.expr), 2), False, True)


def _item_operands(expr: Expr) -> Steps[Use]:
    if isinstance(expr, ast.Section):
        for bound in (expr.lower, expr.length, expr.stride):
            yield _of(bound)
        yield _item_operands(expr.base)
    elif isinstance(expr, ast.Index):
        yield _of(expr.index)
        yield _item_operands(expr.base)
    elif isinstance(expr, ast.Shaping):
        for dim in expr.dims:
            yield _of(dim)
    elif isinstance(expr, ast.Member):
        yield _item_operands(expr.base)


# --- expressions


def _value(expr: Expr | None) -> Steps[Use]:
    """`expr` evaluated for its value, which goes somewhere that is not followed."""
    match expr:
        case ast.Name() | ast.Index() | ast.Member():
            yield _access(expr, True, False)
            yield _escape(expr)
        case None | ast.IntLiteral() | ast.FloatLiteral() | ast.SizeOf():
            return
        case ast.Unary(op="*"):
            yield _access(expr, True, False)
            yield _escape(expr)
        case ast.Unary(op="++") | ast.Unary(op="--"):
            yield _access(expr.operand, True, True)
        case ast.Unary(op="&"):
            yield _address(expr)
        case ast.Unary(op="!"):
            yield _operand(expr.operand)
        case ast.Paren():
            yield _value(expr.inner)
        case ast.Cast():
            if isinstance(expr.to, Pointer) or not is_address(expr.operand.type):
                yield _value(expr.operand)
            else:
                yield _operand(expr.operand)
        case ast.Assign():
            yield _assign(expr)
        case ast.Binary(op="==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||"):
            yield _operand(expr.left)
            yield _operand(expr.right)
        case ast.Binary(op=","):
            yield _operand(expr.left)
            yield _value(expr.right)
        case ast.Conditional():
            yield _operand(expr.condition)
            yield _value(expr.then)
            yield _value(expr.otherwise)
        case ast.Call():
            yield _call(expr)
        case ast.StatementExpr():
            yield _of(expr.body)
        case ast.Generic():
            yield _value(expr.chosen)
        case _:
            for child in expr.children():
                yield _of(child)


def _operand(expr: Expr | None) -> Steps[Use]:
    """`expr` evaluated for a value that ends here: a comparison, a condition, a discarded result."""
    expr = bare(expr)
    if isinstance(expr, (ast.Name, ast.Index, ast.Member)) or (isinstance(expr, ast.Unary) and expr.op == "*"):
        return _access(expr, True, False)
    return _operands(expr) if isinstance(expr, ast.Binary) and expr.op in ("+", "-") else _value(expr)


def _operands(expr: ast.Binary) -> Steps[Use]:
    yield _operand(expr.left)
    yield _operand(expr.right)


def _assign(expr: ast.Assign) -> Steps[Use]:
    target = root(expr.target)
    itself = expr.op in ("+=", "-=") or (
        # `p = p + 1` moves a pointer; it does not give it away
        isinstance(expr.value, ast.Binary) and target is not None and root(expr.value) is target
    )
    yield _operand(expr.value) if itself else _value(expr.value)
    yield _access(expr.target, expr.op != "=", True)


def _access(expr: Expr, read: bool, write: bool) -> Steps[Use]:
    """The lvalue `expr` is read or written: its operands, then itself."""
    expr = bare(expr)
    if isinstance(expr, ast.Name):
        symbol = expr.symbol
        if symbol is None or symbol.kind not in ("var", "param"):
            return
        if write or not isinstance(symbol.type, Array):
            yield Use(symbol, expr, 0, read, write)
        return
    symbol, depth = root(expr), depth_of(expr)
    yield _path(expr)
    if symbol is not None and not isinstance(expr.type, Array):
        yield Use(symbol, expr, max(0, min(depth, 2)), read, write)
    elif symbol is None and not isinstance(expr, (ast.Index, ast.Member, ast.Unary)):
        yield _value(expr)


def _path(expr: Expr) -> Steps[Use]:
    """What it takes to find the lvalue `expr`: subscripts, and the pointers on the way."""
    base: Expr
    if isinstance(expr, ast.Index):
        base = indexed(expr)
        yield _value(expr.index if base is expr.base else expr.base)
        yield _through(base, not isinstance(base.type, Array))
    elif isinstance(expr, ast.Member):
        yield _through(expr.base, expr.arrow)
    elif isinstance(expr, ast.Unary) and expr.op == "*":
        yield _through(expr.operand, not isinstance(expr.operand.type, Array))
    else:
        yield _value(expr)


def _through(base: Expr, loaded: bool) -> Steps[Use]:
    """The base of an access; `loaded`: its value (a pointer) is read, else only its place matters."""
    base = strip(base)
    if isinstance(base, ast.Binary) and base.op in ("+", "-"):
        yield _through(base.left, True) if is_address(base.left.type) else _value(base.left)
        yield _through(base.right, True) if is_address(base.right.type) else _value(base.right)
    elif isinstance(base, ast.Unary) and base.op == "&":
        if not isinstance(base.operand, ast.Name):
            yield _path(base.operand)
    elif isinstance(base, ast.Unary) and base.op in ("++", "--"):
        yield _access(base.operand, True, True)
    elif isinstance(base, (ast.Name, ast.Index, ast.Member)) or (isinstance(base, ast.Unary) and base.op == "*"):
        if loaded and not isinstance(base.type, Array):
            yield _access(base, True, False)
        elif not isinstance(base, ast.Name):
            yield _path(base)
    else:
        yield _value(base)


def _escape(expr: Expr, const: bool = False) -> Steps[Use]:
    """The value of `expr` goes away: what it points to may be read and (unless it is const) written."""
    symbol = root(expr)
    if symbol is not None and is_address(expr.type):
        decayed = 0 if isinstance(expr.type, Array) else 1
        depth = min(depth_of(expr) + decayed, 2)
        yield Use(symbol, expr, depth, True, not (const or points_to_const(expr.type)), certain=False, escapes=True)


def _address(expr: ast.Unary, const: bool = False) -> Steps[Use]:
    symbol = root(expr.operand)
    if symbol is None:
        yield _of(expr.operand)
        return
    if not isinstance(expr.operand, ast.Name):
        yield _path(expr.operand)
    depth = max(0, min(depth_of(expr.operand), 2))
    yield Use(symbol, expr, depth, True, not const, certain=False, escapes=True)


def _call(expr: ast.Call) -> Steps[Use]:
    if not isinstance(expr.function, ast.Name):
        yield _value(expr.function)
    elif expr.function.symbol is not None and expr.function.symbol.kind != "func":
        yield _access(expr.function, True, False)
    function = expr.function.type
    if isinstance(function, Pointer):
        function = function.to
    params = function.params if isinstance(function, Function) else ()
    for i, arg in enumerate(expr.args):
        const = i < len(params) and points_to_const(params[i])
        inner = strip(arg)
        if isinstance(inner, ast.Unary) and inner.op == "&":
            yield _address(inner, const)
        elif isinstance(inner, (ast.Name, ast.Index, ast.Member)) and is_address(inner.type):
            yield _access(inner, True, False)
            yield _escape(inner, const)
        else:
            yield _value(arg)
