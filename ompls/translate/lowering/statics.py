"""Static variables of functions of which there is one a device, whichever kernel uses them.

These are those of functions that several kernels call, and those that a `declare target` in their function lists.  Each
kernel is a file of its own, with its own text of the function.  So such a variable is moved in front of the function,
under `declare target`; it begins and lives as before, and has a name that nobody else uses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.model.ast import DeclStmt, DirectiveStmt, FunctionDef, Node, Span, Symbol, VarDecl
from ompls.analysis.model.omp import declare_target_list
from ompls.analysis.model.tu import Item
from ompls.translate.ctext import is_const, words
from ompls.translate.lowering.edits import on_one_line, pragma
from ompls.translate.lowering.round import Round
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
        shared = callers[name] > 1 or bool(elsewhere)
        said = _directives(defined[name])
        named = {i.symbol: mode for d in said for mode, i in declare_target_list(d.directive) if i.symbol is not None}
        for declaration in declarations:
            modes = {d.symbol: named.get(d.symbol, "enter") for d in declaration.decls if shared or d.symbol in named}
            if modes:
                _move(work, defined[name], declaration, modes, said)


def _directives(item: Item) -> list[DirectiveStmt]:
    """The `declare target` directives in a function."""
    return [s for s in item.content.directives if s.directive.name == "declare target"]


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


def _move(work: Round, item: Item, stmt: DeclStmt, modes: Mapping[Symbol, str], said: list[DirectiveStmt]) -> None:
    """Put `stmt` in front of its function.

    modes -- the variables of it that become `declare target` variables: 'enter' or 'link'
    said  -- the directives that may list them: they go
    """
    node = item.content.node
    assert isinstance(node, FunctionDef)
    named = set(_local_names(node)) - {d.symbol.name for d in stmt.decls}
    own = work.text(item, stmt.span)
    if named & words(own) or set(_TAG.findall(work.tu.text(item, node.body.span).replace(own, ""))) & words(own):
        if said:
            work.refuse(item, stmt.span, "a 'declare target' variable of a function", "its type is declared in there")
        return  # else who makes the kernels says what is not there
    taken = words(decoded(work.tu.expanded))
    names: dict[Symbol, str] = {}
    for d in stmt.decls:
        name = f"{node.symbol.name}_{d.symbol.name}"
        while name in taken:
            name += "_"
        names[d.symbol] = name
    gone = [d.span for d in said if _all_moved(d, names)]
    kept = [n for n in names_in(node) if n.symbol in names and not any(_within(n.span, span) for span in gone)]
    inside = [(n.span, names[n.symbol]) for n in kept if n.symbol and not _within(n.span, stmt.span)]
    begin = f"{_renamed(work, item, stmt, names)} {_listed(modes, names)}"
    work.replace(item, (Span(0, 0), begin), (stmt.span, ""), *((span, "") for span in gone), *inside)


def _all_moved(said: DirectiveStmt, names: dict[Symbol, str]) -> bool:
    """Whether the directive lists variables in `names` and none but those that are in front of the function."""
    listed = {i.symbol for _, i in declare_target_list(said.directive)}
    return bool(listed & names.keys()) and all(s in names or (s is not None and s.level == "file") for s in listed)


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start < outer.end


def _listed(modes: Mapping[Symbol, str], names: dict[Symbol, str]) -> str:
    """A `declare target` that lists the moved variables."""
    lists = {mode: ", ".join(names[s] for s, m in modes.items() if m == mode) for mode in ("enter", "link")}
    both = (f"{clause}({lists[mode]})" for mode, clause in (("enter", "to"), ("link", "link")) if lists[mode])
    return pragma(f"omp declare target {' '.join(both)}")


def _renamed(work: Round, item: Item, stmt: DeclStmt, names: dict[Symbol, str]) -> str:
    """The declaration with other names."""
    text = item.content.text[stmt.span.start : stmt.span.end]
    edits = [(n.span, names[n.symbol]) for n in names_in(stmt) if n.symbol in names]
    edits += [(d.name_span, names[d.symbol]) for d in stmt.decls]
    for span, name in sorted(edits, key=lambda e: -e[0].start):
        at, end = span.start - stmt.span.start, span.end - stmt.span.start
        text = text[:at] + encoded(name) + text[end:]
    return on_one_line(decoded(text)).strip()


def _local_names(f: FunctionDef) -> Iterator[str]:
    """What a declaration of `f` cannot name in front of it: parameters, variables, types."""
    yield from (p.name for p in f.params)
    for n in f.body.walk():
        if isinstance(n, DeclStmt):
            yield from (d.symbol.name for d in n.decls)
