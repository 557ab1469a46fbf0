"""What `declare target` variables begin with the addresses of: it has to be on devices, too.

The run time makes pointers in such variables lead to the device's own variables (pointees.py).  String literals and
compound literals have no name, so they become variables in front of the declaration; and a variable that only an
initializer names is treated as if `declare target` listed it (OpenMP 5.2 section 7.8.2): declared in front, or listed
behind the declaration that is its own, too.  Functions are in indirect.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import holds_pointers
from ompls.analysis.model import ast
from ompls.analysis.model.ast import CompoundLiteral, Declaration, Expr, Name, Span, StringLiteral, Symbol, VarDecl
from ompls.analysis.model.ctype import Array, CType, Pointer, Record
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import TU, Item
from ompls.translate.ctext import Types
from ompls.translate.lowering.round import Round, pragma
from ompls.translate.lowering.unnamed import definitions_in, fresh
from ompls.translate.pointees import addressed
from ompls.translate.problem import Problem
from ompls.translate.slots import leaves, read
from ompls.translate.symbols import is_global
from ompls.translate.tables import on_device

_BEGIN, _END = pragma("omp declare target"), pragma("omp end declare target")


def lower(work: Round) -> None:
    for k, item in enumerate(work.tu.items):
        node = item.content.node
        if isinstance(node, Declaration) and any(d.init is not None and _is_placed(work, d) for d in node.decls):
            _give_names(work, item, node, f"{work.number}_{k}")


def _is_placed(work: Round, d: VarDecl) -> bool:
    """Whether it begins in memory of devices with what may be addresses."""
    s = work.tu.symbols.get(d.symbol.name)
    placed = s is not None and is_global(work.tu, s) and s.declare_target != "link"
    return placed and holds_pointers(d.symbol.type)


def _give_names(work: Round, item: Item, node: Declaration, mark: str) -> None:
    strings: dict[str, StringLiteral] = {}
    ahead: dict[str, str] = {}  # by name
    behind: list[str] = []
    edits: list[tuple[Span, str]] = []
    own = {d.symbol.name for d in node.decls}
    try:
        found = [e for d in node.decls if d.init is not None and _is_placed(work, d) for e in _addressed(item, d)]
    except Problem:
        return  # an initializer that is not understood: the compiler says so
    for e in {e.span: e for e in found}.values():  # once, however many elements a range gives it to
        if isinstance(e, StringLiteral):
            strings.setdefault(e.text, e)
            edits.append((e.span, f"__ompls_strings_{mark}.s{list(strings).index(e.text)}"))
        elif isinstance(e, CompoundLiteral):
            if own & {n.name for n in e.walk() if isinstance(n, Name)}:
                work.refuse(item, e.span, "this compound literal", "it names a variable of its own declaration")
                continue
            name = f"__ompls_literal_{mark}_{len(edits)}"
            of, init = work.text(item, e.type_span), work.text(item, e.init.span)
            ahead[name] = f"static __typeof__({of}) {name} = {init}; "
            edits.append((e.span, name))
        elif isinstance(e, Name) and e.symbol is not None and _is_missing(work.tu, e.symbol):
            if e.name in own:
                behind += [e.name] if e.name not in behind else []
                continue
            storage = "static" if e.symbol.storage == "static" else "extern"
            ahead[e.name] = f"{storage} __typeof__({e.name}) {e.name}; "
        elif isinstance(e, Name) and e.symbol is not None and _has_size_later(work.tu, e.symbol):
            why = "it has no size here yet: list it in `declare target`"
            work.refuse(item, e.span, f"the address of '{e.name}'", why)
    if strings:
        kinds = Types(work.tu)
        members = "".join(f"{kinds.c(e.type, f's{k}')}; " for k, e in enumerate(strings.values()))
        values = ", ".join(work.text(item, e.span) for e in strings.values())
        ahead[""] = f"static struct {{ {members}}} __ompls_strings_{mark} = {{{values}}}; "
    if any(isinstance(e, CompoundLiteral) for e in found):
        ahead = {"types": _types_ahead(work, item, min(d.span.start for d in node.decls), edits), **ahead}
    if ahead:
        edits.insert(0, (Span(0, 0), f"{_BEGIN}{''.join(ahead.values())}{_END}"))
    if behind:
        edits.append((Span(node.span.end, node.span.end), " " + pragma(f"omp declare target to({', '.join(behind)})")))
    if edits:
        work.replace(item, *edits)


def _types_ahead(work: Round, item: Item, before: int, edits: list[tuple[Span, str]]) -> str:
    """The types that a declaration defines for its variables, which then only names them."""
    out, given = "", set[str]()
    for x, of in definitions_in(item.content.text[:before]):
        name = x.tag or fresh(work, of or x.kind, given)
        head, body = work.text(item, Span(x.start, x.opening)), work.text(item, Span(x.opening, x.behind))
        out += f"{head} {'' if x.tag else name} {body}; "
        edits.append((Span(x.start, x.behind), f"{x.kind} {name}"))
    return out


def _is_missing(tu: TU, s: Symbol) -> bool:
    """Whether devices know nothing of a variable that they should have; one without a size is another file's."""
    known = on_device(tu, s) or s.from_system_header or sizeof(s.type, tu.model) is None
    return s.kind == "var" and s.level == "file" and not known


def _has_size_later(tu: TU, s: Symbol) -> bool:
    """Whether this file defines a variable that has no size yet: a directive about it would have to stand behind."""
    last = tu.symbols.get(s.name)
    return sizeof(s.type, tu.model) is None and last is not None and _is_missing(tu, last)


def _addressed(item: Item, d: VarDecl) -> Iterator[Expr]:
    """What pointers in a variable begin with the address of: literals and variables."""
    slot = read(d.init, d.symbol.type, item.content.text) if isinstance(d.init, ast.InitList) else None
    for value, t in leaves(slot) if slot is not None else [(d.init, d.symbol.type)]:
        if value is not None:
            yield from _within(item, value, t)


def _within(item: Item, value: Expr, t: CType) -> Iterator[Expr]:
    plain = bare(value)
    if isinstance(plain, CompoundLiteral) and isinstance(t, (Array, Record)):  # gcc takes it as an initializer
        for inner, of in leaves(read(plain.init, plain.of, item.content.text)):
            yield from _within(item, inner, of)
        return
    if isinstance(t, Pointer):
        yield from addressed(value)
