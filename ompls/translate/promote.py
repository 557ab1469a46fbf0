"""Which regions with sequential code and parallel regions in it may run SPMD instead of with a master and workers.

All threads of a team then run the sequential code together.  What has effects is left to one of them; what has none (a
declaration, a loop's counter, a condition) all do alike, on copies of their own.  Every such part ends with a barrier,
so that nobody reads what another one is still writing.  The saving is the hand-over of every parallel region, and that
a team may have more than 96 threads.

Not promoted is what could tell the difference: routines and directives whose meaning depends on the team outside of
parallel regions, regions that ask for a number of threads, parallel regions in functions, jumps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Directive
from ompls.translate.ctext import is_vla
from ompls.translate.sharing import copies_unlisted
from ompls.translate.uses import (
    declared_in,
    directives_in,
    everything,
    is_aggregate,
    is_parallel,
    leaves,
    modified_in,
    names_in,
)

LARGEST = 16 * 1024  # bytes of variables in shared memory
# Clauses of the chain that say nothing about the threads.
_CLAUSES = frozenset(
    ("map", "if", "device", "nowait", "depend", "num_teams", "thread_limit", "defaultmap", "is_device_ptr",
     "has_device_addr", "firstprivate", "shared", "default", "uses_allocators")
)  # fmt: skip
# Routines that give the same in sequential code and in a parallel region.
_ROUTINES = frozenset(
    ("omp_get_team_num", "omp_get_num_teams", "omp_is_initial_device", "omp_get_wtime", "omp_get_wtick",
     "omp_get_device_num", "omp_alloc", "omp_free")
)  # fmt: skip
_SEQUENTIAL = frozenset(("atomic", "flush"))  # directives that one thread may run as they are


@dataclass(frozen=True)
class Promotion:
    """How a region is run SPMD.

    shared     -- its variables that stand in shared memory; one thread assigns to them
    replicated -- those of which every thread has a copy with the same value
    regions    -- ids of the directives of its parallel regions
    """

    shared: frozenset[Symbol]
    replicated: frozenset[Symbol]
    regions: frozenset[int]


class _DifferentError(Exception):
    """One could tell the difference."""


@dataclass
class _Survey:
    locals: set[Symbol] = field(default_factory=set)  # declared in the sequential code
    stepped: set[Symbol] = field(default_factory=set)  # assigned in the heads of its loops
    modified: set[Symbol] = field(default_factory=set)  # elsewhere
    begun: set[Symbol] = field(default_factory=set)  # by a declaration that only one thread may evaluate
    regions: list[DirectiveStmt] = field(default_factory=list)


def promotion_of(
    chain: list[Directive], body: ast.Stmt | None, values: set[Symbol], functions: list[ast.FunctionDef]
) -> Promotion | None:
    """The promotion of a region; None when it has to have a master.

    chain     -- the directives of the target construct and those strictly nested in it
    values    -- variables that the kernel gets by value
    functions -- all that it calls, also indirectly
    """
    plain = all(set(d.constructs) <= {"target", "teams"} and {c.name for c in d.clauses} <= _CLAUSES for d in chain)
    first = any(d.all("firstprivate") for d in chain if not d.has("target")) or any(map(copies_unlisted, chain))
    if body is None or not plain or first or any(next(directives_in(f.body), None) for f in functions):
        return None
    found = _Survey()
    try:
        _check_calls([body, *(f.body for f in functions)])
        _statement(body, found)
    except _DifferentError:
        return None
    changed = found.modified | found.begun
    shared = {s for s in found.locals | values if s in changed or (s in found.locals and is_aggregate(s))}
    if found.stepped & (shared | changed) or sum(sizeof(s.type) or LARGEST for s in shared) > LARGEST:
        return None
    replicated = (found.locals | (values - changed)) - shared
    if not found.stepped <= found.locals:
        return None
    return Promotion(frozenset(shared), frozenset(replicated), frozenset(id(s.directive) for s in found.regions))


def _check_calls(nodes: list[ast.Stmt]) -> None:
    """Calls through pointers, and of routines whose answer depends on the team, outside of parallel regions."""
    for k, node in enumerate(nodes):
        for n in _outside(node) if k == 0 else node.walk():
            if isinstance(n, ast.Call) and not isinstance(n.function, ast.Name):
                raise _DifferentError
            named = n.symbol if isinstance(n, ast.Name) else None
            if named is not None and named.kind == "func" and _asks(named.name):
                raise _DifferentError


def _asks(name: str) -> bool:
    return name.startswith("omp_") and name not in _ROUTINES


def _outside(node: ast.Node) -> Iterator[ast.Node]:
    """`node` and what is below it, without parallel regions."""
    return (n for n in ast.walk_down_to(node, is_parallel) if not is_parallel(n))


def is_closed(node: ast.Node) -> bool:
    """Whether there is neither a parallel region in `node` nor a jump out of it."""
    return not any(is_parallel(n) for n in node.walk()) and not leaves(node)


def ladder(s: ast.If) -> tuple[list[ast.If], ast.Stmt | None]:
    """`s` and the `else if`s after it, up to the last one that is not closed, and what one thread runs after it."""
    rungs = [s]
    while isinstance(rungs[-1].otherwise, ast.If):
        rungs.append(rungs[-1].otherwise)
    rest = rungs[-1].otherwise
    if rest is None or is_closed(rest):
        while len(rungs) > 1 and is_closed(rungs[-1].condition) and is_closed(rungs[-1].then):
            rest = rungs.pop()
    return rungs, rest


def _statement(s: ast.Stmt | None, found: _Survey) -> None:
    """Take one statement of the sequential code in.  Raises _DifferentError."""
    if s is None:
        return
    if isinstance(s, DirectiveStmt) and s.directive.has("parallel"):
        _region(s, found)
    elif isinstance(s, ast.DeclStmt):
        _declaration(s, found)
    elif isinstance(s, ast.Compound):
        for item in s.items:
            _statement(item, found)
    elif is_closed(s):
        if any(x.directive.name not in _SEQUENTIAL for x in directives_in(s)):
            raise _DifferentError
        found.modified |= modified_in(s)
    elif isinstance(s, ast.Jump) and s.kind in ("break", "continue"):
        pass
    elif isinstance(s, ast.If):
        rungs, rest = ladder(s)
        for rung in rungs:
            _condition(rung.condition, found)
            _statement(rung.then, found)
        _statement(rest, found)
    elif isinstance(s, (ast.While, ast.DoWhile)):
        _condition(s.condition, found)
        _statement(s.body, found)
    elif isinstance(s, ast.For):
        _head(s, found)
        _statement(s.body, found)
    else:
        raise _DifferentError


def _region(s: DirectiveStmt, found: _Survey) -> None:
    d = s.directive
    known = d.constructs[0] == "parallel" or d.constructs[:3] == ("distribute", "parallel", "for")
    if not known or d.clause("num_threads", "if", "copyin"):
        raise _DifferentError
    found.regions.append(s)
    found.modified |= modified_in(s) - declared_in(s)


def _declaration(s: ast.DeclStmt, found: _Survey) -> None:
    for d in s.decls:
        if d.symbol.kind != "var" or d.symbol.storage in ("static", "extern") or is_vla(d.symbol.type):
            raise _DifferentError
        found.locals.add(d.symbol)
        if d.init is None:
            continue
        found.modified |= modified_in(d.init)
        if not is_pure(d.init):
            found.begun.add(d.symbol)


def _condition(e: ast.Expr | None, found: _Survey) -> None:
    if e is not None:
        if not is_pure(e):
            raise _DifferentError
        found.modified |= modified_in(e)  # whose address is taken


def _head(s: ast.For, found: _Survey) -> None:
    """The counter's own assignments are made by every thread."""
    _condition(s.condition, found)
    if isinstance(s.init, ast.DeclStmt):
        _declaration(s.init, found)
        found.stepped |= {d.symbol for d in s.init.decls}
        if any(d.symbol in found.begun for d in s.init.decls):
            raise _DifferentError
    for e in (s.init.expr if isinstance(s.init, ast.ExprStmt) else None, s.step):
        if e is None:
            continue
        target = e.target if isinstance(e, ast.Assign) else e.operand if isinstance(e, ast.Unary) else None
        name = target if isinstance(target, ast.Name) else None
        if name is None or name.symbol is None or isinstance(name.symbol.type, Pointer):
            raise _DifferentError
        if isinstance(e, ast.Assign):
            _condition(e.value, found)
        found.stepped.add(name.symbol)


def is_pure(e: ast.Expr) -> bool:
    """Whether all threads may evaluate `e`: no calls, no assignments, nothing volatile."""
    for n in e.walk():
        if isinstance(n, (ast.Call, ast.Assign, ast.StatementExpr, ast.OtherExpr, ast.CompoundLiteral)):
            return False
        if isinstance(n, ast.Unary) and n.op in ("++", "--"):
            return False
        if isinstance(n, ast.Expr) and "volatile" in n.type.quals:
            return False
    return True


def is_alike(e: ast.Expr, promotion: Promotion) -> bool:
    """Whether `e` only reads what every thread has a copy of."""
    if any(isinstance(n, (ast.Index, ast.Member)) or (isinstance(n, ast.Unary) and n.op == "*") for n in everything(e)):
        return False
    names = {n.symbol for n in names_in(e) if n.symbol is not None and n.symbol.kind in ("var", "param")}
    return names <= promotion.replicated
