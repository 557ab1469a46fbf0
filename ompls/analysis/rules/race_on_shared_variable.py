"""A shared variable that threads (iterations, teams) overwrite while others use it: it should be private."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.edits import sharing
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.privately import private_clause
from ompls.analysis.rules.support.races.report import Report, finding, only_scalar, reports, text_of, units
from ompls.analysis.rules.support.races.trial import varies


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "shared"):
        race = report.race
        what = text_of(scene, race.first)
        if race.level.kind == "copies" and any(p is not None and varies(p, set()) for p in race.first.subscripts):
            message = f"`{what}` is written by one thread while another one may use the same element: a barrier is missing, or the elements overlap"
        elif race.level.kind == "copies" and not race.fixed:
            message = (
                f"every thread of the team writes all of these elements (`{what}`): "
                "the loop is not shared out, it needs `for`"
            )
        else:
            message = f"`{what}` is shared, and {units(race.level)} that run at the same time write " + (
                "and read it" if any(x.read for r in report.all for x in (r.first, r.second)) else "it"
            )
        yield finding(scene, report, message, _changes(scene, report))


def _changes(scene: Scene, report: Report) -> tuple[Change, ...]:
    """`private` or `lastprivate`, where each unit then has all values that it reads, and no result is lost."""
    stmt, symbol = report.race.level.stmt, report.race.first.symbol
    clause = private_clause(scene.content, stmt, symbol) if only_scalar(report) else ""
    return (sharing(stmt.directive, symbol, f"{clause}({report.name})"),) if clause else ()


RULE = Rule(
    id="race-on-shared-variable",
    severity="warning",
    title="Threads that run at the same time write one shared variable",
    why="""
A variable that is declared outside of a `parallel` or `teams` construct is shared in it, unless a clause says otherwise; so are
static variables of called functions. When one thread writes it while another one writes or reads it, the values mix. A
temporary should be declared inside of the construct, or be listed in `private`; a result of the last iteration in `lastprivate`.
""",
    section="5.1.1",
    group="sharing",
    about="races",
    bad=(
        """
void f(int n, double *a) {
    double tmp;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        tmp = a[i] * 2;
    //  ^^^ warning: `tmp` is shared, and iterations that run at the same time write and read it
        a[i] = tmp + 1;
    }
}
""",
        """
void f(int n, int m, double (*a)[8]) {
    int i, j;
    #pragma omp parallel for
    for (i = 0; i < n; i++)
        for (j = 0; j < 8; j++)
    //       ^ warning: `j` is shared, and iterations that run at the same time write and read it
            a[i][j] = m;
}
""",
        """
void f(int n, int *x) {
    int last = 0;
    #pragma omp target teams distribute parallel for map(tofrom: last)
    for (int i = 0; i < n; i++)
        last = x[i];
    //  ^^^^ warning: `last` is shared, and iterations that run at the same time write it
    x[0] = last;
}
""",
        """
static int scaled(int v) {
    static int kept;
    kept = 2 * v;
//  ^^^^ warning: `kept` is shared, and iterations that run at the same time write and read it
    return kept + 1;
}
void f(int n, int *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = scaled(i);
}
""",
        """
void f(int n, double *work, const double *x) {
    #pragma omp parallel
    {
        for (int i = 0; i < n; i++)
            work[i] += x[i];
        //  ^^^^^^^ warning: every thread of the team writes all of these elements (`work[i]`): the loop is not shared out, it needs `for`
    }
}
""",
        """
int omp_get_thread_num(void);
void f(int *sums) {
    #pragma omp parallel num_threads(64)
    for (int half = 32; half > 0; half /= 2)
        if (omp_get_thread_num() < half)
            sums[omp_get_thread_num()] += sums[omp_get_thread_num() + half];
        //  ^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: `sums[omp_get_thread_num()]` is written by one thread while another one may use the same element: a barrier is missing, or the elements overlap
}
""",
        """
int f(int n, const int *x) {
    int last = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int k = x[i];
        if (k > 0)
            last = i;
        //  ^^^^ hint: `last` is shared, and iterations that run at the same time write it
    }
    return last;
}
""",
    ),
    good=(
        """
int omp_get_thread_num(void);
void f(int *sums) {
    #pragma omp parallel num_threads(64)
    for (int half = 32; half > 0; half /= 2) {
        if (omp_get_thread_num() < half)
            sums[omp_get_thread_num()] += sums[omp_get_thread_num() + half];
        #pragma omp barrier
    }
}
""",
        """
void f(int n, double *a) {
    double tmp;
    #pragma omp parallel for private(tmp)
    for (int i = 0; i < n; i++) {
        tmp = a[i] * 2;
        a[i] = tmp + 1;
    }
}
""",
        """
void f(int n, double *a) {
    int i;
    #pragma omp parallel for
    for (i = 0; i < n; i++) {
        double tmp = a[i] * 2;
        a[i] = tmp + 1;
    }
}
""",
        """
void f(int n, double *a) {
    int last;
    #pragma omp parallel for lastprivate(last)
    for (int i = 0; i < n; i++) {
        last = i;
        a[i] = last;
    }
    a[0] = last;
}
""",
        """
int omp_get_num_threads(void); int omp_get_thread_num(void);
void f(int *count, int *x) {
    int threads;
    #pragma omp parallel
    {
        if (omp_get_thread_num() == 0)
            threads = omp_get_num_threads();
        x[omp_get_thread_num()] = 1;
        int me = omp_get_thread_num();
        x[me + 100] = 2;
    }
    *count = threads;
}
""",
        """
void f(int n, int *x) {
    int failed = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            failed = 1;
    if (failed) x[0] = 0;
}
""",
        """
void f(int n, double *a, double *b) {
    double t;
    #pragma omp parallel
    {
        #pragma omp single
        t = b[0];
        #pragma omp for
        for (int i = 0; i < n; i++)
            a[i] = t * b[i];
    }
}
""",
        """
int size(void);
static int cached(int v) { int own = v; own *= 2; return own; }
void f(int n, double *a) {
    double t;
    for (int k = 0; k < n; k++) {
        t = k;
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] += t + cached(i);
    }
}
""",
    ),
    check=check,
)
