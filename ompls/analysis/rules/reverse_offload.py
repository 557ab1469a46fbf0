"""`device(ancestor: …)` without what it needs."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.constants import fold
from ompls.analysis.rules.support.framework import Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """`requires` has to be in the unit itself; a header that was not found may have it."""
    for directive in scene.directives:
        for clause in directive.all("device"):
            if clause.keyword != "ancestor" or clause.broken:
                continue
            value = fold(clause.args[0]) if clause.args else None
            if "target" not in directive.constructs:
                yield Finding(clause.span, "`device(ancestor: …)` is for `target` only", "error")
            elif value is not None and value != 1:
                yield Finding(clause.args[0].span, f"`ancestor` takes 1, the device's parent, not {value}", "error")
            elif "reverse_offload" not in scene.unit.told.requires:
                message = "`device(ancestor: 1)` needs `#pragma omp requires reverse_offload` in this file"
                yield Finding(clause.span, message, "error" if scene.unit.complete_headers else "hint")


RULE = Rule(
    id="reverse-offload",
    severity="error",
    group="structure",
    title="`device(ancestor: …)` without `requires reverse_offload`",
    why="""
A region in a target region can go back to the host with `device(ancestor: 1)`. That needs a runtime that listens to its devices,
so the file has to ask for it with `requires reverse_offload`.
""",
    section="13.2",
    about="directives",
    bad=(
        """
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    {
        #pragma omp target device(ancestor: 1) map(always, tofrom: x[0:1])
        //                 ^^^^^^^^^^^^^^^^^^^ error: `device(ancestor: 1)` needs `#pragma omp requires reverse_offload` in this file
        x[0]++;
    }
}
""",
        """
#pragma omp requires reverse_offload
void f(int *x) {
    #pragma omp target device(ancestor: 2)
    //                                  ^ error: `ancestor` takes 1, the device's parent, not 2
    x[0]++;
    #pragma omp target update to(x[0:1]) device(ancestor: 1)
    //                                   ^^^^^^^^^^^^^^^^^^^ error: `device(ancestor: …)` is for `target` only
}
""",
    ),
    good=(
        """
#pragma omp requires reverse_offload
void f(int *x) {
    #pragma omp target device(ancestor: 1) map(tofrom: x[0:1])
    x[0]++;
}
""",
        """
#pragma omp requires unified_shared_memory, reverse_offload
void f(int n, int *x) {
    for (int i = 0; i < n; i++) {
        #pragma omp target device(ancestor: 1)
        x[i]++;
    }
}
""",
        """
void f(int *x) {
    #pragma omp target device(1) map(tofrom: x[0:1])
    x[0]++;
}
""",
        """
void f(int *x, int ancestor) {
    #pragma omp target device(device_num: ancestor) map(tofrom: x[0:1])
    x[0]++;
}
""",
        """
#include "not_here.h"
#pragma omp requires reverse_offload
void f(int d, int *x) {
    #pragma omp target device(ancestor: d)
    x[0]++;
}
""",
    ),
    check=check,
)
