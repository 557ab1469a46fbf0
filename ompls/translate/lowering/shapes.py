"""Constructs whose meaning gcc 12 has no word for, as statements around the construct or in its body."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span, Symbol
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.grouped import groups_tasks
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import Item
from ompls.translate.canonical import loop_of
from ompls.translate.clauses import allocators_used
from ompls.translate.ctext import is_vla
from ompls.translate.lowering.round import Round, directive_text, pragma
from ompls.translate.problem import Problem


def lower(work: Round) -> None:
    for item in work.items("shapes"):
        for d, stmt in ((s.directive, s) for s in item.content.directives):
            if d.meta is not None or not d.known:
                continue
            try:
                _lower(work, item, stmt)
            except Problem as p:
                work.refuse(item, p.span or d.span, p.what, p.why)


def _lower(work: Round, item: Item, stmt: DirectiveStmt) -> None:
    d = stmt.directive
    if d.name == "interop":
        _interop(work, item, d)
    elif d.name == "taskwait" and d.clause("nowait") and work.target.openmp:
        # A task without a body that has the dependences (5.2 §15.5).
        text = pragma(f"omp task {' '.join(work.text(item, c.span) for c in d.all('depend'))}")
        work.replace(item, (d.span, f"{{ {text}{{ }} }}"))
    elif any(i.text == "omp_all_memory" for c in d.all("depend") for i in c.items):
        _all_memory(work, item, stmt)
    elif d.has("target") and d.clause("uses_allocators"):
        _own_allocators(work, item, stmt)
    elif d.name == "scope" and d.clause("firstprivate"):
        _scope(work, item, stmt)
    elif d.has("target") and len(d.constructs) > 1 and any(_of_target(c) for c in d.clauses):
        _private_to_target(work, item, stmt)
    elif d.clause("induction"):
        _induction(work, item, stmt)
    elif d.name == "target data" and not work.target.on_device and _leaves_tasks(stmt):
        # The region is a taskgroup, too, unless `nogroup` (6.0 §15.7).
        work.replace(item, (d.span, _without(work, item, d, ()) + pragma("omp taskgroup")))
    elif d.name == "allocate" and work.target.openmp:
        _allocate(work, item, d)


def _without(work: Round, item: Item, d: Directive, dropped: Iterable[Clause], added: str = "") -> str:
    """The directive as `_Pragma` without some clauses."""
    gone = {id(c) for c in dropped}
    bare = Directive(d.name, d.constructs, d.span, d.name_span, (), args=d.args)
    clauses = [work.text(item, c.span) for c in d.clauses if id(c) not in gone]
    return pragma(" ".join([directive_text(work.tu, item, bare), *clauses, added]))


def _end(stmt: DirectiveStmt) -> Span:
    return Span(stmt.span.end, stmt.span.end)


def _leaves_tasks(stmt: DirectiveStmt) -> bool:
    """Whether a `target data` region has to wait for device constructs in it."""
    body = stmt.body
    if body is None or stmt.directive.clause("nogroup"):
        return False
    if isinstance(body, DirectiveStmt) and groups_tasks(body.directive):
        return False
    inside = (n.directive for n in body.walk() if isinstance(n, DirectiveStmt))
    return any(d.clause("nowait") and "target" in d.name.split() for d in inside)


# --- uses_allocators --------------------------------------------------------------------------------------------

_MADE = re.compile(rb"= omp_init_allocator\([^;]*\);\s*\Z")


def _own_allocators(work: Round, item: Item, stmt: DirectiveStmt) -> None:
    """The region's own allocators are made before it, destroyed behind it (5.2 §6.8); a deferred one keeps them.

    Kernels of GPUs make theirs, from the clause in its older spelling.
    """
    d = stmt.directive
    clauses = d.all("uses_allocators")
    used = [x for clause in clauses for x in allocators_used(clause.text)]
    own = [x for x in used if not x[1].startswith("omp_")]
    listed = ", ".join(f"{name}({traits})" if traits else name for _, name, traits in used)
    directive = _without(work, item, d, clauses, f"uses_allocators({listed})")
    if not work.target.openmp or not own or _MADE.search(item.content.text[: d.span.start]):
        if any(":" in clause.text for clause in clauses):
            work.replace(item, (d.span, directive))
        return
    made = gone = ""
    for memory, name, traits in own:
        given = f"sizeof {traits} / sizeof {traits}[0], {traits}" if traits else "0, 0"
        made += f"__typeof__({name}) {name} = omp_init_allocator({memory}, {given}); "
        gone += "" if d.clause("nowait") else f" omp_destroy_allocator({name});"
    work.replace(item, (d.span, f"{{ {made}{directive}"), (_end(stmt), f"{gone} }}"))


# --- interop ----------------------------------------------------------------------------------------------------


def _interop(work: Round, item: Item, d: Directive) -> None:
    """No foreign runtime is offered: an object is, and stays, `omp_interop_none` (5.1 §2.15.1)."""
    text = "".join(pragma(f"omp taskwait {work.text(item, c.span)}") for c in d.all("depend"))
    for c in d.all("init", "destroy"):
        name = c.text.rpartition(":")[2].strip()
        text += f"{name} = omp_interop_none; "
    work.replace(item, (d.span, f"{{ {text}}}"))


# --- dependences ------------------------------------------------------------------------------------------------


def _all_memory(work: Round, item: Item, stmt: DirectiveStmt) -> None:
    """A task that depends on every other: all before it are waited for, and it is done before any after it."""
    d = stmt.directive
    dropped = d.all("depend", "nowait")
    added = "if(0)" if d.name == "task" and not d.clause("if") else ""
    text = _without(work, item, d, dropped, added)
    wait = "" if not work.target.openmp else pragma("omp taskwait")
    if d.name == "taskwait":
        work.replace(item, (d.span, wait or pragma("omp taskwait")))
    else:
        work.replace(item, (d.span, f"{{ {wait}{text}"), (_end(stmt), " }"))


# --- copies -----------------------------------------------------------------------------------------------------


def _copy(name: str, s: Symbol | None, span: Span, *, value: bool) -> str:
    """Opens a block in which `name` is a new variable, with the value of the one outside or without one."""
    if s is None or is_vla(s.type):
        raise Problem(span, f"a copy of '{name}'", "its type is not known, or its length is variable")
    if not value:
        return f"{{ __typeof__({name}) __ompls_c_{name}; {{ __typeof__(__ompls_c_{name}) {name}; "
    if isinstance(s.type, Array):
        copy = f"__builtin_memcpy(&{name}, __ompls_c_{name}, sizeof {name}); "
        return f"{{ __typeof__(&{name}[0]) __ompls_c_{name} = {name}; {{ __typeof__({name}) {name}; {copy}"
    kept = f"__ompls_c_{name}"
    return f"{{ __typeof__({name}) {kept} = {name}; {{ __typeof__({kept}) {name} = {kept}; "


def _scope(work: Round, item: Item, stmt: DirectiveStmt) -> None:
    """`scope firstprivate(x)`: the copy is a variable of the block."""
    d = stmt.directive
    if stmt.body is None:
        return
    dropped = d.all("firstprivate", "allocate")
    copies = [_copy(i.text, i.symbol, i.span, value=True) for c in d.all("firstprivate") for i in c.items]
    text = _without(work, item, d, dropped) + "".join(copies)
    work.replace(item, (d.span, text), (_end(stmt), " }}" * len(copies)))


def _of_target(c: Clause) -> bool:
    return c.name in ("private", "firstprivate") and "target" in c.modifiers


def _private_to_target(work: Round, item: Item, stmt: DirectiveStmt) -> None:
    """`firstprivate(target: x)` on a combined construct: one copy for the whole region, shared by its teams.

    That is a variable of the host's that is mapped: it has no other use, so nothing comes back.
    """
    d = stmt.directive
    mine = [c for c in d.clauses if _of_target(c)]
    opening = "".join(_copy(i.text, i.symbol, i.span, value=c.name == "firstprivate") for c in mine for i in c.items)
    count = sum(len(c.items) for c in mine)
    maps = " ".join(
        f"map({'to' if c.name == 'firstprivate' else 'alloc'}: {', '.join(i.text for i in c.items)})" for c in mine
    )
    # The variable is gone after the construct: it cannot be deferred.
    text = _without(work, item, d, [*mine, *d.all("nowait")], maps)
    work.replace(item, (d.span, opening + text), (_end(stmt), " }}" * count))


# --- induction --------------------------------------------------------------------------------------------------


def _induction(work: Round, item: Item, stmt: DirectiveStmt) -> None:
    """`induction(step(s), op: x)` (6.0 §7.6.12): x begins each iteration with what it has after those before it."""
    d = stmt.directive
    loop = stmt.body
    collapse = d.clause("collapse", "ordered")
    if not isinstance(loop, ast.For) or (collapse is not None and collapse.args):
        raise Problem(d.span, "'induction'", "it is there for one loop right after the directive only")
    form = loop_of(loop)
    before = begin = after = close = ""
    mine = d.all("induction")
    for c in mine:
        step = next((m for m in c.modifiers if m.startswith("step")), "")
        if c.keyword not in ("+", "*") or not step:
            raise Problem(c.span, f"'induction({c.text})'", "only + and * with a step are there")
        by = step[step.index("(") + 1 : step.rindex(")")]
        lower, bound = work.text(item, form.lower.span), work.text(item, form.bound.span)
        width = form.step_text("1" if form.step is None else work.text(item, form.step.span))
        for i in c.items:
            x = i.text
            counter = form.symbol.name
            before += f"{{ __typeof__({x}) __ompls_x_{x} = {x}; "
            ends = (counter, lower) if form.up else (lower, counter)
            distance = f"((long long)({ends[0]}) - (long long)({ends[1]})) / ({width})"
            if c.keyword == "+":
                begin += f"__typeof__(__ompls_x_{x}) {x} = __ompls_x_{x} + ({distance}) * ({by}); "
            else:
                begin += f"__typeof__(__ompls_x_{x}) {x} = __ompls_x_{x}; "
                begin += f"for (long long __ompls_n = {distance}; __ompls_n > 0; __ompls_n--) {x} *= ({by}); "
            again = f"{x} {c.keyword}= ({by});"
            count = form.count(f"({lower})", f"({bound})", "long long", width)
            after += f"for (long long __ompls_n = {count}; __ompls_n > 0; __ompls_n--) {again} "
            close += " }"
    text = _without(work, item, d, mine)
    body = loop.body.span
    at = Span(body.start, body.start)
    edits = [(d.span, before + text), (at, "{ " + begin), (_end(stmt), f" }} {after}{close}")]
    work.replace(item, *edits)


# --- allocate ---------------------------------------------------------------------------------------------------


def _allocate(work: Round, item: Item, d: Directive) -> None:
    """`allocate(x) align(n)`: the declaration says it; all of the host's memory is of one kind."""
    clause = d.clause("align")
    if clause is None:
        work.replace(item, (d.span, ""))
        return
    names = {i.symbol for i in d.args}
    declared = [
        n for n in item.content.node.walk()
        if isinstance(n, ast.DeclStmt) and any(v.symbol in names for v in n.decls)
    ]  # fmt: skip
    attribute = f"__attribute__((aligned({' '.join(clause.text.split())}))) "
    edits = [(Span(n.span.start, n.span.start), attribute) for n in declared]
    work.replace(item, (d.span, ""), *edits)
