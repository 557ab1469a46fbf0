"""How much of a variable a region needs, as a section that can be written on it: `x[0:n]` where a loop accesses `x[n-1]`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ompls.analysis.dataenv.access import Access, accesses, extent
from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.places import Env, Place, pointee_of
from ompls.analysis.dataenv.symbolic import Poly, compare, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import Span, Symbol, walk_all
from ompls.analysis.model.omp import Directive, ListItem
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Change, Quotes, Scene

_NOT_LESS = (">", ">=", "==")


class Reach(NamedTuple):
    """`symbol[low:length]`, and the length as it is written in C.

    bound -- where the length itself bounds a loop: there it may have been written with macros
    """

    low: Poly
    length: Poly
    text: str
    bound: Span | None

    @property
    def quotes(self) -> Quotes:
        """`Change.quotes` of what repeats the length."""
        return ((self.text, self.bound),) if self.bound is not None else ()


def first_of(section: ast.Section) -> Place | None:
    """The first element of what a section is of: a variable, or a member; None where that is not known."""
    base = bare(section.base)
    return pointee_of(base, Env()) if isinstance(base, (ast.Name, ast.Member)) else None


def reach_of(scene: Scene, region: Region, first: Place, begin: Poly) -> Reach | None:
    """What the region accesses of an array, from `begin` on at the latest; None when not all of that is known before the
    region.

    first -- its first element
    """
    body = region.stmt.body
    around, way = len(first.subscripts) - 1, first.path
    made = [a for a in accesses(body, scene.unit.functions) if a.symbol is first.symbol] if body is not None else []
    if any(a.write and a.place.path and a.place.path == way[: len(a.place.path)] != way for a in made):
        return None  # it becomes another array meanwhile
    made = [a for a in made if a.place.path[: len(way)] == way]
    ranges = [extent(a).ranges[around] for a in made if a.place.subscripts[:around] == first.subscripts[:around]]
    known = [r for r in ranges if r is not None]
    if body is None or not known or len(known) < len(made):
        return None
    low = _least([begin, *[p for p, _ in known]])
    high = _least([-p for _, p in known])
    if low is None or high is None:
        return None
    length = Poly.of(1) - high - low
    if low.opaques() or length.opaques() or not low.symbols() | length.symbols() <= _named_before(body):
        return None
    bound = next((b.span for a in made for b in _bounds(a) if poly_of(b) == length), None)
    return Reach(low, length, in_c(length), bound)


def brings_back_more(scene: Scene, region: Region, item: ListItem, reach: Reach | None) -> bool:
    """Whether mapping all of `reach`, in the clause of `item`, may copy over values that are newer: with `always`, or
    back what the region has not written, and nobody before it."""
    return _copies_more(scene, region.directive, region, item, reach)


def _copies_more(scene: Scene, directive: Directive, region: Region, item: ListItem, reach: Reach | None) -> bool:
    clause = next(c for c in directive.all("map") if any(i is item for i in c.items))
    if clause.modifiers or clause.keyword != "from":
        return bool(clause.modifiers)
    return reach is None or not _runs(scene, directive, region) or not _is_filled(scene, region, item, reach)


def _runs(scene: Scene, directive: Directive, region: Region) -> bool:
    """Whether a region runs whenever the block of the directive does: it is the directive's own, or a statement of it."""
    made = scene.content.directives if scene.content is not None else ()
    body = next((stmt.body for stmt in made if stmt.directive is directive), None)
    return directive is region.directive or region.stmt in (body.items if isinstance(body, ast.Compound) else (body,))


def _is_filled(scene: Scene, region: Region, item: ListItem, reach: Reach) -> bool:
    """Whether a loop of the region writes each element of `reach`, whatever happens."""
    symbol = item.symbol or root(item.expr)
    first = first_of(item.expr) if isinstance(item.expr, ast.Section) else None
    for a in accesses(region.stmt.body, scene.unit.functions) if region.stmt.body is not None else ():
        found = extent(a)
        if first is not None and a.place.path != first.path:
            continue  # another member
        if a.write and a.symbol is symbol and found.linear is not None and found.exact and found.dense:
            low, high = found.linear
            if low == reach.low and high - low + 1 == reach.length:
                return True
    return False


