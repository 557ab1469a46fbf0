"""A kernel whose outer loop alone has too few iterations for a device, while the loop inside could be spread, too."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access, accesses, extent
from ompls.analysis.dataenv.symbolic import LoopRange, loop_range
from ompls.analysis.model.ast import Compound, DirectiveStmt, For, Span, Stmt
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import trustworthy
from ompls.analysis.rules.support.loopnest import nest_of

_ENOUGH = 2048  # iterations: a small GPU runs as many threads at a time


def check(scene: Scene) -> Iterator[Finding]:
    for region in scene.content.regions if scene.content is not None else ():
        directive = region.directive
        if not {"teams", "distribute", "parallel", "for"}.issubset(directive.constructs):
            continue
        if directive.clause("collapse", "ordered") is not None or not trustworthy(scene.content, region):
            continue
        nest = nest_of(region.stmt)
        inner_stmt = _inner(nest.loops[0].body) if len(nest.loops) == 1 else None
        outer = loop_range(nest.loops[0]) if inner_stmt is not None else None
        inner = loop_range(inner_stmt) if inner_stmt is not None else None
        trips = outer.trips.constant if outer is not None and outer.trips is not None else None
        if outer is None or inner is None or trips is None or not 1 < trips < _ENOUGH:
            continue
        if _independent(accesses(region.stmt, scene.unit.functions), outer, inner):
            yield _finding(region.stmt, trips, inner)


def _inner(body: Stmt) -> For | None:
    """The loop that is all of the body, and holds code and no directives."""
    while isinstance(body, Compound) and len(body.items) == 1:
        body = body.items[0]
    if not isinstance(body, For) or any(isinstance(n, DirectiveStmt) for n in body.walk()):
        return None
    return body


def _independent(found: list[Access], outer: LoopRange, inner: LoopRange) -> bool:
    """Whether every iteration of both loops writes elements of its own, and reads no other's."""
    if outer.symbol is None or inner.lower is None or inner.upper is None:
        return False
    if outer.symbol in inner.lower.symbols() | inner.upper.symbols():
        return False
    body = [a for a in found if any(loop.symbol is inner.symbol for loop in a.loops)]
    writes = [a for a in body if a.write]
    for write in writes:
        at = write.place.linear
        if write.guards or not write.certain or len(write.loops) != 2 or at is None:
            return False
        if not {outer.symbol, inner.symbol} <= at.symbols() or not extent(write).dense:
            return False
        same = [a for a in body if a.symbol is write.symbol and a.depth == write.depth]
        if any(a.place.subscripts != write.place.subscripts for a in same):
            return False
    return bool(writes)


def _finding(stmt: DirectiveStmt, trips: int, inner: LoopRange) -> Finding:
    message = f"the loop has {trips} iterations, few for a device: `collapse(2)` would spread the loop inside, too"
    end = stmt.directive.name_span.end
    change = Change("Add `collapse(2)`", Span(end, end), " collapse(2)", safe=False)
    span = Span(inner.stmt.span.start, inner.stmt.span.start + 3)
    return Finding(stmt.directive.name_span, message, "hint", ((span, "the loop inside"),), (change,))


RULE = Rule(
    id="missing-collapse",
    severity="hint",
    title="Too few iterations are spread over the device",
    why="""
Only the outermost loop is spread over teams and threads. A GPU wants thousands of iterations; when the outer loop has
less, `collapse(2)` makes one loop of both, and all of their iterations run in parallel. They must not depend on each
other: here each writes an element of its own.
""",
    section="4.4.3",
    group="performance",
    about="regions",
    bad=(
        """
static double a[100][5000];
void clear(void) {
    #pragma omp target teams distribute parallel for map(from: a)
    //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint: the loop has 100 iterations, few for a device: `collapse(2)` would spread the loop inside, too
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 5000; j++)
            a[i][j] = 0;
}
""",
        """
void scale(int m, double *a) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:64*m])
    //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint: the loop has 64 iterations, few for a device: `collapse(2)` would spread the loop inside, too
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] *= 2;
}
""",
    ),
    good=(
        """
static double a[100][5000];
void clear(void) {
    #pragma omp target teams distribute parallel for collapse(2) map(from: a)
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 5000; j++)
            a[i][j] = 0;
}
""",
        """
static double a[100][5000];
void sums(double *s) {
    #pragma omp target teams distribute parallel for map(to: a) map(tofrom: s[0:100])
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 5000; j++)
            s[i] += a[i][j];
}
""",
        """
static double a[100][5000];
void prefix(void) {
    #pragma omp target teams distribute parallel for map(tofrom: a)
    for (int i = 0; i < 100; i++)
        for (int j = 1; j < 5000; j++)
            a[i][j] += a[i][j - 1];
}
""",
        """
void scale(int n, int m, double *a) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] *= 2;
}
""",
        """
static double a[100][100];
void triangle(void) {
    #pragma omp target teams distribute parallel for map(tofrom: a)
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < i; j++)
            a[i][j] = 0;
}
""",
        """
static double a[100][5000];
void rows(double *x) {
    #pragma omp target teams distribute parallel for map(from: a) map(to: x[0:100])
    for (int i = 0; i < 100; i++) {
        double f = x[i];
        for (int j = 0; j < 5000; j++)
            a[i][j] = f;
    }
}
""",
    ),
    check=check,
)
