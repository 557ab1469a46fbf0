"""What a walk knows of the translation unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ompls.analysis.dataenv.machine.shared import Shared
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Record
from ompls.analysis.model.datamodel import LP64, DataModel
from ompls.analysis.model.omp import ListItem
from ompls.analysis.model.tu import Content


class Mapper(NamedTuple):
    """A `declare mapper` at file scope; `items` are what it maps: (map type, modifiers, list item) each."""

    name: str
    variable: Symbol
    items: tuple[tuple[str, tuple[str, ...], ListItem], ...]

    @property
    def uid(self) -> int | None:
        """The structure's."""
        return self.variable.type.uid if isinstance(self.variable.type, Record) else None

    @property
    def said(self) -> tuple[object, ...]:
        """What it means: equal for the same text."""
        return self.name, self.uid, tuple([(kind, modifiers, item.text) for kind, modifiers, item in self.items])


@dataclass(frozen=True, slots=True)
class Program:
    """What a walk knows of the translation unit.

    functions -- definitions by name; symbols -- the file scope at its end; mappers -- whether it declares mappers that
    are not followed; mapping -- those that are
    variants -- functions whose calls may go elsewhere; local -- variables of which every device has its own
    attached -- pointer members of structures that something attaches on a device, by name; None: any may be
    shared -- for what is kept of its calls
    around -- what every walk depends on
    """

    functions: Mapping[str, Content]
    symbols: Mapping[str, Symbol]
    mappers: bool = False
    mapping: tuple[Mapper, ...] = ()
    variants: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()
    attached: frozenset[str] | None = None
    late: Callable[[], bool] = lambda: False  # whether there is no time left
    shared: Shared = field(default_factory=Shared)
    model: DataModel = LP64
    around: tuple[object, ...] = field(init=False)

    def __post_init__(self) -> None:
        said = tuple([m.said for m in self.mapping])
        around = (self.model, self.mappers, self.variants, self.local, self.attached, said)
        object.__setattr__(self, "around", around)
