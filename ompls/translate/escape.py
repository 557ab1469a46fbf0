"""Variables on one thread's stack that parallel regions are led to by a pointer.

On a GPU a thread's stack is its own.  A variable of sequential code that a parallel region names is found by
`team_shared`; one whose address goes where a region may find it, or into a function with a region, is found here.
"""

from __future__ import annotations

from collections.abc import Collection

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Node, Symbol
from ompls.analysis.model.ctype import Array, CType, Function, Pointer, Record, Void
from ompls.translate.ctext import is_vla
from ompls.translate.uses import declared_in, directives_in, names_in, root_symbol

_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))


def parallel_functions(functions: list[FunctionDef]) -> set[str]:
    """The functions in which a parallel region begins, or which use one of these."""
    found = {f.symbol.name for f in functions if any(d.directive.has("parallel") for d in directives_in(f))}
    grown = bool(found)
    while grown:
        using = {f.symbol.name for f in functions if any(n.name in found for n in names_in(f.body))}
        grown = not using <= found
        found |= using
    return found


def handed_over(body: Node, own: Collection[Symbol], parallel: Collection[str]) -> set[Symbol]:
    """Variables of the sequential code `body` whose address leaves it for where a parallel region may find it.

    own      -- the parameters, which belong to it as what it declares does
    parallel -- the functions with parallel regions
    """
    if not any(_begins_parallel(n, parallel) for n in body.walk()):
        return set()
    walk = _Escapes(parallel)
    walk.visit(body, gone=True)
    mine = {s for s in declared_in(body) if s.storage not in ("static", "extern") and not is_vla(s.type)}
    return walk.found & (mine | set(own))


def _begins_parallel(n: Node, parallel: Collection[str]) -> bool:
    if isinstance(n, DirectiveStmt):
        return n.directive.has("parallel")
    return isinstance(n, ast.Name) and n.name in parallel


class _Escapes:
    """Follows addresses through expressions; `gone`: what the expression comes to is kept, or handed to somebody."""

    def __init__(self, parallel: Collection[str]) -> None:
        self.parallel = parallel
        self.found: set[Symbol] = set()
        self.waiting: list[tuple[Node | None, bool]] = []

    def visit(self, n: Node | None, gone: bool) -> None:
        self.waiting = [(n, gone)]
        while self.waiting:
            self._step(*self.waiting.pop())

    def _step(self, n: Node | None, gone: bool) -> None:
        if n is None or isinstance(n, ast.SizeOf) or (isinstance(n, DirectiveStmt) and n.directive.has("parallel")):
            return
        if gone and isinstance(n, (ast.Name, ast.Member, ast.Index)) and isinstance(n.type, Array):
            self._leaves(n)
        if isinstance(n, ast.Unary) and n.op == "&":
            if gone:
                self._leaves(n.operand)
            self.waiting.append((n.operand, False))
        elif isinstance(n, (ast.Member, ast.Unary, ast.ExprStmt)):
            for child in n.children():
                self.waiting.append((child, False))
        elif isinstance(n, ast.Index):
            self.waiting.append((n.base, False))
            self.waiting.append((n.index, False))
        elif isinstance(n, ast.Assign):
            self.waiting.append((n.target, False))
            self.waiting.append((n.value, True))
        elif isinstance(n, ast.Call):
            self._call(n, gone)
        elif isinstance(n, ast.Expr) and not isinstance(n, (ast.InitList, ast.StatementExpr, ast.CompoundLiteral)):
            kept = gone and not (isinstance(n, ast.Binary) and n.op in _COMPARISONS)
            for child in n.children():
                self.waiting.append((child, kept))
        else:
            for child in n.children():
                self.waiting.append((child, True))

    def _leaves(self, e: ast.Expr) -> None:
        root = root_symbol(e)
        if root is not None:
            self.found.add(root)

    def _call(self, n: ast.Call, gone: bool) -> None:
        self.waiting.append((n.function, False))
        keeps = not self._forgets(n, gone)
        for a in n.args:
            self.waiting.append((a, keeps))

    def _forgets(self, n: ast.Call, gone: bool) -> bool:
        """Whether no parallel region can find what the function is given, neither in it nor afterwards."""
        s = n.function.symbol if isinstance(n.function, ast.Name) else None
        if s is None or not isinstance(s.type, Function) or s.name in self.parallel:
            return False
        returned = gone and isinstance(s.type.returns, (Pointer, Record))
        if s.from_system_header or s.name.startswith("__builtin_"):
            return not returned
        return not returned and s.type.prototype and not any(map(_holds_pointers, s.type.params))


def _holds_pointers(t: CType) -> bool:
    """Whether a parameter of type `t` may lead to a place where a pointer can be kept."""
    return isinstance(t, Pointer) and isinstance(t.to, (Pointer, Record, Void))
