"""C types, as immutable values.

Equality is C's *compatible type* as far as a value can carry it: records and enums compare by their
identity (`uid`), everything else by structure.  `UNKNOWN` is the type of whatever the front end did not
understand; it is contagious and nothing above a hint may be said about an expression that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar


def qualifiers(words: Iterable[str]) -> frozenset[str]:
    """These words as `CType.quals`: equal ones are one object, because every type of a unit has them."""
    made = frozenset(words)
    return _QUALIFIERS.setdefault(made, made)


_QUALIFIERS: dict[frozenset[str], frozenset[str]] = {}


@dataclass(frozen=True, slots=True)
class CType:
    """Base of all types.  `quals` holds 'const', 'volatile', 'restrict', '_Atomic' of this level.

    align -- in bytes, where a typedef says one by an attribute; 0: of a value that is not known, or an enumeration of a
             size that is not
    """

    quals: frozenset[str] = field(default=frozenset(), kw_only=True)
    align: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Unknown(CType):
    pass


@dataclass(frozen=True, slots=True)
class Void(CType):
    pass


IntegerKind = Literal[
    "_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
    "long", "unsigned long", "long long", "unsigned long long", "__int128", "unsigned __int128",
]  # fmt: skip
FloatKind = Literal["float", "double", "long double", "_Float16", "_Float128"]


@dataclass(frozen=True, slots=True)
class Integer(CType):
    """`size` in bytes and `signed` as the unit's data model has them (`DataModel.integer`).

    exact -- it was written as a name that has this size on every machine (`int64_t`)
    """

    kind: IntegerKind
    size: int
    signed: bool
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Floating(CType):
    kind: FloatKind
    complex: bool = False


@dataclass(frozen=True, slots=True)
class Pointer(CType):
    to: CType


@dataclass(frozen=True, slots=True)
class Array(CType):
    """`length` is the element count; None when incomplete or variable (`vla` tells which)."""

    of: CType
    length: int | None
    vla: bool = False
    vla_text: str = ""  # the length expression of a VLA, as written after macro expansion


@dataclass(frozen=True, slots=True)
class Function(CType):
    returns: CType
    params: tuple[CType, ...]
    variadic: bool = False
    prototype: bool = True


@dataclass(frozen=True, slots=True)
class FieldDecl:
    name: str  # "" for an anonymous struct/union member or an unnamed bit-field
    type: CType
    bits: int | None = None
    align: int | None = None  # in bytes, from `_Alignas` or an attribute of its own; 0: of a value that is not known
    packed: bool = False  # by an attribute of its own
    alignas: bool = False  # it is `_Alignas` that says so


class RecordBody:
    """The members of a struct or union; filled when its definition is met (shared by all its `Record`s)."""

    __slots__ = ("align", "fields", "layouts", "pack", "packed", "scalars", "span", "unfinished", "whole")

    def __init__(self) -> None:
        self.fields: tuple[FieldDecl, ...] | None = None  # None: incomplete
        self.packed = False
        self.pack = 0  # the greatest alignment of a member that `#pragma pack` allows, in bytes (0: any)
        self.align: int | None = None  # from an attribute or _Alignas; 0: it is not known how it is laid out
        self.span: tuple[int, int] | None = None
        self.unfinished = False  # something that it holds was incomplete when it was defined, which is an error
        self.whole = True  # there is nothing between its braces that was not understood
        self.layouts: dict[Hashable, Layout] = {}  # what `layout.py` found out, by the data model
        self.scalars = 0  # what `initializers.py` counted; 0: nobody has asked yet

    def fill(self, fields: Iterable[FieldDecl], packed: bool, align: int | None, pack: int, whole: bool) -> None:
        """From here on the members are known."""
        self.fields, self.packed, self.align, self.pack = tuple(fields), packed, align, pack
        self.whole = whole
        self.layouts, self.scalars = {}, 0


class Layout(NamedTuple):
    """Of a structure or union: its size and alignment in bytes, and where each member begins, in bits."""

    size: int
    align: int
    placed: tuple[tuple[FieldDecl, int], ...]


@dataclass(frozen=True, slots=True)
class Record(CType):
    kind: Literal["struct", "union"]
    tag: str  # "" when anonymous
    uid: int  # one per declaration of the tag in its scope
    body: RecordBody = field(compare=False, repr=False, hash=False)


@dataclass(frozen=True, slots=True)
class Enum(CType):
    tag: str
    uid: int
    underlying: Integer = field(compare=False, hash=False)


def innermost(t: CType) -> CType:
    """What an array consists of, whatever number of dimensions it has; any other type itself."""
    while isinstance(t, Array):
        t = t.of
    return t


MOST_PARTS = 1000  # of a type as it would be written without typedefs
MOST_LEVELS = 120  # of pointers to pointers, arrays of arrays, …


def is_too_large(t: CType) -> bool:
    """Whether nobody can compare or print the type: each typedef may name the one before twice, or point to it."""
    waiting, parts = [(t, 0)], 0
    while waiting:
        t, level = waiting.pop()
        parts += 1
        if parts > MOST_PARTS or level > MOST_LEVELS:
            return True
        if isinstance(t, Pointer):
            waiting.append((t.to, level + 1))
        elif isinstance(t, Array):
            waiting.append((t.of, level + 1))
        elif isinstance(t, Function):
            waiting += [(inner, level + 1) for inner in (t.returns, *t.params)]
    return False


def held(t: CType) -> Iterator[CType]:
    """What an object of type `t` consists of: itself, and the types of its members and of theirs.

    Arrays are left out, what they consist of is not.  Each structure is looked into once, however often it is held: a
    structure that holds another one twice, that another one twice, …, holds the last one too often to count.
    """
    waiting, seen = [t], set[RecordBody]()
    while waiting:
        inner = innermost(waiting.pop())
        yield inner
        if isinstance(inner, Record) and inner.body not in seen:
            seen.add(inner.body)
            waiting += [f.type for f in reversed(inner.body.fields or ())]


def innermost_first(t: Record, known: Callable[[RecordBody], object]) -> Iterator[Record]:
    """The structures that `t` holds, each once and before those that hold it, then `t`; none that is `known`."""
    waiting, seen = [(t, False)], set[RecordBody]()
    while waiting:
        record, looked_into = waiting.pop()
        if looked_into:
            yield record
        elif record.body not in seen and not known(record.body):
            seen.add(record.body)
            waiting.append((record, True))
            members = [innermost(f.type) for f in record.body.fields or ()]
            waiting += [(inner, False) for inner in members if isinstance(inner, Record)]


T = TypeVar("T", bound=CType)


def shared(t: T) -> T:
    """The one object for all arithmetic types that are equal to `t`, and for all pointers and arrays of unknown length
    to and of such: there are few, and many literals, variables and sections."""
    of = t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) and t.length is None and not t.vla_text else t
    return _SIMPLE.setdefault(t, t) if isinstance(of, (Integer, Floating)) else t  # type: ignore[return-value]


_SIMPLE: dict[CType, CType] = {}
UNKNOWN = Unknown()
VOID = Void()
INT, UNSIGNED = Integer("int", 4, True), Integer("unsigned int", 4, False)
BOOL, CHAR = Integer("_Bool", 1, False), Integer("char", 1, True)
LONG_LONG = Integer("long long", 8, True)
