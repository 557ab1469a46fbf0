"""The target of `tiny`: C of the shared set `default`, for one thread and without a C library behind it."""

from __future__ import annotations

from dataclasses import replace

from ompls.analysis.model.ast import FunctionDef
from ompls.translate.lowering.round import Round
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import RegionPlan
from ompls.translate.transformations import default

HEADER = OutLine('#include "tiny.h"')


def without_barriers(work: Round) -> None:
    """One thread waits for nobody."""
    for item in work.items(__name__):
        for stmt in item.content.directives:
            if stmt.directive.name == "barrier":
                work.replace(item, (stmt.directive.span, ";"))


def kernel(index: Index, places: Places, plan: RegionPlan, needs: Needs) -> list[OutLine]:
    return [HEADER, *default.CLASS.kernel(index, places, plan, needs)]


def function(index: Index, places: Places, needs: Needs, f: FunctionDef) -> list[OutLine]:
    return [HEADER, *default.CLASS.function(index, places, needs, f)]


TARGET = replace(
    default.CLASS, kinds=frozenset(("any", "nohost")), passes=(without_barriers,), kernel=kernel, function=function
)
