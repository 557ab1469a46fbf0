"""Sequential code with parallel regions in it, run SPMD: what `translate/promote.py` allows.

One thread runs what has effects; all threads evaluate conditions and counters alike.  Each part ends with a barrier.
"""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt
from ompls.translate.promote import Promotion, is_alike, is_closed, ladder
from ompls.translate.rewrite import Part
from ompls.translate.transformations.gpu.emitter import Emitter, assignable
from ompls.translate.uses import is_parallel

_ONE = "if (omp_get_thread_num() == 0) {  // sequential code with effects: one thread runs it\n"
_DONE = "\n}\nompls_barrier();\n"


def write(e: Emitter, body: ast.Stmt, promotion: Promotion) -> None:
    """Edit the region's body."""
    _Writer(e, promotion).statement(body)


class _Writer:
    def __init__(self, e: Emitter, promotion: Promotion) -> None:
        self.e, self.promotion = e, promotion

    def statement(self, s: ast.Stmt | None) -> None:
        """A statement that stands alone; a block's are taken together."""
        if s is None:
            return
        if isinstance(s, ast.Compound):
            self._block(s)
        elif _is_work(s):
            self.e.replace(s.span, "{\n" + _ONE, s.span, _DONE + "}")
            self.e.visit(s, "master")
        else:
            self._control(s)

    def _block(self, block: ast.Compound) -> None:
        work: list[ast.Stmt] = []
        for item in block.items:
            if _is_work(item):
                work.append(item)
                continue
            self._one_thread(work)
            work = []
            if isinstance(item, ast.Compound):
                self._block(item)
            else:
                self._control(item)
        self._one_thread(work)

    def _one_thread(self, work: list[ast.Stmt]) -> None:
        """Adjacent statements with effects."""
        if not work:
            return
        first, last = work[0].span, work[-1].span
        if len(work) == 1:
            self.e.replace(first, _ONE, first, _DONE)
        else:
            self.e.replace(first, _ONE, first)
            self.e.replace(last, last, _DONE)
        for s in work:
            self.e.visit(s, "master")

    def _control(self, s: ast.Stmt) -> None:
        if isinstance(s, DirectiveStmt):
            self.e.visit(s, "master")  # a parallel region
        elif isinstance(s, ast.DeclStmt):
            self._declaration(s)
        elif isinstance(s, ast.If):
            rungs, rest = ladder(s)
            for rung in rungs:
                self._agreed(rung.condition)
                self.statement(rung.then)
            self.statement(rest)
        elif isinstance(s, (ast.While, ast.DoWhile)):
            self._agreed(s.condition)
            self.statement(s.body)
        elif isinstance(s, ast.For):
            begun = [d.init for d in s.init.decls] if isinstance(s.init, ast.DeclStmt) else [_value(s.init)]
            for part in (*begun, s.condition, s.step.value if isinstance(s.step, ast.Assign) else None):
                self._agreed(part)
            self.statement(s.body)

    def _agreed(self, x: ast.Expr | None) -> None:
        """Read what others may write next: with a barrier after it."""
        if x is not None and not is_alike(x, self.promotion):
            self.e.replace(x.span, "ompls_agree(", x.span, ")")

    def _declaration(self, s: ast.DeclStmt) -> None:
        if not any(d.symbol in self.promotion.shared for d in s.decls):
            for d in s.decls:
                self._agreed(d.init)
            return
        parts: list[Part] = []
        begun: list[Part] = []
        for d in s.decls:
            name, t = d.symbol.name, assignable(d.symbol.type)
            if d.symbol not in self.promotion.shared:
                self._agreed(d.init)
                parts += [self.e.cxx(t, name), *_init(d), ";\n"]
                continue
            parts.append(f"__shared__ {self.e.cxx(t, name)};\n")
            if d.init is not None:
                begun += self.e.assigned(d)
        self.e.replace(s.span, *parts, *([_ONE, *begun, _DONE] if begun else []))


def _init(d: ast.VarDecl) -> list[Part]:
    return [" = ", d.init.span] if d.init is not None else []


def _value(init: ast.Stmt | None) -> ast.Expr | None:
    expr = init.expr if isinstance(init, ast.ExprStmt) else None
    return expr.value if isinstance(expr, ast.Assign) else None


def _is_work(s: ast.Stmt) -> bool:
    """Whether one thread runs `s` for all."""
    if isinstance(s, (ast.DeclStmt, ast.Compound)) or is_parallel(s):
        return False
    return is_closed(s)
