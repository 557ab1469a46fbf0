"""Directives printed again: for gcc's own fallback on the host and for kernels of class `default`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Pointer, Record
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import TU, Item, Region
from ompls.translate.ctext import is_of_unknown_length
from ompls.translate.rewrite import spliced

# What the runtime does before gcc sees the construct, and what gcc 12 does not know on it.
_DROPPED = frozenset({
    "map", "device", "nowait", "depend", "defaultmap", "is_device_ptr", "has_device_addr", "uses_allocators", "if",
    "allocate", "ompx_dyn_cgroup_mem", "ompx_bare", "replayable",
})  # fmt: skip


_IN_PLACE = ("mapped", "has_device_addr")  # of these the region uses the variable itself, also where gcc runs it
_NONE: Mapping[str, str] = {}


@dataclass(frozen=True)
class Fallback:
    """A construct as gcc is to run it in place: a new initial thread, no device.

    kept  -- the user's clauses that stay as they are
    added -- clauses that stand for others
    """

    directive: Directive
    kept: tuple[Clause, ...]
    added: tuple[str, ...]

    def line(self, tu: TU, start: int) -> str:
        """The pragma on one line; `start`: where its spans count from in the expanded text."""
        texts = (decoded(tu.expanded[start + c.span.start : start + c.span.end]) for c in self.kept)
        kept = (" ".join(spliced(text).split()) for text in texts)
        return " ".join([f"#pragma omp {self.directive.name}", *kept, *self.added])


def fallback_of(
    tu: TU,
    item: Item,
    region: Region,
    evaluated: dict[int, str],
    locals_: tuple[str, ...] | None = None,
    *,
    pointers: Mapping[str, str] = _NONE,
) -> Fallback:
    """What becomes of a construct's clauses.

    evaluated -- id of a clause -> the variable or parameter that holds the value of its expression
    locals_   -- for a kernel, its copies of mapped variables; None: on the host
    pointers  -- for a kernel, what stands there for a variable that is shared
    """
    d = region.directive
    kept: list[Clause] = []
    clauses = ["if(target: 0)"]
    for c in d.clauses:
        if c.name == "in_reduction" and locals_ is not None:
            continue  # the kernel reduces into the corresponding variable; the task's reduction is the host's
        if c.name == "if" and not c.keyword and c.args and locals_ is None and d.has("parallel"):
            condition = " ".join(spliced(tu.text(item, c.args[-1].span)).split())
            clauses.append(f"if(parallel: {condition})")  # it is for all constructs of the directive (5.2 §3.4)
            continue
        if c.name not in _DROPPED or (c.name == "if" and c.keyword not in ("", "target")):
            known = evaluated.get(id(c))
            if c.name == "shared" and any(i.text in pointers for i in c.items):
                clauses.append(f"shared({', '.join(pointers.get(i.text, i.text) for i in c.items)})")
            elif known:
                clauses.append(_with_value(c, known))
            elif c.name == "firstprivate" and "saved" in c.modifiers:  # which the record of a task graph keeps
                clauses.append(f"firstprivate({', '.join(i.text for i in c.items)})")
            else:
                kept.append(c)
    listed = {i.symbol for c in d.clauses if c.name not in _DROPPED for i in c.items}
    own = ("private", "firstprivate", "in_reduction") if locals_ is None else ("private", "firstprivate")
    private = {i.symbol for c in d.all(*own) for i in c.items}
    if locals_ is None:
        shared = [_whole(v.symbol) for v in region.variables if v.sharing in _IN_PLACE and v.symbol not in private
                  and (not isinstance(v.symbol.type, Pointer) or _itself(v.symbol.name, region))]  # fmt: skip
    else:
        shared = [n for n in locals_ if n not in {s.name for s in private if s is not None}]
    if shared:
        clauses.append(f"map(tofrom: {', '.join(shared)})")
    aggregates = [v.symbol.name for v in region.variables if v.sharing == "firstprivate" and v.implicit
                  and isinstance(v.symbol.type, Record) and v.symbol not in listed]  # fmt: skip
    if aggregates:
        clauses.append(f"firstprivate({', '.join(aggregates)})")
    return Fallback(d, tuple(kept), tuple(clauses))


def _whole(s: Symbol) -> str:
    """A variable as gcc maps it in place: of an array whose length only another file knows it wants a section."""
    return f"{s.name}[:1]" if is_of_unknown_length(s.type) else s.name


def _itself(name: str, region: Region) -> bool:
    """Whether the pointer variable is listed, not only what it points to."""
    return any(i.text == name for c in region.directive.all("map", "has_device_addr") for i in c.items)


def _with_value(c: Clause, name: str) -> str:
    separator = ": " if c.name == "if" else ", "
    kind = f"{c.keyword}{separator}" if c.name in ("schedule", "dist_schedule", "if") and c.keyword else ""
    return f"{c.name}({kind}{name})"


def allocators_used(text: str) -> list[tuple[str, str, str]]:
    """(memory space, allocator, array of traits or "") of each entry of a `uses_allocators` clause (6.0 §8.8)."""
    modifiers, _, names = text.rpartition(":")
    memory = re.search(r"memspace\s*\(\s*(\w+)", modifiers)
    traits = re.search(r"traits\s*\(\s*(\w+)", modifiers)
    space = memory[1] if memory else "omp_default_mem_space"
    found = re.findall(r"(\w+)\s*(?:\(\s*(\w+)\s*\))?", names)
    return [(space, name, traits[1] if traits else older) for name, older in found]
