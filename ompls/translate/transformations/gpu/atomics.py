"""`atomic`: read, write, update, capture, compare (OpenMP 6.0 §17.8.4)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by
from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.convert import arithmetic, unqualified
from ompls.analysis.model.ctype import BOOL, CType, Floating, Integer, Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare
from ompls.translate.precedence import operand
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.compare import NotAtomicError, address, captured, compared, converted, same
from ompls.translate.transformations.gpu.emitter import Emitter, Level, transformation
from ompls.translate.transformations.gpu.enums import promotion

_OPS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr",
}  # fmt: skip
_COMMUTATIVE = frozenset("+*&|^")
_REVERSED = {"-": "rsub", "/": "rdiv", "<<": "rshl", ">>": "rshr"}


# Fences before and after the operation: those of CUDA's atomic functions are relaxed.
_FENCES = {"release": (True, False), "acquire": (False, True), "acq_rel": (True, True), "seq_cst": (True, True)}


@transformation("atomic")
def atomic(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    d = s.directive
    try:
        text = _text(e, d, s.body)
    except (_NotAtomicError, NotAtomicError) as err:
        raise Problem(
            (s.body or s).span, f"'{d.name}' of this statement", "it is none of the forms of OpenMP 6.0 §17.8.4"
        ) from err
    before, after = next((_FENCES[c.name] for c in d.clauses if c.name in _FENCES), _default_order(e))
    if before or after:
        order = next((c.name for c in d.clauses if c.name in _FENCES), "the unit's default order")
        fences = ("__threadfence();\n" if before else "", "\n__threadfence();" if after else "")
        text = f"{{  // {order}\n{fences[0]}{text}{fences[1]}\n}}"
    e.replace(s.span, text)


def _default_order(e: Emitter) -> tuple[bool, bool]:
    """What `requires atomic_default_mem_order` says (OpenMP 6.0 section 10.5.1)."""
    found = (c for f in e.tu.directives if f.directive.name == "requires" for c in f.directive.clauses)
    order = next((c for c in found if c.name == "atomic_default_mem_order"), None)
    return _FENCES.get((order.keyword or order.text.strip()) if order else "", (False, False))


def _text(e: Emitter, d: Directive, body: ast.Stmt | None) -> str:
    """The operation without its fences."""
    kinds = {c.name for c in d.clauses}
    if "compare" in kinds:
        return compared(e, body, "capture" in kinds)
    if "capture" in kinds:
        return _capture(e, body)
    expr = _expr(body)
    if "read" in kinds and isinstance(expr, ast.Assign):
        return captured(e, expr, f"ompls_atomic_read({address(e, expr.value)})", expr.value)
    if "write" in kinds and isinstance(expr, ast.Assign):
        return f"{_call(e, 'ompls_atomic_write', expr.target, expr.value)};"
    return f"{_old(e, _updated(e, expr))};"


def gathered(e: Emitter, expr: ast.Expr, operators: Collection[str]) -> str | None:
    """An update by one of the operators as the update of an element that the team has together; None: it is no such."""
    try:
        u = _updated(e, expr)
    except _NotAtomicError:
        return None
    if u.op not in operators or u.reversed or not u.converts_first:
        return None
    return _call(e, f"ompls_gather<ompls_{_OPS[u.op]}>", u.target, u.value)


class _NotAtomicError(Exception):
    pass


def _expr(body: ast.Stmt | None) -> ast.Expr:
    while isinstance(body, ast.Compound) and len(body.items) == 1:
        body = body.items[0]
    if isinstance(body, ast.ExprStmt) and body.expr is not None:
        return bare(body.expr)
    raise _NotAtomicError


def _call(e: Emitter, function: str, target: ast.Expr, value: ast.Expr | str) -> str:
    text = value if isinstance(value, str) else e.text(value)
    return f"{function}({_number_address(e, target)}, {converted(e, text, target.type)})"


def _number_address(e: Emitter, target: ast.Expr) -> str:
    if isinstance(bare(target).type, Pointer):
        raise Problem(target.span, "atomic on a pointer", "use an integer")
    if isinstance(bare(target).type, Floating) and sizeof(target.type, e.tu.model) not in (4, 8):
        raise Problem(target.span, "atomic on this type", "a GPU has none of this size")
    return address(e, target)


@dataclass(frozen=True)
class _Update:
    """`target = target OP value`, or reversed: `target = value OP target`; the value may be text."""

    target: ast.Expr
    op: str
    value: ast.Expr | str
    reversed: bool = False

    @property
    def converts_first(self) -> bool:
        return isinstance(self.value, str) or _converts_first(self.target.type, self.op, self.value.type)

    def shown(self, e: Emitter) -> str:
        return self.value if isinstance(self.value, str) else e.text(self.value)


def _old(e: Emitter, u: _Update) -> str:
    """The call that makes the update: it gives the old value."""
    if u.converts_first:
        name = _REVERSED.get(u.op, _OPS[u.op]) if u.reversed else _OPS[u.op]
        return _call(e, f"ompls_atomic<ompls_{name}>", u.target, u.value)
    # C computes in the wider of the two types and converts the result, not the operand.
    kind, old = e.cxx(u.target.type), f"{promotion(u.target.type)}ompls_old"
    fresh = f"ompls_value {u.op} {old}" if u.reversed else f"{old} {u.op} ompls_value"
    return (f"ompls_atomic_update({_number_address(e, u.target)}, [ompls_value = {u.shown(e)}]({kind} ompls_old) "
            f"{{ return ({kind})({fresh}); }})")  # fmt: skip


def _converts_first(target: CType, op: str, value: CType) -> bool:
    """Whether `target op (T)value` is what C computes for `target op value` and a conversion to T at the end."""
    target, value = unqualified(target), unqualified(value)
    if target == value:
        return True
    if isinstance(target, Floating):
        return not isinstance(value, Floating) or unqualified(arithmetic(target, value)) == target
    if isinstance(value, Floating) or target == BOOL:
        return False
    if op in _OPS and op not in ("/", ">>"):
        return True  # modulo 2^n all the way; a shift's count fits any type
    return op == ">>" or unqualified(arithmetic(target, value)) == target


def _updated(e: Emitter, expr: ast.Expr) -> _Update:
    """The update that `x++`, `x op= v`, `x = x op v` or `x = v op x` is."""
    expr = bare(expr)
    if isinstance(expr, ast.Unary) and expr.op in ("++", "--"):
        return _Update(expr.operand, "+" if expr.op == "++" else "-", "1")
    if isinstance(expr, ast.Assign) and expr.op != "=" and expr.op[:-1] in _OPS:
        return _Update(expr.target, expr.op[:-1], expr.value)
    if isinstance(expr, ast.Assign) and expr.op == "=":
        split = _operands(e, expr.value, expr.target)
        if split is not None:
            return _Update(expr.target, *split)
    raise _NotAtomicError


def _operands(e: Emitter, value: ast.Expr, x: ast.Expr) -> tuple[str, ast.Expr | str, bool] | None:
    """(operator, other operand, whether `x` is the right one) of `x op v` or `v op x`."""
    around: list[ast.Binary] = []
    value = bare(value)
    while True:
        if not isinstance(value, ast.Binary) or value.op not in _OPS:
            return None
        if same(e, value.left, x):
            op, other, reversed_ = value.op, value.right, False
            break
        if same(e, value.right, x):
            op, other, reversed_ = value.op, value.left, value.op not in _COMMUTATIVE
            break
        around.append(value)
        value = bare(value.left)
    if not around:
        return op, other, reversed_
    if op not in _COMMUTATIVE or any(n.op != op or not isinstance(n.type, Integer) for n in around):
        return None
    parts = [other, *(n.right for n in reversed(around))]  # (x + a) + b
    return op, f" {op} ".join(e.text(part) for part in parts), False


def _capture(e: Emitter, body: ast.Stmt | None) -> str:
    if isinstance(body, ast.Compound) and len(body.items) == 2:
        first, second = _expr(body.items[0]), _expr(body.items[1])
        return _capture_two(e, first, second)
    expr = _expr(body)
    if not isinstance(expr, ast.Assign) or expr.op != "=":
        raise _NotAtomicError
    value = bare(expr.value)
    u = _updated(e, value)
    old = isinstance(value, ast.Unary) and value.postfix
    return captured(e, expr, _old(e, u) if old else _new(e, u), u.target)


def _new(e: Emitter, u: _Update) -> str:
    """The value after the update, from the old one.  The operand stands twice in it, so it must have no effects."""
    for n in u.value.walk() if not isinstance(u.value, str) else ():
        if assigned_by(n) is not None or isinstance(n, (ast.Call, ast.StatementExpr)):
            raise Problem(n.span, "this operand of an atomic capture", "assign it to a variable first")
    kind, old = e.cxx(u.target.type), _old(e, u)
    if u.reversed:
        return f"({kind})({operand(u.shown(e), u.op)} {u.op} {old})"
    return f"({kind})({old} {u.op} {operand(u.shown(e), u.op, right=True)})"


def _capture_two(e: Emitter, first: ast.Expr, second: ast.Expr) -> str:
    """`{ v = x; x = …; }` or `{ x = …; v = x; }`."""
    if (
        isinstance(first, ast.Assign)
        and first.op == "="
        and not isinstance(bare(first.value), (ast.Assign, ast.Binary))
    ):
        x = _target(second)
        if x is not None and same(e, first.value, x):
            try:
                return captured(e, first, _old(e, _updated(e, second)), first.value)
            except _NotAtomicError:
                if isinstance(second, ast.Assign) and second.op == "=":
                    call = _call(e, "ompls_atomic_exchange", second.target, second.value)
                    return captured(e, first, call, first.value)
                raise
    x = _target(first)
    if isinstance(second, ast.Assign) and second.op == "=" and x is not None and same(e, second.value, x):
        u = _updated(e, first)
        return captured(e, second, _new(e, u), u.target)
    raise _NotAtomicError


def _target(expr: ast.Expr) -> ast.Expr | None:
    if isinstance(expr, ast.Assign):
        return expr.target
    return expr.operand if isinstance(expr, ast.Unary) and expr.op in ("++", "--") else None
