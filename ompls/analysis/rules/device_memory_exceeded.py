"""An access beyond the end of what `omp_target_alloc` gave, or `omp_target_memcpy` beyond what was allocated.

Certain when the allocation is the only one that the pointer can hold, both sizes are known in the same terms, and the
access happens on every path and in every run of the loops around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import BeyondAllocation, CopyElements
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, finding, firsts, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in firsts(events(scene, BeyondAllocation)):
        message = f"this reaches beyond what was allocated for `{found.event.name}`: sizes are in bytes"
        yield finding(found, message, severity_of(found, scene))
    for found in firsts(events(scene, CopyElements)):
        message = f"this length is in bytes, and here it is the number of elements of `{found.event.name}`"
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="device-memory-exceeded",
    group="mapping",
    severity="warning",
    title="An access beyond what was allocated on the device",
    why="""
`omp_target_alloc` and `omp_target_memcpy` count bytes, not elements: `omp_target_alloc(n, dev)` has room for `n / sizeof(double)` doubles. What lies beyond belongs to somebody else,
and few devices notice.
""",
    section="18.8.1",
    about="events",
    bad=(
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n, 0);
    #pragma omp target teams distribute parallel for is_device_ptr(x)
    for (int i = 0; i < n; i++)
        x[i] = 0;
    //  ^^^^ warning: this reaches beyond what was allocated for `x`: sizes are in bytes
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
void f(int n, double *x) {
    double *d = omp_target_alloc(n, 0);
    omp_target_memcpy(d, x, n * sizeof(double), 0, 0, 0, omp_get_initial_device());
    //                ^ warning: this reaches beyond what was allocated for `d`: sizes are in bytes
}
""",
        """
void *omp_target_alloc(unsigned long, int);
static void clear(float *x, int n) {
    #pragma omp target is_device_ptr(x)
    for (int i = 0; i <= n; i++)
        x[i] = 0;
    //  ^^^^ warning: this reaches beyond what was allocated for `x`: sizes are in bytes
}
int main(void) {
    float *buffer = omp_target_alloc(100 * sizeof(float), 0);
    clear(buffer, 100);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
int main(void) {
    int *x = malloc(50 * sizeof(int)), *d = omp_target_alloc(100 * sizeof(int), 0);
    omp_target_memcpy(x, d, 100 * sizeof(int), 0, 0, omp_get_initial_device(), 0);
    //                ^ warning: this reaches beyond what was allocated for `x`: sizes are in bytes
    return x[0];
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_get_initial_device(void);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
double *upload(const double *x, int n) {
    double *d = omp_target_alloc(n * sizeof(double), 0);
    omp_target_memcpy(d, x, n, 0, 0, 0, omp_get_initial_device());
    //                      ^ warning: this length is in bytes, and here it is the number of elements of `d`
    return d;
}
""",
    ),
    good=(
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
void f(const double *head) {
    double *x = omp_target_alloc(320, 0);
    omp_target_memcpy(x, head, 40, 0, 0, 0, omp_get_initial_device());
    #pragma omp target is_device_ptr(x)
    x[0] += x[4];
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof *x, 0);
    #pragma omp target teams distribute parallel for is_device_ptr(x)
    for (int i = 0; i < n; i++)
        x[i] = 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n, int used) {
    char *x = omp_target_alloc(n, 0);
    #pragma omp target teams distribute parallel for is_device_ptr(x)
    for (int i = 0; i < n; i++)
        x[i] = 0;
    double *y = omp_target_alloc(n, 0);
    #pragma omp target teams distribute parallel for is_device_ptr(y)
    for (int i = 0; i < used; i++)
        y[i] = 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
void f(int n, double *x) {
    double *d = omp_target_alloc(2 * n * sizeof(double), 0);
    omp_target_memcpy(d, x, n * sizeof(double), n * sizeof(double), 0, 0, omp_get_initial_device());
    omp_target_memcpy(x, d, n * sizeof(double), 0, n * sizeof(double), omp_get_initial_device(), 0);
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n, int m) {
    float *x = omp_target_alloc(m * sizeof(float), 0);
    #pragma omp target is_device_ptr(x)
    for (int i = 0; i < n; i++)
        if (i < m)
            x[i] = 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n, int large) {
    int *x = large ? omp_target_alloc(8 * n, 0) : omp_target_alloc(4 * n, 0);
    int count = large ? 2 * n : n;
    #pragma omp target is_device_ptr(x)
    for (int i = 0; i < count; i++)
        x[i] = 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    int *x = omp_target_alloc(sizeof(int[n]), 0);
    int *middle = x + n / 2;
    #pragma omp target is_device_ptr(middle)
    for (int i = -(n / 2); i < n / 2; i++)
        middle[i] = 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_get_initial_device(void);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
char *upload(const char *x, int n, int part) {
    char *d = omp_target_alloc(n, 0);
    omp_target_memcpy(d, x, n, 0, 0, 0, omp_get_initial_device());
    double *e = omp_target_alloc(n * sizeof(double), 0);
    omp_target_memcpy(e, x, part, 0, 0, 0, omp_get_initial_device());
    omp_target_memcpy(e, x, n, n, 0, 0, omp_get_initial_device());
    return d;
}
""",
    ),
    check=check,
)
