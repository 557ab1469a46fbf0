"""Static variables of functions that several kernels call: there is one a device, whichever kernel calls the function.

Each kernel is a file of its own, with its own text of the function.  So such a variable is moved in front of the
function, under `declare target`; it begins and lives as before, and has a name that nobody else uses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ompls.analysis.model.ast import DeclStmt, FunctionDef, Node, Span, Symbol, VarDecl
from ompls.analysis.model.tu import Item
from ompls.translate.ctext import is_const
from ompls.translate.lowering.edits import on_one_line, pragma
from ompls.translate.lowering.round import Round
from ompls.translate.needs import words
from ompls.translate.uses import names_in

_TAG = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")


def lower(work: Round) -> None:
    defined = {i.content.node.symbol.name: i for i in work.tu.items if isinstance(i.content.node, FunctionDef)}
    statics = {name: found for name, i in defined.items() if b"static" in i.content.text and (found := _statics(i))}
    if not statics:
        return
    callers: Counter[str] = Counter()
    for item in work.tu.items:
        for region in item.content.regions:
            callers.update(_called(region.stmt, defined))
    for name, declarations in statics.items():
        s = defined[name].content.node.symbol  # type: ignore[union-attr]
        elsewhere = s.declare_target and s.storage != "static"  # kernels of other units may call it
        if callers[name] > 1 or elsewhere:
            for d in declarations:
                _move(work, defined[name], name, d)


def _statics(item: Item) -> list[DeclStmt]:
    """The declarations of static variables that change, outside of target constructs: there they are the kernel's."""
    node = item.content.node
    assert isinstance(node, FunctionDef)
    regions = [r.stmt.span for r in item.content.regions]
    found = (n for n in node.body.walk() if isinstance(n, DeclStmt) and any(_is_static(d) for d in n.decls))
    return [n for n in found if not any(r.start <= n.span.start < r.end for r in regions)]


def _is_static(d: VarDecl) -> bool:
    return d.symbol.kind == "var" and d.symbol.storage == "static" and not is_const(d.symbol.type)


def _called(stmt: Node, defined: dict[str, Item]) -> set[str]:
    """The functions of this unit that `stmt` names, and those that these name."""
    found: set[str] = set()
    todo = [stmt]
    while todo:
        for name in {n.name for n in names_in(todo.pop())} & defined.keys() - found:
            found.add(name)
            node = defined[name].content.node
            assert isinstance(node, FunctionDef)
            todo.append(node.body)
    return found


def _move(work: Round, item: Item, function: str, stmt: DeclStmt) -> None:
    node = item.content.node
    assert isinstance(node, FunctionDef)
    named = set(_local_names(node)) - {d.symbol.name for d in stmt.decls}
    own = work.text(item, stmt.span)
    if named & words(own) or set(_TAG.findall(work.tu.text(item, node.body.span).replace(own, ""))) & words(own):
        return  # it needs something of the function's: who makes the kernels says what is not there
    taken = words(work.tu.expanded.decode("utf-8", "replace"))
    names: dict[Symbol, str] = {}
    for d in stmt.decls:
        name = f"{function}_{d.symbol.name}"
        while name in taken:
            name += "_"
        names[d.symbol] = name
    uses = [(n.span, names[n.symbol]) for n in names_in(node) if n.symbol in names]
    listed = ", ".join(names.values())
    begin = f"{_renamed(work, item, stmt, names)} {pragma(f'omp declare target({listed})')}"
    inside = [(span, text) for span, text in uses if not stmt.span.start <= span.start < stmt.span.end]
    work.replace(item, (Span(0, 0), begin), (stmt.span, ";"), *inside)


def _renamed(work: Round, item: Item, stmt: DeclStmt, names: dict[Symbol, str]) -> str:
    """The declaration with other names."""
    text = work.tu.text(item, stmt.span).encode()
    edits = [(n.span, names[n.symbol]) for n in names_in(stmt) if n.symbol in names]
    edits += [(d.name_span, names[d.symbol]) for d in stmt.decls]
    for span, name in sorted(edits, key=lambda e: -e[0].start):
        at, end = span.start - stmt.span.start, span.end - stmt.span.start
        text = text[:at] + name.encode() + text[end:]
    return on_one_line(text.decode("utf-8", "replace")).strip()


def _local_names(f: FunctionDef) -> Iterator[str]:
    """What a declaration of `f` cannot name in front of it: parameters, variables, types."""
    yield from (p.name for p in f.params)
    for n in f.body.walk():
        if isinstance(n, DeclStmt):
            yield from (d.symbol.name for d in n.decls)
