"""List items, and `declare mapper` (OpenMP 5.2 §5.8.8): the items that one stands for when a mapper maps it.

A structure stays one piece of storage: what a mapper lists of its members is mapped as the whole is, in the directions
of all of them.  What it reaches through pointers are items of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from ompls.analysis.dataenv.machine.choices import Choices
from ompls.analysis.dataenv.machine.copies import IN, OUT, Mapping, map_type
from ompls.analysis.dataenv.machine.objects import Loop
from ompls.analysis.dataenv.machine.program import Mapper, Program
from ompls.analysis.dataenv.machine.values import Loc, Range, Site, apart
from ompls.analysis.dataenv.symbolic import ZERO, LoopRange, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.ctype import INT, Record, held, innermost
from ompls.analysis.model.omp import Directive, declared_mapper, mapper_named, mapper_variable

_ENDS = ("release", "delete")
# The numbers of the elements of arrays that are mapped by mappers, which name mappers in turn.
_EACH = tuple([Symbol(f"each{depth}", "var", INT) for depth in range(4)])


class Mapped(NamedTuple):
    """One list item with its map type, where it lies, and its place in the text (an implicit one: its directive's).

    beyond -- it is a section of an array member that goes on behind its structure
    """

    name: str
    locs: list[Loc]
    kind: str
    modifiers: tuple[str, ...]
    site: Site
    explicit: bool
    beyond: bool = False

    @property
    def copied_in(self) -> bool:
        return self.kind in IN and len(self.locs) == 1

    def mapping(self, loc: Loc, device: Poly, lasting: bool = False) -> Mapping:
        always = "always" in self.modifiers
        return Mapping(device, loc.low, loc.high, self.kind, self.site, always, lasting, not self.explicit)


Part = tuple[Mapped, tuple[Loop, ...]]  # an item that another stands for, and the loops over arrays' elements


def mappers_of(directives: Iterable[Directive]) -> tuple[Mapper, ...] | None:
    """The mappers that these declare; None when one of them is not understood."""
    found = []
    for d in directives:
        if d.name != "declare mapper":
            continue
        mapper, variable = declared_mapper(d), mapper_variable(d)
        items = tuple([(c.keyword or "tofrom", c.modifiers, i) for c in d.all("map") for i in c.items])
        if mapper is None or variable is None or not isinstance(variable.type, Record):
            return None
        found.append(Mapper(mapper.name, variable, items))
    return tuple(found)


class Mappers(Choices):
    """`parts` gives the items that an item stands for."""

    program: Program

    def mapper_of(self, mapped: Mapped) -> Mapper | None:
        """The mapper that is meant for the item; the default one where none is named."""
        name = mapper_named(mapped.modifiers) or "default"
        types = {t.uid if isinstance(t := innermost(loc.type), Record) else None for loc in mapped.locs}
        fits = [m for m in self.program.mapping if m.name == name and m.uid in types]
        return fits[-1] if fits and len(types) == 1 else None

    def unfollowed(self, mapped: Mapped) -> bool:
        """Whether something decides what is mapped that is not followed."""
        if any(m.startswith("iterator") for m in mapped.modifiers):
            return True
        records = [t for loc in mapped.locs if isinstance(t := innermost(loc.type), Record)]
        if records and self.program.mappers:
            return True
        if self.mapper_of(mapped) is not None:
            return False
        named = mapper_named(mapped.modifiers) not in ("", "default")
        return named or any(self._by_default(r) for r in records)

    def _by_default(self, record: Record) -> set[int | None]:
        """The structures in one, and itself, that have a mapper where none is named."""
        return {m.uid for m in self.program.mapping if m.name == "default"} & _inside(record)

    def parts(self, mapped: Mapped, within: tuple[Mapper, ...] = ()) -> list[Part] | None:
        """The items that a mapper maps, the structures first; None: not known.

        within -- the mappers that have listed it, outermost first
        """
        if self.unfollowed(mapped):
            return None
        mapper = self.mapper_of(mapped)
        if mapper is None:
            return [(mapped, ())]
        if len(mapped.locs) != 1 or self.now is None or mapper in within or len(within) == len(_EACH):
            return None
        whole, size = mapped.locs[0], self.size_of(mapper.variable.type)
        trips = whole.size.divided(size.constant or 0) if whole.size is not None and size is not None else None
        if size is None or trips is None or whole.low is None:
            return None
        loops: tuple[Loop, ...] = ()
        one, each = whole._replace(size=size, type=mapper.variable.type), _EACH[len(within)]
        if trips.constant != 1:
            bounds = LoopRange(each, ZERO, trips - 1, 1, ast.Compound(Span(0, 0), ()))
            loops, one = (Loop(bounds, self.conditions, False),), one._replace(low=whole.low + Poly.of(each) * size)
        outer, self.frame.placed = self.frame.placed, {**self.frame.placed, mapper.variable: one}
        self.loops += loops
        listed = self._listed(mapped, one, (*within, mapper))
        self.frame.placed = outer
        del self.loops[len(self.loops) - len(loops) :]
        if listed is None:
            return None
        kinds = {part.kind for part, _ in listed if self._is_part(part, one)}
        kind = mapped.kind if mapped.kind in _ENDS else all_of(kinds)
        whole_item = mapped._replace(kind=kind, modifiers=_without_mapper(mapped.modifiers), explicit=False)
        return [(whole_item, ()), *[(part, loops + inner) for part, inner in listed if not self._is_part(part, one)]]

    def _is_part(self, part: Mapped, one: Loc) -> bool:
        """Whether the item lies in the structure; the next element of an array of structures does not."""
        whole = Range(one.low, one.high)
        within = [not apart(whole, Range(loc.low, loc.high), self.positive) for loc in part.locs if loc.obj == one.obj]
        return any(within)

    def _listed(self, mapped: Mapped, one: Loc, within: tuple[Mapper, ...]) -> list[Part] | None:
        """What the innermost of the mappers lists, by the mappers that it names itself."""
        found: list[Part] = []
        mapper = within[-1]
        outer = _without_mapper(mapped.modifiers)
        for kind, modifiers, item in mapper.items:
            locs = self.places(item.expr)
            part = mapped._replace(locs=locs, kind=both(mapped.kind, kind), modifiers=outer + modifiers, explicit=False)
            if locs == [one]:  # the variable itself: its bytes
                inner = isinstance(one.type, Record) and self._by_default(one.type) - {mapper.uid}
                parts: list[Part] | None = None if inner else [(part, ())]
            else:
                parts = self.parts(part, within)
            if parts is None or not locs:
                return None
            found += parts
        return found


def _without_mapper(modifiers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([m for m in modifiers if not m.startswith("mapper")])


def both(asked: str, listed: str) -> str:
    """The map type of what a mapper lists as `listed` in an item of type `asked` (5.2 table 5.3)."""
    return asked if asked in _ENDS else map_type(*[asked in some and listed in some for some in (IN, OUT)])


def all_of(kinds: Collection[str]) -> str:
    """The map type of what is listed several times: with `to` and `from` it goes both ways."""
    return map_type(*[any(kind in some for kind in kinds) for some in (IN, OUT)])


def _inside(record: Record) -> set[int]:
    """The structures that are members of one, and itself."""
    return {inner.uid for inner in held(record) if isinstance(inner, Record)}
