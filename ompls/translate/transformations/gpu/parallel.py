"""Stand-alone `parallel`, and `distribute`, in sequential code of a kernel (Jetson paper §3.2).

A parallel region becomes a lambda that the master hands to the workers.  What it shares is captured by reference when
it is in memory that all threads see, by value when nothing in a parallel region modifies it; what they modify has been
moved to shared memory where it is declared (`Emitter.team_shared`), or is pushed there for the region's time in a
device function, whose frame may be any thread's.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, IntLiteral, Symbol
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare
from ompls.translate.canonical import kept_counters, nest_of
from ompls.translate.ctext import is_vla, words
from ompls.translate.launch import chain_directives
from ompls.translate.loops import Nest
from ompls.translate.precedence import operand
from ompls.translate.promote import is_pure, is_scalar
from ompls.translate.rewrite import Part
from ompls.translate.transformations.gpu.data import data_inside, data_of
from ompls.translate.transformations.gpu.emitter import Emitter, Level, transformation
from ompls.translate.transformations.gpu.loops import clause_value, keep_counters, loop_parts, typed, visit_iterations
from ompls.translate.transformations.gpu.nest import count_of, counts
from ompls.translate.transformations.gpu.sync import chosen
from ompls.translate.uses import (
    declared_in,
    directives_in,
    everything,
    is_aggregate,
    modified_in,
    names_in,
    parallel_in,
    root_symbol,
)


@transformation("parallel")
def parallel(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    region(e, s, level, ("", ""))


@transformation("distribute")
def distribute(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    d = s.directive
    nest = nest_of(d, s.body)
    if d.has("parallel"):
        head = counts(e, nest)
        head += "// This team's chunk of the iterations; the parallel region below divides it.\n"
        chunk = clause_value(e, d, "dist_schedule")
        if chunk is None:
            head += f"const ompls_range<{nest.kind}> ompls_team = ompls_get_distribute_chunk(ompls_count);\n"
            region(e, s, level, (f"{{\n{head}", "\n}"), "team")
        else:
            head += (
                f"ompls_range<{nest.kind}> ompls_team = "
                f"ompls_get_distribute_chunk(ompls_count, {typed(nest.kind, chunk)});\n"
            )
            more = f"\n}} while (ompls_next_distribute_chunk(&ompls_team, ompls_count, {typed(nest.kind, chunk)}));\n}}"
            region(e, s, level, (f"{{\n{head}do {{\n", more), "team")
        return
    data = data_inside(e, d, level, nest.body, nest, team=False)
    keep_counters(e, nest, data, kept_counters(d, nest))
    visit_iterations(e, nest, level)
    before, body, after = loop_parts(e, [d], nest, "distribute", data)
    e.replace(s.span, "{\n", data.opening(), before, body, after, data.closing(), "}")


def region(e: Emitter, s: DirectiveStmt, level: Level, around: tuple[str, str], source: str = "all") -> None:
    """The parallel region of `s`, with the loop that is combined with it, between the texts `around` it."""
    d = s.directive
    before, after = around
    loop = nest_of(d, s.body) if d.has("for") or d.has("loop") else None
    around_it = e.parts
    data = data_of(e, [d], loop, whole=level == "master")
    if loop is not None:
        keep_counters(e, loop, data, kept_counters(d, loop))
    together = level == "master" and e.plan is not None and e.plan.promotion is not None
    captures, push, pop = ([], "", "") if together else _captures(e, s, level, around_it)
    if source == "team":
        captures = ["ompls_count", "ompls_team", *captures, *[f"ompls_count_{x.symbol.name}" for x in loop.loops]] if (
            loop and len(loop.loops) > 1) else ["ompls_count", "ompls_team", *captures]  # fmt: skip
    threads = _threads(e, d, level)
    if threads == "0" and source == "all" and level != "parallel" and loop is not None and _is_untold(s, loop):
        threads = f"ompls_threads_for({count_of(e, loop.loops[0], loop.kind)})"
    for c in d.all("if"):
        if c.args and c.keyword in ("", "parallel"):
            threads = f"{operand(e.text(c.args[-1]), '||')} ? {operand(threads, '?')} : 1"
    outer, e.scope = e.scope, e.scope | (declared_in(s.body) if s.body else set())
    parts: list[Part]
    if loop is not None:
        visit_iterations(e, loop, "parallel")
        head, body, tail = loop_parts(
            e, [d], loop, "team" if source == "team" else "all", data, counted=source == "team"
        )
        parts = [head, body, tail]
    else:
        parts = chosen(e, d, s.body, "parallel", data)
    e.scope = outer
    if together:  # all threads are here already
        # Where a chunk follows, they meet before it; else the code around knows when.
        met = "ompls_barrier();\n" if source == "team" else ""
        own, mine, end = _own_copies(e, s)
        e.replace(s.span, "{  // parallel region: all threads of the team\n", own, mine, before, data.opening(), *parts,
                  data.closing(), met, after and f"{after}\n", end, "}")  # fmt: skip
        return
    if push:
        before, after = f"{before}{{\n{push}", f"\n{pop}}}{after}"
    e.replace(s.span, before, f"ompls_parallel_region([{', '.join(captures)}] {{  // the workers run this\n",
              data.opening(), *parts, data.closing(), f"}}, {threads});", after)  # fmt: skip


def _own_copies(e: Emitter, s: DirectiveStmt) -> tuple[str, str, str]:
    """Copies of each thread's own of scalars in shared memory that nothing changes while the region runs: what stands
    before its text and after it.

    Nothing does if no assignment in the region is to them and nothing has their address: all that runs meanwhile is the
    region's text and functions that it calls.  The compiler cannot know, and would read them again after each store.
    """
    assert e.plan is not None
    assert e.plan.promotion is not None
    listed_here = {i.symbol for x in directives_in(s) for c in x.directive.clauses for i in c.items}
    changing = modified_in(s) | _addressed(e.plan.region.stmt) | listed_here
    read = {n.symbol for n in names_in(s) if n.symbol is not None}
    names = sorted(x.name for x in (read & e.plan.promotion.shared) - changing if is_scalar(x))
    shared = {x.name: x for x in e.plan.promotion.shared}
    if not names:
        return "", "", ""
    own = "".join(f"{e.cxx(shared[name].type, f'ompls_own_{name}')} = {name};\n" for name in names)
    mine = "".join(f"{e.cxx(shared[name].type, name)} = ompls_own_{name};\n" for name in names)
    return own, f"{{  // nothing changes these here: a copy for each thread\n{mine}", "}\n"


def _is_untold(s: DirectiveStmt, loop: Nest) -> bool:
    """Whether nobody can tell how many threads a region over one loop has, and its bounds may be computed before it."""
    bounds = [x for x in (loop.loops[0].lower, loop.loops[0].bound, loop.loops[0].step) if x is not None]
    calls = [n.function for n in everything(s) if isinstance(n, ast.Call)]
    known = all(isinstance(f, ast.Name) and f.symbol is not None and _is_indifferent(f.symbol) for f in calls)
    return len(loop.loops) == 1 and known and all(map(is_pure, bounds))


def _is_indifferent(function: Symbol) -> bool:
    return function.from_system_header and not function.name.startswith("omp_")


def _threads(e: Emitter, d: Directive, level: Level) -> str:
    """How many threads the region asks for; 0: as many as there may be, one in a region."""
    wanted = clause_value(e, d, "num_threads")
    limit = None
    if e.plan is not None and level != "parallel":
        limit, at_begin = thread_limit(e, chain_directives(e.plan.region.stmt))
        limit = None if at_begin else limit
    if wanted is None or limit is None:
        return wanted or limit or "0"
    return f"({wanted}) < ({limit}) ? ({wanted}) : ({limit})"


def thread_limit(e: Emitter, chain: Sequence[Directive]) -> tuple[str | None, bool]:
    """The construct's thread_limit, and whether the kernel knows it when it begins, or in its place only."""
    having = [(d, clause) for d in chain if (clause := d.clause("thread_limit")) is not None and clause.args]
    if not having:
        return None, True
    directive, clause = having[-1]
    hoisted = e.plan is not None and id(clause) in e.plan.hoisted
    return clause_value(e, directive, "thread_limit"), hoisted or isinstance(bare(clause.args[-1]), IntLiteral)


