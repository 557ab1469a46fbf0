"""Host data without a value that a map copies to the device, where they are read.

Certain when nothing on any path has written a part of them on either side.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import Garbage
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, list_item_at, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, Garbage, "to", "tofrom"):
        item = list_item_at(scene, found.event.site.span)
        name = item[2].text if item is not None else found.event.name
        message = f"`{name}` has no value on the host when it is copied to the device, where it is read"
        # An implicit map of a variable without a value is the compiler's to warn of.
        yield finding(found, message, severity_of(found, scene) if item is not None else "hint")


RULE = Rule(
    id="uninitialised-copied",
    group="mapping",
    severity="warning",
    title="Data are copied to the device before they have a value, and read there",
    why="""
What `map(to:)` copies is what the host has at that moment. When nothing has been stored there yet, the device reads garbage: often
the initialisation comes after the `enter data`, or in a region that works on another copy.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    int *x = malloc(100 * sizeof(int)), sum = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: x[0:100])
    //                                                                         ^^^^^^^^ warning: `x[0:100]` has no value on the host when it is copied to the device, where it is read
    for (int i = 0; i < 100; i++)
        sum += x[i];
    free(x);
    return sum;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
static void upload(double *p, int n) {
    #pragma omp target enter data map(to: p[0:n])
    //                                    ^^^^^^ warning: `p[0:n]` has no value on the host when it is copied to the device, where it is read
}
int main(void) {
    double *x = malloc(64 * sizeof(double)), sum = 0;
    upload(x, 64);
    for (int i = 0; i < 64; i++)
        x[i] = i;
    #pragma omp target map(tofrom: sum)
    for (int i = 0; i < 64; i++)
        sum += x[i];
    #pragma omp target exit data map(delete: x[0:64])
    free(x);
    return sum > 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    int n = 20;
    float *a = malloc(n * n * sizeof *a), sum = 0;
    #pragma omp target enter data map(to: a[0:n*n])
    //                                    ^^^^^^^^ warning: `a[0:n*n]` has no value on the host when it is copied to the device, where it is read
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) a[i * n + i] = 0;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n * n; i++) a[i] += 1;
    #pragma omp target exit data map(from: a[0:n*n])
    for (int i = 0; i < n * n; i++) sum += a[i];
    free(a);
    return sum > 0;
}
""",
    ),
    good=(
        """
void *calloc(unsigned long, unsigned long);
int main(void) {
    int *x = calloc(100, sizeof(int)), sum = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: x[0:100])
    for (int i = 0; i < 100; i++)
        sum += x[i];
    return sum;
}
""",
        """
void *malloc(unsigned long);
void read_input(int *, int);
int main(void) {
    int *x = malloc(100 * sizeof(int)), sum = 0;
    read_input(x, 100);
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: x[0:100])
    for (int i = 0; i < 100; i++)
        sum += x[i];
    return sum;
}
""",
        """
void *malloc(unsigned long);
int main(void) {
    int *x = malloc(100 * sizeof(int)), sum = 0;
    #pragma omp target teams distribute parallel for map(tofrom: x[0:100])
    for (int i = 0; i < 100; i++)
        x[i] = i;
    for (int i = 0; i < 100; i++)
        sum += x[i];
    return sum;
}
""",
        """
int f(int n) {
    int a[100];
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma omp target map(tofrom: a)
    a[0] += a[1];
    return a[0];
}
""",
        """
int global[100];
int main(void) {
    static int counts[100];
    #pragma omp target map(tofrom: global, counts)
    { global[1] += counts[2]; counts[3] += global[4]; }
    return global[1] + counts[3];
}
""",
        """
int scanf(const char *, ...);
int main(void) {
    int n, a[10];
    scanf("%d", &n);
    for (int i = 0; i < 10; i++)
        if (i < n) a[i] = i;
    #pragma omp target map(tofrom: a) map(to: n)
    a[0] += n;
    return a[0];
}
""",
    ),
    check=check,
)
