"""What the compiler declares by itself: builtin types and the results of builtin functions called without a header."""

from __future__ import annotations

from functools import lru_cache

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import (
    BOOL,
    INT,
    LONG_LONG,
    UNSIGNED,
    VOID,
    Array,
    CType,
    FieldDecl,
    Floating,
    Pointer,
    Record,
    RecordBody,
)
from ompls.analysis.model.datamodel import LP64, DataModel

_DOUBLE, _FLOAT, _LONG_DOUBLE = Floating("double"), Floating("float"), Floating("long double")
_VOID_POINTER = Pointer(VOID)


def _va_list(model: DataModel) -> CType:
    if model.pointer != 8:
        return _VOID_POINTER
    body = RecordBody()
    body.fields = (
        FieldDecl("gp_offset", UNSIGNED),
        FieldDecl("fp_offset", UNSIGNED),
        FieldDecl("overflow_arg_area", _VOID_POINTER),
        FieldDecl("reg_save_area", _VOID_POINTER),
    )
    return Array(Record("struct", "__va_list_tag", 0, body), 1)


_TYPES: dict[str, CType] = {
    "__int128": LP64.integer("__int128"),
    "__int128_t": LP64.integer("__int128"),
    "__uint128_t": LP64.integer("unsigned __int128"),
    "_Bool": BOOL,
    "_Float16": Floating("_Float16"),
    "_Float32": _FLOAT,
    "_Float64": _DOUBLE,
    "_Float32x": _DOUBLE,
    "_Float64x": _LONG_DOUBLE,
    "_Float128": Floating("_Float128"),
    "__float128": Floating("_Float128"),
    "__float80": _LONG_DOUBLE,
}


@lru_cache(maxsize=16)
def builtin_types(model: DataModel) -> dict[str, CType]:
    return {**_TYPES, "__builtin_va_list": _va_list(model)}


@lru_cache(maxsize=16)
def builtin_symbols(model: DataModel) -> dict[str, Symbol]:
    return {
        name: Symbol(name, "typedef", t, storage="typedef", level="file", from_system_header=True)
        for name, t in builtin_types(model).items()
    }


def _words(text: str) -> list[str]:
    return text.split()


_MATH = _words(
    "acos asin atan ceil cos cosh exp exp2 fabs floor log log10 log2 log1p expm1 sin sinh sqrt tan tanh cbrt round"
    " trunc rint nearbyint erf erfc tgamma lgamma asinh acosh atanh logb atan2 pow fmod hypot fmin fmax fdim remainder"
    " copysign nextafter fma ldexp frexp modf scalbn nan inf huge_val"
)
_POINTERS = _words(
    "malloc calloc realloc memcpy memmove memset memchr alloca aligned_alloc return_address frame_address"
    " assume_aligned"
)
_STRINGS = _words("strcpy strcat strncpy strncat strchr strrchr strstr strpbrk strdup")
_SIZES = _words("strlen strspn strcspn object_size offsetof")
_INTS = _words(
    "abs printf fprintf sprintf snprintf puts putchar strcmp strncmp memcmp clz ctz popcount parity ffs clzl ctzl"
    " popcountl clzll ctzll popcountll isnan isinf isfinite signbit isgreater isless isunordered constant_p"
    " types_compatible_p setjmp omp_is_initial_device isdigit isalpha isspace toupper tolower"
)
_VOIDS = _words("free exit abort trap unreachable prefetch va_start va_end va_copy")
_RESULTS: dict[str, CType] = {}
for _m in _MATH:
    _RESULTS |= {_m: _DOUBLE, _m + "f": _FLOAT, _m + "l": _LONG_DOUBLE}
_RESULTS |= dict.fromkeys(_POINTERS, _VOID_POINTER) | {"llabs": LONG_LONG}
_RESULTS |= dict.fromkeys(_INTS, INT) | dict.fromkeys(_VOIDS, VOID)
_RESULTS |= dict.fromkeys(_words("add_overflow sub_overflow mul_overflow"), BOOL)


@lru_cache(maxsize=16)
def _results(model: DataModel) -> dict[str, CType]:
    """`_RESULTS`, with those that depend on the machine."""
    strings = dict.fromkeys(_STRINGS, Pointer(model.integer("char")))
    sizes = dict.fromkeys(_SIZES, model.integer(model.size_type))
    return {**_RESULTS, **strings, **sizes, **dict.fromkeys(("labs", "expect"), model.integer("long"))}


# What gcc knows under its `__builtin_` name only.
_ONLY_PREFIXED = frozenset(
    _words(
        "alloca return_address frame_address assume_aligned object_size clz ctz popcount parity ffs clzl ctzl popcountl"
        " clzll ctzll popcountll constant_p types_compatible_p setjmp omp_is_initial_device add_overflow sub_overflow"
        " mul_overflow trap unreachable prefetch va_start va_end va_copy expect offsetof isnan isinf isfinite signbit"
        " isgreater isless isunordered inf huge_val"
    )
)


def builtin_result(name: str, args: list[CType], model: DataModel) -> CType | None:
    """What a call of `name` returns when nothing declares it; None when the compiler does not know it either.

    `args` are the decayed types of the arguments.
    """
    plain = name.removeprefix("__builtin_")
    if plain != name or plain not in _ONLY_PREFIXED:
        found = _results(model).get(plain)
        if found is not None:
            return found
    if name.startswith(("__sync_", "__atomic_")):
        return _atomic(name, args)
    return None


def _atomic(name: str, args: list[CType]) -> CType | None:
    """GNU's generic atomics return what their first argument points to (GCC manual §6.55, §6.56)."""
    if "compare_exchange" in name or "bool_compare" in name or "test_and_set" in name.removeprefix("__sync_lock_"):
        return BOOL
    if name.endswith(("_fence", "_clear", "_release", "synchronize")) or name in ("__atomic_load", "__atomic_store"):
        return VOID
    if args and isinstance(args[0], Pointer) and name != "__atomic_store_n":
        return unqualified(args[0].to)
    return VOID if name == "__atomic_store_n" else None
