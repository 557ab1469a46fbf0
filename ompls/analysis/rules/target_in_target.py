"""A device construct in a target region."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import Placed, placed
from ompls.analysis.spec.nesting import DEVICE_DATA


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        directive = place.stmt.directive
        name = "target" if "target" in directive.constructs else directive.name
        if name not in DEVICE_DATA or _goes_back(place) or place.opaque or not directive.decided:
            continue
        outer = next((s.directive for s in place.around if "target" in s.directive.constructs), None)
        if outer is not None:
            message = f"`{directive.name}` in a target region: what a device does with it is unspecified"
            yield Finding(directive.name_span, message, "warning", ((outer.name_span, "the target region"),))


def _goes_back(place: Placed) -> bool:
    """`device(ancestor: 1)` runs the inner region on the host again."""
    device = place.stmt.directive.clause("device")
    return device is not None and device.keyword == "ancestor"


RULE = Rule(
    id="target-in-target",
    severity="warning",
    title="A device construct in a target region",
    why="""
A device starts no kernels and keeps no present table: what `target`, `target data`, `target enter data`, `target exit
data` and `target update` do in a target region is not specified. Only `target device(ancestor: 1)` is, with `requires
reverse_offload`: it runs on the host.
""",
    section="17.1",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        #pragma omp target teams distribute parallel for
        //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: `target teams distribute parallel for` in a target region: what a device does with it is unspecified
        for (int i = 0; i < n; i++) x[i] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        x[i] = 1;
        if (i == 0) {
            #pragma omp target update from(x[0:n])
            //          ^^^^^^^^^^^^^ warning: `target update` in a target region: what a device does with it is unspecified
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target
    {
        #pragma omp target data map(tofrom: x[0:n])
        //          ^^^^^^^^^^^ warning: `target data` in a target region: what a device does with it is unspecified
        x[0] = n;
    }
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma omp target
        x[0] = n;
        #pragma omp target update from(x[0:n])
    }
}
""",
        """
#pragma omp requires reverse_offload
void f(int n) {
    #pragma omp target
    {
        #pragma omp target device(ancestor: 1) map(tofrom: n)
        n++;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp target map(tofrom: x[i:1])
        x[i] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp task
    {
        #pragma omp target enter data map(to: x[0:n])
        #pragma omp target
        x[0] = n;
        #pragma omp target exit data map(from: x[0:n])
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        #pragma omp parallel for
        for (int i = 0; i < n; i++) x[i] = 0;
        #pragma omp task
        x[0] = 1;
    }
    #pragma omp target update from(x[0:n])
}
""",
    ),
    check=check,
)
