"""A number in a target region that the chosen device has no type for."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import lacking


def check(scene: Scene) -> Iterator[Finding]:
    yield from lacking(scene, lambda key: key.startswith("type "))


RULE = Rule(
    id="device-type",
    severity="warning",
    group="device-limits",
    title="A number that the device has no type for",
    why="""
Host and device must agree about the size of what is mapped. A GPU has no `long double` of 16 bytes and no
`_Float128`; a core of an Epiphany does the arithmetic of `double` in software. The first use in a region is reported.
""",
    section="13.8",
    about="regions",
    bad=(
        """
void f(int n, long double *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = i;
    //                          ^ hint: the type `long double` cannot run on cuda: a GPU has no number of its size
}
""",
        """
struct wide { long double v; };
static long low(struct wide *w) { return (long)w->v; }
void f(struct wide *w, long *a) {
    #pragma omp target map(tofrom: w[0:1], a[0:1])
    a[0] = low(w);
    //         ^ hint: the type `long double` cannot run on cuda: a GPU has no number of its size
    //     ^^^ hint: the type `long double` in `low`, which is called here, cannot run on cuda: a GPU has no number of its size
}
""",
    ),
    good=(
        """
long double g(int n, long double *a) {
    long double s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
""",
        """
void f(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = i / 3.0;
}
""",
        """
void f(int n, unsigned long long *a) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = (unsigned long long)i * i;
}
""",
        """
void f(int n, double *a, long double scale) {
    double factor = (double)scale;
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] *= factor;
}
""",
        """
struct pair { double re, im; };
void f(int n, struct pair *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i].re = -a[i].im;
}
""",
    ),
    check=check,
)
