"""Launch geometry: the teams and threads that the host asks for.  Expressions are host C text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Enum, Integer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, Item, Region
from ompls.translate.canonical import find_nest, nest_of
from ompls.translate.loops import Loop, Nest
from ompls.translate.uses import directives_in, modified_in

_GRIDS = (2, 3)  # numbers of loops that have a dimension each
_CHAIN = {"teams", "distribute", "parallel", "for", "simd", "loop"}


@dataclass(frozen=True)
class Launch:
    """`trips`: of each loop, innermost first, for a kernel whose grid has several dimensions.

    inside -- the iterations of the parallel loops inside each of the trip count's, which a team's threads run together;
              "" where an iteration is one thread's
    """

    trip_count: str = "0"
    num_teams: str = "0"
    thread_limit: str = "0"
    num_threads: str = "0"
    trips: tuple[str, ...] = ()
    inside: str = ""


def launch_of(
    tu: TU, item: Item, region: Region, evaluated: dict[int, str] | None = None, dimensions: int = 1
) -> Launch:
    """What the clauses of the construct, and of the constructs nested strictly in it, ask for.

    evaluated  -- id of a clause -> the variable that holds its expression's value
    dimensions -- of the kernel's grid (`dimensions_of`)
    """
    known = evaluated or {}
    d = chain_directives(region.stmt)
    parallel_if = _parallel_if(tu, item, d, known)
    teams = any(x.has("teams") for x in d)

    def of(name: str, default: str) -> str:
        """The clause of the innermost construct that has it; a bound that the host cannot know is kept by one."""
        clause = next((c for x in reversed(d) for c in x.all(name) if c.args and not c.broken), None)
        if clause is None:
            return default
        if not _host_safe(clause.args[-1], region, clause in region.directive.clauses):
            return "1"
        return known.get(id(clause)) or tu.text(item, clause.args[-1].span)

    nest = find_nest(region.stmt)
    trip = trip_count_text(tu, item, region, nest.loops) if nest else "0"
    trips: tuple[str, ...] = ()
    if nest is not None and dimensions > 1:
        trips = tuple(trip_count_text(tu, item, region, [x]) for x in reversed(nest.loops))
        if not nest.rectangular:  # the last row goes to the first one's threads
            rows, pair = _factors(tu, item, region, nest.loops, pairs=True) or ["0", "0"]
            trips = (pair, f"(({rows}) + 1) / 2" if rows != "0" else "0")
    if not any(x.has("parallel") or x.has("loop") for x in d):
        return Launch(trip, of("num_teams", "0") if teams else "1", of("thread_limit", "0"), "0")
    threads = of("num_threads", "0")
    if parallel_if:
        threads = f"({parallel_if}) ? ({threads}) : 1"
    return Launch(trip, of("num_teams", "0") if teams else "1", of("thread_limit", "0"), threads, trips)


def dimensions_of(stmt: DirectiveStmt) -> int:
    """How many dimensions the grid and the blocks of the kernel have: two or three for as many collapsed loops.

    Their iterations are those of all teams and threads, in whatever order: no clause says which thread gets which, and
    nothing has to know the number of an iteration among all of them.
    """
    chain = chain_directives(stmt)
    leaves = {c for d in chain for c in d.constructs}
    nest = find_nest(stmt) if over_teams(leaves) and leaves & {"parallel", "loop"} else None
    if nest is None or len(nest.loops) not in _GRIDS or not (nest.rectangular or _has_pairs(chain, nest)):
        return 1
    return len(nest.loops) if in_any_order(chain) else 1


def in_any_order(chain: Iterable[Directive]) -> bool:
    """Whether no clause says which team and thread gets which iteration, or what their order is."""
    ordering, kept = ("schedule", "dist_schedule", "ordered", "linear"), {"inscan", "conditional"}
    return not any(d.clause(name) for d in chain for name in ordering) and not any(
        kept & set(c.modifiers) for d in chain for c in d.clauses
    )


def _has_pairs(chain: list[Directive], nest: Nest) -> bool:
    """Whether they are two loops, the inner one's bounds depend on the outer counter, and nothing asks which iteration
    is the last one: first and last row make a pair, and so on, and all pairs have the same length."""
    outer, inner = nest.loops[0], nest.loops[-1]
    if len(nest.loops) != 2 or inner.rows != (outer.symbol,) or any(d.clause("lastprivate") for d in chain):
        return False
    kept = any(d.has("simd") for d in chain) and any(isinstance(x.stmt.init, ast.ExprStmt) for x in nest.loops)
    return not kept and all(isinstance(x.symbol.type, Integer) for x in nest.loops)


def over_teams(leaves: Collection[str]) -> bool:
    """Whether a chain of these leaf constructs gives the iterations of its loop to the teams.

    A `loop` binds to the teams region that it is in, unless a parallel region is between (OpenMP 5.2 section 11.7).
    """
    return "teams" in leaves and ("distribute" in leaves or ("loop" in leaves and "parallel" not in leaves))


def _parallel_if(tu: TU, item: Item, chain: list[Directive], known: dict[int, str]) -> str:
    """The condition under which the chain's parallel construct has more than one thread; "" when it always has."""
    for d in chain:
        for c in d.all("if"):
            if c.args and (c.keyword == "parallel" or (not c.keyword and d.has("parallel") and not d.has("target"))):
                return known.get(id(c)) or tu.text(item, c.args[-1].span)
    return ""


