"""A task whose `depend` clauses order it with no other one."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.graphs import Found, Functions, graphs
from ompls.analysis.graphs.construct import makes_task
from ompls.analysis.graphs.shape import unordered
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.calls import clashes_of


def check(scene: Scene) -> Iterator[Finding]:
    """Decided where the whole graph is known when compiling, and no task beside it can be meant."""
    content = scene.content
    if content is None or not any(map(_orders, scene.directives)):
        return
    for graph in graphs(content, Functions(scene.unit.functions, scene.unit.model, whole=False)):
        if graph.idle and _has_all(graph, content):
            missing = _missing_order(scene, graph)
            for directive in (d for d in graph.idle if id(d) not in missing):
                (clause, *_) = directive.all("depend")
                yield Finding(
                    clause.span,
                    "this `depend` orders nothing: no task waits for this one, and it waits for none",
                    "hint",
                )


def _missing_order(scene: Scene, graph: Found) -> set[int]:
    """The constructs that should be ordered with another one: `missing-dependence`, `depend-mismatch` and their like say
    so of the accesses that meet, and that is the mistake."""
    units = (u for c in clashes_of(scene) if c.kind == "units" for u in (c.one.unit, c.other))
    nodes = (n for one, two, *_ in unordered(graph.nodes) for n in (one, two))
    return {id(x.stmt.directive) for x in (*units, *nodes) if x is not None and x.stmt is not None}


def _orders(d: Directive) -> bool:
    return d.clause("depend") is not None and d.name != "depobj"


def _has_all(graph: Found, content: Content) -> bool:
    """Whether all siblings of its tasks that have dependences are in the graph: those of a caller are not known."""
    first, last = min(graph.span.start, graph.whole.start), graph.whole.end
    around = any(
        (s.directive.has("parallel") or makes_task(s.directive)) and s.span.start < first and last <= s.span.end
        for s in content.directives
    )
    return around and all(first <= s.span.start < last for s in content.directives if _orders(s.directive))


RULE = Rule(
    id="idle-depend",
    severity="hint",
    title="A task's `depend` clauses order it with no other task",
    why="""
`depend` makes a task wait for tasks that were created before it in the same region and name the same storage location, one of the two
to write it. Where no other task does, the clauses have no effect: perhaps another element was meant, or the other task lacks its
clause. Said where all tasks of a block are known when compiling (`ompls graph` shows them), and only where nothing orders the task: an
item that says what an ordered task reads or makes is left alone. Where what the task does meets what another one does, that is what is
said: `missing-dependence`, `depend-mismatch` or another finding at the accesses.
""",
    section="15.9.5",
    about="directives",
    bad=(
        """
int a[5], b[4], c[4];
void f(void) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        #pragma omp task depend(out: a[i])
        a[i] = i;
        #pragma omp task depend(in: a[i]) depend(out: b[i])
        b[i] = a[i];
        #pragma omp task depend(in: c[i])
    //                   ^^^^^^^^^^^^^^^^ hint: this `depend` orders nothing: no task waits for this one, and it waits for none
        c[i] += 1;
    }
}
""",
        """
int a, b, c;
void f(void) {
    #pragma omp parallel
    #pragma omp masked
    {
        #pragma omp task depend(in: a)
    //                   ^^^^^^^^^^^^^ hint: this `depend` orders nothing: no task waits for this one, and it waits for none
        b = a;
        #pragma omp target nowait map(a, c) depend(in: a)
    //                                      ^^^^^^^^^^^^^ hint: this `depend` orders nothing: no task waits for this one, and it waits for none
        c = a;
    }
}
""",
    ),
    good=(
        """
int a[4], b;
void f(void) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: a[1])
        a[1] = 5;
        #pragma omp task depend(in: a[0])
        b = a[1];
    }
}
""",
        """
void f(int *x, int *y, int *z) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 8; i++) {
        #pragma omp task depend(out: y[i])
        y[i] = x[i];
        #pragma omp task depend(in: z[i])
        z[i] = y[i] + 1;
    }
}
""",
        """
int a[5], n;
void f(void) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        #pragma omp task depend(in: a[i], n) depend(out: a[i + 1])
        a[i + 1] = a[i] + n;
    }
}
""",
        """
int a[4];
void f(int i) {
    #pragma omp task depend(out: a[i])
    a[i] = 1;
}
void g(void) {
    #pragma omp task depend(out: a[0])
    a[0] = 1;
}
""",
        """
int a[4];
void f(int n) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        #pragma omp task depend(out: a[i])
        a[i] = 1;
    }
}
""",
        """
int a[4], sum;
void f(void) {
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 4; i++) {
            #pragma omp task depend(mutexinoutset: sum)
            sum += a[i];
        }
        #pragma omp taskwait depend(in: sum)
    }
}
""",
        """
int a[4], b;
void f(void) {
    #pragma omp parallel
    {
        #pragma omp single nowait
        {
            #pragma omp task depend(out: a[0])
            a[0] = 1;
        }
        #pragma omp masked
        {
            #pragma omp task depend(in: a[0])
            b = a[0];
        }
    }
}
""",
    ),
    check=check,
)
