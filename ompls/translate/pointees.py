"""Pointers in `declare target` variables that begin with the address of another variable.

The bytes that a device gets when it is opened are the host's; the runtime puts the device's address of the variable in
the place of each of these pointers (OpenMP 5.2 section 7.8.1: the initial value is the one of a device's own variable).
It is told the variable, too: an address behind the last element may be the one at which another variable begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Array, CType, Pointer, Record
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import record_layout, sizeof
from ompls.analysis.model.peel import bare
from ompls.translate.needs import Index
from ompls.translate.problem import Problem
from ompls.translate.slots import is_counted, read
from ompls.translate.symbols import is_global


def pointers_in(index: Index) -> list[tuple[str, str]]:
    """The places of the pointers and their variables ("0": not known), as C text for the end of the host's file."""
    out: list[tuple[str, str]] = []
    for name, (item, d) in index.variables.items():
        s = index.tu.symbols.get(name)
        if s is None or d.init is None or not is_global(index.tu, s) or s.declare_target == "link":
            continue
        for at, value in _pointers(d.init, s.type, item.content.text, index.tu.model):
            variable = _variable(value, index.tu.model)
            if variable is not None:
                out.append((f"(char *)&{name} + {at}" if at else f"(void *)&{name}", variable))
    return out


def leads_to_literals(d: ast.VarDecl, text: bytes, model: DataModel) -> bool:
    """Whether a pointer in the variable begins with the address of a compound literal."""
    values = (value for _, value in _pointers(d.init, d.symbol.type, text, model)) if d.init is not None else ()
    return any(isinstance(n, ast.CompoundLiteral) for value in values for n in addressed(value))


def addressed(value: ast.Expr) -> Iterator[ast.Expr]:
    """What a pointer with this value leads to, as far as it is named: literals, variables and functions."""
    waiting: list[ast.Node] = [value]
    while waiting:
        n = waiting.pop()
        if isinstance(n, (ast.StringLiteral, ast.CompoundLiteral, ast.Name)):
            yield n
        elif not isinstance(n, (ast.SizeOf, ast.Call)):
            waiting += n.children()


def _variable(value: ast.Expr, model: DataModel) -> str | None:
    """The variable that the pointer leads to; None: to none, or to an empty one, which has no address of its own."""
    found = {n.name: n.symbol for n in addressed(value) if isinstance(n, ast.Name) and n.symbol is not None}
    variables = {name: s.type for name, s in found.items() if s.kind == "var" and sizeof(s.type, model) != 0}
    return f"(void *)&{next(iter(variables))}" if len(variables) == 1 else "0" if variables else None


def _pointers(init: ast.Expr, t: CType, text: bytes, model: DataModel) -> Iterator[tuple[int, ast.Expr]]:
    """The offsets and values of the pointers in an object of type `t` that has this initializer."""
    plain = bare(init)
    if isinstance(plain, ast.CompoundLiteral) and isinstance(t, (Array, Record)):  # gcc takes it as an initializer
        init, t = plain.init, plain.of
    if not isinstance(init, ast.InitList):
        yield from [(0, init)] if isinstance(t, Pointer) else []
        return
    try:
        slot = read(init, t, text)
    except Problem:
        return  # regions that use it are refused
    waiting = [(0, slot)]
    while waiting:
        at, slot = waiting.pop()
        if slot.value is not None:
            yield from ((at + k, value) for k, value in _pointers(slot.value, slot.type, text, model))
        elif slot.parts:
            begin = _begins(slot.type, model)
            waiting += [(at + begin(k), part) for k, part in slot.parts.items()]


def _begins(t: CType, model: DataModel) -> Callable[[int], int]:
    """Where the k-th part of an object begins, as `Slot` counts them."""
    if isinstance(t, Array):
        size = sizeof(t.of, model) or 0
        return lambda k: k * size
    assert isinstance(t, Record)
    places = [bit // 8 for f, bit in record_layout(t, model)[2] if is_counted(f)]
    return places.__getitem__
