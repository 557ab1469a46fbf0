"""What OpenMP says about a variable in a target construct that no clause lists (5.2 §5.1.1, §5.8.1; older ones).

One function per question; the answer is always a sharing, a map type, and the sentence that says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, CType, Function, Pointer, Record
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import MapType, Sharing

Category = Literal["scalar", "aggregate", "pointer"]
_MAP_TYPES: dict[str, MapType] = {"alloc": "alloc", "storage": "alloc", "to": "to", "from": "from", "tofrom": "tofrom"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a variable gets into the region.  `map_type` is None when it is not mapped."""

    sharing: Sharing
    why: str
    section: str
    map_type: MapType | None = None
    modifiers: tuple[str, ...] = ()
    zero_length: bool = False


def category(t: CType) -> Category:
    """The variable category of `defaultmap` (5.2 §5.8.7)."""
    if isinstance(t, (Array, Record)):
        return "aggregate"
    if isinstance(t, Pointer) and not isinstance(t.to, Function):
        return "pointer"
    return "scalar"


def defaultmap_for(directive: Directive, kind: Category) -> Clause | None:
    """The `defaultmap` clause that speaks about a category of variables."""
    for clause in directive.all("defaultmap"):
        if not clause.modifiers or clause.modifiers[0] in (kind, "all"):
            return clause
    return None


def implicit(symbol: Symbol, directive: Directive, version: str, *, copied: bool = False) -> Verdict:
    """How a variable that is referenced in the construct and listed in no clause gets there.

    `version` is '4.0' to '6.0'.  The order is that of 5.2 §5.8.1: declare target, defaultmap, category.  `copied`: a
    construct around this one has private copies, which are no `declare target` variables.
    """
    kind = category(symbol.type)
    if symbol.declare_target == "enter" and not copied:
        return Verdict("declare_target", "it is in a `declare target` directive, so the device has its own", "7.8")
    if symbol.declare_target == "link" and not copied:
        return Verdict("mapped", "it is in a `link` clause of `declare target`", "5.8.1", "tofrom")
    clause = defaultmap_for(directive, kind)
    if clause is not None and clause.keyword not in ("default", "none"):
        return _by_defaultmap(clause, kind)
    note = ", although `defaultmap(none)` wants it listed" if clause is not None and clause.keyword == "none" else ""
    return _by_category(symbol.type, kind, version, note)


def _by_defaultmap(clause: Clause, kind: Category) -> Verdict:
    why = f"`{_spelling(clause)}` says so for {_plural(kind)}"
    if clause.keyword in ("firstprivate", "private"):
        return Verdict("firstprivate" if clause.keyword == "firstprivate" else "private", why, "5.8.7")
    if clause.keyword in ("present", "self"):
        return Verdict("mapped", why, "5.8.7", "tofrom", (clause.keyword,), kind == "pointer")
    return Verdict("mapped", why, "5.8.7", _MAP_TYPES.get(clause.keyword, "tofrom"))


def _by_category(t: CType, kind: Category, version: str, note: str) -> Verdict:
    if version == "4.0":
        return Verdict("mapped", f"OpenMP 4.0 maps every variable that no clause lists{note}", "2.14.5", "tofrom")
    if kind == "scalar":
        if isinstance(t, Pointer):
            return Verdict("firstprivate", f"pointers to functions are firstprivate by default{note}", "5.8.1")
        return Verdict("firstprivate", f"scalars are firstprivate by default{note}", "5.8.1")
    if kind == "pointer":
        why = f"pointers are mapped as zero-length array sections by default: they find what is already mapped{note}"
        return Verdict("mapped", why, "5.8.1", "tofrom", (), True)
    what = "arrays" if isinstance(t, Array) else "structures"
    return Verdict("mapped", f"{what} are mapped tofrom by default{note}", "5.8.1", "tofrom")


def _spelling(clause: Clause) -> str:
    return f"{clause.name}({clause.keyword}{': ' + clause.modifiers[0] if clause.modifiers else ''})"


def _plural(kind: Category) -> str:
    return {"scalar": "scalars", "aggregate": "arrays and structures", "pointer": "pointers"}[kind]
