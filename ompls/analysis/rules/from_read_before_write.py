"""Data that a target region reads although its map only allocates it (`map(from:)`, `map(alloc:)`).

Certain when nothing on any path has written a part of the device's copy, whoever mapped it.  A hint when a caller may have
mapped it before.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import Garbage, GarbageIfNew
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import at_one_place, events, finding, list_item_at, other_type, severity_of

_INSTEAD = {"from": "tofrom", "alloc": "to", "storage": "to"}


def check(scene: Scene) -> Iterator[Finding]:
    noticed = (*events(scene, Garbage, *_INSTEAD, "associate"), *events(scene, GarbageIfNew, "from"))
    for found in at_one_place(sorted(noticed, key=lambda n: isinstance(n.event, GarbageIfNew))):
        event = found.event
        if event.certainty == "possible":
            continue
        span, kind = event.site.span, event.how
        item = list_item_at(scene, span)
        name = item[2].text if item is not None else event.name
        message = (
            f"`map({kind}: …)` only allocates `{name}` on the device, where it is read before anything is written to it"
        )
        if kind == "associate":
            message = f"nothing has been written to the device memory that `{name}` is associated with, and it is read"
            yield finding(found, message, severity_of(found, scene))
            continue
        severity = severity_of(found, scene) if isinstance(event, Garbage) else "hint"
        yield finding(found, message, severity, *other_type(scene, span, name, _INSTEAD[kind]))


RULE = Rule(
    id="from-read-before-write",
    severity="warning",
    group="mapping",
    title="A region reads data that its map only allocates",
    why="""
`map(from: x)` and `map(alloc: x)` give the device room for `x` without copying its value. Until the region writes
`x`, reading it gives garbage. If the host's value is needed, map it `to` or `tofrom`; a reduction variable needs `tofrom`, since
the reduction combines with the value before the region.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
void f(int n) {
    double a[100];
    #pragma omp target teams distribute parallel for map(from: a)
    //                                                         ^ warning: `map(from: …)` only allocates `a` on the device, where it is read before anything is written to it
    for (int i = 0; i < n; i++)
        a[i] += 1;
}
""",
        """
int f(int n, int *x) {
    int sum = 0;
    #pragma omp target teams distribute parallel for map(from: sum) map(to: x[0:n]) reduction(+: sum)
    //                                                         ^^^ warning: `map(from: …)` only allocates `sum` on the device, where it is read before anything is written to it
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
""",
        """
float f(void) {
    float a[100], sum = 0;
    #pragma omp target data map(alloc: a)
    //                                 ^ warning: `map(alloc: …)` only allocates `a` on the device, where it is read before anything is written to it
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 50; i++) a[2 * i] = 0;
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++) a[i] += 1;
        #pragma omp target update from(a)
    }
    for (int i = 0; i < 100; i++) sum += a[i];
    return sum;
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp target map(from: y[0:n]) map(to: x[0:n])
    //                           ^^^^^^ hint: `map(from: …)` only allocates `y[0:n]` on the device, where it is read before anything is written to it
    for (int i = 0; i < n; i++)
        y[i] = y[i] + x[i];
}
""",
        """
void f(void) {
    int a[10], b[10];
    for (int i = 0; i < 10; i++) a[i] = i;
    #pragma omp target data map(alloc: a) map(from: b)
    //                                 ^ warning: `map(alloc: …)` only allocates `a` on the device, where it is read before anything is written to it
    {
        #pragma omp target map(to: a)
        for (int i = 0; i < 10; i++)
            b[i] = a[i];
    }
}
""",
        """
static int sum(const int *x, int n) {
    int all = 0;
    #pragma omp target teams distribute parallel for reduction(+: all)
    for (int i = 0; i < n; i++)
        all += x[i];
    return all;
}
int main(void) {
    int a[10] = {1, 2, 3}, result = 0;
    #pragma omp target data map(alloc: a)
    //                                 ^ warning: `map(alloc: …)` only allocates `a` on the device, where it is read before anything is written to it
    result = sum(a, 10);
    return result;
}
""",
        """
static void sweep(int n, const double *old, double *new) {
    #pragma omp target teams distribute parallel for
    for (int i = 1; i < n - 1; i++)
        new[i] = 0.5 * (old[i - 1] + old[i + 1]);
}
void *calloc(unsigned long, unsigned long);
int main(void) {
    double *a = calloc(256, sizeof(double)), *b = calloc(256, sizeof(double));
    a[0] = b[0] = 1;
    #pragma omp target data map(tofrom: a[0:256]) map(alloc: b[0:256])
    //                                                       ^^^^^^^^ warning: `map(alloc: …)` only allocates `b[0:256]` on the device, where it is read before anything is written to it
    for (int s = 0; s < 10; s += 2) {
        sweep(256, a, b);
        sweep(256, b, a);
    }
    return a[3] > 0;
}
""",
        """
void *malloc(unsigned long);
void *omp_target_alloc(unsigned long, int);
int omp_target_associate_ptr(const void *, const void *, unsigned long, unsigned long, int);
int omp_get_initial_device(void);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int main(void) {
    int *h = malloc(40), *d = omp_target_alloc(40, 0);
    for (int i = 0; i < 10; i++)
        h[i] = i;
    omp_target_associate_ptr(h, d, 40, 0, 0);
    //                       ^ warning: nothing has been written to the device memory that `h` is associated with, and it is read
    #pragma omp target map(tofrom: h[0:10])
    h[0] += 1;
    #pragma omp target update from(h[0:10])
    return h[0];
}
""",
    ),
    good=(
        """
