"""The target regions of a unit and where the user sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ompls.analysis.model.items import Group
from ompls.analysis.model.tu import TU, Item, Region
from ompls.analysis.source import Location, Shape


@dataclass(frozen=True, slots=True)
class RegionPlace:
    """One target region: its id ('function_0'), its directive's place, the place of all of it, its directive's name."""

    id: str
    directive: Location
    whole: Location
    name: str
    function: str


def regions(tu: TU) -> list[RegionPlace]:
    """All regions in the order of the unit, those of included project headers too."""
    return [
        RegionPlace(
            region.id,
            tu.locate(item, region.directive.span),
            tu.locate(item, region.stmt.span),
            region.directive.name,
            region.function,
        )
        for item, region in _pairs(tu)
    ]


def region_ids(tu: TU) -> Iterator[str]:
    """The ids of `regions`, in their order: nobody asks where they are."""
    return (region.id for _, region in _pairs(tu))


def lenses(tu: TU) -> list[tuple[Location, str]]:
    """Where a lens stands over each region of the main file, and the region's id."""
    return [place for number in range(len(tu.items.groups)) for place in _lenses(tu, number)]


class LensPart(NamedTuple):
    """The lenses over what one group of external declarations holds.

    shape -- where it comes from
    group -- what is kept with it holds for the same parts of the shape and the same text around it
    """

    shape: Shape
    group: Group
    lenses: Callable[[], list[tuple[Location, str]]]


def lens_parts(tu: TU) -> Iterator[LensPart]:
    """As `lenses`, in parts that are shared between the versions of a text."""
    for number, group, shape in _shapes(tu):
        yield LensPart(shape, group, partial(_lenses, tu, number))


def body_of(tu: TU, region: str) -> Location | None:
    """Where the body of a region is; None: there is no such region."""
    found = ((item, r.stmt.body) for item, r in _pairs(tu) if r.id == region)
    return next((tu.locate(item, body.span) for item, body in found if body is not None), None)


def lens_count(tu: TU) -> int:
    """How many `lenses` there are, without making them: what a worker says at every key."""
    if not tu.headers:  # all of it is the main file's
        return sum([group.regions for _, group in tu.items.groups])
    found = 0
    for number, group, shape in _shapes(tu):
        found += group.regions if shape.path == tu.path else len(_lenses(tu, number))
    return found


def _shapes(tu: TU) -> Iterator[tuple[int, Group, Shape]]:
    """Number, group and shape of the groups that have regions."""
    groups = tu.items.groups
    ends = (*[x for x, _ in groups[1:]], len(tu.expanded))
    for number, ((x, group), end) in enumerate(zip(groups, ends, strict=False)):  # there may be no group
        if group.regions:
            yield number, group, tu.map.shape(x, end)


def _lenses(tu: TU, number: int) -> list[tuple[Location, str]]:
    pairs = ((item, region) for item in tu.items.of(number) for region in item.content.regions)
    places = ((tu.locate(item, region.directive.span), region.id) for item, region in pairs)
    return [place for place in places if place[0].path == tu.path]


def region_at(tu: TU, offset: int) -> tuple[Item, Region] | None:
    """The region whose directive or body holds byte `offset` of the main file (an enclosed one first).

    A place in the blanks around what is written on a line counts as the place beside them.
    """
    best: tuple[int, Item, Region] | None = None
    offset = _beside_blanks(tu.source, offset)
    x = tu.map.expanded(tu.path, offset)
    for item in tu.items.between(x - 1, x):
        for region in item.content.regions:
            where = tu.locate(item, region.stmt.span)
            size = where.end - where.start
            within = where.path == tu.path and where.start <= offset <= where.end
            if within and (best is None or size < best[0]):
                best = (size, item, region)
    return best[1:] if best is not None else None


def _beside_blanks(source: bytes, offset: int) -> int:
    start = source.rfind(b"\n", 0, max(offset, 0)) + 1
    end = source.find(b"\n", start)
    line = source[start : end if end >= 0 else len(source)]
    first, behind = start + len(line) - len(line.lstrip()), start + len(line.rstrip())
    return min(max(offset, first), behind) if first < behind else offset


def region_near(tu: TU, offset: int) -> tuple[str, bool] | None:
    """The id of the region that holds byte `offset` of the main file, and True; else of the last one above, or of the
    first one, and False."""
    held = region_at(tu, offset)
    if held is not None:
        return held[1].id, True
    begun = [(where.start, region) for where, region in lenses(tu)]
    if not begun:
        return None
    return max((b for b in begun if b[0] <= offset), default=min(begun))[1], False


def _pairs(tu: TU) -> Iterator[tuple[Item, Region]]:
    for item in tu.items:
        for region in item.content.regions:
            yield item, region
