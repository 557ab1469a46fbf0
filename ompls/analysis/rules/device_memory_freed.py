"""Device memory that is used, or freed again, after `omp_target_free`.

Certain when the pointer can hold nothing but the address of one allocation, which was freed on every path.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import FreedTwice, FreedUsed
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of

_MESSAGES = {
    FreedTwice: "what `{}` points to on the device is freed already",
    FreedUsed: "`{}` points to device memory that has been freed",
}


def check(scene: Scene) -> Iterator[Finding]:
    for kind, message in _MESSAGES.items():
        for found in certain(scene, kind, ""):
            yield finding(found, message.format(found.event.name), severity_of(found, scene))


RULE = Rule(
    id="device-memory-freed",
    group="mapping",
    severity="warning",
    title="Device memory after `omp_target_free`",
    why="""
`omp_target_free(p, dev)` ends what `omp_target_alloc` gave. The address is still in `p`, and a region with `is_device_ptr(p)` accesses what may be somebody else's; a second
`omp_target_free` is an error, too.
""",
    section="18.8.2",
    about="events",
    bad=(
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
int main(void) {
    int *d = omp_target_alloc(40, 0);
    omp_target_free(d, 0);
    #pragma omp target is_device_ptr(d)
    //                               ^ warning: `d` points to device memory that has been freed
    d[0] = 1;
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
static void drop(float *p) {
    omp_target_free(p, 0);
    //              ^ warning: what `p` points to on the device is freed already
}
int main(void) {
    float *d = omp_target_alloc(400, 0);
    drop(d);
    drop(d);
    return 0;
}
""",
    ),
    good=(
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
int main(void) {
    int *d = omp_target_alloc(40, 0);
    omp_target_free(d, 0);
    d = omp_target_alloc(80, 0);
    #pragma omp target is_device_ptr(d)
    d[0] = 1;
    omp_target_free(d, 0);
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
int main(void) {
    for (int i = 0; i < 5; i++) {
        int *d = omp_target_alloc(40, 0);
        #pragma omp target is_device_ptr(d)
        d[0] = i;
        omp_target_free(d, 0);
    }
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
void f(int n) {
    int *d = omp_target_alloc(40, 0);
    if (n > 7) {
        omp_target_free(d, 0);
        return;
    }
    #pragma omp target is_device_ptr(d)
    d[0] = n;
    omp_target_free(d, 0);
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
void f(int n) {
    int *d[4];
    for (int i = 0; i < 4; i++)
        d[i] = omp_target_alloc(40, 0);
    for (int i = 0; i < 4; i++)
        omp_target_free(d[i], 0);
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
static int *d;
void drop(void) {
    if (d)
        omp_target_free(d, 0);
    d = 0;
}
int main(void) {
    d = omp_target_alloc(40, 0);
    drop();
    drop();
    return 0;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void omp_target_free(void *, int);
void f(int *p, int *q) {
    omp_target_free(p, 0);
    omp_target_free(q, 0);
}
int main(void) {
    int *a = omp_target_alloc(40, 0), *b = omp_target_alloc(40, 0);
    f(a, b);
    return 0;
}
""",
    ),
    check=check,
)
