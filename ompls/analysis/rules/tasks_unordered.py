"""Two tasks, or two instances of one, work on the same storage, and nothing orders them."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.model import Clash
from ompls.analysis.rules.support.ordering.report import chosen, other_place, severity, verb


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when both tasks may exist at the same time and touch the same storage for certain.

    Two threads that write the same variable in their tasks often write the same value: that is a hint.
    """
    for clash in chosen(scene, _is_ours):
        name = clash.two.symbol.name
        if clash.kind == "self":
            message = f"`{name}` is {verb(clash.two)} by a task of each thread of the team, and nothing orders them"
        elif clash.other is not None and clash.one.unit is not None and clash.other.stmt is clash.one.unit.stmt:
            message = f"`{name}` is {verb(clash.two)} by a task of each iteration, and nothing orders them"
        else:
            message = f"`{name}` is {verb(clash.two)} here and {verb(clash.one.touch)} by a task that may run at the same time"
        related = other_place(clash, scene) if clash.one.touch.node is not clash.two.node else ()
        yield Finding(clash.two.span, message, severity(clash), related)


def _is_ours(clash: Clash) -> bool:
    """Not those where two `depend` clauses are there already, nor device operations."""
    if clash.kind not in ("units", "self") or clash.one.unit is None or clash.other is None:
        return False
    if clash.one.unit.device or clash.other.device:
        return False
    return clash.kind == "self" or not (clash.one.child and clash.one.unit.depends and clash.other.depends)


RULE = Rule(
    id="tasks-unordered",
    severity="warning",
    title="Tasks that may run at the same time work on the same variable",
    why="""
Tasks of one parent run in any order, and at the same time. Where one writes what another uses, both need a `depend` clause
for it, or an `atomic` or `critical` around the accesses, or a `taskwait` must stand between their creation. `depend` orders
the children of one task only: not tasks that different threads create, and not the tasks inside of those it orders.
There is no quick fix: which tasks may still run side by side is for the author to say.
""",
    section="15.9.5",
    group="sharing",
    about="clashes",
    bad=(
        """
void f(void) {
    int i = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        i = 1;
        #pragma omp task
        i = 2;
    //  ^ warning: `i` is written here and written by a task that may run at the same time
    }
}
""",
        """
int count(int n, const int *a) {
    int found = 0;
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        #pragma omp task shared(found)
        found += a[i];
    //  ^^^^^ warning: `found` is written by a task of each iteration, and nothing orders them
    }
    return found;
}
""",
        """
static void add(int *to) { *to += 1; }
int f(void) {
    int a = 0;
    #pragma omp parallel
    {
        #pragma omp task depend(inout: a)
        add(&a);
        //  ^^ warning: `a` is written by a task of each thread of the team, and nothing orders them
    }
    return a;
}
""",
        """
int f(void) {
    int a = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(inout: a) shared(a)
        {
            #pragma omp task shared(a)
            a++;
        }
        #pragma omp task depend(inout: a) shared(a)
        a++;
    //  ^ warning: `a` is written here and written by a task that may run at the same time
    }
    return a;
}
""",
    ),
    good=(
        """
void f(void) {
    int i = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: i)
        i = 1;
        #pragma omp task depend(inout: i)
        i = 2;
    }
}
""",
        """
int count(int n, const int *a) {
    int found = 0;
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        #pragma omp task shared(found)
        {
            #pragma omp atomic
            found += a[i];
        }
    }
    return found;
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        #pragma omp task
        a[i] = i;
    }
}
""",
        """
void f(int n, int step, int *a) {
    #pragma omp parallel
    #pragma omp single
    for (int from = 0; from < n; from += 16) {
        #pragma omp task
        for (int i = from; i < from + 16; i++)
            a[i] = step;
    }
}
""",
        """
void f(int i) {
    #pragma omp task
    i = 1;
    #pragma omp task
    i = 2;
}
""",
        """
int f(void) {
    int a = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskgroup
        {
            #pragma omp task shared(a)
            a = 1;
        }
        #pragma omp task shared(a)
        a = 2;
    }
    return a;
}
""",
        """
int f(int n) {
    int done = 0;
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < n; i++) {
        #pragma omp task shared(done)
        if (i == 3)
            done = 1;
    }
    return done;
}
""",
    ),
    check=check,
)
