"""The kernel function of one region.

Two kinds of kernel.  SPMD: the construct is teams, parallel or both, all the way down to its loop or block, so every
thread of the grid runs the body.  Generic (master/worker): sequential code with parallel regions in it.
"""

from __future__ import annotations

from ompls.analysis.dataenv.private import COPYING
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.layout import sizeof
from ompls.analysis.syntax.quoted import in_comment
from ompls.translate.canonical import LOOP_CONSTRUCTS, nest_of
from ompls.translate.ctext import flat, is_vla
from ompls.translate.escape import handed_over, parallel_functions
from ompls.translate.launch import chain_directives, innermost, over_teams
from ompls.translate.loops import Nest
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Chunk, Rewriter, name_function, trimmed
from ompls.translate.sharing import copies_made, own_variables
from ompls.translate.transformations.gpu.data import Data, data_of
from ompls.translate.transformations.gpu.declarations import Shared, aliases, rename
from ompls.translate.transformations.gpu.dialect import Dialect
from ompls.translate.transformations.gpu.emitter import Emitter, Level, inner
from ompls.translate.transformations.gpu.loops import (
    Source,
    counters_declared,
    keep_counters,
    loop_parts,
    visit_iterations,
)
from ompls.translate.transformations.gpu.parallel import team_shared, thread_limit
from ompls.translate.transformations.gpu.parameters import Parameters
from ompls.translate.transformations.gpu.promoted import write
from ompls.translate.transformations.gpu.spelling import respell
from ompls.translate.transformations.gpu.sync import CHOOSING, allocators, chosen
from ompls.translate.uses import listed, modified_in

_DISTRIBUTED = frozenset(("distribute", "for", "loop"))  # leaf constructs that give iterations to teams or threads
_WORKER = "if (!ompls_target_begin({}))\nreturn;  // a worker: it served the parallel regions"
_PROMOTED = """// SPMD: one thread runs the sequential code that has effects, all threads run the rest, and they meet.
// So there is no master, and nothing is handed over to workers.
"""


