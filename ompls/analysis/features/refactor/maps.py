"""Write all map clauses of a region: what is implied is said, with the smallest map types and sections that do.

What a variable's accesses do not tell stays as it is.  The data of a variable that a data construct of the function
maps stay its business: the region finds them there.
"""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.dataenv.implicit import category, defaultmap_for
from ompls.analysis.dataenv.need import Need, Needs, functions_of, result_kind
from ompls.analysis.dataenv.symbolic import Poly, poly_of
from ompls.analysis.features.implied import Implied, mapped_elsewhere, written
from ompls.analysis.features.refactor.action import Action
from ompls.analysis.features.refactor.pragma_text import PragmaText, pragma_text
from ompls.analysis.features.refactor.spelling import Speller
from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import TU, Item, MapItem, MapType, Region, Variable
from ompls.analysis.rules.support.lost import is_expected, loses, lost

TITLE = "Write all map clauses of this region"
IMPLIED = "Write what is implied for this region"
_MOST = 2  # names in a title, with the reasons
_UNSPOKEN = "its section depends on what only the region knows"
_COMPARED = "the host compares it with its old value, so it may be meant to be a copy"
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
    if pragma is None:
        return None
    if region.tainted or item.content.tainted:
        return Action(TITLE, "refactor.rewrite", (), refused="something in this function is not understood")
    chosen, left = choose(tu, item, region)
    _replace(pragma, [c for c in chosen if c.old is not None], region)
    for kind in _ORDER:
        listed = [c.text for c in chosen if c.kind == kind and c.old is None]
        if listed:
            pragma.add(f"map({kind}: {', '.join(listed)})")
    copied = [name for name in _wanted_by_none(region) if name not in {c.text for c in chosen}]
    if copied:
        pragma.add(f"firstprivate({', '.join(copied)})")
    edits = pragma.edits()
    if not edits and not left:
        return None
    title = f"{TITLE}, but not for {_names(left)}" if edits and left else TITLE
    refused = "" if edits else "; ".join(f"`{name}`: {why}" for name, why in left)
    return Action(title, "refactor.rewrite", edits, left=left, refused=refused)


def _names(left: tuple[tuple[str, str], ...]) -> str:
    """`a` (why), `b` (why), and 3 more."""
    named = ", ".join(f"`{name}` ({why})" for name, why in left[:_MOST])
    return named + (f", and {len(left) - _MOST} more" if len(left) > _MOST else "")


def say_implied(tu: TU, item: Item, region: Region) -> Action | None:
    """The clauses that the inlay hint shows, written down: nothing changes, and everything can be seen and edited.

    Not for data of which a part may be on the device already: an implicit map takes that part, an explicit one fails.
    """
    pragma = pragma_text(tu, item, region.stmt)
    if pragma is None or region.tainted or item.content.tainted:
        return None
    for clause in written(Implied(tu).of(item, region)):
        pragma.add(clause)
    edits = pragma.edits()
    return Action(IMPLIED, "refactor.rewrite", edits) if edits else None


def choose(tu: TU, item: Item, region: Region) -> tuple[list[Chosen], tuple[tuple[str, str], ...]]:
    """What each variable of the region should be mapped as, and (name, why) of those that cannot be told.

    Those that are right as they are, are in neither.
    """
    needs = Needs(region, functions_of([i.content for i in tu.items]))
    speller = Speller(tu, item, region.stmt)
    elsewhere = mapped_elsewhere(item)
    found: list[Chosen] = []
    left: list[tuple[str, str]] = []
    results = _lost(item, region)
    for variable in region.variables:
        made: Chosen | str | None = None
        if variable.sharing == "mapped" and variable.symbol not in elsewhere:
            made = _chosen(variable, needs, speller)
        elif variable.symbol in results and variable.symbol not in elsewhere:
            made = _result(variable.symbol, needs) if results[variable.symbol] else _COMPARED
        if isinstance(made, str):
            left.append((variable.symbol.name, made))
        elif made is not None:
            found.append(made)
    return found, tuple(left)


def _lost(item: Item, region: Region) -> dict[Symbol, bool]:
    """The firstprivate scalars that other code reads afterwards, or may read, and whether they surely are results."""
    function = item.content.node
    if not isinstance(function, FunctionDef) or not any(loses(v) for v in region.variables):
        return {}
    found = {v.symbol: True for v in region.variables if loses(v) and v.symbol.level == "file"}
    for r, variable, read, again in lost(item.content):
        if r is region and not again:
            found[variable.symbol] = not is_expected(function, variable.symbol, read)
    return found


def _result(symbol: Symbol, needs: Needs) -> Chosen:
    return Chosen(symbol.name, result_kind(needs.of(symbol)), None)


def _chosen(variable: Variable, needs: Needs, speller: Speller) -> Chosen | str | None:
    """None: it is right as it is, or nobody's business; a text: why it is left alone."""
    symbol = variable.symbol
    if len(variable.maps) != 1 or variable.maps[0].modifiers or not speller.names(symbol):
        return None
    old = variable.maps[0]
    if old.clause is not None and old.clause.name != "map":
        # The clause implies a map since 5.0, and not every compiler does (clang 19: not for `lastprivate`).
        result = old.clause.name in ("reduction", "lastprivate") and old.item is not None
        return Chosen(old.item.text, old.map_type, None) if result and old.item is not None else None
    if symbol.declare_target or (not variable.reads and not variable.writes):
        return None
    need = needs.of(symbol)
    pointer = isinstance(symbol.type, Pointer) and (old.item is None or isinstance(old.item.expr, ast.Name))
    if isinstance(need, str):
        return need if pointer or old.item is None else None
    kind = need.kind if old.map_type == "tofrom" else old.map_type
    if old.item is None or pointer:
        text = item_text(need, speller)
        return Chosen(text, kind, old if old.item is not None else None) if text is not None else _UNSPOKEN
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
            pragma.replace(clause, _rewritten(pragma, clause, new))


def _rewritten(pragma: PragmaText, clause: Clause, new: dict[int, Chosen]) -> str:
    """The clause, split by map type in the order of its items."""
    groups: dict[str, list[str]] = {}
    for listed in clause.items:
        chosen = new.get(id(listed))
        kind = chosen.kind if chosen is not None else clause.keyword or "tofrom"
        text = chosen.text if chosen is not None and chosen.text != listed.text else pragma.item(clause, listed)
        groups.setdefault(kind, []).append(text)
    return " ".join(f"map({kind}: {', '.join(items)})" for kind, items in groups.items())


def _wanted_by_none(region: Region) -> list[str]:
    """Scalars that `defaultmap(none)` wants to see in a clause."""
    clause = defaultmap_for(region.directive, "scalar")
    if clause is None or clause.keyword != "none":
        return []
    return [v.symbol.name for v in region.variables if v.implicit and v.sharing == "firstprivate"]
