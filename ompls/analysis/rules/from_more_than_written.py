"""A section that comes back from the device although its ends have never had a value there.

Certain when the device's storage was new, all that was written of it is known, and the host reads something else of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import Unwritten
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import certain, finding, list_item_at, other_type, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for found in certain(scene, Unwritten):
        span = found.event.site.span
        item = list_item_at(scene, span)
        name = item[2].text if item is not None else found.event.name
        message = f"`{name}` is copied back as a whole, but the device has written only a part: of the rest the host gets garbage"
        begins = item is not None and item[0].name != "target exit data"
        fix = other_type(scene, span, name, "tofrom") if begins else ()
        between = found.event.how == "between"
        if found.event.how == "all":
            message = f"`{name}` is copied back, but the device has written nothing to it: the host gets garbage"
            fix = other_type(scene, span, name, "to" if begins else "release")  # then the host's values stay
        if between:
            message = f"`{name}` is copied back as a whole, but the device has written only some of it: in between the host gets garbage"
        yield finding(found, message, "hint" if found.aware or between else severity_of(found, scene), *fix)


RULE = Rule(
    id="from-more-than-written",
    severity="warning",
    group="mapping",
    title="More is copied back than the device has written",
    why="""
`map(from: x[0:n])` makes storage without values on the device and copies all of it back. What the region has not written of it,
like the border of a stencil, or the elements that a loop steps over, is garbage, also where the host had values before. Map it `tofrom`, or only the section that is written.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
int f(void) {
    double t = 7, a[4] = {0}, own[2] = {7, 7};
    #pragma omp target data map(tofrom: a) map(from: t)
    //                                               ^ warning: `t` is copied back, but the device has written nothing to it: the host gets garbage
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 4; i++) a[i] = i;
        t = 8;
    }
    #pragma omp target enter data map(alloc: own)
    own[0] = 8;
    #pragma omp target exit data map(from: own)
    //                                     ^^^ warning: `own` is copied back, but the device has written nothing to it: the host gets garbage
    return t != 8 || own[0] != 8;
}
""",
        """
void *malloc(unsigned long);
double f(int n, const double *x) {
    double *y = malloc(n * sizeof(double)), sum = 0;
    y[0] = y[n - 1] = 1;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n])
    //                                                                         ^^^^^^ warning: `y[0:n]` is copied back as a whole, but the device has written only a part: of the rest the host gets garbage
    for (int i = 1; i < n - 1; i++)
        y[i] = x[i - 1] + x[i + 1];
    for (int i = 0; i < n; i++)
        sum += y[i];
    return sum;
}
""",
        """
static void interior(double *y, int n) {
    #pragma omp target teams distribute parallel for collapse(2)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            y[i * n + j] = i + j;
}
double f(void) {
    double y[64];
    for (int i = 0; i < 64; i++) y[i] = -1;
    #pragma omp target data map(from: y)
    //                                ^ warning: `y` is copied back as a whole, but the device has written only a part: of the rest the host gets garbage
    for (int step = 0; step < 9; step++)
        interior(y, 8);
    return y[0];
}
""",
        """
void *malloc(unsigned long);
double f(int n) {
    double *y = malloc(n * sizeof(double)), sum = 0;
    for (int i = 0; i < n; i++)
        y[i] = 1;
    #pragma omp target teams distribute parallel for map(from: y[0:n])
    //                                                         ^^^^^^ hint: `y[0:n]` is copied back as a whole, but the device has written only some of it: in between the host gets garbage
    for (int i = 0; i < n; i += 2)
        y[i] = i;
    for (int i = 0; i < n; i++)
        sum += y[i];
    return sum;
}
""",
    ),
    good=(
        """
typedef int (*function)(int);
int square(int);
#pragma omp declare target enter(square) indirect
int f(int n) {
    function one = square, other = 0;
    #pragma omp target map(from: other)
    other = one;
    return one(n) + (other != 0);
}
""",
        """
double f(int flag, int n, const double *x) {
    double t = 7, last = 1, sometimes[1] = {3}, through = 4, host = 5;
    #pragma omp target data map(from: sometimes)
    if (flag) {
        #pragma omp target
        sometimes[0] = 1;
    }
    #pragma omp target map(from: t)
    t = 1;
    #pragma omp target teams distribute parallel for map(from: last) lastprivate(last) map(to: x[0:n])
    for (int i = 0; i < n; i++) last = x[i];
    #pragma omp target data map(from: through) use_device_addr(through)
    {
        double *q = &through;
        #pragma omp target is_device_ptr(q)
        *q = 3;
    }
    #pragma omp target data map(from: host)
    {
        #pragma omp target update to(host)
    }
    return t + last + sometimes[0] + through + host;
}
""",
        """
int f(const int *a) {
    int c[64] = {0}, sum = 0;
    #pragma omp target teams loop map(to: a[0:64]) map(from: c) collapse(2)
    for (int i = 0; i < 8; i++)
        for (int j = i * 8; j < i * 8 + 8; j++)
            c[j] = a[j];
    for (int i = 0; i < 64; i++)
        sum += c[i];
    return sum;
}
""",
        """
