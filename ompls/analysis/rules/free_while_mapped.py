"""Storage that is freed while a device still has its copy.

Certain when on every path an `enter data` of the unit has no `exit data` yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import FreeMapped
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.leaving import before_freed
from ompls.analysis.rules.support.noticed import certain, finding, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, FreeMapped):
        message = f"`{found.event.name}` is freed while it is still mapped: no `target exit data` comes before"
        yield finding(found, message, severity_of(found, scene), *before_freed(scene, found.event))


RULE = Rule(
    id="free-while-mapped",
    group="mapping",
    severity="warning",
    title="Storage is freed while it is mapped",
    why="""
After `free`, the address may be handed out again. The device then still finds its old copy under that address: a later map of the new storage copies nothing and works
on the old data. And the device memory is never freed.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
void *malloc(unsigned long);
void free(void *);
void fill(int n, double *a);
void f(int n) {
    double *a = malloc(n * sizeof *a);
    fill(n, a);
    #pragma omp target enter data map(to: a[0:n])
    #pragma omp target
    a[0] += 1;
    free(a);
//  ^^^^^^^ warning: `a` is freed while it is still mapped: no `target exit data` comes before
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    double *x = malloc(100 * sizeof(double));
    #pragma omp target enter data map(alloc: x[0:100])
    #pragma omp target
    x[0] = 1;
    free(x);
//  ^^^^^^^ warning: `x` is freed while it is still mapped: no `target exit data` comes before
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
float *a, *b;
static void start(int n) {
    #pragma omp target enter data map(alloc: a[0:n], b[0:n])
}
static void stop(int n) {
    #pragma omp target exit data map(delete: a[0:n])
}
int main(void) {
    for (int round = 0; round < 3; round++) {
        a = malloc(10 * sizeof(float));
        b = malloc(10 * sizeof(float));
        start(10);
        stop(10);
        free(a);
        free(b);
    //  ^^^^^^^ warning: `b` is freed while it is still mapped: no `target exit data` comes before
    }
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int solve(int n, const double *b) {
    int result = -1;
    double *w = malloc(n * sizeof *w), s = 0;
    #pragma omp target enter data map(alloc: w[0:n])
    #pragma omp target teams distribute parallel for map(to: b[0:n]) map(tofrom: s) reduction(+: s)
    for (int i = 0; i < n; i++) {
        w[i] = b[i];
        s += w[i];
    }
    if (s < 0)
        goto out;
    result = 0;
    #pragma omp target exit data map(release: w[0:n])
out:
    {
        free(w);
    //  ^^^^^^^ warning: `w` is freed while it is still mapped: no `target exit data` comes before
    }
    return result;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
typedef struct { int n; double *u; } vec;
static vec make(int n) {
    vec v;
    v.n = n;
    v.u = malloc(n * sizeof(double));
    double *u = v.u;
    #pragma omp target enter data map(alloc: u[0:n])
    return v;
}
static void drop(vec v, int all) {
    double *u = v.u;
    if (all) {
        #pragma omp target exit data map(release: u[0:v.n])
    }
}
int main(void) {
    vec v = make(10), w = make(20);
    drop(v, 1);
    drop(w, 0);
    free(v.u);
    free(w.u);
//  ^^^^^^^^^ warning: `w.u` is freed while it is still mapped: no `target exit data` comes before
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    double *x = malloc(100 * sizeof(double));
    #pragma omp target enter data map(alloc: x[0:100])
    #pragma omp target
    x[0] = 1;
    free(x);
//  ^^^^^^^ warning: `x` is freed while it is still mapped: no `target exit data` comes before
    #pragma omp target exit data map(delete: x[0:100])
    return 0;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
void free(void *);
int next(int d);
int main(void) {
    float *g = malloc(4000);
    for (int d = 0; d < 2; d++) {
        int device = next(d);
        #pragma omp target enter data device(device) map(to: g[0:1000])
    }
    for (int d = 0; d < 2; d++) {
        int device = next(d);
        #pragma omp target exit data device(device) map(delete: g[0:1000])
    }
    free(g);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
void fill(int n, double *a);
void take(int n, double *a);
void f(int n) {
    double *a = malloc(n * sizeof *a);
    fill(n, a);
    #pragma omp target enter data map(to: a[0:n])
    #pragma omp target
    a[0] += 1;
    take(n, a);
    free(a);
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    double *x = malloc(100 * sizeof(double));
    #pragma omp target enter data map(alloc: x[0:100])
    #pragma omp target
    x[0] = 1;
    #pragma omp target exit data map(delete: x[0:100])
    free(x);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    double *x = malloc(100 * sizeof(double));
    #pragma omp target map(tofrom: x[0:100])
    x[0] = 1;
    free(x);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int f(int flag, double *x) {
    if (flag) {
        #pragma omp target enter data map(alloc: x[0:100])
    }
    #pragma omp target map(tofrom: x[0:100])
    x[0] = 1;
    if (flag) {
        #pragma omp target exit data map(release: x[0:100])
    }
    free(x);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
void release_all(void);
double *x;
int main(void) {
    x = malloc(100 * sizeof(double));
    #pragma omp target enter data map(alloc: x[0:100])
    release_all();
    free(x);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
struct vector { double *data; int n; };
static struct vector *create(int n) {
    struct vector *v = malloc(sizeof *v);
    v->data = malloc(n * sizeof(double));
    v->n = n;
    #pragma omp target enter data map(to: v[0:1]) map(alloc: v->data[0:n])
    return v;
}
static void destroy(struct vector *v) {
    #pragma omp target exit data map(delete: v->data[0:v->n]) map(delete: v[0:1])
    free(v->data);
    free(v);
}
int main(void) {
    struct vector *a = create(10), *b = create(20);
    destroy(a);
    destroy(b);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int solve(int n, const double *b, int devices) {
    int mapped = 0;
    double *w = malloc(n * sizeof *w);
    if (devices > 2) {
        #pragma omp target enter data map(alloc: w[0:n])
        mapped = 1;
    }
    if (b[0] < 0.5)
        goto out;
    w[0] = b[0];
out:
    if (mapped) {
        #pragma omp target exit data map(release: w[0:n])
    }
    free(w);
    return 0;
}
""",
    ),
    check=check,
)
