"""A sum (product, maximum, …) that several threads, teams or lanes update at the same time without a reduction."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import region_at
from ompls.analysis.rules.support.races.reducing import is_asked, reducing
from ompls.analysis.rules.support.races.report import Report, finding, only_scalar, reports, text_of, units


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "reduction"):
        race = report.race
        what = text_of(scene, race.first)
        message = (
            f"`{what}` is updated by {units(race.level)} that run at the same time, so that updates are lost: "
            f"it needs {_wanted(scene, report)}"
        )
        yield finding(scene, report, message, reducing(scene, report))


def _wanted(scene: Scene, report: Report) -> str:
    """The clause, with what it can list: no member (5.2 §5.5.8), and of a pointer what it points to."""
    first = report.race.first
    if any(step not in ("[]", "*") for step in first.place.path):
        return "an `atomic` directive, or the `reduction` of a variable of its own"
    if only_scalar(report) and is_asked(report):
        return "`atomic capture`, or `critical` around all that uses it; with `reduction` each thread would use the value of its own copy"
    item = report.name
    if first.place.depth and isinstance(first.place.symbol.type, Pointer):
        one = isinstance(first.node, ast.Unary) and first.node.op == "*"
        item = f"{item}[0:1]" if one else _mapped(scene, report)
    wanted = f"`reduction({report.operator}: {item})`" if item else f"a `reduction` of the section of `{report.name}`"
    own = "; if each iteration is to have an element of its own, the subscript is wrong"
    return f"{wanted} or an `atomic` directive{'' if report.race.fixed else own}"


def _mapped(scene: Scene, report: Report) -> str:
    """The section of the pointer that the region maps, as it is written; ''."""
    race = report.race
    around = region_at(scene, race.level.stmt.span)
    directives = {race.level.stmt.directive, *([around.directive] if around is not None else [])}
    items = [i for d in directives for c in d.all("map") for i in c.items if i.symbol is race.first.place.symbol]
    sections = [i.text for i in items if isinstance(i.expr, ast.Section)]
    return sections[0] if len(sections) == 1 else ""


RULE = Rule(
    id="missing-reduction",
    severity="warning",
    title="A variable is accumulated by threads that run at the same time, without a reduction",
    why="""
`x += e` reads `x`, adds, and writes it back. When two threads (teams, lanes) do that at the same time, one of the updates is
lost. A `reduction` clause gives each its own copy and combines them at the end; where the updates are rare, an `atomic`
directive is enough. Where the value is used as well (`out[k++] = x`), neither will do: two threads would get the same one. `atomic capture` updates and gives
each its own: `at = k++; out[at] = x;`.
""",
    section="5.5.8",
    group="sharing",
    about="races",
    bad=(
        """
void f(int n, const int *x, int *out, int *size, int *where) {
    int k = 0, m = 0, best = 0;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: out[0:n], k)
    for (int i = 0; i < n; i++)
        if (x[i] > 0) out[k++] = x[i];
    //                    ^ warning: `k` is updated by iterations that run at the same time, so that updates are lost: it needs `atomic capture`, or `critical` around all that uses it; with `reduction` each thread would use the value of its own copy
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (x[i] < 0) { out[m] = x[i]; m++; }
    //                                 ^ warning: `m` is updated by iterations that run at the same time, so that updates are lost: it needs `atomic capture`, or `critical` around all that uses it; with `reduction` each thread would use the value of its own copy
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        (void)(x[i] > best ? best++, i : 0);
    //                       ^^^^ warning: `best` is updated by iterations that run at the same time, so that updates are lost: it needs `atomic capture`, or `critical` around all that uses it; with `reduction` each thread would use the value of its own copy
    size[0] = k + m, *where = best;
}
""",
        """
void f(int n, double *v, double *w) {
    const int nx = 20, ny = 50;
    #pragma omp target teams distribute parallel for collapse(2) map(tofrom: v[0:nx*ny])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            v[i * nx + j] += 1.0;
        //  ^^^^^^^^^^^^^ warning: `v[i * nx + j]` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: v[0:nx*ny])` or an `atomic` directive; if each iteration is to have an element of its own, the subscript is wrong
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++) w[k] += i;
    //                              ^^^^ warning: `w[k]` is updated by iterations that run at the same time, so that updates are lost: it needs a `reduction` of the section of `w` or an `atomic` directive
}
""",
        """
struct totals { double s, parts[4]; };
void f(int n, struct totals *t, struct totals own, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) t->s += i;
    //                          ^^^^ warning: `t->s` is updated by iterations that run at the same time, so that updates are lost: it needs an `atomic` directive, or the `reduction` of a variable of its own
    #pragma omp parallel for
    for (int i = 0; i < n; i++) own.parts[1] += i;
    //                          ^^^^^^^^^^^^ warning: `own.parts[1]` is updated by iterations that run at the same time, so that updates are lost: it needs an `atomic` directive, or the `reduction` of a variable of its own
    #pragma omp parallel for
    for (int i = 0; i < n; i++) *x += i;
    //                          ^^ warning: `*x` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: x[0:1])` or an `atomic` directive
}
""",
        """
