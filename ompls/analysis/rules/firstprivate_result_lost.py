"""A scalar that a target region assigns and the host reads afterwards, although the region worked on a copy."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import LostResult
from ompls.analysis.dataenv.need import Needs, result_kind
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model.ast import Node, Span, Symbol
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.lost import assignments, is_expected, lost
from ompls.analysis.rules.support.noticed import events, region_at, severity_of
from ompls.analysis.rules.support.noticed import finding as placed
from ompls.analysis.rules.support.races.reducing import reduced_by_region

_MESSAGE = "the value of `{name}` is lost at the end of the region: `{name}` is firstprivate there, and read afterwards"


def check(scene: Scene) -> Iterator[Finding]:
    told: set[Span] = set()
    for finding in (*_in_function(scene), *_in_others(scene)):
        if finding.span not in told:
            told.add(finding.span)
            yield finding


def _in_others(scene: Scene) -> Iterator[Finding]:
    """Globals that other functions read."""
    for found in events(scene, LostResult, "firstprivate"):
        name, region = found.event.name, region_at(scene, found.event.site.span)
        if found.event.certainty == "certain" and region is not None:
            severity = "hint" if _knows(scene) else severity_of(found, scene)
            changes = [_mapped(scene, region, v.symbol) for v in region.variables if v.symbol.name == name]
            yield placed(found, _MESSAGE.format(name=name), severity, *changes[:1])


def _mapped(scene: Scene, region: Region, symbol: Symbol) -> Change:
    """The clause that brings the value back."""
    kind = result_kind(Needs(region, scene.unit.functions).of(symbol))
    return with_clause(region.directive, f"map({kind}: {symbol.name})")


def _knows(scene: Scene) -> bool:
    """Whoever writes `defaultmap` in the same function knows what the default is."""
    return any(d.clause("defaultmap") is not None for d in scene.directives)


def _in_function(scene: Scene) -> Iterator[Finding]:
    function, content = scene.function, scene.content
    if function is None or content is None:
        return
    for region, variable, read, again in lost(content):
        weak = again or region.tainted or _knows(scene) or is_expected(function, variable.symbol, read)
        changes = reduced_by_region(scene, region, variable) or (_mapped(scene, region, variable.symbol),)
        yield _finding(variable, read, "hint" if weak else "warning", changes)


def _finding(variable: Variable, read: Node, severity: Severity, changes: tuple[Change, ...]) -> Finding:
    name = variable.symbol.name
    write = min(assignments(variable), key=lambda n: n.span)
    related = ((read.span, f"`{name}` still has its old value here"),)
    return Finding(
        write.span,
        _MESSAGE.format(name=name),
        severity,
        related,
        changes,
    )


RULE = Rule(
    id="firstprivate-result-lost",
    severity="warning",
    group="sharing",
    title="A scalar that a target region assigns is read afterwards, but its value does not come back",
    why="""
A scalar that no clause lists is firstprivate in a target region (since OpenMP 4.5): the region gets a copy of its value,
and what it assigns to the copy ends with the region. A result must be mapped (`map(tofrom: x)` or `map(from: x)`) or be
a `reduction` variable.
""",
    section="5.8.1",
    bad=(
        """
int f(void) {
    int v = 3;
    #pragma omp target
    v = 4;
//  ^ hint: the value of `v` is lost at the end of the region: `v` is firstprivate there, and read afterwards
    return v != 3;
}
""",
        """
int f(int n, int *x, int best) {
    int k = 0;
    for (int round = 0; round < n; round++) {
        #pragma omp target map(tofrom: x[0:n])
        for (int i = 0; i < n; i++) { k = i; x[i] = k; }
    //                                ^ hint: the value of `k` is lost at the end of the region: `k` is firstprivate there, and read afterwards
        if (x[0] > best) k = round;
    }
    return k;
}
""",
        """
int f(int n, int *x) {
    int last = 0;
    #pragma omp target map(to: x[0:n])
    {
        last = x[n - 1];
    //  ^^^^ warning: the value of `last` is lost at the end of the region: `last` is firstprivate there, and read afterwards
    }
    return last;
}
""",
        """
