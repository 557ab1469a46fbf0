"""Data that a device writes and the host reads afterwards, although the map that held it copies nothing back.

Certain when the device's copy goes away with what was written, the host's copy is not written in between, and the host
reads an element that the device has written.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import LostResult
from ompls.analysis.model.omp import Directive, ListItem
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, finding, list_item_at, other_type, risk_at, severity_of

# What would copy back garbage where the region writes a part only has to copy to the device, too.
_INSTEAD = {"to": "tofrom", "alloc": "tofrom", "storage": "tofrom", "release": "from", "delete": "from"}


def check(scene: Scene) -> Iterator[Finding]:
    for found in events(scene, LostResult, *_INSTEAD):
        span, kind = found.event.site.span, found.event.how
        item = list_item_at(scene, span)
        if found.event.certainty == "possible":
            if (
                item is not None
                and item[0].name == "target exit data"
                and kind == "release"
                and not _fetched(scene, item[2])
            ):
                yield finding(found, _perhaps(item[2].text), "hint")
            continue
        name = item[2].text if item is not None else found.event.name
        if item is None:
            message = f"what the device writes to `{name}` is not copied back: its map is `{kind}` by default"
        elif item[0].name == "target exit data":
            message = f"what the device has written to `{name}` is not copied back: `map({kind}: …)` lets it go"
        else:
            message = f"what the device writes to `{name}` is not copied back: it is mapped `{kind}`"
        waits = item is not None and item[0].clause("nowait") is None  # else the host goes on, and may write meanwhile
        fix = other_type(scene, span, name, _INSTEAD[kind], safe=False) if waits and not risk_at(scene, span) else ()
        yield finding(found, message, severity_of(found, scene), *fix)


def _fetched(scene: Scene, item: ListItem) -> bool:
    """Whether something brings parts of it back before: here, or, as far as can be seen, in a called function."""
    here = (i.symbol for d in scene.directives for i in _brought_back(d))
    seen: set[str] = set()
    waiting = [scene.content]
    while waiting:
        content = waiting.pop()
        for symbol in content.calls if content is not None else ():
            called = scene.unit.functions.get(symbol.name) if symbol.name not in seen else None
            seen.add(symbol.name)
            if called is not None and any(_brought_back(s.directive) for s in called.directives):
                return True
            waiting.append(called)
    return item.symbol in here


def _brought_back(directive: Directive) -> list[ListItem]:
    """The list items that a directive copies to the host, whatever their count is."""
    if directive.name == "target update":
        return [i for c in directive.all("from") for i in c.items]
    always = [c for c in directive.all("map") if "always" in c.modifiers]
    return [i for c in always for i in c.items]


def _perhaps(name: str) -> str:
    return f"what the device has written to `{name}` may be read below, but `map(release: …)` copies nothing back"


RULE = Rule(
    id="to-write-lost",
    severity="warning",
    group="mapping",
    title="A target region writes data that is mapped `to` only, and the host reads it afterwards",
    why="""
`map(to: x)` copies x to the device at the start of the region and nothing back at its end. When no enclosing data
environment holds x, what the region writes is gone with the device's copy. A result needs `map(from: x)` or
`map(tofrom: x)`.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
int x[10], *p = x;
int library(void) {
    #pragma omp target enter data map(to: x)
    #pragma omp target
    for (int i = 0; i < 10; i++) x[i] = 9;
    #pragma omp target update from(p[0:10])
    #pragma omp target exit data map(release: x)
    //                                        ^ hint: what the device has written to `x` may be read below, but `map(release: …)` copies nothing back
    return x[3];
}
""",
        """
int printf(const char *, ...);
double f(void) {
    double t = 1, u = 1;
    #pragma omp target map(to: t, u)
    //                            ^ warning: what the device writes to `u` is not copied back: it is mapped `to`
    //                         ^ warning: what the device writes to `t` is not copied back: it is mapped `to`
    {
        t = 5;
        u = 2;
    }
    printf("%g", t);
    return u * 2;
}
""",
        """
int f(int *x) {
    int own = 1;
    #pragma omp target map(tofrom: x[0:2]) map(to: own)
    //                                             ^^^ hint: what the device writes to `own` is not copied back: it is mapped `to`
    {
        x[0] = x[1] + 1;
        own = 0;
    }
    return own && x[0];
}
""",
        """
int f(int n) {
    int a[10] = {1, 2, 3};
    #pragma omp target teams distribute parallel for map(to: a)
    //                                                       ^ warning: what the device writes to `a` is not copied back: it is mapped `to`
    for (int i = 0; i < 10; i++)
        a[i] = 2 * a[i];
    return a[n];
}
""",
        """
void *malloc(unsigned long);
double f(int n, double *x) {
    double *y = malloc(n * sizeof(double)), sum = 0;
    #pragma omp target teams distribute parallel for map(to: x[0:n], y[0:n])
    //                                                               ^^^^^^ warning: what the device writes to `y[0:n]` is not copied back: it is mapped `to`
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
    for (int i = 0; i < n; i++)
        sum += y[i];
    return sum;
}
""",
        """
int f(int *x) {
    int shares = 0;
    #pragma omp target map(to: shares)
    //                         ^^^^^^ hint: what the device writes to `shares` is not copied back: it is mapped `to`
    shares = 1;
    return shares;
}
""",
        """
