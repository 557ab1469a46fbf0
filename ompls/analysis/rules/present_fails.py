"""A `present` modifier for something that is not on the device.

Certain when nothing has mapped it on any path.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import PresentFails
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, PresentFails):
        message = f"`{found.event.name}` is not mapped when this is reached: the program stops here"
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="present-fails",
    group="mapping",
    severity="warning",
    title="A `present` modifier for data that are not present",
    why="""
`map(present, …)` asks that the data are on the device already, and stops the program when they are not.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target map(present, tofrom: x)
    //                                      ^ warning: `x` is not mapped when this is reached: the program stops here
    x[0] = 2;
    return x[0];
}
""",
        """
static void step(int *x) {
    #pragma omp target map(present, alloc: x[0:10])
    //                                     ^^^^^^^ warning: `x[0:10]` is not mapped when this is reached: the program stops here
    x[0] = 2;
}
int main(void) {
    int x[10] = {1};
    for (int k = 0; k < 3; k++) {
        #pragma omp target enter data map(to: x)
        #pragma omp target exit data map(from: x)
        step(x);
    }
    return x[0];
}
""",
    ),
    good=(
        """
int main(void) {
    int x[10] = {1};
    #pragma omp target data map(tofrom: x)
    {
        #pragma omp target map(present, tofrom: x)
        x[0] = 2;
    }
    return x[0];
}
""",
        """
void step(int *x) {
    #pragma omp target map(present, alloc: x[0:10])
    x[0] = 2;
}
""",
        """
void upload(int *);
int main(void) {
    int x[10] = {1};
    upload(x);
    #pragma omp target map(present, tofrom: x)
    x[0] = 2;
    return x[0];
}
""",
        """
#pragma omp declare target
int x[10];
#pragma omp end declare target
int main(void) {
    #pragma omp target map(present, tofrom: x)
    x[0] = 2;
    return x[0];
}
""",
        """
int main(int argc, char **argv) {
    int x[10] = {1};
    #pragma omp target enter data map(to: x) if(argc > 1)
    #pragma omp target map(present, tofrom: x) if(argc > 1)
    x[0] = 2;
    return x[0];
}
""",
    ),
    check=check,
)
