"""What a compiler for a machine makes of C's basic types: their sizes, alignments and signs.

A unit has the model of the compiler whose macros it was read with (`of_macros`); a device may have another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import get_args

from ompls.analysis.model.ctype import Integer, IntegerKind, shared

_PAIRS = (("short", 2), ("int", 4), ("long", 0), ("long long", 8), ("__int128", 16))
_WORDS = frozenset(("short", "int", "long", "unsigned", "char"))


@dataclass(frozen=True)
class DataModel:
    """Sizes and alignments are in bytes.

    align -- the greatest alignment that a number or a pointer has in a structure (i386: 4)
    biggest -- what `__attribute__((aligned))` says
    structures -- that of structures which are as large (Epiphany: 8), but kernels pack what needs less and has no
        bit-fields, and of arrays of words in the others; 0: none
    unnamed -- a bit-field without a name counts for the alignment of its structure, as ARM has it
    size_type, difference_type, wide_char -- what `size_t`, `ptrdiff_t` and `wchar_t` are
    """

    long: int = 8
    pointer: int = 8
    double: int = 8
    long_double: int = 16
    align: int = 16
    biggest: int = 16
    unnamed: bool = False
    structures: int = 0
    signed_char: bool = True
    big_endian: bool = False
    size_type: IntegerKind = "unsigned long"
    difference_type: IntegerKind = "long"
    wide_char: IntegerKind = "int"

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Of the arithmetic types by their kinds."""
        sizes = {"_Bool": 1, "char": 1, "signed char": 1, "unsigned char": 1}
        for kind, size in _PAIRS:
            sizes[kind] = sizes[f"unsigned {kind}"] = size or self.long
        floats = {"float": 4, "double": self.double, "long double": self.long_double, "_Float16": 2, "_Float128": 16}
        return sizes | floats

    @cached_property
    def _integers(self) -> dict[str, Integer]:
        unsigned = {"_Bool"} if self.signed_char else {"_Bool", "char"}
        kinds = (kind for kind in get_args(IntegerKind))
        return {k: shared(Integer(k, self.sizes[k], not (k in unsigned or k.startswith("unsigned")))) for k in kinds}

    def integer(self, kind: str) -> Integer:
        """The type of this kind."""
        return self._integers[kind]

    def alignment(self, size: int) -> int:
        """Of a number or a pointer of `size` bytes in a structure."""
        return min(size & -size, self.align)

    @cached_property
    def _hash(self) -> int:
        return hash((self.long, self.pointer, self.double, self.long_double, self.align, self.structures, self.unnamed))

    def __hash__(self) -> int:  # it is a key wherever a structure is laid out
        return self._hash


LP64 = DataModel()
ILP32 = DataModel(4, 4, 8, 8, align=8, biggest=8, size_type="unsigned int", difference_type="int")
MODELS = {"lp64": LP64, "ilp32": ILP32}


def of_macros(bodies: Mapping[str, str]) -> DataModel:
    """What the macros of gcc or clang say, which are given by name; where they say nothing: LP64 as on x86-64."""
    return _of_bodies(tuple((name, bodies[name]) for name in _READ if name in bodies))


_READ = (
    "__SIZEOF_LONG__", "__SIZEOF_POINTER__", "__SIZEOF_DOUBLE__", "__SIZEOF_LONG_DOUBLE__", "__CHAR_UNSIGNED__",
    "__BYTE_ORDER__", "__SIZE_TYPE__", "__PTRDIFF_TYPE__", "__WCHAR_TYPE__", "__BIGGEST_ALIGNMENT__",
    "__i386__", "__m68k__", "__arm__", "__aarch64__",
)  # fmt: skip


@lru_cache(maxsize=64)
def _of_bodies(bodies: tuple[tuple[str, str], ...]) -> DataModel:
    said = dict(bodies)

    def number(name: str, default: int) -> int:
        body = said.get(f"__{name}__", "")
        return int(body) if body.isdecimal() and 0 < int(body) <= 128 else default

    return DataModel(
        long=number("SIZEOF_LONG", LP64.long),
        pointer=number("SIZEOF_POINTER", LP64.pointer),
        double=number("SIZEOF_DOUBLE", LP64.double),
        long_double=number("SIZEOF_LONG_DOUBLE", LP64.long_double),
        align=4 if "__i386__" in said else 2 if "__m68k__" in said else LP64.align,
        biggest=number("BIGGEST_ALIGNMENT", LP64.biggest),
        unnamed="__arm__" in said or "__aarch64__" in said,
        signed_char="__CHAR_UNSIGNED__" not in said,
        big_endian="BIG" in said.get("__BYTE_ORDER__", ""),
        size_type=_kind(said.get("__SIZE_TYPE__", ""), LP64.size_type),
        difference_type=_kind(said.get("__PTRDIFF_TYPE__", ""), LP64.difference_type),
        wide_char=_kind(said.get("__WCHAR_TYPE__", ""), LP64.wide_char),
    )


def _kind(words: str, default: IntegerKind) -> IntegerKind:
    """`long unsigned int` as the kind `unsigned long`."""
    found = words.split()
    if not found or not _WORDS.issuperset(found):
        return default
    base = next((w for w in ("char", "short") if w in found), "")
    base = base or {0: "int", 1: "long", 2: "long long"}.get(found.count("long"), "int")
    return f"unsigned {base}" if "unsigned" in found else base  # type: ignore[return-value]
