"""A region whose result differs between the chosen version of OpenMP and later ones."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.implicit import category
from ompls.analysis.model.ast import Span
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.limits import regions_of


def check(scene: Scene) -> Iterator[Finding]:
    """Only for versions that somebody chose: with 5.0 and later there is one meaning."""
    version = scene.unit.settings.openmp
    if version >= "5.0":
        return
    for region in regions_of(scene):
        if version == "4.0":
            yield from _scalars(region)
        else:
            yield from _results(region)


def _scalars(region: Region) -> Iterator[Finding]:
    """4.0 maps a scalar `tofrom`; since 4.5 it is firstprivate (4.5 §2.15.5): what the region assigns is lost."""
    for variable in region.variables:
        scalar = category(variable.symbol.type) == "scalar"
        if scalar and variable.implicit and variable.sharing == "mapped" and variable.writes:
            name = variable.symbol.name
            message = f"OpenMP 4.0 copies `{name}` back, later versions do not: write `map(tofrom: {name})`"
            yield Finding(variable.writes[0].span, message, "warning", (), (_map(region, name),))


def _results(region: Region) -> Iterator[Finding]:
    """Since 5.0 a reduction or lastprivate variable of a combined construct is mapped tofrom (5.2 §17.2); 4.5 makes it
    firstprivate of the target construct, so that the result stays on the device."""
    directive = region.directive
    if directive.name == "target":
        return
    mapped = {i.symbol for c in directive.all("map", "is_device_ptr", "firstprivate", "private") for i in c.items}
    for clause in directive.all("reduction", "lastprivate", "linear"):
        for item in clause.items:
            if item.symbol is None or item.symbol in mapped or item.symbol.declare_target:
                continue
            if category(item.symbol.type) == "scalar":
                message = (
                    f"the result in `{item.text}` comes back since OpenMP 5.0 only: write `map(tofrom: {item.text})`"
                )
                yield Finding(item.span, message, "warning", (), (_map(region, item.text),))


def _map(region: Region, name: str) -> Change:
    end = region.directive.span.end
    return Change(f"Add `map(tofrom: {name})`", Span(end, end), f" map(tofrom: {name})")


RULE = Rule(
    id="version-dependent-behaviour",
    severity="warning",
    group="portability",
    title="A region that means something else in another version",
    why="""
OpenMP has changed what happens to variables that no `map` clause lists: scalars are copied back in 4.0 and are firstprivate since
4.5, and the results of `reduction` and `lastprivate` on a combined construct come back since 5.0 only. With a `map` clause all
versions agree. Reported when the chosen version (`openmp`) is 4.0 or 4.5.
""",
    section="17.2",
    about="regions",
    bad=(
        """
// OpenMP 4.5
double f(int n, double *x) {
    double sum = 0, last;
    #pragma omp target parallel for reduction(+: sum) map(to: x[0:n])
    //                                           ^^^ warning: the result in `sum` comes back since OpenMP 5.0 only: write `map(tofrom: sum)`
    for (int i = 0; i < n; i++) sum += x[i];
    #pragma omp target teams distribute parallel for lastprivate(last) map(to: x[0:n])
    //                                                           ^^^^ warning: the result in `last` comes back since OpenMP 5.0 only: write `map(tofrom: last)`
    for (int i = 0; i < n; i++) last = x[i];
    return sum + last;
}
""",
        """
// OpenMP 4.0
int f(int n, int *x) {
    int found = 0;
    #pragma omp target map(to: x[0:n])
    for (int i = 0; i < n; i++)
        if (x[i]) found = 1;
    //            ^^^^^ warning: OpenMP 4.0 copies `found` back, later versions do not: write `map(tofrom: found)`
    return found;
}
""",
    ),
    good=(
        """
double f(int n, double *x) {
    double sum = 0, last;
    #pragma omp target parallel for reduction(+: sum) lastprivate(last) map(to: x[0:n])
    for (int i = 0; i < n; i++) { sum += x[i]; last = x[i]; }
    return sum + last;
}
""",
        """
// OpenMP 4.5
double f(int n, double *x) {
    double sum = 0;
    #pragma omp target parallel for reduction(+: sum) map(to: x[0:n]) map(tofrom: sum)
    for (int i = 0; i < n; i++) sum += x[i];
    return sum;
}
""",
        """
// OpenMP 4.5
double f(int n, double *x) {
    double sum = 0;
    #pragma omp target map(to: x[0:n]) map(tofrom: sum)
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < n; i++) sum += x[i];
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < n; i++) sum += x[i];
    return sum;
}
""",
        """
// OpenMP 4.0
int f(int n, int *x) {
    int found = 0, seen[4];
    #pragma omp target map(to: x[0:n]) map(tofrom: found)
    for (int i = 0; i < n; i++)
        if (x[i]) { found = 1; seen[0] = 1; }
    return found + seen[0];
}
""",
        """
// OpenMP 4.5
int f(int n, int *x) {
    int found = 0;
    #pragma omp target map(to: x[0:n])
    for (int i = 0; i < n; i++)
        if (x[i]) found = 1;
    return found;
}
""",
    ),
    check=check,
)
