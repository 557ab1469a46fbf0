"""A task whose `depend` clauses order it with no other one."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.graphs import Found, Functions, graphs
from ompls.analysis.graphs.construct import makes_task
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """Decided where the whole graph is known when compiling, and no task beside it can be meant."""
    content = scene.content
    if content is None or not any(map(_orders, scene.directives)):
        return
    for graph in graphs(content, Functions(scene.unit.functions, scene.unit.model, whole=False)):
        if graph.idle and _has_all(graph, content):
            for directive in graph.idle:
                (clause, *_) = directive.all("depend")
                yield Finding(
                    clause.span, "this orders nothing: no task waits for this one, nor it for another", "hint"
                )


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
item that says what an ordered task reads or makes is left alone.
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
    //                   ^^^^^^^^^^^^^^^^ hint: this orders nothing: no task waits for this one, nor it for another
        c[i] += b[i];
    }
}
""",
        """
int a, b;
void f(void) {
    #pragma omp parallel
    #pragma omp masked
    {
        #pragma omp task depend(in: a)
    //                   ^^^^^^^^^^^^^ hint: this orders nothing: no task waits for this one, nor it for another
        b = a;
        #pragma omp target nowait map(a) depend(in: a)
    //                                   ^^^^^^^^^^^^^ hint: this orders nothing: no task waits for this one, nor it for another
        a += 1;
    }
}
""",
    ),
    good=(
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