typedef struct { float x, y, z, m; } particle;
static particle p[200];
int main(void) {
    for (int i = 0; i < 200; i++)
        p[i] = (particle){i, i, i, 1};
    #pragma omp target teams distribute parallel for map(to: p)
    //                                                       ^ warning: what the device writes to `p` is not copied back: it is mapped `to`
    for (int i = 0; i < 200; i++) {
        p[i].x += 0.1f;
        p[i].y += 0.1f;
    }
    return p[5].y > 5;
}
""",
        """
void *calloc(unsigned long, unsigned long);
static void fill(int *p, int n) {
    #pragma omp target data map(alloc: p[0:n])
    //                                 ^^^^^^ hint: what the device writes to `p[0:n]` is not copied back: it is mapped `alloc`
    {
        #pragma omp target map(always, from: p[4:8])
        for (int i = 0; i < n; i++)
            p[i] = i + 1;
    }
}
int main(void) {
    int *a = calloc(32, sizeof(int)), wrong = 0;
    fill(a, 32);
    for (int i = 0; i < 4; i++)
        wrong += a[i] != 0;
    return wrong;
}
""",
        """
void *malloc(unsigned long);
double f(int n, int blocks) {
    double *x = malloc(n * blocks * sizeof(double));
    for (int i = 0; i < n * blocks; i++)
        x[i] = 0;
    #pragma omp target enter data map(to: x[0:n * blocks])
    for (int b = 0; b < blocks; b++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            x[b * n + i] += 1;
    }
    #pragma omp target exit data map(release: x[0:n*blocks])
    //                                        ^^^^^^^^^^^^^ hint: what the device has written to `x[0:n*blocks]` may be read below, but `map(release: …)` copies nothing back
    return x[5];
}
""",
    ),
    good=(
        """
int x[10];
typedef struct { int *p; } box;
box one = {x};
int main(void) {
    box *b = &one;
    #pragma omp target data map(alloc: x)
    {
        #pragma omp target map(alloc: x)
        for (int i = 0; i < 10; i++) x[i] = 9;
        #pragma omp target update from(b->p[0:10])
    }
    return x[3] != 9;
}
""",
        """
void *malloc(unsigned long);
double f(int n, int blocks) {
    double *x = malloc(n * blocks * sizeof(double));
    for (int i = 0; i < n * blocks; i++)
        x[i] = 0;
    #pragma omp target enter data map(to: x[0:n * blocks])
    for (int b = 0; b < blocks; b++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            x[b * n + i] += 1;
        #pragma omp target update from(x[b * n:n])
    }
    #pragma omp target exit data map(release: x[0:n * blocks])
    return x[5];
}
""",
        """
int f(int n) {
    double x[100] = {n};
    #pragma omp target map(to: x[0:100]) map(tofrom: x[10:5])
    for (int i = 10; i < 15; i++)
        x[i] += x[2 * i];
    return x[12];
}
""",
        """
#pragma omp requires reverse_offload
int f(void) {
    int a[10] = {1};
    #pragma omp target map(to: a)
    {
        #pragma omp target device(ancestor: 1) map(always, to: a)
        a[0] = 2;
    }
    return a[0];
}
""",
        """
#pragma omp requires reverse_offload
void add(int *, int *);
#pragma omp declare target(add)
int f(void) {
    int a[10] = {1}, b[10] = {2};
    #pragma omp target map(to: a) map(tofrom: b)
    add(b, a);
    #pragma omp target device(ancestor: 1) map(to: b)
    b[0] = 2;
    return a[0] + b[0];
}
""",
        """
int f(void) {
    int a[10] = {1, 2, 3};
    #pragma omp target map(to: a) map(from: a)
    a[0] = 1;
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target map(to: a)
        a[0] = 2 * a[1];
    }
    return a[0];
}
""",
        """
int f(int n, int *x) {
    int scratch[10] = {0}, result;
    #pragma omp target map(to: scratch, x[0:n]) map(from: result)
    { scratch[x[0]] = 1; x[1] = 3; result = scratch[x[2]]; }
    for (int i = 0; i < 10; i++)
        scratch[i] = 0;
    return result + scratch[1];
}
""",
        """
int f(void) {
    int a[10] = {1, 2, 3};
    #pragma omp target enter data map(to: a)
    #pragma omp target map(to: a)
    a[0] = 1;
    #pragma omp target exit data map(from: a)
    return a[0];
}
""",
        """
void reset(int *);
int f(void) {
    int a[10] = {1}, b[2] = {1};
    #pragma omp target map(to: a, b)
    { a[0] = 1; b[0] = 1; }
    reset(a);
    return a[0];
}
""",
        """
#pragma omp requires unified_shared_memory
int f(void) {
    int a[10] = {1};
    #pragma omp target map(to: a)
    a[0] = 1;
    return a[0];
}
""",
        """
typedef struct { float x, y, z, m; } particle;
static particle p[200];
int main(void) {
    for (int i = 0; i < 200; i++)
        p[i] = (particle){i, i, i, 1};
    float sum = 0;
    #pragma omp target teams distribute parallel for map(to: p) reduction(+: sum)
    for (int i = 0; i < 200; i++) {
        p[i].z += 0.1f;
        sum += p[i].z;
    }
    return p[5].m + p[6].y + sum > 5;
}
""",
        """
void begin(void);
double u[1000], g[1000];
int main(void) {
    #pragma omp target data map(to: u, g)
    {
        begin();
        #pragma omp target map(alloc: u)
        for (int i = 0; i < 1000; i++) u[i] = i;
        #pragma omp target teams distribute parallel for map(alloc: g)
        for (int i = 0; i < 1000; i++) g[i] = u[i];
    }
    return 0;
}
""",
    ),
    check=check,
)
