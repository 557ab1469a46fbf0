"""Two tasks with `depend` clauses of a static task graph work on the same element, and no clause orders them."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.encoding import decoded
from ompls.analysis.graphs import Functions, Node, graphs
from ompls.analysis.graphs.order import Access
from ompls.analysis.graphs.shape import indices, unordered
from ompls.analysis.model.ast import FunctionDef, Span
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene

_MOST = 3  # findings of one graph


def check(scene: Scene) -> Iterator[Finding]:
    """Decided where the whole graph is known when compiling; tasks without `depend` are those of `tasks-unordered`."""
    content = scene.content
    if content is None or not any(_has_dependences(d) for d in scene.directives):
        return
    for graph in graphs(content, Functions(scene.unit.functions, scene.unit.model, whole=False)):
        parallel = any(
            s.directive.has("parallel") and s.span.start <= graph.span.start < s.span.end for s in content.directives
        )
        yield from _of_graph(content, graph.nodes, certain=parallel)


def _has_dependences(d: Directive) -> bool:
    return d.constructs[:1] in (("task",), ("target",)) and d.clause("depend") is not None


def _of_graph(content: Content, nodes: tuple[Node, ...], *, certain: bool) -> Iterator[Finding]:
    said: set[tuple[Span, Span]] = set()
    name = content.node.symbol.name if isinstance(content.node, FunctionDef) else ""
    for one, two, k, i in unordered(nodes):
        before, access = one.accesses[k], two.accesses[i]
        key = (before.expr.span, access.expr.span)
        mine = one.function == two.function == name  # those of a function that is called are elsewhere
        if key in said or not mine or not _both_ordered(one, two) or len(said) >= _MOST:
            continue
        said.add(key)
        text, other = (_named(content, a) for a in (access, before))
        done, other_done = ("written" if a.write else "read" for a in (access, before))
        own, others = indices([two]), indices([one])
        by = (f"the task of {own}", f"the task of {others}") if own and others else ("this task", "another one")
        message = f"{text} is {done} by {by[0]} and {other_done} by {by[1]}: no `depend` orders them"
        yield Finding(
            access.expr.span, message, "warning" if certain else "hint",
            ((before.expr.span, f"{other} is {other_done} here"),),
        )  # fmt: skip


def _named(content: Content, access: Access) -> str:
    text = f"`{decoded(content.text[access.expr.span.start : access.expr.span.end])}`"
    return f"what {text} points to" if access.called else text


def _both_ordered(one: Node, two: Node) -> bool:
    return all(n.stmt is not None and _has_dependences(n.stmt.directive) for n in (one, two))


RULE = Rule(
    id="missing-dependence",
    severity="warning",
    title="Tasks with `depend` clauses work on the same element, and the clauses do not order them",
    why="""
`depend` orders tasks by the storage that their clauses name, not by what they read and write. Where the bounds of all loops
and all list items are known when compiling, the tasks and their order are known one by one (`ompls graph` shows
them). Two of them use the same element here, one writes it, and no chain of dependences leads from one to the other.

Name what the task reads in `depend(in: …)` too.
""",
    section="15.9.5",
    group="sharing",
    about="directives",
    bad=(
        """
enum { N = 8 };
float A[N];
void f(void) {
    #pragma omp parallel
    #pragma omp single
    for (int k = 0; k < N; k++) {
        #pragma omp task depend(inout: A[k])
        A[k] += 1;
        for (int l = k + 1; l < N; l++) {
            #pragma omp task depend(inout: A[l])
            A[l] += A[k];
    //              ^^^^ warning: `A[k]` is read by the task of k=0 l=1 and written by the task of k=0: no `depend` orders them
        }
    }
}
""",
        """
int a[4];
void f(void) {
    #pragma omp taskgraph
    {
        #pragma omp task depend(out: a[0])
        a[0] = 1;
        #pragma omp task depend(out: a[1])
        a[1] = a[0];
    //         ^^^^ hint: `a[0]` is read by this task and written by another one: no `depend` orders them
    }
}
""",
        """
enum { NB = 3, B = 8 };
float *a[NB][NB];
static float sum(int n, const float *x) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
static void scale(float *x, float by) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            x[i * B + j] *= by;
}
void f(void) {
    #pragma omp parallel
    #pragma omp single
    for (int k = 0; k < NB; k++) {
        #pragma omp task depend(inout: a[k][k])
        scale(a[k][k], 2);
        for (int i = k + 1; i < NB; i++) {
            #pragma omp task depend(inout: a[k][i])
            scale(a[k][i], sum(B, a[k][k]));
    //                            ^^^^^^^ warning: what `a[k][k]` points to is read by the task of k=0 i=1 and written by the task of k=0: no `depend` orders them
        }
    }
}
""",
        """
