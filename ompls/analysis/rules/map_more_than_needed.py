"""Data that is copied to the device and back although the region only reads it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import holds_pointers, root
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.ctype import CType, Pointer
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import trustworthy


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    for region in content.regions if content is not None else ():
        if not trustworthy(content, region) or "unified_shared_memory" in scene.unit.told.requires:
            continue
        elsewhere = _mapped_elsewhere(scene, region)
        for clause in region.directive.all("map"):
            if clause.keyword not in ("", "tofrom") or clause.modifiers:
                continue
            for item in clause.items:
                symbol = item.symbol or root(item.expr)
                variable = region.variable(symbol) if symbol is not None else None
                if variable is not None and variable.symbol not in elsewhere and _only_read(variable):
                    yield _finding(clause, item, variable)


def _mapped_elsewhere(scene: Scene, region: Region) -> set[Symbol]:
    """What a data directive of the function maps: the region's own map copies nothing then."""
    others = (d for d in scene.directives if d is not region.directive and not d.has("target"))
    return {s for d in others for c in d.all("map") for i in c.items if (s := i.symbol or root(i.expr)) is not None}


def _only_read(variable: Variable) -> bool:
    """A variable with pointers in it may be the way to data that is written."""
    if variable.sharing != "mapped" or variable.writes or not variable.reads or variable.symbol.declare_target:
        return False
    return len(variable.maps) == 1 and not holds_pointers(_element(variable.symbol.type))


def _element(t: CType) -> CType:
    return t.to if isinstance(t, Pointer) else t


def _finding(clause: Clause, item: ListItem, variable: Variable) -> Finding:
    name = variable.symbol.name
    message = f"`{name}` is copied back from the device, but this region only reads it: `map(to: …)` is enough"
    changes: tuple[Change, ...] = ()
    if len(clause.items) == 1:
        if clause.keyword_span is not None and clause.keyword:
            changes = (Change(f"Map `{name}` to", Span(*clause.keyword_span), "to"),)
        else:
            changes = (Change(f"Map `{name}` to", Span(item.span.start, item.span.start), "to: "),)
    return Finding(item.span, message, "hint", ((variable.reads[0].span, "read here"),), changes)


RULE = Rule(
    id="map-more-than-needed",
    severity="hint",
    title="Data that is only read is copied back",
    why="""
`map(tofrom: x)`, and a `map` without a type, copy `x` to the device before the region and back after it. For data that
the region only reads, the second copy moves bytes over the slowest link of the machine to write what was there before.
""",
    section="5.8.3",
    group="performance",
    about="regions",
    bad=(
        """
void axpy(int n, double a, double *x, double *y) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) map(tofrom: y[0:n])
    //                                                           ^^^^^^ hint: `x` is copied back from the device, but this region only reads it: `map(to: …)` is enough
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}
""",
        """
void copy(int n) {
    int a[100], b[100];
    for (int i = 0; i < 100; i++) a[i] = i;
    #pragma omp target map(a) map(from: b)
    //                     ^ hint: `a` is copied back from the device, but this region only reads it: `map(to: …)` is enough
    for (int i = 0; i < 100; i++) b[i] = a[i];
}
""",
        """
static double at(const double *x, int i) { return x[i]; }
double sum(int n, double *x) {
    double all = 0;
    #pragma omp target teams distribute parallel for reduction(+: all) map(x[0:n])
    //                                                                     ^^^^^^ hint: `x` is copied back from the device, but this region only reads it: `map(to: …)` is enough
    for (int i = 0; i < n; i++) all += at(x, i);
    return all;
}
""",
    ),
    good=(
        """
void axpy(int n, double a, double *x, double *y) {
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}
""",
        """
void axpy(int n, double a, double *x, double *y) {
    #pragma omp target data map(to: x[0:n]) map(tofrom: y[0:n])
    {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) map(tofrom: y[0:n])
        for (int i = 0; i < n; i++) y[i] += a * x[i];
    }
}
""",
        """
void set(double *, int);
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) set(x, i);
}
""",
        """
struct node { double value; struct node *next; };
double f(struct node *nodes, int n) {
    #pragma omp target map(tofrom: nodes[0:n])
    for (int i = 0; i < n; i++) nodes[i].next->value = 1;
    return nodes[0].value;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        double *p = x;
        for (int i = 0; i < n; i++) *p++ = 0;
    }
}
""",
        """
double last(int n, double *x) {
    double all = 0;
    #pragma omp target teams distribute parallel for map(tofrom: all) map(to: x[0:n]) reduction(+: all)
    for (int i = 0; i < n; i++) all += x[i];
    return all;
}
""",
    ),
    check=check,
)
