"""Calls that are not followed: what other code may do to what it can reach."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from ompls.analysis.dataenv.machine.copies import Copies, outside_copy
from ompls.analysis.dataenv.machine.values import Obj, Site, Target, Value
from ompls.analysis.dataenv.machine.walk import Walker
from ompls.analysis.dataenv.paths import points_to_const
from ompls.analysis.dataenv.symbolic import ZERO, Opaque, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.ctype import CType, Function, Pointer
from ompls.analysis.spec.known import KNOWN

NOWHERE = Site("", Span(0, 0))
# Functions that are known although their header was not read.
_HARMLESS = frozenset(name for name, row in KNOWN.items() if not row.foreign)


def is_harmless(name: str) -> bool:
    """Whether a function of that name, if it is not the unit's own, maps nothing."""
    return name in _HARMLESS or name.startswith(("omp_", "__builtin_", "__sync_", "__atomic_"))


class Outside(Walker):
    """`routine_call` for functions that map nothing, `unknown_call` for those that may."""

    def result(self, expr: ast.Call) -> Value:
        """What a call gives that is not followed: a value of its own."""
        if is_integer(expr.type):
            return self.unknown(expr)
        return None

    def routine_call(self, expr: ast.Call, args: list[Value]) -> None:
        """A function that maps nothing; it may read and write what its arguments point to."""
        params = _params(expr)
        for i, value in enumerate(args):
            if isinstance(value, frozenset) and not (i < len(params) and points_to_const(params[i])):
                (self.soften if self.region is None else self.soften_devices)(value)
                self.unknown_cells(value, expr)
            if isinstance(value, frozenset):
                self.soften_devices(frozenset([t for t in value if t.obj.kind == "lent"]))

    def unknown_call(self, expr: ast.Call, args: list[Value]) -> None:
        """Another translation unit's code: it may map what it can reach, unless a device runs it."""
        assert self.now is not None
        self.beyond.add("calls")
        reached = self.reachable(args)  # also through what may be overwritten
        self.routine_call(expr, args)
        if self.region is not None:
            self.soften_devices(frozenset([Target(obj, None) for obj in reached]))
            return
        device = self.now.device or ZERO
        unknown = frozenset((Copies(copies=(outside_copy(device, NOWHERE),)),))
        for obj in reached:
            cases = self.cases_of(obj)
            if cases is None or any(c.freed or any(k.forever for k in c.copies) for c in cases):
                self.now.cases[obj] = None
            else:
                self.now.cases[obj] = unknown
        for cell in [c for c in self.scanned() if c[0].symbol is not None and c[0].symbol.level == "file"]:
            value = self.now.cells[cell]
            if isinstance(value, Poly) and cell[0].symbol is not None and cell[0].symbol.storage != "static":
                atom = Opaque(f"{cell[0].name}@{self.frame.name}@{expr.span.start}", None, ())
                self.now.cells[cell] = Poly.of(atom)

    @abstractmethod
    def shared_variables(self) -> Iterable[Symbol]:
        """The variables at file scope that the program names."""

    def reachable(self, args: list[Value]) -> set[Obj]:
        """What arguments and variables at file scope lead to."""
        assert self.now is not None
        found: set[Obj] = {
            c[0] for c in self.scanned() if c[0].symbol is not None and c[0].symbol.level == "file"
        }  # fmt: skip
        found |= {o for o in self.now.cases if o.symbol is not None and o.symbol.level == "file"}
        found |= {self.variable(symbol) for symbol in self.shared_variables()}  # also what nothing has come by
        found |= {t.obj for v in args if isinstance(v, frozenset) for t in v}
        held: dict[Obj, list[Obj]] = {}
        for (obj, _), value in self.scanned().items():
            if isinstance(value, frozenset):
                held.setdefault(obj, []).extend(t.obj for t in value)
        waiting = list(found)
        while waiting:
            for obj in held.get(waiting.pop(), ()):
                if obj not in found:
                    found.add(obj)
                    waiting.append(obj)
        return {o for o in found if o.kind != "null"}


def _params(expr: ast.Call) -> tuple[CType, ...]:
    function = expr.function.type
    if isinstance(function, Pointer):
        function = function.to
    return function.params if isinstance(function, Function) else ()
