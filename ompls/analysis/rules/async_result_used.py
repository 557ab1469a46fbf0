"""The host goes on after a device operation with `nowait` and uses its data, without waiting for it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.edits import insert_before
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.model import Clash
from ompls.analysis.rules.support.ordering.report import chosen, created_elsewhere, named, other_place, severity


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when the data is copied by the operation itself; what is on the device already is another matter."""
    for clash in chosen(scene, _is_ours):
        name, unit, one = clash.two.symbol.name, clash.one.unit, clash.one.touch
        what = named(unit) if unit is not None else "a device operation"
        does = "is freed" if clash.two.freed else "is changed" if clash.two.write else "is read"
        other = "copy it back" if one.write else "copy it to the device"
        message = f"`{name}` {does} here while {what} with `nowait` may still have to {other}: nothing waits for it"
        fix = (
            insert_before(scene, clash.two.node, "taskwait", safe=clash.certain, split=True) if clash.one.child else ()
        )
        related, begun = other_place(clash, scene), created_elsewhere(clash, scene)
        yield Finding(clash.two.span, message, severity(clash), related, fix, elsewhere=begun)


def _is_ours(clash: Clash) -> bool:
    return clash.kind == "await" and clash.one.unit is not None and clash.one.unit.device


RULE = Rule(
    id="async-result-used",
    severity="warning",
    title="Data of a device operation with `nowait` is used on the host before anything waits for it",
    why="""
With `nowait`, a `target`, `target update`, `target enter data` or `target exit data` construct becomes a task: the host goes
on at once, and the copies to and from the device are made at some later time. Until a `taskwait`, a barrier, the end of a
`taskgroup` or a task with a matching `depend`, the host must not read what is copied back, nor change or free what is copied
to the device.
""",
    section="13.8",
    group="sharing",
    about="clashes",
    bad=(
        """
double f(int n, double *x) {
    double sum = 0;
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) nowait
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
    for (int i = 0; i < n; i++)
        sum += x[i];
    //         ^^^^ warning: `x` is read here while the target region with `nowait` may still have to copy it back: nothing waits for it
    return sum;
}
""",
        """
int a[100];
static void start(void) {
    #pragma omp target map(tofrom: a) nowait
    for (int i = 0; i < 100; i++)
        a[i] = i;
}
static int check(void) { return a[99] == 99; }
int main(void) {
    start();
    int ok = check();
    //       ^^^^^^^ warning: `a` is read here while the target region with `nowait` may still have to copy it back: nothing waits for it
    #pragma omp taskwait
    return !ok;
}
""",
        """
void free(void *);
void f(int n, double *x, double *y) {
    #pragma omp target update to(x[0:n]) nowait
    free(x);
    //   ^ warning: `x` is freed here while the update with `nowait` may still have to copy it to the device: nothing waits for it
    #pragma omp target update from(y[0:n]) nowait
    y[n - 1] = 0;
//  ^^^^^^^^ warning: `y` is changed here while the update with `nowait` may still have to copy it back: nothing waits for it
}
""",
        """
void f(int n, double *x) {
    for (int step = 0; step < n; step++) {
        x[0] = step;
    //  ^^^^ warning: `x` is changed here while the data transfer with `nowait` may still have to copy it to the device: nothing waits for it
        #pragma omp target enter data map(to: x[0:n]) nowait
    }
}
""",
        """
double f(double *x, int n, int parts) {
    double sum = 0;
    for (int p = 0; p < parts; p++) {
        int first = p * (n / parts);
        int last = p == parts - 1 ? n : first + n / parts;
        #pragma omp target teams distribute parallel for map(tofrom: x[first:last - first]) nowait
        for (int i = first; i < last; i++)
            x[i] = 2 * x[i];
    }
    for (int i = 0; i < n; i++)
        sum += x[i];
    //         ^^^^ warning: `x` is read here while the target region with `nowait` may still have to copy it back: nothing waits for it
    return sum;
}
""",
        """
void f(double *x, double *y) {
    int first;
    for (int p = 0; p < 4; p++) {
        first = 100 * p;
        #pragma omp target map(tofrom: x[first:100]) nowait
        for (int i = first; i < first + 100; i++)
            x[i] = 2 * x[i];
        y[p] = x[first + 99];
    //         ^^^^^^^^^^^^^ warning: `x` is read here while the target region with `nowait` may still have to copy it back: nothing waits for it
    }
    #pragma omp taskwait
}
""",
    ),
    good=(
        """
double f(double *x, int n, int parts) {
    double sum = 0;
    for (int p = 0; p < parts; p++) {
        int first = p * (n / parts);
        int last = p == parts - 1 ? n : first + n / parts;
        #pragma omp target teams distribute parallel for map(tofrom: x[first:last - first]) nowait
        for (int i = first; i < last; i++)
            x[i] = 2 * x[i];
    }
    #pragma omp taskwait
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
""",
        """
void f(double *x, double *y) {
    for (int p = 0; p < 4; p++) {
        int first = 100 * p, next = first + 100;
        #pragma omp target map(tofrom: x[first:100]) nowait
        for (int i = first; i < first + 100; i++)
            x[i] = 2 * x[i];
        for (int i = next; i < next + 100; i++)
            y[i] = x[i];
    }
    #pragma omp taskwait
}
""",
        """
int next(int *);
double f(double *x) {
    double sum = 0;
    int at = 0;
    while (at < 1000) {
        int first = at, n = next(&at);
        #pragma omp target map(tofrom: x[first:n]) nowait
        x[first] = 1;
        sum += x[first + n];
    }
    #pragma omp taskwait
    return sum;
}
""",
        """
double f(int n, double *x) {
    double sum = 0;
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) nowait
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
    #pragma omp taskwait
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
""",
        """
double f(int n, double *x, double *y) {
    double sum = 0;
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) nowait
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
    for (int i = 0; i < n; i++)
        sum += y[i];
    return sum;
}
""",
        """
void f(int n, double *x, double *sum) {
    #pragma omp target map(tofrom: x[0:n]) depend(out: x[0:n]) nowait
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
    #pragma omp taskwait depend(in: x[0:n])
    *sum = x[0];
}
""",
        """
int f(int later) {
    int x = 2;
    #pragma omp target nowait(later) map(tofrom: x)
    x = 6;
    if (later) {
        #pragma omp taskwait
    }
    return x;
}
""",
        """
double f(int n, double *x) {
    double first;
    #pragma omp target map(to: x[0:n]) nowait
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
    first = x[0];
    #pragma omp taskwait
    return first;
}
""",
        """
void f(int n, double *v) {
    #pragma omp parallel
    {
        #pragma omp masked
        #pragma omp target teams distribute parallel for nowait map(from: v[0:n])
        for (int i = 0; i < n; i++)
            v[i] = i;
        #pragma omp for schedule(dynamic, 100)
        for (int i = n; i < 2 * n; i++)
            v[i] = i;
    }
    v[0] = 1;
}
""",
        """
int f(int n) {
    #pragma omp target firstprivate(n) nowait
    n = n + 1;
    n = 0;
    #pragma omp taskwait
    return n;
}
""",
    ),
    check=check,
)
