"""A pointer that no clause lists, to storage of which only a part further on is mapped.

Since 5.1 such a pointer finds that part, as it lies in its extended address range (5.2 §5.8.6): a hint, for libgomp 12 does
not look there.  Certain for older versions, when the pointer can only hold an address before the section.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import PointsBefore
from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, finding, list_item_at, region_at, severity_of

_WITHOUT_RANGES = ("4.0", "4.5", "5.0")
_TYPES = ("to", "from", "alloc", "tofrom")


def check(scene: Scene) -> Iterator[Finding]:
    old = scene.unit.settings.openmp in _WITHOUT_RANGES
    where = "before OpenMP 5.1" if old else "with runtimes that look at mapped storage only (gcc 12)"
    for found in events(scene, PointsBefore):
        name = found.event.name
        region = region_at(scene, found.event.site.span)
        if found.event.certainty != "certain" or region is None:
            continue
        origin = next((span for span, _ in found.here), None)
        listed = list_item_at(scene, origin) if origin is not None else None
        changes: tuple[Change, ...] = ()
        if listed is not None and listed[2].symbol is not None and listed[2].symbol.name == name:
            item = listed[2]
            kind = listed[1].keyword if listed[1].keyword in _TYPES else "tofrom"
            changes = (with_clause(region.directive, f"map({kind}: {item.text})", ((item.text, item.span),)),)
        message = f"`{name}` points before the section that is mapped, and no clause lists it: it keeps the host's address {where}"
        yield finding(found, message, severity_of(found, scene) if old else "hint", *changes)


RULE = Rule(
    id="pointer-before-section",
    severity="warning",
    group="portability",
    title="A pointer to before the mapped part of its storage, in no clause",
    why="""
A pointer that no clause lists comes into a target region as a section of length zero at the address that it holds. When only a later part of the storage is mapped, that address is
not: up to OpenMP 5.0 the pointer keeps the host's address. Since 5.1 it finds the section through its base address, but not with every runtime. To list the section on the region again
works with all of them, and copies nothing.
""",
    section="5.8.6",
    about="events",
    bad=(
        """
double *malloc(unsigned long);
static double sum(double *x) {
    double s = 0;
    #pragma omp target map(tofrom: s)
    for (int i = 10; i < 60; i++)
        s += x[i];
    //       ^^^^ hint: `x` points before the section that is mapped, and no clause lists it: it keeps the host's address with runtimes that look at mapped storage only (gcc 12)
    return s;
}
int main(void) {
    double *a = malloc(800);
    for (int i = 0; i < 100; i++)
        a[i] = i;
    double s = 0;
    #pragma omp target data map(to: a[10:50])
    {
        s = sum(a);
        #pragma omp target map(tofrom: s)
        s += a[12];
    //       ^^^^^ hint: `a` points before the section that is mapped, and no clause lists it: it keeps the host's address with runtimes that look at mapped storage only (gcc 12)
    }
    return s;
}
""",
        """
// OpenMP 5.0
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc((n + 1) * sizeof(double));
    for (int i = 0; i <= n; i++)
        x[i] = i;
    #pragma omp target data map(tofrom: x[1:n])
    {
        #pragma omp target teams distribute parallel for
        for (int i = 1; i <= n; i++)
            x[i] *= 2;
        //  ^^^^ warning: `x` points before the section that is mapped, and no clause lists it: it keeps the host's address before OpenMP 5.1
    }
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    int *a = malloc(400);
    #pragma omp target enter data map(alloc: a[50:50])
    for (int step = 0; step < 3; step++) {
        #pragma omp target
        a[50 + step] = step;
    //  ^^^^^^^^^^^^ hint: `a` points before the section that is mapped, and no clause lists it: it keeps the host's address with runtimes that look at mapped storage only (gcc 12)
    }
    #pragma omp target exit data map(from: a[50:50])
    int sum = a[50] + a[51] + a[52];
    free(a);
    return sum != 3;
}
""",
    ),
    good=(
        """
double *malloc(unsigned long);
static double sum(double *x, int from) {
    double s = 0;
    #pragma omp target map(tofrom: s)
    for (int i = from; i < from + 50; i++)
        s += x[i];
    return s;
}
void f(int low, int n) {
    double *a = malloc(800);
    for (int i = 0; i < 100; i++)
        a[i] = i;
    double s = 0;
    #pragma omp target data map(tofrom: a[10:50], s)
    {
        s = sum(a + 10, 0);
        #pragma omp target map(to: a[10:50])
        s += a[12];
        #pragma omp target data map(to: a[0:4])
        s += sum(a, 0);
        #pragma omp target if(0)
        s += a[12];
    }
    #pragma omp target data map(tofrom: a[low:n], s)
    s += sum(a, low);
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc((2 * n + 5) * sizeof(double));
    #pragma omp target data map(tofrom: x[1:n])
    {
        double *inner = x + 1;
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            inner[i] *= 2;
    }
}
""",
        """
double a[100];
void f(void) {
    #pragma omp target data map(tofrom: a[10:50])
    {
        #pragma omp target map(tofrom: a[10:50])
        a[12] += 1;
    }
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc((2 * n + 5) * sizeof(double));
    #pragma omp target data map(tofrom: x[n:n]) use_device_ptr(x)
    {
        #pragma omp target is_device_ptr(x)
        x[n] = 1;
    }
}
""",
        """
#pragma omp requires unified_shared_memory
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc((2 * n + 5) * sizeof(double));
    #pragma omp target data map(tofrom: x[5:n])
    {
        #pragma omp target
        x[5] = 1;
    }
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc((2 * n + 5) * sizeof(double));
    #pragma omp target data map(tofrom: x[n:n])
    {
        #pragma omp target firstprivate(x)
        if (x)
            n++;
    }
}
""",
    ),
    check=check,
)
