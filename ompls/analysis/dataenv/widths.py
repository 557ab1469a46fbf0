"""Numbers of a kernel's own that have fewer bits on the device: what the host's would hold is cut there without a word.

A size or an address (`size_t`) fits on each machine.  So does what is written as a type of one size (`int64_t`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node, Span
from ompls.analysis.model.ctype import CType, Integer, Record, innermost
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.peel import bare

_OF_THE_MACHINE = re.compile(rb"\b(s?size|ptrdiff|u?intptr)_t\b")
_GROWS = ("*", "<<", "*=", "<<=")


class Narrow(NamedTuple):
    """Where a number is declared or made, what it is called (names in backticks), and its type."""

    span: Span
    what: str
    type: Integer

    def sizes(self, host: DataModel, device: DataModel) -> str:
        """How the type differs; `{}` stands for the device."""
        instead = "int64_t" if self.type.signed else "uint64_t"
        here, there = sizeof(self.type, host), sizeof(self.type, device)
        of = f"`{declare(self.type)}`, which has {here} bytes on the host and {there} on {{}}"
        return f"{of}: larger numbers are cut there; use `{instead}`"


def narrow(node: Node, text: bytes, host: DataModel, device: DataModel) -> Iterator[Narrow]:
    """The variables that `node` declares, and the operands that it converts so that a product fits.

    text -- what the spans in `node` count in
    """
    for n in node.walk():
        if isinstance(n, ast.DeclStmt):
            for d in n.decls:
                if not _OF_THE_MACHINE.search(text[n.span[0] : d.name_span[0]]):
                    yield from _declared(d.symbol, d.name_span, host, device)
        elif isinstance(n, ast.FunctionDef):
            if not _OF_THE_MACHINE.search(text[n.header[0] : n.header[1]]):
                for s in n.params:
                    yield from _declared(s, s.span or n.name_span, host, device)
        elif isinstance(n, (ast.Binary, ast.Assign)) and n.op in _GROWS:
            operands = (n.left, n.right) if isinstance(n, ast.Binary) else (n.value,)
            for cast in (c for e in operands if isinstance(c := bare(e), ast.Cast)):
                to = _of_two_sizes(cast.to, host, device)
                if to is not None and not _OF_THE_MACHINE.search(text[cast.type_span[0] : cast.type_span[1]]):
                    yield Narrow(cast.span, "this", to)


def _declared(s: ast.Symbol, span: Span, host: DataModel, device: DataModel) -> Iterator[Narrow]:
    t = innermost(s.type)
    if isinstance(t, Record):
        for member, of in _members(t, host, device):
            yield Narrow(span, f"the {member} in `{s.name}`", of)
            return
    elif (own := _of_two_sizes(t, host, device)) is not None:
        yield Narrow(span, f"`{s.name}`", own)


def _members(t: Record, host: DataModel, device: DataModel) -> Iterator[tuple[str, Integer]]:
    name = f"`{t.kind} {t.tag}`" if t.tag else f"the {t.kind}"
    for f in t.body.fields or ():
        inner = innermost(f.type)
        if isinstance(inner, Record):
            yield from _members(inner, host, device)
        elif f.bits is None and (of := _of_two_sizes(inner, host, device)) is not None:
            yield f"member `{f.name}` of {name}", of


def _of_two_sizes(t: CType, host: DataModel, device: DataModel) -> Integer | None:
    if not isinstance(t, Integer):
        return None
    here, there = sizeof(t, host), sizeof(t, device)
    return t if here is not None and there is not None and there < here else None
