"""Pointers that a region uses and no clause lists: each is mapped as a section of length zero, so in the region it
counts for what it leads to (5.2 §5.8.1 and §5.8.3).

The abstract machine leaves that out: nothing comes or goes by it.  Who shows reference counts asks here.
"""

from __future__ import annotations

from ompls.analysis.dataenv.machine.copies import Copies, Copy, find
from ompls.analysis.dataenv.machine.values import Obj
from ompls.analysis.dataenv.machine.watch import Visit
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.tu import Item


def unlisted(item: Item, at: int) -> frozenset[Symbol]:
    """Those of the target region whose body byte `at` of the declaration is in."""
    inside = (r for r in item.content.regions if r.stmt.directive.span.end <= at < r.stmt.span.end)
    return frozenset(
        v.symbol
        for region in inside
        for v in region.variables
        if v.sharing == "mapped" and any(m.zero_length and m.item is None for m in v.maps)
    )


def counted(pointers: frozenset[Symbol], visit: Visit, obj: Obj, case: Copies, copy: Copy) -> tuple[int, bool]:
    """How many of them lead to a copy of `obj`, and whether others may."""
    count, others = 0, False
    for (holder, at), value in visit.state.cells.items() if pointers and visit.device == copy.device else ():
        if holder.kind != "variable" or holder.symbol not in pointers or at != 0 or not isinstance(value, frozenset):
            continue
        leads = [t for t in value if t.obj == obj]
        found = [find(case, copy.device, t.offset, t.offset, lambda _: False) for t in leads]
        certain = len(found) == len(value) == 1 and found[0] == (copy, "in") and obj not in visit.state.many
        count += certain
        others |= not certain and any(one is copy for one, _ in found)
    return count, others
