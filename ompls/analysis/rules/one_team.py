"""A region whose many iterations one team runs: `parallel` without `teams`."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.ranges import loop_range
from ompls.analysis.model.ast import Compound, For, Stmt
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import chain, constructs_of, trustworthy

_MANY = 1 << 14  # iterations, of which several teams would each have enough


def check(scene: Scene) -> Iterator[Finding]:
    for region in scene.content.regions if scene.content is not None else ():
        found, body = chain(region.stmt)
        constructs = constructs_of(found)
        if not {"parallel", "for"} <= constructs or "teams" in constructs or not trustworthy(scene.content, region):
            continue
        if _iterations(body) >= _MANY:
            message = "one team runs all of this loop: `teams distribute` would use the whole device"
            yield Finding(region.directive.name_span, message, "hint")


def _iterations(stmt: Stmt | None) -> int:
    """How often the body of a loop nest runs, as far as numbers say it: 1 where they do not."""
    while isinstance(stmt, Compound) and len(stmt.items) == 1:
        stmt = stmt.items[0]
    if not isinstance(stmt, For):
        return 1
    counted = loop_range(stmt)
    trips = counted.trips.constant if counted is not None and counted.trips is not None else None
    return (trips if trips is not None and trips > 0 else 1) * _iterations(stmt.body)


RULE = Rule(
    id="one-team",
    severity="hint",
    title="One team runs a large loop",
    why="""
`target parallel for` makes one team, which one multiprocessor of a GPU runs. `target teams distribute parallel for` makes as
many as the device has room for. It is said where numbers in the text tell that there are enough iterations for several teams.
""",
    section="11.6",
    group="performance",
    about="regions",
    bad=(
        """
void f(double (*a)[1000], const double (*b)[1000]) {
    #pragma omp target parallel for map(tofrom: a[0:1000]) map(to: b[0:1000])
    //          ^^^^^^^^^^^^^^^^^^^ hint: one team runs all of this loop: `teams distribute` would use the whole device
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 1000; j++) a[i][j] += b[i][j];
}
""",
    ),
    good=(
        """
void f(double (*a)[1000], const double (*b)[1000]) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:1000]) map(to: b[0:1000])
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 1000; j++) a[i][j] += b[i][j];
}
""",
        """
void f(int n, double *a) {
    #pragma omp target parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] += 1;
}
""",
        """
void f(double *a) {
    #pragma omp target parallel for map(tofrom: a[0:1024])
    for (int i = 0; i < 1024; i++) a[i] += 1;
}
""",
        """
void f(double *a) {
    #pragma omp target map(tofrom: a[0:100000])
    #pragma omp teams distribute parallel for
    for (int i = 0; i < 100000; i++) a[i] += 1;
}
""",
        """
void f(double *a) {
    #pragma omp parallel for
    for (int i = 0; i < 100000; i++) a[i] += 1;
}
""",
    ),
    check=check,
)