int f(int n, int *x) {
    int count = 0;
    for (int round = 0; round < 3; round++) {
        #pragma omp target map(to: x[0:n])
        for (int i = 0; i < n; i++)
            count += x[i] > round;
    //      ^^^^^ warning: the value of `count` is lost at the end of the region: `count` is firstprivate there, and read afterwards
    }
    return 0;
}
""",
        """
void use(double);
void f(int n, double *x, int mode) {
    double sum = 0;
    if (mode) {
        #pragma omp target teams distribute parallel for map(to: x[0:n])
        for (int i = 0; i < n; i++) {
            #pragma omp atomic
            sum += x[i];
    //      ^^^ warning: the value of `sum` is lost at the end of the region: `sum` is firstprivate there, and read afterwards
        }
    }
    use(sum);
}
""",
        """
void f(int n, int *x, int *nearest) {
    int index = 0;
    for (int round = 0; round < 3; round++) {
        #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: nearest[0:n])
        for (int i = 0; i < n; i++) {
            if (x[i] > round)
                index = i;
    //          ^^^^^ hint: the value of `index` is lost at the end of the region: `index` is firstprivate there, and read afterwards
            nearest[i] = index;
        }
    }
}
""",
        """
int found;
static void search(int n, const int *x) {
    #pragma omp target map(to: x[0:n])
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            found = i;
    //      ^^^^^ warning: the value of `found` is lost at the end of the region: `found` is firstprivate there, and read afterwards
}
int main(void) {
    int a[10] = {1, 2, -3};
    for (int k = 0; k < 2; k++)
        search(10, a);
    return found;
}
""",
    ),
    good=(
        """
int f(int n, int *x, int best) {
    int k = 0;
    for (int round = 0; round < n; round++) {
        #pragma omp target map(tofrom: x[0:n])
        for (int i = 0; i < n; i++) { k = i; x[i] = k; }
        k = round;
    }
    return k;
}
""",
        """
void f(int *p, int n) {
    int v = 3;
    #pragma omp target defaultmap(firstprivate) map(tofrom: p[0:n])
    { v = v + 1; p[0] = v; }
    #pragma omp target teams default(firstprivate) map(tofrom: p[0:n])
    { v = v + 1; p[0] = v; }
    p += v;
}
""",
        """
int f(int n, int *x) {
    int last = 0;
    #pragma omp target map(to: x[0:n]) map(from: last)
    { last = x[n - 1]; }
    return last;
}
""",
        """
typedef int (*function)(int);
int square(int);
#pragma omp declare target enter(square) indirect
int f(int n) {
    function one = square, other;
    #pragma omp target map(from: other)
    other = one;
    return one(n) + (other != 0);
}
""",
        """
double f(int n, double *x) {
    double sum = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: x[0:n])
    for (int i = 0; i < n; i++) sum += x[i];
    return sum;
}
""",
        """
void f(int n, double *x) {
    int i;
    double t;
    for (int round = 0; round < 3; round++) {
        #pragma omp target map(tofrom: x[0:n])
        for (i = 0; i < n; i++) { t = 2 * x[i]; x[i] = t; }
    }
    for (i = 0; i < n; i++) { t = x[i]; x[i] = t + 1; }
}
""",
        """
int f(int *x) {
    int v = 3;
    #pragma omp target map(tofrom: x[0:1]) firstprivate(v)
    { v = v + 1; x[0] = v; }
    return v;
}
""",
        """
int f(int *x) {
    int v = 3;
    #pragma omp target map(tofrom: x[0:1]) defaultmap(tofrom: scalar)
    { v = v + 1; x[0] = v; }
    return v;
}
""",
        """
int f(int *x, int n) {
    int v = 3;
    #pragma omp target map(tofrom: x[0:1])
    { int v = 4; x[0] = v; v = 5; }
    if (n) {
        #pragma omp target map(tofrom: x[0:1])
        { v = 7; x[0] = v; }
        v = 1;
    }
    return v;
}
""",
        """
#pragma omp declare target
int counter;
#pragma omp end declare target
int f(void) {
    #pragma omp target
    counter = 1;
    #pragma omp target update from(counter)
    return counter;
}
""",
        """
int f(int n, int *x) {
    int v = 3;
    #pragma omp target teams distribute parallel for private(v) map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) { v = i; x[i] = v; }
    return v;
}
""",
    ),
    check=check,
)
