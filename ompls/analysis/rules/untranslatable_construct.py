"""What the translator refuses: `cli/refusals.py` adds it to what `check` says, `translate/` says it itself."""

from __future__ import annotations

from ompls.analysis.rules.support.framework import Rule, said_elsewhere

RULE = Rule(
    id="untranslatable-construct",
    severity="warning",
    group="device-limits",
    title="Something that cannot be translated for the device",
    why="""
`ompls preview`, `translate` and `run` refuse a region that they cannot translate, with this name and the reason; nothing is ever
left out instead. `ompls check` says it, too, where a device was chosen with `--device` or in the project file, of what no rule
about the device's limits says.
""",
    section="none",
    bad=(
        """
void f(int n, int *a) {
    #pragma omp target parallel for map(tofrom: a[0:n])
    for (double d = 0; d < n; d++) a[0] = d;
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: a loop over 'd' cannot be translated for cuda: its counter is neither an integer nor a pointer
}
""",
    ),
    good=(
        """
void f(int n, int *a) {
    #pragma omp target parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
        """
void f(int n, int *a) {
    for (double d = 0; d < n; d++) a[0] = d;
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
        """
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (double d = 0; d < n; d++) a[0] = d;
}
""",
        """
void f(int n, int *a) {
    #pragma omp target data map(tofrom: a[0:n])
    a[0] = n;
}
""",
    ),
    check=said_elsewhere,
    needs="text",
)
