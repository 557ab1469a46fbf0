"""A pointer that has no value when a section of it is mapped, or when a region follows it.

Certain when nothing has been assigned to the local variable on any path, nor has anybody got its address.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import MapsUnset
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, MapsUnset):
        # a variable without a value in an expression is the compiler's to warn of
        severity = "hint" if found.event.how else severity_of(found, scene)
        yield finding(found, f"`{found.event.name}` points nowhere yet: nothing has been assigned to it", severity)


RULE = Rule(
    id="uninitialised-pointer",
    group="mapping",
    severity="warning",
    title="A section of a pointer that has no value is mapped",
    why="""
A local pointer holds garbage until something is assigned to it. A `map` of a section copies from, and back to, wherever that leads. Compilers often say
nothing, as a clause only names the pointer.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
int main(void) {
    double *h;
    #pragma omp target map(from: h[0:100])
    //                           ^^^^^^^^ warning: `h` points nowhere yet: nothing has been assigned to it
    for (int i = 0; i < 100; i++)
        h[i] = i;
    return 0;
}
""",
        """
void *malloc(unsigned long);
int f(int n) {
    float *a, *b;
    a = malloc(n * sizeof(float));
    #pragma omp target enter data map(alloc: a[0:n], b[0:n])
    //                                               ^^^^^^ warning: `b` points nowhere yet: nothing has been assigned to it
    b = malloc(n * sizeof(float));
    #pragma omp target exit data map(delete: a[0:n], b[0:n])
    return 0;
}
""",
        """
struct mesh { int n; double *x; };
int main(void) {
    struct mesh m;
    double *rows[2];
    #pragma omp target data map(alloc: m.x[0:8], rows[1][0:8])
    //                                           ^^^^^^^^^^^^ warning: `rows` points nowhere yet: nothing has been assigned to it
    //                                 ^^^^^^^^ warning: `m.x` points nowhere yet: nothing has been assigned to it
    {
    }
    return 0;
}
""",
        """
int main(void) {
    int *p;
    #pragma omp target
    p[0] = 1;
//  ^^^^ hint: `p` points nowhere yet: nothing has been assigned to it
    return 0;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
int f(int large) {
    double *h;
    if (large)
        h = malloc(800);
    else
        h = malloc(80);
    #pragma omp target map(from: h[0:10])
    h[0] = 1;
    return 0;
}
""",
        """
int allocate(double **, int);
int f(int n) {
    double *h;
    if (allocate(&h, n))
        return 1;
    #pragma omp target map(from: h[0:n])
    h[0] = 1;
    return 0;
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *h;
    for (int step = 0; step < 10; step++) {
        if (step == 0)
            h = malloc(n * sizeof(double));
        #pragma omp target map(from: h[0:n])
        h[0] = step;
    }
}
""",
        """
struct mesh { int n; double *x; };
struct mesh make(int);
int read_mesh(struct mesh *);
int main(void) {
    struct mesh m = make(8), other;
    read_mesh(&other);
    #pragma omp target map(tofrom: m.x[0:m.n], other.x[0:other.n])
    m.x[0] = other.x[0];
    return 0;
}
""",
        """
int main(void) {
    int store[4] = {0}, *p;
    #pragma omp target map(tofrom: store)
    {
        p = store;
        p[0] = 1;
    }
    return store[0];
}
""",
        """
void *malloc(unsigned long);
static double *h;
void f(int n) {
    double *mine;
    mine = h;
    #pragma omp target map(tofrom: mine[0:n])
    mine[0] = 1;
}
""",
        """
void *memcpy(void *, const void *, unsigned long);
double f(const void *saved) {
    double *h;
    memcpy(&h, saved, sizeof h);
    #pragma omp target map(tofrom: h[0:8])
    h[0] = 1;
    return h[0];
}
""",
        """
#include <stdarg.h>
int f(int n, ...) {
    va_list more;
    double *h;
    va_start(more, n);
    h = va_arg(more, double *);
    va_end(more);
    #pragma omp target map(tofrom: h[0:n])
    h[0] = 1;
    return 0;
}
""",
    ),
    check=check,
)
