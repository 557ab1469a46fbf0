"""A list item that is nothing the clause can work on: a function, an expression, a constant."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.designators import value_in
from ompls.analysis.dataenv.listitems import unfit_items
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model.ast import Call, Name
from ompls.analysis.model.omp import ListItem
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import placed


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        for _, item, message in unfit_items(place.stmt.directive):
            yield Finding(item.span, message, _severity(scene, item))


def _severity(scene: Scene, item: ListItem) -> Severity:
    """What looks like a call may be a macro of a header that is missing."""
    e = value_in(item.expr)
    unknown = isinstance(e, Call) and isinstance(e.function, Name) and e.function.symbol is None
    return "hint" if unknown and not scene.unit.complete_headers else "error"


RULE = Rule(
    id="list-item",
    severity="error",
    title="A list item that the clause cannot take",
    why="""
A data clause takes variables that are declared where the directive stands, and some take array sections. A part of a
variable cannot be private, and what is const has nothing to be written into.
""",
    section="3.2.1",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp target firstprivate(n + 1) map(to: x[0:n])
    //                              ^^^^^ error: `n+1` is an expression; `firstprivate` takes variables
    x[n] = 1;
}
""",
        """
void g(void);
enum { SIZE = 4 };
void f(int n, double *x) {
    #pragma omp target map(to: g) firstprivate(SIZE)
    //                                         ^^^^ error: `SIZE` is a constant; `firstprivate` takes variables
    //                         ^ error: `g` is a function; `map` takes variables
    n++;
}
""",
        """
#define COUNT 100
struct pair { int a, b; };
void f(int n, double *x) {
    struct pair p = {0, 0};
    const int low = 3;
    #pragma omp parallel private(p.a) firstprivate(COUNT) reduction(+: low)
    //                                                                 ^^^ error: `low` is const, so a copy of it could not be written: `reduction` cannot take it
    //                                             ^^^^^ error: `COUNT` is an expression; `firstprivate` takes variables
    //                           ^^^ error: `private` takes whole variables, not a part of one
    n++;
}
""",
        """
#define NOWHERE ((void *)0)
void f(int n, void *v, double *x) {
    #pragma omp target map(tofrom: ((char *)x)[0:48])
    //                             ^^^^^^^^^^^^^^^^^ error: `((char*)x)[0:48]` goes through an expression; `map` takes variables and array sections: give its value a name, as a variable of its own
    x[0] = n;
    #pragma omp target update to(NOWHERE)
    //                           ^^^^^^^ error: `NOWHERE` is an expression; `to` takes variables and array sections
    #pragma omp target data map(v[0:n])
    //                          ^^^^^^ error: `v[0:n]` is a section of `void`, whose elements have no size; use a pointer to `char`
    x[0] = n;
}
""",
        """
struct pair { int a, b : 3; };
void f(int n, double y, struct pair *p, double *x) {
    #pragma omp target enter data map(to: p->b, p[0:n].a)
    //                                          ^^^^^^^^ error: `p[0:n].a` is a member of an array section; take a section of members, or whole structures
    //                                    ^^^^ error: `p->b` is a bit-field, which has no address; take the structure
    #pragma omp parallel reduction(+: p->a) firstprivate(*x)
    //                                                   ^^ error: `*x` is an expression; `firstprivate` takes variables
    //                                ^^^^ error: `p->a` is no variable and no part of an array; `reduction` takes variables and array sections
    n++;
    #pragma omp task depend(in: n + 1)
    //                          ^^^^^ error: `n+1` is an expression; `depend` takes variables and array sections
    n++;
    #pragma omp target data map(n) use_device_ptr(y)
    //                                            ^ error: `y` is no pointer; `use_device_addr` takes what is itself on the device
    n++;
    #pragma omp simd linear(y) aligned(n)
    //                                 ^ error: `n` is no pointer and no array; `aligned` speaks of what these lead to
    //                      ^ error: `y` is no integer and no pointer; `linear` counts with these
    for (int i = 0; i < 8; i++) x[i] = y;
}
""",
        """
struct tensor { int n; double *t, a[4]; };
void use(double *);
void f(struct tensor *p) {
    struct tensor u = *p;
    double t[2] = {0, 0}, *many[2] = {u.t, p->t};
    #pragma omp target teams distribute parallel for is_device_ptr(u.t)
    //                                                             ^^^ error: `is_device_ptr` takes whole variables, not a part of one
    for (int i = 0; i < 4; i++) u.t[i] = i;
    #pragma omp target data map(u.t[0:4], u.a) use_device_ptr(u.t) use_device_addr(u.a)
    //                                                        ^^^ error: `use_device_ptr` takes whole variables, not a part of one
    //                                                                             ^^^ error: `u.a` is no variable and no part of an array; `use_device_addr` takes variables and array sections
    use(u.t);
    #pragma omp target is_device_ptr(many[0]) has_device_addr(p->a[0:2])
    //                                                        ^^^^^^^^^ error: `p->a[0:2]` is no variable and no part of an array; `has_device_addr` takes variables and array sections
    //                               ^^^^^^^ error: `is_device_ptr` takes whole variables, not a part of one
    many[0][0] = p->a[1];
    #pragma omp parallel reduction(+: t[0], t[1])
    //                                      ^^^^ error: `t[0]` is reduced here, too, and compilers take one part of `t`: list a section that has both
    { t[0] += 1; t[1] += 2; }
}
""",
        """
enum colour { RED, GREEN };
struct pair { int a, b; };
void use(void *);
void f(long address, enum colour c, struct pair both, double y) {
    #pragma omp target is_device_ptr(address, c)
    //                                        ^ error: `c` is no pointer and no array; `has_device_addr` takes what is itself on the device
    //                               ^^^^^^^ error: `address` is no pointer and no array; `has_device_addr` takes what is itself on the device
    address++;
    #pragma omp target parallel is_device_ptr(both) is_device_ptr(y)
    //                                                            ^ error: `y` is no pointer and no array; `has_device_addr` takes what is itself on the device
    //                                        ^^^^ error: `both` is no pointer and no array; `has_device_addr` takes what is itself on the device
    address++;
    #pragma omp target data map(address) use_device_ptr(c)
    //                                                  ^ error: `c` is no pointer; `use_device_addr` takes what is itself on the device
    use(&c);
    #pragma omp simd linear(address) aligned(c)
    //                                       ^ error: `c` is no pointer and no array; `aligned` speaks of what these lead to
    for (int i = 0; i < 8; i++) address++;
}
""",
    ),
    good=(
        """
struct pair { int a, *b; };
int *row(int);
void f(int n, void *v, struct pair *p, double *x, double **xx) {
    #pragma omp target map(tofrom: *x, *(x + n), (*xx)[0:n], (*p).b[0:n], ((struct pair *)v)->a) map(to: (n))
    n++;
    #pragma omp task depend(in: row(n)[0], *row(1), ((char *)x)[0:n]) depend(out: (n))
    n++;
    #pragma omp target update from(([2][2])x)
    #pragma omp for ordered(1)
    for (int i = 1; i < 8; i++) {
        #pragma omp ordered depend(sink: i - 1)
        x[i] = x[i - 1];
        #pragma omp ordered depend(source)
    }
}
""",
        """
static int total;
void f(int n, const double *x) {
    const int low = 3;
    #pragma omp parallel for firstprivate(low, x) shared(total) reduction(+: n)
    for (int i = 0; i < 10; i++) n += low;
}
""",
        """
struct pair { int a, *b; };
void f(int n, struct pair *p, double *x) {
    #pragma omp target map(tofrom: p->a, p->b[0:n], x[2:n - 2]) map(to: *p)
    n++;
    #pragma omp parallel for reduction(+: x[0:4])
    for (int i = 0; i < n; i++) x[0] += i;
}
""",
        """
double *value(void);
void f(int n, double *x) {
    #pragma omp task depend(in: x[n + 1]) depend(iterator(int k = 0:n), out: x[k])
    n++;
    #pragma omp declare target enter(value)
    #pragma omp parallel private(x)
    x = value();
}
""",
        """
void use(double *);
void f(int n, double *x) {
    double grid[4][n];
    #pragma omp target data map(tofrom: grid, x[0:n]) use_device_ptr(x) use_device_addr(grid)
    use(x);
    int (*run)(void) = 0, table[4], y = 0;
    #pragma omp target is_device_ptr(x, table, run) has_device_addr(y, grid)
    x[0] = table[0] + y;
}
""",
        """
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(vec v) map(v, v.x[0:v.n])
#pragma omp declare simd linear(i) uniform(x)
double g(double *x, int i) { return x[i]; }
void f(vec w) {
    #pragma omp target map(to: w)
    { int k = w.n; k++; }
}
""",
        """
#define LIST a, b
void f(int a, int b) {
    #pragma omp parallel firstprivate(LIST)
    a += b;
}
""",
    ),
    check=check,
)