#pragma omp begin declare target
void fill(float *, int);
float *get(void);
#pragma omp end declare target
float f(void) {
    float a[100], b[100], sum = 0;
    #pragma omp target data map(alloc: a, b)
    {
        #pragma omp target
        for (int i = 0; i < 50; i++) b[2 * i] = 0;
        #pragma omp target
        for (int i = 0; i < 100; i++) {
            float *p = get();
            b[i] += 1;
            p[i + 1] = 2;
        }
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 50; i++) a[2 * i] = 0;
        #pragma omp target
        for (int i = 0; i < 100; i++) {
            a[i] += 1;
            fill(a, i + 1);
        }
        #pragma omp target update from(a)
    }
    for (int i = 0; i < 100; i++) sum += a[i];
    return sum;
}
""",
        """
float f(void) {
    float a[100], b[100], sum = 0;
    #pragma omp target data map(alloc: a, b)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 50; i++) a[2 * i] = b[2 * i] = 0;
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 50; i++) a[2 * i + 1] = 0;
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 100; i++) a[i] += 1;
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 50; i++) b[2 * i] = b[2 * i] + 1;
        #pragma omp target update from(a, b)
    }
    for (int i = 0; i < 100; i += 2) sum += a[i] + a[i + 1] + b[i];
    return sum;
}
""",
        """
void *malloc(unsigned long);
int fill_on_device(float *, int);
float f(int n) {
    float *x = malloc(n * sizeof(float)), sum = 0;
    #pragma omp target enter data map(alloc: x[0:n])
    #pragma omp target data use_device_ptr(x)
    fill_on_device(x, n);
    #pragma omp target teams distribute parallel for reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    #pragma omp target exit data map(delete: x[0:n])
    return sum;
}
""",
        """
void f(int n) {
    double a[100];
    #pragma omp target teams distribute parallel for map(from: a)
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        a[i] += 1;
    }
}
""",
        """
void f(int n) {
    double a[100];
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target map(from: a)
        a[0] += 1;
    }
}
""",
        """
void f(int n) {
    double a[100];
    #pragma omp target enter data map(alloc: a)
    #pragma omp target update to(a)
    #pragma omp target
    a[0] += 1;
    #pragma omp target exit data map(from: a)
}
""",
        """
void f(int n) {
    double a[100];
    #pragma omp target data map(alloc: a)
    {
        #pragma omp target
        for (int i = 0; i < 100; i++) a[i] = i;
        #pragma omp target
        a[0] += 1;
    }
}
""",
        """
int f(int n, int *x) {
    int sum;
    #pragma omp target map(from: sum) map(to: x[0:n])
    {
        sum = 0;
        #pragma omp parallel for reduction(+: sum)
        for (int i = 0; i < n; i++) sum += x[i];
    }
    return sum;
}
""",
        """
int f(int blocks, int *v) {
    #pragma omp target teams distribute parallel for map(from: v[0:blocks*8])
    for (int b = 0; b < blocks; b++) {
        v[b * 8] = b;
        for (int k = 1; k < 8; k++)
            v[b * 8 + k] = v[b * 8 + k - 1] + 1;
    }
    return v[0];
}
""",
        """
int f(int n, double *x, double *y) {
    #pragma omp target data map(tofrom: x[0:n]) map(alloc: y[0:n])
    for (int s = 0; s < 10; s++) {
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < n - 1; i++)
            y[i] = x[i - 1] + x[i + 1];
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < n - 1; i++)
            x[i] = y[i];
    }
    return x[0] > 0;
}
""",
        """
int f(int n, double *x, double *y) {
    #pragma omp target data map(tofrom: x[0:n]) map(alloc: y[0:n])
    {
        #pragma omp target
        y[0] = y[n - 1] = 0;
        for (int s = 0; s < 10; s++) {
            #pragma omp target teams distribute parallel for
            for (int i = 1; i < n - 1; i++)
                y[i] = x[i - 1] + x[i + 1];
            #pragma omp target teams distribute parallel for
            for (int i = 1; i < n - 1; i++)
                x[i] = y[i - 1] + y[i + 1];
        }
    }
    return x[0] > 0;
}
""",
        """
void *malloc(unsigned long);
void *omp_target_alloc(unsigned long, int);
int omp_target_associate_ptr(const void *, const void *, unsigned long, unsigned long, int);
int omp_get_initial_device(void);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int main(void) {
    int *h = malloc(40), *d = omp_target_alloc(40, 0);
    for (int i = 0; i < 10; i++)
        h[i] = i;
    omp_target_associate_ptr(h, d, 40, 0, 0);
    #pragma omp target update to(h[0:10])
    #pragma omp target map(tofrom: h[0:10])
    h[0] += 1;
    #pragma omp target update from(h[0:10])
    return h[0];
}
""",
        """
void *malloc(unsigned long);
void *omp_target_alloc(unsigned long, int);
int omp_target_associate_ptr(const void *, const void *, unsigned long, unsigned long, int);
int omp_get_initial_device(void);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int main(void) {
    int *h = malloc(40), *d = omp_target_alloc(40, 0);
    for (int i = 0; i < 10; i++)
        h[i] = i;
    omp_target_memcpy(d, h, 40, 0, 0, 0, omp_get_initial_device());
    omp_target_associate_ptr(h, d, 40, 0, 0);
    #pragma omp target map(tofrom: h[0:10])
    h[0] += 1;
    #pragma omp target update from(h[0:10])
    return h[0];
}
""",
    ),
    check=check,
)
