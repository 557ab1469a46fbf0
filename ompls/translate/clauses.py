"""Directives printed again: for gcc's own fallback on the host and for kernels of class `default`."""

from __future__ import annotations

from ompls.analysis.model.ctype import Pointer, Record
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import TU, Item, Region
from ompls.translate.plan import RegionPlan

# What the runtime does before gcc sees the construct, and what gcc 12 does not know on it.
_DROPPED = frozenset({
    "map", "device", "nowait", "depend", "defaultmap", "is_device_ptr", "has_device_addr", "uses_allocators", "if",
    "allocate", "ompx_dyn_cgroup_mem", "ompx_bare",
})  # fmt: skip


def fallback_pragma(
    tu: TU, item: Item, region: Region, plan: RegionPlan | None = None, locals_: tuple[str, ...] = ()
) -> str:
    """The construct as gcc is to run it in place: a new initial thread, no device.

    `plan`: for a kernel, where hoisted clause values are parameters; `locals_`: its copies of mapped variables.
    """
    d = region.directive
    clauses = []
    for c in d.clauses:
        if c.name == "if" and c.keyword not in ("", "target"):
            clauses.append(tu.text(item, c.span))
        elif c.name not in _DROPPED:
            hoisted = plan.hoisted.get(id(c)) if plan else None
            clauses.append(_hoisted(c, hoisted) if hoisted else " ".join(tu.text(item, c.span).split()))
    listed = {i.symbol for c in d.clauses if c.name not in _DROPPED for i in c.items}
    private = {i.symbol for c in d.all("private", "firstprivate", "in_reduction") for i in c.items}
    if plan is None:
        shared = [v.symbol.name for v in region.variables if v.sharing == "mapped" and v.symbol not in private
                  and (not isinstance(v.symbol.type, Pointer) or _itself(v.symbol.name, region))]  # fmt: skip
    else:
        shared = [n for n in locals_ if n not in {s.name for s in private if s is not None}]
    if shared:
        clauses.append(f"map(tofrom: {', '.join(shared)})")
    aggregates = [v.symbol.name for v in region.variables if v.sharing == "firstprivate" and v.implicit
                  and isinstance(v.symbol.type, Record) and v.symbol not in listed]  # fmt: skip
    if aggregates:
        clauses.append(f"firstprivate({', '.join(aggregates)})")
    return f"#pragma omp {d.name} if(target: 0) {' '.join(clauses)}".rstrip()


def _itself(name: str, region: Region) -> bool:
    """Whether the pointer variable is mapped, not only what it points to."""
    return any(i.text == name for c in region.directive.all("map") for i in c.items)


def _hoisted(c: Clause, name: str) -> str:
    kind = f"{c.keyword}, " if c.name in ("schedule", "dist_schedule") and c.keyword else ""
    return f"{c.name}({kind}{name})"
