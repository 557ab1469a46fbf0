"""From a target construct to its `Region`: every variable that is used in it, how it gets there, and why."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ompls.analysis.dataenv.implicit import Verdict, category, implicit
from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.private import WRITTEN_BACK, loop_variables, private_copies
from ompls.analysis.dataenv.uses import Use, list_item_operands, uses
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol, walk_all
from ompls.analysis.model.ctype import Array, CType, Pointer
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import MapItem, MapType, Region, Variable
from ompls.analysis.source import Settings

# Expressions of these clauses are evaluated on the host, before the region starts.
_HOST_CLAUSES = frozenset(("device", "depend", "map", "num_teams", "thread_limit", "nowait", "priority", "affinity"))
# The clauses that decide a variable's sharing on a target construct, strongest first.
_DECIDING = ("map", "is_device_ptr", "has_device_addr", "private", "firstprivate")
_MAP_TYPES: dict[str, MapType] = {
    "": "tofrom", "alloc": "alloc", "storage": "alloc", "to": "to", "from": "from", "tofrom": "tofrom",
    "release": "release", "delete": "delete",
}  # fmt: skip
_WHY = {
    "private": "a `private` clause lists it",
    "firstprivate": "a `firstprivate` clause lists it",
    "is_device_ptr": "an `is_device_ptr` clause lists it: it holds a device address already",
    "has_device_addr": "a `has_device_addr` clause lists it: it lies on the device already",
}
_SECTION = {"private": "5.4.3", "firstprivate": "5.4.4", "is_device_ptr": "5.4.7", "has_device_addr": "5.4.9"}


_Nodes = dict[type, list[Any]]  # of each class


@dataclass(slots=True)
class _Collected:
    """What one walk over the construct finds out."""

    order: dict[Symbol, None] = field(default_factory=dict)  # every outer variable that is referenced, in order
    listed: dict[Symbol, list[tuple[Clause, ListItem]]] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)
    by_symbol: dict[Symbol, list[Use]] = field(default_factory=dict)  # the same
    local: set[Symbol] = field(default_factory=set)
    loops: list[Symbol] = field(default_factory=list)  # iteration variables of the construct's own loops
    nested: list[ast.DirectiveStmt] = field(default_factory=list)
    copied: set[Symbol] = field(default_factory=set)  # of which constructs around have private copies


def map_type_of(clause: Clause) -> MapType:
    """The map type of a `map` clause (`tofrom` when it names none)."""
    return _MAP_TYPES.get(clause.keyword, "tofrom")


def region_of(
    stmt: ast.DirectiveStmt, function: ast.FunctionDef, ordinal: int, settings: Settings, tainted: bool = False
) -> Region:
    """The data environment of the target construct `stmt`, which is number `ordinal` (from 0) in `function`.

    stmt -- typed by `model/sema`; its directive `has('target')`
    tainted -- something around it is not understood
    """
    nodes = _by_class(walk_all(stmt))
    found = _collect(stmt, function, nodes)
    if any(s.declare_target for s in found.order):
        found.copied = _copied_around(stmt, function)
    variables = tuple([_variable(symbol, stmt, found, settings.openmp) for symbol in found.order])
    broken = any(c.broken or not c.known for c in stmt.directive.clauses)
    taint = tainted or broken or any(issubclass(cls, (ast.OtherStmt, ast.OtherExpr)) for cls in nodes)
    calls = _calls(nodes.get(ast.Call, ()))
    return Region(function.symbol.name, ordinal, stmt.directive, stmt, variables, tuple(calls), taint)


def _by_class(nodes: Iterable[ast.Node]) -> _Nodes:
    """In order, by class: several questions are about few of them."""
    found: dict[type, list[Any]] = {}
    for node in nodes:
        kind = type(node)
        if kind in found:
            found[kind].append(node)
        else:
            found[kind] = [node]
    return found


def _copied_around(stmt: ast.DirectiveStmt, function: ast.FunctionDef) -> set[Symbol]:
    """Variables of which constructs around `stmt` have private copies."""
    at = stmt.span.start
    around = (n for n in function.body.walk() if isinstance(n, ast.DirectiveStmt) and n.span.start < at < n.span.end)
    return {s for n in around for s in private_copies(n.directive, n.body)}


def calls_in(node: ast.Node) -> list[Symbol]:
    """The functions that are called directly in `node`, in order of the first call."""
    return _calls(walk_all(node))


def _calls(nodes: Iterable[ast.Node]) -> list[Symbol]:
    found: dict[Symbol, None] = {}
    for n in nodes:
        if isinstance(n, ast.Call):
            callee = bare(n.function)
            if isinstance(callee, ast.Name) and callee.symbol is not None and callee.symbol.kind == "func":
                found.setdefault(callee.symbol)
    return list(found)


# --- collecting


def _collect(stmt: ast.DirectiveStmt, function: ast.FunctionDef, nodes: _Nodes) -> _Collected:
    """`nodes` are all of `walk_all(stmt)`."""
    found = _Collected(loops=loop_variables(stmt.directive, stmt.body))
    body = stmt.body
    found.local = {n.symbol for n in nodes.get(ast.VarDecl, ())}
    found.nested = [n for n in nodes[ast.DirectiveStmt] if n is not stmt]

    def note(symbol: Symbol | None) -> None:
        if symbol is not None and symbol.kind in ("var", "param") and symbol not in found.local:
            found.order.setdefault(symbol)

    for clause in stmt.directive.clauses:
        for item in clause.items:
            symbol = item.symbol or root(item.expr)
            if symbol is not None and clause.name not in ("depend", "affinity", "uses_allocators"):
                note(symbol)
                found.listed.setdefault(symbol, []).append((clause, item))
        if clause.name not in _HOST_CLAUSES and not (clause.name == "if" and clause.keyword in ("", "target")):
            for arg in clause.args:
                found.uses.extend(uses(arg))
            for item in clause.items:
                found.uses.extend(list_item_operands(item.expr))
    found.uses.extend(uses(body))
    for name in nodes.get(ast.Name, ()):
        if body is not None and name.span.start >= body.span.start:
            note(name.symbol)
    for use in found.uses:
        note(use.symbol)
        found.by_symbol.setdefault(use.symbol, []).append(use)
    for symbol in list(found.order):
        for length in _vla_names(symbol.type):
            note(_declared(function, length))
    return found


def _vla_names(t: CType) -> list[str]:
    """Names in the lengths that a kernel must know to index an object of type `t`: all of a VLA's but the outermost."""
    names: list[str] = []
    inner = t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else None
    while isinstance(inner, Array):
        if inner.vla:
            names += re.findall(r"[A-Za-z_]\w*", inner.vla_text)
        inner = inner.of
    return names


