"""`requires` after a construct that it should have spoken for."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """Certain: the directive says something about devices, and a device construct stands before it in the text."""
    for directive in scene.directives:
        if directive in scene.unit.late_requires:
            message = "`requires` must stand before the first device construct: what is above does not know of it"
            yield Finding(directive.name_span, message, "error")


RULE = Rule(
    id="late-requires",
    severity="error",
    group="structure",
    title="`requires` after a device construct",
    why="""
`requires` changes how target regions are compiled: with `unified_shared_memory` nothing is copied. The compiler has to know before
it meets the first device construct, so the directive belongs to the top of the file, in every file of the program.
""",
    section="8.2",
    about="directives",
    bad=(
        """
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] = n;
}
#pragma omp requires unified_shared_memory
//          ^^^^^^^^ error: `requires` must stand before the first device construct: what is above does not know of it
void g(int n, int *x) {
    #pragma omp target
    x[0] = n;
}
""",
        """
void f(int n, int *x) {
    for (int i = 0; i < n; i++) {
        #pragma omp target update to(x[0:n])
    }
}
#pragma omp requires reverse_offload, unified_address
//          ^^^^^^^^ error: `requires` must stand before the first device construct: what is above does not know of it
""",
    ),
    good=(
        """
#pragma omp requires unified_shared_memory
void f(int n, int *x) {
    #pragma omp target
    x[0] = n;
}
""",
        """
void f(int n, int *x) {
    #pragma omp parallel
    x[0] = n;
}
#pragma omp requires unified_shared_memory
void g(int n, int *x) {
    #pragma omp target
    x[0] = n;
}
""",
        """
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] = n;
}
#pragma omp requires dynamic_allocators
""",
        """
int g;
#pragma omp declare target enter(g)
#pragma omp requires reverse_offload
void f(void) {
    #pragma omp target
    g++;
}
""",
        """
#pragma omp requires unified_address
#pragma omp requires reverse_offload
void f(int n, int *x) {
    #pragma omp target data map(tofrom: x[0:n])
    x[0] = n;
}
""",
    ),
    check=check,
)
