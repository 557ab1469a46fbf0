"""Elements beside the section that a `reduction` lists: the private copies do not have them."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access, extent, walk
from ompls.analysis.dataenv.expressions import poly_of
from ompls.analysis.dataenv.symbolic import ZERO, Poly, range_over, sign
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model.ast import DirectiveStmt, Expr, Index, Name, Section, Symbol, Unary
from ompls.analysis.model.omp import ListItem
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.spec.data_clauses import REDUCING

Bounds = tuple[tuple[Poly, Poly], ...]  # of each dimension, the first and the last element


def check(scene: Scene) -> Iterator[Finding]:
    for stmt in scene.content.directives if scene.content is not None else ():
        listed = _sections(stmt) if stmt.body is not None else {}
        if not listed:
            continue
        found = walk(stmt, scene.unit.functions).accesses
        changed = {a.symbol for a in found if a.write and not a.place.path and not a.clause}
        told: set[Symbol] = set()
        for access in found:
            name = access.symbol
            if access.owner is not stmt or access.clause or name in told or name not in listed:
                continue
            item, bounds = listed[name]
            severity = _beside(access, bounds, changed)
            if severity is not None:
                told.add(name)
                message = f"the private copy has `{item.text}` only, and this lies beside it"
                yield Finding(access.node.span, message, severity, ((item.span, "what is reduced"),))


def _sections(stmt: DirectiveStmt) -> dict[Symbol, tuple[ListItem, Bounds]]:
    """The part of each array or pointer that is reduced; of which there are two, none."""
    found: dict[Symbol, tuple[ListItem, Bounds]] = {}
    items = [i for c in stmt.directive.all(*REDUCING) for i in c.items if stmt.directive.known]
    for item in items:
        bounds = _bounds(bare(item.expr))
        if bounds and item.symbol is not None and sum(i.symbol is item.symbol for i in items) == 1:
            found[item.symbol] = item, bounds
    return found


def _bounds(e: Expr) -> Bounds:
    """First and last element in each dimension; (): not known."""
    if not isinstance(e, (Index, Section)):
        return ()
    if isinstance(e, Index):
        low = high = poly_of(e.index)
    else:
        low, length = ZERO if e.lower is None else poly_of(e.lower), poly_of(e.length)
        high = low + length - 1 if low is not None and length is not None and e.stride is None else None
    base = bare(e.base)
    rows = _bounds(base)
    if low is None or high is None or not (rows or isinstance(base, Name)):
        return ()
    return (*rows, (low, high))


def _beside(access: Access, bounds: Bounds, changed: set[Symbol]) -> Severity | None:
    """Whether some of what is accessed lies outside, for all values of what the bounds are made of."""
    reached = extent(access)
    exact = access.certain and not access.guards and all(loop.exact for loop in access.loops)
    spans = reached.ranges
    if spans[:1] in ((), (None,)) and (at := _behind_pointer(access)) is not None:
        moving = {access.symbol} | at.symbols() - {loop.symbol for loop in access.loops}
        spans = (range_over(at, access.loops) if not moving & changed else None,)
    else:
        exact = reached.exact if len(spans) == 1 else exact and access.place.sure
    for (low, high), span in zip(bounds, spans, strict=False):
        if span is not None and (sign(low - span[0]) == ">" or sign(span[1] - high) == ">"):
            return "error" if exact else "hint"
    return None


def _behind_pointer(access: Access) -> Poly | None:
    """The element of what a pointer leads to: where its own value is not known, as its copy's is not, its subscript is."""
    node = access.node
    if isinstance(node, Unary) and node.op == "*" and isinstance(bare(node.operand), Name):
        return ZERO
    return poly_of(node.index) if isinstance(node, Index) and isinstance(bare(node.base), Name) else None


