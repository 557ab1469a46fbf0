"""Host storage that is mapped, or that a region uses, after `free`.

Certain when the pointer can hold nothing but the address of storage that was freed on every path, and no device has it still
(`free-while-mapped` tells of that).
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import FreedUsed
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, firsts, severity_of

_MESSAGES = {
    "mapped": "`{}` is mapped after it was freed",
    "followed": "what `{}` points to was freed before this region uses it",
    "copied": "what `{}` points to was freed before it is copied",
}


def check(scene: Scene) -> Iterator[Finding]:
    for found in firsts(certain(scene, FreedUsed, *_MESSAGES)):
        message = _MESSAGES[found.event.how].format(found.event.name)
        yield finding(found, message, severity_of(found, scene))


RULE = Rule(
    id="freed-memory-used",
    group="mapping",
    severity="warning",
    title="Storage is mapped after `free`",
    why="""
After `free`, the pointer still holds the address, and a `map` of it copies what is there: often the old values, so that all seems well, or
something of another part of the program, which the copy back at the end of the region then overwrites.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    double *x = malloc(100 * sizeof(double));
    for (int i = 0; i < 100; i++)
        x[i] = i;
    free(x);
    #pragma omp target map(tofrom: x[0:100])
    //                             ^^^^^^^^ warning: `x[0:100]` is mapped after it was freed
    for (int i = 0; i < 100; i++)
        x[i] = 2 * x[i];
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
static void drop(float *p) { free(p); }
static void step(float *p, int n) {
    #pragma omp target
    for (int i = 0; i < n; i++)
        p[i] += 1;
    //  ^^^^ warning: what `p` points to was freed before this region uses it
}
int main(void) {
    float *data = malloc(400);
    drop(data);
    step(data, 100);
    return 0;
}
""",
        """
void *realloc(void *, unsigned long);
void *calloc(unsigned long, unsigned long);
int main(void) {
    int *old = calloc(10, 4), *view = old;
    int *grown = realloc(old, 80);
    #pragma omp target enter data map(to: view[0:10], grown[0:20])
    //                                    ^^^^^^^^^^ warning: `view[0:10]` is mapped after it was freed
    #pragma omp target exit data map(delete: view[0:10], grown[0:20])
    return 0;
}
""",
        """
void free(void *);
typedef struct { int n; double *v; } list;
int sum(list l) {
    int total = 0;
    free(l.v);
    #pragma omp target map(to: l.v[0:l.n]) map(tofrom: total)
    //                         ^^^^^^^^^^ warning: `l.v[0:l.n]` is mapped after it was freed
    for (int i = 0; i < l.n; i++)
        total += l.v[i];
    return total;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
void send(void *there) {
    char *text = malloc(100);
    text[0] = 'a';
    free(text);
    omp_target_memcpy(there, text, 100, 0, 0, 0, omp_get_initial_device());
    //                       ^^^^ warning: what `text` points to was freed before it is copied
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    double *x = malloc(100 * sizeof(double));
    #pragma omp target map(from: x[0:100])
    x[0] = 1;
    free(x);
    x = malloc(50 * sizeof(double));
    #pragma omp target map(from: x[0:50])
    x[0] = 1;
    free(x);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    for (int round = 0; round < 4; round++) {
        double *x = malloc(100 * sizeof(double));
        #pragma omp target map(from: x[0:100])
        x[0] = round;
        free(x);
    }
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
void f(int n, int own, float *given) {
    float *x = given;
    if (own)
        x = malloc(n * sizeof(float));
    #pragma omp target map(from: x[0:n])
    x[0] = 1;
    if (own)
        free(x);
    #pragma omp target map(tofrom: given[0:n])
    given[1] = 2;
}
""",
        """
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void free(void *);
int grow(int n) {
    int *x = malloc(40);
    int *more = realloc(x, n);
    if (!more) {
        #pragma omp target map(from: x[0:10])
        x[0] = 1;
        free(x);
        return 1;
    }
    x = more;
    #pragma omp target map(from: x[0:n])
    x[0] = 1;
    free(x);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void free(void *);
int main(void) {
    float *rows[8];
    for (int i = 0; i < 8; i++)
        rows[i] = malloc(400);
    free(rows[0]);
    #pragma omp target map(from: rows[1][0:100])
    rows[1][0] = 1;
    for (int i = 1; i < 8; i++)
        free(rows[i]);
    return 0;
}
""",
        """
void free(void *);
struct node { struct node *next; double *v; };
void f(struct node *first, int n) {
    while (first) {
        struct node *next = first->next;
        #pragma omp target map(tofrom: first->v[0:n])
        first->v[0] = 1;
        free(first->v);
        free(first);
        first = next;
    }
}
""",
        """
void free(void *);
void next(double **);
int f(double *x, int n) {
    free(x);
    next(&x);
    #pragma omp target map(tofrom: x[0:n])
    x[0] = 1;
    return 0;
}
""",
        """
void free(void *);
void f(char **names, int n) {
    for (int i = 1; i < n; i++)
        free(names[i]);
    #pragma omp target map(tofrom: names[0][0:n])
    names[0][0] = 'a';
}
""",
    ),
    check=check,
)
