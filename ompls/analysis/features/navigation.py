"""Where a variable that is named in a pragma, or in the code of a construct, is declared and used.

Everywhere else a language server for C answers; in the code of constructs clangd (22) says nothing.  What the model
says decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ompls.analysis.encoding import encoded
from ompls.analysis.features.operators import directive_around
from ompls.analysis.features.scopes import enclosing, expanded_offset, item_at
from ompls.analysis.features.tokens import variables_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Span, Symbol, walk_all
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.analysis.source import Location

_WORD = re.compile(rb"[\w$\x80-\xff]+")
TAGGED = re.compile(rb"(?:\.|->|\b(?:struct|union|enum|goto)(?![\w$]))[ \t\r\n]*\Z")  # before a word of another kind


@dataclass(frozen=True, slots=True)
class Target:
    """The variable under a cursor.  `item` is the declaration it is local to (None: it is the file's)."""

    symbol: Symbol
    where: Location
    item: Item | None


def target_at(tu: TU, offset: int) -> Target | None:
    """The variable or function whose name in a pragma or in a construct's code holds byte `offset` of the main file."""
    found = directive_around(tu.source, offset)
    if found is None:
        return _in_code(tu, offset)
    for place, directive in directives_at(tu, expanded_offset(tu, found[1].place)):
        for name in names_of(directive):
            symbol = name.symbol
            if symbol is None or symbol.kind not in ("var", "param", "func"):
                continue
            item = place if isinstance(place, Item) and symbol.level != "file" else None
            for where in spelled(tu, tu.locate(place, name.span), name.name):
                if where.path == tu.path and where.start <= offset <= where.end and is_verbatim(tu, where, name.name):
                    return Target(symbol, where, item)
    return None


def _in_code(tu: TU, offset: int) -> Target | None:
    x = expanded_offset(tu, offset)
    item = item_at(tu, x)
    for construct in enclosing(item, x)[:1]:
        assert item is not None
        for node in walk_all(construct):
            symbol = node.symbol if isinstance(node, ast.Name | ast.VarDecl) else None
            if symbol is None or symbol.kind not in ("var", "param", "func"):
                continue
            where = tu.locate(item, node.name_span if isinstance(node, ast.VarDecl) else node.span)
            if where.path == tu.path and where.start <= offset <= where.end and is_verbatim(tu, where, symbol.name):
                return Target(symbol, where, item if symbol.level != "file" else None)
    return None


def definitions(tu: TU, offset: int) -> list[Location]:
    """Where the variable under the cursor is declared; in a header of the project too."""
    target = target_at(tu, offset)
    return [where for where, declares in occurrences(tu, target) if declares] if target is not None else []


def references(tu: TU, offset: int, declarations: bool = True) -> list[Location]:
    """Where the variable under the cursor is named, in order; a name in a macro's body is shown at its invocation."""
    target = target_at(tu, offset)
    if target is None:
        return []
    places = [where for where, declares in occurrences(tu, target) if declarations or not declares]
    found = [at for where in dict.fromkeys(places) for at in spelled(tu, where, target.symbol.name)]
    return sorted(dict.fromkeys(found))


def spelled(tu: TU, where: Location, name: str) -> list[Location]:
    """`where`; of a directive in another form (`_Pragma`, an attribute, a macro's argument), its words that may be the
    variable `name`, if there are any."""
    if where.path != tu.path or is_verbatim(tu, where, name):
        return [where]
    found = []
    for match in re.compile(_as_word(name)).finditer(tu.source, where.start, where.end):
        at = match.start()
        around = directive_around(tu.source, at)
        if around is not None and around[1].place == where.start and at in variables_of(*around):
            found.append(Location(tu.path, at, match.end()))
    return found or [where]


# --- occurrences in the model


def occurrences(tu: TU, target: Target) -> Iterator[tuple[Location, bool]]:
    """Every place that names the variable, and whether it declares it."""
    symbol = target.symbol
    items = [target.item] if target.item is not None else tu.items
    for item in items:
        for node in walk_all(item.content.node):
            if isinstance(node, ast.Name) and _same(node.symbol, symbol):
                yield tu.locate(item, node.span), False
            elif isinstance(node, ast.VarDecl) and _same(node.symbol, symbol):
                yield tu.locate(item, node.name_span), True
            elif isinstance(node, ast.FunctionDef):
                yield from _in_header(tu, item, node, symbol)
        for stmt in item.content.directives:
            for name in _arguments(stmt.directive):
                if _same(name.symbol, symbol):
                    yield tu.locate(item, name.span), False
    if target.item is None:
        for place in tu.directives:
            for name in names_of(place.directive):
                if _same(name.symbol, symbol):
                    yield tu.locate(place, name.span), False


def _in_header(tu: TU, item: Item, function: ast.FunctionDef, symbol: Symbol) -> Iterator[tuple[Location, bool]]:
    """The function's own name; a parameter's name, and its uses in the lengths of others (`int n, float x[n]`)."""
    if _same(function.symbol, symbol):
        yield tu.locate(item, function.name_span), True
    if symbol not in function.params:
        return
    start = function.header.start
    text = item.content.text[start : function.header.end]
    first = True
    for at in words_of(text, symbol.name, max(0, function.name_span.end - start), len(text)):
        if not TAGGED.search(text[:at]):
            yield tu.locate(item, Span(start + at, start + at + len(encoded(symbol.name)))), first
            first = False


def _same(a: Symbol | None, b: Symbol) -> bool:
    """File-scope names have a new symbol when a later declaration adds to them."""
    if a is b:
        return True
    return a is not None and a.level == b.level == "file" and a.name == b.name and a.kind == b.kind


def directives_at(tu: TU, x: int) -> Iterator[tuple[Item | FileDirective, Directive]]:
    item = item_at(tu, x)
    if item is not None:
        for stmt in item.content.directives:
            span = stmt.directive.span
            if item.start + span.start <= x + 1 and x <= item.start + span.end:
                yield item, stmt.directive
    for place in tu.directives:
        if place.start <= x <= place.end:
            yield place, place.directive


def names_of(directive: Directive) -> Iterator[ast.Name]:
    for clause in directive.clauses:
        for expr in (*(i.expr for i in clause.items), *clause.args):
            yield from _names(expr)
    yield from _arguments(directive)


def _arguments(directive: Directive) -> Iterator[ast.Name]:
    for item in directive.args:
        yield from _names(item.expr)


def _names(node: Node) -> Iterator[ast.Name]:
    return (n for n in walk_all(node) if isinstance(n, ast.Name))


def is_verbatim(tu: TU, where: Location, name: str) -> bool:
    return tu.source[where.start : where.end] == encoded(name)


def _as_word(name: str) -> bytes:
    """A pattern of the name as an identifier of its own."""
    return rb"(?<![\w$\x80-\xff])" + re.escape(encoded(name)) + rb"(?![\w$\x80-\xff])"


def word_at(source: bytes, offset: int) -> tuple[int, int]:
    """Where the word that a hover at byte `offset` is about begins and ends."""
    start = end = offset
    while start and _WORD.match(source, start - 1):
        start -= 1
    found = _WORD.match(source, end)
    return start, found.end() if found is not None else end


def words_of(source: bytes, name: str, start: int, end: int) -> Iterator[int]:
    """Where the identifier `name` stands outside of comments and strings."""
    pattern = re.compile(
        rb"/\*.*?(?:\*/|\Z)|//(?:\\\r?\n|[^\n])*|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?"
        rb"|(?P<name>" + _as_word(name) + rb")",
        re.S,
    )
    for match in pattern.finditer(source, start, end):
        if match["name"] is not None:
            yield match.start()
