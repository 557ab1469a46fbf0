"""A variable that a lock or a critical section protects in one place, but not in another."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access
from ompls.analysis.dataenv.guards import AS_WRITTEN, beyond
from ompls.analysis.model import ast
from ompls.analysis.rules.support.edits import line_before
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.races.report import finding, reports, text_of


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "unprotected"):
        race = report.race
        bare, held = (race.second, race.first) if race.first.held else (race.first, race.second)
        means = "a critical section" if any(kind == "critical" for kind, _ in held.held) else "a lock"
        verb = "written" if bare.write else "read"
        message = f"`{text_of(scene, held)}` is accessed under {means}, but {verb} without it by threads that run at the same time"
        hint = _is_asked_again(bare, held)
        yield finding(scene, report, message, () if hint else _protected(scene, bare, held, race.certain), hint)


def _protected(scene: Scene, bare: Access, held: Access, certain: bool) -> tuple[Change, ...]:
    """The critical section of the other access around the statement that has none; not where it could be in one already."""
    name = next((name for kind, name in held.held if kind == "critical"), None)
    body = scene.function.body if scene.function is not None and bare.home is None else None
    for stmt in body.walk() if body is not None and name is not None and not bare.held else ():
        if not isinstance(stmt, ast.ExprStmt):
            continue
        parts = list(stmt.walk())
        if any(n is bare.node for n in parts) and not any(isinstance(n, ast.Call) for n in parts):
            return line_before(scene, stmt, f"critical({name})" if name else "critical", safe=certain, split=True)
    return ()


def _is_asked_again(bare: Access, held: Access) -> bool:
    """Whether a test without protection is made again under it: what it saw too early decides nothing."""
    tests = [g for g in held.guards if any(n is bare.node for n in g.expr.walk())]
    others = [g for g in held.guards if g not in tests]
    return not bare.write and len(beyond(tests, others, AS_WRITTEN)) < len(tests)


RULE = Rule(
    id="unprotected-access",
    severity="warning",
    title="A variable is protected in one place and not in another",
    why="""
A lock or critical section protects a variable only if every access that may happen at the same time takes it, also those that only
read. A test of the variable before the critical section is an access, too.
""",
    section="15.2",
    group="sharing",
    about="races",
    bad=(
        """
void f(int n, const double *x, double *best) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (x[i] > *best) {
            #pragma omp critical
            *best = x[i];
        //  ^^^^^ warning: `*best` is accessed under a critical section, but read without it by threads that run at the same time
        }
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *);
struct pair { int a, b; omp_lock_t lock; };
static void increase(struct pair *p) {
    p->b += 1;
//  ^^^^ warning: `p->b` is accessed under a lock, but written without it by threads that run at the same time
}
void f(struct pair *p) {
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            omp_set_lock(&p->lock);
            increase(p);
            omp_unset_lock(&p->lock);
        }
        #pragma omp section
        increase(p);
    }
}
""",
        """
int total;
void f(int n, const int *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        total += x[i];
    //  ^^^^^ warning: `total` is accessed under a critical section, but written without it by threads that run at the same time
        #pragma omp critical
        total -= 1;
    }
}
""",
    ),
    good=(
        """
void f(int n, const double *x, double *best) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp critical
        if (x[i] > *best)
            *best = x[i];
    }
}
""",
        """
int total;
int f(int n, const int *x) {
    total = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp critical
        total += x[i];
    }
    return total;
}
""",
        """
int total;
void f(int n, int *x) {
    #pragma omp parallel
    {
        #pragma omp critical
        total += x[0];
        #pragma omp barrier
        #pragma omp for
        for (int i = 0; i < n; i++)
            x[i] = total;
    }
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *);
void f(int n, int *sum, omp_lock_t *l) {
    #pragma omp parallel
    {
        int own = 0;
        #pragma omp for
        for (int i = 0; i < n; i++)
            own += i;
        omp_set_lock(l);
        *sum += own;
        omp_unset_lock(l);
    }
}
""",
        """
void f(int n, int *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        x[i] = i;
        #pragma omp critical
        x[i] += 1;
    }
}
""",
    ),
    check=check,
)
