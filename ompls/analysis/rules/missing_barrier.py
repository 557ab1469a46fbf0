"""Threads of a team go on past a construct without a barrier, and use what others still work on in it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import walk_all
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.edits import insert_before
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.model import Agent, Clash
from ompls.analysis.rules.support.ordering.report import chosen, other_place, severity, verb
from ompls.analysis.rules.support.races.alike import is_alike

_WORDS = {
    "single": "one thread", "masked": "the masked thread", "section": "one thread of the `sections`",
    "for": "other threads, in their share of the loop", "all": "all threads",
}  # fmt: skip


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when both accesses are of the same element for certain and made by different threads.

    Two loops that give each thread the same elements under a `static` schedule are right (5.2 §11.5.3); without a
    `schedule` clause most implementations do so: a hint.
    """
    for clash in chosen(scene, lambda c: c.kind == "threads" and not c.one.touch.copy and not c.two.copy):
        name, one = clash.two.symbol.name, clash.one
        whom = _WORDS.get(one.agent.kind, "another thread")
        message = (
            f"`{name}` is {verb(clash.two)} here while it may still be {verb(one.touch)} by {whom}: no barrier between"
        )
        sure = "hint" if _is_own_again(scene, clash) else severity(clash)
        yield Finding(clash.two.span, message, sure, other_place(clash, scene), _fix(scene, clash))


def _is_own_again(scene: Scene, clash: Clash) -> bool:
    """Whether each thread reads what it has stored itself, and all have stored the same: `n = omp_get_num_threads()`."""
    one, two = clash.one.touch, clash.two
    if clash.one.agent.kind != "all" or two.write or one.guards or scene.function is None or two.span < one.span:
        return False
    if one.subs != two.subs:
        return False
    body = scene.function.body
    stored = (n for n in walk_all(body) if isinstance(n, ast.Assign) and n.op == "=" and bare(n.target) is one.node)
    return any(is_alike(n.value, assigned_in(body), calls=True) for n in stored)


def _fix(scene: Scene, clash: Clash) -> tuple[Change, ...]:
    """Without the `nowait` that removed the barrier; or with a barrier, where all threads come by."""
    stmt = clash.one.agent.stmt
    for own in scene.content.directives if scene.content is not None else ():
        clause = own.directive.clause("nowait") if own is stmt else None
        if clause is not None:
            before = own.directive.clauses[own.directive.clauses.index(clause) - 1] if own.directive.clauses else None
            start = before.span.end if before is not None and before is not clause else own.directive.name_span.end
            return (Change("Remove `nowait`", type(clause.span)(min(start, clause.span.start), clause.span.end), ""),)
    agent = clash.agent or Agent("alone")
    node = agent.stmt if agent.kind != "all" and agent.stmt is not None else clash.two.node
    return insert_before(scene, node, "barrier") if clash.one.agent.kind == "masked" else ()


RULE = Rule(
    id="missing-barrier",
    severity="warning",
    title="A variable is used by some threads of a team while others may still work on it: a barrier is missing",
    why="""
At the end of `for`, `sections` and `single` the threads of a team wait for each other, unless the construct says `nowait`;
at the end of `masked` and `master`, and before any of these constructs, they do not. What one thread has written there may
be used by the others only after a barrier. Two loops with `nowait` are right without one when both have a static schedule
and the same number of iterations, and each iteration uses what the iteration of the same number has written.
""",
    section="15.3.1",
    group="sharing",
    about="clashes",
    bad=(
        """
int f(int n, int *a) {
    int first = 0;
    #pragma omp parallel
    {
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            a[i] = 5 * a[i];
        #pragma omp single
        first = a[0] + 1;
        //      ^^^^ warning: `a` is read here while it may still be written by other threads, in their share of the loop: no barrier between
    }
    return first;
}
""",
        """
int printf(const char *, ...);
void f(void) {
    int init;
    #pragma omp parallel shared(init)
    {
        #pragma omp masked
        init = 10;
        printf("%d", init);
        //           ^^^^ warning: `init` is read here while it may still be written by the masked thread: no barrier between
    }
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp parallel
    {
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++)
            x[i] = i;
        #pragma omp for schedule(static)
        for (int i = 1; i < n; i++)
            y[i] = x[i - 1];
        //         ^^^^^^^^ warning: `x` is read here while it may still be written by other threads, in their share of the loop: no barrier between
    }
}
""",
        """
void f(int n, double *x) {
    double error = 1;
    #pragma omp parallel
    while (error > 0.1) {
        #pragma omp single
        error = 0;
    //  ^^^^^ warning: `error` is written here while it may still be read by all threads: no barrier between
        #pragma omp for reduction(max: error)
        for (int i = 0; i < n; i++)
            error = x[i] > error ? x[i] : error;
    }
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp parallel
    {
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            x[i] = i;
        #pragma omp for
        for (int i = 0; i < n; i++)
            y[i] = x[i];
        //         ^^^^ hint: `x` is read here while it may still be written by other threads, in their share of the loop: no barrier between
    }
}
""",
        """
static double largest(int n, const double *x) {
    double found = x[0];
    for (int i = 1; i < n; i++)
        found = x[i] > found ? x[i] : found;
    return found;
}
double f(int n, double *x) {
    double most = 0;
    #pragma omp parallel
    {
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            x[i] = 2 * x[i];
        #pragma omp masked
        most = largest(n, x);
        //                ^ warning: `x` is read here while it may still be written by other threads, in their share of the loop: no barrier between
    }
    return most;
}
""",
    ),
    good=(
        """
int f(int n, int *a) {
    int first = 0;
    #pragma omp parallel
    {
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            a[i] = 5 * a[i];
        #pragma omp barrier
        #pragma omp single
        first = a[0] + 1;
    }
    return first;
}
""",
        """
void f(int n, float *a, float *b, float *c, float *y, float *z) {
    #pragma omp parallel
    {
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++)
            c[i] = (a[i] + b[i]) / 2.0f;
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++)
            z[i] = c[i] * c[i];
        #pragma omp for schedule(static) nowait
        for (int i = 1; i <= n; i++)
            y[i] = z[i - 1] + a[i];
    }
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp parallel
    {
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            x[i] = i;
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            y[i] = i;
    }
}
""",
        """
int printf(const char *, ...);
void f(void) {
    int init;
    #pragma omp parallel shared(init)
    {
        #pragma omp single
        init = 10;
        printf("%d", init);
    }
}
""",
        """
int omp_get_thread_num(void);
void f(int *a) {
    int mine;
    #pragma omp parallel private(mine)
    {
        #pragma omp masked
        mine = 1;
        if (omp_get_thread_num() == 0)
            a[mine] = 1;
        mine = 2;
    }
}
""",
        """
void f(int n, double *x) {
    double error = 1;
    #pragma omp parallel
    while (error > 0.1) {
        #pragma omp barrier
        #pragma omp single
        error = 0;
        #pragma omp for reduction(max: error)
        for (int i = 0; i < n; i++)
            error = x[i] > error ? x[i] : error;
    }
}
""",
        """
void f(int n, double *x) {
    double scale = 1;
    #pragma omp parallel num_threads(1)
    {
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            x[i] = i;
        scale = x[0];
    }
}
""",
        """
int k;
void f(void) {
    #pragma omp parallel
    {
        #pragma omp masked
        {
            #pragma omp atomic write
            k = 1;
        }
        int mine;
        #pragma omp atomic read
        mine = k;
        (void)mine;
    }
}
""",
    ),
    check=check,
)
