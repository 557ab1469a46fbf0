"""Structures that a compiler for a device lays out otherwise than gcc, whatever is written: which member, and why.

Found by comparing nvrtc 10.2 to 13.0 with gcc: what they make of a structure, and where their code looks for its
members (that is not always the same).  A device whose compilers do so lacks the ability `ABILITY`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ompls.analysis.model import ast
from ompls.analysis.model.ctype import CType, FieldDecl, Function, Pointer, Record, RecordBody, innermost
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import alignof, record_layout, sizeof, typedef_align

ABILITY = "gcc layout"  # a key of `spec/devices/abilities.py`
_ELSEWHERE = "compilers for GPUs put it elsewhere than gcc"
_LESS = "gcc ignores an alignment of less than {} bytes, and compilers for GPUs do not; leave it out"


def records_in(node: ast.Node) -> dict[RecordBody, tuple[Record, ast.Node]]:
    """The structures that mean something in a piece of a program, each with the first node that brings it there."""
    found: dict[RecordBody, tuple[Record, ast.Node]] = {}
    for n in node.walk():
        if isinstance(n, ast.DeclStmt):
            types = [d.symbol.type for d in n.decls]
        else:
            types = [n.type] if isinstance(n, ast.Expr) else []
            types += [n.of] if isinstance(n, ast.SizeOf) else []
        waiting: list[CType] = types[::-1]
        while waiting:
            t = innermost(waiting.pop())
            if isinstance(t, Pointer):
                waiting.append(t.to)
            elif isinstance(t, Function):
                waiting += [*reversed(t.params), t.returns]
            elif isinstance(t, Record) and t.body not in found:
                found[t.body] = t, n
                waiting += [f.type for f in reversed(t.body.fields or ())]
    return found


def named(f: FieldDecl, of: str) -> str:
    """A member as people call it, names in backticks."""
    kind = "bit-field" if f.bits is not None else "member"
    return f"the {kind} `{f.name}` of `{of}`" if f.name else f"a {kind} without a name of `{of}`"


def otherwise_in(node: ast.Node, model: DataModel) -> Iterator[tuple[ast.Node, str, str]]:
    """Of each structure that means something in `node`: where it first does, its first such member, and why."""
    for t, where in records_in(node).values():
        for f, why in otherwise(t, model):
            yield where, named(f, declare(t)), why
            break


def unusual(body: RecordBody) -> bool:
    """Whether `otherwise` may find something in it: a question that costs little."""
    return (
        bool(body.pack or body.packed or body.align is not None) or not body.fields or any(map(_unusual, body.fields))
    )


def _unusual(f: FieldDecl) -> bool:
    inner = innermost(f.type)
    own = f.align is not None or f.packed or typedef_align(f.type) is not None
    return own or (isinstance(inner, Record) and unusual(inner.body))


def otherwise(t: Record, model: DataModel) -> Iterator[tuple[FieldDecl, str]]:
    """The members, also those of structures without a tag in it, with what is wrong and what to do."""
    size, align, placed = record_layout(t, model)
    for f, at in placed or [(f, 0) for f in t.body.fields or ()]:
        inner = innermost(f.type)
        if isinstance(inner, Record) and not inner.tag:
            yield from otherwise(inner, model)
        why = _of_bits(t, f, model) if f.bits is not None else _of_member(t, f, model, at // 8 | (size or 0))
        if t.body.align and (align or 0) > t.body.align and _aligned(t, f, model) > t.body.align:
            why = f"gcc aligns the structure as this member, compilers for GPUs to {t.body.align} bytes; say {align}"
        if f.alignas and t.body.pack and (f.align or 0) > t.body.pack:
            why = "compilers for GPUs follow _Alignas here, and gcc '#pragma pack'; use __attribute__((aligned))"
        if why:
            yield f, why


def _aligned(t: Record, f: FieldDecl, model: DataModel) -> int:
    """The alignment of a member, as far as nothing but `packed` makes it smaller."""
    natural = 1 if t.body.packed or f.packed else alignof(f.type, model) or 1
    return max(natural, f.align or 1)


def _of_bits(t: Record, f: FieldDecl, model: DataModel) -> str:
    packed = t.body.packed or f.packed
    natural = alignof(f.type, model) or 1
    if t.body.pack:
        return f"{_ELSEWHERE} under '#pragma pack'; use __attribute__((packed)) on the type"
    if packed and f.bits == 0:
        return "compilers for GPUs ignore it in a packed structure; put members of whole bytes there"
    if f.type.align is not None or (packed and f.align is not None):
        return f"{_ELSEWHERE} because of its alignment; put members of whole bytes in front of it"
    if f.align is not None and f.align < natural:
        return _LESS.format(natural)
    return ""


def _of_member(t: Record, f: FieldDecl, model: DataModel, ends: int) -> str:
    """`ends`: where it begins and the structure ends, as one number of which only the lowest bits matter."""
    natural, said = alignof(replace(innermost(f.type), align=None), model) or 1, typedef_align(f.type)
    if 0 in (f.align, said, t.body.align):
        return "nobody knows its alignment; write it as one number"
    if isinstance(innermost(f.type), Record) and sizeof(innermost(f.type), model) == 0:
        return "it has no size in C and one byte in C++; leave it out, or give it a member"
    if not f.name and f.align is not None:
        return "compilers for GPUs take no _Alignas here; give the member a name"
    if t.body.packed or f.packed:
        return ""
    if f.align is not None and f.align < natural:
        return _LESS.format(natural)
    if said is not None and said < natural and ends % natural and not t.body.pack:
        return f"{_ELSEWHERE} because its type has less than its alignment of {natural} bytes; pack the structure"
    return ""
