"""Iterations that run at the same time meet in one element: a[i] needs a[i - 1]."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.races.judge import Race
from ompls.analysis.rules.support.races.report import finding, reports, text_of


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "carried"):
        race = report.race
        written, other = text_of(scene, race.first), text_of(scene, race.second)
        verb = "writes" if race.second.write and not race.second.read else "reads"
        message = f"`{written}` is written by one iteration while {_which(race)} {verb} the same element as `{other}`"
        yield finding(scene, report, message)


def _which(race: Race) -> str:
    distance = race.meeting.distance
    if distance is None or distance == 0:
        return "another one"
    n = abs(distance)
    away = "the next one" if n == 1 else f"the one {n} later"
    before = "the one before" if n == 1 else f"the one {n} before"
    later = distance > 0  # from the pair's first access in the text's order
    return away if later else before


RULE = Rule(
    id="loop-carried-dependence",
    severity="warning",
    title="Iterations that run at the same time access the same element",
    why="""
The iterations of a worksharing loop, a `distribute` loop or a `taskloop` run in any order and at the same time. When one iteration
writes an element that another one reads or writes, the result depends on which comes first. Write to another array, split the
loop, or use `ordered` (with the clause and the directive) where the order matters.
There is no quick fix: which of these keeps the result is not in the text.
""",
    section="11.5",
    group="sharing",
    about="races",
    bad=(
        """
void f(int n, double *a) {
    #pragma omp parallel for
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + 1;
    //  ^^^^ warning: `a[i]` is written by one iteration while the next one reads the same element as `a[i - 1]`
}
""",
        """
#define N 1000
int a[N];
void f(void) {
    #pragma omp target teams distribute parallel for simd safelen(16) map(tofrom: a)
    for (int i = 16; i < N; i++)
        a[i] = a[i - 16] + 1;
    //  ^^^^ warning: `a[i]` is written by one iteration while the one 16 later reads the same element as `a[i - 16]`
}
""",
        """
void f(double (*b)[100]) {
    #pragma omp parallel for
    for (int i = 0; i < 100; i++)
        for (int j = 1; j < 100; j++)
            b[j][i] = b[j - 1][99 - i];
        //  ^^^^^^^ warning: `b[j][i]` is written by one iteration while another one reads the same element as `b[j - 1][99 - i]`
}
""",
        """
void f(int n, double *a) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = a[i] + a[0];
    //  ^^^^ warning: `a[i]` is written by one iteration while another one reads the same element as `a[0]`
}
""",
        """
static void shift(double *to, const double *from) { *to = *from; }
//                                                  ^^^ warning: `*to` is written by one iteration while the one before reads the same element as `*from`
void f(int n, double *a) {
    #pragma omp parallel for
    for (int i = 0; i < n - 1; i++)
        shift(a + i, a + i + 1);
}
""",
        """
void f(int n, double *a, const int *to) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[2 * i] = a[i] + 1;
    //  ^^^^^^^^ warning: `a[2 * i]` is written by one iteration while another one reads the same element as `a[i]`
}
""",
    ),
    good=(
        """
void f(int n, double *a, const double *b) {
    #pragma omp parallel for
    for (int i = 1; i < n; i++)
        a[i] = b[i - 1] + a[i];
}
""",
        """
void f(int n, double *a) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[2 * i] = a[2 * i + 1];
}
""",
        """
void f(int n, int ld, double *a) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 1; j < ld; j++)
            a[i * ld + j] += a[i * ld + j - 1];
}
""",
        """
void f(int n, double *a) {
    #pragma omp parallel for ordered
    for (int i = 1; i < n; i++) {
        #pragma omp ordered
        a[i] = a[i - 1] + 1;
    }
}
""",
        """
void f(int n, double *a, double *b) {
    for (int t = 1; t < n; t++) {
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[t * n + i] = a[(t - 1) * n + i] + b[i];
    }
}
""",
        """
void f(int n, double *a) {
    #pragma omp parallel for
    for (int i = 1; i < n; i += 2)
        a[i] = a[i - 1];
    for (int c = 0; c < 2; c++) {
        #pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            if (i % 2 == c)
                a[i] = a[i - 1] + a[i + 1];
    }
}
""",
        """
void f(int n, int m, double *a, const int *color, int k) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = a[i + m];
    #pragma omp parallel for
    for (int i = 0; i < n / 2; i++)
        a[i] = a[n - 1 - i];
}
""",
        """
static void scale(double *row, int n, double by) { for (int j = 1; j < n; j++) row[j] = by * row[j - 1]; }
void f(int n, int m, double *a) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        scale(a + i * m, m, 2);
}
""",
    ),
    check=check,
)
