"""Sequential code with parallel regions in it, run SPMD: what `translate/promote.py` allows.

One thread runs what has effects; all threads run the rest alike.  A barrier stands before what would read something
that others may have written since the last one, or write something that others may still be reading.
"""

from __future__ import annotations

from collections.abc import Iterable

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.omp import Directive
from ompls.translate.promote import Promotion, is_alike, is_closed, ladder
from ompls.translate.rewrite import Part
from ompls.translate.transformations.gpu.emitter import Emitter, assignable
from ompls.translate.uses import is_parallel, listed

_ONE = "if (omp_get_thread_num() == 0) {  // sequential code with effects: one thread runs it\n"
_DONE = "\n}\n"
_MEET = "ompls_barrier();\n"
# What threads have done with memory that others can reach since they last met: a parallel region, whose threads may
# have read and written anything; one thread's statements; reading by all.  A directive's id: they read its results.
_ALL, _ONES, _READ = "all", "one", "read"


def write(e: Emitter, body: ast.Stmt, promotion: Promotion, *, again: bool = False) -> None:
    """Edit the region's body, which is run `again` for other iterations, or has code after it that sees the result."""
    writer = _Writer(e, promotion)
    if again:
        writer.turn(body)
    else:
        writer.statement(body)


class _Writer:
    def __init__(self, e: Emitter, promotion: Promotion) -> None:
        self.e, self.promotion = e, promotion
        self.done: set[str | int] = set()

    def statement(self, s: ast.Stmt | None) -> None:
        """A statement that stands alone; a block's are taken together."""
        if s is None:
            return
        if isinstance(s, ast.Compound):
            self._sequence(s.items)
        elif isinstance(s, ast.Jump):
            self._control(s)
        else:
            self.e.replace(s.span, "{\n", s.span, "\n}")
            self._sequence([s])

    def turn(self, s: ast.Stmt | None) -> None:
        """The body of a loop: when it is run again, nobody has to wait first."""
        if isinstance(s, ast.Compound):
            self._sequence(s.items)
            if self.done:
                end = s.span.end - 1
                self.e.replace(Span(end, end), _MEET)
        elif s is not None:
            self.e.replace(s.span, "{\n", s.span, f"\n{_MEET}}}")
            self._sequence([s])
        self.done = set()

    def _sequence(self, items: Iterable[ast.Stmt]) -> None:
        work: list[ast.Stmt] = []
        for item in items:
            if self._is_work(item):
                work.append(item)
                continue
            self._one_thread(work)
            work = []
            if isinstance(item, ast.Compound) and id(item) not in self.promotion.alike:
                self._sequence(item.items)
            else:
                self._control(item)
        self._one_thread(work)

    def _is_work(self, s: ast.Stmt) -> bool:
        """Whether one thread runs `s` for all."""
        if isinstance(s, (ast.DeclStmt, ast.Compound)) or is_parallel(s) or id(s) in self.promotion.alike:
            return False
        return is_closed(s)

    def _meet(self, *others: str | int) -> str:
        """The barrier before something that what `others` have done must not be concurrent with."""
        if self.done.isdisjoint(others):
            return ""
        self.done = set()
        return _MEET

    def _reads(self, *nodes: ast.Node | None) -> str:
        """The barrier before what all threads evaluate."""
        if all(x is None or is_alike(x, self.promotion) for x in nodes):
            return ""
        before = self._meet(_ALL, _ONES)
        self.done.add(_READ)
        return before

    def _before(self, s: ast.Stmt, text: str) -> None:
        if text:
            self.e.replace(s.span, text, s.span)

    def _one_thread(self, work: list[ast.Stmt]) -> None:
        """Adjacent statements with effects."""
        if not work:
            return
        first, last = work[0].span, work[-1].span
        begin = self._meet(_ALL, _READ) + _ONE
        if len(work) == 1:
            self.e.replace(first, begin, first, _DONE)
        else:
            self.e.replace(first, begin, first)
            self.e.replace(last, last, _DONE)
        self.done.add(_ONES)
        for s in work:
            self.e.visit(s, "master")

    def _control(self, s: ast.Stmt) -> None:
        if isinstance(s, DirectiveStmt):
            self._region(s)
        elif isinstance(s, ast.DeclStmt):
            self._declaration(s)
        elif id(s) in self.promotion.alike:
            self._before(s, self._reads(s))
            self.e.visit(s, "master")
        elif isinstance(s, ast.If):
            self._branches(s)
        elif isinstance(s, (ast.While, ast.DoWhile, ast.For)):
            self._loop(s)
        elif isinstance(s, ast.Jump) and self.done:
            self.e.replace(s.span, f"{{\n{_MEET}", s.span, "\n}")
            self.done = set()

    def _region(self, s: DirectiveStmt) -> None:
        d = s.directive
        self._before(s, self._meet(_ALL, _ONES, _READ, id(d)))
        self.e.visit(s, "master")
        totals = {x for at, x in self.promotion.totals if at == id(d)}
        if d.has("distribute"):
            self.done = set()  # they have met after each of its chunks
        elif totals:
            self.done = {id(d)}  # they met before they read the results
        elif _ends_with_barrier(d):
            self.done = set()
        else:
            self.done.add(_ALL)

    def _branches(self, s: ast.If) -> None:
        rungs, rest = ladder(s)
        self._before(s, self._reads(*(rung.condition for rung in rungs)))
        before, after = set(self.done), set[str | int]()
        for branch in (*(rung.then for rung in rungs), rest):
            self.done = set(before)
            self.statement(branch)
            after |= self.done
        self.done = after

    def _loop(self, s: ast.While | ast.DoWhile | ast.For) -> None:
        head: list[ast.Node | None] = [s.condition]
        if isinstance(s, ast.For):
            head += [s.init, s.step]
        self._before(s, self._reads(*head))
        around = set(self.done)
        self.turn(s.body)
        self.done = around

    def _declaration(self, s: ast.DeclStmt) -> None:
        if not any(d.symbol in self.promotion.shared for d in s.decls):
            self._before(s, self._reads(*(d.init for d in s.decls)))
            return
        parts: list[Part] = []
        for d in s.decls:
            name, t = d.symbol.name, assignable(d.symbol.type)
            if d.symbol not in self.promotion.shared:
                parts += [self._reads(d.init), self.e.cxx(t, name), *_init(d), ";\n"]
                continue
            parts.append(f"__shared__ {self.e.cxx(t, name)};\n")
            if d.init is not None:
                parts += [self._meet(_ALL, _READ), _ONE, *self.e.assigned(d), _DONE]
                self.done.add(_ONES)
        self.e.replace(s.span, *parts)


def _init(d: ast.VarDecl) -> list[Part]:
    return [" = ", d.init.span] if d.init is not None else []


def _ends_with_barrier(d: Directive) -> bool:
    """Whether the last thing that the threads of a parallel region do is a reduction, after which they meet."""
    clauses = d.all("reduction")
    plain = not any(c.modifiers for c in clauses)
    return bool(clauses) and plain and not any(isinstance(x.type, (Array, Pointer)) for x in listed([d], "reduction"))
