"""Loops of which each thread has one iteration: the host knows how many there are, and starts as many threads.

The kernel has a parameter for each dimension of its grid, the part of the loop that this launch is about.  Who starts
kernels (core/target.c) sees to it that grid and block are as large; where they cannot be, there are several launches.
"""

from __future__ import annotations

from ompls.analysis.dataenv.private import COPYING
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.ctype import Integer
from ompls.analysis.model.omp import Directive
from ompls.translate.canonical import find_nest
from ompls.translate.launch import chain_directives, over_teams
from ompls.translate.loops import Loop, constant
from ompls.translate.plan import Param, RegionPlan

# A reduction is joined once a team: with an iteration a thread there would be a team for every 128.
_ORDERING = ("num_teams", "dist_schedule", "ordered", "linear", "lastprivate", "reduction", "in_reduction")
# The first of its iterations, and how many there are: 32 bits each, or 64 where there may be more.
_PART, LONG_PART = Integer("unsigned long long", 8, False), Integer("unsigned __int128", 16, False)
_KEPT = frozenset(("inscan", "task"))  # modifiers of reductions


def cover(plan: RegionPlan) -> None:
    """Add the parameters, if the construct is one whose threads can have one iteration each."""
    nest = find_nest(plan.region.stmt)
    if nest is None or len(nest.loops) != plan.dimensions or not _spreads(plan.region.stmt):
        return
    if "0" in (plan.launch.trips or (plan.launch.trip_count,)):
        return
    kept = any(d.has("simd") for d in chain_directives(plan.region.stmt))
    if all(_is_known(plan, x) and not (kept and isinstance(x.stmt.init, ast.ExprStmt)) for x in nest.loops):
        plan.covered = True
        kinds = [x.kind for x in reversed(nest.loops)]
        if not nest.rectangular:
            kinds[0] = nest.pair_kind
        for k, kind in enumerate(kinds):
            part = _PART if kind == "unsigned int" else LONG_PART
            plan.params.append(Param(f"ompls_part_{'xyz'[k]}", None, "part", k, part))


def uncover(plan: RegionPlan) -> None:
    """Let a thread have as many iterations as it gets."""
    plan.covered = False
    plan.params[:] = [p for p in plan.params if p.kind != "part"]


def _spreads(stmt: DirectiveStmt) -> bool:
    """Whether all iterations are those of all teams and threads, and nothing says how many teams there are."""
    chain = chain_directives(stmt)
    leaves = {c for d in chain for c in d.constructs}
    if not (over_teams(leaves) and leaves & {"parallel", "loop"}):
        return False
    if any(d.clause(name) for d in chain for name in _ORDERING):
        return False
    return all(_one_by_one(d) and not any(_KEPT & set(c.modifiers) for c in d.clauses) for d in chain)


def _one_by_one(d: Directive) -> bool:
    """Whether `schedule` takes each iteration where one thread has it: not in chunks, and not in the order of time."""
    c = d.clause("schedule")
    if c is None or c.keyword in ("auto", "runtime"):
        return True
    return c.keyword == "static" and (len(c.args) == 0 or constant(c.args[-1]) == 1)


def _is_known(plan: RegionPlan, loop: Loop) -> bool:
    """Whether the host counts the iterations as the kernel does: from values that the kernel gets as they are."""
    if not loop.plain:
        return False
    for e in (loop.lower, loop.bound, *([loop.step] if loop.step is not None else [])):
        for n in e.walk():
            if isinstance(n, (ast.Paren, ast.Binary, ast.IntLiteral)):
                continue
            if isinstance(n, ast.Unary) and n.op in ("+", "-"):
                continue
            if not (isinstance(n, ast.Name) and (n.symbol in loop.rows or _arrives(plan, n))):
                return False
    return True


def _arrives(plan: RegionPlan, n: ast.Name) -> bool:
    """Whether a name stands for the same number on the host, when the kernel starts, and in the loop's head."""
    s = n.symbol
    if s is None or s.kind == "enumconst":
        return s is not None
    p = plan.param(s)
    listed = {i.symbol for d in chain_directives(plan.region.stmt) for c in d.clauses for i in c.items
              if c.name in COPYING and c.name != "firstprivate"}  # fmt: skip
    v = plan.region.variable(s)
    return p is not None and p.kind == "value" and p.by_value and s not in listed and not (v is not None and v.writes)
