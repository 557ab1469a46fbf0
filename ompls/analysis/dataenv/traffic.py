"""What travels between a program and a device that is elsewhere, each time the host reaches a target region.

Said where it is certain: the lengths of all that is mapped are constants, and nothing is mapped before.
"""

from __future__ import annotations

from typing import NamedTuple

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model.ast import Expr, Name, Section
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.tu import Content, MapItem, Region

# As devices/remote has them: what travels within a message, and the largest piece of what does not (library/wire.h);
# list items of up to so many bytes are one copy together, each at an address of that alignment (near.c, core/gather.c).
_INLINE, _PIECE = 1 << 13, 1 << 26
_GATHER, _ALIGNMENT = 1 << 12, 256
REUSED = 1 << 20  # bytes from which on another device that has the same may give them (held.h)
_MOST = 1 << 15  # bytes within messages, of which more than one may be needed


class Traffic(NamedTuple):
    """messages -- in both directions; there, back -- bytes of what is mapped, to the device and from it"""

    messages: int
    there: int
    back: int

    @property
    def bytes(self) -> int:
        return self.there + self.back


def traffic(content: Content, region: Region, model: DataModel) -> Traffic | None:
    """What travels for an execution of `region`, which `content` holds, after the first; None when that is not certain.

    A region is a message there and one back.  What is mapped and is more than 8 KiB needs two more, its head and its
    data, and one for each further 64 MiB.  What a kernel prints is not counted.
    """
    mapped = [(v, m) for v in region.variables if v.sharing == "mapped" for m in v.maps if not m.zero_length]
    others = (d.directive for d in content.directives if d is not region.stmt and not d.directive.has("target"))
    elsewhere = {
        s for d in others for c in d.all("map") for i in c.items if (s := i.symbol or root(i.expr)) is not None
    }
    sizes = []
    for variable, one in mapped:
        plain = not one.modifiers and not variable.symbol.declare_target
        size = mapped_bytes(one, model) if plain else None
        if region.tainted or size is None or len(variable.maps) > 1 or variable.symbol in elsewhere:
            return None
        sizes.append((size, one.map_type in ("to", "tofrom"), one.map_type in ("from", "tofrom")))
    ways = [[size for size, *way in sizes if way[k]] for k in range(2)]
    small = [sum(-(-s // _ALIGNMENT) * _ALIGNMENT for s in way if s <= _GATHER) for way in ways]
    within = sum(s for way in ways for s in way if _GATHER < s <= _INLINE)
    if max(small) > _INLINE or within > _MOST:
        return None
    alone = [s for way in ways for s in way if s > _INLINE]
    return Traffic(2 + sum(1 + -(-s // _PIECE) for s in alone), sum(ways[0]), sum(ways[1]))


def mapped_bytes(mapped: MapItem, model: DataModel) -> int | None:
    """Bytes of a variable, or of a section of one that is not of a structure's member; None: that is not known."""
    expr = mapped.item.expr if mapped.item is not None else None
    if expr is None or isinstance(expr, Name):
        return None if isinstance(mapped.symbol.type, Pointer) else sizeof(mapped.symbol.type, model)
    return _section(expr, model)


def _section(expr: Expr, model: DataModel) -> int | None:
    size = sizeof(expr.type.of, model) if isinstance(expr.type, Array) else None
    while isinstance(expr, Section):
        length = fold(expr.length) if expr.length is not None else None
        if length is None or size is None or expr.stride is not None:
            return None
        size, expr = size * length, expr.base
    return size if isinstance(expr, Name) else None
