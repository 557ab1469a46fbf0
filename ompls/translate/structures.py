"""Map items as they are handed to the runtime, and those that lie in one structure as parts of one item.

A structure is one allocation, whatever of it is mapped (OpenMP 5.2 §5.8.3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Pointer, innermost
from ompls.translate.ctext import Place
from ompls.translate.flags import bits

COPIES = {"TO", "FROM"}


@dataclass(frozen=True)
class ItemPlan:
    """One `ompls_item_desc` with its `ompls_arg`; `fill` of a list: the statements that add its items."""

    name: str
    flags: tuple[str, ...]
    base: str
    begin: str
    size: str
    attach: str
    symbol: Symbol | None
    fill: str = ""
    whole: int = 0  # bytes of the array variable that it is a section of; 0: not known

    @property
    def bits(self) -> int:
        return bits(self.flags)


@dataclass(frozen=True)
class Found:
    """An item with the parts and lists that stand behind it."""

    plan: ItemPlan
    place: Place
    after: tuple[ItemPlan, ...] = ()
    detached: bool = False  # attach(never)
    seat: Place | None = None  # of the pointer that is attached, when it is a member


def item_plan(name: str, flags: tuple[str, ...], place: Place, symbol: Symbol | None) -> ItemPlan:
    """The item that lies at `place`."""
    if place.attach:
        flags += ("ATTACH",)
    if symbol is not None and place.base == f"&{symbol.name}" and _is_constant(symbol):
        flags = tuple(f for f in flags if f != "FROM")  # it may lie in memory that nobody can write to
    return ItemPlan(name, tuple(dict.fromkeys(flags)), place.base, place.begin, place.size, place.attach, symbol)


def _is_constant(symbol: Symbol) -> bool:
    return "const" in innermost(symbol.type).quals


def attached(i: ItemPlan, explicit: set[Symbol], stays: bool) -> ItemPlan:
    """`i`, attached to the pointer that it is reached through, where that is mapped itself (`explicit`) or `stays`."""
    s = i.symbol
    there = stays and s is not None and isinstance(s.type, Pointer) and s.storage != "register"
    if (s in explicit or there) and s is not None and i.base == s.name and not i.attach:
        return replace(i, flags=(*i.flags, "ATTACH"), attach=f"&{i.base}")
    return i


def seats(found: list[Found], kernel: bool) -> list[Found]:
    """The pointers that lie in a structure of which other members are mapped: they are there with them, to be attached
    (OpenMP 5.2 §5.8.3; where no member is mapped, the structure is as a whole, see `plan.py`).  So are those in a
    structure that a kernel reaches through a pointer (`p->m[0:n]`): where they are is what it knows of `p`."""
    owners = {f.place.owner for f in found if f.place.owner}
    bases = {f.plan.base for f in found}
    there = {f.plan.begin for f in found}
    seats: dict[str, Found] = {}
    for f in found:
        place, symbol = f.seat, f.plan.symbol
        if place is None or symbol is None or "ATTACH" not in f.plan.flags or place.begin in there:
            continue
        beside = place.owner in owners and "[" not in place.begin
        through = kernel and isinstance(symbol.type, Pointer) and place.base == symbol.name not in bases
        if beside or through:
            seats[place.begin] = Found(item_plan(place.begin.removeprefix("&"), (), place, symbol), place)
    return [*seats.values()]


def joined(found: list[Found]) -> list[Found]:
    """Members of one structure become parts of one item from the first to the last (they share an allocation).

    So does the variable itself that they are members of, in any order, and what a pointer leads to, when a member goes
    on behind it.
    """
    owners = {f.place.owner for f in found}
    beyond = {f.place.owner for f in found if f.place.beyond}
    groups: dict[object, list[Found]] = {}
    for k, f in enumerate(found):
        itself = f.place.base in (owners if f.plan.begin == f.place.base else beyond)
        whole = itself and "ZERO_LENGTH" not in f.plan.flags
        owner = f.place.owner or (f.place.base if whole else "")
        groups.setdefault(owner or k, []).append(f)
    return [_one(group) if len(group) > 1 else group[0] for group in groups.values()]


def _one(group: list[Found]) -> Found:
    begin, size = _range(group)
    each = [set(f.plan.flags) for f in group]
    of_all = tuple(f for f in ("ALWAYS", *COPIES) if all(f in flags for flags in each))
    kept = tuple(dict.fromkeys(f for x in group for f in x.plan.flags if f not in (*COPIES, "ALWAYS", "PLAIN")))
    first = group[0].plan
    attach = next((f.plan.attach for f in group if f.plan.attach), "")
    name = ", ".join(f.plan.name for f in group)
    lists = _one_list([i for f in group for i in f.after])
    only_in = all(flags & COPIES <= {"TO"} for flags in each) and all("ALWAYS" not in flags for flags in each)
    if only_in and "TO" in of_all:
        return Found(
            ItemPlan(name, ("TO", *kept), first.base, begin, size, attach, first.symbol), group[0].place, lists
        )
    parts = tuple(
        replace(f.plan, flags=(*(x for x in f.plan.flags if x in (*COPIES, "ALWAYS")), "PART"), attach="")
        for f in group
    )  # fmt: skip
    whole = ItemPlan(name, (*kept, "JOINED"), first.base, begin, size, attach, first.symbol)
    return Found(whole, group[0].place, (*parts, *lists))


def _one_list(lists: list[ItemPlan]) -> tuple[ItemPlan, ...]:
    """The lists of a joined item as one: what they hold as parts is of that item, and stands before all the rest."""
    if len(lists) < 2:
        return tuple(lists)
    name, fill = ", ".join(i.name for i in lists), " ".join(i.fill for i in lists)
    return (replace(lists[0], name=name, fill=fill),)


def _range(group: list[Found]) -> tuple[str, str]:
    """(the begin of the first of these members, the bytes from there to the end of the last)."""
    known = sorted((f.place.offset, k) for k, f in enumerate(group) if f.place.owner and f.place.offset is not None)
    paths = sorted(f.plan.begin.partition("[")[0] for f in group)
    apart = not any(b.startswith(a) for a, b in pairwise(paths))  # none is a part of another, which may end behind it
    if apart and len(known) == len(group):
        first, last = group[known[0][1]].plan, group[known[-1][1]].plan
        return first.begin, f"(const char *)({last.begin}) - (const char *)({first.begin}) + {last.size}"
    # The program finds the first and the last when it gets there.
    begins = [f"(const char *)({f.plan.begin})" for f in group]
    ends = [f"{b} + ({f.plan.size})" for b, f in zip(begins, group, strict=True)]
    lowest, highest = _outermost("<", begins), _outermost(">", ends)
    return lowest, f"{highest} - {lowest}"


def _outermost(op: str, texts: list[str]) -> str:
    tests = " ".join(
        f"{{ const char *__ompls_y = {x}; if (__ompls_y {op} __ompls_x) __ompls_x = __ompls_y; }}" for x in texts[1:]
    )
    return f"({{ const char *__ompls_x = {texts[0]}; {tests} __ompls_x; }})"
