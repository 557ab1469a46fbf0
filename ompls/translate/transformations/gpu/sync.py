"""Constructs that order or restrict the threads of a team: barrier, single, masked, critical, sections, tasks, …"""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part
from ompls.translate.transformations.gpu.data import data_of
from ompls.translate.transformations.gpu.emitter import Emitter, Level, inner, transformation
from ompls.translate.uses import privatised


@transformation("barrier")
def barrier(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    e.replace(s.span, "ompls_barrier();")


@transformation("flush")
def flush(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    e.replace(s.span, "__threadfence();")


@transformation("taskwait", "taskyield", "nothing", "assumes")
def nothing(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """Tasks run at once, so there is nothing to wait for."""
    e.replace(s.span, ";")


@transformation("taskgroup", "assume", "scope")
def block(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """The statement itself (with the barrier that ends a `scope`)."""
    data = data_of(e, [s.directive])
    e.visit(s.body, level)
    ends = "ompls_barrier();\n" if s.directive.constructs[0] == "scope" and not s.directive.clause("nowait") else ""
    e.replace(s.span, "{\n", data.opening(), _block(s), "\n", data.closing(), ends, "}")


@transformation("task")
def task(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """An undeferred task: the thread that meets it runs it at once."""
    data = data_of(e, [s.directive], team=False)
    e.visit(s.body, level)
    e.replace(s.span, "{  // task, run at once\n", data.opening(), _block(s), "\n", data.closing(), "}")


@transformation("single")
def single(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    data = data_of(e, [s.directive])
    e.visit(s.body, level)
    wait = "" if s.directive.clause("nowait") else "\nompls_barrier();"
    e.replace(s.span, "{\nif (omp_get_thread_num() == 0) {  // single\n", data.opening(), _block(s), "\n",
              data.closing(), f"}}{wait}\n}}")  # fmt: skip


@transformation("master", "masked")
def masked(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    e.visit(s.body, level)
    chosen = s.directive.clause("filter")
    thread = e.text(chosen.args[0]) if chosen and chosen.args else "0"
    e.replace(s.span, f"if (omp_get_thread_num() == {thread}) {{  // {s.directive.name}\n", inner(s.body), "\n}")


@transformation("critical")
def critical(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """One lock a name; the lambda is run by one thread after the other."""
    name = s.directive.args[0].text if s.directive.args else ""
    e.locks.add(name)
    e.visit(s.body, level)
    e.replace(s.span, f"ompls_critical(&{lock(name)}, [&] {{\n", inner(s.body), "\n});")


def _block(s: DirectiveStmt) -> Span:
    return inner(s.body, {x.name for x in privatised(s.directive)})


def lock(name: str) -> str:
    return f"ompls_lock_{name}" if name else "ompls_lock"


@transformation("sections")
def sections(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """Section k is thread k's, round robin."""
    if not isinstance(s.body, ast.Compound):
        raise Problem(s.span, "sections", "it needs a block of sections")
    data = data_of(e, [s.directive])
    parts: list[Part] = ["{\n", data.opening()]
    for k, body in enumerate(s.body.items):
        is_section = isinstance(body, DirectiveStmt) and body.directive.name == "section"
        content = body.body if is_section and isinstance(body, DirectiveStmt) else body
        e.visit(content, level)
        parts += [f"if (omp_get_thread_num() == {k} % omp_get_num_threads()) {{  // section {k}\n",
                  inner(content), "\n}\n"]  # fmt: skip
    wait = "" if s.directive.clause("nowait") else "ompls_barrier();\n"
    e.replace(Span(s.span.start, s.span.end), *parts, data.closing(), wait, "}")
