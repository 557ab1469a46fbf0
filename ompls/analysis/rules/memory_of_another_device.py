"""A device's address that another device gets.

Certain when the pointer can hold nothing but what `omp_target_alloc` gave for another device, or what `use_device_ptr` gave in a
`target data` construct for another one. Where a construct runs on the default device, which the environment chooses, it is a hint.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import OtherDevice
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, finding, severity_of

_MESSAGES = {
    "used": "`{}` holds an address of another device than the one that this region runs on",
    "copied": "`{}` holds an address of another device than the one that is given for it",
    "freed": "`{}` holds an address of another device than the one that is to free it",
}


def check(scene: Scene) -> Iterator[Finding]:
    for found in events(scene, OtherDevice):
        message = _MESSAGES[found.event.how].format(found.event.name)
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="memory-of-another-device",
    group="mapping",
    severity="warning",
    title="An address of one device is used on another",
    why="""
`omp_target_alloc(size, 0)` gives memory of device 0. Another device cannot use the address, unless the devices share memory: a region with `device(1) is_device_ptr(p)` accesses whatever
device 1 has at that address. To bring data from one to the other, copy them with `omp_target_memcpy`.
""",
    section="18.8.1",
    about="events",
    bad=(
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
int main(void) {
    double *p = omp_target_alloc(800, 0);
    #pragma omp target device(0) is_device_ptr(p)
    p[0] = 1;
    #pragma omp target device(1) is_device_ptr(p)
    //                                         ^ warning: `p` holds an address of another device than the one that this region runs on
    p[1] = 2;
    omp_target_free(p, 1);
    //              ^ warning: `p` holds an address of another device than the one that is to free it
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
void copy(int first) {
    int second = first + 1;
    double *a = omp_target_alloc(800, first), *b = omp_target_alloc(800, second);
    #pragma omp target device(first) is_device_ptr(a)
    a[0] = 1;
    omp_target_memcpy(b, a, 800, 0, 0, first, second);
    //                   ^ warning: `a` holds an address of another device than the one that is given for it
    //                ^ warning: `b` holds an address of another device than the one that is given for it
}
""",
        """
void *omp_target_alloc(unsigned long, int);
static void fill(double *p, int n, int device) {
    #pragma omp target teams distribute parallel for device(device)
    for (int i = 0; i < n; i++)
        p[i] = i;
    //  ^^^^ warning: `p` holds an address of another device than the one that this region runs on
}
int main(void) {
    fill(omp_target_alloc(800, 2), 100, 1);
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int main(void) {
    int *p = omp_target_alloc(40, 1);
    #pragma omp target is_device_ptr(p)
    //                               ^ hint: `p` holds an address of another device than the one that this region runs on
    p[0] = 1;
    return 0;
}
""",
        """
int f(int *x) {
    #pragma omp target data map(tofrom: x[0:10]) use_device_ptr(x) device(0)
    {
        #pragma omp target is_device_ptr(x) device(1)
        //                               ^ warning: `x` holds an address of another device than the one that this region runs on
        x[0] = 1;
    }
    return x[0];
}
""",
    ),
    good=(
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
int omp_get_num_devices(void);
int main(void) {
    double *p[8];
    int n = omp_get_num_devices();
    for (int d = 0; d < n; d++)
        p[d] = omp_target_alloc(800, d);
    for (int d = 0; d < n; d++) {
        double *mine = p[d];
        #pragma omp target device(d) is_device_ptr(mine)
        mine[0] = 1;
    }
    for (int d = 0; d < n; d++)
        omp_target_free(p[d], d);
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_get_default_device(void);
int main(void) {
    int dev = omp_get_default_device();
    double *p = omp_target_alloc(800, dev);
    #pragma omp target is_device_ptr(p)
    p[0] = 1;
    #pragma omp target is_device_ptr(p) device(dev)
    p[1] = 1;
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int main(void) {
    double *p = omp_target_alloc(800, 0);
    #pragma omp target device(0) is_device_ptr(p)
    p[0] = 1;
    p = omp_target_alloc(800, 1);
    #pragma omp target device(1) is_device_ptr(p)
    p[0] = 1;
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
double f(double *x) {
    double *a = omp_target_alloc(800, 0), *b = omp_target_alloc(800, 1);
    omp_target_memcpy(a, x, 800, 0, 0, 0, omp_get_initial_device());
    omp_target_memcpy(b, a, 800, 0, 0, 1, 0);
    omp_target_memcpy(x, b, 800, 0, 0, omp_get_initial_device(), 1);
    return x[0];
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *before = 0;
    for (int d = 0; d < n; d++) {
        double *p = omp_target_alloc(800, d);
        if (before) {
            #pragma omp target device(d - 1) is_device_ptr(before)
            before[0] = 1;
        }
        before = p;
    }
}
""",
        """
#pragma omp requires unified_shared_memory
void *omp_target_alloc(unsigned long, int);
int main(void) {
    double *p = omp_target_alloc(800, 0);
    #pragma omp target device(1) is_device_ptr(p)
    p[0] = 1;
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void omp_set_default_device(int);
int main(void) {
    double *p = omp_target_alloc(800, 1);
    omp_set_default_device(1);
    #pragma omp target is_device_ptr(p)
    p[0] = 1;
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int d, int which) {
    double *p = omp_target_alloc(800, d), *q = omp_target_alloc(800, 0);
    double *r = which ? p : q;
    #pragma omp target device(1) is_device_ptr(p, r)
    p[0] = r[0] = 1;
}
""",
    ),
    check=check,
)
