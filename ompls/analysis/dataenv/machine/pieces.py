"""One of several pieces of storage: what a region maps through a pointer that may lead to any of them.

`map(to: p[0:n])` maps what `p` points to, whichever that is: in the region it is a piece of its own, which is then as
any of them was.
"""

from __future__ import annotations

from typing import NamedTuple

from ompls.analysis.dataenv.machine.cases import MOST_CASES, joined_cases
from ompls.analysis.dataenv.machine.constructs import Constructs
from ompls.analysis.dataenv.machine.values import Cell, Obj, Pointers, Target
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Pointer, Record
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Region


class Piece(NamedTuple):
    """The object that stands for one of those that a pointer may lead to, and where the pointer is."""

    obj: Obj
    cell: Cell
    value: Pointers


class Pieces(Constructs):
    """`told_apart` makes them, `put_back` ends that."""

    def told_apart(self, region: Region) -> list[Piece]:
        """For each pointer by which the region maps a section, and which may lead to several objects."""
        assert self.now is not None
        found: list[Piece] = []
        symbols = [s for c in region.directive.all("map") for i in c.items if (s := _pointer(i.expr)) is not None]
        for symbol in dict.fromkeys(symbols):
            cell = self.variable(symbol), 0
            value = self.now.cells.get(cell)
            if not isinstance(value, frozenset) or not self.several(value) or self.met_otherwise(region, symbol, value):
                continue
            objs = {t.obj for t in value}
            known = [self.cases_of(o) for o in objs]
            cases = frozenset([case for c in known for case in c or () if not case.freed])
            if None in known or not 0 < len(cases) <= MOST_CASES:
                continue
            sizes, offsets = {o.size for o in objs}, {t.offset for t in value}
            one = Obj(
                "heap", ("one of", symbol.name, region.directive.span.start, frozenset(objs)), symbol.name,
                size=sizes.pop() if len(sizes) == 1 else None,
            )  # fmt: skip
            self.now.cases[one] = cases
            self.now.cells[cell] = frozenset([Target(one, offsets.pop() if len(offsets) == 1 else None)])
            found.append(Piece(one, cell, value))
        return found

    def several(self, value: Pointers) -> bool:
        """Whether it is one of several pieces of allocated storage."""
        heap = all(t.obj.kind == "heap" for t in value)
        return heap and (len(value) > 1 or any(self.in_part(t) for t in value))

    def met_otherwise(self, region: Region, symbol: Symbol, value: Pointers) -> bool:
        """Whether something else in the region leads to one of these for certain: it may be the same piece."""
        assert self.now is not None
        objs = {t.obj for t in value}
        for variable in region.variables:
            if variable.symbol is symbol:
                continue
            obj = self.variable(variable.symbol)
            held = [v for c, v in self.scanned().items() if c[0] == obj and isinstance(v, frozenset)]
            simple = isinstance(variable.symbol.type, Pointer) and not isinstance(variable.symbol.type.to, Pointer)
            reached = {t.obj for v in held for t in v if not (simple and self.several(v))}
            further = [v for c, v in self.scanned().items() if c[0] in reached and isinstance(v, frozenset)]
            inner = {t.obj for v in further for t in v}
            if objs & (reached | inner):
                return True
        return False

    def put_back(self, found: list[Piece]) -> None:
        """After the region: each of the objects is as it was, or as that one is now."""
        for piece in found if self.now is not None else ():
            assert self.now is not None
            for obj in {t.obj for t in piece.value}:
                self.now.cases[obj] = joined_cases(self.cases_of(obj), self.now.cases.get(piece.obj))
            if self.now.cells.get(piece.cell) is not None:
                self.now.cells[piece.cell] = piece.value
            self.gone([piece.obj])


def _pointer(expr: ast.Expr) -> Symbol | None:
    """The pointer of which `p[a:b]` is a section, unless there are pointers in that: to others of the pieces."""
    if not isinstance(expr, ast.Section):
        return None
    base = bare(expr.base)
    if not isinstance(base, ast.Name) or not isinstance(base.type, Pointer) or isinstance(base.type.to, Pointer):
        return None
    fields = base.type.to.body.fields or () if isinstance(base.type.to, Record) else ()
    return None if any(isinstance(f.type, Pointer) for f in fields) else base.symbol