def _declared(function: ast.FunctionDef, name: str) -> Symbol | None:
    """The parameter or local variable of that name (the first, if scopes repeat it)."""
    for param in function.params:
        if param.name == name:
            return param
    locals_ = (n.symbol for n in function.body.walk() if isinstance(n, ast.VarDecl))
    return next((s for s in locals_ if s.name == name), None)


# --- deciding


def _variable(symbol: Symbol, stmt: ast.DirectiveStmt, found: _Collected, version: str) -> Variable:
    directive = stmt.directive
    listed = found.listed.get(symbol, [])
    private = _privatised_inside(symbol, stmt, listed, found)
    mine = [] if private else found.by_symbol.get(symbol, [])
    variable = _explicit(symbol, listed) or _predetermined(symbol, found, listed, version)
    if variable is None and not mine and _only_private_below(symbol, found):
        variable = Variable(symbol, "private", True, (), "only private copies of it are used in the region", "5.1.1")
    if variable is None:
        variable = _from_verdict(symbol, implicit(symbol, directive, version, copied=symbol in found.copied))
    variable.reads = tuple([u.node for u in mine if u.read])
    variable.writes = tuple([u.node for u in mine if u.write])
    pointees = [u for u in mine if u.depth > 0]
    variable.reads_pointee = any(u.read for u in pointees)
    variable.writes_pointee = any(u.write for u in pointees)
    if any(c.name in WRITTEN_BACK for c, _ in listed) and variable.sharing == "mapped":
        _count_reduction(variable, listed)
    return variable


