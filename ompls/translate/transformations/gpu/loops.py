"""Worksharing loops: one counter of normalised iterations, its distribution, and the user's counters out of it.

Jetson paper §3.1: the two phases of distribution are done by all threads; there is no team master in them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span, Symbol
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.peel import bare
from ompls.translate.canonical import kept_counters, nest_of
from ompls.translate.launch import binding, in_any_order
from ompls.translate.loops import Nest, constant
from ompls.translate.precedence import operand
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part
from ompls.translate.transformations.gpu import grid
from ompls.translate.transformations.gpu.data import Data, assign, data_inside
from ompls.translate.transformations.gpu.emitter import TRANSFORMATIONS, Emitter, Level, inner, transformation
from ompls.translate.transformations.gpu.nest import counters, counts, final, iterations, step_of

_ALL_READ = "ompls_barrier();  // all threads have read the original values\n"
# Which iterations a thread takes:
#   league     -- of the team's chunk of all iterations, this thread's (distribute parallel for)
#   team       -- of `ompls_team`, which stands before, this thread's (the parallel for of such a construct)
#   all        -- of all iterations, this thread's (for)
#   distribute -- the team's chunk (distribute, run by one thread of each team)
#   one        -- all of them (simd, run by whoever meets it)
Source = Literal["league", "team", "all", "distribute", "one"]


def clause_value(e: Emitter, d: Directive, name: str) -> str | None:
    """The value of a clause's expression in the kernel: what the host evaluated, or the expression itself."""
    clause = d.clause(name)
    if clause is None or not clause.args:
        return None
    if e.plan is not None and id(clause) in e.plan.hoisted:
        return e.plan.hoisted[id(clause)]
    return e.text(clause.args[-1])


def loop_parts(
    e: Emitter, chain: Sequence[Directive], nest: Nest, source: Source, data: Data, *, counted: bool = False
) -> tuple[str, Span, str]:
    """(text before the body, the body, text after it) of a distributed loop.

    chain   -- the directives whose clauses say how: a construct's, or of a chain that is run as one
    counted -- the counts stand before, in the code around
    """
    if (
        source == "league"
        and e.plan is not None
        and (e.plan.dimensions > 1 or e.plan.covered or (len(nest.loops) == 1 and nest.small and in_any_order(chain)))
    ):
        return _over_grid(e, nest, data)
    head = "" if counted else counts(e, nest)
    tail, kind = "", nest.kind
    if source in ("league", "distribute"):
        chunk = clause_value(e, _with(chain, "dist_schedule"), "dist_schedule")
        if source == "league":
            head += "// Two-phase distribution: this team's chunk of the iterations, then this thread's part of it.\n"
        else:
            whose = "its threads run each of them together" if _together(e) else "its one thread runs them all"
            head += f"// This team's chunk of the iterations; {whose}.\n"
        extra = f", {typed(kind, chunk)}" if chunk else ""
        const = "" if chunk else "const "
        head += f"{const}ompls_range<{kind}> ompls_team = ompls_get_distribute_chunk(ompls_count{extra});\n"
        if chunk:
            head += "do {\n"
            tail = f"}} while (ompls_next_distribute_chunk(&ompls_team, ompls_count, {typed(kind, chunk)}));\n"
    elif source in ("all", "one"):
        head += f"const ompls_range<{kind}> ompls_team = {{0, ompls_count, 1}};\n"
    mine = "ompls_team"
    if source not in ("distribute", "one"):
        mine = "ompls_mine"
        more, end = _thread_phase(e, chain, source, kind)
        head += more
        tail = end + tail
    start, end = iterations(e, nest, mine)
    head += start + "".join(f"{x}\n" for x in data.linear)
    before, noted, after = _last(e, nest, data)
    if data.read and mine != "ompls_team":
        after = f"{_ALL_READ}{after}"
    for target, s in data.latest:
        if source in ("league", "one"):
            raise Problem(None, f"lastprivate(conditional: {s.name})", "it needs the iterations of one team")
        before += f"{kind} ompls_when_{s.name} = 0;  // the latest iteration that assigned to it\n"
        noted += f"const {kind} ompls_now_{s.name} = ompls_it + 1;\n"
        after += f"ompls_latest(&{target}, {s.name}, ompls_when_{s.name});\n"
        _note_assignments(e, nest.body, s)
    return before + head + noted, _body(nest), f"{end}{tail}{after}"


def _together(e: Emitter) -> bool:
    return e.plan is not None and e.plan.promotion is not None


