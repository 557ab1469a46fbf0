"""Accesses of one variable that are protected by different locks or critical sections."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.races.report import finding, reports, text_of, units


def check(scene: Scene) -> Iterator[Finding]:
    for report in reports(scene, "lock"):
        race = report.race
        if race.first.held & race.second.held:
            message = (
                f"`{text_of(scene, race.first)}` is protected by {_means(race.first)}, which is another one from "
                f"{units(race.level)[:-1]} to {units(race.level)[:-1]}"
            )
            yield finding(scene, report, message)
            continue
        message = (
            f"`{text_of(scene, race.first)}` is protected by {_means(race.first)} here and by {_means(race.second)} "
            "elsewhere: they do not keep each other out"
        )
        yield finding(scene, report, message)


def _means(access: Access) -> str:
    for kind, name in sorted(access.held, key=lambda h: h[0]):
        if kind == "critical":
            return f"`critical({name})`" if name else "`critical` without a name"
        if kind == "lock":
            return f"the lock `{getattr(getattr(name, 'symbol', None), 'name', '')}`"
    return "`atomic`"


RULE = Rule(
    id="wrong-lock",
    severity="warning",
    title="Accesses of one variable are protected by different locks or critical sections",
    why="""
A critical section keeps out only the threads that want to enter one of the same name, a lock only those that take the same lock.
Accesses of one variable under different ones happen at the same time. (A `critical` without a name is one of all others without a name.)
There is no quick fix: either lock may be the right one.
""",
    section="15.2",
    group="sharing",
    about="races",
    bad=(
        """
int total;
void f(int kind) {
    #pragma omp parallel
    switch (kind % 3) {
    case 0:
        #pragma omp critical(first)
        total++;
    //  ^^^^^ warning: `total` is protected by `critical(first)` here and by `critical(second)` elsewhere: they do not keep each other out
    case 1:
        #pragma omp critical(second)
        total += 2;
        break;
    }
}
""",
        """
int counter;
void f(int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp critical(add)
        counter++;
    //  ^^^^^^^ warning: `counter` is protected by `critical(add)` here and by `critical(sub)` elsewhere: they do not keep each other out
        #pragma omp critical(sub)
        counter -= 2;
    }
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *);
omp_lock_t one, two;
void f(int n, int *total) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(&one);
        *total += i;
    //  ^^^^^^ warning: `*total` is protected by the lock `one` here and by the lock `two` elsewhere: they do not keep each other out
        omp_unset_lock(&one);
        omp_set_lock(&two);
        *total -= 1;
        omp_unset_lock(&two);
    }
}
""",
        """
static int size;
static void put(void) {
    #pragma omp critical(A)
    size++;
//  ^^^^ warning: `size` is protected by `critical(A)` here and by `critical` without a name elsewhere: they do not keep each other out
}
void f(void) {
    #pragma omp parallel sections
    {
        #pragma omp section
        put();
        #pragma omp section
        {
            #pragma omp critical
            size--;
        }
    }
}
""",
    ),
    good=(
        """
int total;
void f(int kind) {
    #pragma omp parallel
    switch (kind % 3) {
    case 0:
        #pragma omp critical(first)
        total++;
        break;
    case 1:
        #pragma omp critical(second)
        total += 2;
        break;
    default:
        #pragma omp critical(third)
        total += 3;
    }
}
""",
        """
int counter;
void f(int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp critical(add)
        counter++;
        #pragma omp critical(add)
        counter -= 2;
    }
}
""",
        """
int a, b;
void f(int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp critical(first)
        a++;
        #pragma omp critical(second)
        b -= 2;
    }
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *);
void f(int n, int *bins, const int *x, omp_lock_t *locks) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(&locks[x[i]]);
        bins[x[i]]++;
        omp_unset_lock(&locks[x[i]]);
    }
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *);
int total;
void f(int n, omp_lock_t *l, omp_lock_t *other) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(l);
        omp_set_lock(other);
        total += i;
        omp_unset_lock(other);
        total += i;
        omp_unset_lock(l);
    }
}
""",
        """
int counter;
void f(int n) {
    #pragma omp parallel
    {
        #pragma omp critical(first)
        counter++;
        #pragma omp barrier
        #pragma omp critical(second)
        counter += n;
    }
}
""",
    ),
    check=check,
)
