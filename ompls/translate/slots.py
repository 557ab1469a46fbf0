"""Which subobject each value of an initializer belongs to (C11 §6.7.9).

`Slot` is an object with what its initializer gives it: braces may be left out, and designators lead anywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Array, CType, FieldDecl, Integer, Record
from ompls.translate.problem import Problem
from ompls.translate.rewrite import NO_CODE

LARGEST = 65536  # elements that a range of designators may stand for

_GAP = re.compile(NO_CODE + r"|(\.\.\.)|\.\s*(\w+)|(\w+)\s*:|(\[)|(\])", re.S)


@dataclass
class Slot:
    """An object: with a value, with initialized parts, or with nothing (then it is zero)."""

    type: CType
    value: ast.Expr | None = None
    parts: dict[int, Slot] = field(default_factory=dict)  # by index of the element, of the member in `members`

    def part(self, k: int) -> Slot:
        """The k-th part, to be initialized; of a union only the last one that was asked for stays."""
        if k not in self.parts:
            if isinstance(self.type, Record) and self.type.kind == "union":
                self.parts.clear()
            t = self.type.of if isinstance(self.type, Array) else members(self.type)[k].type
            self.parts[k] = Slot(t)
        self.value = None
        return self.parts[k]

    def count(self) -> int:
        """How many parts can be initialized one after another."""
        if isinstance(self.type, Array):
            return self.type.length if self.type.length is not None else LARGEST
        return 1 if isinstance(self.type, Record) and self.type.kind == "union" else len(members(self.type))


def members(t: CType) -> list[FieldDecl]:
    """The members that an initializer counts: no unnamed bit-fields."""
    fields = t.body.fields or () if isinstance(t, Record) else ()
    return [f for f in fields if is_counted(f)]


def is_counted(f: FieldDecl) -> bool:
    return bool(f.name) or isinstance(f.type, Record)


@dataclass
class _Item:
    designators: list[str | tuple[int, int]]
    value: ast.Expr


def is_designated(init: ast.InitList, text: bytes) -> bool:
    """Whether there is a designator anywhere in the braces."""
    inner = (e for e in init.elements if isinstance(e, ast.InitList))
    return any(i.designators for i in _items(init, text)) or any(is_designated(e, text) for e in inner)


def read(init: ast.InitList, t: CType, text: bytes) -> Slot:
    """What `init` gives an object of type `t`.  Raises Problem for a designator that is not understood."""
    slot = Slot(t)
    items = _items(init, text)
    if not isinstance(t, (Array, Record)):
        slot.value = items[0].value if items else None
        return slot
    if isinstance(t, Array) and len(items) == 1 and isinstance(items[0].value, ast.StringLiteral) and _takes_string(t):
        slot.value = items[0].value  # char s[] = {"…"}
        return slot
    k = at = 0
    while k < len(items):
        if items[k].designators:
            k, at = _designated(slot, items[k].designators, items, k, text)
        else:
            if at >= slot.count():
                raise Problem(items[k].value.span, "this initializer", "there are more values than members")
            k, at = _place(slot.part(at), items, k, text), at + 1
    return slot


def _items(init: ast.InitList, text: bytes) -> list[_Item]:
    """The values with their designators: the tree has the index expressions among the elements."""
    out: list[_Item] = []
    designators: list[str | tuple[int, int]] = []
    at, inside = init.span.start, False
    for e in init.elements:
        ranged = False
        for m in _GAP.finditer(decoded(text[at : e.span.start])):
            ranged = ranged or bool(m[1])
            if m[2] or m[3]:
                designators.append(m[2] or m[3])
            elif m[4] or m[5]:
                inside = bool(m[4])
        at = e.span.end
        if not inside:
            out.append(_Item(designators, e))
            designators = []
            continue
        index = fold(e)
        if index is None:
            raise Problem(e.span, "this designator", "its value is not known")
        first = designators.pop() if ranged else (index, index)
        assert isinstance(first, tuple)
        designators.append((first[0], index))
    return out


def _designated(
    slot: Slot, path: list[str | tuple[int, int]], items: list[_Item], k: int, text: bytes
) -> tuple[int, int]:
    """Initialize the part that `path` names; (the next item, the part after that one)."""
    name, rest = path[0], path[1:]
    if isinstance(name, tuple):
        first, last = name
        if last - first >= LARGEST or (last > first and has_effects(items[k].value)):
            raise Problem(items[k].value.span, "this range of elements", "write a loop")
    else:
        where = _member(slot.type, name)
        if not where:
            raise Problem(items[k].value.span, f"the designator '.{name}'", "there is no such member")
        for part in where[:-1]:
            slot = slot.part(part)
        first = last = where[-1]
    following = k
    for index in range(first, last + 1):
        part_ = slot.part(index)
        if rest:
            following, at = _designated(part_, rest, items, k, text)
            following = _run(part_, items, following, at, text)
        else:
            following = _place(part_, items, k, text)
    if isinstance(slot.type, Record) and slot.type.kind == "union":
        last = len(members(slot.type))
    return following, last + 1


def _member(t: CType, name: str) -> list[int]:
    """The way to a member: through anonymous structs and unions."""
    for k, f in enumerate(members(t)):
        if f.name == name:
            return [k]
        below = [] if f.name else _member(f.type, name)
        if below:
            return [k, *below]
    return []


def _place(slot: Slot, items: list[_Item], k: int, text: bytes) -> int:
    """Initialize `slot` with the items from `k` on; the first one that is not for it."""
    e, t = items[k].value, slot.type
    slot.parts, slot.value = {}, None
    if isinstance(e, ast.InitList):
        made = read(e, t, text)
        slot.parts, slot.value = made.parts, made.value
        return k + 1
    whole = not isinstance(t, (Array, Record)) or (isinstance(e, ast.StringLiteral) and _takes_string(t))
    if whole or (isinstance(t, Record) and unqualified(e.type) == unqualified(t)):
        slot.value = e
        return k + 1
    return _run(slot, items, k, 0, text, first=True)


def _run(  # noqa: PLR0917 - the places in the list and in the object
    slot: Slot, items: list[_Item], k: int, at: int, text: bytes, first: bool = False
) -> int:
    """Parts of `slot` from `at` on without braces of their own, as long as no designator leads elsewhere."""
    while at < slot.count() and k < len(items) and (first or not items[k].designators):
        k, at, first = _place(slot.part(at), items, k, text), at + 1, False
    return k


def _takes_string(t: CType) -> bool:
    return isinstance(t, Array) and isinstance(t.of, Integer)


def has_effects(e: ast.Expr) -> bool:
    """Whether it matters how often `e` is evaluated."""
    return any(isinstance(n, ast.Call) or assigned_by(n) is not None for n in e.walk())


def leaves(slot: Slot) -> list[tuple[ast.Expr, CType]]:
    """The values with the types that they are converted to."""
    own = [(slot.value, slot.type)] if slot.value is not None else []
    return own + [x for p in slot.parts.values() for x in leaves(p)]
