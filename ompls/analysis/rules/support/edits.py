"""Quick fixes that several rules make: a directive on a line of its own, a clause more, a list item or a clause taken out."""

from __future__ import annotations

from bisect import bisect_left

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Span, Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.rules.support.framework import Change, Quotes, Scene


def insert_before(scene: Scene, node: Node, directive: str, quotes: Quotes = ()) -> tuple[Change, ...]:
    """The fix that puts a stand-alone directive on a line of its own before the innermost statement of a block that
    holds `node`."""
    if scene.function is None:
        return ()
    around = _in_blocks(scene.function.body, node.span)
    return _line_before(scene, around[-1], directive, quotes) if around else ()


def update_from(scene: Scene, read: Span) -> tuple[Change, ...]:
    """The fix that brings data back before the host reads them, before the whole loop that does if it has no region."""
    if scene.function is None:
        return ()
    stmt = next((s for s in _in_blocks(scene.function.body, read) if not _has_region(s)), None)
    text, quotes = _data_at(scene, read)
    return _line_before(scene, stmt, f"target update from({text})", quotes) if stmt is not None and text else ()


def update_to(scene: Scene, region: ast.DirectiveStmt, read: Span) -> tuple[Change, ...]:
    """The fix that takes data to the device before a region that reads them."""
    text, quotes = _data_at(scene, read)
    return insert_before(scene, region, f"target update to({text})", quotes) if text else ()


def with_clause(directive: Directive, clause: str, quotes: Quotes = ()) -> Change:
    """The fix that gives a directive one clause more."""
    end = directive.span.end
    return Change(f"Add `{clause}`", Span(end, end), f" {clause}", safe=False, quotes=quotes)


def without_item(directive: Directive, clause: Clause, item: ListItem, *, safe: bool) -> Change:
    """The fix that takes an item out of its list, with the clause if it is the only one."""
    items = clause.items
    number = bisect_left(items, item.span.start, key=lambda i: i.span.start)  # they stand in the order of their places
    if len(items) == 1:
        return without_clause(directive, clause, safe=safe)
    gone = Span(items[number - 1].span.end, item.span.end) if number else Span(item.span.start, items[1].span.start)
    return Change(f"Remove `{item.text}` from `{clause.name}`", gone, "", safe=safe)


def without_clause(directive: Directive, clause: Clause, *, safe: bool) -> Change:
    """The fix that takes a clause out, with what separates it from the others: no comma stays behind the name."""
    number = next(k for k, c in enumerate(directive.clauses) if c is clause)
    start, end = clause.span
    if number:
        start = directive.clauses[number - 1].span.end
    elif len(directive.clauses) > 1:
        end = directive.clauses[1].span.start
    elif not directive.args:
        start = directive.name_span.end
    return Change(f"Remove `{clause.name}`", Span(start, end), "", safe=safe)


def _data_at(scene: Scene, span: Span) -> tuple[str, Quotes]:
    """The list item for all of what is accessed at a place: an array's name, or a section that is mapped around it."""
    nodes = scene.function.body.walk() if scene.function is not None else ()
    found = next((n for n in nodes if n.span == span and isinstance(n, ast.Expr)), None)
    symbol = root(found) if found is not None else None
    if symbol is None or isinstance(found, ast.Member):
        return "", ()
    if not isinstance(symbol.type, Pointer):
        return symbol.name, ()
    items = (item for d in scene.directives if "data" in d.name for item in _sections(d, symbol))
    return next(((item.text, ((item.text, item.span),)) for item in items), ("", ()))


def _sections(directive: Directive, symbol: Symbol) -> list[ListItem]:
    listed = [i for c in directive.all("map") for i in c.items]
    own = [i for i in listed if isinstance(i.expr, ast.Section) and isinstance(i.expr.base, ast.Name)]
    return [i for i in own if root(i.expr) is symbol]


def _line_before(scene: Scene, stmt: ast.Stmt, directive: str, quotes: Quotes = ()) -> tuple[Change, ...]:
    """Nothing for a statement that shares its line."""
    content = scene.content.text if scene.content is not None else b""
    start = stmt.span.start
    line = content.rfind(b"\n", 0, start) + 1
    indent = content[line:start]
    if indent.strip() or line == 0:
        return ()
    newline = "\r\n" if content[line - 2 : line] == b"\r\n" else "\n"
    title = f"Insert `#pragma omp {directive}` before the statement"
    text = f"#pragma omp {directive}{newline}{indent.decode()}"
    return (Change(title, Span(start, start), text, safe=False, quotes=quotes),)


def _in_blocks(body: ast.Compound, span: Span) -> list[ast.Stmt]:
    """The statements of blocks that hold `span`, outermost first."""
    found: list[ast.Stmt] = []
    waiting: list[tuple[Node, bool]] = [(body, False)]
    while waiting:
        node, in_block = waiting.pop()
        if not node.span.start <= span.start or not span.end <= node.span.end:
            continue
        if in_block and isinstance(node, ast.Stmt):
            found.append(node)
        waiting.extend((child, isinstance(node, ast.Compound)) for child in node.children())
    return found


def _has_region(stmt: Node) -> bool:
    return any(isinstance(n, ast.DirectiveStmt) and n.directive.has("target") for n in stmt.walk())
