"""What a task does to storage: what a `task` certainly reads and writes, what a target task maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ompls.analysis.dataenv.private import private_copies
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.graphs.evaluated import Frame, Placed, Values
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Expr
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Directive

_ASKING = (ast.Conditional, ast.StatementExpr, ast.OtherExpr)


def accesses_of(s: DirectiveStmt) -> list[tuple[Expr, bool]]:
    """The lvalues that each instance of a `task` reads (False) and writes (True), whatever the data are.

    Only what stands in its block under no condition and no other directive, and is no copy: variables of the file, and
    what pointers lead to.
    """
    if s.directive.constructs != ("task",) or s.body is None:
        return []
    if any(isinstance(n, (DirectiveStmt, ast.Call)) for n in s.body.walk()):  # a call may take a lock
        return []
    private = private_copies(s.directive, s.body)
    found = [use for part in _straight(s.body) if not _asks(part) for use in uses(part)]
    return [
        (use.node, write)
        for use in found
        if use.symbol not in private and _is_shared(use) and isinstance(use.node, Expr)
        for write, done in ((False, use.read), (True, use.write))
        if done
    ]


def _straight(s: ast.Stmt) -> Iterator[ast.Node]:
    """The expressions that are evaluated once, whatever happens."""
    if isinstance(s, ast.Compound):
        for item in s.items:
            yield from _straight(item)
            if not isinstance(item, (ast.ExprStmt, ast.DeclStmt, ast.Compound)):
                return  # it may leave the block
    elif isinstance(s, ast.ExprStmt) and s.expr is not None:
        yield s.expr


def _asks(e: ast.Node) -> bool:
    return any(isinstance(n, _ASKING) or (isinstance(n, ast.Binary) and n.op in ("&&", "||")) for n in e.walk())


def _is_shared(use: Use) -> bool:
    symbol, t = use.symbol, getattr(use.node, "type", None)
    if (
        not use.certain
        or use.escapes
        or isinstance(t, Array)
        or symbol.thread_local
        or symbol.kind not in ("var", "param")
    ):
        return False
    return symbol.level == "file" or (use.depth == 1 and isinstance(symbol.type, Pointer))


def mapped_by(d: Directive, values: Values) -> list[tuple[Placed, Callable[[Frame], int | None]]]:
    """The objects that the construct maps, with their sizes in bytes where these are known."""
    return [(values.place(i.expr), _size(i.expr, values)) for c in d.all("map") for i in c.items]


def _size(e: Expr, values: Values) -> Callable[[Frame], int | None]:
    if not isinstance(e, ast.Section):
        size = sizeof(e.type, values.model)
        return lambda _: size
    t = e.base.type
    of = t.of if isinstance(t, Array) else t.to if isinstance(t, Pointer) else t
    element, length = sizeof(of, values.model), t.length if isinstance(t, Array) and e.lower is None else None
    said = None if e.length is None else values.value(e.length)

    def asked(f: Frame) -> int | None:
        number = length if said is None else said(f)
        return element * number if element is not None and isinstance(number, int) else None

    return asked
