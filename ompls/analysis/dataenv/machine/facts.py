"""What is written in a function, by place: found in one walk, kept with the declaration, asked for parts of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ompls.analysis.model import ast
from ompls.analysis.model.assigned import variable_changed_by
from ompls.analysis.model.ast import Node, Symbol, walk_all
from ompls.analysis.model.tu import Content

POINTED = "*"  # in `Facts.calls`: a call of what a pointer points to


@dataclass(frozen=True, slots=True)
class Facts:
    """Each with the offset where it stands.  There is one for every function: nothing takes more than it needs.

    written -- variables that get another value, or whose address is taken
    jumps, calls -- kinds and names; regions -- directives of the `target` family
    globals -- names of variables at file scope; handed -- of functions that are named and not called by that
    """

    written: tuple[tuple[int, Symbol], ...]
    jumps: tuple[tuple[int, str], ...]
    calls: tuple[tuple[int, str], ...]
    regions: tuple[int, ...]
    globals: frozenset[str]
    handed: frozenset[str]

    def written_in(self, node: Node) -> set[Symbol]:
        start, end = node.span
        return {s for at, s in self.written if start <= at < end}

    def jumps_in(self, node: Node) -> set[str]:
        start, end = node.span
        return {kind for at, kind in self.jumps if start <= at < end}

    def calls_in(self, node: Node) -> set[str]:
        start, end = node.span
        return {name for at, name in self.calls if start <= at < end}

    def has_region(self, node: Node) -> bool:
        start, end = node.span
        return any(start <= at < end for at in self.regions)


def facts_of(content: Content) -> Facts:
    """The facts about an external declaration."""
    found: Facts | None = content.memo.get(__name__)
    if found is None:
        found = content.memo[__name__] = _collected(content)
    return found


def names_of(content: Content) -> dict[str, Symbol]:
    """The parameters and local variables of a function; of those with one name the first."""
    found: dict[str, Symbol] = {}
    for _, symbol in facts_of(content).written:
        if symbol.level != "file":
            found.setdefault(symbol.name, symbol)
    if isinstance(content.node, ast.FunctionDef):
        found.update({p.name: p for p in content.node.params})
    return found


@dataclass(slots=True)
class _Collected:
    """`Facts` in the making."""

    written: list[tuple[int, Symbol]] = field(default_factory=list)
    jumps: list[tuple[int, str]] = field(default_factory=list)
    calls: list[tuple[int, str]] = field(default_factory=list)
    regions: list[int] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)


_NONE: frozenset[str] = frozenset()  # every empty set made anew takes 200 bytes


def _collected(content: Content) -> Facts:
    found = _Collected()
    for n in walk_all(content.node):
        if isinstance(n, ast.Name):
            if n.symbol is not None and n.symbol.kind == "var" and n.symbol.level == "file":
                found.globals.add(n.symbol.name)
            elif n.symbol is not None and n.symbol.kind == "func":
                found.functions.add(n.symbol.name)
        elif type(n) in _NOTED:  # few are: this looks at every node of the unit
            _note(found, n)
    places = tuple(found.written), tuple(found.jumps), tuple(found.calls), tuple(found.regions)
    handed = found.functions.difference([name for _, name in found.calls])
    return Facts(*places, frozenset(found.globals) or _NONE, frozenset(handed) or _NONE)


_NOTED = frozenset((ast.Assign, ast.Unary, ast.VarDecl, ast.Call, ast.Jump, ast.DirectiveStmt))


def _note(found: _Collected, n: Node) -> None:
    match n:
        case ast.Call():
            direct = isinstance(n.function, ast.Name) and (
                n.function.symbol is None or n.function.symbol.kind == "func"
            )
            found.calls.append((n.span.start, n.function.name if direct else POINTED))  # type: ignore[attr-defined]
        case ast.Jump():
            found.jumps.append((n.span.start, n.kind))
        case ast.DirectiveStmt():
            if n.directive.name.startswith("target"):
                found.regions.append(n.span.start)
        case _ if (symbol := variable_changed_by(n)) is not None:
            found.written.append((n.span.start, symbol))
