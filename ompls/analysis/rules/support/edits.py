"""Quick fixes that several rules make: a directive on a line of its own, a clause more, a list item or a clause taken out."""

from __future__ import annotations

from bisect import bisect_left

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Span
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.patterns import later
from ompls.analysis.rules.support.framework import Change, Quotes, Scene

_DEEPER = "    "  # what is inside of a statement is indented by
_COMMENT = later(rb"[ \t]*(?://[^\n]*|/\*[^\n]*\*/[ \t]*)?\r?")


def insert_before(
    scene: Scene, node: Node, directive: str, quotes: Quotes = (), *, safe: bool = False, split: bool = False
) -> tuple[Change, ...]:
    """The fix that puts a stand-alone directive on a line of its own before the innermost statement of a block that
    holds `node`."""
    if scene.function is None:
        return ()
    around = in_blocks(scene.function.body, node.span)
    return line_before(scene, around[-1], directive, quotes, safe=safe, split=split) if around else ()


def with_clause(directive: Directive, clause: str, quotes: Quotes = (), *, safe: bool = False) -> Change:
    """The fix that gives a directive one clause more."""
    end = directive.span.end
    return Change(f"Add `{clause}`", Span(end, end), f" {clause}", safe=safe, quotes=quotes)


def sharing(directive: Directive, symbol: ast.Symbol, clause: str, *, safe: bool = False) -> Change:
    """The fix that gives a variable a data-sharing clause: in the place of `shared`, where that says otherwise."""
    for other in directive.all("shared"):
        rest = [item for item in other.items if item.symbol is not symbol]
        if len(rest) < len(other.items):
            kept = f"shared({', '.join(item.text for item in rest)}) " if rest else ""
            quotes = tuple([(item.text, item.span) for item in rest])
            return Change(
                f"Make it `{clause}` instead of `shared`", other.span, kept + clause, safe=safe, quotes=quotes
            )
    return with_clause(directive, clause, safe=safe)


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


def line_before(
    scene: Scene, stmt: ast.Stmt, directive: str, quotes: Quotes = (), *, safe: bool = False, split: bool = False
) -> tuple[Change, ...]:
    """The fix that puts a directive before a statement.

    split -- also before one that shares its line: it gets a line of its own
    """
    content = scene.content.text if scene.content is not None else b""
    start = stmt.span.start
    line = content.rfind(b"\n", 0, start) + 1
    before = content[line:start]
    indent = before[: len(before) - len(before.lstrip())].decode()
    newline = "\r\n" if b"\r\n" in content else "\n"
    text = f"#pragma omp {directive}{newline}{indent}"
    where = Span(start, start)
    if before.strip() or line == 0:
        if not split:
            return ()
        where = Span(line + len(before.rstrip()), start)
        text = f"{newline}{indent}{_DEEPER}#pragma omp {directive}{newline}{indent}{_DEEPER}"
    title = f"Insert `#pragma omp {directive}` before the statement"
    return (Change(title, where, text, safe=safe, quotes=quotes),)


def line_after(
    scene: Scene, stmt: ast.Stmt, directive: str, quotes: Quotes = (), *, safe: bool = False
) -> tuple[Change, ...]:
    """The fix that puts a directive behind a statement; nothing for one that shares its last line with code."""
    content = scene.content.text if scene.content is not None else b""
    first = content.rfind(b"\n", 0, stmt.span.start) + 1
    end = content.find(b"\n", stmt.span.end)
    indent, rest = content[first : stmt.span.start], content[stmt.span.end : end]
    if indent.strip() or first == 0 or end < 0 or not _COMMENT.fullmatch(rest):
        return ()
    newline = "\r\n" if rest.endswith(b"\r") else "\n"
    at = end - rest.endswith(b"\r")
    title = f"Insert `#pragma omp {directive}` behind the statement"
    text = f"{newline}{indent.decode()}#pragma omp {directive}"
    return (Change(title, Span(at, at), text, safe=safe, quotes=quotes),)


def in_blocks(body: ast.Compound, span: Span) -> list[ast.Stmt]:
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
