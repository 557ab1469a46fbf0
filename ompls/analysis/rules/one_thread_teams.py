"""Teams that have one thread each: `teams distribute` without `parallel`."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import PARALLEL, chain, constructs_of, spreads, trustworthy


def check(scene: Scene) -> Iterator[Finding]:
    for region in scene.content.regions if scene.content is not None else ():
        found, body = chain(region.stmt)
        constructs = constructs_of(found)
        if "distribute" not in constructs or not PARALLEL.isdisjoint(constructs):
            continue
        if not trustworthy(scene.content, region) or spreads(body, scene.unit, PARALLEL):
            continue
        last = found[-1]
        message = "every team runs its share of this loop with one thread: `parallel for` would use all of them"
        yield Finding(last.directive.name_span, message, "hint", (), _changes(last))


def _changes(last: DirectiveStmt) -> tuple[Change, ...]:
    """Only the programmer knows that the iterations of a chunk do not depend on each other."""
    end = last.directive.name_span.end
    if last.directive.clause("dist_schedule", "lastprivate") is not None:
        return ()
    return (Change("Add `parallel for`", Span(end, end), " parallel for", safe=False),)


RULE = Rule(
    id="one-thread-teams",
    severity="hint",
    title="Each team has one thread",
    why="""
`teams distribute` gives each team a share of the iterations, and the team's initial thread runs it alone. On a GPU a
team is a thread block: all threads but one of each block are idle. `teams distribute parallel for` uses all of them.
""",
    section="11.6",
    group="performance",
    about="regions",
    bad=(
        """
void scale(int n, double *x) {
    #pragma omp target teams distribute map(tofrom: x[0:n])
    //          ^^^^^^^^^^^^^^^^^^^^^^^ hint: every team runs its share of this loop with one thread: `parallel for` would use all of them
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
void rows(int n, double *x) {
    #pragma omp target teams map(tofrom: x[0:n*n])
    {
        #pragma omp distribute
        //          ^^^^^^^^^^ hint: every team runs its share of this loop with one thread: `parallel for` would use all of them
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) x[i * n + j] *= 2;
    }
}
""",
    ),
    good=(
        """
void scale(int n, double *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
void rows(int n, double *x) {
    #pragma omp target teams distribute map(tofrom: x[0:n*n])
    for (int i = 0; i < n; i++) {
        #pragma omp parallel for
        for (int j = 0; j < n; j++) x[i * n + j] *= 2;
    }
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target teams distribute simd map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
static void row(int n, double *x) {
    #pragma omp parallel for
    for (int j = 0; j < n; j++) x[j] *= 2;
}
void rows(int n, double *x) {
    #pragma omp target teams distribute map(tofrom: x[0:n*n])
    for (int i = 0; i < n; i++) row(n, x + i * n);
}
""",
        """
void count(int *teams) {
    #pragma omp target teams map(tofrom: teams[0:1])
    #pragma omp atomic
    teams[0]++;
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target teams loop map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
    ),
    check=check,
)
