"""A section that overlaps what is mapped already without lying in it.

Decided when one end of the section lies in what is present and the other one certainly does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import Extends, OverPresent
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, Extends):
        message = f"a part of `{found.event.name}` is mapped already, and the section is not inside of that: present storage cannot be extended"
        yield finding(found, message, severity_of(found, scene))
    for found in certain(scene, OverPresent):
        message = f"only a part of `{found.event.name}` is mapped here: the section reaches over what is present"
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="overlapping-section",
    group="mapping",
    severity="warning",
    title="A section is mapped that overlaps present storage",
    why="""
What is present cannot grow: when a part of an array is on the device, a map of a section that holds this part and more is an error (the program stops, or the rest
is not there). Map the largest section first. There is no quick fix: the largest section may be none of those that are written.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
int main(void) {
    static double u[6][8];
    double s = 0;
    for (int t = 0; t < 5; t++) {
        #pragma omp target enter data map(to: u[t:2][0:8])
        //                                    ^^^^^^^^^^^ warning: a part of `u[t:2][0:8]` is mapped already, and the section is not inside of that: present storage cannot be extended
    }
    return s != 0;
}
""",
        """
void f(int n) {
    double x[100];
    #pragma omp target enter data map(alloc: x[0:50])
    #pragma omp target map(from: x[0:100])
    //                           ^^^^^^^^ warning: a part of `x[0:100]` is mapped already, and the section is not inside of that: present storage cannot be extended
    for (int i = 0; i < n; i++)
        x[i] = i;
    #pragma omp target exit data map(delete: x[0:50])
}
""",
        """
static void step(double *x, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    //                                                           ^^^^^^ warning: a part of `x[0:n]` is mapped already, and the section is not inside of that: present storage cannot be extended
    for (int i = 0; i < n; i++)
        x[i] = i;
}
void f(void) {
    double x[100];
    for (int k = 0; k < 3; k++) {
        #pragma omp target data map(from: x[10:50])
        step(x, 40);
    }
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    double *x = malloc(100 * sizeof(double));
    for (int i = 0; i < 100; i++)
        x[i] = i;
    #pragma omp target enter data map(to: x[0:50])
    #pragma omp target update to(x[40:20])
    //                           ^^^^^^^^ warning: only a part of `x[40:20]` is mapped here: the section reaches over what is present
    #pragma omp target exit data map(from: x[0:100])
    //                                     ^^^^^^^^ warning: only a part of `x[0:100]` is mapped here: the section reaches over what is present
    free(x);
    return 0;
}
""",
    ),
    good=(
        """
int main(void) {
    static double u[6][8], v[6][8], w[6][8];
    for (int t = 0; t < 5; t++) {
        #pragma omp target enter data map(to: u[t:1][0:8])
    }
    for (int t = 0; t < 5; t++) {
        #pragma omp target enter data map(to: v[t:2][0:8])
        #pragma omp target exit data map(release: v[t:2][0:8])
    }
    #pragma omp target enter data map(to: w)
    for (int t = 0; t < 5; t++) {
        #pragma omp target enter data map(to: w[t:2][0:8])
    }
    for (int t = 0; t < 1; t++) {
        #pragma omp target enter data map(to: u[5][0:4])
    }
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
struct text { long add; char kind, v[]; };
int main(void) {
    struct text *t = malloc(sizeof *t + 20);
    t->add = 3;
    for (int i = 0; i < 20; i++)
        t->v[i] = 'a' + i;
    #pragma omp target map(to: t[0:1]) map(tofrom: t->v[0:20])
    for (int i = 0; i < 20; i++)
        t->v[i] += t->add;
    int last = t->v[19];
    free(t);
    return last;
}
""",
        """
void f(int n) {
    double x[100];
    #pragma omp target enter data map(alloc: x[0:50])
    #pragma omp target map(from: x[10:40])
    x[10] = n;
    #pragma omp target exit data map(delete: x[0:50])
}
""",
        """
void f(int n, double *x) {
    #pragma omp target enter data map(alloc: x[0:n])
    #pragma omp target map(from: x[n:n])
    x[n] = n;
    #pragma omp target exit data map(delete: x[0:n])
}
""",
        """
void f(int n, int m) {
    double x[100];
    #pragma omp target enter data map(alloc: x[0:n])
    #pragma omp target map(from: x[0:m])
    x[0] = n;
    #pragma omp target exit data map(delete: x[0:n])
}
""",
        """
void f(int n) {
    double x[100];
    #pragma omp target map(from: x[0:50])
    x[0] = n;
    #pragma omp target map(from: x[0:100])
    x[0] = n;
}
""",
        """
void f(int n, double *x, int device) {
    for (int d = 0; d < device; d++) {
        #pragma omp target enter data map(to: x[d * n:n]) device(d)
    }
    for (int d = 0; d < device; d++) {
        #pragma omp target exit data map(from: x[d * n:n]) device(d)
    }
}
""",
        """
void f(int n, int m, double *x) {
    #pragma omp target enter data map(to: x[0:n])
    #pragma omp target update to(x[0:m])
    #pragma omp target exit data map(from: x[0:n])
}
""",
    ),
    check=check,
)
