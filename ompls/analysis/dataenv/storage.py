"""What needs memory near to a thread: its arrays and structures where they are most, and `ompx_local`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeVar

from ompls.analysis.dataenv.private import COPYING
from ompls.analysis.dataenv.traffic import mapped_bytes
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, Record
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.tu import MapItem, Region

N = TypeVar("N", bound=ast.Node)
_LEAST = 64  # bytes: a smaller structure may be in registers


Last = ast.VarDecl | ast.Name | ast.DirectiveStmt | None


class Depth(NamedTuple):
    """Bytes of variables that are there at once, at most.

    at -- the variable, the called function's name, or the construct with copies that is the last of them in the text
          that was asked about
    """

    size: int
    at: Last
    alone: bool = False  # there is no other one


BodyOf = Callable[[str], ast.Node | None]


def depth(node: ast.Node, model: DataModel, body_of: BodyOf, above: int) -> Depth | None:
    """What a thread has of arrays and structures where they are most: in blocks that lie in each other, in functions
    that are called there, and in the copies that constructs make.  A function that calls itself counts once.

    above -- more than so many bytes, else None: mostly the sum of all is not more, and quick to say
    """
    if _all(node, model, body_of) <= above:
        return None
    found = _Depths(model, body_of).of(node)
    return found if found.size > above else None


def _all(node: ast.Node, model: DataModel, body_of: BodyOf) -> int:
    """The sum, of each function once."""
    seen, waiting, total = set[str](), [node], 0
    while waiting:
        one = waiting.pop()
        total += sum(_sizes(one, model))
        for name in _called(one):
            if name not in seen and (body := body_of(name)) is not None:
                waiting.append(body)
            seen.add(name)
    return total


def place(at: ast.Node) -> ast.Span:
    """Of the variable's name, the called function's, or the directive."""
    if isinstance(at, ast.DirectiveStmt):
        return at.directive.span
    return at.name_span if isinstance(at, ast.VarDecl) else at.span


def said(found: Depth) -> str:
    """In words, for who is told at that place."""
    if isinstance(found.at, ast.VarDecl):
        name = f"`{found.at.symbol.name}`"
        if found.alone:
            return f"{name} takes {found.size:,} bytes"
    else:
        name = "what is called here" if isinstance(found.at, ast.Name) else "the copies that this makes"
    return f"with {name}, variables take {found.size:,} bytes at once"


class _Depths:
    def __init__(self, model: DataModel, body_of: BodyOf) -> None:
        self._model, self._body_of = model, body_of
        self._functions: dict[str, int] = {}

    def of(self, scope: ast.Node) -> Depth:
        """All of a scope's own variables are there during what lies in it."""
        own: list[int] = []
        last: Last = None
        deepest = Depth(0, None)
        waiting = [scope]
        while waiting:
            node = waiting.pop()
            inner = Depth(0, None)
            if isinstance(node, ast.Compound | ast.For) and node is not scope:
                inner = self.of(node)
            else:
                waiting.extend(reversed(list(node.children())))
            if isinstance(node, ast.VarDecl) and (size := _size(node.symbol, self._model)):
                own.append(size)
                last = node
            elif isinstance(node, ast.DirectiveStmt) and (copies := _copies(node, self._model)):
                own += copies
                last = node
            elif isinstance(node, ast.Call) and isinstance(node.function, ast.Name):
                inner = Depth(self._function(node.function.name), node.function)
            if inner.size > deepest.size:
                deepest = inner
        if not own:
            return deepest
        return Depth(sum(own) + deepest.size, deepest.at or last, len(own) == 1 and deepest.size == 0)

    def _function(self, name: str) -> int:
        if name not in self._functions:
            self._functions[name] = 0  # while it is looked at
            body = self._body_of(name)
            self._functions[name] = 0 if body is None else self.of(body).size
        return self._functions[name]


def _copies(stmt: ast.DirectiveStmt, model: DataModel) -> list[int]:
    """Of whole variables of which a thread gets a copy on its stack.  A region and a task have the values of theirs."""
    elsewhere = {"in_reduction"}  # the copy is where the reduction was begun
    if {"target", "task", "taskloop"} & set(stmt.directive.constructs):
        elsewhere.add("firstprivate")
    clauses = stmt.directive.all(*[name for name in COPYING if name not in elsewhere])
    listed = {i.symbol for c in clauses for i in c.items if i.symbol is not None and isinstance(i.expr, ast.Name)}
    return [size for symbol in listed if (size := _size(symbol, model))]


def _size(symbol: Symbol, model: DataModel) -> int:
    if symbol.kind != "var" or not isinstance(symbol.type, Array | Record):
        return 0
    size = 0 if symbol.storage in ("static", "extern") else sizeof(symbol.type, model) or 0
    return size if size >= _LEAST else 0


@lru_cache(maxsize=1024)  # a function that many regions call
def _sizes(node: ast.Node, model: DataModel) -> tuple[int, ...]:
    declared = [_size(n.symbol, model) for n in _nodes(node, ast.VarDecl)]
    return (*declared, *(size for n in _nodes(node, ast.DirectiveStmt) for size in _copies(n, model)))


@lru_cache(maxsize=1024)
def _called(node: ast.Node) -> tuple[str, ...]:
    return tuple([n.function.name for n in _nodes(node, ast.Call) if isinstance(n.function, ast.Name)])


def _nodes(node: ast.Node, kind: type[N]) -> list[N]:
    if isinstance(node, ast.DirectiveStmt):
        return node.nodes(kind)
    return [n for n in node.walk() if isinstance(n, kind)]


def local_sections(region: Region, model: DataModel) -> Iterator[tuple[MapItem, int | None]]:
    """What the region maps with `ompx_local`, with its bytes where they are known."""
    for variable in region.variables:
        for mapped in variable.maps:
            if "ompx_local" in mapped.modifiers:
                yield mapped, mapped_bytes(mapped, model)