void *malloc(unsigned long);
double f(int n) {
    double *y = malloc(n * sizeof(double)), sum = 0;
    for (int i = 0; i < n; i++)
        y[i] = 1;
    #pragma omp target teams distribute parallel for map(tofrom: y[0:n])
    for (int i = 0; i < n; i += 2)
        y[i] = i;
    for (int i = 0; i < n; i++)
        sum += y[i];
    return sum;
}
""",
        """
void *malloc(unsigned long);
double f(int n) {
    double *y = malloc(n * sizeof(double)), sum = 0;
    for (int i = 0; i < n; i++)
        y[i] = 1;
    #pragma omp target teams distribute parallel for map(from: y[0:n])
    for (int i = 0; i < n; i += 2) {
        y[i] = i;
        y[i + 1] = -i;
    }
    for (int i = 0; i < n; i++)
        sum += y[i];
    return sum;
}
""",
        """
void *malloc(unsigned long);
double f(int n) {
    double *y = malloc(n * sizeof(double)), sum = 0;
    for (int i = 0; i < n; i++)
        y[i] = 1;
    #pragma omp target teams distribute parallel for map(from: y[0:n])
    for (int i = 0; i < n; i += 2)
        y[i] = i;
    for (int i = 0; i < n; i += 2)
        sum += y[i];
    return sum + y[0];
}
""",
        """
struct point { float x, y, z; };
float f(void) {
    struct point p[50];
    float sum = 0;
    for (int i = 0; i < 50; i++)
        p[i].x = p[i].y = p[i].z = i;
    #pragma omp target map(from: p)
    for (int i = 0; i < 50; i++) {
        p[i].x = 2 * i;
        p[i].y = 3 * i;
        p[i].z = 4 * i;
    }
    for (int i = 0; i < 50; i++)
        sum += p[i].z;
    return sum;
}
""",
        """
struct point { float x, y, z; };
float f(void) {
    struct point p[50];
    float sum = 0;
    #pragma omp target map(from: p)
    for (int i = 0; i < 50; i++)
        p[i].y = 2 * i;
    for (int i = 0; i < 50; i++)
        sum += p[i].y;
    return sum;
}
""",
        """
double f(void) {
    double y[100], sum = 0;
    for (int i = 0; i < 100; i++)
        y[i] = 1;
    #pragma omp target map(from: y)
    {
        for (int i = 0; i < 100; i += 2)
            y[i] = i;
        for (int i = 1; i < 100; i += 2)
            y[i] = -i;
    }
    for (int i = 0; i < 100; i++)
        sum += y[i];
    return sum;
}
""",
        """
double f(int n, const double *x, double *y) {
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 1; i < n - 1; i++)
        y[i] = x[i - 1] + x[i + 1];
    return y[0];
}
""",
        """
void *malloc(unsigned long);
double f(int n, const double *x) {
    double *y = malloc(n * sizeof(double)), sum = 0;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n])
    for (int i = 1; i < n - 1; i++)
        y[i] = x[i - 1] + x[i + 1];
    for (int i = 1; i < n - 1; i++)
        sum += y[i];
    y[0] = y[n - 1] = sum;
    return y[0];
}
""",
        """
void *malloc(unsigned long);
double f(int n, const double *x) {
    double *y = malloc(n * sizeof(double));
    #pragma omp target map(to: x[0:n]) map(from: y[0:n])
    {
        for (int i = 1; i < n - 1; i++)
            y[i] = x[i - 1] + x[i + 1];
        y[0] = y[n - 1] = 0;
    }
    return y[0];
}
""",
        """
void *malloc(unsigned long);
double f(int n, const double *x) {
    double *y = malloc(n * sizeof(double));
    y[0] = 1;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[1:n-1])
    for (int i = 1; i < n; i++)
        y[i] = x[i];
    return y[0];
}
""",
        """
double f(int n, const double *x, double *y) {
    #pragma omp target data map(to: x[0:n]) map(from: y[0:n])
    {
        #pragma omp target update to(y[0:n])
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < n - 1; i++)
            y[i] = x[i - 1] + x[i + 1];
    }
    return y[0];
}
""",
        """
void *malloc(unsigned long);
double f(int n, const double *x) {
    double *y = malloc(n * sizeof(double));
    #pragma omp target data map(to: x[0:n]) map(from: y[0:n])
    for (int b = 0; b < n; b += 64) {
        #pragma omp target teams distribute parallel for
        for (int i = b; i < b + 64; i++)
            y[i] = x[i];
    }
    return y[n - 1];
}
""",
        """
void *malloc(unsigned long);
double f(int n, const double *x) {
    double *y = malloc(n * sizeof(double));
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n])
    for (int i = 1; i < n; i++)
        if (x[i] > 0) y[i] = x[i]; else y[i - 1] = 0;
    return y[0];
}
""",
    ),
    check=check,
)
