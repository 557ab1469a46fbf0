"""Map items: what a construct's clauses say as `ompls_item_desc` and `ompls_arg`.  Expressions are host C text."""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, Item, MapItem, Region
from ompls.analysis.spec.devices.host import EVERYWHERE
from ompls.translate.ctext import Place, is_unknown, place_of, strip
from ompls.translate.problem import Problem

FLAGS = {
    "alloc": (), "to": ("TO",), "from": ("FROM",), "tofrom": ("TO", "FROM"), "release": ("RELEASE",),
    "delete": ("DELETE",), "always": ("ALWAYS",), "present": ("PRESENT",), "close": ("CLOSE",), "ompx_hold": ("HOLD",),
}  # fmt: skip
FLAG_BITS = {
    "TO": 1, "FROM": 2, "ALWAYS": 4, "DELETE": 8, "PRESENT": 16, "CLOSE": 32, "RELEASE": 64, "IMPLICIT": 128,
    "ZERO_LENGTH": 256, "HOLD": 512, "ATTACH": 1024,
}  # fmt: skip


@dataclass(frozen=True)
class ItemPlan:
    """One `ompls_item_desc` with its `ompls_arg`."""

    name: str
    flags: tuple[str, ...]
    base: str
    begin: str
    size: str
    attach: str
    symbol: Symbol | None

    @property
    def bits(self) -> int:
        return sum(FLAG_BITS[f] for f in self.flags)


def plan_items(tu: TU, item: Item, directive: Directive, region: Region | None = None) -> list[ItemPlan]:
    """The map items of a construct in source order; members of one variable joined, attached pointers last."""
    text = lambda e: tu.text(item, e.span)  # noqa: E731
    found: list[tuple[ItemPlan, Place]] = []
    explicit: set[Symbol] = set()
    for clause in directive.all("map", "to", "from"):
        if any(m.startswith(("mapper", "iterator")) for m in clause.modifiers):
            raise Problem(clause.span, f"'{clause.name}' with a mapper or an iterator", EVERYWHERE["clause map mapper"])
        if clause.broken:
            raise Problem(clause.span, f"the clause '{clause.name}'", clause.broken)
        flags = FLAGS.get(clause.keyword, ()) if clause.keyword else ("TO", "FROM")
        if clause.name != "map":
            flags = ("TO",) if clause.name == "to" else ("FROM",)
        flags += tuple(f for m in clause.modifiers for f in FLAGS.get(m, ()))
        for entry in clause.items:
            for section in entry.expr.walk():
                if isinstance(section, ast.Section) and section.stride is not None:
                    raise Problem(clause.span, "an array section with a stride", EVERYWHERE["section with a stride"])
            if isinstance(entry.expr, (ast.OtherExpr, ast.Shaping)) or (entry.symbol and is_unknown(entry.symbol.type)):
                raise Problem(entry.span, f"the list item '{entry.text}'", "its type is not known")
            place = place_of(text, entry.expr)
            found.append((_item(entry.text, flags, place, entry.symbol), place))
            if entry.symbol and isinstance(strip(entry.expr), ast.Name):
                explicit.add(entry.symbol)
    for m in _implicit(region):
        if m.symbol in explicit:
            continue
        flags = (*FLAGS[m.map_type], *(f for x in m.modifiers for f in FLAGS.get(x, ())), "IMPLICIT")
        name = m.symbol.name
        if m.zero_length:
            flags, place = ("ZERO_LENGTH", "IMPLICIT"), Place(name, name, "0")
        else:
            place = Place(f"&{name}", f"&{name}", f"sizeof({name})")
        found.append((_item(name, flags, place, m.symbol), place))
    # A pointer that is mapped itself is attached to what is mapped through it.
    found = [(_attached(i, explicit), p) for i, p in found]
    plain = [x for x in found if "ATTACH" not in x[0].flags]
    # An item that is in two clauses is copied before it is only allocated (OpenMP 5.2 §5.8.3).
    plain.sort(key=lambda x: not {"TO", "FROM"} & set(x[0].flags))
    return _join(plain) + [i for i, _ in found if "ATTACH" in i.flags]


def _implicit(region: Region | None) -> list[MapItem]:
    return [m for v in region.variables for m in v.maps if m.item is None] if region else []


def _item(name: str, flags: tuple[str, ...], place: Place, symbol: Symbol | None) -> ItemPlan:
    if place.attach:
        flags += ("ATTACH",)
    return ItemPlan(name, tuple(dict.fromkeys(flags)), place.base, place.begin, place.size, place.attach, symbol)


def _attached(i: ItemPlan, explicit: set[Symbol]) -> ItemPlan:
    if i.symbol in explicit and i.symbol is not None and i.base == i.symbol.name and not i.attach:
        return ItemPlan(i.name, (*i.flags, "ATTACH"), i.base, i.begin, i.size, f"&{i.base}", i.symbol)
    return i


def _join(found: list[tuple[ItemPlan, Place]]) -> list[ItemPlan]:
    """Members of one variable become one item from the first to the last (they share an allocation)."""
    out: list[ItemPlan] = []
    groups: dict[Symbol, list[tuple[ItemPlan, Place]]] = {}
    for i, p in found:
        if p.owner is not None:
            groups.setdefault(p.owner, []).append((i, p))
    done: set[Symbol] = set()
    for i, p in found:
        group = groups.get(p.owner, []) if p.owner is not None else []
        if p.owner is None or len(group) == 1:
            out.append(i)
        elif p.owner not in done:
            done.add(p.owner)
            ordered = sorted(group, key=lambda x: x[1].offset)
            first, last = ordered[0][0], ordered[-1][0]
            flags = tuple(f for f in FLAG_BITS if any(f in g.flags for g, _ in group))
            size = f"(const char *)({last.begin}) - (const char *)({first.begin}) + {last.size}"
            name = ", ".join(g.name for g, _ in group)
            out.append(ItemPlan(name, flags, first.base, first.begin, size, "", first.symbol))
    return out
