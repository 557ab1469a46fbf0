"""Initializers of C as those of C++: designators become positions, union members become assignments.

A list without designators is left as the user wrote it, because C++ reads it alike.
"""

from __future__ import annotations

from collections.abc import Callable

from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Integer, Pointer, Record
from ompls.translate.rewrite import Part
from ompls.translate.slots import Slot, members


def printed(slot: Slot, name_of: Callable[[CType], str]) -> list[Part]:
    """C++ for the initializer of `slot`: braces, or an expression.  Edits of the values are made by whoever calls."""
    if slot.value is not None:
        return [slot.value.span]
    if _needs_assignment(slot):
        whole = Slot(slot.type, parts={k: p for k, p in slot.parts.items() if not _assigned(slot, k)})
        lines: list[Part] = [f"[&] {{ {name_of(slot.type)} ompls_u = ", *_braces(whole, name_of), "; "]
        for k, p in slot.parts.items():
            if _assigned(slot, k):
                lines += _assignments(p, _path(slot, k, "ompls_u"), name_of)
        return [*lines, "return ompls_u; }()"]
    return _braces(slot, name_of)


def _needs_assignment(slot: Slot) -> bool:
    """Whether C++ cannot initialize it in braces: a member of a union that is not the first."""
    if isinstance(slot.type, Record) and slot.type.kind == "union" and slot.parts and 0 not in slot.parts:
        return True
    return any(_needs_assignment(p) for k, p in slot.parts.items() if _is_unnamed(slot, k))


def _is_unnamed(slot: Slot, k: int) -> bool:
    """Whether the k-th part is an anonymous struct or union."""
    return isinstance(slot.type, Record) and not members(slot.type)[k].name


def _assigned(slot: Slot, k: int) -> bool:
    if isinstance(slot.type, Record) and slot.type.kind == "union":
        return True
    return _is_unnamed(slot, k) and _needs_assignment(slot.parts[k])


def _braces(slot: Slot, name_of: Callable[[CType], str]) -> list[Part]:
    if not isinstance(slot.type, (Array, Record)):
        return ["{}"]
    out: list[Part] = ["{"]
    for k in range(max(slot.parts) + 1 if slot.parts else 0):
        out += [", "] if k else []
        out += printed(slot.parts[k], name_of) if k in slot.parts else [_zero(_part_type(slot.type, k))]
    return [*out, "}"]


def _part_type(t: CType, k: int) -> CType:
    return t.of if isinstance(t, Array) else members(t)[k].type


def _zero(t: CType) -> str:
    return "0" if isinstance(t, (Integer, Floating, Pointer)) and not isinstance(t, Enum) else "{}"


def _path(slot: Slot, k: int, base: str) -> str:
    if isinstance(slot.type, Array):
        return f"{base}[{k}]"
    name = members(slot.type)[k].name
    return f"{base}.{name}" if name else base


def _assignments(slot: Slot, path: str, name_of: Callable[[CType], str]) -> list[Part]:
    if slot.value is not None:
        return [f"{path} = ", slot.value.span, "; "]
    out: list[Part] = []
    for k, p in slot.parts.items():
        out += _assignments(p, _path(slot, k, path), name_of)
    return out
