"""`atomic`: read, write, update, capture, compare (OpenMP 5.2 §15.8.4)."""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.ctype import Pointer
from ompls.translate.ctext import strip
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.emitter import Emitter, Level, transformation

_OPS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr",
}  # fmt: skip
_COMMUTATIVE = frozenset("+*&|^")
_REVERSED = {"-": "rsub", "/": "rdiv", "<<": "rshl", ">>": "rshr"}


@transformation("atomic")
def atomic(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    d = s.directive
    kinds = [c.name for c in d.clauses if c.name in ("read", "write", "update", "capture", "compare")]
    try:
        if "compare" in kinds:
            raise Problem(d.span, "atomic compare", "it is not there yet")
        if "capture" in kinds:
            e.replace(s.span, _capture(e, s.body))
        else:
            expr = _expr(s.body)
            if "read" in kinds and isinstance(expr, ast.Assign):
                e.replace(s.span, f"{e.text(expr.target)} = ompls_atomic_read(&{e.text(expr.value)});")
            elif "write" in kinds and isinstance(expr, ast.Assign):
                e.replace(s.span, f"{_call(e, 'ompls_atomic_write', expr.target, expr.value)};")
            else:
                e.replace(s.span, f"{_update(e, expr)[0]};")
    except _NotAtomicError as err:
        raise Problem(
            (s.body or s).span, f"'{d.name}' of this statement", "it is none of the forms of OpenMP 5.2 §15.8.4"
        ) from err


class _NotAtomicError(Exception):
    pass


def _expr(body: ast.Stmt | None) -> ast.Expr:
    while isinstance(body, ast.Compound) and len(body.items) == 1:
        body = body.items[0]
    if isinstance(body, ast.ExprStmt) and body.expr is not None:
        return strip(body.expr)
    raise _NotAtomicError


def _call(e: Emitter, function: str, target: ast.Expr, value: ast.Expr | str) -> str:
    kind = e.cxx(target.type)
    text = value if isinstance(value, str) else e.text(value)
    if isinstance(strip(target).type, Pointer):
        raise Problem(target.span, "atomic on a pointer", "use an integer")
    return f"{function}(&{e.text(target)}, ({kind})({text}))"


def _update(e: Emitter, expr: ast.Expr) -> tuple[str, ast.Expr, str, str]:
    """(call giving the old value, target, operator, operand) of `x++`, `x op= v`, `x = x op v`, `x = v op x`."""
    expr = strip(expr)
    if isinstance(expr, ast.Unary) and expr.op in ("++", "--"):
        op = "+" if expr.op == "++" else "-"
        return _call(e, f"ompls_atomic<ompls_{_OPS[op]}>", expr.operand, "1"), expr.operand, op, "1"
    if isinstance(expr, ast.Assign) and expr.op != "=" and expr.op[:-1] in _OPS:
        op = expr.op[:-1]
        return _call(e, f"ompls_atomic<ompls_{_OPS[op]}>", expr.target, expr.value), expr.target, op, e.text(expr.value)
    if isinstance(expr, ast.Assign) and expr.op == "=":
        x = e.text(expr.target)
        split = _operands(e, expr.value, x)
        if split is not None:
            op, value, reversed_ = split
            name = _REVERSED.get(op, _OPS[op]) if reversed_ else _OPS[op]
            shown = f"{value} {op}" if reversed_ else op
            return _call(e, f"ompls_atomic<ompls_{name}>", expr.target, value), expr.target, shown, value
    raise _NotAtomicError


def _operands(e: Emitter, value: ast.Expr, x: str) -> tuple[str, str, bool] | None:
    """(operator, other operand, whether `x` is the right one) of `x op v` or `v op x`."""
    value = strip(value)
    if not isinstance(value, ast.Binary) or value.op not in _OPS:
        return None
    if e.text(strip(value.left)) == x:
        return value.op, e.text(value.right), False
    if e.text(strip(value.right)) == x:
        return value.op, e.text(value.left), value.op not in _COMMUTATIVE
    left = _operands(e, value.left, x)
    if left is not None and left[0] == value.op and value.op in _COMMUTATIVE:  # (x + a) + b
        return value.op, f"{left[1]} {value.op} {e.text(value.right)}", False
    return None


def _capture(e: Emitter, body: ast.Stmt | None) -> str:
    if isinstance(body, ast.Compound) and len(body.items) == 2:
        first, second = _expr(body.items[0]), _expr(body.items[1])
        return _capture_two(e, first, second)
    expr = _expr(body)
    if not isinstance(expr, ast.Assign) or expr.op != "=":
        raise _NotAtomicError
    v, value = e.text(expr.target), strip(expr.value)
    call, target, op, operand = _update(e, value)
    postfix = isinstance(value, ast.Unary) and value.postfix
    return f"{v} = {call};" if postfix else f"{v} = {_new(e, call, target, op, operand)};"


def _new(e: Emitter, call: str, target: ast.Expr, op: str, operand: str) -> str:
    """The value after the update, from the old one."""
    kind = e.cxx(target.type)
    if " " in op:  # reversed: 'v -'
        return f"({kind})(({op.rsplit(' ', 1)[0]}) {op.rsplit(' ', 1)[1]} {call})"
    return f"({kind})({call} {op} ({operand}))"


def _capture_two(e: Emitter, first: ast.Expr, second: ast.Expr) -> str:
    """`{ v = x; x = …; }` or `{ x = …; v = x; }`."""
    if (
        isinstance(first, ast.Assign)
        and first.op == "="
        and not isinstance(strip(first.value), (ast.Assign, ast.Binary))
    ):
        x = e.text(strip(first.value))
        v = e.text(first.target)
        if x == _target(e, second):
            try:
                return f"{v} = {_update(e, second)[0]};"
            except _NotAtomicError:
                if isinstance(second, ast.Assign) and second.op == "=":
                    return f"{v} = {_call(e, 'ompls_atomic_exchange', second.target, second.value)};"
                raise
    if isinstance(second, ast.Assign) and second.op == "=" and e.text(strip(second.value)) == _target(e, first):
        call, target, op, operand = _update(e, first)
        return f"{e.text(second.target)} = {_new(e, call, target, op, operand)};"
    raise _NotAtomicError


def _target(e: Emitter, expr: ast.Expr) -> str:
    if isinstance(expr, ast.Assign):
        return e.text(strip(expr.target))
    if isinstance(expr, ast.Unary) and expr.op in ("++", "--"):
        return e.text(strip(expr.operand))
    return ""