def long_enough(scene: Scene, directive: Directive, regions: Sequence[Region], item: ListItem) -> tuple[Change, ...]:
    """The fix that makes a section of a directive as long as these regions need, which may be its own or behind it;
    () when that is not known."""
    section = item.expr
    first = first_of(section) if isinstance(section, ast.Section) else None
    if not isinstance(section, ast.Section) or section.stride is not None or section.length is None or first is None:
        return ()
    begin = poly_of(section.lower) if section.lower is not None else Poly.of(0)
    reach = _reach_of_all(scene, directive, regions, first, begin) if begin is not None else None
    if reach is None or all(_copies_more(scene, directive, region, item, reach) for region in regions):
        return ()
    if reach.low == begin:
        return (longer(scene, section, reach),)
    text = f"[{in_c(reach.low)}:{reach.text}]"
    where = Span(section.base.span.end, section.span.end)
    assert scene.content is not None
    base = scene.content.text[slice(*section.base.span)].decode("utf-8", "replace")
    title = f"Change `{item.text}` to `{base}{text}`"
    return (Change(title, where, text, safe=False, quotes=((item.text, item.span), *reach.quotes)),)


def longer(scene: Scene, section: ast.Section, reach: Reach) -> Change:
    """The fix that makes a section as long as `reach` from where it begins."""
    assert scene.content is not None
    assert section.length is not None
    before = Span(section.span.start, section.length.span.start)
    text = scene.content.text[slice(*before)].decode("utf-8", "replace")
    begin = section.lower.span if section.lower is not None else Span(before.start, before.start)
    quoted = scene.content.text[slice(*begin)].decode("utf-8", "replace")
    quotes = ((quoted, begin), *reach.quotes) if quoted else reach.quotes
    return Change(f"Change to `{text}{reach.text}]`", section.length.span, reach.text, safe=False, quotes=quotes)


def _reach_of_all(
    scene: Scene, directive: Directive, regions: Sequence[Region], first: Place, begin: Poly
) -> Reach | None:
    """What all of the regions access, in variables that have the same value at the directive."""
    found = [reach_of(scene, region, first, begin) for region in regions]
    reaches = [reach for reach in found if reach is not None]
    low = _least([reach.low for reach in reaches])
    high = _least([-(reach.low + reach.length) for reach in reaches])
    if low is None or high is None or len(reaches) < len(found):
        return None
    length = -high - low
    if any(not _same_at(scene, directive, region, low.symbols() | length.symbols()) for region in regions):
        return None
    return Reach(low, length, in_c(length), next((r.bound for r in reaches if r.length == length), None))


def _same_at(scene: Scene, directive: Directive, region: Region, names: Collection[Symbol]) -> bool:
    """Whether these variables have at a directive the value that they have at a region."""
    if directive is region.directive:
        return True
    first, last = directive.span.end, region.stmt.span.start
    body = scene.function.body if scene.function is not None else None
    between = [n for n in walk_all(body) if first <= n.span.start and n.span.end <= last] if body is not None else []
    if any(isinstance(n, ast.Call) for n in between) and any(name.level == "file" for name in names):
        return False
    return body is not None and first <= last and not any(assigned_in(n) & set(names) for n in between)


def in_c(p: Poly) -> str:
    """A polynomial in variables as it is written in C: what is taken away, and the number, come last."""
    text = ""
    for monomial, factor in sorted(p.terms.items(), key=lambda t: (not t[0], t[1] < 0, repr(Poly({t[0]: 1})))):
        sign = "-" if factor < 0 else "+" if text else ""
        text += (f" {sign} " if text else sign) + repr(Poly({monomial: abs(factor)}))
    return text or "0"


def _bounds(access: Access) -> Iterator[ast.Expr]:
    """What the loops around an access compare their variables with."""
    for loop in access.loops:
        condition = loop.stmt.condition if isinstance(loop.stmt, ast.For) else None
        if isinstance(condition, ast.Binary):
            yield condition.right


def _least(values: list[Poly]) -> Poly | None:
    """The one that is not greater than any other; None when that is not known."""
    return next((p for p in values if all(compare(q, p) in _NOT_LESS for q in values)), None)


def _named_before(body: ast.Stmt) -> frozenset[Symbol]:
    """What means the same before a region: what its body names, and neither declares nor changes."""
    nodes = list(walk_all(body))
    named = {n.symbol for n in nodes if isinstance(n, ast.Name) and n.symbol is not None}
    own = {n.symbol for n in nodes if isinstance(n, ast.VarDecl)}
    return frozenset(named - own - assigned_in(body))