def _over_grid(e: Emitter, nest: Nest, data: Data) -> tuple[str, Span, str]:
    """`loop_parts` where each loop has a dimension of the grid."""
    shared_out = grid.iterations if nest.rectangular else grid.pairs
    start, end = shared_out(e, nest, covered=e.plan is not None and e.plan.covered)
    before, noted, after = _last(e, nest, data, grid.is_last(nest))
    if data.read:
        after = f"{_ALL_READ}{after}"
    return before + start + noted, _body(nest), f"{end}{after}"


def _note_assignments(e: Emitter, body: ast.Stmt, s: Symbol) -> None:
    """`x = v` as `(noted, x) = v`: the iteration counts only when it is run (OpenMP 5.2 section 5.4.5)."""
    for n in body.walk():
        target = n.target if isinstance(n, ast.Assign) else None
        if isinstance(n, ast.Unary) and n.op in ("++", "--"):
            target = n.operand
        if target is not None and isinstance(bare(target), ast.Name) and bare(target).symbol is s:  # type: ignore[attr-defined]
            e.replace(target.span, f"(ompls_when_{s.name} = ompls_now_{s.name}, ", target.span, ")")


def _with(chain: Sequence[Directive], name: str) -> Directive:
    """The directive of the chain that has the clause, else any."""
    return next((d for d in chain if d.clause(name)), chain[-1])


def typed(kind: str, chunk: str) -> str:
    """A chunk size as the library's parameter of the same type as the count."""
    suffix = "u" if kind == "unsigned int" else "ll"
    return f"{chunk}{suffix}" if chunk.isdigit() else f"({kind}){operand(chunk, 'cast')}"


def _thread_phase(e: Emitter, chain: Sequence[Directive], source: Source, kind: str) -> tuple[str, str]:
    """(text before the loop over `ompls_mine`, text after it): what `schedule` and `ordered` say."""
    d = _with(chain, "schedule")
    schedule = d.clause("schedule")
    how = schedule.keyword if schedule else ""
    chunk = clause_value(e, d, "schedule") if how in ("static", "dynamic", "guided") else None
    size = typed(kind, "1" if chunk is None else chunk)
    in_order = next((c for x in chain for c in x.all("ordered") or _scanned(x)), None)
    if in_order is not None:
        if source in ("league", "team"):
            raise Problem(in_order.span, f"'{in_order.name}'", "iterations of different teams have no order")
        return _turns(kind, size if chunk is not None else "0")
    if how in ("dynamic", "guided"):
        head = "// The threads take chunk after chunk from a counter that they share.\n"
        head += f"ompls_range<{kind}> ompls_mine = ompls_loop_begin(ompls_team);\n"
        call = f"ompls_next_{how}_chunk(&ompls_mine, ompls_team, {size})"
        return f"{head}while ({call}) {{\n", "}\n"
    call = "ompls_get_static_chunk"
    if chunk is not None and not (schedule and constant(bare(schedule.args[-1])) == 1):
        head = f"ompls_range<{kind}> ompls_mine = {call}(ompls_team, {size});\ndo {{\n"
        return head, f"}} while (ompls_next_static_chunk(&ompls_mine, ompls_team, {size}));\n"
    if how == "static" and chunk is None:
        call += "_contiguous"
    return f"const ompls_range<{kind}> ompls_mine = {call}(ompls_team);\n", ""


def _scanned(d: Directive) -> list[Clause]:
    """The reductions of a loop with a `scan` directive in it."""
    return [c for c in d.all("reduction") if "inscan" in c.modifiers]


def _turns(kind: str, size: str) -> tuple[str, str]:
    head = "// In order: the threads run their chunks one after the other.\n"
    head += f"for ({kind} ompls_turn = 0; ompls_turn < ompls_turns<{kind}>(ompls_team, {size}); ompls_turn++) {{\n"
    head += f"const ompls_range<{kind}> ompls_mine = ompls_get_turn<{kind}>(ompls_team, ompls_turn, {size});\n"
    return head, "ompls_barrier();\n}\n"


def _last(e: Emitter, nest: Nest, data: Data, is_last: str = "ompls_it == ompls_count - 1") -> tuple[str, str, str]:
    """(before the loop, at the start of an iteration, after the loop): lastprivate values."""
    if not data.last:
        return "", "", ""
    loops = {x.symbol: x for x in nest.loops}
    out = "if (ompls_last) {  // this thread ran the last iteration\n"
    for target, s in data.last:
        out += f"{target} = {final(e, nest, loops[s])};\n" if s in loops else f"{assign(e, target, s)}\n"
    out += "}\n"
    if nest.rectangular:
        return "_Bool ompls_last = 0;\n", f"ompls_last = {is_last};\n", out
    # The last iteration is the last one that a row has: no later one exists.
    before, kind = "_Bool ompls_last = 0;\n", nest.kind
    before += f"{kind} ompls_it_last = 0;\n"
    noted = "ompls_last = 1;\nompls_it_last = ompls_it;\n"
    for loop in (loops[s] for _, s in data.last if s in loops):
        name, step = loop.symbol.name, step_of(e, loop)
        before += f"{e.cxx(loop.symbol.type, f'ompls_end_{name}')} = {{}};\n"
        noted += f"ompls_end_{name} = {name} {'+' if loop.up else '-'} {operand(step, '+', right=True)};\n"
    there = f"const auto ompls_is_there = [&]({kind} ompls_it) {{\n{counters(e, nest, 'return 0')}return 1;\n}};\n"
    there += f"for ({kind} ompls_it = ompls_it_last + 1; ompls_last && ompls_it < ompls_count; ompls_it++)\n"
    there += "ompls_last = !ompls_is_there(ompls_it);\n"
    return before, noted, there + out


