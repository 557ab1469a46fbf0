"""What a walk knows of the translation unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ompls.analysis.dataenv.machine.shared import Shared
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.tu import Content


@dataclass(frozen=True, slots=True)
class Program:
    """What a walk knows of the translation unit.

    functions -- definitions by name; symbols -- the file scope at its end; mappers -- whether it declares mappers
    variants -- functions whose calls may go elsewhere; local -- variables of which every device has its own
    shared -- for what is kept of its calls
    """

    functions: Mapping[str, Content]
    symbols: Mapping[str, Symbol]
    mappers: bool = False
    variants: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()
    late: Callable[[], bool] = lambda: False  # whether there is no time left
    shared: Shared = field(default_factory=Shared)

    @property
    def around(self) -> tuple[object, ...]:
        """What every walk depends on."""
        return self.mappers, self.variants, self.local
