"""Which regions with sequential code and parallel regions in it may run SPMD instead of with a master and workers.

All threads of a team then run the sequential code together.  What has effects is left to one of them; what has none (a
declaration, a loop's counter, a condition, an assignment to a scalar that no other thread touches) all do alike, on
copies of their own; so the result of a reduction goes to all of them.  They meet only before what reads or writes
something that others may have written or may still be reading.  The saving is the hand-over of every parallel region,
and that a team may have more than 96 threads.

Not promoted is what could tell the difference: routines and directives whose meaning depends on the team outside of
parallel regions, regions that ask for a number of threads, parallel regions in functions, jumps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from ompls.analysis.dataenv.private import WRITTEN_BACK
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.ctype import Enum, Floating, Integer, Pointer
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Directive, ListItem
from ompls.analysis.model.peel import bare
from ompls.analysis.spec.data_clauses import REDUCTIONS
from ompls.analysis.spec.known import KNOWN
from ompls.translate.canonical import kept_counters, nest_of
from ompls.translate.ctext import is_vla
from ompls.translate.problem import Problem
from ompls.translate.sharing import copies_unlisted, passed
from ompls.translate.unwritten import storage, unwritten
from ompls.translate.uses import (
    declared_in,
    directives_in,
    everything,
    is_aggregate,
    is_parallel,
    leaves,
    listed,
    modified_in,
    names_in,
    privatised,
)

LARGEST = 16 * 1024  # bytes of variables in shared memory
# Clauses of the chain that say nothing about the threads.
_CLAUSES = frozenset(
    ("map", "if", "device", "nowait", "depend", "num_teams", "thread_limit", "defaultmap", "is_device_ptr",
     "has_device_addr", "firstprivate", "shared", "default", "uses_allocators", "collapse", "dist_schedule", "order",
     "private", "reduction")
)  # fmt: skip
# Routines that give the same in sequential code and in a parallel region.
_ROUTINES = frozenset(
    ("omp_get_team_num", "omp_get_num_teams", "omp_is_initial_device", "omp_get_wtime", "omp_get_wtick",
     "omp_get_device_num", "omp_alloc", "omp_free")
)  # fmt: skip
_SEQUENTIAL = frozenset(("atomic", "flush"))  # directives that one thread may run as they are
# Functions that give the same to whoever calls them with the same arguments, and do nothing else.
_PURE = frozenset(("omp_get_team_num", "omp_get_num_teams", *(name for name, row in KNOWN.items() if row.pure)))
_WORD = 8  # bytes that go from thread to thread at once


@dataclass(frozen=True)
class Promotion:
    """How a region is run SPMD.

    shared     -- its variables that stand in shared memory; one thread assigns to them
    replicated -- those of which every thread has a copy with the same value
    regions    -- ids of the directives of its parallel regions
    alike      -- ids of statements without parallel regions that all threads run
    unwritten  -- arrays, or what pointers point to, that nothing in the region writes to
    totals     -- (id of a parallel region's directive, variable that it reduces, whose result all threads get) -> the
                  number of the place in shared memory where their parts are joined
    """

    shared: frozenset[Symbol]
    replicated: frozenset[Symbol]
    regions: frozenset[int]
    alike: frozenset[int]
    unwritten: frozenset[Symbol]
    totals: dict[tuple[int, Symbol], int]


class _DifferentError(Exception):
    """One could tell the difference."""


@dataclass
class _Survey:
    locals: set[Symbol] = field(default_factory=set)  # declared in the sequential code
    stepped: set[Symbol] = field(default_factory=set)  # assigned in the heads of its loops
    modified: set[Symbol] = field(default_factory=set)  # elsewhere
    begun: set[Symbol] = field(default_factory=set)  # by a declaration that only one thread may evaluate
    # What all may run, if its targets have copies; parallel regions' reductions of which all may get the result then.
    simple: list[tuple[ast.Stmt, frozenset[Symbol]]] = field(default_factory=list)
    reduced: list[tuple[int, Symbol]] = field(default_factory=list)
    regions: list[DirectiveStmt] = field(default_factory=list)


def promotion_of(
    chain: list[Directive],
    body: ast.Stmt | None,
    values: set[Symbol],
    functions: list[ast.FunctionDef],
    model: DataModel,
) -> Promotion | None:
    """The promotion of a region; None when it has to have a master.

    chain     -- the directives of the target construct and those strictly nested in it
    values    -- variables that the kernel has copies of: it gets them by value, or they are private
    functions -- all that it calls, also indirectly
    """
    if body is None or not all(map(_is_plain, chain)) or any(next(directives_in(f.body), None) for f in functions):
        return None
    found = _Survey()
    try:
        _check_calls([body, *(f.body for f in functions)])
        found.locals |= _own(chain)
        if any("distribute" in d.constructs for d in chain):
            nest = nest_of(chain[-1], body)
            found.locals |= nest.counters
            body = nest.body
        _statement(body, found)
    except (_DifferentError, Problem):
        return None
    found.modified |= passed(body)
    changed, simple = _settled(found, values)
    shared = {s for s in found.locals | values if s in changed or (s in found.locals and is_aggregate(s))}
    if found.stepped & (shared | changed) or sum(sizeof(s.type, model) or LARGEST for s in shared) > LARGEST:
        return None
    replicated = (found.locals | (values - changed)) - shared
    if not found.stepped <= replicated:
        return None
    totals = [x for x in found.reduced if x[1] in replicated]
    return Promotion(
        frozenset(shared),
        frozenset(replicated),
        frozenset(id(s.directive) for s in found.regions),
        frozenset(id(s) for s, _ in simple),
        unwritten(chain[0], body, declared_in(body) | found.locals | values, _PURE),
        {x: k for k, x in enumerate(totals)},
    )


def _is_plain(d: Directive) -> bool:
    """Whether the threads of a team can run all that a directive of the chain says."""
    known = set(d.constructs) <= {"target", "teams", "distribute"} and {c.name for c in d.clauses} <= _CLAUSES
    return known and not copies_unlisted(d) and (d.has("target") or not d.all("firstprivate"))


def _own(chain: list[Directive]) -> set[Symbol]:
    """What the chain has private copies of, one a team.  Raises _DifferentError for what is no plain scalar."""
    items = [(d, i) for d in chain for c in d.all("private", "reduction") for i in c.items]
    clauses = [c for d in chain for c in d.all("reduction")]
    plain = all(is_scalar(i.symbol) and isinstance(bare(i.expr), ast.Name) for _, i in items)
    if not plain or any(c.modifiers for c in clauses):
        raise _DifferentError
    return listed(chain, "private", "reduction")


def _settled(found: _Survey, values: set[Symbol]) -> tuple[set[Symbol], list[tuple[ast.Stmt, frozenset[Symbol]]]]:
    """What is changed otherwise than by all threads alike, and the simple statements that all of them run."""
    changed = found.modified | found.begun
    simple = found.simple
    own = {s for s in found.locals | values if is_scalar(s)}
    while True:
        kept = [x for x in simple if x[1] <= own - changed]
        if len(kept) == len(simple):
            return changed, simple
        for _, targets in simple:
            changed |= targets if not targets <= own - changed else frozenset()
        simple = [x for x in kept if x[1] <= own - changed]


def is_scalar(s: Symbol | None) -> bool:
    """Whether `s` is a number or a pointer of which every thread may have a copy."""
    if s is None or not isinstance(s.type, (Integer, Floating, Pointer, Enum)) or is_vla(s.type):
        return False
    return {"volatile", "_Atomic"}.isdisjoint(s.type.quals)


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
        targets = _targets(s)
        if any(x.directive.name not in _SEQUENTIAL for x in directives_in(s)):
            raise _DifferentError
        if targets is not None:
            found.simple.append((s, targets))
        else:
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
    reduced = [i.symbol for c in d.all("reduction") for i in c.items if _is_total(c.keyword, c.modifiers, i)]
    found.reduced += [(id(d), x) for x in reduced if x is not None]
    own = privatised(d) | (declared_in(s.body) if s.body is not None else set())
    if d.has("for") or d.has("loop"):
        nest = nest_of(d, s.body)
        own |= nest.counters - kept_counters(d, nest)
    found.modified |= (modified_in(s) - own) | (listed([d], *WRITTEN_BACK) - set(reduced))


def _is_total(operator: str | None, modifiers: Collection[str], item: ListItem) -> bool:
    """Whether all threads can be told the result of a reduction: a number of a word at most, of a known operator."""
    s = item.symbol
    if s is None or not is_scalar(s):
        return False
    small = isinstance(s.type, Integer) and s.type.size <= _WORD
    small = small or (isinstance(s.type, Floating) and s.type.kind in ("float", "double") and not s.type.complex)
    return small and operator in REDUCTIONS and not modifiers and isinstance(bare(item.expr), ast.Name)


def _targets(s: ast.Stmt) -> frozenset[Symbol] | None:
    """The variables that a statement assigns to, when that is all it does and it has no loop; else None."""
    if isinstance(s, ast.ExprStmt):
        return _assigned(s.expr)
    parts: list[ast.Stmt | None]
    if isinstance(s, ast.If) and is_pure(s.condition) and not modified_in(s.condition):
        parts = [s.then, s.otherwise]
    elif isinstance(s, ast.Compound):
        parts = list(s.items)
    else:
        return None
    found = [_targets(x) for x in parts if x is not None]
    return frozenset().union(*(x for x in found if x is not None)) if None not in found else None


def _assigned(e: ast.Expr | None) -> frozenset[Symbol] | None:
    """`_targets` of an expression."""
    if e is None:
        return frozenset()
    e = bare(e)
    if isinstance(e, ast.Binary) and e.op == ",":
        both = _assigned(e.left), _assigned(e.right)
        return both[0] | both[1] if both[0] is not None and both[1] is not None else None
    target = bare(assigned_by(e))
    if target is None or (isinstance(e, ast.Assign) and (not is_pure(e.value) or modified_in(e.value))):
        return None
    return frozenset({target.symbol}) if isinstance(target, ast.Name) and target.symbol is not None else None


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
        target = assigned_by(e)
        name = target if isinstance(target, ast.Name) else None
        if name is None or name.symbol is None or isinstance(name.symbol.type, Pointer):
            raise _DifferentError
        if isinstance(e, ast.Assign):
            _condition(e.value, found)
        found.stepped.add(name.symbol)


def is_pure(e: ast.Expr) -> bool:
    """Whether all threads may evaluate `e`: no calls that do more than compute, no assignments, nothing volatile."""
    for n in e.walk():
        if isinstance(n, ast.Call) and not _computes(n):
            return False
        if assigned_by(n) is not None or isinstance(n, (ast.StatementExpr, ast.OtherExpr, ast.CompoundLiteral)):
            return False
        if isinstance(n, ast.Expr) and "volatile" in n.type.quals:
            return False
    return True


def _computes(call: ast.Call) -> bool:
    s = call.function.symbol if isinstance(call.function, ast.Name) else None
    return s is not None and s.name in _PURE and s.from_system_header


def is_alike(e: ast.Node, promotion: Promotion) -> bool:
    """Whether `e` only reads what every thread has a copy of, or what nobody writes to."""
    for n in everything(e):
        reads = isinstance(n, (ast.Index, ast.Member)) or (isinstance(n, ast.Unary) and n.op == "*")
        if reads and isinstance(n, ast.Expr) and storage(n) not in promotion.unwritten:
            return False
    names = {n.symbol for n in names_in(e) if n.symbol is not None and n.symbol.kind in ("var", "param")}
    return names <= promotion.replicated | promotion.unwritten
