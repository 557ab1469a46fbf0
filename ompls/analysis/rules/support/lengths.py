"""The fix that makes a section as long as its region needs: `x[0:n]` for `x[0:n-1]` where the loop accesses `x[n-1]`."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access, accesses, extent
from ompls.analysis.dataenv.paths import walk_all
from ompls.analysis.dataenv.symbolic import Poly, compare, poly_of
from ompls.analysis.dataenv.walk import assigned_in
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.omp import ListItem
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Change, Scene

_NOT_LESS = (">", ">=", "==")


def long_enough(scene: Scene, region: Region, item: ListItem) -> tuple[Change, ...]:
    """The fix for a list item of the region; () when not all that it accesses of the variable is known before it."""
    section, body = item.expr, region.stmt.body
    symbol = section.base.symbol if isinstance(section, ast.Section) and isinstance(section.base, ast.Name) else None
    if not isinstance(section, ast.Section) or section.stride is not None or symbol is None or body is None:
        return ()
    made = [a for a in accesses(body, scene.unit.functions) if a.symbol is symbol and a.place.path]
    ranges = [extent(a).ranges[:1] for a in made]
    known = [r[0] for r in ranges if r and r[0] is not None]
    begin = poly_of(section.lower) if section.lower is not None else Poly.of(0)
    if begin is None or not known or len(known) < len(made) or section.length is None:
        return ()
    low = _least([begin, *[p for p, _ in known]])
    high = _least([-p for _, p in known])
    if low is None or high is None:
        return ()
    length = -high + Poly.of(1) - low
    if low.opaques() or length.opaques() or not low.symbols() | length.symbols() <= _named_before(region):
        return ()
    return (_change(section, begin, low, length, made),)


def _change(section: ast.Section, begin: Poly, low: Poly, length: Poly, made: list[Access]) -> Change:
    text = _text(length)
    assert section.length is not None
    if low == begin:
        bounds = (b for a in made for b in _bounds(a) if poly_of(b) == length)
        quotes = tuple([(text, bound.span) for bound in bounds][:1])
        return Change(f"Make it `{text}` elements long", section.length.span, text, safe=False, quotes=quotes)
    text = f"[{_text(low)}:{text}]"
    return Change(f"Change the section to `{text}`", Span(section.base.span.end, section.span.end), text, safe=False)


def _bounds(access: Access) -> Iterator[ast.Expr]:
    """What the loops around an access compare their variables with."""
    for loop in access.loops:
        condition = loop.stmt.condition if isinstance(loop.stmt, ast.For) else None
        if isinstance(condition, ast.Binary):
            yield condition.right


def _least(values: list[Poly]) -> Poly | None:
    """The one that is not greater than any other; None when that is not known."""
    return next((p for p in values if all(compare(q, p) in _NOT_LESS for q in values)), None)


def _named_before(region: Region) -> frozenset[Symbol]:
    """What means the same before the region: what it names, and neither declares nor changes."""
    body = region.stmt.body
    nodes = list(walk_all(body)) if body is not None else []
    named = {n.symbol for n in nodes if isinstance(n, ast.Name) and n.symbol is not None}
    own = {n.symbol for n in nodes if isinstance(n, ast.VarDecl)}
    return frozenset(named - own - (assigned_in(body) if body is not None else set()))


def _text(p: Poly) -> str:
    """As it is written in C: the number comes last."""
    number = p.offset
    rest = p - Poly.of(number)
    if rest.constant is not None or not number:
        return repr(p)
    return f"{rest} {'+' if number > 0 else '-'} {abs(number)}"
