"""What a write does with the old value: the update that it makes, alone or together with the read before it."""

from __future__ import annotations

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.paths import same
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr
from ompls.analysis.model.peel import bare, strip

_OPERATORS = {"+=": "+", "-=": "+", "*=": "*", "&=": "&", "|=": "|", "^=": "^", "++": "+", "--": "+"}


def same_update(a: Access, b: Access) -> bool:
    """Whether both make a new value of the old one (`n++`), or are the two halves of that (`n = n + 1`,
    `if (x > n) n = x`, `int old = n; n = old + 1`)."""
    if all(x.read and x.write for x in (a, b)):
        return True
    write, other = (a, b) if a.write else (b, a)
    if not isinstance(write.by, ast.Assign) or write.by.op != "=" or (other.write and other is not write):
        return False
    extreme = operator_of(write) in ("min", "max")
    looked = [g.expr for g in write.guards] if extreme else [write.by.value, *_passed_on(write.by.value)]
    old = [n for e in looked for n in e.walk() if isinstance(n, ast.Name) and n.symbol is write.symbol]
    return bool(old) and (other is write or (other.inner or other.node) in old)


def _passed_on(value: Expr) -> list[Expr]:
    """What variables of `value` were declared with: `int old = n; n = old + 1`."""
    names = [n.symbol for n in value.walk() if isinstance(n, ast.Name) and n.symbol is not None]
    return [s.init for s in names if s.level == "block" and s.init is not None]


def stored(access: Access) -> Expr | None:
    by = access.by
    if isinstance(by, ast.Assign) and ((by.op == "=" and not access.read) or by.op in ("|=", "&=")):
        return strip(by.value)
    return None


def operator_of(access: Access) -> str:
    """The reduction that a write makes by hand: '+' of `x += e`, 'max' of `if (e > x) x = e` (and not of `x = i` there);
    '' for none."""
    by = access.by
    if isinstance(by, ast.Unary):
        return _OPERATORS[by.op]
    if not isinstance(by, ast.Assign):
        return ""
    if by.op in _OPERATORS:
        return _OPERATORS[by.op]
    target, value = bare(by.target), bare(by.value)
    if by.op == "=" and isinstance(value, ast.Binary) and value.op in ("+", "-", "*", "&", "|", "^", "&&", "||"):
        if same(bare(value.left), target) or (value.op != "-" and same(bare(value.right), target)):
            return "+" if value.op == "-" else value.op
        return ""
    for guard in reversed(access.guards):
        condition = bare(guard.expr)
        if isinstance(condition, ast.Binary) and condition.op in ("<", "<=", ">", ">=") and guard.holds:
            larger = condition.op in (">", ">=")
            left, right = strip(condition.left), strip(condition.right)
            if same(right, target) and same(left, strip(value)):
                return "max" if larger else "min"
            if same(left, target) and same(right, strip(value)):
                return "min" if larger else "max"
    return ""
