"""Fewer nested loops than a directive takes, or something else where a loop must stand."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.loopnest import Nest, nest_of, takes_loops
from ompls.analysis.rules.support.nesting import placed

_PERFECT = ("tile", "stripe", "interchange")


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        if takes_loops(place.stmt.directive) and place.stmt.body is not None:
            yield from _check(place.stmt, scene.unit.settings.openmp)


def _check(stmt: DirectiveStmt, version: str) -> Iterator[Finding]:
    directive, nest = stmt.directive, nest_of(stmt)
    clause = _counting(directive)
    if nest.instead is not None and not nest.loops:
        message = f"`{directive.name}` needs a `for` loop right after it"
        yield Finding(directive.name_span, message, "error", ((nest.instead.span, "this is none"),))
    elif nest.instead is not None and len(nest.loops) < nest.wanted:
        span = clause.span if clause is not None else directive.name_span
        message = f"`{_said(clause, directive)}` needs {nest.wanted} nested loops; there {_number(nest)} before this"
        yield Finding(span, message, "error", ((nest.instead.span, "a single `for` loop must stand here"),))
    elif nest.between is not None and len(nest.loops) == nest.wanted:
        why = _perfect(directive, clause, version)
        if why:
            related = ((nest.between.span, "this stands between the loops"),)
            span = clause.span if clause is not None else directive.name_span
            yield Finding(span, f"the loops must be perfectly nested: {why}", "error", related)


def _counting(directive: Directive) -> Clause | None:
    """The clause that asks for more than one loop."""
    found = [c for c in directive.all("collapse", "ordered", "sizes", "permutation") if c.args]
    return found[0] if found else None


def _said(clause: Clause | None, directive: Directive) -> str:
    return f"{clause.name}({clause.text})" if clause is not None else directive.name


def _number(nest: Nest) -> str:
    return "is 1" if len(nest.loops) == 1 else f"are {len(nest.loops)}"


def _perfect(directive: Directive, clause: Clause | None, version: str) -> str:
    """Why nothing may stand between the loops; "" when it may."""
    if directive.name in _PERFECT:
        return f"`{directive.name}` moves them"
    ordered = directive.clause("ordered")
    if ordered is not None and ordered.args and ordered is clause:
        return f"`ordered({ordered.text})` counts them"
    if version < "5.0":
        return "before OpenMP 5.0 nothing may stand between them"
    return ""


RULE = Rule(
    id="loop-nest",
    severity="error",
    title="Fewer nested loops than the directive takes",
    why="""
A loop directive applies to the `for` loop right after it, and `collapse(n)`, `ordered(n)` or `tile sizes(…)` to n loops,
each the only loop in the body of the one around it. Since OpenMP 5.0 other statements may stand between collapsed loops;
with `ordered(n)` and under loop transformations they may not.
""",
    section="4.4.1",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp target teams distribute parallel for collapse(2) map(tofrom: x[0:n])
    //                                               ^^^^^^^^^^^ error: `collapse(2)` needs 2 nested loops; there is 1 before this
    for (int i = 0; i < n; i++)
        x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for collapse(2)
    //                       ^^^^^^^^^^^ error: `collapse(2)` needs 2 nested loops; there is 1 before this
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) x[j] = 0;
        for (int j = 0; j < n; j++) x[j] = 1;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for
    //          ^^^^^^^^^^^^ error: `parallel for` needs a `for` loop right after it
    while (n--) x[n] = 0;
    #pragma omp simd
    //          ^^^^ error: `simd` needs a `for` loop right after it
    x[0] = 1;
}
""",
        """
void f(int n, double *x) {
    #pragma omp tile sizes(4, 4)
    //               ^^^^^^^^^^^ error: the loops must be perfectly nested: `tile` moves them
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        for (int j = 0; j < n; j++) x[j] = 0;
    }
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++) {
        double s = i;
        for (int j = 0; j < n; j++) x[i * n + j] = s;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for collapse(3)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                x[i * n + j] += k;
                for (int l = 0; l < n; l++) x[l] = 0;
            }
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for collapse(2)
    #pragma omp tile sizes(4)
    for (int i = 0; i < n; i++)
        x[i] = 0;
    #pragma omp for
    #pragma omp unroll partial(2)
    for (int i = 0; i < n; i++)
        x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp tile sizes(4, 4)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x[j] = 0;
    #pragma omp for ordered(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            #pragma omp ordered doacross(sink: i - 1, j)
            x[j] = 0;
            #pragma omp ordered doacross(source:)
        }
}
""",
        """
#define N 1
void f(int n, double *x) {
    #pragma omp parallel for collapse(N)
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        for (int j = 0; j < n; j++) x[j] = 0;
        for (int j = 0; j < n; j++) x[j] += 1;
    }
}
""",
        """
#define EACH(v, n) for (int v = 0; v < (n); v++)
void f(int n, double *x) {
    #pragma omp target teams loop collapse(2) map(tofrom: x[0:n * n])
    EACH(i, n) EACH(j, n) x[i * n + j] = 0;
}
""",
    ),
    check=check,
)
