"""The host follows a pointer that holds a device address.

Certain when the pointer can only hold a device address.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import FreesDeviceMemory, FreesHostMemory, HostDereference
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, events, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, HostDereference):
        message = (
            f"`{found.event.name}` holds a device address here: the host cannot follow it;"
            " copy by `omp_target_memcpy`, or use it in a region with `is_device_ptr`"
        )
        yield finding(found, message, severity_of(found, scene))
    for found in events(scene, FreesDeviceMemory):
        message = (
            f"`{found.event.name}` holds a device address: `free` is for the host's, `omp_target_free` for the device's"
        )
        yield finding(found, message, severity_of(found, scene))
    for found in events(scene, FreesHostMemory):
        message = f"`{found.event.name}` holds a host address: `omp_target_free` is for what `omp_target_alloc` gave"
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="host-dereference",
    group="mapping",
    severity="warning",
    title="The host follows a device pointer",
    why="""
What `omp_target_alloc` returns, and what a `use_device_ptr` variable holds, is an address on the device. The host reaches what lies there with `omp_target_memcpy`, or in a region with `is_device_ptr`.
There is no quick fix: the two differ in who works, and the copy needs room on the host.
""",
    section="5.4.7",
    about="events",
    bad=(
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), 0);
    for (int i = 0; i < n; i++)
        x[i] = 0;
    //  ^^^^ warning: `x` holds a device address here: the host cannot follow it; copy by `omp_target_memcpy`, or use it in a region with `is_device_ptr`
}
""",
        """
void f(int n, double *x) {
    #pragma omp target data map(tofrom: x[0:n]) use_device_ptr(x)
    {
        x[0] = 1;
    //  ^^^^ warning: `x` holds a device address here: the host cannot follow it; copy by `omp_target_memcpy`, or use it in a region with `is_device_ptr`
    }
}
""",
        """
void *omp_target_alloc(unsigned long, int);
static void clear(double *x, int n) {
    for (int i = 0; i < n; i++)
        x[i] = 0;
    //  ^^^^ warning: `x` holds a device address here: the host cannot follow it; copy by `omp_target_memcpy`, or use it in a region with `is_device_ptr`
}
int main(void) {
    clear(omp_target_alloc(80, 0), 10);
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void free(void *);
int main(void) {
    int *p = omp_target_alloc(40, 0);
    #pragma omp target is_device_ptr(p)
    p[0] = 1;
    free(p);
//  ^^^^^^^ warning: `p` holds a device address: `free` is for the host's, `omp_target_free` for the device's
    return 0;
}
""",
        """
void *malloc(unsigned long);
void omp_target_free(void *, int);
int main(void) {
    int *p = malloc(40);
    #pragma omp target map(from: p[0:10])
    p[0] = 1;
    omp_target_free(p, 0);
    //              ^ warning: `p` holds a host address: `omp_target_free` is for what `omp_target_alloc` gave
    return 0;
}
""",
    ),
    good=(
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), 0);
    #pragma omp target is_device_ptr(x)
    for (int i = 0; i < n; i++)
        x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target data map(tofrom: x[0:n]) use_device_ptr(x)
    {
        #pragma omp target is_device_ptr(x)
        x[0] = 1;
    }
    x[0] = 2;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void *malloc(unsigned long);
void f(int n, int host) {
    double *x = host ? malloc(n) : omp_target_alloc(n, 0);
    if (host)
        x[0] = 1;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
double *where(double *);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), 0);
    double *y = x + 1;
    if (x == y) return;
    y = where(x);
    y[0] = 1;
}
""",
        """
#pragma omp requires unified_shared_memory
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), 0);
    x[0] = 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_get_initial_device(void);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), omp_get_initial_device());
    x[0] = 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
int omp_get_initial_device(void);
int main(void) {
    int host = omp_get_initial_device(), *p = omp_target_alloc(40, host);
    p[0] = 1;
    omp_target_free(p, host);
    return 0;
}
""",
    ),
    check=check,
)
