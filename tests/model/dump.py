"""A unit as text: everything that must not depend on what was analysed before it."""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Record
from ompls.analysis.model.declare import declare
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, Region


def tree(root: ast.Node, depth: int = 0) -> list[str]:
    """One line a node, indented."""
    lines: list[str] = []
    waiting = [(root, depth)]
    while waiting:
        n, depth = waiting.pop()
        lines.append("  " * depth + node(n))
        waiting += [(c, depth + 1) for c in reversed(n.children())]
    return lines


def node(n: ast.Node) -> str:
    words = [type(n).__name__, f"{n.span.start}-{n.span.end}"]
    for name in ("op", "name", "text", "value", "field", "arrow", "postfix", "kind", "label"):
        value = getattr(n, name, None)
        if isinstance(value, (str, int)):
            words.append(f"{name}={value}")
    if isinstance(n, ast.Expr):
        words.append(": " + declare(n.type))
    if isinstance(n, ast.Name):
        words.append(symbol(n.symbol))
    if isinstance(n, (ast.VarDecl, ast.FunctionDef)):
        words.append(symbol(n.symbol))
    if isinstance(n, ast.DirectiveStmt):
        words.append(directive(n.directive))
    return " ".join(words)


def symbol(s: ast.Symbol | None) -> str:
    if s is None:
        return "<none>"
    size = f"{len(s.type.body.fields or ())} members" if isinstance(s.type, Record) else ""
    flags = f"{s.storage} {s.level} {s.defined} {s.inline} {s.declare_target} {s.value} {s.from_system_header}"
    return f"<{s.kind} {declare(s.type, s.name)} {flags} {s.span} {size}>"


def directive(d: Directive) -> str:
    clauses = [
        (c.name, c.keyword, c.modifiers, c.broken, [(i.text, symbol(i.symbol), declare(i.expr.type)) for i in c.items])
        for c in d.clauses
    ]
    return f"#{d.name} {d.span} {clauses}"


def region(r: Region) -> str:
    variables = [
        (v.symbol.name, v.sharing, v.implicit, [(m.map_type, m.zero_length) for m in v.maps], v.why)
        for v in r.variables
    ]
    return f"region {r.id} {r.tainted} {variables}"


def unit(tu: TU) -> str:
    lines: list[str] = []
    for item in tu.items:
        lines.append(f"item {item.start}-{item.end} tainted={item.content.tainted}")
        lines += tree(item.content.node, 1)
        lines += [directive(d.directive) for d in item.content.directives]
        lines += [region(r) for r in item.content.regions]
        lines.append("calls " + " ".join(s.name for s in item.content.calls))
    lines += [f"{d.start} {directive(d.directive)}" for d in tu.directives]
    lines += [f"{n.kind} {n.start}-{n.end} {n.message}" for n in tu.notes]
    own = tu.symbols.own.items()
    lines += [symbol(s) for _, s in sorted(own)]
    return "\n".join(lines)
