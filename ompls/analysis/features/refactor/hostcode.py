"""What the host does with data between the target regions of a loop, statement by statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ompls.analysis.dataenv.access import accesses
from ompls.analysis.dataenv.called import known_of
from ompls.analysis.dataenv.uses import uses
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import variable_changed_by
from ompls.analysis.model.ast import Node, Stmt, Symbol, walk_all
from ompls.analysis.model.ctype import Array, CType, Integer, Pointer, Void
from ompls.analysis.model.peel import strip
from ompls.analysis.model.tu import Content

_DEEPEST = 8  # calls


@dataclass(slots=True)
class Touch:
    """A statement of the host that stands in a block and touches data.

    fetch -- what is to be brought from the device before it: nothing has since a region ran
    send -- what is to be brought to the device after it: no later statement does before a region may run
    """

    stmt: Stmt
    reads: set[Symbol] = field(default_factory=set)
    writes: set[Symbol] = field(default_factory=set)
    fetch: set[Symbol] = field(default_factory=set)
    send: set[Symbol] = field(default_factory=set)


@dataclass(slots=True)
class HostCode:
    """What `read` found.

    touches -- the statements in a block between which updates can stand, in order
    elsewhere -- data touched where no update can stand (a loop's header, a condition around a region)
    calls_unknown -- something is called that is neither in the unit nor in a system header, or that has directives
    """

    touches: list[Touch] = field(default_factory=list)
    elsewhere: set[Symbol] = field(default_factory=set)
    calls_unknown: bool = False


class HostReader:
    """Reads the host code of one loop for `wanted` variables.

    A pointer may lead to the data of another one: what is reached through it counts for all that it may lead to.
    """

    def __init__(self, function: Node, wanted: set[Symbol], functions: Mapping[str, Content]) -> None:
        self._wanted, self._functions = wanted, functions
        self._fresh = _fresh_pointers(function)
        self._assigned = {s for s, _ in _assignments(function)}
        self._fetched: frozenset[Symbol] = frozenset()  # since a region ran, on the way to here
        self.found = HostCode()

    def read(self, loop: Stmt) -> HostCode:
        """`loop` is a loop whose body has target regions."""
        self._around(loop)
        return self.found

    def _block(self, stmt: Stmt) -> None:
        """A statement that stands in a block."""
        if isinstance(stmt, ast.Compound):
            for inner in stmt.items:
                self._block(inner)
            self._send_once(stmt)
        elif isinstance(stmt, ast.DirectiveStmt) and stmt.directive.has("target"):
            self._fetched = frozenset()
        elif _has_region(stmt):
            self._fetched = self._fetched if isinstance(stmt, ast.If) else frozenset()
            self._around(stmt)
            self._fetched = frozenset()
        elif isinstance(stmt, ast.If) and self._descends(stmt):
            self._around(stmt)
        else:
            self._note(stmt)

    def _send_once(self, block: ast.Compound) -> None:
        """Of writes in a row, the last one sends: where no region runs in between, and nothing leaves the block."""
        touches = {id(t.stmt): t for t in self.found.touches}
        later: set[Symbol] = set()
        for stmt in reversed(block.items):
            touch = touches.get(id(stmt))
            if _has_region(stmt) or any(isinstance(n, ast.Jump) for n in stmt.walk()):
                later = set()
            elif touch is not None:
                touch.send -= later
                later |= touch.writes

    def _descends(self, stmt: ast.If) -> bool:
        """Whether updates are better placed in the branches of an `if`: they are blocks, its condition needs none."""
        branches = [b for b in (stmt.then, stmt.otherwise) if b is not None]
        reads, writes = self._touched(stmt.condition)
        return all(isinstance(b, ast.Compound) for b in branches) and not reads | writes

    def _around(self, stmt: Stmt) -> None:
        """The parts of a statement that cannot be a unit."""
        for child in stmt.children():
            if isinstance(child, ast.Compound):
                before = self._fetched
                self._block(child)
                self._fetched = before
            elif isinstance(child, ast.DirectiveStmt) and child.directive.has("target"):
                continue
            elif isinstance(child, Stmt) and _has_region(child):
                self._around(child)
            else:
                reads, writes = self._touched(child)
                self.found.elsewhere |= reads | writes
        if isinstance(stmt, ast.DirectiveStmt):
            self.found.elsewhere |= self._wanted  # regions in a construct of the host: several threads may run them

    def _note(self, stmt: Stmt) -> None:
        reads, writes = self._touched(stmt)
        if reads or writes:
            used = reads | writes
            self.found.touches.append(Touch(stmt, reads, writes, used - self._fetched, set(writes)))
            self._fetched |= used

    # --- one statement

    def _touched(self, node: Node) -> tuple[set[Symbol], set[Symbol]]:
        """(wanted variables whose data are read, … written)."""
        reads: set[Symbol] = set()
        writes: set[Symbol] = set()
        for symbol, depth, read, write in self._accesses(node):
            for other in self._led_to(symbol, depth):
                if read:
                    reads.add(other)
                if write:
                    writes.add(other)
        self.found.calls_unknown = self.found.calls_unknown or any(
            self._is_unknown(n, 0) for n in walk_all(node) if isinstance(n, ast.Call)
        )
        return reads, writes

    def _accesses(self, node: Node) -> Iterator[tuple[Symbol, int, bool, bool]]:
        for use in uses(node):
            yield use.symbol, use.depth, use.read, use.write
        for access in accesses(node, self._functions):  # what called functions do with variables of the file
            yield access.symbol, access.depth, access.read, access.write

    def _led_to(self, symbol: Symbol, depth: int) -> Iterator[Symbol]:
        for wanted in self._wanted:
            if wanted is symbol:
                if depth > 0 or isinstance(symbol.type, Array):
                    yield wanted
            elif depth > 0 and self._may_alias(symbol, wanted):
                yield wanted

    def _may_alias(self, a: Symbol, b: Symbol) -> bool:
        first, second = _element(a.type), _element(b.type)
        if first is not None and second is not None and first != second:
            loose = any(isinstance(t, Void) or (isinstance(t, Integer) and t.kind == "char") for t in (first, second))
            if not loose:
                return False
        for one, other in ((a, b), (b, a)):
            if one in self._fresh and (other in self._fresh or other not in self._assigned):
                return False
        return not ("restrict" in a.type.quals or "restrict" in b.type.quals)

    def _is_unknown(self, call: ast.Call, depth: int) -> bool:
        callee = call.function.symbol if isinstance(call.function, ast.Name) else None
        if callee is None or depth > _DEEPEST:
            return True
        known = self._functions.get(callee.name)
        if known is None:
            return not callee.from_system_header and not callee.name.startswith("__builtin_")
        if known.tainted or any("target" in s.directive.name for s in known.directives):
            return True
        return any(self._is_unknown(n, depth + 1) for n in walk_all(known.node) if isinstance(n, ast.Call))


def _has_region(stmt: Node) -> bool:
    return any(isinstance(n, ast.DirectiveStmt) and n.directive.has("target") for n in stmt.walk())


def _element(kind: CType) -> CType | None:
    while isinstance(kind, (Array, Pointer)):
        kind = kind.of if isinstance(kind, Array) else kind.to
    return type(kind)(**{f: getattr(kind, f) for f in kind.__dataclass_fields__ if f != "quals"})


def _assignments(function: Node) -> Iterator[tuple[Symbol, ast.Expr]]:
    """(variable, new value) of every change of a whole variable; `p++` counts as one by itself."""
    for node in walk_all(function):
        symbol = variable_changed_by(node)
        if symbol is None:
            continue
        if isinstance(node, ast.VarDecl):
            yield from [(symbol, node.init)] if node.init is not None else ()
        elif isinstance(node, ast.Expr):
            yield symbol, node.value if isinstance(node, ast.Assign) and node.op == "=" else node


def _fresh_pointers(function: Node) -> set[Symbol]:
    """Local pointers that only ever hold what an allocation gave."""
    values: dict[Symbol, list[ast.Expr]] = {}
    for symbol, value in _assignments(function):
        values.setdefault(symbol, []).append(value)
    return {s for s, given in values.items() if s.level == "block" and all(_allocates(v) for v in given)}


def _allocates(expr: ast.Expr) -> bool:
    expr = strip(expr)
    row = known_of(expr) if isinstance(expr, ast.Call) else None
    return row is not None and row.allocates is not None and row.allocates.into is None
