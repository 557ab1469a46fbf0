"""A lock that is taken although nothing initialises it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene, Unit
from ompls.analysis.rules.support.locknames import is_whole, never_initialised, others, taken_in


def check(scene: Scene) -> Iterator[Finding]:
    """Decided for a variable of the function, or of the file when no other file can initialise it (`static`, or the
    program is in this file), that appears nowhere but in calls that take, try or release it.
    """
    content = scene.content
    if content is None or scene.function is None or b"_lock" not in content.text:
        return
    reported: set[str] = set()
    for call, symbol in taken_in(content):
        if symbol.name not in reported and is_whole(symbol, scene.unit) and not _is_known(symbol, content, scene.unit):
            reported.add(symbol.name)
            message = f"the lock `{symbol.name}` is used, but nothing initialises it with `omp_init_lock`"
            yield Finding(call.args[0].span, message, "warning")


def _is_known(symbol: Symbol, content: Content, unit: Unit) -> bool:
    """Whether something else than taking and releasing is done with the variable."""
    return symbol.name in others(content) if symbol.level != "file" else symbol.name not in never_initialised(unit)


RULE = Rule(
    id="lock-not-initialised",
    severity="warning",
    title="A lock is used that nothing initialises",
    why="""
A lock variable begins in the uninitialised state: to take, try or release it then is undefined, and often waits for ever.
Call `omp_init_lock` (`omp_init_nest_lock` for a nestable one) once, before any thread uses it.
There is no quick fix: where no thread runs yet is not known here.
""",
    section="18.9",
    group="structure",
    bad=(
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(int n, int *x) {
    omp_lock_t lock;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(&lock);
        //           ^^^^^ warning: the lock `lock` is used, but nothing initialises it with `omp_init_lock`
        x[0] += i;
        omp_unset_lock(&lock);
    }
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
static omp_lock_t locks[4];
void f(int i, int *x) {
    omp_set_lock(&locks[i]);
    //           ^^^^^^^^^ warning: the lock `locks` is used, but nothing initialises it with `omp_init_lock`
    x[i]++;
    omp_unset_lock(&locks[i]);
}
""",
    ),
    good=(
        """
typedef struct { void *p; } omp_lock_t;
void omp_init_lock(omp_lock_t *);
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(int n, int *x) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(&lock);
        x[0] += i;
        omp_unset_lock(&lock);
    }
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_init_lock(omp_lock_t *);
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
static omp_lock_t locks[4];
void begin(void) {
    for (int i = 0; i < 4; i++)
        omp_init_lock(&locks[i]);
}
void f(int i, int *x) {
    omp_set_lock(&locks[i]);
    x[i]++;
    omp_unset_lock(&locks[i]);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void prepare(omp_lock_t *);
int f(int n) {
    omp_lock_t lock;
    prepare(&lock);
    omp_set_lock(&lock);
    n++;
    omp_unset_lock(&lock);
    return n;
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
omp_lock_t lock;
void f(int *x) {
    omp_set_lock(&lock);
    x[0]++;
    omp_unset_lock(&lock);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(omp_lock_t *lock, int *x) {
    omp_set_lock(lock);
    x[0]++;
    omp_unset_lock(lock);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
typedef struct { omp_lock_t lock; int count; } counter;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
counter *make(void);
void f(void) {
    counter *c = make();
    omp_set_lock(&c->lock);
    c->count++;
    omp_unset_lock(&c->lock);
}
""",
    ),
    check=check,
)
