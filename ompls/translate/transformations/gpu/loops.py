"""Worksharing loops: one counter of normalised iterations, its distribution, and the user's counters out of it.

Jetson paper §3.1: the two phases of distribution are done by all threads; there is no team master in them.
"""

from __future__ import annotations

from typing import Literal

from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.analysis.model.ctype import Enum, Pointer
from ompls.analysis.model.omp import Directive
from ompls.translate.ctext import strip
from ompls.translate.loops import Loop, Nest, constant, nest_of
from ompls.translate.rewrite import Part
from ompls.translate.transformations.gpu.data import Data, assign, data_of
from ompls.translate.transformations.gpu.emitter import TRANSFORMATIONS, Emitter, Level, inner, transformation

# Which iterations a thread takes:
#   league     -- of the team's chunk of all iterations, this thread's (distribute parallel for)
#   team       -- of `ompls_team`, which stands before, this thread's (the parallel for of such a construct)
#   all        -- of all iterations, this thread's (for)
#   distribute -- the team's chunk (distribute, run by one thread of each team)
Source = Literal["league", "team", "all", "distribute"]


def counts(e: Emitter, nest: Nest) -> str:
    """Declares `ompls_count`, and a count a loop when there are several."""
    loops, kind = nest.loops, nest.kind
    if len(loops) == 1:
        return f"const {kind} ompls_count = {_count(e, loops[0], kind)};\n"
    names = [f"ompls_count_{x.symbol.name}" for x in loops]
    lines = "".join(f"const {kind} {n} = {_count(e, x, kind)};\n" for n, x in zip(names, loops, strict=True))
    return f"{lines}const {kind} ompls_count = {' * '.join(names)};  // collapse({len(loops)})\n"


def _count(e: Emitter, loop: Loop, kind: str = "long long") -> str:
    step = loop.step_text(e.text(loop.step)) if loop.step else "1"
    lower, bound = loop.limits(e.text, e.cxx)
    return loop.count(lower, bound, kind, step)


def _counters(e: Emitter, nest: Nest) -> str:
    """The user's counters from `ompls_it`: mixed radix, innermost fastest."""
    out = ""
    for k, loop in enumerate(nest.loops):
        faster = [f"ompls_count_{x.symbol.name}" for x in nest.loops[k + 1 :]]
        part = "ompls_it"
        if faster:
            part += f" / {faster[0]}" if len(faster) == 1 else f" / ({' * '.join(faster)})"
        if k > 0:
            part += f" % ompls_count_{loop.symbol.name}"
        step = loop.step_text(e.text(loop.step)) if loop.step else "1"
        scaled = f"({part})" if " " in part else part
        lower = e.text(loop.lower)
        alone = lower == "0" and loop.up and step == "1"  # the declaration converts it
        if not (alone or isinstance(loop.symbol.type, Pointer)) or isinstance(loop.symbol.type, Enum):
            scaled = f"({e.cxx(loop.symbol.type)}){scaled}"
        if step != "1":
            scaled += f" * {step}" if step.isalnum() else f" * ({step})"
        value = scaled if lower == "0" and loop.up else f"{lower} {'+' if loop.up else '-'} {scaled}"
        out += f"{e.cxx(loop.symbol.type, loop.symbol.name)} = {value};\n"
    return out


def _final(e: Emitter, loop: Loop) -> str:
    """The counter's value after the whole loop."""
    step = loop.step_text(e.text(loop.step)) if loop.step else "1"
    count = _count(e, loop)
    cast = "" if isinstance(loop.symbol.type, Pointer) else f"({e.cxx(loop.symbol.type)})"
    return f"{e.text(loop.lower)} {'+' if loop.up else '-'} {cast}({count}) * ({step})"


def clause_value(e: Emitter, d: Directive, name: str) -> str | None:
    """The value of a clause's expression in the kernel: what the host evaluated, or the expression itself."""
    clause = d.clause(name)
    if clause is None or not clause.args:
        return None
    if e.plan is not None and id(clause) in e.plan.hoisted:
        return e.plan.hoisted[id(clause)]
    return e.text(clause.args[-1])