float x[8];
void f(void) {
    #pragma omp parallel
    #pragma omp single
    for (int k = 0; k < 4; k++) {
        #pragma omp target nowait depend(inout: x[k]) map(tofrom: x)
        for (int i = k; i < 8; i++)
            x[i] += 1;
        #pragma omp target nowait depend(in: x[k + 1]) depend(out: x[k + 2]) map(tofrom: x)
        x[k + 2] = x[k];
    //             ^^^^ warning: `x[k]` is read by the task of k=0 and written by the task of k=0: no `depend` orders them
    }
}
""",
        """
void *calloc(unsigned long, unsigned long);
void f(void) {
    enum { B = 8, L = 50 };
    int *mid = calloc(B * L, sizeof *mid), *end = calloc(B * L, sizeof *end);
    #pragma omp parallel
    #pragma omp single
    for (int b = 0; b < B; b++) {
        #pragma omp task depend(out: mid[b * L])
        for (int i = 0; i < L; i++)
            mid[b * L + i] = i;
        #pragma omp task depend(in: mid[b]) depend(out: end[b * L])
        for (int i = 0; i < L; i++)
            end[b * L + i] = mid[b * L + i] + 1;
    //                       ^^^^^^^^^^^^^^ warning: `mid[b * L + i]` is read by the task of b=1 and written by the task of b=1: no `depend` orders them
    }
}
""",
    ),
    good=(
        """
void *malloc(unsigned long), *realloc(void *, unsigned long);
void f(void) {
    int *last = malloc(8), done[4];
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        int *a = malloc(8);
        #pragma omp task depend(out: done[i])
        a[0] = i;
        last = realloc(last, 8);
        #pragma omp task depend(out: last[i])
        last[0] = i;
    }
}
""",
        """
int a[8], b[4], c;
void store(float *p) { p[0] = 1; }
void piece(int i) {
    #pragma omp task depend(out: a[i])
    b[0] = 1;
}
void f(float *x, float *y) {
    #pragma omp parallel
    #pragma omp single
    {
        float *both[1];
        for (int i = 0; i < 2; i++) {
            both[0] = i ? x : y;
            #pragma omp task depend(out: a[i])
            store(both[0]);
            piece(i + 2);
        }
    }
}
""",
        """
int a[8], b[32];
void store(int *p) { p[0] = 1; }
void f(int n) {
    int own[4];
    #pragma omp parallel private(own)
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        #pragma omp task depend(out: a[i])
        {
            int *p = &b[i * 4], q[2];
            p[0] = 1;
            store(p);
            store(q);
            store(own);
        }
        int k = 0;
        #pragma omp task depend(out: a[i]) firstprivate(k)
        {
            k += i;
            b[4 * k] = 1;
            store(&b[4 * k]);
        }
        int *r = &b[n * i];
        #pragma omp task depend(out: a[i])
        store(r);
    }
}
""",
        """
float x[8];
void f(void) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp target nowait depend(inout: x[0]) map(tofrom: x)
        x[0] += 1;
        #pragma omp task depend(inout: x[1])
        x[0] += 1;
        #pragma omp target nowait depend(inout: x[2]) map(tofrom: x) device(1)
        x[0] += 1;
        #pragma omp target nowait depend(inout: x[3]) map(tofrom: x)
        for (int i = 8; i < 8; i++)
            x[0] += 1;
        #pragma omp target nowait depend(inout: x[4]) private(x)
        x[0] = 1;
    }
}
""",
        """
enum { N = 8 };
float A[N];
void f(void) {
    #pragma omp parallel
    #pragma omp single
    for (int k = 0; k < N; k++) {
        #pragma omp task depend(inout: A[k])
        A[k] += 1;
        for (int l = k + 1; l < N; l++) {
            #pragma omp task depend(in: A[k]) depend(inout: A[l])
            A[l] += A[k];
        }
    }
}
""",
        """
int a[4], sum;
void f(void) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        #pragma omp task depend(mutexinoutset: sum)
        sum += a[i];
    }
}
""",
        """
int a[4];
void f(void) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: a[0])
        a[0] = 1;
        #pragma omp taskwait
        #pragma omp task depend(out: a[1])
        a[1] = a[0];
    }
}
""",
        """
int a[4];
void f(int n) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        #pragma omp task depend(out: a[i % 4])
        a[0] = i;
    }
}
""",
        """
int a[4], c;
void f(void) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        #pragma omp task depend(out: a[i])
        if (a[i] > 0)
            c = 1;
        #pragma omp task depend(in: a[i])
        {
            #pragma omp atomic write
            c = 1;
        }
    }
}
""",
    ),
    check=check,
)
