"""`use_device_ptr` and `use_device_addr` of `target data`: what the names mean in its body on the host.

A pointer is a new variable of its name that holds the device's address.  Anything else keeps its type: its name in the
body becomes an lvalue at the device's address (`&x`, `x[i]` and `sizeof x` mean what they say).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span, Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import TU, Item
from ompls.translate.ctext import place_of
from ompls.translate.problem import Problem

_CLAUSES = ("use_device_ptr", "use_device_addr")


@dataclass
class DeviceNames:
    """The names of one construct.

    lines   -- statements that look the addresses up, after the construct's items are mapped
    shadows -- declarations at the beginning of the body
    renamed -- what stands for other variables in the body
    """

    lines: list[str] = field(default_factory=list)
    shadows: list[str] = field(default_factory=list)
    renamed: dict[Symbol, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Renaming:
    """Inside of `span` of `item` the variable `name` is `text`."""

    item: Item
    span: Span
    name: str
    text: str


def device_names(tu: TU, item: Item, d: Directive, name: str) -> DeviceNames:
    """What the clauses ask for; `name` is the construct's, whose device is `__ompls_d_NAME`.  Raises Problem."""
    out = DeviceNames()
    for clause in d.all(*_CLAUSES):
        for entry in clause.items:
            root = _root(entry.expr)
            if root is None or entry.symbol is None or entry.symbol in out.renamed:
                raise Problem(entry.span, f"{clause.name}({entry.text})", "it is not one variable or a section of one")
            variable, there = root.name, f"__ompls_u_{root.name}_{name}"
            pointer = isinstance(root.type, Pointer)
            base = variable if pointer and not _itself(clause, entry) else f"&{variable}"
            begin = (
                base
                if root is bare(entry.expr)
                else place_of(lambda e: tu.text(item, e.span), entry.expr, tu.model).begin
            )
            out.lines.append(
                f"void *{there} = (char *)ompls_device_address(__ompls_d_{name}, (const void *)({begin})) "
                f"- ((const char *)({begin}) - (const char *)({base}));"
            )
            if base == variable:
                out.shadows.append(f"__typeof__({variable}) {variable} = (__typeof__({variable})){there};")
            else:
                out.renamed[entry.symbol] = f"(*(__typeof__({variable}) *){there})"
    return out


def _root(e: ast.Expr) -> ast.Name | None:
    """The variable that is listed, by itself or with subscripts and sections of its own."""
    e = bare(e)
    while isinstance(e, (ast.Section, ast.Index)):
        e = bare(e.base)
    return e if isinstance(e, ast.Name) else None


def _itself(clause: Clause, entry: ListItem) -> bool:
    """Whether the address of a pointer variable is meant, not what it points to."""
    return clause.name == "use_device_addr" and isinstance(bare(entry.expr), ast.Name)


def uses_to_rename(item: Item, stmt: DirectiveStmt, symbol: Symbol) -> Iterator[Span]:
    """The uses of a variable in the body of a construct, but for those that belong to such a construct inside."""
    inner = [
        s.span for s in item.content.directives
        if s is not stmt and stmt.span.start <= s.span.start and s.span.end <= stmt.span.end
        and any(e.symbol is symbol for c in s.directive.all(*_CLAUSES) for e in c.items)
    ]  # fmt: skip
    for n in stmt.body.walk() if stmt.body is not None else ():
        if isinstance(n, ast.Name) and n.symbol is symbol and not any(s.start <= n.span.start < s.end for s in inner):
            yield n.span


_TOKEN = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?:->|\.)\s*[A-Za-z_]\w*|[A-Za-z_]\w*)""")


def renamed(text: str, renamings: list[Renaming], item: Item, at: Span) -> str:
    """Statements of a construct at `at` in the words that hold there."""
    # Of two constructs around it the inner one's names hold.
    names = {r.name: r.text for r in renamings if r.item is item and r.span.start < at.start and at.end <= r.span.end}
    return with_names(text, names)


def with_names(text: str, names: dict[str, str]) -> str:
    """Statements of ours with what stands for each variable; members of its name stay."""
    return _TOKEN.sub(lambda m: names.get(m.group(), m.group()), text) if names else text