RULE = Rule(
    id="beside-reduced",
    severity="error",
    group="sharing",
    title="An element beside the section that is reduced",
    why="""
In a construct with `reduction(+: a[0:n])` the name `a` means a private copy of these elements. The others are not there: what
is written to them overwrites other memory, or is lost, and `gcc` and `clang` do not say so. List a section that has all elements
that the construct works on, or use a pointer to the others.
""",
    section="5.5.5",
    about="directives",
    bad=(
        """
void f(int n, double *sums) {
    int part[4] = {0};
    #pragma omp target teams distribute parallel for reduction(+: part[0:1]) map(tofrom: part)
    for (int i = 0; i < n; i++) {
        part[0] += i;
        part[1] = 7;
    //  ^^^^^^^ error: the private copy has `part[0:1]` only, and this lies beside it
    }
    #pragma omp parallel for reduction(+: sums[1:2], part[3:1])
    for (int i = 0; i < n; i++) {
        sums[1] += i;
        if (n > 100) *sums = 5;
    //               ^^^^^ hint: the private copy has `sums[1:2]` only, and this lies beside it
        for (int k = 0; k < 4; k++) part[k] += k;
    //                              ^^^^^^^ error: the private copy has `part[3:1]` only, and this lies beside it
    }
}
""",
        """
void f(int n, double *sums) {
    #pragma omp parallel for reduction(+: sums[0:n])
    for (int i = 0; i < n; i++) sums[i + 1] += i;
    //                          ^^^^^^^^^^^ error: the private copy has `sums[0:n]` only, and this lies beside it
}
""",
        """
void f(int n, const int *at) {
    double grid[4][4] = {{0}};
    #pragma omp parallel for reduction(+: grid[0:2][0:4])
    for (int i = 0; i < n; i++) {
        grid[1][i % 4] += i;
        grid[3][at[i]] += i;
    //  ^^^^^^^^^^^^^^ error: the private copy has `grid[0:2][0:4]` only, and this lies beside it
    }
    #pragma omp parallel for reduction(+: grid[1][0:2])
    for (int i = 0; i < 4; i++) grid[1][i] += i;
    //                          ^^^^^^^^^^ error: the private copy has `grid[1][0:2]` only, and this lies beside it
}
""",
    ),
    good=(
        """
void f(int n, double *sums) {
    #pragma omp parallel for reduction(+: sums[0:n])
    for (int i = 0; i < n; i++) sums[i] += i;
}
""",
        """
void f(int n, int m, double *sums, const int *at) {
    #pragma omp parallel for reduction(+: sums[0:m])
    for (int i = 0; i < n; i++) sums[i % m] += sums[at[i]];
}
""",
        """
void f(int n, double *sums) {
    double part[4] = {0}, grid[2][4];
    #pragma omp parallel for reduction(+: part[:4]) reduction(+: grid[0:1])
    for (int i = 0; i < n; i++) { part[3] += i; grid[0][3] += 1; }
    sums[0] = part[3];
}
""",
        """
void f(int n, double *sums, const int *at) {
    double grid[4][4] = {{0}};
    #pragma omp parallel for reduction(+: grid[1:2][0:4])
    for (int i = 0; i < n; i++) { grid[at[i]][3] += i; grid[2][i % 4] += i; grid[1 + i % 2][at[i]] = 1; }
    #pragma omp parallel for reduction(+: grid[1][0:4])
    for (int i = 0; i < 4; i++) grid[1][i] += i;
    sums[0] = grid[1][3];
}
""",
        """
void f(int n, double *sums) {
    double part[4] = {0}, *others = part;
    #pragma omp parallel for reduction(+: part[0:2])
    for (int i = 0; i < 2; i++) { part[i] += i; others[i + 2] = 0; }
}
""",
        """
void f(int n, double *sums) {
    #pragma omp parallel for reduction(+: sums[n:4])
    for (int i = 0; i < 8; i++) { double own[4]; own[3] = i; sums[n + 3] += own[3]; }
    #pragma omp parallel reduction(+: sums[0:4]) firstprivate(n)
    { n = 2; sums[n] = 1; sums += 3; sums[-1] = n; }
    sums[0] = 1;
}
""",
    ),
    check=check,
)
