"""`target update` for something that is not on the device.

Certain when nothing has mapped it on any path, and the program never asks whether it is present.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import UpdateAbsent
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, UpdateAbsent):
        message = f"`{found.event.name}` is not mapped here, so there is nothing to update"
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="update-of-absent",
    group="mapping",
    severity="warning",
    title="`target update` of data that are not mapped",
    why="""
`target update` copies between the host and an existing copy on the device. Without one it does nothing: the motion that the program needs does not happen.
There is no quick fix: the data may have to be mapped before, or the update to be left out.
""",
    section="13.8",
    about="events",
    bad=(
        """
int main(void) {
    int x[100] = {1};
    #pragma omp target map(tofrom: x)
    x[0] = 1;
    #pragma omp target update from(x)
    //                             ^ warning: `x` is not mapped here, so there is nothing to update
    return x[0];
}
""",
        """
static void refresh(double *x, int n) {
    #pragma omp target update to(x[0:n])
    //                           ^^^^^^ warning: `x[0:n]` is not mapped here, so there is nothing to update
}
int main(void) {
    double x[100] = {1};
    for (int k = 0; k < 3; k++)
        refresh(x, 100);
    return 0;
}
""",
    ),
    good=(
        """
int main(void) {
    int x[100] = {1};
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target
        x[0] = 1;
        #pragma omp target update from(x)
    }
    return x[0];
}
""",
        """
void refresh(double *x, int n) {
    #pragma omp target update to(x[0:n])
}
""",
        """
int omp_target_is_present(const void *, int);
int main(void) {
    int x[100] = {1};
    #pragma omp target update to(x)
    return omp_target_is_present(x, 0);
}
""",
        """
#pragma omp declare target
int x[100];
#pragma omp end declare target
int main(void) {
    #pragma omp target update to(x)
    return x[0];
}
""",
        """
void upload(int *);
int main(void) {
    int x[100] = {1};
    upload(x);
    #pragma omp target update from(x[0:50])
    return x[0];
}
""",
        """
int main(int argc, char **argv) {
    int x[100] = {1};
    #pragma omp target enter data map(to: x) if(argc > 1)
    #pragma omp target update from(x) if(argc > 1)
    return x[0];
}
""",
    ),
    check=check,
)
