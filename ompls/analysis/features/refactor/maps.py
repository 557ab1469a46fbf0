"""Write all map clauses of a region: what is implied is said, with the smallest map types and sections that do.

What a variable's accesses do not tell stays as it is.  The data of a variable that a data construct of the function
maps stay its business: the region finds them there.
"""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.dataenv.implicit import category, defaultmap_for
from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.symbolic import Poly, poly_of
from ompls.analysis.features.inlay import implied
from ompls.analysis.features.refactor.action import Action
from ompls.analysis.features.refactor.need import Need, Needs, functions_of
from ompls.analysis.features.refactor.pragma_text import PragmaText, pragma_text
from ompls.analysis.features.refactor.spelling import Speller
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import TU, Item, MapItem, MapType, Region, Variable

TITLE = "Write all map clauses of this region"
IMPLIED = "Write what is implied for this region"
_ORDER: tuple[MapType, ...] = ("to", "from", "tofrom", "alloc")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A list item with its map type; `old` is the mapping that it replaces (None: an implicit one)."""

    text: str
    kind: MapType
    old: MapItem | None


def write_maps(tu: TU, item: Item, region: Region) -> Action | None:
    """The action for a region whose pragma stands in the main file; None when there is nothing to write."""
    pragma = pragma_text(tu, item, region.stmt)
    if pragma is None or region.tainted or item.content.tainted:
        return None
    chosen = choose(tu, item, region)
    _replace(pragma, [c for c in chosen if c.old is not None], region)
    for kind in _ORDER:
        listed = [c.text for c in chosen if c.kind == kind and c.old is None]
        if listed:
            pragma.add(f"map({kind}: {', '.join(listed)})")
    copied = _wanted_by_none(region)
    if copied:
        pragma.add(f"firstprivate({', '.join(copied)})")
    edits = pragma.edits()
    return Action(TITLE, "refactor.rewrite", edits) if edits else None


def say_implied(tu: TU, item: Item, region: Region) -> Action | None:
    """The clauses that the inlay hint shows, written down: nothing changes, and everything can be seen and edited.

    Not for data of which a part may be on the device already: an implicit map takes that part, an explicit one fails.
    """
    pragma = pragma_text(tu, item, region.stmt)
    if pragma is None or region.tainted or item.content.tainted:
        return None
    speller = Speller(tu, item, region.stmt)
    listed = {s for c in region.directive.clauses for i in c.items if (s := i.symbol or root(i.expr)) is not None}
    left = listed | mapped_elsewhere(item)
    every = [*(d.directive for d in tu.directives), *(s.directive for s in item.content.directives)]
    names = {i.text for directive in every if directive.name == "threadprivate" for i in directive.args}
    # A `declare target` variable takes those along that its initialiser points to.
    declared = any("declare target" in directive.name for directive in every)
    for variable in region.variables:
        symbol = variable.symbol
        of_device = symbol.name in names or symbol.thread_local or (declared and symbol.level == "file")
        if of_device or not speller.names(symbol):
            left.add(symbol)
    for clause in implied([v for v in region.variables if v.symbol not in left]):
        pragma.add(clause)
    edits = pragma.edits()
    return Action(IMPLIED, "refactor.rewrite", edits) if edits else None


def choose(tu: TU, item: Item, region: Region) -> list[Chosen]:
    """What each variable of the region should be mapped as; those that stay as they are left out."""
    needs = Needs(region, functions_of([i.content for i in tu.items]))
    speller = Speller(tu, item, region.stmt)
    elsewhere = mapped_elsewhere(item)
    found = []
    for variable in region.variables:
        if variable.sharing == "mapped" and variable.symbol not in elsewhere:
            made = _chosen(variable, needs, speller)
            if made is not None:
                found.append(made)
    return found


def mapped_elsewhere(item: Item) -> set[Symbol]:
    """What other directives of the function put on the device."""
    found = set()
    for stmt in item.content.directives:
        if stmt.directive.name in ("target data", "target enter data"):
            for clause in stmt.directive.all("map"):
                found |= {s for i in clause.items if (s := i.symbol or root(i.expr)) is not None}
    return found


def _chosen(variable: Variable, needs: Needs, speller: Speller) -> Chosen | None:
    symbol = variable.symbol
    if len(variable.maps) != 1 or variable.maps[0].modifiers or not speller.names(symbol):
        return None
    old = variable.maps[0]
    if old.clause is not None and old.clause.name != "map":
        summed = old.clause.name == "reduction" and _is_scalar(symbol)
        return Chosen(symbol.name, old.map_type, None) if summed else None
    if symbol.declare_target or (not variable.reads and not variable.writes):
        return None
    need = needs.of(symbol)
    if need is None:
        return None
    kind = need.kind if old.map_type == "tofrom" else old.map_type
    if old.item is None:
        text = item_text(need, speller)
        return Chosen(text, kind, None) if text is not None else None
    if isinstance(old.item.expr, ast.Name) and isinstance(symbol.type, Pointer):
        text = item_text(need, speller)
        return Chosen(text, kind, old) if text is not None else None
    if kind == "from" and (_is_scalar(symbol) or not _is_all_of(need, old.item.expr)):
        return None  # elements that the region does not write keep their values
    return Chosen(old.item.text, kind, old) if kind != old.map_type else None


def item_text(need: Need, speller: Speller) -> str | None:
    """The list item for what is needed; None when it cannot be written in front of the region."""
    name = need.symbol.name
    if need.section is None:
        return name
    first, last = need.section
    return speller.section(name, first, last - first + 1)


def _is_all_of(need: Need, expr: ast.Expr) -> bool:
    """Whether a list item is no more than what is needed."""
    if need.section is None:
        return isinstance(expr, ast.Name)
    if not isinstance(expr, ast.Section) or not isinstance(expr.base, ast.Name) or expr.stride is not None:
        return False
    first = Poly.of(0) if expr.lower is None else poly_of(expr.lower)
    length = poly_of(expr.length)
    return first == need.section[0] and length is not None and first + length - 1 == need.section[1]


def _is_scalar(symbol: Symbol) -> bool:
    return category(symbol.type) == "scalar"


def _replace(pragma: PragmaText, chosen: list[Chosen], region: Region) -> None:
    """Change the `map` clauses that list what is chosen anew."""
    if not pragma.same:
        return
    new = {id(c.old.item): c for c in chosen if c.old is not None}
    for clause in region.directive.all("map"):
        if any(id(i) in new for i in clause.items):
            pragma.replace(clause, _rewritten(clause, new))


def _rewritten(clause: Clause, new: dict[int, Chosen]) -> str:
    """The clause, split by map type in the order of its items."""
    groups: dict[str, list[str]] = {}
    for listed in clause.items:
        chosen = new.get(id(listed))
        kind = chosen.kind if chosen is not None else clause.keyword or "tofrom"
        groups.setdefault(kind, []).append(chosen.text if chosen is not None else listed.text)
    return " ".join(f"map({kind}: {', '.join(items)})" for kind, items in groups.items())


def _wanted_by_none(region: Region) -> list[str]:
    """Scalars that `defaultmap(none)` wants to see in a clause."""
    clause = defaultmap_for(region.directive, "scalar")
    if clause is None or clause.keyword != "none":
        return []
    return [v.symbol.name for v in region.variables if v.implicit and v.sharing == "firstprivate"]
