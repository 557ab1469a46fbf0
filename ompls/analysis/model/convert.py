"""C's conversions (C11 §6.3, §6.5): what an operator makes of its operands' types.  Pure functions of types."""

from __future__ import annotations

from dataclasses import replace

from ompls.analysis.model.ctype import (
    INT,
    UNKNOWN,
    VOID,
    Array,
    CType,
    Enum,
    Floating,
    Function,
    Integer,
    IntegerKind,
    Pointer,
    Record,
    Unknown,
    Void,
    qualifiers,
    shared,
)

_NO_QUALS: frozenset[str] = frozenset()

_RANK = {"int": 1, "unsigned int": 1, "long": 2, "unsigned long": 2, "long long": 3, "unsigned long long": 3}
_RANK |= {"__int128": 4, "unsigned __int128": 4}
_UNSIGNED: dict[str, IntegerKind] = {"int": "unsigned int", "long": "unsigned long", "long long": "unsigned long long"}
_UNSIGNED |= {"__int128": "unsigned __int128"}
_FLOAT_RANK = {"_Float16": 0, "float": 1, "double": 2, "long double": 3, "_Float128": 4}


def unqualified(t: CType) -> CType:
    """`t` without the qualifiers of its own level and a typedef's alignment, and whatever name an integer type was
    written as."""
    if isinstance(t, Integer) and t.exact:
        return shared(replace(t, quals=_NO_QUALS, align=None, exact=False))
    if not t.quals and t.align is None:
        return t
    if not isinstance(t, Enum):
        return shared(replace(t, quals=_NO_QUALS, align=None))
    return shared(replace(t, quals=_NO_QUALS)) if t.quals else t  # the alignment may be its own


def qualify(t: CType, quals: frozenset[str]) -> CType:
    """`t` with `quals` added; qualifiers of an array belong to its elements (C11 §6.7.3p9)."""
    if not quals:
        return t
    if isinstance(t, Array):
        return replace(t, of=qualify(t.of, quals))
    if isinstance(t, (Unknown, Function)):
        return t
    return shared(replace(t, quals=qualifiers(t.quals | quals)))


def owner(base: CType, arrow: bool) -> CType:
    """The type that `base.m` or, with `arrow`, `base->m` names a member of; `base` is its type before decay."""
    pointer = decay(base) if arrow else None
    if pointer is None:
        return base
    return pointer.to if isinstance(pointer, Pointer) else UNKNOWN


def decay(t: CType) -> CType:
    """The value an lvalue of type `t` gives: arrays and functions become pointers, qualifiers go (C11 §6.3.2.1)."""
    if isinstance(t, Array):
        return shared(Pointer(t.of))
    if isinstance(t, Function):
        return Pointer(t)
    return unqualified(t)


def is_arithmetic(t: CType) -> bool:
    return isinstance(t, (Integer, Floating, Enum))


def promote(t: CType, bits: int | None = None) -> CType:
    """Integer promotions (C11 §6.3.1.1); `bits` is the width when the operand is a bit-field."""
    if isinstance(t, Enum):
        t = t.underlying
    if not isinstance(t, Integer):
        return unqualified(t)
    if bits is not None and (bits < 32 or (t.signed and bits == 32)):
        return INT
    return INT if t.size < 4 else unqualified(t)


def arithmetic(a: CType, b: CType) -> CType:
    """The usual arithmetic conversions (C11 §6.3.1.8) of two promoted or floating operands."""
    a, b = promote(a), promote(b)
    if isinstance(a, Floating) or isinstance(b, Floating):
        if not (is_arithmetic(a) and is_arithmetic(b)):
            return UNKNOWN
        floats = [t for t in (a, b) if isinstance(t, Floating)]
        best = max(floats, key=lambda t: _FLOAT_RANK[t.kind])
        return shared(Floating(best.kind, any(t.complex for t in floats)))
    if not (isinstance(a, Integer) and isinstance(b, Integer)):
        return UNKNOWN
    if a.kind == b.kind:
        return a
    low, high = sorted((a, b), key=lambda t: _RANK[t.kind])
    if low.signed == high.signed or not high.signed:
        return low if _RANK[low.kind] == _RANK[high.kind] and not low.signed else high
    if _RANK[low.kind] == _RANK[high.kind]:
        return low  # same rank, `low` is the unsigned one
    return high if high.size > low.size else Integer(_UNSIGNED[high.kind], high.size, signed=False)


def composite(a: CType, b: CType) -> CType:
    """The composite of two compatible types (C11 §6.2.7): the one that knows more."""
    if isinstance(a, Array) and isinstance(b, Array):
        of = composite(a.of, b.of)
        if a.length is None and not a.vla:
            return Array(of, b.length, b.vla, b.vla_text)
        return replace(a, of=of)
    if isinstance(a, Function) and isinstance(b, Function):
        return a if a.prototype else b
    return a


def conditional(a: CType, b: CType, a_null: bool = False, b_null: bool = False) -> CType:
    """The type of `c ? a : b` from decayed operand types (C11 §6.5.15); `*_null`: is a null pointer constant."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    if is_arithmetic(a) and is_arithmetic(b):
        return unqualified(a) if isinstance(a, Enum) and a == b else arithmetic(a, b)
    if isinstance(a, Void) or isinstance(b, Void):
        return VOID
    if isinstance(a, Record) or isinstance(b, Record):
        return a if a == b else UNKNOWN
    if isinstance(a, Pointer) and not isinstance(b, Pointer):
        return a
    if isinstance(b, Pointer) and not isinstance(a, Pointer):
        return b
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        return _pointers(a, b, a_null, b_null)
    return UNKNOWN


def _pointers(a: Pointer, b: Pointer, a_null: bool, b_null: bool) -> CType:
    if a_null != b_null:
        return b if a_null else a
    quals = a.to.quals | b.to.quals
    if isinstance(a.to, Void) or isinstance(b.to, Void):
        return Pointer(qualify(VOID, quals))
    return Pointer(qualify(composite(unqualified(a.to), unqualified(b.to)), quals))
