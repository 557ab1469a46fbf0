"""The quick fix that makes an access atomic where it stands, which many races need."""

from __future__ import annotations

from collections.abc import Sequence

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.paths import same
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Floating, Integer
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.edits import line_before
from ompls.analysis.rules.support.framework import Change, Scene
from ompls.analysis.rules.support.races.updates import operator_of

_FORMS = frozenset(("+", "*", "&", "|", "^"))  # of the operators that `operator_of` knows


def atomically(scene: Scene, accesses: Sequence[Access], *, safe: bool) -> tuple[Change, ...]:
    """The directive before the one statement of the function that makes all these accesses, if `atomic` takes it
    (5.2 §15.8.4).

    safe -- they certainly race: nothing that the program may rely on changes
    """
    made = {id(x.by): x for x in accesses}
    access = next(iter(made.values()), None)
    if access is None or len(made) > 1 or access.home is not None or scene.function is None:
        return ()
    statements = (n for n in scene.function.body.walk() if isinstance(n, ast.ExprStmt))
    stmt = next((n for n in statements if n.expr is access.by is not None or _copies(n.expr, access)), None)
    kind = _kind(access, stmt.expr) if stmt is not None else ""
    return line_before(scene, stmt, kind, safe=safe, split=True) if stmt is not None and kind else ()


def _kind(access: Access, by: ast.Node | None) -> str:
    target = by.operand if isinstance(by, ast.Unary) else by.target if isinstance(by, ast.Assign) else None
    if target is None or not isinstance(target.type, (Integer, Floating)):
        return ""
    if isinstance(target.type, Floating) and target.type.complex:
        return ""
    if not access.write:
        return "atomic read" if _copies(by, access) else ""
    if isinstance(by, ast.Assign) and by.op == "=" and not any(same(n, target) for n in _expressions(by.value)):
        return "atomic write"
    if operator_of(access) not in _FORMS:
        return ""
    # What is added may not be the variable itself again.
    again = sum(same(n, target) for n in _expressions(by.value)) if isinstance(by, ast.Assign) else 0
    return "atomic" if again == (isinstance(by, ast.Assign) and by.op == "=") else ""


def _copies(by: ast.Node | None, access: Access) -> bool:
    """Whether it is `v = x`, which reads all that is accessed of `x`."""
    return isinstance(by, ast.Assign) and by.op == "=" and not access.write and bare(by.value) is access.node


def _expressions(e: ast.Expr) -> list[ast.Expr]:
    return [n for n in e.walk() if isinstance(n, ast.Expr)]
