"""`target exit data` for something that is not on the device.

Certain when nothing has mapped it on any path. A release in a list with other items
that are present is a hint: programs list everything that may be there when they clean up.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import ExitAbsent
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, finding, list_item_at, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    # other map types are no way to leave: `map-type` says so
    absent = [f for f in events(scene, ExitAbsent) if f.event.certainty == "certain" and f.event.how in _DOES]
    spans = {f.event.site.span for f in absent}
    for found in absent:
        message = f"`{found.event.name}` is not mapped here, so there is nothing to {_DOES[found.event.how]}"
        item = list_item_at(scene, found.event.site.span)
        # Programs list everything that may be there when they clean up.
        some = item is not None and any(i.span not in spans for c in item[0].all("map") for i in c.items)
        hint = some and found.event.how in ("release", "delete")
        yield finding(found, message, "hint" if hint else severity_of(found, scene))


_DOES = {"from": "copy back", "tofrom": "copy back", "release": "release", "storage": "release", "delete": "delete"}


RULE = Rule(
    id="exit-of-absent",
    group="mapping",
    severity="warning",
    title="Data that are not mapped leave a device data environment",
    why="""
`target exit data` does nothing for data that are not present: they were never mapped, were mapped on another device, or have left already. With `from`, the
results that the program waits for do not come. There is no quick fix: an `enter data` may be missing, or this line one too many.
""",
    section="5.8.3",
    bad=(
        """
int main(void) {
    int x[100] = {1};
    #pragma omp target map(alloc: x)
    x[0] = 1;
    #pragma omp target exit data map(from: x)
    //                                     ^ warning: `x` is not mapped here, so there is nothing to copy back
    return x[0];
}
""",
        """
static void finish(double *x, int n) {
    #pragma omp target exit data map(from: x[0:n])
    //                                     ^^^^^^ warning: `x[0:n]` is not mapped here, so there is nothing to copy back
}
int main(void) {
    double x[100] = {1};
    #pragma omp target enter data map(to: x)
    finish(x, 100);
    finish(x, 100);
    return x[0] > 0;
}
""",
        """
int main(void) {
    int x[100] = {1};
    #pragma omp target enter data map(to: x)
    #pragma omp target exit data map(delete: x)
    #pragma omp target exit data map(release: x)
    //                                        ^ warning: `x` is not mapped here, so there is nothing to release
    return x[0];
}
""",
    ),
    good=(
        """
int main(void) {
    int x[100] = {1};
    #pragma omp target enter data map(to: x)
    #pragma omp target exit data map(from: x)
    return x[0];
}
""",
        """
int main(void) {
    int x[100] = {1};
    #pragma omp target enter data map(to: x)
    #pragma omp target enter data map(to: x)
    #pragma omp target exit data map(from: x)
    #pragma omp target exit data map(from: x)
    return x[0];
}
""",
        """
void finish(double *x, int n) {
    #pragma omp target exit data map(from: x[0:n])
}
""",
        """
int f(int flag) {
    int x[100] = {1};
    if (flag) {
        #pragma omp target enter data map(to: x)
    }
    if (flag) {
        #pragma omp target exit data map(from: x)
    }
    return x[0];
}
""",
        """
void upload(int *);
int f(void) {
    int x[100] = {1};
    upload(x);
    #pragma omp target exit data map(from: x)
    return x[0];
}
""",
        """
#pragma omp declare target
int x[100];
#pragma omp end declare target
int main(void) {
    #pragma omp target exit data map(release: x)
    return x[0];
}
""",
    ),
    check=check,
)
