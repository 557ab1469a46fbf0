"""What the variables in sight of a place hold there: a value that the machine knows by how it was made (what a call
gave, what `n` was at the start) is called by the variable that has it now.
"""

from __future__ import annotations

from ompls.analysis.dataenv.machine.values import Value
from ompls.analysis.dataenv.machine.watch import Visit
from ompls.analysis.dataenv.symbolic import Atom, Poly, is_integer
from ompls.analysis.model.ast import Symbol

Held = dict[Symbol, Value]


def held_by_name(visit: Visit, function: str) -> Held:
    """The integer variables of `function`, of those that called it and of the file, each name once: the one that is
    meant by it at the place."""
    found: dict[str, dict[str, tuple[Symbol, Value]]] = {}
    for (obj, at), value in visit.state.cells.items():
        symbol = obj.symbol if obj.kind == "variable" and at == 0 else None
        if symbol is not None and is_integer(symbol.type) and isinstance(obj.key, tuple):
            found.setdefault(obj.key[0], {})[symbol.name] = symbol, value
    named: dict[str, tuple[Symbol, Value]] = {}
    for within in (function, *[call.function for call in reversed(visit.calls)], ""):
        named |= {name: one for name, one in found.get(within, {}).items() if name not in named}
    return dict(named.values())


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
