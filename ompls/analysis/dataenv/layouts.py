"""What host and device share and lay out in different ways, because a compiler for the device gives types other sizes.

A pointer that a kernel gets is no such thing: the device gets one of its own.  One that is stored in the data is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Span
from ompls.analysis.model.convert import decay, owner
from ompls.analysis.model.ctype import CType, Floating, Integer, Pointer, Record, innermost
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import alignof, record_layout, sizeof
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare, indexed
from ompls.analysis.model.tu import Region, Variable

_REDUCTIONS = ("reduction", "in_reduction", "task_reduction")
_WIDE = ("firstprivate", "mapped")
_MOVES = frozenset(("target data", "target enter data", "target exit data", "target update"))


class Unlike(NamedTuple):
    """Where something is said, what is laid out in two ways (names in backticks), and how; `span` None: the construct.

    why -- `{}` stands for the device
    """

    span: Span | None
    what: str
    why: str


def unlike_in(region: Region, host: DataModel, device: DataModel, wide: bool = False) -> Iterator[Unlike]:
    """Of each variable that the region shares with the host, and of each loop whose bounds are sizes, the first one.

    wide -- kernels have the host's `long` for variables of that type, unless a text says another one for them
    """
    if host == device:
        return
    own = _named_by_type(region) if wide else frozenset()
    for v in region.variables:
        if not (wide and is_long(v.symbol.type) and v.sharing in _WIDE and v.symbol not in own):
            yield from _first(v.symbol.name, _shared(v), host, device)
    yield from unlike_sizes(region.stmt, host, device)


def is_long(t: CType) -> bool:
    return isinstance(t, Integer) and t.kind in ("long", "unsigned long")


def _named_by_type(region: Region) -> frozenset[ast.Symbol | None]:
    """What another text in the region has a type for: the user's reductions, and pointers to it."""
    taken = (bare(n.operand) for n in region.stmt.nodes(ast.Unary) if n.op == "&")
    clauses = [c for stmt in region.stmt.nodes(ast.DirectiveStmt) for c in stmt.directive.all(*_REDUCTIONS)]
    reduced = (
        i.symbol for c in clauses if c.keyword.isidentifier() and c.keyword not in ("min", "max") for i in c.items
    )
    return frozenset([*(n.symbol for n in taken if isinstance(n, ast.Name)), *reduced])


def unlike_moved(directive: Directive, host: DataModel, device: DataModel, wide: bool = False) -> Iterator[Unlike]:
    """The same of each list item that a construct without a region maps or updates."""
    if host == device or directive.name not in _MOVES:
        return
    for clause in directive.all("map", "to", "from"):
        for item in clause.items:
            if not (
                wide and isinstance(item.expr, ast.Name) and is_long(item.expr.type) and not _is_global(item.symbol)
            ):
                yield from _first(item.text, ((item.span, t) for t in _objects(item.expr)), host, device)


def _is_global(symbol: ast.Symbol | None) -> bool:
    return symbol is not None and bool(symbol.declare_target)


def unlike_globals(nodes: Iterable[Node], host: DataModel, device: DataModel) -> Iterator[Unlike]:
    """The same of the `declare target` variables that functions use."""
    if host == device:
        return
    names = (n for node in nodes for n in node.walk() if isinstance(n, ast.Name) and n.symbol is not None)
    for s in dict.fromkeys(n.symbol for n in names if n.symbol is not None):
        if s.kind == "var" and s.declare_target:
            yield from _first(s.name, ((None, t) for t in (s.type,)), host, device)


def unlike_sizes(node: Node, host: DataModel, device: DataModel) -> Iterator[Unlike]:
    """`sizeof` in the head of a loop: host and device would not agree how often it runs."""
    loops = [n for n in node.walk() if isinstance(n, ast.For)] if host != device else []
    heads = [part for x in loops for part in (x.init, x.condition, x.step) if part is not None]
    for n in (n for part in heads for n in part.walk()):
        if isinstance(n, ast.SizeOf) and n.size != (there := _size(n, device)):
            how = f"it is {n.size} on the host and {there} on {{}}; count in elements of a type that has one size"
            yield Unlike(n.span, f"`{n.op}` of `{declare(n.of)}` in the head of a loop", how)


