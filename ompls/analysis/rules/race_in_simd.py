"""Iterations of a simd loop that need a value which an earlier iteration of the same vector makes."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.races.report import Report, finding, reports, text_of


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "simd"):
        race = report.race
        distance = race.meeting.distance
        if distance is None:
            continue
        needed = abs(distance)
        message = (
            f"iterations of this loop run as one vector, but `{text_of(scene, race.second)}` needs what "
            f"`{text_of(scene, race.first)}` of {_before(needed)} wrote: at most `safelen({needed})` is right"
        )
        yield finding(scene, report, message, _changes(report, needed))


def _before(distance: int) -> str:
    return "the iteration before" if distance == 1 else f"the iteration {distance} before"


def _changes(report: Report, needed: int) -> tuple[Change, ...]:
    directive = report.race.level.stmt.directive
    if needed < 2 or directive.clause("safelen", "simdlen") is not None:
        return ()
    return (with_clause(report.race.level.stmt.directive, f"safelen({needed})"),)


RULE = Rule(
    id="race-in-simd",
    severity="warning",
    title="A simd loop needs a value that an earlier iteration of the same vector makes",
    why="""
`simd` says that iterations may run together, statement by statement. A value that one iteration writes and a later one reads
in an earlier statement (or the same one) is then not there yet. `safelen(d)` says how far apart such iterations are.
""",
    section="10.4",
    group="sharing",
    about="races",
    bad=(
        """
void f(int n, double *a) {
    #pragma omp simd
    for (int i = 0; i < n - 1; i++)
        a[i + 1] = a[i] + 1;
    //  ^^^^^^^^ warning: iterations of this loop run as one vector, but `a[i]` needs what `a[i + 1]` of the iteration before wrote: at most `safelen(1)` is right
}
""",
        """
void f(int n, double *a, const double *b) {
    for (int k = 0; k < n; k++) {
        #pragma omp simd
        for (int i = 4; i < n; i++)
            a[i] = a[i - 4] + b[i];
        //  ^^^^ warning: iterations of this loop run as one vector, but `a[i - 4]` needs what `a[i]` of the iteration 4 before wrote: at most `safelen(4)` is right
    }
}
""",
        """
static double next(const double *p) { return *p + 1; }
void f(int n, double *a) {
    #pragma omp simd safelen(8)
    for (int i = 4; i < n; i++)
        a[i] = next(a + i - 4);
    //  ^^^^ warning: iterations of this loop run as one vector, but `*p` needs what `a[i]` of the iteration 4 before wrote: at most `safelen(4)` is right
}
""",
    ),
    good=(
        """
void f(int n, int *a, int *b) {
    #pragma omp simd safelen(32)
    for (int i = 1; i < n; i++) {
        #pragma omp ordered simd
        b[i] = b[i - 1] + 1;
        a[i]++;
        #pragma omp ordered simd
        a[i] += a[i - 1];
    }
}
""",
        """
void f(int n, double *a) {
    #pragma omp simd
    for (int i = 0; i < n - 1; i++)
        a[i] = a[i + 1] + 1;
}
""",
        """
void f(int n, double *a) {
    #pragma omp simd safelen(4)
    for (int i = 4; i < n; i++)
        a[i] = a[i - 4] + 1;
}
""",
        """
void f(int n, double *a, const double *b) {
    #pragma omp simd
    for (int i = 0; i < n; i++)
        a[i] = b[i] + a[i];
}
""",
        """
void f(int n, double *a, double *b) {
    #pragma omp simd
    for (int i = 1; i < n; i++) {
        a[i] = i;
        b[i] = a[i - 1];
    }
}
""",
        """
void f(int n, int m, double *a) {
    #pragma omp simd
    for (int i = m; i < n; i++)
        a[i] = a[i - m];
    for (int k = 1; k < n; k++) {
        #pragma omp simd
        for (int i = 0; i < n; i++)
            a[k * n + i] = a[(k - 1) * n + i];
    }
}
""",
        """
double f(int n, const double *a) {
    double sum = 0;
    #pragma omp simd reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
""",
    ),
    check=check,
)
