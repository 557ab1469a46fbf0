"""A local variable ends while a task, or a device operation with `nowait`, may still use it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import FunctionDef, Span
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.report import chosen, named, severity


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when the block ends, or the function returns, and nothing before has waited for the task.

    A variable of a construct whose end is a barrier lives long enough in practice: silence.
    """
    for clash in chosen(scene, lambda c: c.kind == "scope"):
        touch, unit = clash.one.touch, clash.one.unit
        own = scene.content.directives if scene.content is not None else []
        if unit is None or not any(s is unit.stmt for s in own):
            continue
        function = isinstance(clash.two.node, FunctionDef)
        where = "the function returns" if function else "its block ends"
        what = f"{named(unit)} with `nowait`" if unit.device else named(unit)
        message = f"`{touch.symbol.name}` is gone when {where}, but {what} may use it later: nothing waits for it"
        end = clash.two.node.span.end
        related = (
            (unit.stmt.directive.name_span, "created here"),
            (Span(end - 1, end), f"`{touch.symbol.name}` ends here"),
        )
        yield Finding(touch.span, message, severity(clash), related)


RULE = Rule(
    id="variable-outlived",
    severity="warning",
    title="A task may use a local variable that has ended",
    why="""
A task that shares a variable of its creator, and a device operation with `nowait` that maps one, may run after the creator
has gone on. When the variable's block has ended by then, the task reads and writes memory that belongs to something else.
Wait before the block ends (`taskwait`, or a `taskgroup` around), or give the task a copy with `firstprivate`.
""",
    section="5.1.1",
    group="sharing",
    about="clashes",
    bad=(
        """
void use(int);
void f(int n) {
    int sum = n;
    #pragma omp task shared(sum)
    use(sum);
    //  ^^^ warning: `sum` is gone when the function returns, but the task may use it later: nothing waits for it
}
""",
        """
void f(int n) {
    int a[100];
    for (int i = 0; i < 100; i++)
        a[i] = n;
    #pragma omp target map(to: a) nowait
    //                         ^ warning: `a` is gone when the function returns, but the target region with `nowait` may use it later: nothing waits for it
    n = a[0];
}
""",
        """
void f(int n, int *sums) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        int part[2] = {i, i};
        #pragma omp task shared(part) depend(out: sums[i])
        sums[i] = part[0] + part[1];
        //        ^^^^^^^ warning: `part` is gone when its block ends, but the task may use it later: nothing waits for it
    }
}
""",
    ),
    good=(
        """
void use(int);
void f(int n) {
    int sum = n;
    #pragma omp task
    use(sum);
}
""",
        """
void use(int);
void f(int n) {
    int sum = n;
    #pragma omp task shared(sum)
    use(sum);
    #pragma omp taskwait
}
""",
        """
void use(int);
void f(int n) {
    static int sum;
    sum = n;
    #pragma omp task shared(sum)
    use(sum);
}
""",
        """
void use(int);
void f(int n) {
    int sum = n;
    #pragma omp taskgroup
    {
        #pragma omp task shared(sum)
        use(sum);
    }
}
""",
        """
void f(int n) {
    int sum = n;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        sum++;
    }
}
""",
        """
void f(int n, int *sums) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        int part[2] = {i, i};
        #pragma omp task firstprivate(part) depend(out: sums[i])
        sums[i] = part[0] + part[1];
    }
}
""",
        """
void free(void *);
void *malloc(unsigned long);
void f(int n) {
    int *a = malloc(n * sizeof(int));
    #pragma omp target map(tofrom: a[0:n]) nowait
    a[0] = 1;
    #pragma omp taskwait
    free(a);
}
""",
    ),
    check=check,
)
