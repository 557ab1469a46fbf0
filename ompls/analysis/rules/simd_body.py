"""A construct in a `simd` loop, a `loop` construct or an `order(concurrent)` region that cannot be run there."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import Placed, constructs_around, placed
from ompls.analysis.spec import is_declarative
from ompls.analysis.spec.nesting import IN_CONCURRENT, IN_SIMD, WITHOUT_REGION


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        directive = place.stmt.directive
        if not directive.known or directive.name in WITHOUT_REGION or is_declarative(directive.name):
            continue
        found = _limit(place)
        if found is not None:
            what, allowed, outer = found
            message = f"`{directive.name}` cannot stand in {what}, only {allowed} can"
            yield Finding(directive.name_span, message, "error", ((outer.directive.name_span, "the loop"),))


def _limit(place: Placed) -> tuple[str, str, DirectiveStmt] | None:
    """The construct around it that forbids it, and what that allows."""
    directive = place.stmt.directive
    first = directive.constructs[0]
    for construct, stmt in constructs_around(place):
        if construct == "simd":
            if first in IN_SIMD and (first != "ordered" or directive.clause("simd") is not None):
                return None
            return "a `simd` loop", "`simd`, `loop`, `atomic`, `scan` and `ordered simd`", stmt
        if construct == "loop" or _concurrent(construct, stmt):
            if first in IN_CONCURRENT or (first == "scan"):
                return None
            what = "a `loop` construct" if construct == "loop" else "an `order(concurrent)` region"
            return what, "`parallel`, `simd` and `loop`", stmt
    return None


def _concurrent(construct: str, stmt: DirectiveStmt) -> bool:
    order = stmt.directive.clause("order")
    return order is not None and order.keyword == "concurrent" and construct in ("for", "distribute")


RULE = Rule(
    id="simd-body",
    severity="error",
    title="A construct that a concurrent loop cannot hold",
    why="""
The iterations of a `simd` loop run in lock-step in one thread, and those of `loop` or `order(concurrent)` in any order on
whatever there is: nothing in them may wait for another thread, make tasks, or take a lock. In a `simd` loop the part that must
run one by one goes into `ordered simd`.
""",
    section="10.4",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        #pragma omp critical
        //          ^^^^^^^^ error: `critical` cannot stand in a `simd` loop, only `simd`, `loop`, `atomic`, `scan` and `ordered simd` can
        x[0] += i;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute parallel for simd map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        #pragma omp parallel for
        //          ^^^^^^^^^^^^ error: `parallel for` cannot stand in a `simd` loop, only `simd`, `loop`, `atomic`, `scan` and `ordered simd` can
        for (int j = 0; j < n; j++) x[j] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams loop map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        #pragma omp task
        //          ^^^^ error: `task` cannot stand in a `loop` construct, only `parallel`, `simd` and `loop` can
        x[i] = 0;
    }
    #pragma omp parallel for order(concurrent)
    for (int i = 0; i < n; i++) {
        #pragma omp flush
        //          ^^^^^ error: `flush` cannot stand in an `order(concurrent)` region, only `parallel`, `simd` and `loop` can
        x[i] = 0;
    }
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        x[0] += i;
        #pragma omp ordered simd
        x[1] += i;
        #pragma omp simd
        for (int j = 0; j < n; j++) x[j] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams loop map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        #pragma omp loop
        for (int j = 0; j < n; j++) x[j] = 0;
        #pragma omp parallel for
        for (int j = 0; j < n; j++) x[j] = 0;
    }
}
""",
        """
void f(int n, double s, double *x) {
    #pragma omp simd reduction(inscan, +: s)
    for (int i = 0; i < n; i++) {
        s += x[i];
        #pragma omp scan inclusive(s)
        x[i] = s;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp simd
        for (int j = 0; j < n; j++) x[j] = 0;
        #pragma omp critical
        x[i] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp loop bind(thread)
    for (int i = 0; i < n; i++) {
        #pragma omp parallel
        {
            #pragma omp critical
            x[i] = 0;
            #pragma omp barrier
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        #pragma omp unroll partial(2)
        for (int j = 0; j < n; j++) x[j] = 0;
        #pragma omp assume holds(1)
        x[i] = 0;
        #pragma omp nothing
    }
}
""",
    ),
    check=check,
)