double f(int n, const double *x) {
    double sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        sum += x[i];
    //  ^^^ warning: `sum` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: sum)` or an `atomic` directive
    return sum;
}
""",
        """
int counter;
void f(void) {
    #pragma omp target map(tofrom: counter)
    #pragma omp teams distribute parallel for
    for (int i = 0; i < 1000; i++)
        counter++;
    //  ^^^^^^^ warning: `counter` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: counter)` or an `atomic` directive
}
""",
        """
void f(int n, const double *x, double *result) {
    double largest = x[0];
    #pragma omp parallel for
    for (int i = 1; i < n; i++)
        if (x[i] > largest)
            largest = x[i];
        //  ^^^^^^^ warning: `largest` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(max: largest)` or an `atomic` directive
    *result = largest;
}
""",
        """
static int found;
static void note(int hit) {
    if (hit)
        found = found + 1;
    //  ^^^^^ warning: `found` is updated by threads that run at the same time, so that updates are lost: it needs `reduction(+: found)` or an `atomic` directive
}
int f(int *x) {
    #pragma omp parallel
    note(x[0]);
    return found;
}
""",
        """
void f(int n, int bins[8], const int *x) {
    for (int round = 0; round < 4; round++) {
        #pragma omp target teams distribute map(tofrom: bins[0:8])
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 8; k++)
                bins[k] += x[i] == k;
            //  ^^^^^^^ warning: `bins[k]` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: bins[0:8])` or an `atomic` directive
    }
}
""",
        """
double f(int n, const double *x) {
    double sum = 0;
    #pragma omp target teams loop map(tofrom: sum) map(to: x[0:n])
    for (int i = 0; i < n; i++)
        sum += x[i];
    //  ^^^ warning: `sum` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: sum)` or an `atomic` directive
    return sum;
}
""",
        """
int f(int n, double *x) {
    int left = 0;
    #pragma omp target teams distribute parallel for map(tofrom: left, x[0:n])
    for (int i = 0; i < n; i++) {
        x[i] *= 0.5;
        if (x[i] > 1e-3)
            left = left + 1;
    //      ^^^^ warning: `left` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: left)` or an `atomic` directive
    }
    return left;
}
""",
        """
int f(int n, const int *x) {
    int many = 0, sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int first = x[8 * i];
        if (first > 0)
            sum += first;
        //  ^^^ warning: `sum` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: sum)` or an `atomic` directive
        for (int j = 0; j < 8; j++) {
            int k = x[8 * i + j];
            if (k > 3)
                many++;
            //  ^^^^ warning: `many` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: many)` or an `atomic` directive
        }
    }
    return many + sum;
}
""",
    ),
    good=(
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
int omp_test_lock(omp_lock_t *);
struct account { omp_lock_t lock; int sum; };
static void take(omp_lock_t *l) { omp_set_lock(l); }
static void give(omp_lock_t *l) { omp_unset_lock(l); }
static int try(omp_lock_t *l) { return omp_test_lock(l); }
static void open(struct account *a) { take(&a->lock); }
static void close(struct account *a) { give(&a->lock); }
int f(int n, struct account *a) {
    int sum = 0, product = 1;
    omp_lock_t l;
    #pragma omp parallel for
    for (int i = 1; i < n; i++) {
        take(&l);
        sum += i;
        give(&l);
        open(a);
        a->sum += i;
        close(a);
        while (!try(&l)) {}
        product *= i;
        give(&l);
    }
    return sum + product;
}
""",
        """
double f(int n, const double *x) {
    double sum = 0;
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
""",
        """
int f(int n, const int *x) {
    int count = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        count += x[i];
    }
    return count;
}
""",
        """
void f(int n, int m, const double *a, double *row) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += a[i * m + j];
        row[i] += sum;
    }
}
""",
        """
double f(int n, const double *x) {
    double all = 0;
    #pragma omp parallel
    {
        double own = 0;
        #pragma omp for
        for (int i = 0; i < n; i++)
            own += x[i];
        #pragma omp critical
        all += own;
    }
    return all;
}
""",
        """
int f(int n, int *x) {
    int rounds = 0;
    for (int k = 0; k < n; k++) {
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            x[i] += k;
        rounds++;
    }
    return rounds;
}
""",
        """
static int visits;
static void visit(void) { visits++; }
int f(int n, int *x) {
    #pragma omp parallel
    {
        #pragma omp single
        visit();
        #pragma omp for
        for (int i = 0; i < n; i++)
            x[i] = 0;
    }
    return visits;
}
""",
        """
double sum;
#pragma omp threadprivate(sum)
void f(int n, const double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        sum += x[i];
}
""",
    ),
    check=check,
)
