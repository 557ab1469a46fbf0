"""An array section that cannot be: no length, no array, beyond the array's end."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Index, Name, Section
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.sections import beyond, impossible, indexed_type, is_shaped


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        for clause in directive.clauses:
            for item in clause.items:
                for node in item.expr.walk() if not isinstance(item.expr, Name) else ():
                    if isinstance(node, Section) and (problem := impossible(node)):
                        yield Finding(node.span, problem, "error")
                    elif isinstance(node, Section) and _of_unknown_size(node) and scene.unit.settings.openmp < "6.0":
                        yield Finding(node.span, "a section of a pointer without a length needs OpenMP 6.0", "hint")
                    elif isinstance(node, Index) and (problem := beyond(node)):
                        yield Finding(node.span, problem, "error")


def _of_unknown_size(e: Section) -> bool:
    """`p[:]`, which 6.0 takes."""
    return isinstance(indexed_type(e.base), Pointer) and e.length is None and not is_shaped(e.base)


RULE = Rule(
    id="section-bounds",
    severity="error",
    group="mapping",
    title="An array section that lies outside of its array, or has no length",
    why="""
`a[begin:length]` names `length` elements, not an end: `a[2:4]` of an array of four elements is two too many. What lies
outside of the array is not the program's to map. A pointer does not know how much it points to, so a section of
it says the length.
""",
    section="3.2.5",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[2:])
    //                             ^^^^^ error: a section of a pointer needs a length: how much it points to is not known
    x[3] = n;
    #pragma omp target map(tofrom: x[:])
    //                             ^^^^ hint: a section of a pointer without a length needs OpenMP 6.0
    x[3] = n;
}
""",
        """
void f(void) {
    double a[10];
    #pragma omp target map(to: a[5:10])
    //                         ^^^^^^^ error: the section ends at element 15; the array has 10 elements
    a[0] = 1;
    #pragma omp target update from(a[-1:2]) to(a[10])
    //                                         ^^^^^ error: there is no element 10: the array has 10 elements
    //                             ^^^^^^^ error: the section begins at -1, before the array
}
""",
        """
#define N 100
struct s { int values[N]; int n; };
void f(struct s *p, int n) {
    #pragma omp target enter data map(to: p->values[0:N + 1])
    //                                    ^^^^^^^^^^^^^^^^^^ error: the section ends at element 101; the array has 100 elements
    #pragma omp target map(p->n, n[0:2])
    //                           ^^^^^^ error: only arrays and pointers have sections
    n++;
    double grid[4][8];
    #pragma omp target map(grid[0:8][0:4])
    //                     ^^^^^^^^^ error: the section ends at element 8; the array has 4 elements
    n++;
}
""",
    ),
    good=(
        """
struct text { short length; char s[0]; };
void f(struct text *t) {
    #pragma omp target map(tofrom: t->s[2:4])
    t->s[3] = 'a';
}
""",
        """
void f(int n, double *x) {
    double a[10];
    #pragma omp target map(tofrom: x[0:n], a[5:5]) map(x[-2:1])
    x[0] = a[5];
    #pragma omp target map(a[:])
    n++;
}
""",
        """
void f(int n, double (*x)[8], double y[][4]) {
    double grid[4][8];
    #pragma omp target map(grid[0:4][0:8], x[0:n][0:8], y[0:n][:])
    grid[0][0] = x[0][0];
}
""",
        """
void f(int n) {
    double a[n];
    #pragma omp target map(a[:]) map(from: a[0:n])
    a[0] = 1;
}
""",
        """
void f(double *p) {
    double a[10];
    #pragma omp target update to(a[0:5:2]) from(a[1:5:2])
    #pragma omp target map(a[10:0])
    a[0] = 1;
    #pragma omp target update to((([4][4])p)[0:4][:])
}
""",
        """
struct s { double *values; int n; };
void f(struct s *p) {
    #pragma omp target map(to: p[0:1]) map(tofrom: p->values[0:p->n])
    p->values[0] = 1;
}
""",
        """
extern double table[];
void f(int n) {
    #pragma omp target map(to: table[0:n])
    { double s = table[0]; s++; }
    #pragma omp task depend(in: table[n])
    n++;
}
""",
    ),
    check=check,
)
