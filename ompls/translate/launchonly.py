"""Values that only the launch of a GPU's kernel needs: no parameters of it.

Who starts the kernel reads `num_teams` and its like; the kernel of combined constructs runs with what it got.
"""

from __future__ import annotations

import re

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Name, Span
from ompls.translate.plan import RegionPlan

_ALWAYS = frozenset(("num_teams", "priority"))
_TOGETHER = _ALWAYS | {"thread_limit", "num_threads", "if"}  # all threads of the kernel run the construct
_WORD = re.compile(rb"[A-Za-z_]\w*")


def launch_only(plan: RegionPlan) -> set[str]:
    """The names of these parameters: of the clauses, and of variables that the region names nowhere else."""
    together = plan.mode == "spmd" and plan.promotion is None
    clauses = [c for c in plan.region.directive.clauses if id(c) in plan.hoisted]
    used = _words(plan, [c.span for c in clauses])  # the kernel has what the host evaluated
    named = {n.name for c in clauses for e in c.args for n in e.walk() if isinstance(n, Name)}
    values = {p.name for p in plan.params if p.symbol is not None and p.kind == "value" and p.name in named - used}
    return values | {plan.hoisted[id(c)] for c in clauses if c.name in (_TOGETHER if together else _ALWAYS)}


def _words(plan: RegionPlan, without: list[Span]) -> set[str]:
    """The identifiers of the region's text outside of these places."""
    text, at, end = plan.item.content.text, plan.region.stmt.span.start, plan.region.stmt.span.end
    found: set[bytes] = set()
    for span in [*sorted(without, key=lambda s: s.start), Span(end, end)]:
        found.update(_WORD.findall(text, at, span.start))
        at = span.end
    return {decoded(word) for word in found}
