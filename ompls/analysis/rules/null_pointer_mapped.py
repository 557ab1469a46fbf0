"""A section of a null pointer is mapped.

Certain when nothing has been assigned to the pointer on any path, or NULL has.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import MapsNull
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, MapsNull):
        message = f"the pointer in `{found.event.name}` is null here"
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="null-pointer-mapped",
    group="mapping",
    severity="warning",
    title="A section of a null pointer is mapped",
    why="""
A pointer at file scope is null until something is assigned to it. Mapping a section of it copies from address 0.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
float *data;
int main(void) {
    #pragma omp target map(tofrom: data[0:10])
    //                             ^^^^^^^^^^ warning: the pointer in `data[0:10]` is null here
    data[0] = 1;
    return 0;
}
""",
        """
void *malloc(unsigned long);
float *source, *result;
static void prepare(void) {
    source = malloc(40);
}
static void step(int k) {
    #pragma omp target map(to: source[0:10]) map(from: result[0:10])
    //                                                 ^^^^^^^^^^^^ warning: the pointer in `result[0:10]` is null here
    result[0] = k;
}
int main(void) {
    prepare();
    for (int k = 0; k < 3; k++)
        step(k);
    return 0;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
float *data;
static void prepare(void) {
    data = malloc(40);
}
int main(void) {
    prepare();
    #pragma omp target map(from: data[0:10])
    data[0] = 1;
    return 0;
}
""",
        """
float *data;
void step(void) {
    #pragma omp target map(tofrom: data[0:10])
    data[0] = 1;
}
""",
        """
extern float *data;
int main(void) {
    #pragma omp target map(tofrom: data[0:10])
    data[0] = 1;
    return 0;
}
""",
        """
float *data;
void prepare(float **);
int main(void) {
    prepare(&data);
    #pragma omp target map(tofrom: data[0:10])
    data[0] = 1;
    return 0;
}
""",
        """
void *malloc(unsigned long);
int main(int count, char **arguments) {
    float *data = 0;
    if (**arguments == '/')
        data = malloc(40);
    #pragma omp target map(from: data[0:10])
    data[0] = 1;
    return 0;
}
""",
    ),
    check=check,
)