def _body(nest: Nest) -> Span:
    return inner(nest.body, {x.name for x in nest.counters})


@transformation("for")
def for_(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """`for` [`simd`] in a parallel region or device function: all iterations over the current team's threads."""
    d = s.directive
    nest = nest_of(d, s.body)
    data = data_inside(e, d, level, nest.body, nest)
    keep_counters(e, nest, data, kept_counters(d, nest))
    visit_iterations(e, nest, level)
    head, body, tail = loop_parts(e, [d], nest, "all", data)
    barrier = "" if d.clause("nowait") else "ompls_barrier();\n"
    parts: list[Part] = ["{\n", data.opening(), head, body, tail, data.closing(), barrier, "}"]
    e.replace(s.span, *parts)


@transformation("simd", "taskloop")
def sequential_loop(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """The loop as it stands: one thread runs it, so a lastprivate or reduction copy would be the variable itself."""
    d = s.directive
    assert s.body is not None
    nest = nest_of(d, s.body)
    if any(i.symbol not in nest.counters for c in d.all("linear") for i in c.items):
        data = data_inside(e, d, level, nest.body, nest, team=False)
        keep_counters(e, nest, data, nest.counters)
        visit_iterations(e, nest, level)
        e.replace(s.span, "{\n", data.opening(), *loop_parts(e, [d], nest, "one", data), data.closing(), "}")
        return
    own = tuple([c for c in d.clauses if c.name in ("private", "firstprivate", "in_reduction")])
    inner = replace(d, clauses=own)
    if id(d) in e.copies:
        e.copies[id(inner)] = e.copies[id(d)]
    data = data_inside(e, inner, level, s.body, nest, team=False)
    e.copies.pop(id(inner), None)
    e.visit(s.body, level)
    if data.before:
        e.replace(s.span, "{\n", data.opening(), s.body.span, "\n", data.closing(), "}")
    else:
        e.replace(s.span, s.body.span)


def visit_iterations(e: Emitter, nest: Nest, level: Level) -> None:
    """Transform the body of a loop whose counters are declared in front of it."""
    with counters_declared(e, nest):
        e.visit(nest.body, level)


@contextmanager
def counters_declared(e: Emitter, nest: Nest) -> Iterator[None]:
    """The counters are plain variables here, whatever they are elsewhere."""
    around = e.references, e.team_shared
    e.references, e.team_shared = e.references - nest.counters, e.team_shared - nest.counters
    yield
    e.references, e.team_shared = around


def keep_counters(e: Emitter, nest: Nest, data: Data, there: Collection[Symbol | None]) -> None:
    """The counters of a simd loop keep their last value, those that are `there` outside of it."""
    for x in nest.loops:
        s = x.symbol
        if isinstance(x.stmt.init, ast.ExprStmt) and s in there and s not in {k for _, k in data.last}:
            data.outer.append(f"{e.cxx(s.type, f'&ompls_last_{s.name}')} = {s.name};")
            data.last.append((f"ompls_last_{s.name}", s))


@transformation("ordered")
def ordered(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """The block itself, or nothing where iterations depend on each other: the loop runs in order anyway."""
    e.visit(s.body, level)
    e.replace(s.span, *([s.body.span] if s.body is not None else [";"]))


@transformation("scan")
def scan(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """Nothing: the iterations run in order, so the variable holds what all before have added."""
    e.replace(s.span, ";")


@transformation("loop")
def loop(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """`loop`: over the teams in a team's sequential code, over its threads in a parallel region, else sequential."""
    where = binding(s.directive)
    if (level == "parallel" and where != "thread") or (level == "function" and where == "parallel"):
        for_(e, s, level)
    elif (level == "master" and where in ("", "teams")) or where == "teams":
        TRANSFORMATIONS["distribute"](e, s, level)
    else:
        sequential_loop(e, s, level)
