"""Pointers in `declare target` variables that begin with the address of another variable.

The bytes that a device gets when it is opened are the host's; the runtime puts the device's address of the variable in
the place of each of these pointers (OpenMP 5.2 section 7.8.1: the initial value is the one of a device's own variable).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ompls.analysis.dataenv.paths import holds_pointers
from ompls.analysis.model.ctype import Array, CType, Pointer, Record
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import record_layout, sizeof
from ompls.translate.needs import Index
from ompls.translate.symbols import is_global
from ompls.translate.uses import names_in

MOST = 1 << 16  # pointers of one variable


def pointers_in(index: Index) -> list[str]:
    """The places of the pointers, as C text for the end of the host's file."""
    out: list[str] = []
    for name, (_, d) in index.variables.items():
        s = index.tu.symbols.get(name)
        if s is None or d.init is None or not is_global(index.tu, s) or s.declare_target == "link":
            continue
        if not any(n.symbol is not None and n.symbol.kind == "var" for n in names_in(d.init)):
            continue
        for k, at in enumerate(_places(s.type, index.tu.model)):
            if k >= MOST:
                break
            out.append(f"(char *)&{name} + {at}" if at else f"(void *)&{name}")
    return out


def _places(t: CType, model: DataModel) -> Iterator[int]:
    """The offsets of the pointers in an object of type `t`, in bytes."""
    if isinstance(t, Pointer):
        yield 0
    elif isinstance(t, Array):
        inside, size = list(islice(_places(t.of, model), MOST)), sizeof(t.of, model) or 0
        for k in range(t.length or 0) if inside else ():
            yield from (k * size + at for at in inside)
    elif isinstance(t, Record):
        for f, bit in record_layout(t, model)[2]:
            if holds_pointers(f.type):
                yield from (bit // 8 + at for at in _places(f.type, model))
