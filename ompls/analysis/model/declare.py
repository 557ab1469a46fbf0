"""C types printed as C."""

from __future__ import annotations

from collections.abc import Callable

from ompls.analysis.model.ctype import (
    Array,
    CType,
    Enum,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Void,
)

Named = Callable[[Record | Enum], str]
_QUALS = ("const", "volatile", "restrict", "_Atomic")

UNREADABLE = "<unknown>"  # of a type that the front end does not know: no C


def declare(t: CType, name: str = "", named: Named | None = None) -> str:
    """A declaration of `name` with type `t`, without the semicolon: `declare(Array(INT, 3), 'a')` is `int a[3]`.

    With an empty name: the type's name.  Anonymous records and enums have no name to print: what `named` gives them, or
    `struct <anonymous>`.
    """
    inner = name
    previous: CType | None = None
    while True:
        if isinstance(t, Pointer):
            quals = _quals(t)
            inner = "*" + quals + (" " if quals and inner else "") + inner
        elif isinstance(t, Array):
            inner = (f"({inner})" if isinstance(previous, Pointer) else inner) + f"[{_length(t)}]"
        elif isinstance(t, Function):
            inner = (f"({inner})" if isinstance(previous, Pointer) else inner) + f"({_params(t, named)})"
        else:
            break
        previous = t
        t = t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else t.returns
    quals = _quals(t)
    base = (quals + " " if quals else "") + _base(t, named)
    return f"{base} {inner}" if inner and not inner.startswith("[") else base + inner


def _quals(t: CType) -> str:
    return " ".join(q for q in _QUALS if q in t.quals)


def _length(t: Array) -> str:
    if t.length is not None:
        return str(t.length)
    return t.vla_text if t.vla else ""


def _params(t: Function, named: Named | None) -> str:
    if not t.prototype:
        return ""
    parts = [declare(p, "", named) for p in t.params] + (["..."] if t.variadic else [])
    return ", ".join(parts) or "void"


def _base(t: CType, named: Named | None) -> str:
    if isinstance(t, Record | Enum) and not t.tag and named is not None:
        return named(t)
    if isinstance(t, Integer):
        return t.kind
    if isinstance(t, Floating):
        return t.kind + (" _Complex" if t.complex else "")
    if isinstance(t, Record):
        return f"{t.kind} {t.tag or '<anonymous>'}"
    if isinstance(t, Enum):
        return f"enum {t.tag or '<anonymous>'}"
    return "void" if isinstance(t, Void) else UNREADABLE