def chain_directives(stmt: DirectiveStmt) -> list[Directive]:
    """The target construct's directive and those strictly nested in it, as far as they are one combined construct."""
    out = [stmt.directive]
    body = stmt.body
    while True:
        if isinstance(body, ast.Compound) and len(body.items) == 1:
            body = body.items[0]
        elif isinstance(body, DirectiveStmt) and _goes_on(stmt, body.directive) and _binds(out, body.directive):
            out.append(body.directive)
            body = body.body
        else:
            return out


def _goes_on(stmt: DirectiveStmt, d: Directive) -> bool:
    """Whether a construct strictly nested in `stmt` is one with it: the host can say how many threads it has."""
    if not set(d.constructs) <= _CHAIN:
        return False
    asked = [c.args[-1] for c in d.all("if", "num_threads") if c.args] if d.has("parallel") else []
    changed = modified_in(stmt) if any(not isinstance(e, ast.IntLiteral) for e in asked) else set()
    return all(_is_plain(e, changed) for e in asked)


def _binds(chain: list[Directive], d: Directive) -> bool:
    """Whether a construct strictly nested in `chain` is about the threads of the chain: not a `loop` of one, and not
    what each of them does anew, as a `parallel` in a `parallel` is."""
    if any(x.has(leaf) for x in chain for leaf in d.constructs):
        return False
    operators, theirs = _operators([d]), _operators(chain)
    if any(theirs.get(s, operator) != operator for s, operator in operators.items()):
        return False
    bound, leaves = binding(d), {c for x in (*chain, d) for c in x.constructs}
    around = next((x for x in ("parallel", "teams") if x in leaves), "")
    return not bound or not around or bound == around


def _operators(directives: Iterable[Directive]) -> dict[Symbol, str]:
    """How each variable of their reductions is reduced."""
    clauses = [c for d in directives for c in d.all("reduction")]
    return {i.symbol: c.keyword or "" for c in clauses for i in c.items if i.symbol is not None}


def binding(d: Directive) -> str:
    """What the `bind` clause of a `loop` construct names; "" without one."""
    bind = d.clause("bind")
    return bind.keyword or bind.text.strip() if bind else ""


def _is_plain(e: ast.Expr, changed: Collection[Symbol]) -> bool:
    """Whether the host may evaluate `e`, of a construct in the region: integers of its own that keep their values."""
    for n in e.walk():
        s = n.symbol if isinstance(n, ast.Name) else None
        if s is not None and s.kind in ("var", "param"):
            if not isinstance(s.type, (Integer, Enum)) or s in changed or s.declare_target:
                return False
        elif _reaches(n):
            return False
    return True


def _reaches(n: ast.Node) -> bool:
    """Whether it is a call, an access, an assignment, or not understood."""
    if isinstance(n, ast.Unary):
        return n.op in ("*", "&", "++", "--")
    return isinstance(n, (ast.Call, ast.Index, ast.Member, ast.Assign, ast.OtherExpr, ast.StatementExpr))


def innermost(stmt: DirectiveStmt) -> ast.Stmt | None:
    """The body of the last directive of `chain_directives`."""
    last: ast.Stmt | None = stmt
    for _ in chain_directives(stmt):
        while isinstance(last, ast.Compound):
            last = last.items[0]
        assert isinstance(last, DirectiveStmt)
        last = last.body
    return last


