"""A task's creator reads what the task writes, or writes what it uses, without waiting for it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.edits import insert_before
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.model import Clash
from ompls.analysis.rules.support.ordering.report import (
    chosen,
    created_elsewhere,
    other_place,
    severity,
    verb,
)


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when both accesses are of the same storage whatever the program does, and nothing between them waits."""
    for clash in chosen(scene, _is_ours):
        name, unit = clash.two.symbol.name, clash.one.unit
        done = "writes it" if clash.one.touch.write else "reads it"
        whose = "a task that is no child of this one" if not clash.one.child else "a task"
        message = (
            f"`{name}` is {verb(clash.two)} here while {whose} that {done} may still be running: nothing waits for it"
        )
        fix = (
            insert_before(scene, clash.two.node, "taskwait", safe=clash.certain, split=True)
            if clash.one.child and unit is not None
            else ()
        )
        related, begun = other_place(clash, scene), created_elsewhere(clash, scene)
        yield Finding(clash.two.span, message, severity(clash), related, fix, elsewhere=begun)


def _is_ours(clash: Clash) -> bool:
    return clash.kind == "await" and clash.one.unit is not None and not clash.one.unit.device


RULE = Rule(
    id="task-result-used",
    severity="warning",
    title="A variable is used while a task that works on it may still be running",
    why="""
A `task` may run at any time until something waits for it. What it writes may be read, and what it reads may be written,
only after a `taskwait` (which waits for the tasks that were created here, not for theirs), the end of a `taskgroup` (which
waits for all of them), a barrier, or in another task that a `depend` clause orders after it.
""",
    section="15.5",
    group="sharing",
    about="clashes",
    bad=(
        """
int fib(int n) {
    int i, j;
    if (n < 2)
        return n;
    #pragma omp task shared(i)
    i = fib(n - 1);
    j = fib(n - 2);
    return i + j;
    //     ^ warning: `i` is read here while a task that writes it may still be running: nothing waits for it
}
""",
        """
int printf(const char *, ...);
int sum;
void total(int n, int *a) {
    #pragma omp task
    for (int i = 0; i < n; i++)
        sum += a[i];
    #pragma omp taskwait depend(in: a[0])
    printf("%d", sum);
    //           ^^^ warning: `sum` is read here while a task that writes it may still be running: nothing waits for it
    #pragma omp taskwait
}
""",
        """
void fill(int *p) { p[0] = 1; }
void f(void) {
    int first = 0, second = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp task
            fill(&first);
        }
        #pragma omp taskwait
        second = first;
        //       ^^^^^ warning: `first` is read here while a task that is no child of this one that writes it may still be running: nothing waits for it
    }
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        #pragma omp task
        a[i] = i;
        a[i] += 1;
    //  ^^^^ warning: `a` is written here while a task that writes it may still be running: nothing waits for it
    }
}
""",
        """
int g;
int f(void) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskgraph nogroup
        {
            #pragma omp task
            g = 1;
        }
        g++;
    //  ^ warning: `g` is written here while a task that writes it may still be running: nothing waits for it
    }
    return g;
}
""",
    ),
    good=(
        """
int g;
void f(int wait) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskgraph
        {
            #pragma omp task
            g = 1;
        }
        g++;
        #pragma omp taskgraph nogroup(!wait)
        {
            #pragma omp task
            g = 2;
        }
        g++;
    }
}
""",
        """
int fib(int n) {
    int i, j;
    if (n < 2)
        return n;
    #pragma omp task shared(i)
    i = fib(n - 1);
    j = fib(n - 2);
    #pragma omp taskwait
    return i + j;
}
""",
        """
int f(void) {
    int x = 1;
    #pragma omp task
    x = 2;
    return x;
}
""",
        """
int printf(const char *, ...);
void f(void) {
    int x = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: x)
        x = 1;
        #pragma omp task depend(in: x) if(0)
        {}
        printf("%d", x);
    }
}
""",
        """
int f(int n, int *a) {
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    #pragma omp taskgroup
    for (int i = 0; i < n; i++) {
        #pragma omp task
        a[i] = i;
    }
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
""",
        """
void wait_for_all(void);
int g;
int f(void) {
    #pragma omp task
    g = 1;
    #pragma omp task if(0)
    wait_for_all();
    #pragma omp barrier
    return g;
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 1; i < n; i++) {
        #pragma omp task
        a[2 * i] = i;
        a[2 * i + 1] = i;
    }
}
""",
        """
int flag;
static void finish(void) {
    #pragma omp taskwait
}
int f(void) {
    #pragma omp task
    flag = 1;
    finish();
    return flag;
}
""",
    ),
    check=check,
)
