"""`is_device_ptr` for a pointer that holds a host address.

Certain when the pointer can only hold the address of an allocation or a variable of the host.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import HostPointer
from ompls.analysis.model.ast import Span
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, list_item_at, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, HostPointer):
        message = (
            f"`{found.event.name}` holds a host address: `is_device_ptr` hands it to the device as it is;"
            " map what it points to instead"
        )
        if found.event.how == "use_device_addr":
            message = (
                f"`use_device_addr` is about the pointer `{found.event.name}` itself, which is not mapped: the address of"
                " what it points to is `use_device_ptr`'s"
            )
            yield finding(found, message, "hint", *_as_pointer(scene, found.event.site.span))
            continue
        if found.event.how == "use_device_ptr":
            message = (
                f"what `{found.event.name}` points to is not mapped here: `use_device_ptr` finds no device address;"
                " map it here or around"
            )
        elif found.event.how:
            message = (
                f"`{found.event.name}` is the host's variable here: `has_device_addr` translates nothing;"
                " map it instead, or take its address by `use_device_addr`"
            )
        yield finding(found, message, severity_of(found, scene))


def _as_pointer(scene: Scene, span: Span) -> tuple[Change, ...]:
    """The fix that takes the other clause, of a pointer that stands there alone."""
    found = list_item_at(scene, span)
    if found is None or len(found[1].items) > 1:
        return ()
    start = found[1].span.start
    end = start + len("use_device_addr")
    return (Change("Take `use_device_ptr`", Span(start, end), "use_device_ptr", safe=False),)


RULE = Rule(
    id="host-pointer-as-device",
    group="mapping",
    severity="warning",
    title="`is_device_ptr` for a host pointer",
    why="""
`is_device_ptr(p)` says that `p` holds a device address, from `omp_target_alloc` or inside of `use_device_ptr`. Nothing is translated: with a host address, the device
accesses memory that it does not have. Map what the pointer points to, or get its device address first.

`use_device_addr(p)` gives the device's copy of the variable `p`, and a section of it (`use_device_addr(p[0:n])`) that of the elements;
`map(p[0:n])` maps no variable `p`. It is a hint, as a program may not need the clause at all.
""",
    section="5.4.7",
    about="events",
    bad=(
        """
void *malloc(unsigned long);
void scale(double *, int);
int main(void) {
    double *p = malloc(80);
    for (int i = 0; i < 10; i++) p[i] = i;
    #pragma omp target data use_device_ptr(p)
    //                                     ^ warning: what `p` points to is not mapped here: `use_device_ptr` finds no device address; map it here or around
    scale(p, 10);
    return p[0] > 0;
}
""",
        """
void *malloc(unsigned long);
int main(void) {
    int *p = malloc(40);
    #pragma omp target data map(from: p[0:10])
    {
        #pragma omp target is_device_ptr(p)
    //                                   ^ warning: `p` holds a host address: `is_device_ptr` hands it to the device as it is; map what it points to instead
        p[0] = 1;
    }
    return p[0];
}
""",
        """
static void kernel(float *p, int n) {
    #pragma omp target teams distribute parallel for is_device_ptr(p)
    //                                                             ^ warning: `p` holds a host address: `is_device_ptr` hands it to the device as it is; map what it points to instead
    for (int i = 0; i < n; i++)
        p[i] = 1;
}
int main(void) {
    float data[100];
    for (int k = 0; k < 3; k++)
        kernel(data, 100);
    return 0;
}
""",
        """
int main(void) {
    int v[20] = {0};
    #pragma omp target data map(tofrom: v)
    #pragma omp target has_device_addr(v)
    //                                 ^ warning: `v` is the host's variable here: `has_device_addr` translates nothing; map it instead, or take its address by `use_device_addr`
    v[0] = 1;
    return v[0];
}
""",
        """
void *malloc(unsigned long);
int main(void) {
    int *p = malloc(40);
    #pragma omp target data map(from: p[0:10]) use_device_addr(p)
    //                                                         ^ hint: `use_device_addr` is about the pointer `p` itself, which is not mapped: the address of what it points to is `use_device_ptr`'s
    {
        #pragma omp target is_device_ptr(p)
        p[0] = 1;
    }
    return p[0];
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
int main(void) {
    int *p = malloc(40), *q = malloc(40);
    #pragma omp target data map(from: p[0:10]) use_device_addr(p[0:10])
    #pragma omp target has_device_addr(p[0:10])
    p[0] = 1;
    #pragma omp target data map(to: q) map(from: q[0:10]) use_device_addr(q)
    #pragma omp target has_device_addr(q)
    q[0] = 1;
    return p[0] + q[0];
}
""",
        """
void *malloc(unsigned long);
int main(void) {
    int *p = malloc(40);
    #pragma omp target data map(from: p[0:10]) use_device_ptr(p)
    {
        #pragma omp target is_device_ptr(p)
        p[0] = 1;
    }
    return p[0];
}
""",
        """
void *omp_target_alloc(unsigned long, int);
int main(void) {
    int *p = omp_target_alloc(40, 0);
    #pragma omp target is_device_ptr(p)
    p[0] = 1;
    return 0;
}
""",
        """
void kernel(float *p, int n) {
    #pragma omp target is_device_ptr(p)
    p[0] = n;
}
""",
        """
void *omp_get_mapped_ptr(const void *, int);
int main(void) {
    int a[10] = {1}, *p;
    #pragma omp target data map(tofrom: a)
    {
        p = omp_get_mapped_ptr(a, 0);
        #pragma omp target is_device_ptr(p)
        p[0] = 1;
    }
    return a[0];
}
""",
        """
#pragma omp requires unified_shared_memory
void *malloc(unsigned long);
int main(void) {
    int *p = malloc(40);
    #pragma omp target is_device_ptr(p)
    p[0] = 1;
    return p[0];
}
""",
        """
void *malloc(unsigned long);
void *omp_target_alloc(unsigned long, int);
int f(int on_host) {
    int *p = on_host ? malloc(40) : omp_target_alloc(40, 0);
    #pragma omp target is_device_ptr(p)
    p[0] = 1;
    return 0;
}
""",
        """
int main(void) {
    int v[20] = {0};
    #pragma omp target data map(tofrom: v) use_device_addr(v)
    #pragma omp target has_device_addr(v)
    v[0] = 1;
    return v[0];
}
""",
        """
static int table[20];
#pragma omp declare target to(table)
void kernel(int v[20]) {
    #pragma omp target has_device_addr(v, table)
    v[0] = table[1];
}
""",
    ),
    check=check,
)