def _explicit(symbol: Symbol, listed: list[tuple[Clause, ListItem]]) -> Variable | None:
    """By a clause of the target construct itself."""
    names = {c.name for c, _ in listed}
    decided = next((n for n in _DECIDING if n in names), None)
    if decided is None:
        return None
    if decided == "map":
        maps = tuple([MapItem(i, symbol, map_type_of(c), c.modifiers, c) for c, i in listed if c.name == "map"])
        return Variable(symbol, "mapped", False, maps, _why_mapped(maps), "5.8.3")
    if decided == "firstprivate" and "lastprivate" in names:
        return None  # lastprivate makes it map(tofrom), which carries the first value too (5.2 §17.2)
    return Variable(symbol, decided, False, (), _WHY[decided], _SECTION[decided])  # type: ignore[arg-type]


def _why_mapped(maps: tuple[MapItem, ...]) -> str:
    texts = ", ".join(f"`{m.item.text}`" for m in maps if m.item is not None)
    why = f"a `map` clause lists {texts}"
    symbol = maps[0].symbol
    through = [m for m in maps if m.item is not None and isinstance(m.item.expr, (ast.Section, ast.Index))]
    if isinstance(symbol.type, Pointer) and through:
        why += "; the pointer itself becomes the device's address of it"
    return sys.intern(why)


def _predetermined(
    symbol: Symbol, found: _Collected, listed: list[tuple[Clause, ListItem]], version: str
) -> Variable | None:
    """By a clause of a construct combined with `target`, or as the iteration variable of an associated loop."""
    for clause, item in listed:
        if clause.name not in WRITTEN_BACK:
            continue
        if version >= "5.0" or clause.name == "in_reduction":
            maps = (MapItem(item, symbol, "tofrom", (), clause),)
            why = sys.intern(f"a `{clause.name}` clause of the combined construct lists it, so it is mapped tofrom")
            return Variable(symbol, "mapped", True, maps, why, "5.8.1")
    if symbol in found.loops:
        why = "it is the iteration variable of an associated loop"
        return Variable(symbol, "private", True, (), why, "5.1.1")
    return None


def _from_verdict(symbol: Symbol, verdict: Verdict) -> Variable:
    maps: tuple[MapItem, ...] = ()
    if verdict.map_type is not None:
        maps = (MapItem(None, symbol, verdict.map_type, verdict.modifiers, None, verdict.zero_length),)
    return Variable(symbol, verdict.sharing, True, maps, sys.intern(verdict.why), verdict.section)


def _privatised_inside(
    symbol: Symbol, stmt: ast.DirectiveStmt, listed: list[tuple[Clause, ListItem]], found: _Collected
) -> bool:
    """Whether the body works on a private copy that the combined construct makes uninitialised."""
    if symbol in found.loops:
        return True
    return len(stmt.directive.constructs) > 1 and any(c.name == "private" for c, _ in listed)


def _only_private_below(symbol: Symbol, found: _Collected) -> bool:
    """Whether a nested construct has private copies of a variable that has no other use in the region.

    By the letter such a variable is referenced in the target construct and so firstprivate or mapped; nothing can tell
    the difference, and no bytes move.
    """
    if symbol.declare_target:
        return False
    for stmt in found.nested:
        listed = (i for c in stmt.directive.all("private") for i in c.items)
        if any((i.symbol or root(i.expr)) is symbol for i in listed) or symbol in loop_variables(
            stmt.directive, stmt.body
        ):
            return True
    return False


def _count_reduction(variable: Variable, listed: list[tuple[Clause, ListItem]]) -> None:
    """A reduction reads and writes the original even where the body does not."""
    for clause, item in listed:
        if clause.name in WRITTEN_BACK:
            if clause.name != "lastprivate":
                variable.reads += (item.expr,)
            variable.writes += (item.expr,)
            if category(variable.symbol.type) == "pointer":
                variable.reads_pointee = variable.writes_pointee = True
