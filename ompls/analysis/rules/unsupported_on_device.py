"""A construct, a clause or a feature of C in a target region that the chosen device cannot run."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import lacking


def check(scene: Scene) -> Iterator[Finding]:
    yield from lacking(scene, lambda key: not key.startswith("type ") and key != "recursion")


RULE = Rule(
    id="unsupported-on-device",
    severity="warning",
    group="device-limits",
    title="Something in a target region that the device cannot run",
    why="""
Not every device can do what the host can: a GPU cannot call a function with any number of arguments, a core of an
Epiphany has no tasks. The tables are those of the translator, so what is reported here is what `ompls translate` refuses. When
nobody chose a device (`--device`, `ompls.preview.device`), the default is a guess and this is a hint.
""",
    section="13.8",
    about="regions",
    bad=(
        """
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        _Atomic int local;
        //          ^^^^^ hint: the atomic variable `local` cannot run on cuda: operators of C's atomic types are not there; use the `atomic` construct
        a[0] = 1;
    }
}
""",
        """
#include <omp.h>
void f(int n, int *a) {
    omp_event_handle_t event;
    #pragma omp target map(tofrom: a[0:n])
    {
        #pragma omp task detach(event)
        //               ^^^^^^^^^^^^^ hint: `detach` cannot run on cuda: tasks on a GPU run at once
        a[0] = 1;
    }
}
""",
        """
static int pick(int v) {
    static _Atomic int calls;
    return v;
}
static int entry(int v) { return pick(v) + 1; }
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = entry(1);
    //                                 ^^^^^ hint: the atomic variable `calls` in `pick`, which is called here, cannot run on cuda: operators of C's atomic types are not there; use the `atomic` construct
}
""",
    ),
    good=(
        """
int square(int);
void task(int n, int *a) {
    #pragma omp target data map(a[0:n])
    a[0] = 1;
}
void f(int *r) {
    int (*task)(int) = square;
    #pragma omp target map(from: r[0:1])
    r[0] = task(2);
}
""",
        """
void f(int n, int *a) {
    int local[n];
    local[0] = 1;
    #pragma omp target map(tofrom: a[0:n]) map(to: local[0:n])
    a[0] = local[0];
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel for ordered
    for (int i = 0; i < n; i++) {
        #pragma omp ordered
        a[i] = i;
    }
    #pragma omp parallel
    #pragma omp single copyprivate(n)
    n = 1;
}
""",
        """
static int pick(int v) {
    int *two = (int[]){1, 2};
    return two[v];
}
int f(int n) { return pick(n); }
""",
        """
void f(int n, int *a) {
    #pragma omp target device(ancestor: 1) map(tofrom: a[0:n])
    { int local[n]; local[0] = 1; a[0] = local[0]; }
}
""",
        """
void f(int n, int *a) {
    int sum = 0;
    #pragma omp target parallel map(tofrom: a[0:n])
    {
        #pragma omp for schedule(dynamic, 4) reduction(+: sum) collapse(2)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 4; j++)
                sum += a[i];
        #pragma omp sections
        { a[0] = sum; }
        #pragma omp critical
        a[1] = sum;
        #pragma omp task
        a[2] = 0;
        switch (n) { case 1: goto end; default: break; }
    end:
        a[3] = ({ int q = 1; q; });
    }
}
""",
        """
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        int local[32] = {0};
        struct { int low: 3; int high: 5; } bits = {1, 2};
        a[0] = local[n] + bits.low;
    }
}
""",
    ),
    check=check,
)
