"""Everything that a device may lack: the key that tables use, and how people call it (`{}`: the program's word)."""

from __future__ import annotations

_CONSTRUCTS = """
parallel for simd sections single masked master scope loop distribute task taskloop taskyield taskgroup taskwait
critical barrier atomic flush ordered cancel tile unroll assume nothing error dispatch interop depobj scan fuse
interchange reverse split stripe taskgraph target threadprivate
""".split()  # noqa: SIM905 - a table of words
# Leaf constructs, and combinations that are more than their parts.
_COMBINED = {
    "cancellation point": "`cancellation point`", "target data": "`target data`", "target update": "`target update`",
    "target enter data": "`target enter data`", "target exit data": "`target exit data`",
    "parallel sections": "`parallel sections`", "parallel single": "`parallel single`",
}  # fmt: skip

_CLAUSES = {
    "clause detach": "`detach`",
    "clause copyprivate": "`copyprivate`",
    "clause copyin": "`copyin`",
    "clause ordered": "`ordered`",
    "clause compare": "`atomic compare`",
    "clause lastprivate on sections": "`lastprivate` on `sections`",
    "clause lastprivate conditional": "`lastprivate(conditional: {})`",
    "clause reduction inscan": "an `inscan` reduction",
    "clause reduction of tasks": "`{}` over tasks",
    "clause reduction with task": "a `reduction` with the modifier `task`",
    "clause reduction of a type of the user's": "`reduction({}: …)`",
    "clause reduction through a pointer": "a reduction of `{}`",
    "clause device ancestor": "`device(ancestor: …)`",
    "clause map mapper": "`{}` with a mapper or an iterator",
    "section with a stride": "an array section with a stride",
}

_C = {
    "vla": "the variable-length array `{}`",
    "firstprivate vla": "the variable-length array `{}` as firstprivate",
    "computed goto": "a computed `goto`",
    "alloca": "`{}`",
    "varargs": "variable arguments (`{}`)",
    "array literal": "a compound literal of array type",
    "recursion": "the recursive function `{}`",
    "division": "an integer division",
    "type double": "the type `{}`",
    "type long double": "the type `{}`",
    "type _Float128": "the type `{}`",
    "type _Float16": "the type `{}`",
    "type __int128": "the type `{}`",
    "type complex": "complex arithmetic",
    "atomic variable": "the atomic variable `{}`",
    "goto": "`goto`",
    "switch": "`switch`",
    "bit-field": "the bit-field `{}`",
    "function pointer": "a call through a pointer",
    "static local": "the static variable `{}`",
    "statement expression": "a statement expression",
    "inline assembly": "inline assembly",
    "object without size": "an object of type `{}`",
    "gcc layout": "a structure whose layout only gcc makes",
    "lock apart": "`{}` apart from what is done under the lock",
}

ABILITIES: dict[str, str] = {
    **{f"construct {name}": f"`{name}`" for name in _CONSTRUCTS},
    **{f"construct {name}": shown for name, shown in _COMBINED.items()},
    **_CLAUSES,
    **_C,
}

# What no device can do yet: it is the data environment or the translator that lacks it.
NOT_YET = {
    "clause device ancestor": "reverse offloading is not there yet",
    "section with a stride": "give it a stride of one",
    "construct threadprivate": "a kernel has no threadprivate variables",
}
