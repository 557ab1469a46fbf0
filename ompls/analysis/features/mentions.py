"""Hover on what a directive or a construct's code names, where no target region says more: its declaration, and what
is done to it."""

from __future__ import annotations

import re

from ompls.analysis.dataenv.paths import root
from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.features.amounts import bytes_of
from ompls.analysis.features.declared import declared
from ompls.analysis.features.navigation import word_at
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Span, walk_all
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.analysis.spec import CLAUSES, DIRECTIVES

DIRECTION = {
    "to": "copied to the device at entry",
    "from": "copied back at exit",
    "tofrom": "copied to the device at entry and back at exit",
    "alloc": "allocated on the device, not copied",
    "storage": "allocated on the device, not copied",
    "release": "its reference count goes down",
    "delete": "removed from the device",
}
_UPDATED = {"to": "the device's copy gets the host's values", "from": "the host gets the values of the device's copy"}
_DEFINITION = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([\w$\x80-\xff]+)(?:\\\r?\n|[^\r\n])*", re.MULTILINE)
_OWN = {
    "omp_in": "the value that comes in",
    "omp_out": "takes the combined value",
    "omp_priv": "the private copy that the initializer sets",
    "omp_orig": "the original variable",
}


def mention_text(tu: TU, place: Item | FileDirective, directive: Directive, offset: int) -> str | None:
    """Markdown about the variable, member, function or macro at byte `offset` in a directive."""
    for clause in directive.clauses:
        for item in clause.items:
            text = named_text(tu, place, item.expr, offset)
            if text is not None:
                return f"{text}\n\n{_done(tu, directive, clause, item)}"
        for argument in clause.args:
            text = named_text(tu, place, argument, offset)
            if text is not None:
                return f"{text}\n\nIn `{clause.name}` of `{directive.name}`: {_summary(clause.name)}."
    for item in directive.args:
        text = named_text(tu, place, item.expr, offset)
        if text is not None:
            return f"{text}\n\n`{directive.name}`: {DIRECTIVES[directive.name].summary}." if directive.known else text
    return _word(tu, directive, offset)


def named_text(tu: TU, place: Item | FileDirective, code: Node, offset: int) -> str | None:
    """The declaration of what an expression or a statement names at `offset`."""
    for node in walk_all(code):
        if isinstance(node, ast.VarDecl) and _holds(tu, place, node.name_span, offset, node.symbol.name):
            return f"```c\n{declared(tu, node.symbol.type, node.symbol.name)}\n```"
        if isinstance(node, ast.Member) and _holds(tu, place, node.field_span, offset, node.field):
            return f"```c\n{declared(tu, node.type, node.field)}\n```"
        if isinstance(node, ast.Name) and node.symbol is not None and _holds(tu, place, node.span, offset, node.name):
            return f"```c\n{declared(tu, node.symbol.type, node.name)}\n```"
    return None


def _done(tu: TU, directive: Directive, clause: Clause, item: ListItem) -> str:
    """What the clause does to the list item."""
    symbol = item.symbol or root(item.expr)
    size = bytes_of(symbol, item, tu.model) if symbol is not None else ""
    if clause.name == "map":
        kind = clause.keyword or "tofrom"
        said = "".join(f"{m}, " for m in clause.modifiers)
        what = DIRECTION.get(kind, _summary("map"))
        return f"`{directive.name}` has `{item.text}` in **map({said}{kind})**: {what}{size}."
    if clause.name in _UPDATED and directive.name == "target update":
        return f"`{directive.name}` has `{item.text}` in **{clause.name}**: {_UPDATED[clause.name]}{size}."
    kind = f"({clause.keyword}: …)" if clause.keyword else ""
    return f"`{directive.name}` has `{item.text}` in **{clause.name}{kind}**: {_summary(clause.name)}."


def _summary(clause: str) -> str:
    spec = CLAUSES.get(clause)
    return spec.summary if spec is not None else "a clause that OpenMP does not have"


def _word(tu: TU, directive: Directive, offset: int) -> str | None:
    """The definition of the file's macro whose name is at `offset`, or what OpenMP's own variables are."""
    start = max(0, offset - 200)
    words = re.finditer(rb"[A-Za-z_]\w*", tu.source[start : offset + 200])
    name = next((m[0] for m in words if m.start() <= offset - start < m.end()), None)
    if name is None:
        return None
    if directive.name == "declare reduction" and decoded(name) in _OWN:
        return f"**{decoded(name)}**: {_OWN[decoded(name)]}"
    return macro_text(tu, name, offset)


def macro_text(tu: TU, name: bytes, offset: int) -> str | None:
    """How a macro is defined: in the file before `offset`, else in one of the project's headers."""
    for text in [tu.source[:offset], *[text for _, text in tu.headers.values()]]:
        if b"define" in text and name in text and (found := [m[0] for m in _DEFINITION.finditer(text) if m[1] == name]):
            return f"```c\n{found[-1].decode('utf-8', 'replace').strip()}\n```"
    return None


def _holds(tu: TU, place: Item | FileDirective, span: Span, offset: int, name: str) -> bool:
    """Whether the name stands at `offset`; of what a macro's invocation stands for, whether it is written there."""
    where = tu.locate(place, span)
    if where.path != tu.path or not where.start <= offset < where.end:
        return False
    return tu.source[slice(*word_at(tu.source, offset))] == encoded(name)
