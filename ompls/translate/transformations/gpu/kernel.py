"""The files of class `gpu`: a kernel with what it needs in front of it, or a function for kernels of other units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ompls.analysis.model.ast import FunctionDef
from ompls.translate.capability import takers_in
from ompls.translate.ctext import words
from ompls.translate.layouts import Language, asserted
from ompls.translate.needs import Index, Needs, has_parallel, type_texts
from ompls.translate.output import OutLine, Places, generated, reindented, tidied
from ompls.translate.plan import RegionPlan
from ompls.translate.symbols import unit_symbol
from ompls.translate.transformations.gpu.declarations import Shared, head, macros, names_taken, refuse_names
from ompls.translate.transformations.gpu.functions import functions
from ompls.translate.transformations.gpu.region import KernelFunction
from ompls.translate.transformations.gpu.spelling import respelled
from ompls.translate.typetexts import TypeText

_LEVELS = ("omp_get_level", "omp_get_team_size", "omp_get_ancestor_thread_num")  # they count parallel regions
_LIMITS = ("omp_get_max_threads", "omp_get_thread_limit", "omp_get_num_procs")  # they tell what one could have
TEAM = 128  # threads of a parallel region when nobody says how many


def kernel(index: Index, places: Places, plan: RegionPlan, needs: Needs) -> list[OutLine]:
    """The kernel file of one region.  Raises Problem."""
    refuse_names(needs, words(index.tu.text(plan.item, plan.region.stmt.span)))
    shared = Shared(takers_in(needs), macros(index, needs))
    lines = functions(index, places, needs, shared)
    function = KernelFunction(index, places, plan, needs, shared)
    asked = any(name in needs.externals for name in _LEVELS + _LIMITS)
    lines += function.lines()
    types = [*needs.types, *_named_here(index, needs, lines)]
    opening = head(
        "kernel.cu.j2",
        index,
        places,
        replace(needs, types=types),
        shared,
        name=plan.kernel,
        generic=plan.mode == "master_worker",
        dimensions=plan.dimensions,
        sequential=_threads_of_a_team(plan) if plan.single and asked else 0,
        nested=plan.mode == "spmd" and has_parallel(plan, needs, function.regions()),
    )
    lines += _checked(index, places, types, places.line(plan.item, plan.region.stmt.span.start))
    return tidied(reindented(_with_complex([*opening, *_apart(shared.macros.defined(lines)), *lines])))


def _threads_of_a_team(plan: RegionPlan) -> int:
    """How many threads a parallel region of a kernel would have that has none; of a limit that is no constant, one."""
    limit = plan.launch.thread_limit
    return TEAM if limit == "0" else min(int(limit), TEAM) if limit.isdigit() else 1


def device_function(index: Index, places: Places, needs: Needs, f: FunctionDef) -> list[OutLine]:
    """The file of a function for kernels of other units: in a namespace, because both have types of their own."""
    refuse_names(needs)
    shared = Shared(takers_in(needs), macros(index, needs))
    lines = functions(index, places, needs, shared)
    name = f.symbol.name
    space = f"ompls_unit_{unit_symbol(index.tu)}_{name}"
    user = next(places.line(item, g.span.start) for item, g in needs.functions if g is f)
    lines += _checked(index, places, needs.types, user)
    opening = head("function.cu.j2", index, places, needs, shared, name=name, space=space)
    end = generated(f"}}\n#define ompls_function_{name} {space}::{names_taken(needs).get(name, respelled(name))}")
    defined = shared.macros.defined(lines)
    undefined = shared.macros.undefined(defined)  # kernels of other units are behind it
    return tidied(reindented([*opening, *_apart(defined), *lines, *_apart(undefined), *end]))


def _checked(index: Index, places: Places, types: Sequence[TypeText], user: tuple[str, int]) -> list[OutLine]:
    """The assertions of a kernel file."""
    language = Language("static_assert", "alignof", "OMPLS_OFFSET", lambda name: respelled(name, index.own))
    return asserted(types, language, index, places, user)


def _apart(lines: list[OutLine]) -> list[OutLine]:
    return [*lines, OutLine("")] if lines else []


def _named_here(index: Index, needs: Needs, lines: list[OutLine]) -> list[TypeText]:
    """Records without a name that got one when the file was written."""
    known = "\n".join(t.text for t in needs.types)
    used = words("\n".join(x.text for x in lines)) & set(index.kinds.made)
    texts = type_texts(index, sorted(n for n in used if f" {n};" not in known))
    return [text for text in texts if text not in needs.types]


def _with_complex(lines: list[OutLine]) -> list[OutLine]:
    """The lines, with the library's complex numbers if they are used."""
    if not any("ompls_complex<" in x.text for x in lines):
        return lines
    at = next(k for k, x in enumerate(lines, 1) if x.text == '#include "ompls_device.cuh"')
    return [*lines[:at], OutLine('#include "ompls_complex.cuh"'), *lines[at:]]
