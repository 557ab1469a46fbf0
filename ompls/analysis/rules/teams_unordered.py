"""Teams use what other teams of the league may still be working on: there is no barrier across teams."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.report import chosen, other_place, severity, verb


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when both accesses are of the same element for certain and made by different teams.

    Two `distribute` loops that give each team the same elements are right with static schedules (5.2 §11.6).
    """
    for clash in chosen(scene, lambda c: c.kind == "teams"):
        name, one = clash.two.symbol.name, clash.one
        message = (
            f"`{name}` is {verb(clash.two)} here while it may still be {verb(one.touch)} by another team: teams never "
            "wait for each other inside of a `teams` region"
        )
        yield Finding(clash.two.span, message, severity(clash), other_place(clash, scene))


RULE = Rule(
    id="teams-unordered",
    severity="warning",
    title="A `distribute` construct uses what another team may still be working on",
    why="""
At the end of a `distribute` construct there is no barrier, and no directive makes the teams of a league wait for each other.
What one team has written, another may use only when the `teams` region is complete: make two `teams` regions (two target
constructs) out of one. Two `distribute` loops are right in one region when each team uses only what it has written itself.
""",
    section="11.6",
    group="sharing",
    about="clashes",
    bad=(
        """
void f(int n, int *b, int *c, int *t) {
    #pragma omp target teams map(tofrom: b[0:n]) map(to: c[0:n]) map(alloc: t[0:n])
    {
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            t[i] = b[i] + c[i];
        #pragma omp distribute
        for (int i = n - 1; i >= 0; i--)
            b[i] = t[i] * 2;
        //  ^^^^ warning: `b` is written here while it may still be read by another team: teams never wait for each other inside of a `teams` region
        //         ^^^^ warning: `t` is read here while it may still be written by another team: teams never wait for each other inside of a `teams` region
    }
}
""",
        """
static int total(int n, const int *t) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += t[i];
    return sum;
}
void f(int n, int *t, int *s) {
    #pragma omp target teams map(tofrom: t[0:n], s[0:n])
    {
        #pragma omp distribute parallel for
        for (int i = 0; i < n; i++)
            t[i] = i;
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            s[i] = total(n, t);
        //                  ^ warning: `t` is read here while it may still be written by another team: teams never wait for each other inside of a `teams` region
    }
}
""",
    ),
    good=(
        """
void f(int n, int *b, int *c, int *t) {
    #pragma omp target teams distribute map(to: b[0:n], c[0:n]) map(from: t[0:n])
    for (int i = 0; i < n; i++)
        t[i] = b[i] + c[i];
    #pragma omp target teams distribute map(from: b[0:n]) map(to: t[0:n])
    for (int i = n - 1; i >= 0; i--)
        b[i] = t[i] * 2;
}
""",
        """
void f(int n, int *b, int *t) {
    #pragma omp target teams map(tofrom: b[0:n]) map(alloc: t[0:n])
    {
        #pragma omp distribute dist_schedule(static)
        for (int i = 0; i < n; i++)
            t[i] = b[i];
        #pragma omp distribute dist_schedule(static)
        for (int i = 0; i < n; i++)
            b[i] = t[i] * 2;
    }
}
""",
        """
void f(int n, int *b, int *t) {
    #pragma omp target teams map(tofrom: b[0:n], t[0:n])
    {
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            t[i] = i;
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            b[i] = i;
    }
}
""",
        """
void f(int n, int *b, int *t) {
    #pragma omp target teams num_teams(1) map(tofrom: b[0:n], t[0:n])
    {
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            t[i] = i;
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            b[i] = t[n - 1 - i];
    }
}
""",
        """
void f(int n, int *b) {
    #pragma omp target teams map(tofrom: b[0:n])
    {
        int mine[4] = {0};
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            mine[i % 4] += 1;
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            b[i] = mine[0];
    }
}
""",
        """
void f(int n, int *t) {
    #pragma omp target teams map(tofrom: t[0:2 * n])
    {
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            t[i] = i;
        #pragma omp distribute
        for (int i = 0; i < n; i++)
            t[n + i] = i;
    }
}
""",
    ),
    check=check,
)
