"""The target of `simt`: what the shared set of GPUs makes, as a C++ file that g++ takes as it is."""

from __future__ import annotations

from dataclasses import replace

from ompls.analysis.model.ast import FunctionDef
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import RegionPlan
from ompls.translate.transformations import gpu

HEADER = OutLine('#include "simt.h"')


def kernel(index: Index, places: Places, plan: RegionPlan, needs: Needs) -> list[OutLine]:
    return [HEADER, *gpu.CLASS.kernel(index, places, plan, needs)]


def function(index: Index, places: Places, needs: Needs, f: FunctionDef) -> list[OutLine]:
    return gpu.CLASS.function(index, places, needs, f)


TARGET = replace(
    gpu.CLASS, extension="cpp", language="cpp", architectures=frozenset(("simt",)), kernel=kernel, function=function
)
