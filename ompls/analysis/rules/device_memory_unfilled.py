"""A target region reads memory from `omp_target_alloc` in which nothing has been stored.

Certain when the pointer can hold nothing but the address of such allocations, and no copy, no region and no function that
got the address has come before: one store anywhere in an allocation is taken to fill it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import DeviceGarbage
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, DeviceGarbage):
        message = f"`{found.event.name}` is read here, but nothing has been stored in this device memory"
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="device-memory-unfilled",
    group="mapping",
    severity="warning",
    title="Device memory is read before anything is stored in it",
    why="""
`omp_target_alloc` gives memory without values, and `is_device_ptr` copies nothing: what a region reads there is garbage until a region
writes to it, or `omp_target_memcpy` brings the host's values.
""",
    section="18.8.1",
    about="events",
    bad=(
        """
void *omp_target_alloc(unsigned long, int);
int main(void) {
    int *d = omp_target_alloc(400, 0), sum = 0;
    #pragma omp target is_device_ptr(d) map(tofrom: sum)
    for (int i = 0; i < 100; i++)
        sum += d[i];
    //         ^^^^ warning: `d` is read here, but nothing has been stored in this device memory
    return sum;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
static void scale(double *p, int n, double by) {
    #pragma omp target teams distribute parallel for is_device_ptr(p)
    for (int i = 0; i < n; i++)
        p[i] *= by;
    //  ^^^^ warning: `p` is read here, but nothing has been stored in this device memory
}
int main(void) {
    double *d = omp_target_alloc(100 * sizeof(double), 0);
    scale(d, 100, 2);
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
int main(void) {
    float h[10] = {1}, *d = omp_target_alloc(sizeof h, 0), *e = omp_target_alloc(sizeof h, 0), s = 0;
    omp_target_memcpy(d, h, sizeof h, 0, 0, 0, omp_get_initial_device());
    for (int t = 0; t < 3; t++) {
        #pragma omp target is_device_ptr(d, e) map(tofrom: s)
        for (int i = 0; i < 10; i++)
            s += d[i] * e[i];
        //              ^^^^ warning: `e` is read here, but nothing has been stored in this device memory
    }
    return s > 0;
}
""",
    ),
    good=(
        """
void *omp_target_alloc(unsigned long, int);
int main(void) {
    int *d = omp_target_alloc(400, 0), sum = 0;
    #pragma omp target is_device_ptr(d)
    for (int i = 0; i < 100; i++)
        d[i] = i;
    #pragma omp target is_device_ptr(d) map(tofrom: sum)
    for (int i = 0; i < 100; i++)
        sum += d[i];
    return sum;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
int main(void) {
    int h[100] = {0}, *d = omp_target_alloc(sizeof h, 0), sum = 0;
    omp_target_memcpy(d, h, sizeof h, 0, 0, 0, omp_get_initial_device());
    #pragma omp target is_device_ptr(d) map(tofrom: sum)
    for (int i = 0; i < 100; i++)
        sum += d[i];
    return sum;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void fill(int *, int);
int main(void) {
    int *d = omp_target_alloc(400, 0), sum = 0;
    fill(d, 100);
    #pragma omp target is_device_ptr(d) map(tofrom: sum)
    for (int i = 0; i < 100; i++)
        sum += d[i];
    return sum;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_associate_ptr(const void *, const void *, unsigned long, unsigned long, int);
int main(void) {
    int h[100] = {1}, *d = omp_target_alloc(sizeof h, 0), sum = 0;
    omp_target_associate_ptr(h, d, sizeof h, 0, 0);
    #pragma omp target update to(h)
    #pragma omp target is_device_ptr(d) map(tofrom: sum)
    for (int i = 0; i < 100; i++)
        sum += d[i];
    return sum;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void *memset(void *, int, unsigned long);
int main(void) {
    int *d = omp_target_alloc(400, 0), sum = 0;
    #pragma omp target is_device_ptr(d)
    memset(d, 0, 400);
    #pragma omp target is_device_ptr(d) map(tofrom: sum)
    for (int i = 0; i < 100; i++)
        sum += d[i];
    return sum;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int main(void) {
    int *d[2], sum = 0;
    for (int k = 0; k < 2; k++)
        d[k] = omp_target_alloc(400, 0);
    for (int k = 0; k < 2; k++) {
        int *p = d[k];
        #pragma omp target is_device_ptr(p)
        for (int i = 0; i < 100; i++)
            p[i] = i;
    }
    int *q = d[1];
    #pragma omp target is_device_ptr(q) map(tofrom: sum)
    for (int i = 0; i < 100; i++)
        sum += q[i];
    return sum;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
struct box { int n; double *d; };
static void fill(struct box *b) {
    double *d = b->d;
    int n = b->n;
    #pragma omp target is_device_ptr(d)
    for (int i = 0; i < n; i++)
        if (i % 2 == 0)
            d[i] = 0;
}
int main(void) {
    struct box b = {10, omp_target_alloc(80, 0)};
    double s = 0, *d = b.d;
    fill(&b);
    #pragma omp target is_device_ptr(d) map(tofrom: s)
    for (int i = 0; i < 10; i += 2)
        s += d[i];
    return s;
}
""",
    ),
    check=check,
)
