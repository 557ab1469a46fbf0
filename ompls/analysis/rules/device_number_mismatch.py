"""`omp_target_memcpy` with the host's number for a device address, or a device's for a host address.

Certain when the pointer can only hold what `omp_target_alloc` gave (or only storage of the host), and the number is the
one of the other side: a constant, the default device, or what `omp_get_initial_device` returns.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import WrongSide
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, WrongSide):
        held, said = ("device", "the host's") if found.event.how == "device" else ("host", "a device's")
        message = f"`{found.event.name}` holds a {held} address, but the device number given for it is {said}"
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="device-number-mismatch",
    group="mapping",
    severity="warning",
    title="The device number of an address is that of the other side",
    why="""
`omp_target_memcpy(dst, src, length, dst_offset, src_offset, dst_device, src_device)` names the destination first, in the addresses as in the device numbers. With the numbers the other way
round the device is asked to reach the host's memory.
""",
    section="18.8.5",
    about="events",
    bad=(
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void), omp_get_default_device(void);
void f(double *x) {
    int host = omp_get_initial_device(), dev = omp_get_default_device();
    double *d = omp_target_alloc(80, dev);
    omp_target_memcpy(d, x, 80, 0, 0, host, dev);
    //                ^ warning: `d` holds a device address, but the device number given for it is the host's
}
""",
        """
void *malloc(unsigned long), *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
int main(void) {
    int *x = malloc(40), *d = omp_target_alloc(40, 0);
    omp_target_memcpy(x, d, 40, 0, 0, 0, 0);
    //                ^ warning: `x` holds a host address, but the device number given for it is a device's
    return x[0];
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
static void send(float *to, const float *from, int n) {
    omp_target_memcpy(to, from, n * sizeof(float), 0, 0, omp_get_initial_device(), 0);
    //                ^^ warning: `to` holds a device address, but the device number given for it is the host's
    //                    ^^^^ warning: `from` holds a host address, but the device number given for it is a device's
}
int main(void) {
    float values[10] = {0};
    send(omp_target_alloc(sizeof values, 0), values, 10);
    return 0;
}
""",
    ),
    good=(
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void), omp_get_default_device(void);
void f(double *x) {
    int host = omp_get_initial_device(), dev = omp_get_default_device();
    double *d = omp_target_alloc(80, dev);
    omp_target_memcpy(d, x, 80, 0, 0, dev, host);
    omp_target_memcpy(x, d, 80, 0, 0, host, dev);
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
void f(void) {
    double *a = omp_target_alloc(80, 0), *b = omp_target_alloc(80, 1);
    omp_target_memcpy(b, a, 80, 0, 0, 1, 0);
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
void f(double *x, int dev) {
    double *d = omp_target_alloc(80, dev);
    omp_target_memcpy(d, x, 80, 0, 0, dev, omp_get_initial_device());
}
""",
        """
void *malloc(unsigned long), *omp_target_alloc(unsigned long, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
int main(void) {
    int host = omp_get_initial_device();
    int *x = malloc(40), *y = omp_target_alloc(40, host);
    omp_target_memcpy(y, x, 40, 0, 0, host, host);
    return 0;
}
""",
        """
void *omp_get_mapped_ptr(const void *, int);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
int main(void) {
    double x[10], y[10] = {0};
    #pragma omp target data map(from: x)
    omp_target_memcpy(omp_get_mapped_ptr(x, 0), y, sizeof y, 0, 0, 0, omp_get_initial_device());
    return (int)x[0];
}
""",
        """
#pragma omp requires unified_shared_memory
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int main(void) {
    double x[10], y[10] = {0};
    return omp_target_memcpy(x, y, sizeof y, 0, 0, 0, 0);
}
""",
    ),
    check=check,
)
