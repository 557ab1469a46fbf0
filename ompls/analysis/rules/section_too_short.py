"""A section that is shorter than what a region accesses of it.

Decided when the first or the last element that the region certainly accesses lies outside of what is mapped, for all
values of the variables in the bounds (lengths are taken to be at least 1).
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import TooShort
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.omp import Directive, ListItem
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.lengths import long_enough
from ompls.analysis.rules.support.noticed import (
    Noticed,
    at_one_place,
    events,
    finding,
    list_item_at,
    region_at,
    severity_of,
)


def check(scene: Scene) -> Iterator[Finding]:
    for found in at_one_place(events(scene, TooShort)):
        event = found.event
        if event.certainty == "possible":
            continue
        item = list_item_at(scene, event.site.span)
        text = item[2].text if item is not None else event.name
        message = f"`{text}` is less than the region accesses of `{event.name}`"
        regions = _regions(scene, found, item[0], item[2]) if item is not None else []
        changes = long_enough(scene, item[0], regions, item[2]) if item is not None and regions else ()
        yield finding(found, message, severity_of(found, scene), *changes)


def _regions(scene: Scene, found: Noticed, directive: Directive, item: ListItem) -> list[Region]:
    """The regions whose data a list item maps: its own, or all that follow until the data leave; [] where one of them is
    in another function."""
    symbol = item.symbol
    own = region_at(scene, found.event.site.span)
    if own is not None or found.elsewhere or scene.content is None or symbol is None or not scene.content.regions:
        return [own] if own is not None else []
    stmt = next(s for s in scene.content.directives if s.directive is directive)
    if stmt.body is not None:
        last = stmt.span.end
    else:
        later = (s for s in scene.content.directives if s.span.start > stmt.span.start)
        leaving = (s for s in later if s.directive.name == "target exit data" and _lists(s.directive, symbol))
        last = min((s.span.start for s in leaving), default=scene.content.regions[-1].stmt.span.end)
    behind = [r for r in scene.content.regions if stmt.span.start < r.stmt.span.start and r.stmt.span.end <= last]
    return [r for r in behind if r.variable(symbol) is not None]


def _lists(directive: Directive, symbol: Symbol) -> bool:
    return any(item.symbol is symbol for clause in directive.all("map") for item in clause.items)


RULE = Rule(
    id="section-too-short",
    group="mapping",
    severity="warning",
    title="A target region accesses elements that are not in the mapped section",
    why="""
A section `a[begin:length]` maps `length` elements. What lies beyond them is not on the device, whatever the allocation on the host
has: reading it gives garbage or a fault, and what is written there does not come back. The second number is a length, not an end.
""",
    section="5.8.3",
    about="events",
    bad=(
        """
void *malloc(unsigned long);
void free(void *);
double f(int n) {
    double *x = malloc(n * sizeof(double)), sum = 0;
    for (int i = 0; i < n; i++) x[i] = i;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: x[0:n-1])
    //                                                                         ^^^^^^^^ warning: `x[0:n-1]` is less than the region accesses of `x`
    for (int i = 0; i < n; i++)
        sum += x[i];
    free(x);
    return sum;
}
""",
        """
void f(int n, const float *in, float *out) {
    #pragma omp target teams distribute parallel for map(to: in[0:n]) map(from: out[0:n])
    //                                                       ^^^^^^^ warning: `in[0:n]` is less than the region accesses of `in`
    for (int i = 0; i < n; i++)
        out[i] = in[i] + in[i + 1];
}
""",
        """
#define C 64
int *b, *c;
void product(void) {
    #pragma omp target enter data map(to: b[0:C]) map(alloc: c[0:C])
    //                                    ^^^^^^ warning: `b[0:C]` is less than the region accesses of `b`
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < C; i++) {
        c[i] = 0;
        for (int j = 0; j < C; j++)
            c[i] += b[j + i * C];
    }
    #pragma omp target exit data map(from: c[0:C]) map(release: b[0:C])
}
void *malloc(unsigned long);
int main(void) {
    b = malloc(C * C * sizeof(int));
    c = malloc(C * sizeof(int));
    for (int i = 0; i < C * C; i++) b[i] = i;
    product();
    return c[0];
}
""",
        """
static int sum(const int *x, int n) {
    int all = 0;
    #pragma omp target map(tofrom: all) map(to: x[1:n-1])
    //                                          ^^^^^^^^ warning: `x[1:n-1]` is less than the region accesses of `x`
    for (int i = 0; i < n; i++)
        all += x[i];
    return all;
}
int main(void) {
    int a[8] = {1, 2, 3};
    return sum(a, 8);
}
""",
        """
static void twice(int n, float *v) {
    #pragma omp target
    for (int i = 0; i < n; i++) v[i] *= 2;
}
static void next(int n, float *v) {
    #pragma omp target
    for (int i = 0; i < n; i++) v[i] += 1;
}
void f(int n, float *x) {
    #pragma omp target data map(tofrom: x[0:n-1])
    //                                  ^^^^^^^^ warning: `x[0:n-1]` is less than the region accesses of `v`
    {
        twice(n, x);
        next(n, x);
    }
}
""",
    ),
    good=(
        """
typedef struct item { int n; struct item *next; } item;
#pragma omp declare mapper(two: item i) map(i, i.next[0:1])
int main(void) {
    item a[2] = {{1, 0}, {2, 0}};
    a[0].next = &a[1];
    #pragma omp target map(mapper(two), tofrom: a[0])
    a[0].next->n += 1;
    return a[1].n;
}
""",
        """
struct text { int length; char s[]; } text = {3, "abc"};
int f(void) {
    int seen = 0;
    #pragma omp target map(to: text) map(from: seen)
    seen = text.s[2];
    return seen;
}
""",
        """
void f(int n, const float *in, float *out) {
    #pragma omp target teams distribute parallel for map(to: in[0:n]) map(from: out[0:n])
    for (int i = 0; i < n - 1; i++)
        out[i] = in[i] + in[i + 1];
}
""",
        """
void f(int n, const float *in, float *out) {
    #pragma omp target teams distribute parallel for map(to: in[0:n]) map(tofrom: out[0:n])
    for (int i = 0; i < n; i++) {
        out[i] = in[i];
        if (i < n - 1)
            out[i] += in[i + 1];
    }
}
""",
        """
void f(int n, int rows, float *x) {
    for (int row = 0; row < rows; row++) {
        #pragma omp target teams distribute parallel for map(tofrom: x[row * n:n])
        for (int i = 0; i < n; i++)
            x[row * n + i] += row;
    }
}
""",
        """
void f(int n, float *x, const int *index) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n / 2]) map(to: index[0:n])
    for (int i = 0; i < n; i++)
        x[index[i]] = i;
}
""",
        """
void step(int n, float *x) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] += 1;
}
void f(int n, float *x) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        step(n, x);
        step(n / 2, x);
    }
}
""",
        """
void f(int n, int m, float *x, int start) {
    #pragma omp target teams distribute parallel for map(tofrom: x[start:n])
    for (int i = start; i < start + n; i++)
        x[i] += 1;
    #pragma omp target teams distribute parallel for map(tofrom: x[0:m])
    for (int i = 0; i < n; i++)
        x[i] += 1;
}
""",
    ),
    check=check,
)
