"""Neighbouring threads of a kernel that access elements far apart."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access, accesses
from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.symbolic import Poly, loop_range
from ompls.analysis.model.ast import Binary, DeclStmt, DirectiveStmt, For, Index, Name, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import trustworthy
from ompls.analysis.rules.support.loopnest import nest_of

_FEW = 4  # elements apart: still the same or the next line of memory


def check(scene: Scene) -> Iterator[Finding]:
    for region in scene.content.regions if scene.content is not None else ():
        if not _is_nested(region) or not trustworthy(scene.content, region):
            continue
        spread = _spread(region)
        if not spread or _is_dense(region, set(spread.values())):
            continue
        reported: set[Symbol] = set()
        for access in accesses(region.stmt, scene.unit.functions):
            if access.symbol in reported or access.calls or access.symbol.level == "block":
                continue
            stride = _stride(access, spread)
            if stride is not None:
                reported.add(access.symbol)
                yield _finding(access, stride, spread)


def _spread(region: Region) -> dict[DirectiveStmt, Symbol]:
    """The loop directives that give single iterations to the threads of a team; their fastest variable."""
    found: dict[DirectiveStmt, Symbol] = {}
    for node in region.stmt.nodes(DirectiveStmt):
        if not {"for", "loop"}.intersection(node.directive.constructs):
            continue
        nest = nest_of(node)
        last = loop_range(nest.loops[-1]) if nest.loops and len(nest.loops) == nest.wanted else None
        if last is None or last.symbol is None or abs(last.step) != 1:
            continue
        if node.directive.clause("schedule") is None:
            found[node] = last.symbol
    return found


def _is_nested(region: Region) -> bool:
    """Whether there are two loops: with one, there is no better order."""
    return len(region.stmt.nodes(For)) > 1


def _is_dense(region: Region, variables: set[Symbol]) -> bool:
    """Whether one look shows that neighbours access neighbours: the variables stand nowhere but in the heads of their
    loops and, with nothing but a distance, as last subscripts.  So it is mostly; what is not needs all accesses."""
    if len(region.stmt.nodes(DirectiveStmt)) > 1:
        return False  # with clauses of its own
    there: set[int] = set()
    for element in region.stmt.nodes(Index):
        if not isinstance(element.type, Array):  # else another subscript follows
            at = element.index
            there.add(
                id(at.left if isinstance(at, Binary) and at.op in ("+", "-") and fold(at.right) is not None else at)
            )
    for loop in region.stmt.nodes(For):
        if isinstance(loop.init, DeclStmt) and any(decl.symbol in variables for decl in loop.init.decls):
            there.update(
                id(n) for part in (loop.init, loop.condition, loop.step) if part is not None for n in part.walk()
            )
    return all(id(n) in there for n in region.stmt.nodes(Name) if n.symbol in variables)


def _stride(access: Access, spread: dict[DirectiveStmt, Symbol]) -> tuple[Symbol, Poly] | None:
    """How far apart neighbouring threads are, when that is far."""
    at = access.place.linear
    if at is None or access.depth > 1:
        return None
    symbol = next((spread[d] for d in spread if d in access.directives), None)
    if symbol is None:
        return None
    parts = at.coefficient(symbol)
    if parts is None:
        return None
    constant = parts[0].constant
    if constant is not None and abs(constant) <= _FEW:
        return None
    # Only where another variable steps by one is there a better order.
    for loop in access.loops:
        inner = at.coefficient(loop.symbol) if loop.symbol is not None and loop.symbol is not symbol else None
        if inner is not None and inner[0].constant in (1, -1):
            return symbol, parts[0]
    return None


def _finding(access: Access, stride: tuple[Symbol, Poly], spread: dict[DirectiveStmt, Symbol]) -> Finding:
    symbol, apart = stride
    message = (
        f"neighbouring threads (next `{symbol.name}`) access elements of `{name_of(access.node)}` that are "
        f"{_text(apart)} apart: on a GPU, each costs a memory transaction of its own"
    )
    stmt = next(d for d, s in spread.items() if s is symbol)
    related = ((stmt.directive.name_span, f"this spreads the iterations over `{symbol.name}`"),)
    return Finding(access.node.span, message, "hint", related)


def _text(p: Poly) -> str:
    return f"`{p}`" if p.constant is None else str(abs(p.constant))


RULE = Rule(
    id="uncoalesced-access",
    severity="hint",
    title="Neighbouring threads access elements far apart",
    why="""
The threads of a warp run together, and a GPU fetches memory in lines of 32 to 128 bytes. When the threads of
neighbouring iterations read neighbouring elements, one transaction serves them all; when they are a row apart, each
thread needs its own. Let the variable of the distributed loop be the last subscript: exchange the loops, transpose
the array, or `collapse` both loops.
""",
    section="11.5",
    group="performance",
    about="regions",
    bad=(
        """
void rows(int n, int m, const double *a, double *sum) {
    #pragma omp target teams distribute parallel for map(to: a[0:n*m]) map(from: sum[0:n])
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < m; j++)
            s += a[i * m + j];
    //           ^^^^^^^^^^^^ hint: neighbouring threads (next `i`) access elements of `a` that are `m` apart: on a GPU, each costs a memory transaction of its own
        sum[i] = s;
    }
}
""",
        """
static double a[1000][1000];
void clear(void) {
    #pragma omp target teams distribute parallel for map(from: a)
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 1000; j++)
            a[i][j] = 0;
    //      ^^^^^^^ hint: neighbouring threads (next `i`) access elements of `a` that are 1000 apart: on a GPU, each costs a memory transaction of its own
}
""",
    ),
    good=(
        """
void columns(int n, int m, const double *a, double *sum) {
    #pragma omp target teams distribute parallel for map(to: a[0:n*m]) map(from: sum[0:m])
    for (int j = 0; j < m; j++) {
        double s = 0;
        for (int i = 0; i < n; i++)
            s += a[i * m + j];
        sum[j] = s;
    }
}
""",
        """
static double a[1000][1000];
void clear(void) {
    #pragma omp target teams distribute parallel for collapse(2) map(from: a)
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 1000; j++)
            a[i][j] = 0;
}
""",
        """
void rows(int n, int m, double *a) {
    #pragma omp target teams distribute map(tofrom: a[0:n*m])
    for (int i = 0; i < n; i++) {
        #pragma omp parallel for
        for (int j = 0; j < m; j++)
            a[i * m + j] *= 2;
    }
}
""",
        """
void gather(int n, const int *index, const double *x, double *y) {
    #pragma omp target teams distribute parallel for map(to: x[0:n], index[0:n]) map(from: y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = x[index[i]];
}
""",
        """
void rows(int n, int m, double *a) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] *= 2;
}
""",
        """
void pairs(int n, const double *x, double *y) {
    #pragma omp target teams distribute parallel for map(to: x[0:2*n]) map(from: y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = x[2 * i] + x[2 * i + 1];
}
""",
    ),
    check=check,
)
