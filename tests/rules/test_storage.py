"""More texts for the rules that follow device storage: what they draw, or nothing, is what the rule says about them."""

from __future__ import annotations

from drawing import drawn, expected, findings
from together import together

CASES = [
    (
        "device-pointer-absent",
        """
void f(void) {
    int a[10];
    int *p = a;
    #pragma omp target data map(to: a)
    {
        #pragma omp target
        { int v = *p; v = v + 1; }
    }
    #pragma omp target
    { int v = *p; v = v + 1; }
    //        ^^ warning: what `p` points to is not mapped here, so the device cannot reach it
}
""",
    ),
    (
        "device-pointer-absent",
        """
struct node { int value; struct node *next; };
void use(struct node *);
void f(void) {
    struct node one;
    struct node *head = &one;
    #pragma omp target
    head->value = 3;
//  ^^^^^^^^^^^ warning: what `head` points to is not mapped here, so the device cannot reach it
    use(head);
    #pragma omp target
    head->value = 4;
//  ^^^^^^^^^^^ hint: what `head` points to is not mapped on every path that comes here, as far as can be seen
}
""",
    ),
    (
        "device-pointer-absent",
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
static void upload(struct field *f) {
    #pragma omp target enter data map(to: f->values[0:f->n])
}
void f(int n) {
    double *x = malloc(n * sizeof(double));
    struct field field = {x, n};
    upload(&field);
    #pragma omp target
    x[0] = 1;
    double *y = malloc(n * sizeof(double));
    struct field other;
    other.values = y;
    #pragma omp target
    y[0] = 1;
//  ^^^^ warning: what `y` points to is not mapped here, so the device cannot reach it
    #pragma omp target enter data map(to: other.values[0:n])
    #pragma omp target
    y[1] = 1;
}
""",
    ),
    (
        "device-pointer-absent",
        """
void *malloc(unsigned long);
static void step(double *x) {
    #pragma omp target
    x[0] = 1;
//  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
}
void (*stepper)(double *) = step;
int main(void) {
    step(malloc(80));
    return 0;
}
""",
    ),
    (
        "device-pointer-absent",
        """
static void both(double *x, double *y) {
    #pragma omp target data map(to: x[0:10])
    {
        #pragma omp target
        y[0] = x[0];
    }
}
int main(void) {
    double a[10];
    both(a, a);
    return 0;
}
""",
    ),
    (
        "device-pointer-absent",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double)), *end = x + n;
    #pragma omp target map(tofrom: x[0:n])
    end[-1] = 1;
}
""",
    ),
    (
        "device-pointer-absent",
        """
void f(void) {
    int a[10], *p = 0;
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target map(from: p)
        p = &a[3];
        #pragma omp target map(to: p)
        *p = 1;
    }
}
""",
    ),
    (
        "device-pointer-absent",
        """
void *malloc(unsigned long);
int omp_target_is_accessible(const void *, unsigned long, int);
void f(int n) {
    int a[10];
    int *p = malloc(n), *q = malloc(n);
    #pragma omp target map(tofrom: a)
    { p = &a[3]; *p = 1; }
    if (omp_target_is_accessible(q, n, 0)) {
        #pragma omp target firstprivate(q)
        q[0] = 1;
    }
}
""",
    ),
    (
        "device-pointer-absent",
        """
void *malloc(unsigned long);
static void upload(double *p, int n) {
    #pragma omp target enter data map(to: p[0:n])
}
static void drop(double *p) {
    #pragma omp target exit data map(delete: p[0:1])
}
void f(int n) {
    double *x = malloc(n * sizeof(double));
    upload(x, n);
    #pragma omp target
    x[0] = 1;
    drop(x);
}
""",
    ),
    (
        "device-pointer-absent",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target map(x[0:n])
    x[0] = 1;
    #pragma omp target
    { double *y = x; if (x == 0) y = 0; }
}
""",
    ),
    (
        "device-pointer-absent",
        """
void f(void) {
    double a[4][5];
    double (*row)[5] = a;
    #pragma omp target map(tofrom: a)
    { a[1][2] = 3; row = 0; }
    #pragma omp target map(tofrom: row[0:4])
    row[1][2] = 3;
}
""",
    ),
    (
        "device-pointer-absent",
        """
static double *shared;
static void set_up(double *p, int n) {
    shared = p;
    #pragma omp target enter data map(to: shared[0:n])
}
int main(void) {
    double a[8];
    set_up(a, 8);
    double *p = a;
    #pragma omp target map(tofrom: a)
    a[0] = 1;
    return 0;
}
""",
    ),
    (
        "from-read-before-write",
        """
struct pair { int a, b; };
int f(void) {
    struct pair p = {1, 2};
    #pragma omp target map(from: p)
    //                           ^ warning: `map(from: …)` only allocates `p` on the device, where it is read before anything is written to it
    { int t = p.a; p.b = t; }
    return p.b;
}
""",  # noqa: E501 - a finding is drawn on one line
    ),
    (
        "from-read-before-write",
        """
void f(int n) {
    int a[10] = {1};
    #pragma omp target map(alloc: a) map(tofrom: a)
    a[0] += a[1];
}
""",
    ),
    (
        "from-read-before-write",
        """
void fill(int *p, int n);
#pragma omp declare target(fill)
int f(void) {
    int a[10], on_host;
    #pragma omp target map(from: a, on_host)
    { fill(a, 10); on_host = a[0]; }
    return on_host;
}
""",
    ),
    (
        "from-read-before-write",
        """
void f(int n, int mode, int *x) {
    int first;
    #pragma omp target map(from: first) map(to: x[0:n])
    for (int i = 0; i < n; i++) {
        if (i == 0) first = x[0];
        else first += x[i];
    }
}
""",
    ),
    (
        "from-read-before-write",
        """
unsigned long f(void) {
    int a[10];
    unsigned long size;
    #pragma omp target map(from: a, size)
    { size = sizeof(a[0]); int *p = &a[3]; *p = 1; }
    return size;
}
""",
    ),
    *[
        (
            rule,
            """
struct s { unsigned a; union { unsigned all; struct { unsigned low : 16, high : 16; }; }; unsigned b : 4, c : 28; };
unsigned f(void) {
    struct s s = { 0 };
    #pragma omp target map(tofrom: s)
    { s.high = s.low + 1; s.c = s.b; }
    return s.high + s.c;
}
""",
        )
        for rule in ("section-too-short", "partly-copied-back")
    ],
]


@together(("rule", "text"), CASES, ids=[f"{rule}-{i}" for i, (rule, _) in enumerate(CASES)])
def test_reports_what_is_drawn(rule: str, text: str) -> None:
    assert drawn(text, findings(text, rule)) == expected(text)