def _captures(e: Emitter, s: DirectiveStmt, level: Level, parts: Collection[Symbol]) -> tuple[list[str], str, str]:
    """The lambda's capture list, and what has to be pushed to shared memory before and popped after.

    parts -- `Emitter.parts` around the region
    """
    own = declared_in(s.body) if s.body else set()
    private = {i.symbol for c in s.directive.all("private") for i in c.items}
    private |= _private_counters(s) - own
    used: dict[Symbol, None] = {}
    for n in names_in(s):
        x = n.symbol
        if x is not None and x.kind in ("var", "param") and x not in own and x not in private:
            used.setdefault(x)
    used |= dict.fromkeys(x for x in _in_types(e, s) if x not in own and x not in private)
    modified = modified_in(s)
    lengths = [d for x in used for d in (*e.dims.get(x, []), e.outer.get(x, "0"))]
    out = list(dict.fromkeys(d for d in lengths if not d.isdigit()))
    out += [name for x in used if e.plan is not None for name in e.plan.parts.get(x, ())]
    push = pop = ""
    # Variables of the file that the kernel has of its own, like the user's locals.
    own_of_file = {p.symbol for p in e.plan.params} | set(e.plan.privates) if e.plan is not None else set()
    for x in used:
        if x.kind == "typedef":
            continue
        if x.level == "file" and x not in e.references | own_of_file:
            continue
        if isinstance(x.type, Array) and is_vla(x.type):  # a constant pointer, maybe one thread's
            out.append(x.name)
            continue
        if x in parts and level != "parallel":  # a pointer to memory of the team
            out.append(x.name)
            continue
        if x in e.team_shared:
            continue
        if x in e.references or x in e.scope or (level == "parallel"):
            out.append(f"&{x.name}")
        elif level == "function" and (x in modified or is_aggregate(x)) and x.storage != "static":
            kind = e.cxx(x.type, "(*)" if isinstance(x.type, Array) else "*")
            push += f"void *ompls_shared_{x.name} = ompls_push_shmem(&{x.name}, sizeof {x.name});\n"
            pop = f"ompls_pop_shmem(&{x.name}, sizeof {x.name});\n{pop}"
            out.append(f"&{x.name} = *({kind})ompls_shared_{x.name}")
        elif x.storage != "static" or x in own_of_file:
            out.append(x.name)
    return out, push, pop


