"""Which names are visible at a place of the main file, and which directive of the model a written pragma is."""

from __future__ import annotations

import bisect
import re

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Node, Symbol
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.items import Group
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.source import EMPTY_SNAPSHOT
from ompls.analysis.syntax.split import Splitter

_BRACES = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|(?P<brace>[{}])", re.S)


def expanded_offset(tu: TU, offset: int) -> int:
    """The expanded offset of byte `offset` of the main file; of the nearest byte before it that has one."""
    return tu.map.expanded(tu.path, offset)


def item_at(tu: TU, x: int) -> Item | None:
    """The external declaration that holds expanded offset `x`."""
    return next((i for i in tu.items.between(x - 1, x) if i.start <= x <= i.end), None)


def statement_of(tu: TU, item: Item | None, start: int) -> DirectiveStmt | None:
    """The statement of the pragma whose `#` is at byte `start` of the main file."""
    if item is None:
        return None
    for stmt in item.content.directives:
        where = tu.locate(item, stmt.directive.span)
        if where.start == start and where.path == tu.path:
            return stmt
    return None


def enclosing(item: Item | None, x: int) -> list[DirectiveStmt]:
    """The constructs whose body holds expanded offset `x`, outermost first."""
    if item is None:
        return []
    at = x - item.start
    return [
        s for s in item.content.directives if s.body is not None and s.directive.span.end <= at < s.body.span.end
    ]  # fmt: skip


def visible(tu: TU, x: int) -> dict[str, Symbol]:
    """The names that are declared in this unit and mean something at expanded offset `x`; headers' are left out."""
    groups = tu.items.groups
    names: dict[str, Symbol] = {}
    for _, group in groups:
        names.update(_constants(group))
    for _, group in groups[: max(0, bisect.bisect_right(groups, x - 1, key=lambda group: group[0]) - 1)]:
        names.update(group.names)
    begun, typed = (x, b"") if in_function(tu, x) else _unclosed(tu, x)
    for item in tu.items.between(x - 1, x):
        if item.start >= x:
            break
        _outer(item.content.node, names, item.end <= begun)
        if item.end >= x:
            _inner(item.content.node, x - item.start, names)
    names.update(_closed(tu, typed))
    return names


def _constants(group: Group) -> dict[str, Symbol]:
    """The enumeration constants that a group declares; kept with it, so that a key does not ask thousands of names."""
    found: dict[str, Symbol] | None = group.memo.get("constants")
    if found is None:
        found = {s.name: s for s in group.names.values() if s.kind == "enumconst" and not s.from_system_header}
        group.memo["constants"] = found
    return found


def in_function(tu: TU, x: int) -> bool:
    """Whether expanded offset `x` is between the braces of a function that the model understands."""
    item = item_at(tu, x)
    node = item.content.node if item is not None else None
    if item is None or not isinstance(node, FunctionDef):
        return False
    return node.body.span.start < x - item.start < node.body.span.end


def in_unclosed(tu: TU, x: int) -> bool:
    """Whether it is in a function that is still being typed, its braces not closed yet."""
    return bool(_unclosed(tu, x)[1])


def _unclosed(tu: TU, x: int) -> tuple[int, bytes]:
    """Where the unfinished function begins at the end of which `x` is, and its text with its braces closed; (x, b"") if
    there is none."""
    chunks = Splitter().split(tu.expanded[:x])
    text = tu.expanded[chunks[-1][0] : x] if chunks else b""
    braces = [m["brace"] for m in _BRACES.finditer(text) if m["brace"]]
    missing = braces.count(b"{") - braces.count(b"}")
    if not 0 < missing <= 50 or len(text) >= 100_000:
        return x, b""
    return chunks[-1][0], text + b"\n;" + b"}" * missing


def _closed(tu: TU, text: bytes) -> dict[str, Symbol]:
    """The names at the end of `text`, which stands for a function."""
    if not text:
        return {}
    closed = Analyzer().analyze(tu.path, text, EMPTY_SNAPSHOT, tu.settings)
    x = text.rindex(b"\n;") + 1
    return visible(closed, x) if in_function(closed, x) else {}


def _outer(node: Node, names: dict[str, Symbol], ended: bool) -> None:
    """What an external declaration adds to the file scope: a broken one that has `ended`, all that it declares."""
    if isinstance(node, FunctionDef):
        names[node.symbol.name] = node.symbol
    elif isinstance(node, ast.Declaration) or (ended and isinstance(node, ast.DeclStmt)):
        for decl in node.decls:
            names[decl.symbol.name] = decl.symbol
    elif isinstance(node, ast.OtherStmt):
        for part in node.parts:
            _outer(part, names, ended)


def _inner(node: Node, at: int, names: dict[str, Symbol]) -> None:
    """What blocks, parameters and `for` loops around `at` add; `at` counts as spans do."""
    while True:
        if isinstance(node, FunctionDef):
            names.update((p.name, p) for p in node.params if p.name)
        below: Node | None = None
        for child in node.children():
            if isinstance(child, ast.DeclStmt) and child.span.start < at:
                names.update((d.symbol.name, d.symbol) for d in child.decls)
            elif child.span.start < at < child.span.end:
                below = child
        if below is None:
            return
        node = below
