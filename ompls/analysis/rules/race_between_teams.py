"""Teams that access one variable: nothing waits across teams, and critical sections and locks do not reach from one to another."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.races.report import finding, reports, text_of


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "teams"):
        race = report.race
        what = text_of(scene, race.first)
        held = {kind for kind, _ in race.first.held & race.second.held}
        if held:
            means = "a critical section" if "critical" in held else "a lock"
            message = f"`{what}` is shared by all teams, and {means} keeps out only the threads of its own team"
        else:
            verb = "write" if race.second.write and not race.second.read else "write and read"
            message = f"all teams {verb} `{what}` at the same time: `distribute` gives each its part, `num_teams(1)` makes one"
        yield finding(scene, report, message)


RULE = Rule(
    id="race-between-teams",
    severity="warning",
    title="Teams that run at the same time access one variable",
    why="""
Every team of a league runs the body of `teams`; only `distribute` shares the work out among them. There is no barrier between
teams, and a critical section or lock is one of a contention group: each team has its own. What all teams update needs `atomic` or a
`reduction`.
""",
    section="10.2",
    group="sharing",
    about="races",
    bad=(
        """
void f(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    #pragma omp teams num_teams(2)
    {
        a[0] = 2 * a[0] + a[n - 1];
    //  ^^^^ warning: all teams write and read `a[0]` at the same time: `distribute` gives each its part, `num_teams(1)` makes one
    }
}
""",
        """
int counter;
void f(int n) {
    #pragma omp target teams distribute parallel for map(tofrom: counter)
    for (int i = 0; i < n; i++) {
        #pragma omp critical
        counter++;
    //  ^^^^^^^ warning: `counter` is shared by all teams, and a critical section keeps out only the threads of its own team
    }
}
""",
        """
static void scale(int n, double *a) {
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
    //  ^^^^ warning: all teams write and read `a[i]` at the same time: `distribute` gives each its part, `num_teams(1)` makes one
}
void f(int n, double *a) {
    #pragma omp target teams map(tofrom: a[0:n])
    scale(n, a);
}
""",
        """
void f(int n, double *a) {
    #pragma omp target teams map(tofrom: a[0:n])
    {
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] += 1;
        //  ^^^^ warning: all teams write and read `a[i]` at the same time: `distribute` gives each its part, `num_teams(1)` makes one
    }
}
""",
    ),
    good=(
        """
void f(int n, double *a) {
    #pragma omp target teams distribute map(tofrom: a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}
""",
        """
void f(int n, double *a) {
    #pragma omp target teams num_teams(1) map(tofrom: a[0:n])
    {
        a[0] = 2 * a[n - 1] + a[0];
        #pragma omp parallel for
        for (int i = 1; i < n; i++)
            a[i] += a[0];
    }
}
""",
        """
int omp_get_team_num(void);
void f(int n, double *a, int *teams) {
    #pragma omp target teams map(tofrom: a[0:n])
    {
        a[omp_get_team_num()] += 1;
        if (omp_get_team_num() == 0)
            a[n - 1] = a[n - 1] + 3;
    }
}
""",
        """
int counter;
void f(int n) {
    #pragma omp target teams distribute parallel for map(tofrom: counter)
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        counter++;
    }
}
""",
        """
int omp_get_num_teams(void);
void f(int n, int *count, double *a) {
    int teams = 0;
    #pragma omp target teams map(tofrom: teams)
    {
        double own = 1;
        own += n;
        teams = omp_get_num_teams();
    }
    *count = teams;
}
""",
        """
void f(int n, double *a) {
    #pragma omp target teams distribute map(tofrom: a[0:n * n])
    for (int i = 0; i < n; i++) {
        double sum = 0;
        #pragma omp parallel for reduction(+: sum)
        for (int j = 1; j < n; j++)
            sum += a[i * n + j];
        a[i * n] = sum;
    }
}
""",
    ),
    check=check,
)
