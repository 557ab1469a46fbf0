"""What the parts of the adapter share: the text, spans, the scope, depth and taint."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache

from tree_sitter import Node

from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.ctype import CType, RecordBody
from ompls.analysis.model.scope import FileScope, Scope
from ompls.analysis.model.sema import Sema
from ompls.analysis.model.tu import SyntaxNote


@lru_cache(maxsize=1024)  # the same few words stand in all functions, and in what is made of them
def _word(text: bytes) -> str:
    return sys.intern(decoded(text))


class RedefinedRecordError(Exception):
    """A record that an unchanged declaration shares got other members: everything has to be analysed again."""


@dataclass
class Declared:
    """One declarator read: `name` is "" when abstract."""

    type: CType
    name: str = ""
    node: Node | None = None
    dims: list[ast.Expr] = field(default_factory=list)
    params: list[ast.Symbol] | None = None  # of the function the name itself is


class Reader(ABC):
    """Reads one external declaration.

    source -- the bytes the nodes' offsets count in (the expanded text, or a small text parsed on its own)
    shift -- added to a node's offset to get one relative to the item
    """

    def __init__(self, source: bytes, shift: int, file: FileScope, sema: Sema, level: int = 0) -> None:
        self.source = source
        self.shift = shift
        self.file = file
        self.sema = sema
        self.depth = level
        self.tainted: list[Span] = []
        self.calls: dict[str, ast.Symbol] = {}
        self.strangers: dict[str, None] = {}  # called, and not declared before
        self.defining: list[RecordBody] = []
        self.notes: list[SyntaxNote] = []  # their offsets are relative to the item

    # The parts of the adapter call each other through these.

    @abstractmethod
    def expr(self, n: Node) -> ast.Expr: ...

    @abstractmethod
    def type_name(self, n: Node) -> CType: ...

    @abstractmethod
    def compound(self, n: Node) -> ast.Compound: ...

    @abstractmethod
    def initializer(self, n: Node, target: CType) -> ast.Expr: ...

    @abstractmethod
    def other(self, n: Node, parts: tuple[Node, ...] | None = None) -> ast.Expr: ...

    @abstractmethod
    def declarator(self, n: Node, base: CType) -> Declared: ...

    @abstractmethod
    def declare(self, symbol: ast.Symbol) -> ast.Symbol: ...

    def span(self, n: Node) -> Span:
        return Span(n.start_byte + self.shift, n.end_byte + self.shift)

    def text(self, n: Node) -> str:
        return _word(self.source[n.start_byte : n.end_byte])

    def taint(self, n: Node) -> None:
        self.tainted.append(self.span(n))

    def enter(self) -> Scope:
        """Open a block scope."""
        self.sema.scope = scope = Scope(self.sema.scope)
        return scope

    def leave(self) -> None:
        scope = self.sema.scope
        assert isinstance(scope, Scope)
        self.sema.scope = scope.parent

    def is_type(self, name: str) -> bool:
        """Whether `name` is a typedef name here."""
        symbol = self.sema.scope.lookup(name)
        return symbol is not None and symbol.kind == "typedef"


def broken(n: Node) -> bool:
    """Whether the grammar had to skip or invent something directly in `n`."""
    return n.has_error and any(c.is_error or c.is_missing for c in n.children)


def named(n: Node) -> list[Node]:
    """The named children without comments."""
    return [c for c in n.named_children if c.type != "comment"]


def words(text: str) -> frozenset[str]:
    """The words of `text`, for tables of names."""
    return frozenset(text.split())