def loop_parts(
    e: Emitter, d: Directive, nest: Nest, source: Source, data: Data, *, counted: bool = False
) -> tuple[str, Span, str]:
    """(text before the body, the body, text after it) of a distributed loop. `counted`: without ompls_count."""
    head = "" if counted else counts(e, nest)
    tail, kind = "", nest.kind
    if source in ("league", "distribute"):
        chunk = clause_value(e, d, "dist_schedule")
        if source == "league":
            head += "// Two-phase distribution: this team's chunk of the iterations, then this thread's part of it.\n"
        else:
            head += "// This team's chunk of the iterations; its one thread runs them all.\n"
        extra = f", {typed(kind, chunk)}" if chunk else ""
        const = "" if chunk else "const "
        head += f"{const}ompls_range<{kind}> ompls_team = ompls_get_distribute_chunk(ompls_count{extra});\n"
        if chunk:
            head += "do {\n"
            tail = f"}} while (ompls_next_distribute_chunk(&ompls_team, ompls_count, {typed(kind, chunk)}));\n"
    elif source == "all":
        head += f"const ompls_range<{kind}> ompls_team = {{0, ompls_count, 1}};\n"
    mine = "ompls_team"
    if source != "distribute":
        mine = "ompls_mine"
        more, end = _thread_phase(e, d, kind)
        head += more
        tail = end + tail
    head += f"for ({kind} ompls_it = {mine}.begin; ompls_it < {mine}.end; ompls_it += {mine}.stride) {{\n"
    head += _counters(e, nest) + "".join(f"{x}\n" for x in data.linear)
    if data.last:
        head = f"bool ompls_last = false;\n{head}ompls_last = ompls_it == ompls_count - 1;\n"
    return head, _body(nest), f"\n}}\n{tail}{_last(e, nest, data)}"


def typed(kind: str, chunk: str) -> str:
    """A chunk size as the library's parameter of the same type as the count."""
    suffix = "u" if kind == "unsigned int" else "ll"
    return f"{chunk}{suffix}" if chunk.isdigit() else f"({kind})({chunk})"


def _thread_phase(e: Emitter, d: Directive, kind: str) -> tuple[str, str]:
    schedule = d.clause("schedule")
    call = "ompls_get_static_chunk"
    chunk = clause_value(e, d, "schedule") if schedule and schedule.keyword == "static" else None
    if chunk is not None and not (schedule and constant(strip(schedule.args[-1])) == 1):
        head = f"ompls_range<{kind}> ompls_mine = {call}(ompls_team, {typed(kind, chunk)});\ndo {{\n"
        return head, f"}} while (ompls_next_static_chunk(&ompls_mine, ompls_team, {typed(kind, chunk)}));\n"
    if schedule and schedule.keyword == "static" and chunk is None:
        call += "_contiguous"
    return f"const ompls_range<{kind}> ompls_mine = {call}(ompls_team);\n", ""


def _last(e: Emitter, nest: Nest, data: Data) -> str:
    if not data.last:
        return ""
    loops = {x.symbol: x for x in nest.loops}
    out = "if (ompls_last) {  // this thread ran the last iteration\n"
    for target, s in data.last:
        out += f"{target} = {_final(e, loops[s])};\n" if s in loops else f"{assign(target, s)}\n"
    return out + "}\n"


def _body(nest: Nest) -> Span:
    return inner(nest.body, {x.symbol.name for x in nest.loops})


@transformation("for")
def for_(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """`for` [`simd`] in a parallel region or device function: all iterations over the current team's threads."""
    d = s.directive
    nest = nest_of(d, s.body)
    data = data_of(e, [d], nest)
    e.visit(nest.body, level)
    head, body, tail = loop_parts(e, d, nest, "all", data)
    barrier = "" if d.clause("nowait") else "ompls_barrier();\n"
    parts: list[Part] = ["{\n", data.opening(), head, body, tail, data.closing(), barrier, "}"]
    e.replace(s.span, *parts)


@transformation("simd", "taskloop", "unroll", "tile")
def sequential_loop(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """The loop as it stands: one thread runs it, so a private copy would be the variable itself."""
    e.visit(s.body, level)
    assert s.body is not None
    private = [i.symbol for c in s.directive.all("private") for i in c.items if i.symbol is not None]
    if private:
        declared = "".join(f"{e.cxx(x.type, x.name)};  // private\n" for x in private)
        e.replace(s.span, "{\n", declared, s.body.span, "\n}")
    else:
        e.replace(s.span, s.body.span)


@transformation("loop")
def loop(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """`loop`: over the teams in a team's sequential code, over its threads in a parallel region, else sequential."""
    bind = s.directive.clause("bind")
    where = bind.keyword or bind.text.strip() if bind else ""
    if level == "parallel" and where != "thread":
        for_(e, s, level)
    elif level == "master" and where in ("", "teams"):
        TRANSFORMATIONS["distribute"](e, s, level)
    else:
        sequential_loop(e, s, level)
