"""What a call does to memory, of a function that the table of known functions has (`spec/known.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ompls.analysis.model import ast
from ompls.analysis.model.constants import fold
from ompls.analysis.spec.known import KNOWN, Arg, Known


def known_of(call: ast.Call) -> Known | None:
    """The row for the function that a call names.  Whether the program defines it itself is for the caller to see."""
    function = call.function
    row = KNOWN.get(function.name) if isinstance(function, ast.Name) else None
    if row is None or not isinstance(function, ast.Name):
        return None
    symbol = function.symbol
    if symbol is None:
        return None if row.foreign else row
    return row if symbol.kind == "func" and (symbol.from_system_header or not row.foreign) else None


def count_of(call: ast.Call, arg: Arg, element: int | None) -> int:
    """How many elements of so many bytes the call touches for certain behind the argument, one after the other."""
    sizes = [fold(call.args[at]) for at in arg.size if at < len(call.args)]
    if not (arg.exact and sizes and element) or None in sizes:
        return 1
    return max(1, prod(size for size in sizes if size is not None) // element)


def touched_by(call: ast.Call, row: Known) -> Iterator[tuple[Arg, bool]]:
    """The arguments that lead to memory which the call reads, or (True) writes; none of which it touches no byte."""
    count = len(call.args)
    for args, write in ((row.reads, False), (row.writes, True)):
        for arg in args:
            if arg.at < count and not any(at < count and fold(call.args[at]) == 0 for at in arg.size):
                yield arg, write
    if row.rest:
        behind = max(arg.at for arg in row.reads) + 1
        yield from ((Arg(at, sure=row.rest == "writes"), row.rest == "writes") for at in range(behind, count))
