"""A section that reaches beyond the storage that it names.

Decided when the length of the allocation or array and the end of the section can be compared for all values of the
variables in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import BeyondObject
from ompls.analysis.model.ast import Section
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, finding, list_item_at, severity_of
from ompls.analysis.rules.support.sections import impossible


def check(scene: Scene) -> Iterator[Finding]:
    for found in events(scene, BeyondObject):
        item = list_item_at(scene, found.event.site.span)
        told = item is not None and any(isinstance(n, Section) and impossible(n) for n in item[2].expr.walk())
        if found.event.certainty == "certain" and not told:
            message = f"`{found.event.name}` reaches beyond the storage that there is"
            yield finding(found, message, severity_of(found, scene), *_shorter(item, found.event.how))


def _shorter(item: tuple[Directive, Clause, ListItem] | None, fits: str) -> tuple[Change, ...]:
    """The section up to the end of what there is; where it begins before that, nobody knows what was meant."""
    section = item[2].expr if item is not None else None
    if not isinstance(section, Section) or section.length is None or section.stride is not None:
        return ()
    if not fits or isinstance(section.base, Section) or fits.startswith("-"):
        return ()
    return (Change(f"Change the length to `{fits}`", section.length.span, fits),)


RULE = Rule(
    id="section-beyond-object",
    group="mapping",
    severity="warning",
    title="An array section reaches beyond the end of its allocation",
    why="""
Mapping copies the bytes that the section names, whether or not the program owns them: what lies beyond the end of the allocation is
read (`to`) or overwritten (`from`) although it belongs to something else.
""",
    section="3.2.5",
    about="events",
    bad=(
        """
void *malloc(unsigned long);
void free(void *);
void f(int n) {
    int *a = malloc(n * sizeof(int));
    #pragma omp target map(from: a[0:n * sizeof(int)])
    //                           ^^^^^^^^^^^^^^^^^^^^ warning: `a[0:n*sizeof(int)]` reaches beyond the storage that there is
    for (int i = 0; i < n; i++)
        a[i] = i;
    free(a);
}
""",
        """
#define C 512
int *a;
void *malloc(unsigned long);
static void copy(void) {
    #pragma omp target enter data map(to: a[0:C*C])
    //                                    ^^^^^^^^ warning: `a[0:C*C]` reaches beyond the storage that there is
    #pragma omp target exit data map(release: a[0:C*C])
}
int main(void) {
    a = malloc(C * sizeof(int));
    for (int i = 0; i < C; i++) a[i] = i;
    copy();
    return 0;
}
""",
        """
static void scale(double *x, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n + 1])
    //                                                           ^^^^^^^^^^ warning: `x[0:n+1]` reaches beyond the storage that there is
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
int main(void) {
    double a[100] = {1};
    for (int round = 0; round < 3; round++)
        scale(a, 100);
    return a[0] > 0;
}
""",
        """
void *malloc(unsigned long);
int atoi(const char *);
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    float *v = malloc(n * sizeof(float));
    #pragma omp target map(from: v[0:n*sizeof(float)])
    //                           ^^^^^^^^^^^^^^^^^^^^ warning: `v[0:n*sizeof(float)]` reaches beyond the storage that there is
    for (int i = 0; i < n; i++)
        v[i] = 1;
    return v[0] > 0;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
void free(void *);
void f(int n) {
    int *a = malloc(n * sizeof(int));
    #pragma omp target map(from: a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    free(a);
}
""",
        """
void *malloc(unsigned long);
void free(void *);
void f(int n, int m) {
    int *a = malloc((n + m) * sizeof(int));
    #pragma omp target map(from: a[n:m])
    for (int i = n; i < n + m; i++)
        a[i] = i;
    free(a);
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(from: x[0:n + 1])
    for (int i = 0; i <= n; i++)
        x[i] = i;
}
""",
        """
void *malloc(unsigned long);
struct vector { int n; double *data; };
double f(struct vector *v, int n) {
    v->data = malloc(n * sizeof(double));
    v->n = n;
    #pragma omp target map(from: v->data[0:v->n])
    for (int i = 0; i < n; i++)
        v->data[i] = i;
    return v->data[0];
}
""",
        """
void f(int n) {
    double grid[n][n];
    #pragma omp target map(from: grid[0:n][0:n])
    for (int i = 0; i < n; i++)
        grid[i][i] = i;
}
""",
        """
void *malloc(unsigned long);
void f(int n, int m) {
    int *a = malloc(m);
    #pragma omp target map(from: a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
}
""",
    ),
    check=check,
)