def _size(n: ast.SizeOf, model: DataModel) -> int | None:
    return sizeof(n.of, model) if n.op == "sizeof" else alignof(n.of, model)


def _first(
    name: str, shared: Iterable[tuple[Span | None, CType]], host: DataModel, device: DataModel
) -> Iterator[Unlike]:
    for span, t in shared:
        found = _difference(t, host, device)
        if found is not None:
            member, how = found
            yield Unlike(span, f"{member} in `{name}`" if member else f"`{name}`", how)
            return


def _shared(v: Variable) -> Iterator[tuple[Span | None, CType]]:
    """The types of the data that a variable brings to the device."""
    t = v.symbol.type
    through = t.to if isinstance(t, Pointer) else t
    if v.sharing == "is_device_ptr" or (v.sharing == "firstprivate" and isinstance(t, Pointer)):
        yield None, through  # of a pointer that is a parameter the device makes one of its own
    elif v.sharing in ("firstprivate", "declare_target"):
        yield None, t
    elif v.sharing == "has_device_addr":
        yield None, innermost(through)
    elif v.sharing == "mapped":
        for m in v.maps:
            if m.item is None:
                yield None, through if m.zero_length else t
            else:
                yield from ((m.item.span, of) for of in _objects(m.item.expr))


def _objects(e: Expr) -> Iterator[CType]:
    """The types of what a list item names, and of all that it lies in on the device: `s->p[0:n]` lies in `*s`."""
    whole = True
    while True:
        if isinstance(e, ast.Paren):
            e = e.inner
            continue
        if isinstance(e, ast.Name):
            if whole or not isinstance(e.type, Pointer):
                yield e.type
            return
        yield owner(e.base.type, e.arrow) if isinstance(e, ast.Member) else innermost(e.type)
        if isinstance(e, (ast.Member, ast.Section)):
            e = e.base
        elif isinstance(e, ast.Index):
            e = indexed(e)
        elif isinstance(e, (ast.Unary, ast.Shaping)):
            e = e.operand
        elif isinstance(e, ast.Binary) and isinstance(decay(e.left.type), Pointer):
            e = e.left
        else:
            return
        whole = False


def _difference(t: CType, host: DataModel, device: DataModel) -> tuple[str, str] | None:
    """(the innermost member with its structure, '' for the object itself; how it differs); None: they are alike."""
    t = innermost(t)
    if isinstance(t, Record):
        return _of_record(t, host, device)
    here, there = sizeof(t, host), sizeof(t, device)
    if here == there and (host.big_endian == device.big_endian or here in (None, 1)):
        return None
    if here == there:
        return "", "{} has the bytes of a number in the other order"
    return "", f"`{declare(t)}` has {here} bytes on the host and {there} on {{}}; {_instead(t)}"


def _instead(t: CType) -> str:
    if isinstance(t, Pointer):
        return "map what it points to, and keep no pointer in the data"
    if isinstance(t, Floating):
        return "use `double` or `float`" if t.kind == "long double" else "use `float`"
    signed = not isinstance(t, Integer) or t.signed
    return "use `int32_t` or `int64_t`" if signed else "use `uint32_t` or `uint64_t`"


def _of_record(t: Record, host: DataModel, device: DataModel) -> tuple[str, str] | None:
    """The first member that differs, and of structures in structures the one in the innermost."""
    name = f"`{t.kind} {t.tag}`" if t.tag else f"the {t.kind}"
    here, there = record_layout(t, host), record_layout(t, device)
    for (f, at), (_, elsewhere) in zip(here[2], there[2], strict=False):
        inner = _difference(f.type, host, device) if f.bits is None else None
        member = f"the member `{f.name}` of {name}" if f.name else f"a member of {name}"
        if inner is not None:
            return inner[0] or member, inner[1]
        if at != elsewhere:
            how = f"it begins at byte {at // 8} on the host and at byte {elsewhere // 8} on {{}}"
            return member, f"{how}; put the larger members first, or fill the gap with a member of its own"
    if t.body.fields is not None and here[0] is None:
        return "", f"nobody knows how {name} is laid out on {{}}; give it members of known sizes"
    if here[0] != there[0]:
        return "", f"{name} has {here[0]} bytes on the host and {there[0]} on {{}}; fill it up with members of its own"
    return None
