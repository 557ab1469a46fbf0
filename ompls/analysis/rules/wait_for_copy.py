"""A loop in a target region that waits for a scalar to change, but the region has a copy of it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import variable_changed_by
from ompls.analysis.model.ast import Expr, Node, Stmt, Symbol
from ompls.analysis.model.ctype import Array, Pointer, Record
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Finding, Rule, Scene

Loop = ast.While | ast.DoWhile | ast.For
_LOOPS = (ast.While, ast.DoWhile, ast.For)


def check(scene: Scene) -> Iterator[Finding]:
    for region in scene.content.regions if scene.content is not None else ():
        copies = {v.symbol for v in region.variables if v.copied_by_default and not v.writes and _is_scalar(v.symbol)}
        nodes = region.stmt.nodes
        loops: list[Loop] = [*nodes(ast.For), *nodes(ast.While), *nodes(ast.DoWhile)] if copies else []
        for loop in loops:
            if not _counts(loop, region):
                yield from _waiting(loop, copies, region)


def _counts(loop: Loop, region: Region) -> bool:
    """Whether its step changes what its condition asks for, and nothing else in the region does: as in most loops."""
    if not isinstance(loop, ast.For) or loop.step is None or loop.condition is None:
        return False
    asked = {u.symbol for u in uses(loop.condition)}
    assigned = (n.target for n in region.stmt.nodes(ast.Assign))
    return not asked.isdisjoint(
        {u.symbol for u in uses(loop.step) if u.write} - {e.symbol for e in assigned if isinstance(e, ast.Name)}
    )


def _waiting(loop: Loop, copies: set[Symbol], region: Region) -> Iterator[Finding]:
    """Nothing that decides whether the loop goes on changes in it, and one of that is a copy."""
    ends = _ends(loop)
    if not ends:
        return
    step = loop.step if isinstance(loop, ast.For) else None
    written = {u.symbol for part in (loop.body, step) for u in uses(part) if u.write}
    read_again = _read_again(loop, copies)
    asked = [u for condition in ends for u in uses(condition)]
    if any(u.depth or u.write or u.escapes or not _is_scalar(u.symbol) for u in asked):
        return
    names = {u.symbol for u in asked}
    shared = {v.symbol for v in region.variables} - copies
    if names & (shared | (written - read_again.keys())):
        return
    if not names <= copies and any(u.write and u.depth for u in uses(loop.body)):
        return  # it may be one of them, by a pointer
    known = (names & copies) | {read_again[s] for s in names & read_again.keys()}
    if not known:
        return
    symbol = min(known, key=lambda s: s.name)
    at = next(u for u in (*asked, *uses(loop.body)) if u.symbol is symbol)
    sure = names <= copies and not written and not region.tainted
    yield _finding(region, at, "warning" if sure else "hint")


def _finding(region: Region, at: Use, severity: Severity) -> Finding:
    name = at.symbol.name
    message = f"this waits for ever: `{name}` is firstprivate in the region, a copy that nobody else changes"
    return Finding(at.node.span, message, severity, (), (with_clause(region.directive, f"map(to: {name})"),))


def _ends(loop: Loop) -> list[Expr]:
    """The conditions that can end it; none where it is not clear what does."""
    inside = list(ast.nodes(loop.body))
    if any(isinstance(n, (*_LOOPS, ast.Call, ast.Switch, ast.StatementExpr, ast.AsmStmt)) for n in inside):
        return []
    deciding = [n for n in inside if isinstance(n, ast.If) and _leaves(n.then, n.otherwise)]
    jumps = [n for n in inside if isinstance(n, ast.Jump) and n.kind != "continue"]
    decided = [j for n in deciding for j in ast.nodes(n) if isinstance(j, ast.Jump) and j.kind != "continue"]
    if any(j not in decided for j in jumps):
        return []
    first = [loop.condition] if loop.condition is not None else []
    ends = [*first, *(n.condition for n in deciding)]
    return [] if any(isinstance(n, ast.Call) for e in ends for n in ast.nodes(e)) else ends


def _leaves(*parts: Stmt | None) -> bool:
    nodes: Iterator[Node] = (n for part in parts if part is not None for n in ast.nodes(part))
    return any(isinstance(n, ast.Jump) and n.kind != "continue" for n in nodes)


def _read_again(loop: Loop, copies: set[Symbol]) -> dict[Symbol, Symbol]:
    """Variables that only get the value of a copy in the loop, and of which."""
    found: dict[Symbol, Symbol] = {}
    others: set[Symbol] = set()
    for node in ast.nodes(loop.body):
        symbol = variable_changed_by(node)
        if symbol is None or isinstance(node, ast.VarDecl):
            continue
        value = bare(node.value) if isinstance(node, ast.Assign) and node.op == "=" else None
        if isinstance(value, ast.Name) and value.symbol in copies:
            found[symbol] = value.symbol
        else:
            others.add(symbol)
    return {name: copy for name, copy in found.items() if name not in others}


def _is_scalar(symbol: Symbol) -> bool:
    return not isinstance(symbol.type, (Array, Pointer, Record))


RULE = Rule(
    id="wait-for-copy",
    severity="warning",
    group="sharing",
    title="A loop in a target region waits for a scalar of which the region has a copy",
    why="""
A scalar that no clause lists is firstprivate in a target region (since OpenMP 4.5): the region gets its value when it begins, and
what the host or another region writes later does not reach it. A kernel that waits for a word, to be woken by `target update`,
needs it in a `map` clause.
""",
    section="5.8.1",
    about="regions",
    bad=(
        """
void f(int flag) {
    #pragma omp target nowait
    while (flag == 0)
    //     ^^^^ warning: this waits for ever: `flag` is firstprivate in the region, a copy that nobody else changes
        ;
    #pragma omp taskwait
}
""",
        """
void f(double *x, int word) {
    #pragma omp target map(tofrom: x[0:8]) nowait
    for (int round = 1; round < 9; round++) {
        int now;
        do {
            #pragma omp atomic read acquire
            now = word;
            //    ^^^^ hint: this waits for ever: `word` is firstprivate in the region, a copy that nobody else changes
        } while (now < round);
        x[round - 1] = now;
    }
    #pragma omp taskwait
}
""",
        """
void f(int word) {
    #pragma omp target nowait
    for (;;) {
        int now;
        #pragma omp atomic read
        now = word;
        //    ^^^^ hint: this waits for ever: `word` is firstprivate in the region, a copy that nobody else changes
        if (now < 0)
            break;
    }
    #pragma omp taskwait
}
""",
    ),
    good=(
        """
void f(int flag) {
    #pragma omp target map(to: flag) nowait
    while (flag == 0)
        ;
    #pragma omp taskwait
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        if (n > 100)
            break;
        x[i] = 1;
    }
}
""",
        """
void f(int n, double limit, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        int i = 0;
        while (i < n && x[i] > limit)
            i++;
        do
            x[0] /= 2;
        while (x[0] > limit);
    }
}
""",
        """
void step(double *x);
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    while (n > 0)
        step(x);
}
""",
        """
void f(int n, int *done) {
    #pragma omp target map(tofrom: done[0:1])
    while (*done < n)
        ;
}
""",
    ),
    check=check,
)
