"""Calls: gcc's built-in functions have other names or none in CUDA C++, and arguments are converted as in C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompls.analysis.model import ast
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Enum, Floating, Function, Integer, Pointer
from ompls.analysis.spec.known import MATH_FUNCTIONS
from ompls.translate.ctext import flat, is_vla
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.gnu import ALLOCAS, BUILTINS

if TYPE_CHECKING:
    from ompls.translate.transformations.gpu.dialect import Dialect

# What <math.h>'s macros become under gcc.
_INFINITY = "(1e300 * 1e300)"
_CONSTANTS = {
    "__builtin_inf": _INFINITY, "__builtin_huge_val": _INFINITY, "__builtin_inff": f"((float){_INFINITY})",
    "__builtin_huge_valf": f"((float){_INFINITY})", "__builtin_nan": f"({_INFINITY} * 0.0)",
    "__builtin_nanf": f"((float)({_INFINITY} * 0.0))",
}  # fmt: skip
_ATOMICS = {  # gcc's functions of integers -> the device library's
    "__atomic_load_n": "ompls_load", "__atomic_store_n": "ompls_store", "__atomic_exchange_n": "ompls_exchange",
    "__atomic_compare_exchange_n": "ompls_compare_exchange", "__sync_val_compare_and_swap": "ompls_swap_if",
    "__sync_bool_compare_and_swap": "ompls_swapped", "__atomic_thread_fence": "ompls_fence",
    "__sync_synchronize": "ompls_fence", "__sync_lock_test_and_set": "ompls_exchange",
    **{f"__{family}_fetch_{and_}{op}": f"ompls_fetch_op<ompls_{op}>"
       for family, and_ in (("atomic", ""), ("sync", "and_")) for op in ("add", "sub", "and", "or", "xor")},
    **{f"__{family}_{op}_{and_}fetch": f"ompls_op_fetch<ompls_{op}>"
       for family, and_ in (("atomic", ""), ("sync", "and_")) for op in ("add", "sub", "and", "or", "xor")},
}  # fmt: skip


def call(d: Dialect, n: ast.Call) -> None:
    """Add the edits for one call.  Raises Problem for a built-in function that the device lacks."""
    name = n.function.name if isinstance(n.function, ast.Name) else ""
    if name == "__builtin_expect" and n.args:
        d.rw.replace(n.span, "(", n.args[0].span, ")")
    elif name == "__builtin_constant_p":
        d.rw.replace(n.span, "0" if fold(n.args[0]) is None else "1")
    elif name in ALLOCAS and n.args:
        d.rw.replace(n.span, "ompls_alloca.take(", n.args[0].span, ")")
    elif name in _CONSTANTS:
        d.rw.replace(n.span, _CONSTANTS[name])
    elif name.removeprefix("__builtin_") in BUILTINS and name.startswith("__builtin_"):
        before, after = BUILTINS[name.removeprefix("__builtin_")].split("{}") if n.args else ("__trap()", "")
        spans = [part for a in n.args for part in (a.span, ", ")][:-1]
        d.rw.replace(n.span, before, *spans, after)
    elif (function := _of_library(d, name)) is not None:
        d.rw.replace(n.function.span, function)
        for arg in n.args if function in MATH_FUNCTIONS else ():
            if isinstance(arg.type, (Integer, Enum)) or unqualified(arg.type) == Floating("float"):
                d.cast(arg, Floating("double"))
    elif name in _ATOMICS and all(map(_of_integers, n.args)):
        d.rw.replace(n.function.span, _ATOMICS[name])
    elif name.startswith(("__builtin_", "__atomic_", "__sync_")):
        raise Problem(n.span, f"the call of '{name}'", "it is gcc's own; the device has no such function")
    t = n.function.type
    if isinstance(t, Pointer):
        t = t.to
    if not isinstance(t, Function):
        return
    symbol = n.function.symbol if isinstance(n.function, ast.Name) else None
    overloaded = symbol is not None and not symbol.defined and symbol.kind == "func"
    for arg, to in zip(n.args, t.params, strict=False):
        if overloaded and isinstance(to, (Integer, Floating)) and unqualified(arg.type) != unqualified(to):
            d.cast(arg, to)  # C++ has sqrt(float) and abs(double), which give something else
        elif is_vla(to):
            d.rw.replace(arg.span, f"({d.types.cxx(flat(to))})(", arg.span, ")")
        else:
            d.convert(arg, to)


def _of_library(d: Dialect, name: str) -> str | None:
    """The library's function that a built-in one is."""
    function = "isinf" if name == "__builtin_isinf_sign" else name.removeprefix("__builtin_")
    there = function != name and not function.startswith(("omp_", "_")) and d.in_library(function)
    return function if there else None


def _of_integers(e: ast.Expr) -> bool:
    """Whether an argument of an atomic function is an integer or points to one."""
    t = e.type.to if isinstance(e.type, Pointer) else e.type
    return isinstance(unqualified(t), Integer)
