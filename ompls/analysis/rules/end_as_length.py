"""A section `[begin:length]` that is written as if it were `[begin:end]`.

Told when all that the region accesses is known, and ends exactly where the section's length would put an end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.symbolic import poly_of
from ompls.analysis.model.ast import Section
from ompls.analysis.model.omp import ListItem
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import trustworthy
from ompls.analysis.rules.support.lengths import first_of, longer, reach_of


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    for region in content.regions if content is not None else ():
        if trustworthy(content, region):
            for clause in region.directive.all("map"):
                for item in clause.items:
                    yield from _looked_at(scene, region, item)


def _looked_at(scene: Scene, region: Region, item: ListItem) -> Iterator[Finding]:
    section = item.expr
    if not isinstance(section, Section) or section.lower is None or section.length is None:
        return
    first = first_of(section)
    if first is None or section.stride is not None:
        return
    begin, length = poly_of(section.lower), poly_of(section.length)
    # From a constant on, an end and a length differ by no more than a few: that may be meant.
    if begin is None or length is None or begin.constant is not None:
        return
    reach = reach_of(scene, region, first, begin)
    if reach is None or reach.low != begin or reach.low + reach.length != length:
        return
    message = (
        f"the length of `{item.text}` is written as an end: the region accesses `{reach.text}` elements from there on"
    )
    yield Finding(section.length.span, message, "hint", (), (longer(scene, section, reach),))


RULE = Rule(
    id="end-as-length",
    group="mapping",
    severity="hint",
    title="A section's length is written as if it were its end",
    why="""
The second number of `a[begin:length]` is how many elements there are, and not where they end. With an end in its place the section
is right where it begins at 0, and reaches too far everywhere else. Where an array is shared out over several devices, each of them then brings
back results that another one has to write.
""",
    section="3.2.5",
    about="regions",
    bad=(
        """
#define START device*size
#define END   device*size+size
void add(double *a, double *b, double *c, int ndevices) {
    int size = 1024 / ndevices;
    for (int device = 0; device < ndevices; device++) {
        #pragma omp target device(device) map(to: a[START:END], b[START:END]) map(from: c[START:END]) nowait
        //                                                                                      ^^^ hint: the length of `c[device*size:device*size+size]` is written as an end: the region accesses `size` elements from there on
        //                                                              ^^^ hint: the length of `b[device*size:device*size+size]` is written as an end: the region accesses `size` elements from there on
        //                                                ^^^ hint: the length of `a[device*size:device*size+size]` is written as an end: the region accesses `size` elements from there on
        {
            #pragma omp parallel for
            for (int i = START; i < END; i++)
                c[i] = a[i] + b[i];
        }
    }
}
""",
        """
void scale(float *x, int from, int to) {
    #pragma omp target teams distribute parallel for map(tofrom: x[from:to])
    //                                                                  ^^ hint: the length of `x[from:to]` is written as an end: the region accesses `to - from` elements from there on
    for (int i = from; i < to; i++)
        x[i] *= 2;
}
""",
        """
struct grid { double *cells, row[100]; };
struct system { struct grid grid, *others; };
void clear(struct system *sys, int nx, int ny, int k) {
    #pragma omp target teams distribute parallel for map(tofrom: sys->grid.cells[2*nx : nx*ny])
    //                                                                                  ^^^^^ hint: the length of `sys->grid.cells[2*nx:nx*ny]` is written as an end: the region accesses `nx*ny - 2*nx` elements from there on
    for (int i = 2*nx; i < nx * ny; i++)
        sys->grid.cells[i] = 0;
    #pragma omp target map(tofrom: sys->others[k].row[nx : ny])
    //                                                     ^^ hint: the length of `sys->others[k].row[nx:ny]` is written as an end: the region accesses `ny - nx` elements from there on
    for (int i = nx; i < ny; i++)
        sys->others[k].row[i] = i;
}
""",
    ),
    good=(
        """
void scale(float *x, int from, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: x[from:n])
    for (int i = from; i < from + n; i++)
        x[i] *= 2;
}
""",
        """
void scale(float *x, int from, int to) {
    #pragma omp target teams distribute parallel for map(tofrom: x[from:to - from])
    for (int i = from; i < to; i++)
        x[i] *= 2;
}
""",
        """
void shift(float *x, int n) {
    #pragma omp target map(tofrom: x[n:n])
    for (int i = 0; i < n; i++)
        x[n + i] = i;
}
""",
        """
void first(float *x, int n) {
    #pragma omp target map(tofrom: x[1:n])
    for (int i = 1; i < n; i++)
        x[i] = i;
}
""",
        """
void stencil(const double *u, double *d, int n, int r) {
    #pragma omp target map(to: u[-r:n + 2 * r]) map(from: d[0:n])
    for (int i = 0; i < n; i++)
        d[i] = u[i - r] + u[i + r];
}
""",
        """
void some(float *x, const int *at, int from, int to) {
    #pragma omp target map(tofrom: x[from:to]) map(to: at[0:to])
    for (int i = from; i < to; i++)
        x[at[i]] = i;
}
""",
        """
void two(float *x, int from, int to) {
    #pragma omp target map(tofrom: x[from:to])
    for (int i = from; i < to; i++)
        x[i] = x[from + i];
}
""",
        """
struct grid { double *cells, *next; };
void members(struct grid *g, struct grid *h, int from, int to) {
    #pragma omp target map(tofrom: g[0:1], g->cells[from:to], g->next[from:to - from])
    for (int i = from; i < to; i++)
        g->next[i] = g->cells[i - from] + g->cells[i];
    #pragma omp target map(tofrom: g[0:1], h[0:2], g->cells[from:to], h[1].cells[from:to])
    for (int i = from; i < to; i++) {
        g->cells[i] = 0;
        g->cells = h->cells;
        h[i - from].cells[i] = 1;
    }
}
""",
    ),
    check=check,
)
