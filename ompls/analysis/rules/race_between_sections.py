"""Sections of one `sections` construct that access one variable."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.races.report import finding, reports, text_of


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "sections"):
        race = report.race
        verb = "writes" if race.second.write else "reads"
        message = (
            f"`{text_of(scene, race.first)}` is written in one section while another one {verb} it at the same time"
        )
        yield finding(scene, report, message)


RULE = Rule(
    id="race-between-sections",
    severity="warning",
    title="Sections that run at the same time access one variable",
    why="""
The sections of a `sections` construct run in any order and at the same time. When one writes what another one reads or writes,
the result depends on which comes first. What has to be in order belongs into one section; what is added up needs a `reduction` or `atomic`.
""",
    section="11.3",
    group="sharing",
    about="races",
    bad=(
        """
void f(int *x) {
    int i = 0;
    #pragma omp parallel sections
    {
        #pragma omp section
        i = 1;
    //  ^ warning: `i` is written in one section while another one writes it at the same time
        #pragma omp section
        i = 2;
    }
    *x = i;
}
""",
        """
static void fill(double *a, int n, double v) {
    for (int i = 0; i < n; i++) a[i] = v;
    //                          ^^^^ warning: `a[i]` is written in one section while another one reads it at the same time
}
void f(int n, double *a, double *b) {
    #pragma omp parallel sections
    {
        fill(a, n, 1);
        #pragma omp section
        for (int i = 0; i < n; i++)
            b[i] = a[i];
    }
}
""",
        """
struct pair { int a, b; };
void f(struct pair *p, int n) {
    for (int k = 0; k < n; k++) {
        #pragma omp parallel
        #pragma omp sections
        {
            #pragma omp section
            p->a = k;
        //  ^^^^ warning: `p->a` is written in one section while another one reads it at the same time
            #pragma omp section
            p->b = p->a + k;
        }
    }
}
""",
    ),
    good=(
        """
struct pair { int a, b; };
void f(struct pair *p) {
    #pragma omp parallel sections
    {
        #pragma omp section
        p->a = 1;
        #pragma omp section
        p->b = 2;
    }
}
""",
        """
void f(int n, double *a) {
    #pragma omp parallel sections
    {
        #pragma omp section
        for (int i = 0; i < n; i++) a[i] = 0;
        #pragma omp section
        for (int i = n; i < 2 * n; i++) a[i] = 1;
    }
}
""",
        """
int f(void) {
    int sum = 0;
    #pragma omp parallel sections reduction(+: sum)
    {
        #pragma omp section
        sum += 1;
        #pragma omp section
        sum += 2;
    }
    return sum;
}
""",
        """
void f(double *x, double *y) {
    double t;
    int i;
    #pragma omp parallel sections private(t, i)
    {
        #pragma omp section
        { t = x[0]; for (i = 0; i < 4; i++) x[i] = t; }
        #pragma omp section
        { t = y[0]; for (i = 0; i < 4; i++) y[i] = t; }
    }
}
""",
        """
void f(int *data, int *result) {
    int ready = 0;
    #pragma omp parallel sections num_threads(2)
    {
        #pragma omp section
        {
            *data = 42;
            #pragma omp atomic write seq_cst
            ready = 1;
        }
        #pragma omp section
        {
            int seen = 0;
            while (!seen) {
                #pragma omp atomic read seq_cst
                seen = ready;
            }
            *result = *data;
        }
    }
}
""",
        """
void f(int *x) {
    #pragma omp parallel sections num_threads(1)
    {
        #pragma omp section
        *x = 1;
        #pragma omp section
        *x = 2;
    }
}
""",
    ),
    check=check,
)
