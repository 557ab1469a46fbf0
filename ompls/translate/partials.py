"""Reductions over the teams whose values are no words: memory in which each team leaves its part.

A GPU joins what fits into a word atomically.  Anything else would be joined under a lock, one team after the other.  So
the kernel gets memory with room for a value of each team, and the last team that comes joins them (core/partials.c).
"""

from __future__ import annotations

from collections.abc import Iterable

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import VOID, Array, Floating, Pointer
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import sizeof
from ompls.translate.launch import chain_directives
from ompls.translate.plan import Param, RegionPlan

_WORDS = (1, 2, 4, 8)  # bytes
_LARGEST = 64  # bytes; what is larger goes from thread to thread, and the lock is the least of it
_WORD = 8


def add_partials(plan: RegionPlan, model: DataModel) -> None:
    """Add a parameter for each of these variables, if all threads of the kernel run the construct together."""
    if plan.mode != "spmd" or plan.single or plan.promotion is not None or plan.one_team:
        return
    for s in _reduced(plan):
        size = sizeof(s.type, model) or 0
        real = isinstance(s.type, Floating) and not s.type.complex  # a `long double` is a double there
        word = real or size in _WORDS
        if not word and not isinstance(s.type, (Array, Pointer)) and 0 < size <= _LARGEST and s not in plan.partials:
            plan.partials[s] = f"ompls_partials_{s.name}"
            words = -(-size // _WORD)
            plan.params.append(Param(plan.partials[s], None, "partials", words * _WORD, Pointer(VOID)))


def drop_partials(plan: RegionPlan) -> None:
    """Let the teams join their parts under a lock."""
    plan.partials.clear()
    plan.params[:] = [p for p in plan.params if p.kind != "partials"]


def _reduced(plan: RegionPlan) -> Iterable[Symbol]:
    """What each team joins once: it runs the construct with `teams` once."""
    for d in chain_directives(plan.region.stmt):
        for c in d.all("reduction") if d.has("teams") else ():
            yield from (i.symbol for i in c.items if i.symbol is not None and "inscan" not in c.modifiers)
