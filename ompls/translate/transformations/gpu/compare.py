"""`atomic compare` (OpenMP 6.0 section 17.8.4): the hardware's operation, or a compare-and-swap loop.

The operands are evaluated once, before.  The statement forms are those of the specification: a conditional update
`if (x == e) { x = d; }`, `if (x < e) { x = e; }`, `x = x < e ? e : x;`, and with `capture` what becomes of `v` and `r`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.convert import arithmetic, owner, unqualified
from ompls.analysis.model.ctype import CType, Enum, Floating, Integer, Pointer, Record
from ompls.analysis.model.layout import find_member
from ompls.analysis.model.peel import bare
from ompls.translate.precedence import operand
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.emitter import Emitter
from ompls.translate.transformations.gpu.enums import promotion


class NotAtomicError(Exception):
    """The statement is none of the forms of the specification."""


@dataclass(frozen=True)
class _Update:
    """`if (target OP other) target = fresh;`; `flipped`: the target is the right operand."""

    target: ast.Expr
    op: str
    other: ast.Expr
    flipped: bool
    fresh: ast.Expr


def address(e: Emitter, target: ast.Expr) -> str:
    """Of what an atomic function reads or writes.  Raises Problem for a bit-field, which has none."""
    member = bare(target)
    if isinstance(member, ast.Member):
        of = owner(member.base.type, member.arrow)
        found = find_member(of, member.field) if isinstance(of, Record) else None
        if found is not None and found.bits is not None:
            raise Problem(target.span, "atomic on a bit-field", "a GPU can only update whole integers in one step")
    return f"&{e.text(target)}"


def same(e: Emitter, one: ast.Expr, other: ast.Expr) -> bool:
    """Whether two expressions are the same in the program; in the kernel one may be converted."""
    return e.tu.text(e.item, bare(one).span) == e.tu.text(e.item, bare(other).span)


def captured(e: Emitter, made: ast.Assign, text: str, of: ast.Expr) -> str:
    """`v = …;` of the value `text` of `of`, converted as C does it in silence."""
    to = unqualified(made.target.type)
    silent = to == unqualified(of.type) or not isinstance(to, (Enum, Pointer))
    return f"{e.text(made.target)} = {text if silent else f'({e.cxx(to)})({text})'};"


def converted(e: Emitter, text: str, to: CType) -> str:
    """An argument of an atomic function for a value of type `to`: C++ converts numbers in silence as C does."""
    silent = isinstance(unqualified(to), (Integer, Floating))
    return text if silent else f"({e.cxx(to)}){operand(text, 'cast')}"


def compared(e: Emitter, body: ast.Stmt | None, capture: bool) -> str:
    """The statements for the body of an `atomic compare`.  Raises NotAtomicError."""
    items = body.items if isinstance(body, ast.Compound) else [body] if body is not None else []
    if not capture:
        if len(items) != 1:
            raise NotAtomicError
        return _plain(e, _update(e, items[0]))
    if len(items) == 1 and isinstance(items[0], ast.If) and items[0].otherwise is not None:
        update = _conditional(e, items[0])
        return _block(e, update, f"if (!{_holds(update)})\n{_captured(e, items[0].otherwise, update, 'ompls_old')}\n")
    if len(items) != 2:
        raise NotAtomicError
    first, second = items
    if isinstance(second, ast.If) and isinstance(bare(second.condition), ast.Name):
        return _with_result(e, first, second)
    if isinstance(second, ast.If) or _is_update(e, second):  # { v = x; if (x == e) { x = d; } }
        update = _update(e, second)
        return _block(e, update, f"{_captured(e, first, update, 'ompls_old')}\n")
    update = _update(e, first)
    shown = f"{_holds(update)} ? ({e.cxx(update.target.type)})ompls_fresh : ompls_old"
    return _block(e, update, f"{_captured(e, second, update, shown)}\n")


def _with_result(e: Emitter, first: ast.Stmt, second: ast.If) -> str:
    """`{ r = x == e; if (r) { x = d; } else { v = x; } }`"""
    result = _assignment(first)
    comparison = bare(result.value)
    if not isinstance(comparison, ast.Binary) or e.text(bare(second.condition)) != e.text(bare(result.target)):
        raise NotAtomicError
    update = _of(e, comparison, _assignment(second.then))
    after = f"{e.text(result.target)} = {_holds(update)};\n"
    if second.otherwise is not None:
        after += f"if (!{_holds(update)})\n{_captured(e, second.otherwise, update, 'ompls_old')}\n"
    return _block(e, update, after)


def _plain(e: Emitter, u: _Update) -> str:
    call = _extreme(e, u, e.text(u.other))
    return f"{call};" if call is not None else _block(e, u, "")


def _extreme(e: Emitter, u: _Update, other: str) -> str | None:
    """The call of a minimum or maximum from the texts of the operands; it gives the old value."""
    if u.op == "==" or e.text(bare(u.other)) != e.text(bare(u.fresh)):
        return None
    kind = unqualified(u.target.type)
    if not isinstance(kind, (Integer, Floating)) or (
        unqualified(u.other.type) != kind and unqualified(arithmetic(kind, u.other.type)) != kind
    ):
        return None  # C compares in another type
    name = "max" if (u.op == "<") != u.flipped else "min"
    return f"ompls_atomic<ompls_{name}>({address(e, u.target)}, {other})"


def _block(e: Emitter, u: _Update, after: str) -> str:
    kind = e.cxx(u.target.type)
    out = f"{{  // atomic compare\nconst auto ompls_other = {e.text(u.other)};\n"
    out += f"const auto ompls_fresh = {e.text(u.fresh)};\n"
    old = f"const {kind} ompls_old = " if after else ""
    call = _extreme(e, u, "ompls_other") or (
        f"ompls_atomic_update({address(e, u.target)}, [=]({kind} ompls_old) {{\n"
        f"return {_holds(u)} ? ({kind})ompls_fresh : ompls_old;\n}})"
    )
    return f"{out}{old}{call};\n{after}}}"


def _holds(u: _Update) -> str:
    old = f"{promotion(u.target.type)}ompls_old"
    left, right = ("ompls_other", old) if u.flipped else (old, "ompls_other")
    return f"({left} {u.op} {right})"


def _update(e: Emitter, s: ast.Stmt) -> _Update:
    if isinstance(s, ast.If):
        if s.otherwise is not None:
            raise NotAtomicError
        return _conditional(e, s)
    made = _assignment(s)
    value = bare(made.value)
    if not isinstance(value, ast.Conditional) or value.then is None:
        raise NotAtomicError
    comparison = bare(value.condition)
    if not isinstance(comparison, ast.Binary) or not same(e, value.otherwise, made.target):
        raise NotAtomicError
    return _of(e, comparison, ast.Assign(made.span, "=", made.target, value.then))


def _is_update(e: Emitter, s: ast.Stmt) -> bool:
    try:
        _update(e, s)
    except NotAtomicError:
        return False
    return True


def _conditional(e: Emitter, s: ast.If) -> _Update:
    comparison = bare(s.condition)
    if not isinstance(comparison, ast.Binary):
        raise NotAtomicError
    return _of(e, comparison, _assignment(s.then))


def _of(e: Emitter, comparison: ast.Binary, made: ast.Assign) -> _Update:
    target = bare(made.target)
    if comparison.op not in ("==", "<", ">"):
        raise NotAtomicError
    if same(e, comparison.left, target):
        return _Update(target, comparison.op, comparison.right, False, made.value)
    if same(e, comparison.right, target):
        return _Update(target, comparison.op, comparison.left, True, made.value)
    raise NotAtomicError


def _assignment(s: ast.Stmt) -> ast.Assign:
    while isinstance(s, ast.Compound) and len(s.items) == 1:
        s = s.items[0]
    made = bare(s.expr) if isinstance(s, ast.ExprStmt) and s.expr is not None else None
    if not isinstance(made, ast.Assign) or made.op != "=":
        raise NotAtomicError
    return made


def _captured(e: Emitter, s: ast.Stmt, u: _Update, value: str) -> str:
    """`v = x;` with the value that `x` has or had."""
    made = _assignment(s)
    if not same(e, made.value, u.target):
        raise NotAtomicError
    return captured(e, made, value, u.target)
