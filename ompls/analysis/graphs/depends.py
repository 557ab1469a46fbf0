"""The `depend` clauses of a construct as kinds and storage: list items, iterators, depend objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ompls.analysis.graphs.evaluated import Address, Frame
from ompls.analysis.graphs.here import Here
from ompls.analysis.graphs.order import ALL_MEMORY, Depend
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.omp import Clause, Directive

_ITERATOR = re.compile(r"iterator\s*\((.*)\)\s*$", re.S)


class Depends:
    """`spend` counts a step."""

    def __init__(self, spend: Callable[[Span], None]) -> None:
        self._spend = spend
        self._objects: dict[Address, list[tuple[str, Address]]] = {}

    def of(self, d: Directive, here: Here, f: Frame) -> list[Depend]:
        return [depend for c in d.all("depend") for depend in self._of_clause(c, here, f)]

    def _of_clause(self, c: Clause, here: Here, f: Frame) -> Iterator[Depend]:
        if any(m.startswith("iterator") for m in c.modifiers):
            yield from self._iterated(c, here, f)
            return
        for item in c.items:
            if item.text == "omp_all_memory":
                yield c.keyword, ALL_MEMORY, item.text
                continue
            place = here.place(item.expr, item.text, f)
            if c.keyword != "depobj":
                yield c.keyword, place, item.text
                continue
            if place not in self._objects:
                raise here.fail(
                    item.span, f"what the depend object `{item.text}` stands for is not known when compiling"
                )
            for kind, there in self._objects[place]:
                yield kind, there, item.text

    def _iterated(self, c: Clause, here: Here, f: Frame) -> Iterator[Depend]:
        """`iterator(i = 0:n, j = 0:m:2)`: the items for all values."""
        written = next(m for m in map(_ITERATOR.match, c.modifiers) if m is not None)[1]
        names = {n.name: n.symbol for i in c.items for n in i.expr.walk() if isinstance(n, ast.Name) and n.symbol}
        ranges = list(self._ranges(written, names, c, here, f))
        plain = Clause(c.name, c.span, c.name_span, c.keyword, c.keyword_span, (), c.items)

        def deeper(k: int) -> Iterator[Depend]:
            if k == len(ranges):
                yield from self._of_clause(plain, here, f)
                return
            symbol, numbers = ranges[k]
            for v in numbers:
                self._spend(c.span)
                if symbol is not None:
                    f[symbol] = v
                yield from deeper(k + 1)

        yield from deeper(0)

    @staticmethod
    def _ranges(
        written: str, names: dict[str, Symbol], c: Clause, here: Here, f: Frame
    ) -> Iterator[tuple[Symbol | None, range]]:
        bounds = iter(c.within)
        for part in written.split(","):
            head, _, rest = part.partition("=")
            name = (head.split() or [""])[-1]
            given = [e for _ in rest.split(":") if (e := next(bounds, None)) is not None]
            values = [here.known(e, f, f"the iterator `{name}`") for e in given]
            numbers = [v for v in values if isinstance(v, int)]
            if len(numbers) not in (2, 3) or len(numbers) != rest.count(":") + 1 or numbers[2:] == [0]:
                raise here.fail(c.span, f"the iterator `{name}` could not be read")
            yield names.get(name), range(*numbers)

    def keep(self, d: Directive, here: Here, f: Frame) -> None:
        init = d.clause("init")
        for target in (*d.args, *(init.items if init is not None else ())):
            place = here.place(target.expr, target.text, f)
            update = d.clause("update")
            if d.clause("destroy"):
                self._objects.pop(place, None)
            elif update is not None:
                self._objects[place] = [(update.keyword, there) for _, there in self._objects.get(place, [])]
            else:
                self._objects[place] = [(kind, there) for kind, there, _ in self.of(d, here, f)]