def _in_types(e: Emitter, s: DirectiveStmt) -> list[Symbol]:
    """What the lengths in casts and type names of `s` name, which are only text to us; and types with such lengths."""
    named = {w for n in ast.nodes(s) if isinstance(n, (ast.Cast, ast.SizeOf, ast.DeclStmt)) for w in _type_words(e, n)}
    function = e.item.content.node
    if not named or not isinstance(function, ast.FunctionDef):
        return []
    around = [*function.params, *(x for x in declared_in(function) if x.span is None or x.span.end <= s.span.start)]
    found = {x.name: x for x in sorted(around, key=lambda x: x.span.start if x.span else 0) if x.name in named}
    return list(found.values())


def _type_words(e: Emitter, n: ast.Cast | ast.SizeOf | ast.DeclStmt) -> frozenset[str]:
    """The words of a type of variable length that is written in `n`."""
    if isinstance(n, ast.DeclStmt):
        return words(e.tu.text(e.item, n.span)) if any(is_vla(d.symbol.type) for d in n.decls) else frozenset()
    span = n.type_span if n.type_span is not None else n.span
    return words(e.tu.text(e.item, span)) if is_vla(n.to if isinstance(n, ast.Cast) else n.of) else frozenset()


def _private_counters(s: DirectiveStmt) -> set[Symbol]:
    """The counters of a loop that is combined with a parallel region, of which nobody sees the last value."""
    if not (s.directive.has("for") or s.directive.has("loop")):
        return set()
    nest = nest_of(s.directive, s.body)
    return nest.counters - kept_counters(s.directive, nest)


def team_shared(body: ast.Node, params: set[Symbol]) -> set[Symbol]:
    """The variables of sequential code (locals, by-value parameters) that parallel regions in it share and modify."""
    out: set[Symbol] = set()
    everywhere = modified_in(body)
    local = declared_in(body) | params
    for s in parallel_in(body):
        own = declared_in(s.body) if s.body else set()
        private = {i.symbol for c in s.directive.all("private") for i in c.items}
        private |= _private_counters(s)
        inside = modified_in(s) | _addressed(body)
        for n in names_in(s):
            x = n.symbol
            if x is None or x not in local or x in own or x in private:
                continue
            if x.storage == "static" and x not in params:
                continue
            if x in params:
                if x in everywhere:
                    out.add(x)
            elif x in inside or is_aggregate(x):
                out.add(x)
    return out


def _addressed(node: ast.Node) -> set[Symbol]:
    found = (root_symbol(n.operand) for n in node.walk() if isinstance(n, ast.Unary) and n.op == "&" and not n.postfix)
    return {s for s in found if s is not None}