class KernelFunction:
    """Puts one kernel function together."""

    def __init__(self, index: Index, places: Places, plan: RegionPlan, needs: Needs, shared: Shared) -> None:
        self.index, self.places, self.plan, self.needs = index, places, plan, needs
        self.stmt = plan.region.stmt
        self.chain = chain_directives(self.stmt)
        self.leaves = {c for d in self.chain for c in d.constructs}
        self.generic = plan.mode == "master_worker"
        self.together = not (self.generic or plan.single)  # all threads of a team run the body
        body = innermost(self.stmt)
        if body is None:
            raise Problem(None, "an empty target construct", "there is no statement after it")
        self.body = body
        self.rw = Rewriter(plan.item.content.text)
        self.emitter = Emitter(index.tu, plan.item, self.rw, index.kinds, plan, dims=plan.dims)
        self.emitter.locks, self.emitter.operators = shared.locks, shared.operators
        self.macros = self.emitter.macros = shared.macros
        self.emitter.joined.takers = shared.takers
        self.emitter.copies = copies_made(self.stmt, own_variables(plan.region))
        self.parameters = Parameters(self.emitter, plan, self.chain)
        self.loop = next((d for d in reversed(self.chain) if LOOP_CONSTRUCTS & set(d.constructs)), None)
        self.nest = self._nest()

    def lines(self) -> list[OutLine]:
        """The function.  Raises Problem."""
        opening = self._opening()
        names = ", ".join(d.name for d in self.chain)
        path, line = self.places.line(self.plan.item, self.stmt.span.start)
        params = ", ".join(self.parameters.declared(p) for p in self.plan.params)
        told = f"// {in_comment(path)}:{line}: {names}\n{self.parameters.promise()}"
        head = f'{told}extern "C" __global__ void {self.plan.kernel}({params})\n{{\n'
        chunks = [Chunk(head + "".join(f"{x}\n" for x in opening), self.stmt.span.start, False), *self._content()]
        chunks.append(Chunk("\nompls_target_end();\n}" if self.generic else "\n}", self.stmt.span.end - 1, False))
        chunks = self.macros.written(self.plan.item, respell(chunks, self.index.own))
        return self.places.located(self.plan.item, chunks)

    def regions(self) -> set[int]:
        """The directives whose parallel regions all threads of the kernel run together."""
        promoted = self.plan.promotion.regions if self.plan.promotion is not None else frozenset()
        return {id(d) for d in self.chain} | promoted

    def _opening(self) -> list[str]:
        """The statements before the construct's code: they make the variables that it names."""
        e, plan = self.emitter, self.plan
        dialect = Dialect(self.rw, self.index.kinds, self.needs.in_library, None, plan.dims)
        dialect.arrays.outer |= plan.outer
        e.outer = dialect.arrays.outer
        dialect.visit(self.stmt)
        name_function(self.rw, plan.item.content.node, self.stmt)
        rename(self.rw, self.needs, self.stmt)
        mapped = {p.name for p in plan.params if p.symbol}
        globals_, references = aliases(self.index, self.needs, self.stmt, mapped)
        written = modified_in(self.body)
        e.references = references | {p.symbol for p in plan.params if p.deref and p.symbol is not None}
        e.references |= {p.symbol for p in plan.params if p.copy and p.symbol and (p.league or p.symbol not in written)}
        e.team_shared = self._team_shared()
        self._check_shared()
        limit, at_begin = thread_limit(e, self.chain)
        begin = (
            _WORKER.format(limit or "" if at_begin else "")
            if self.generic
            else _PROMOTED * (plan.promotion is not None) + "ompls_spmd_begin();"
        )
        return [begin, *self._variables(), *globals_, *allocators(self.chain)]

    def _team_shared(self) -> set[Symbol]:
        """The variables that a team's threads share, and one changes: they cannot be the kernel's locals."""
        plan, e = self.plan, self.emitter
        values = {p.symbol for p in plan.params if p.symbol is not None and p.by_value}
        if self.generic:
            e.parallel = parallel_functions([f for _, f in self.needs.functions])
            own = values | listed(self.chain, "private", "reduction") | self._firstprivates() | set(plan.privates)
            return team_shared(self.body, own) | handed_over(self.body, own, e.parallel)
        if plan.promotion is not None:
            return set(plan.promotion.shared)
        return set() if plan.single else self._written_values(values)

    def _check_shared(self) -> None:
        for s in sorted(self.emitter.team_shared, key=lambda s: s.name):
            if 0 < self.plan.team_memory < (sizeof(s.type, self.index.tu.model) or 0):
                why = f"threads share it, and a team has {self.plan.team_memory} bytes for that; map an array instead"
                raise Problem(None, f"the variable '{s.name}' of {sizeof(s.type, self.index.tu.model)} bytes", why)

    def _firstprivates(self) -> set[Symbol]:
        """What constructs inside the target construct copy, which the whole body sees."""
        below = [d for d in self.chain if not d.has("target")]
        copies = [self.emitter.copies[id(d)] for d in self.chain if id(d) in self.emitter.copies]
        return listed(below, "firstprivate") | {s for c in copies for s in c.symbols}

    def _written_values(self, values: set[Symbol]) -> set[Symbol]:
        """By-value parameters that are shared in the parallel construct and written there: one copy a team."""
        private = {i.symbol for d in self.chain for c in d.all(*COPYING) for i in c.items
                   if d.has("parallel") or d.has("loop") or c.name != "firstprivate"}  # fmt: skip
        private |= self.nest.counters if self.nest else set()
        return {s for s in values & modified_in(self.body) if s not in private}

    def _variables(self) -> list[str]:
        """The user's variables that come from parameters, and those that start without a value."""
        plan, hidden = self.plan, self._hidden()
        out: list[str] = []
        for p in plan.params:
            if p.symbol is None or p.symbol not in hidden:
                out += self.parameters.variable(p, self._reached())
        for s in self._privates():
            where = "__shared__ " if s in self.emitter.team_shared else ""
            declared = f"{where}{self.emitter.cxx(flat(s.type), s.name)};  // private"
            out.append(self.parameters.room(s) if s in plan.outer else declared)
        if not self.generic and any(p.symbol in self.emitter.team_shared for p in plan.params):
            out.append("ompls_barrier();")
        return out

    def _privates(self) -> list[Symbol]:
        """Private variables that neither a clause of the construct nor its loop declares."""
        declared = {s for s in listed(self.chain, "private") if not is_vla(s.type)}
        declared |= self.nest.counters if self.nest else set()
        return [s for s in self.plan.privates if s not in declared]

    def _hidden(self) -> set[Symbol]:
        """What nobody sees, as a construct of the chain has a private variable of that name."""
        implicit = [self.emitter.copies[id(d)] for d in self.chain if id(d) in self.emitter.copies]
        return listed(self.chain, "private") | {s for c in implicit if c.kind == "private" for s in c.symbols}

    def _reached(self) -> set[Symbol]:
        """What the code has copies of: it reaches the original through the parameter."""
        return listed(self.chain, "reduction", "lastprivate")

    def _taken(self) -> set[str]:
        """Names that the block of the kernel declares before the user's statements."""
        return {p.name for p in self.plan.params} | {s.name for s in self.emitter.references | set(self.plan.privates)}

    def _nest(self) -> Nest | None:
        """The loops whose iterations are distributed; None for a block or a plain simd loop."""
        wanted = self.loop is not None and (self.leaves & _DISTRIBUTED or self.loop.clause("linear", "lastprivate"))
        return nest_of(self.loop, self.body) if self.loop is not None and wanted else None

    def _content(self) -> list[Chunk]:
        """The body with its distribution and the copies of the construct's data-sharing clauses."""
        e, at, reached = self.emitter, self.stmt.span.start, self._reached()
        original = {p.symbol: f"ompls_p_{p.name}" for p in self.plan.params
                    if p.deref and p.symbol is not None and p.symbol in reached}  # fmt: skip
        sequential = self.body if self.generic else None
        promotion = self.plan.promotion
        team = self.together and promotion is None
        data = data_of(e, self.chain, self.nest, team=team, original=original, body=sequential, whole=team)
        if promotion is not None and listed(self.chain, "reduction") & promotion.shared:
            data.before.append("ompls_barrier();")
        if self.nest is None:
            block = self._block(data)
            return [Chunk(data.opening(), at, False), *block, Chunk("\n" + data.closing().rstrip("\n"), at, False)]
        if promotion is None:
            visit_iterations(e, self.nest, self._level)
        else:
            with counters_declared(e, self.nest):
                write(e, self.nest.body, promotion, again=True)
        source = self._source()
        if source == "one" or "simd" in self.leaves:
            keep_counters(e, self.nest, data, {p.symbol for p in self.plan.params if p.deref or source == "one"})
        before, body, after = loop_parts(e, self.chain, self.nest, source, data)
        tail = Chunk(after.rstrip("\n") + "\n" + data.closing().rstrip("\n"), at, False)
        return [Chunk(data.opening() + before, at, False), *trimmed(self.rw.render(body)), tail]

    @property
    def _level(self) -> Level:
        return "parallel" if self.together else "master"

    def _source(self) -> Source:
        """Which of the loop's iterations each thread takes."""
        if not self.leaves & _DISTRIBUTED:
            return "one"
        if not self.together or self.plan.promotion is not None:
            return "distribute"
        return "league" if over_teams(self.leaves) else "all"

    def _block(self, data: Data) -> list[Chunk]:
        """A body that is no loop to be distributed."""
        e, last = self.emitter, self.chain[-1]
        if last.constructs[-1] in CHOOSING and self.plan.promotion is None:
            self.rw.replace(self.body.span, *chosen(e, last, self.body, self._level, data))
            return trimmed(self.rw.render(self.body.span))
        if self.plan.promotion is not None:
            write(e, self.body, self.plan.promotion, again=bool(listed(self.chain, "reduction")))
        else:
            e.visit(self.body, self._level)
        return trimmed(self.rw.render(inner(self.body, self._taken())))
