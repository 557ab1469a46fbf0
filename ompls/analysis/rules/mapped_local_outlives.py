"""A local variable that is still mapped when its function returns.

Certain when on every path an `enter data` of the variable has no `exit data` yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import Outlives
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.leaving import before_return
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, Outlives):
        message = f"`{found.event.name}` is a local variable: it ends with this function, but stays mapped"
        yield finding(found, message, severity_of(found, scene), *before_return(scene, found.event))


RULE = Rule(
    id="mapped-local-outlives",
    group="mapping",
    severity="warning",
    title="A local variable stays mapped when its function returns",
    why="""
The variable is gone when the function returns; its copy on the device is not. The next variable at that address is found to be present: a later map copies nothing
and works on the old data.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
static void prepare(int n) {
    int table[100];
    for (int i = 0; i < 100; i++)
        table[i] = i * n;
    #pragma omp target enter data map(to: table)
    //                                    ^^^^^ warning: `table` is a local variable: it ends with this function, but stays mapped
}
int main(void) {
    prepare(3);
    return 0;
}
""",
        """
static int twice(int n) {
    int value = n;
    #pragma omp target enter data map(to: value)
    //                                    ^^^^^ warning: `value` is a local variable: it ends with this function, but stays mapped
    #pragma omp target
    value *= 2;
    #pragma omp target update from(value)
    return value;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += twice(i);
    return sum;
}
""",
    ),
    good=(
        """
static void prepare(int n) {
    int table[100];
    for (int i = 0; i < 100; i++)
        table[i] = i * n;
    #pragma omp target data map(to: table)
    {
        #pragma omp target
        table[0] = 1;
    }
}
int main(void) {
    prepare(3);
    return 0;
}
""",
        """
static void prepare(int n) {
    static int table[100];
    for (int i = 0; i < 100; i++)
        table[i] = i * n;
    #pragma omp target enter data map(to: table)
}
int main(void) {
    prepare(3);
    return 0;
}
""",
        """
void *malloc(unsigned long);
static int *prepare(int n) {
    int *table = malloc(100 * sizeof(int));
    for (int i = 0; i < 100; i++)
        table[i] = i * n;
    #pragma omp target enter data map(to: table[0:100])
    return table;
}
int main(void) {
    return prepare(3)[0];
}
""",
        """
static void leave(int *p) {
    #pragma omp target exit data map(delete: p[0:100])
}
static void prepare(int n) {
    int table[100];
    for (int i = 0; i < 100; i++)
        table[i] = i * n;
    #pragma omp target enter data map(to: table)
    leave(table);
}
int main(void) {
    prepare(3);
    return 0;
}
""",
        """
static int sum(int n) {
    int table[100] = {0};
    if (n > 50) {
        #pragma omp target enter data map(to: table)
    }
    #pragma omp target map(tofrom: table)
    table[0] = n;
    if (n > 50) {
        #pragma omp target exit data map(delete: table)
    }
    return table[0];
}
int main(int argc, char **argv) {
    return sum(argc);
}
""",
    ),
    check=check,
)
