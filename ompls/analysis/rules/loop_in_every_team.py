"""A loop in `teams` that no `distribute` shares out: every team runs all of it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.ranges import loop_range
from ompls.analysis.model.ast import For, Name, Span, Stmt
from ompls.analysis.model.constants import fold
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import chain, constructs_of, spreads, trustworthy

_TELL_TEAMS_APART = frozenset(("omp_get_team_num", "omp_get_num_teams"))
_SHARING = frozenset(("distribute", "loop", "parallel", "for", "simd", "sections", "task", "taskloop", "single"))


def check(scene: Scene) -> Iterator[Finding]:
    for region in scene.content.regions if scene.content is not None else ():
        found, body = chain(region.stmt)
        constructs = constructs_of(found)
        if "teams" not in constructs or not _SHARING.isdisjoint(constructs) or not isinstance(body, For):
            continue
        if not trustworthy(scene.content, region) or spreads(body, scene.unit, _SHARING) or _asks(body):
            continue
        teams = next(s.directive for s in found if "teams" in s.directive.constructs)
        number = teams.clause("num_teams")
        counted = loop_range(body)
        if counted is None or counted.symbol is None or (number is not None and [fold(a) for a in number.args] == [1]):
            continue
        message = "every team runs all iterations of this loop: `distribute` would share them out"
        summed = teams.clause("reduction")
        if summed is not None:
            message += "; what they reduce is added up once for each team"
        end = teams.name_span.end
        fix = Change("Add `distribute`", Span(end, end), " distribute", safe=False)
        yield Finding(
            teams.name_span, message, "hint", ((body.span, "the loop"),), (fix,) if found[-1].directive is teams else ()
        )


def _asks(body: Stmt) -> bool:
    """Whether the loop asks which team runs it."""
    return any(isinstance(n, Name) and n.name in _TELL_TEAMS_APART for n in body.walk())


RULE = Rule(
    id="loop-in-every-team",
    severity="hint",
    title="Every team runs all iterations of a loop",
    why="""
`teams` starts a league of teams that all do the same, each with one thread. Only `distribute` (or `loop`) gives each of them a
share of the iterations that follow. Without it the work is done once for each team, and a `reduction` of the construct
combines as many copies of the result.
""",
    section="11.6",
    group="performance",
    about="regions",
    bad=(
        """
double f(void) {
    double s = 0;
    #pragma omp target teams num_teams(4) map(tofrom: s) reduction(+: s)
    //          ^^^^^^^^^^^^ hint: every team runs all iterations of this loop: `distribute` would share them out; what they reduce is added up once for each team
    for (int i = 0; i < 1000; i++)
        s += i;
    return s;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(from: x[0:n])
    #pragma omp teams
    //          ^^^^^ hint: every team runs all iterations of this loop: `distribute` would share them out
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
    ),
    good=(
        """
double f(void) {
    double s = 0;
    #pragma omp target teams distribute num_teams(4) map(tofrom: s) reduction(+: s)
    for (int i = 0; i < 1000; i++)
        s += i;
    return s;
}
""",
        """
int omp_get_team_num(void);
int omp_get_num_teams(void);
double f(void) {
    double s = 0;
    #pragma omp target teams num_teams(4) map(tofrom: s) reduction(+: s)
    for (int i = omp_get_team_num(); i < 1000; i += omp_get_num_teams())
        s += i;
    return s;
}
""",
        """
double f(void) {
    double s = 0;
    #pragma omp target teams num_teams(1) map(tofrom: s) reduction(+: s)
    for (int i = 0; i < 1000; i++)
        s += i;
    return s;
}
""",
        """
double f(int n, const double *x) {
    double s = 0;
    #pragma omp target teams map(tofrom: s) map(to: x[0:n]) reduction(+: s)
    for (int k = 0; k < 3; k++) {
        #pragma omp distribute
        for (int i = 0; i < n; i++) s += x[i];
    }
    return s;
}
""",
        """
int omp_get_team_num(void);
void f(int *count) {
    #pragma omp target teams num_teams(4) map(tofrom: count[0:4])
    {
        int mine = 0;
        for (int i = 0; i < 100; i++) mine += i & omp_get_team_num();
        count[omp_get_team_num()] = mine;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams loop map(from: x[0:n])
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
    ),
    check=check,
)
