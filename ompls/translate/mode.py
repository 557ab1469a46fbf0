"""SPMD, or a master and its workers: which mode a region's kernel has."""

from __future__ import annotations

from ompls.translate.launch import chain_directives, innermost
from ompls.translate.needs import Index, Needs, has_parallel
from ompls.translate.plan import RegionPlan
from ompls.translate.promote import is_scalar, promotion_of


def choose_mode(plan: RegionPlan, index: Index, needs: Needs) -> None:
    """Set the plan's mode and what depends on it, now that the functions that the kernel calls are known."""
    chain = chain_directives(plan.region.stmt)
    if any(d.has("parallel") or d.has("loop") for d in chain):
        return
    if has_parallel(plan, needs, {id(d) for d in chain}):
        values = {p.symbol for p in plan.params if p.symbol is not None and p.by_value} | set(plan.privates)
        functions = [f for _, f in needs.functions]
        own = any(p.copy and p.symbol in plan.outer for p in plan.params) or not all(map(is_scalar, plan.privates))
        if not own and all(s.from_system_header for s in needs.externals.values()):
            plan.promotion = promotion_of(chain, innermost(plan.region.stmt), values, functions, index.tu.model)
        plan.mode = "spmd" if plan.promotion else "master_worker"
    else:
        plan.single = True
    plan.launch = plan.shaped(index.tu, plan.launch)
