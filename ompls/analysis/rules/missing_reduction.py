"""A sum (product, maximum, …) that several threads, teams or lanes update at the same time without a reduction."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import walk_all
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.rules.support.edits import sharing
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.races.atomically import atomically
from ompls.analysis.rules.support.races.report import Report, finding, only_scalar, reports, text_of, units

_REDUCING = frozenset(("parallel", "for", "sections", "teams", "simd", "loop", "taskloop"))


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "reduction"):
        race = report.race
        what = text_of(scene, race.first)
        message = (
            f"`{what}` is updated by {units(race.level)} that run at the same time, so that updates are lost: "
            f"it needs {_wanted(report)}"
        )
        yield finding(scene, report, message, _changes(scene, report))


def _wanted(report: Report) -> str:
    """The clause, with what it can list: no member (5.2 §5.5.8), and of a pointer what it points to."""
    place = report.race.first.place
    if any(step not in ("[]", "*") for step in place.path):
        return "an `atomic` directive, or the `reduction` of a variable of its own"
    item = report.name
    if place.depth and isinstance(place.symbol.type, Pointer):
        node = report.race.first.node
        one = isinstance(node, ast.Unary) and node.op == "*"
        item += "[0:1]" if one else "[0:length]"
    return f"`reduction({report.operator}: {item})` or an `atomic` directive"


def _changes(scene: Scene, report: Report) -> tuple[Change, ...]:
    """The clause, when the construct takes one and does nothing but update the variable; else `atomic`, of an element."""
    race = report.race
    directive = race.level.stmt.directive
    if not only_scalar(report):
        return atomically(scene, report.writes)
    if not _REDUCING & set(directive.constructs):
        return ()
    symbol = race.first.symbol
    updates = {id(r.first.by) for r in report.all if r.first.by is not None}
    # It still has to come back, and is no longer shared.
    mapped = {id(i.expr) for c in directive.all("map", "shared") for i in c.items}
    inside = [n for n in walk_all(race.level.stmt) if isinstance(n, ast.Name) and n.symbol is symbol]
    inside = [n for n in inside if id(n) not in mapped]
    made = [node for by in race_statements(report) for node in (_choice(race.level.stmt, by, report.operator), by)]
    known = [n for part in made for n in part.walk() if isinstance(n, ast.Name) and n.symbol is symbol]
    if len(updates) != 1 or {id(n) for n in inside} != {id(n) for n in known}:
        return ()
    clause = f"reduction({report.operator}: {report.name})"
    return (sharing(directive, symbol, clause),)


def _choice(construct: ast.Stmt, by: ast.Node, operator: str) -> ast.Node:
    """The whole `if (e > x) x = e;` of a maximum that does nothing else; otherwise `by`, the assignment."""
    choices = (n for n in walk_all(construct) if isinstance(n, ast.If) and n.otherwise is None)
    if operator not in ("min", "max"):
        return by
    return next((choice for choice in choices if _is_only(choice.then, by)), by)


def _is_only(stmt: ast.Stmt, by: ast.Node) -> bool:
    """Whether a statement is an expression and nothing else, in braces or not."""
    while isinstance(stmt, ast.Compound) and len(stmt.items) == 1:
        stmt = stmt.items[0]
    return isinstance(stmt, ast.ExprStmt) and stmt.expr is by


def race_statements(report: Report) -> list[ast.Node]:
    return list({id(r.first.by): r.first.by for r in report.all if r.first.by is not None}.values())


RULE = Rule(
    id="missing-reduction",
    severity="warning",
    title="A variable is accumulated by threads that run at the same time, without a reduction",
    why="""
`x += e` reads `x`, adds, and writes it back. When two threads (teams, lanes) do that at the same time, one of the updates is
lost. A `reduction` clause gives each its own copy and combines them at the end; where the updates are rare, an `atomic`
directive is enough.
""",
    section="5.5.8",
    group="sharing",
    about="races",
    bad=(
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
            //  ^^^^^^^ warning: `bins[k]` is updated by iterations that run at the same time, so that updates are lost: it needs `reduction(+: bins[0:length])` or an `atomic` directive
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
