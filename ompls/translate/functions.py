"""Functions that several translation units share: what a kernel calls and does not find in its own file.

A function with a body and external linkage that `declare target` names becomes a file of its own in the bundle, for
each class; the link step gives it to the kernels of other units that call it (`runtime/functions.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ompls.analysis.model.ast import ExprStmt, FunctionDef, Name, Span, Symbol, VarDecl
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.spec.devices import DeviceSpec
from ompls.translate.ctext import is_const
from ompls.translate.needs import Index, Needs, needs_of
from ompls.translate.problem import Problem


@dataclass
class _Nothing:
    """A directive without clauses."""

    def all(self, *names: str) -> list[Any]:
        return []


@dataclass
class _Call:
    """What `needs_of` asks of a region, for a statement that calls one function."""

    stmt: ExprStmt
    directive: _Nothing = field(default_factory=_Nothing)


@dataclass
class _Plan:
    item: Item
    region: _Call
    params: tuple[()] = ()
    privates: tuple[()] = ()
    globals: tuple[()] = ()


def exported(tu: TU) -> Iterator[tuple[Item, FunctionDef]]:
    """The functions that kernels of other units may call."""
    for item in tu.items:
        f = item.content.node
        if isinstance(f, FunctionDef) and f.symbol.declare_target and f.symbol.storage != "static":
            yield item, f


def needs_of_function(index: Index, item: Item, f: FunctionDef) -> Needs:
    """Everything that the function needs, itself included."""
    call = ExprStmt(Span(0, 0), Name(Span(0, 0), f.symbol.name, f.symbol, type=f.symbol.type))
    return needs_of(index, _Plan(item, _Call(call)))  # type: ignore[arg-type]


def own_variable(f: FunctionDef) -> VarDecl | None:
    """A static variable of the function's own that changes: every kernel file would have another one."""
    found = (n for n in f.body.walk() if isinstance(n, VarDecl) and n.symbol.kind == "var")
    return next((n for n in found if n.symbol.storage == "static" and not is_const(n.symbol.type)), None)


def refuse_copies(units: Iterable[Needs]) -> None:
    """Raises Problem when several kernels would each have a copy of a function's static variable."""
    seen: set[int] = set()
    for needs in units:
        for _, f in needs.functions:
            variable = own_variable(f)
            if variable is not None and id(f) in seen:
                what = f"the static variable '{variable.symbol.name}' of '{f.symbol.name}'"
                why = "several regions call the function, and each kernel would have one of its own"
                raise Problem(None, what, f"{why}; declare it in front of the function, under declare target")
            seen.add(id(f))


def in_other_units(devices: Sequence[DeviceSpec], needs: Needs) -> list[Symbol]:
    """The functions that another unit has to have."""
    found = sorted(needs.externals.items())
    return [s for name, s in found if any(elsewhere(device, name, s) for device in devices)]


def elsewhere(device: DeviceSpec, name: str, s: Symbol) -> bool:
    """Whether a function without a body here is one of another unit, not of the device's library."""
    if not s.declare_target or s.from_system_header or name.startswith("__builtin_"):
        return False
    return device.functions is None or not device.can_call(name)
