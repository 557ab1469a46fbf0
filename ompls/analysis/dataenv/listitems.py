"""List items that their clause cannot take (OpenMP 5.2 §3.2.1, §5.4 to §5.6): no compiler does."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.designators import is_part, is_value, misfit, value_in
from ompls.analysis.model.ast import Index, Member, Name, Section, Shaping, Symbol, Unary
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Integer, Record, innermost
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.model.peel import bare
from ompls.analysis.spec import clauses_of, is_declarative
from ompls.analysis.spec.data_clauses import LOCATORS, LVALUES, PARTS, REDUCING, STORAGE, WHOLE, WRITING

_KINDS = {"func": "a function", "enumconst": "a constant", "typedef": "a type"}
_REACHED = LOCATORS | LVALUES | PARTS
_NO_STORAGE = ("sink", "source")  # dependences of `depend` that are between iterations
_VALUES = (Enum, Floating, Integer, Record)  # neither a pointer nor an array
# Types that a variable in a clause may not have, and what is said of one.
_TYPES: dict[str, tuple[tuple[type[CType], ...], str]] = {
    "linear": ((Array, Record, Floating), "no integer and no pointer; `linear` counts with these"),
    "aligned": (_VALUES, "no pointer and no array; `aligned` speaks of what these lead to"),
    "is_device_ptr": (_VALUES, "no pointer and no array; `has_device_addr` takes what is itself on the device"),
    "use_device_ptr": ((*_VALUES, Array), "no pointer; `use_device_addr` takes what is itself on the device"),
}


def unfit_items(directive: Directive, of: frozenset[str] = STORAGE) -> Iterator[tuple[Clause, ListItem, str]]:
    """Each with its clause and what is wrong; of declarations, which speak of functions and parameters, none."""
    if is_declarative(directive.name):
        return
    reduced: dict[Symbol, ListItem] = {}
    for clause in directive.clauses:
        if clause.name not in of or clause.name not in clauses_of(directive.name) or clause.broken:
            continue
        for item in clause.items:
            message = _problem(clause, item) or (_second(reduced, item) if clause.name in REDUCING else "")
            if message:
                yield clause, item, message


def _problem(clause: Clause, item: ListItem) -> str:
    e = item.expr
    if isinstance(e, Name):
        return _of_variable(clause, e, item.symbol) if item.symbol is not None else ""  # `undeclared-name` says so
    if clause.name in WHOLE and isinstance(bare(e), (Index, Section, Member)):
        return f"`{clause.name}` takes whole variables, not a part of one"
    value = bare(e) if clause.name in WHOLE and isinstance(bare(e), (Unary, Shaping)) else value_in(e)
    if clause.name in LVALUES:
        value = bare(e) if is_value(e) and clause.keyword not in _NO_STORAGE else None
    if value is not None and value is bare(e):
        return f"`{item.text}` is an expression; `{clause.name}` takes {_takes(clause)}"
    if value is not None:
        named = "give its value a name, as a variable of its own"
        return f"`{item.text}` goes through an expression; `{clause.name}` takes {_takes(clause)}: {named}"
    if clause.name in PARTS and not is_part(e):
        return f"`{item.text}` is no variable and no part of an array; `{clause.name}` takes {_takes(clause)}"
    wrong = misfit(e, sized=clause.name not in LVALUES) if clause.name in _REACHED else ""
    return f"`{item.text}` {wrong}" if wrong else ""


def _of_variable(clause: Clause, e: Name, symbol: Symbol) -> str:
    if symbol.kind in _KINDS:
        return f"`{e.name}` is {_KINDS[symbol.kind]}; `{clause.name}` takes variables"
    if clause.name in WRITING and _constant(symbol.type):
        return f"`{e.name}` is const, so a copy of it could not be written: `{clause.name}` cannot take it"
    if clause.name in LVALUES and symbol.storage == "register":
        return f"`{e.name}` is a register variable, which has no address; `{clause.name}` goes by addresses"
    wrong, instead = _TYPES.get(clause.name, ((), ""))
    return f"`{e.name}` is {instead}" if isinstance(symbol.type, wrong) else ""


def _takes(clause: Clause) -> str:
    return "variables" if clause.name in WHOLE else "variables and array sections"


def _constant(t: CType) -> bool:
    return "const" in innermost(t).quals


def _second(reduced: dict[Symbol, ListItem], item: ListItem) -> str:
    """gcc takes one part of a variable, as it has one private copy of it, and clang adds up wrong."""
    if item.symbol is None or (before := reduced.setdefault(item.symbol, item)) is item:
        return ""
    if isinstance(item.expr, Name) and isinstance(before.expr, Name):
        return ""  # `listed-twice` says so
    why = f"compilers take one part of `{item.symbol.name}`: list a section that has both"
    return f"`{before.text}` is reduced here, too, and {why}"
