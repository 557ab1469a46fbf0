"""Data that is copied to the device and back although the region only reads it, or of which it uses a small part."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import holds_pointers, root, same
from ompls.analysis.dataenv.symbolic import Poly, poly_of, sign
from ompls.analysis.model.ast import Binary, Expr, For, Section, Span, Symbol
from ompls.analysis.model.ctype import CType, Pointer, Record
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import trustworthy
from ompls.analysis.rules.support.lengths import Reach, first_of, in_c, reach_of

_TWICE = 2


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    for region in content.regions if content is not None else ():
        if not trustworthy(content, region) or "unified_shared_memory" in scene.unit.told.requires:
            continue
        elsewhere = _mapped_elsewhere(scene, region)
        yield from (_by_default(region, v) for v in region.variables if v.symbol not in elsewhere and _is_own(v))
        for clause in region.directive.all("map"):
            if clause.keyword not in ("", "tofrom", "to") or clause.modifiers:
                continue
            for item in clause.items:
                symbol = item.symbol or root(item.expr)
                variable = region.variable(symbol) if symbol is not None else None
                if variable is None or variable.symbol in elsewhere:
                    continue
                if clause.keyword != "to" and _only_read(variable):
                    yield _finding(clause, item, variable)
                if (reach := _used(scene, region, item)) is not None:
                    name = f"{variable.symbol.name}[{in_c(reach.low)}:{reach.text}]"
                    message = f"`{item.text}` is copied, but this region uses no more of it than `{name}`"
                    yield Finding(
                        item.span, message, "hint", (((variable.reads or variable.writes)[0].span, "used here"),)
                    )


def _used(scene: Scene, region: Region, item: ListItem) -> Reach | None:
    """What is used of a section that is twice as long, or longer: less may be a halo, or rows that are kept whole.

    One element that is looked at says little of what the section is for.
    """
    section = item.expr
    if not isinstance(section, Section) or section.length is None or section.stride is not None:
        return None
    length = _long(region, section.length)
    if length is None:
        return None
    first = first_of(section)
    begin = poly_of(section.lower, loads=False) if section.lower is not None else Poly.of(0)
    reach = reach_of(scene, region, first, begin) if first is not None and begin is not None else None
    if reach is None or reach.length == Poly.of(1):
        return None
    return reach if _is_twice(length, reach.length) else None


def _long(region: Region, written: Expr) -> Poly | None:
    """A length that may be twice as long as what is used; None for most, which need no closer look."""
    ends = [f.condition.right for f in region.stmt.nodes(For) if isinstance(f.condition, Binary)]
    if any(same(end, written) for end in ends):
        return None  # a loop over all of it
    length = poly_of(written, loads=False)
    if length is None or any(abs(factor) < _TWICE for factor in length.terms.values()):
        return None  # nothing is twice as long as another length that C code has: `n`, not `2 * n`
    counts = (poly_of(end, loads=False) for end in ends)
    return length if any(count is not None and _is_twice(length, count) for count in counts) else None


def _is_twice(length: Poly, other: Poly) -> bool:
    return sign(length - other * _TWICE) in (">", ">=", "==")


def _mapped_elsewhere(scene: Scene, region: Region) -> set[Symbol]:
    """What a data directive of the function maps: the region's own map copies nothing then."""
    others = (d for d in scene.directives if d is not region.directive and not d.has("target"))
    return {s for d in others for c in d.all("map") for i in c.items if (s := i.symbol or root(i.expr)) is not None}


def _only_read(variable: Variable) -> bool:
    """A variable with pointers in it may be the way to data that is written."""
    if variable.sharing != "mapped" or variable.writes or not variable.reads or variable.symbol.declare_target:
        return False
    return len(variable.maps) == 1 and not holds_pointers(_element(variable.symbol.type))


def _is_own(variable: Variable) -> bool:
    """Whether it is a structure of this call that is mapped by default, and not written: nobody else maps it."""
    symbol = variable.symbol
    own = symbol.level != "file" and symbol.storage != "static" and isinstance(symbol.type, Record)
    return own and variable.implicit and "const" not in symbol.type.quals and _only_read(variable)


def _by_default(region: Region, variable: Variable) -> Finding:
    name = variable.symbol.name
    message = f"`{name}` is mapped `tofrom` by default, and this region only reads it: `map(to: {name})` is enough"
    fix = with_clause(region.directive, f"map(to: {name})", safe=True)
    return Finding(variable.reads[0].span, message, "hint", ((region.directive.span, "this region"),), (fix,))


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
    title="More is copied than the region needs",
    why="""
`map(tofrom: x)`, and a `map` without a type, copy `x` to the device before the region and back after it. For data that
the region only reads, the second copy moves bytes over the slowest link of the machine to write what was there before.

So does a section of which the region uses the first half, or less (`map(to: x[0:2*n])` for a loop over `n` elements). A little more than what is
used is not spoken of. A structure that no clause names is copied both ways, too.
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
        """
void scale(int n, const double *x, double *y) {
    double few[1000] = {0};
    #pragma omp target teams distribute parallel for map(to: x[0:2*n], few[0:1000]) map(tofrom: y[0:n])
    //                                                       ^^^^^^^^ hint: `x[0:2*n]` is copied, but this region uses no more of it than `x[0:n]`
    //                                                                 ^^^^^^^^^^^ hint: `few[0:1000]` is copied, but this region uses no more of it than `few[0:10]`
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 10; k++) y[i] += few[k] * x[i];
}
""",
        """
struct setup { double a, b[8]; int n; };
void f(struct setup s, double *y) {
    #pragma omp target teams distribute parallel for map(tofrom: y[0:100])
    for (int i = 0; i < 100; i++) y[i] = s.a;
    //                                   ^^^ hint: `s` is mapped `tofrom` by default, and this region only reads it: `map(to: s)` is enough
}
""",
    ),
    good=(
        """
struct setup { double a, b[8]; int n; double *rows; };
struct sums { double a, b; };
void f(struct setup s, const struct sums c, double *y) {
    struct sums t = {0}, u = {1, 2};
    #pragma omp target map(tofrom: y[0:1])
    { t.a += s.a; t.b += s.b[0] + c.a; y[0] = t.a; }
    #pragma omp target map(tofrom: y[0:1]) firstprivate(u)
    y[0] += u.a + u.b;
}
""",
        """
void smooth(int n, const double *x, double *y, const int *at) {
    #pragma omp target teams distribute parallel for map(to: x[0:2*n], at[0:n]) map(tofrom: y[0:2*n + 2])
    for (int i = 1; i < n; i++) { y[i] = x[2 * i] + x[i]; y[at[i]] = 0; }
    #pragma omp target teams distribute parallel for map(to: x[0:66]) map(tofrom: y[0:66])
    for (int i = 1; i < 65; i++) y[i] = x[i - 1] + x[i + 1];
}
""",
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