def _host_safe(e: ast.Expr, region: Region, outer: bool, known: Collection[Symbol] = ()) -> bool:
    """Whether the host may evaluate `e` beforehand: no calls, no accesses, no variable whose value it lacks.

    known -- variables that it does have
    A clause of the target construct itself (`outer`) is evaluated there anyway.
    """
    if outer:
        return True
    for n in e.walk():
        if isinstance(n, ast.Name) and n.symbol in known:
            continue
        if isinstance(n, ast.Name) and n.symbol is not None and n.symbol.kind in ("var", "param"):
            v = region.variable(n.symbol)
            declared_inside = v is None and n.symbol.level == "block"
            integer = isinstance(n.symbol.type, (Integer, Enum))
            if declared_inside or not integer or (v is not None and v.writes):
                return False
        elif _reaches(n):
            return False
    return True


def trip_count_text(tu: TU, item: Item, region: Region, loops: Sequence[Loop]) -> str:
    """A host expression for the iterations of nested loops, "0" when the host cannot know; only a hint where rows
    depend on outer counters."""
    factors = _factors(tu, item, region, loops)
    return "0" if factors is None else " * ".join(f"({f})" for f in factors)


def _factors(tu: TU, item: Item, region: Region, loops: Sequence[Loop], *, pairs: bool = False) -> list[str] | None:
    """The iterations of each loop.  Rows count as the longest one, with `pairs` as the first and the last together."""
    factors: list[str] = []
    for loop in loops:
        rows = [x for x in loops if x.symbol in loop.rows]
        if any(x.rows or not _host_safe(x.bound, region, False) for x in rows):
            return None
        if not all(_host_safe(e, region, False, loop.rows) for e in (loop.lower, loop.bound)):
            return None
        step = "1"
        if loop.step is not None and _host_safe(loop.step, region, False):
            step = loop.step_text(_operand(tu, item, loop.step))
        low, high = _operand(tu, item, loop.lower), _operand(tu, item, loop.bound)
        if not loop.plain:  # a negative number may be a large one
            low, high = loop.limits(lambda e: _operand(tu, item, e), lambda t: getattr(t, "kind", "long long"))
        count = loop.count(low, high, "long long", step)
        for x in rows:  # the longest row is at one of the ends
            name, low = x.symbol.name, _operand(tu, item, x.lower)
            first, last = f"__ompls_first_{name}", f"__ompls_last_{name}"
            if pairs:  # exactly: threads are as many
                by, t = "1", unqualified(x.symbol.type)
                if x.step is not None and _host_safe(x.step, region, False):
                    by = x.step_text(_operand(tu, item, x.step))
                high = f"{low} {'+' if x.up else '-'} (({factors[loops.index(x)]}) - 1) * {by}"
                kind = getattr(t.underlying if isinstance(t, Enum) else t, "kind", "long long")
                ends = [f"({{ {kind} {name} = {end}; (long long)({count}); }})" for end in (low, high)]
                both = f"{first} + {last}{'' if loop.step is None else ' + 1'}"  # lengths are rounded
            else:
                ends = [f"({{ __typeof__({end} + 0) {name} = {end}; (long long)({count}); }})"
                        for end in (low, _operand(tu, item, x.bound))]  # fmt: skip
                both = f"{first} > {last} ? {first} : {last}"
            count = f"({{ long long {first} = {ends[0]}, {last} = {ends[1]}; {both}; }})"
        factors.append(count)
    return factors


_UNKNOWN = "~0ull"  # iterations, when only the device can count them
_FEW = 4


def inside_of(tu: TU, item: Item, region: Region, regions: Collection[int]) -> str:
    """A host expression for the iterations of the longest of the parallel loops in a region, at least 1.

    regions -- ids of the directives of its parallel regions
    """
    counts = []
    for stmt in directives_in(region.stmt):
        d = stmt.directive
        if id(d) not in regions:
            continue
        counted = (d.has("for") or d.has("loop")) and not d.has("distribute")
        counts.append(trip_count_text(tu, item, region, nest_of(d, stmt.body).loops) if counted else "0")
    known = list(dict.fromkeys(counts))
    if "0" in known or len(known) > _FEW:
        return _UNKNOWN
    longest = "1ull"
    for k, count in enumerate(known):
        one, other = f"__ompls_inside_{k}", f"__ompls_most_{k}"
        longest = f"({{ unsigned long long {one} = {count}, {other} = {longest}; {one} > {other} ? {one} : {other}; }})"
    return longest


def _operand(tu: TU, item: Item, e: ast.Expr) -> str:
    text = tu.text(item, e.span)
    return text if isinstance(e, (ast.Name, ast.IntLiteral, ast.Paren)) else f"({text})"
