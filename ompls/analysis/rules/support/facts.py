"""What a storage class may be on the device, and what a mapping makes of that.

The facts about a storage class are
  A      absent: no device has a corresponding variable
  Gn Vn  present with reference count n (n at most 3), its content garbage (G) or valid (V)
  P      present, count and content unknown
  U      unknown: a caller, or a function that is not in this unit, may have mapped it
OpenMP 5.2 §5.8.3 gives the rules.  `presence_of` tells apart the devices that directives name by constant numbers; what
is mapped on any other counts as mapped on all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Variable
from ompls.analysis.rules.support.storage import Place, place_of

Facts = frozenset[Any]
ABSENT: Facts = frozenset("A")
UNKNOWN: Facts = frozenset("U")
PRESENT: Facts = frozenset("P")
_MOST = 3


@dataclass(frozen=True, slots=True)
class Mapped:
    """What a directive does to one storage class."""

    place: Place
    map_type: str
    always: bool = False


def entered(facts: Facts, mapping: Mapped) -> Facts:
    """After `map` at an entry."""
    out = set()
    for fact in facts:
        if fact in ("P", "U"):
            out.add("P")
        elif fact == "A":
            out.add("V1" if mapping.map_type in ("to", "tofrom") else "G1")
        else:
            kind = "V" if mapping.always and mapping.map_type in ("to", "tofrom") else fact[0]
            out.add(f"{kind}{min(int(fact[1]) + 1, _MOST)}")
    return frozenset(out)


def left(facts: Facts, mapping: Mapped) -> Facts:
    """After `map` at an exit."""
    out = set()
    for fact in facts:
        if mapping.map_type == "delete" or fact in ("A", "G1", "V1"):
            out.add("A")
        elif fact in ("P", "U") or int(fact[1]) == _MOST:
            out.add("U" if fact in ("P", "U") else "P")
        else:
            out.add(f"{fact[0]}{int(fact[1]) - 1}")
    return frozenset(out)


def filled(facts: Facts) -> Facts:
    """After something was written to the device's storage."""
    return frozenset(f"V{f[1]}" if f[0] == "G" else f for f in facts)


def place_in(variable: Variable) -> Place:
    """The storage that matters of a region's variable: what a pointer points to, else the variable."""
    return ("pointee" if isinstance(variable.symbol.type, Pointer) else "object", variable.symbol)


def maps_unfollowed(directive: Directive) -> bool:
    """Whether it maps something through a pointer in memory: another name for what a variable points to."""
    return any(place_of(i.expr) is None for c in directive.all("map") for i in c.items)


def mappings(directive: Directive) -> list[Mapped]:
    """The `map` clauses' list items whose storage is followed."""
    found = []
    for clause in directive.all("map"):
        for item in clause.items:
            place = place_of(item.expr)
            if place is not None:
                found.append(Mapped(place, clause.keyword or "tofrom", "always" in clause.modifiers))
    # What copies goes before what only allocates (5.2 §5.8.3), whatever the order of the clauses.
    return sorted(found, key=lambda m: m.map_type not in ("to", "tofrom"))
