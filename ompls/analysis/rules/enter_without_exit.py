"""Data that enter a device data environment and never leave it.

At the end of a program the system takes everything back, so it is a hint.  Certain is a function that returns before
the `target exit data` with which it ends: each such call leaves something behind.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import LeftOut, NeverLeft
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, NeverLeft):
        message = f"`{found.event.name}` is still mapped when the program ends: no `target exit data` follows"
        yield finding(found, message, "hint")
    for found in certain(scene, LeftOut):
        message = (
            f"`{found.event.name}` stays mapped when the function returns here: its `target exit data` comes later"
        )
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="enter-without-exit",
    group="mapping",
    severity="hint",
    title="Data enter a device data environment and never leave it",
    why="""
`target enter data` keeps its data on the device until a `target exit data`. Without one the device memory stays in use up to the end of the program, and results do not come back.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
int x[100];
int main(void) {
    #pragma omp target enter data map(to: x)
    //                                    ^ hint: `x` is still mapped when the program ends: no `target exit data` follows
    #pragma omp target
    x[0] = 1;
    return 0;
}
""",
        """
void *malloc(unsigned long);
static void upload(double *p, int n) {
    #pragma omp target enter data map(to: p[0:n])
    //                                    ^^^^^^ hint: `x` is still mapped when the program ends: no `target exit data` follows
}
int main(void) {
    double *x = malloc(80);
    for (int i = 0; i < 10; i++) x[i] = i;
    upload(x, 10);
    return 0;
}
""",
        """
int process(float *x, int n, float limit) {
    float top = 0;
    #pragma omp target enter data map(to: x[0:n])
    #pragma omp target teams distribute parallel for map(tofrom: top) reduction(max: top)
    for (int i = 0; i < n; i++)
        if (x[i] > top)
            top = x[i];
    if (top > limit)
        return -1;
    //  ^^^^^^^^^^ warning: `x` stays mapped when the function returns here: its `target exit data` comes later
    #pragma omp target exit data map(from: x[0:n])
    return 0;
}
""",
    ),
    good=(
        """
int x[100];
int main(void) {
    #pragma omp target enter data map(to: x)
    #pragma omp target
    x[0] = 1;
    #pragma omp target exit data map(from: x)
    return x[0];
}
""",
        """
void upload(double *p, int n) {
    #pragma omp target enter data map(to: p[0:n])
}
""",
        """
int x[100];
int main(int argc, char **argv) {
    if (argc > 1) {
        #pragma omp target enter data map(to: x)
    }
    return 0;
}
""",
        """
int x[100];
int main(void) {
    #pragma omp target data map(to: x)
    {
        #pragma omp target
        x[0] = 1;
    }
    return 0;
}
""",
        """
void finish(void);
int x[100];
int main(void) {
    #pragma omp target enter data map(to: x)
    finish();
    return 0;
}
""",
        """
static int ready;
int start(float *x, int n, int ok) {
    #pragma omp target enter data map(to: x[0:n])
    if (!ok) {
        #pragma omp target exit data map(release: x[0:n])
        return -1;
    }
    ready = 1;
    return 0;
}
""",
        """
int once(float *x, int n, int ok) {
    if (!ok)
        return -1;
    #pragma omp target enter data map(to: x[0:n])
    if (n > 5)
        goto out;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] += 1;
out:;
    #pragma omp target exit data map(from: x[0:n])
    return 0;
}
""",
    ),
    check=check,
)
