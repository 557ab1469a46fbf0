"""A map clause for memory that lies on the device.

Certain when the pointer can only hold a device address.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import MapsDeviceMemory
from ompls.analysis.model.ast import Name, Section, Span
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, list_item_at, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, MapsDeviceMemory):
        by = found.event.how or "is_device_ptr"
        message = f"`{found.event.name}` is memory of the device: it is not mapped but passed with `{by}`"
        fix = _passed(scene, found.event.site.span) if by == "is_device_ptr" else ()
        yield finding(found, message, severity_of(found, scene), *fix)


def _passed(scene: Scene, span: Span) -> tuple[Change, ...]:
    """The fix that passes the pointer to the region in place of its `map` clause, or of its list item."""
    found = list_item_at(scene, span)
    base = found[2].expr.base if found is not None and isinstance(found[2].expr, Section) else None
    if found is None or not isinstance(base, Name) or "data" in found[0].name:
        return ()
    items = found[1].items
    rest = [item for item in items if item is not found[2]]
    kept = f"{', '.join(item.text for item in rest)}) " if rest else ""
    where = Span(items[0].span.start if rest else found[1].span.start, found[1].span.end)
    quotes = tuple([(item.text, item.span) for item in rest])
    title = f"Pass `{base.name}` with `is_device_ptr`"
    return (Change(title, where, f"{kept}is_device_ptr({base.name})", quotes=quotes),)


RULE = Rule(
    id="device-memory-mapped",
    group="mapping",
    severity="warning",
    title="Device memory is mapped as if it were host memory",
    why="""
A pointer from `omp_target_alloc`, or one inside of `use_device_ptr`, holds a device address. A map clause takes it for a host address: it copies from an address that the host does not have.
Such a pointer goes into the region with `is_device_ptr(p)`.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
int main(void) {
    int a[10] = {0};
    #pragma omp target data map(tofrom: a) use_device_addr(a)
    {
        #pragma omp target
    //              ^^^^^^ warning: `a` is memory of the device: it is not mapped but passed with `has_device_addr`
        a[0] = 1;
    }
    return a[0];
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), 0);
    #pragma omp target map(tofrom: x[0:n])
    //                             ^^^^^^ warning: `x[0:n]` is memory of the device: it is not mapped but passed with `is_device_ptr`
    x[0] = 1;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
static void step(double *x, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    //                                                           ^^^^^^ warning: `x[0:n]` is memory of the device: it is not mapped but passed with `is_device_ptr`
    for (int i = 0; i < n; i++)
        x[i] = i;
}
int main(void) {
    double *x = omp_target_alloc(80, 0);
    for (int k = 0; k < 10; k++)
        step(x, 10);
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
    x[0] = 1;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] = 1;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void *malloc(unsigned long);
void f(int n, int on_device) {
    double *x = on_device ? omp_target_alloc(n, 0) : malloc(n);
    #pragma omp target map(tofrom: x[0:n])
    x[0] = 1;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), 0);
    #pragma omp target map(to: x)
    x[0] = 1;
}
""",
        """
void library(double *, int);
void f(int n, double *x) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma omp target data use_device_ptr(x)
        library(x, n);
        #pragma omp target map(tofrom: x[0:n])
        x[0] = 1;
    }
}
""",
    ),
    check=check,
)
