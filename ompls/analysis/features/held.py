"""What the variables in sight of a place hold there: a value that the machine knows by how it was made (what a call
gave, what `n` was at the start) is called by the variable that has it now.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.values import Cell, Obj, Value
from ompls.analysis.dataenv.machine.watch import Visit
from ompls.analysis.dataenv.symbolic import Atom, Poly, is_integer
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import CType, Pointer, Record
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import record_layout

Held = dict[Symbol, Value]


def held_by_name(visits: list[Visit], function: str, model: DataModel) -> list[Held]:
    """For each visit the integer variables of `function`, of those that called it and of the file, each name once: the
    one that is meant by it at the place.  Members of structures in sight (`p->n`) are as variables of that name."""
    members: dict[tuple[Symbol, str], Symbol] = {}
    return [_held(visit, function, model, members) for visit in visits]


def _held(visit: Visit, function: str, model: DataModel, members: dict[tuple[Symbol, str], Symbol]) -> Held:
    cells = visit.state.cells
    held: Held = {}
    parts: Held = {}
    for symbol, obj in _in_sight(visit, function).items():
        if is_integer(symbol.type):
            held |= {symbol: cells[obj, 0]} if (obj, 0) in cells else {}
            continue
        for name, t, cell in _members(symbol.type, obj, cells.get((obj, 0)), model):
            if cell in cells:
                member = members.setdefault((symbol, name), Symbol(symbol.name + name, "var", t))
                parts[member] = cells[cell]
    return held | parts


def _in_sight(visit: Visit, function: str) -> dict[Symbol, Obj]:
    found: dict[str, dict[str, Obj]] = {}
    for obj, _ in visit.state.cells:
        if obj.kind == "variable" and obj.symbol is not None and isinstance(obj.key, tuple):
            found.setdefault(obj.key[0], {})[obj.symbol.name] = obj
    named: dict[str, Obj] = {}
    for within in (function, *[call.function for call in reversed(visit.calls)], ""):
        named |= {name: obj for name, obj in found.get(within, {}).items() if name not in named}
    return {obj.symbol: obj for obj in named.values() if obj.symbol is not None}


def _members(t: CType, obj: Obj, value: Value, model: DataModel) -> Iterator[tuple[str, CType, Cell]]:
    """The integer members of a structure, or of the one that a pointer certainly leads to, and where they are."""
    first, arrow = 0, "."
    if isinstance(t, Pointer) and isinstance(value, frozenset) and len(value) == 1:
        target = next(iter(value))
        start = target.offset.constant if target.offset is not None else None
        if start is None or target.every:
            return
        t, obj, first, arrow = t.to, target.obj, start, "->"
    if isinstance(t, Record) and t.kind == "struct":
        for field, bit in record_layout(t, model)[2]:
            if field.name and field.bits is None and is_integer(field.type):
                yield f"{arrow}{field.name}", field.type, (obj, first + bit // 8)


def in_variables(value: Poly, held: list[Held]) -> Poly | None:
    """`value` in what variables hold at the place whenever the program comes there; None where none has it."""
    found: dict[Atom, Poly] = {}
    for atom in value.atoms():
        now = _name_of(atom, held)
        if now is None:
            return None
        found[atom] = now
    return value.substitute(found)


def _name_of(atom: Atom, held: list[Held]) -> Poly | None:
    """The atom itself where it is a variable that has not changed; or a variable that differs from it by a number."""
    if isinstance(atom, Symbol) and all(_is_itself(atom, now) for now in held):
        return Poly.of(atom)
    for symbol in held[0]:
        apart = {_apart(atom, now.get(symbol)) for now in held}
        if len(apart) == 1 and (more := apart.pop()) is not None:
            return Poly.of(symbol) - more
    return None


def _is_itself(symbol: Symbol, now: Held) -> bool:
    if symbol in now:
        return now[symbol] == Poly.of(symbol)
    return all(other.name != symbol.name for other in now)


def _apart(atom: Atom, value: Value) -> int | None:
    return (value - Poly.of(atom)).constant if isinstance(value, Poly) else None
