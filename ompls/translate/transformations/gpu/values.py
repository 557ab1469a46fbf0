"""Initial values and compound literals: what C converts silently in braces, C++ wants to be cast."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Integer, Record
from ompls.analysis.model.literals import units
from ompls.translate.ctext import element_of
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part
from ompls.translate.slots import is_designated, leaves, read
from ompls.translate.transformations.gpu.initializers import printed
from ompls.translate.transformations.gpu.pointers import has_own_type
from ompls.translate.transformations.gpu.sizes import fits

if TYPE_CHECKING:
    from ompls.translate.transformations.gpu.dialect import Dialect


def declaration(d: Dialect, v: ast.VarDecl) -> None:
    """Add the edits for the initial value of a variable."""
    t = v.symbol.type
    if isinstance(v.init, ast.InitList):
        initializer(d, v.init, t, v.symbol)
    elif isinstance(v.init, ast.StringLiteral) and isinstance(t, Array):
        _characters(d, v.init, t)
    elif v.init is not None:
        d.convert(v.init, t, v.name_span)


def compound_literal(d: Dialect, n: ast.CompoundLiteral) -> None:
    """A temporary of C++, or where the object has to outlive the expression a variable of the block."""
    initializer(d, n.init, n.of)
    keeps = isinstance(n.of, Array) or id(n) in d.addressed
    value: list[Part] = [n.init.span]
    if isinstance(n.of, Array):
        kind = f"ompls_array<{d.types.cxx(unqualified(n.of.of))}, {n.of.length}>"
        value = [kind, "{", n.init.span, "}"]
    elif isinstance(n.of, Record):
        if not d.types.has_name(n.of) and any(d.types.is_local(t) for t in _members(n.of)):
            raise Problem(n.span, "a compound literal of an unnamed type", "it has members of a type of this block")
        if keeps and d.types.is_local(n.of):
            why = "it lives as long as the block, which has no name for its type yet: give it a variable"
            raise Problem(n.span, "the address of a compound literal of a type of this block", why)
        kind = d.types.cxx(unqualified(n.of))
        value = [re.sub(r"^(struct|union) ", "", kind), n.init.span]
    else:
        kind = d.types.cxx(unqualified(n.of))
        value = [f"({kind})(", n.init.elements[0].span, ")"] if n.init.elements else [f"{kind}()"]
    if keeps and d.declared is not None:
        name = f"ompls_literal_{n.span.start}"
        d.declared.append(f"\n{kind} {name};  // a compound literal lives as long as its block")
        value = [f"({name} = ", *value, ")", ".v" if isinstance(n.of, Array) else ""]
    d.rw.replace(n.span, *value)


def _members(t: Record) -> Iterator[CType]:
    """What it consists of, at any depth, but for structures and unions without names."""
    for f in t.body.fields or ():
        inner = f.type
        while (deeper := element_of(inner)) is not None:
            inner = deeper
        if isinstance(inner, Record) and not inner.tag:
            yield from _members(inner)
        yield inner


def initializer(d: Dialect, init: ast.InitList, t: CType, of: Symbol | None = None) -> None:
    """`{…}` for `t`: designators become positions, and C's silent conversions become casts."""
    if not init.elements:
        return
    slot = read(init, t, d.rw.text)
    for e, kind in leaves(slot):
        _element(d, e, kind)

    def name_of(kind: CType) -> str:
        if d.types.has_name(kind):
            return d.types.cxx(unqualified(kind))
        if of is None or kind != of.type or of.type.quals:
            raise Problem(init.span, "an initializer of an unnamed type", "CUDA C++ cannot name it")
        return f"ompls_typeof({of.name})"

    if is_designated(init, d.rw.text):
        d.rw.replace(init.span, *printed(slot, name_of))


def _element(d: Dialect, e: ast.Expr, t: CType) -> None:
    if isinstance(e, ast.StringLiteral) and isinstance(t, Array):
        _characters(d, e, t)
    elif fits(e, t):
        pass
    elif isinstance(t, (Integer, Floating)) and isinstance(e.type, (Integer, Floating, Enum)) and e.type != t:
        d.cast(e, t)  # C++ rejects narrowing in braces
    else:
        d.convert(e, t)


def _characters(d: Dialect, e: ast.StringLiteral, t: Array) -> None:
    """C leaves out the terminating null where it does not fit, C++ wants room for it."""
    all_units = [*units(e.text), 0]
    cut = t.length is not None and t.length == len(all_units) - 1
    if cut or has_own_type(e):
        kind = d.types.cxx(unqualified(t.of))
        d.rw.replace(e.span, "{" + ", ".join(f"({kind}){u}" for u in all_units[: -1 if cut else None]) + "}")
