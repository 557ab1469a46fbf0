"""What a walk knows of the translation unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.tu import Content


@dataclass(frozen=True, slots=True)
class Program:
    """What a walk knows of the translation unit.

    functions -- definitions by name; symbols -- the file scope at its end; mappers -- whether it declares mappers
    variants -- functions whose calls may go elsewhere; local -- variables of which every device has its own
    """

    functions: Mapping[str, Content]
    symbols: Mapping[str, Symbol]
    mappers: bool = False
    variants: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()
    late: Callable[[], bool] = lambda: False  # whether there is no time left
    rings: dict[str, int] = field(default_factory=dict)  # made when it is asked for

    @property
    def around(self) -> tuple[object, ...]:
        """What every walk depends on."""
        return self.mappers, self.variants, self.local

    def call_each_other(self, caller: str, callee: str) -> bool:
        """Whether the callee may come to call the caller: such calls multiply, and are not followed."""
        if not self.rings:
            self.rings.update(rings(self.functions))
        return caller == callee or (caller in self.rings and self.rings[caller] == self.rings.get(callee))


def rings(functions: Mapping[str, Content]) -> dict[str, int]:
    """A number for each function, the same for those that call each other (Tarjan's algorithm, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    ring: dict[str, int] = {}
    open_ones: list[str] = []
    for root in functions:
        work = [(root, iter(functions[root].calls))] if root not in order else []
        if work:
            order[root] = low[root] = len(order)
            open_ones.append(root)
        while work:
            name, rest = work[-1]
            symbol = next(rest, None)
            if symbol is not None:
                called = symbol.name
                if called in functions and called not in order:
                    order[called] = low[called] = len(order)
                    open_ones.append(called)
                    work.append((called, iter(functions[called].calls)))
                elif called in order and called not in ring:
                    low[name] = min(low[name], order[called])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[name])
            if low[name] == order[name]:
                while ring.get(name) is None:
                    ring[open_ones.pop()] = order[name]
    return ring
