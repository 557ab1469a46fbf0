"""A `return` that leaves a lock taken which the function releases on its other ways."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.locks import Lock, Locking, locking_of


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when the function takes the lock first, releases it elsewhere, and certainly holds it at this `return`."""
    found = locking_of(scene.content, scene.unit) if scene.content is not None else None
    for jump, lock, taken in found.left if found is not None else ():
        if found is not None and _is_released_elsewhere(found, lock):
            message = f"returns while the lock `{lock[0].name}{lock[1]}` is held: whoever takes it next waits for ever"
            yield Finding(jump.span, message, "warning", ((taken.span, "the lock is taken here"),))


def _is_released_elsewhere(found: Locking, lock: Lock) -> bool:
    free = any(lock not in held for held in found.ends)
    return free and lock in found.released and found.first.get(lock, False)


RULE = Rule(
    id="lock-not-released",
    severity="warning",
    title="A function returns without releasing a lock that it has taken",
    why="""
A lock that a function takes and releases on one way, but not on another, stays taken after the other: the next
`omp_set_lock` of it never returns. Release it before every `return`.
There is no quick fix: what lies before the `return` may still need the lock.
""",
    section="18.9.5",
    group="structure",
    bad=(
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
static omp_lock_t lock;
static int stack[100], top;
int push(int x) {
    omp_set_lock(&lock);
    if (top == 100)
        return 0;
    //  ^^^^^^^^^ warning: returns while the lock `lock` is held: whoever takes it next waits for ever
    stack[top++] = x;
    omp_unset_lock(&lock);
    return 1;
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
int find(omp_lock_t *l, int n, const int *a, int x) {
    omp_set_lock(l);
    for (int i = 0; i < n; i++)
        if (a[i] == x)
            return i;
    //      ^^^^^^^^^ warning: returns while the lock `l` is held: whoever takes it next waits for ever
    omp_unset_lock(l);
    return -1;
}
""",
    ),
    good=(
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
static omp_lock_t lock;
static int stack[100], top;
int push(int x) {
    omp_set_lock(&lock);
    if (top == 100) {
        omp_unset_lock(&lock);
        return 0;
    }
    stack[top++] = x;
    omp_unset_lock(&lock);
    return 1;
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
static omp_lock_t lock;
int enter(void) {
    omp_set_lock(&lock);
    return 1;
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void work(void);
int pause(omp_lock_t *l, int n) {
    omp_unset_lock(l);
    if (n)
        work();
    omp_set_lock(l);
    return n;
}
""",
        """
typedef struct { void *p; } omp_lock_t;
int omp_test_lock(omp_lock_t *);
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
int f(omp_lock_t *l, int *x) {
    if (!omp_test_lock(l))
        return 0;
    x[0]++;
    omp_unset_lock(l);
    return 1;
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
int f(omp_lock_t *l, int n, int *x) {
    if (n == 0)
        return 0;
    omp_set_lock(l);
    int found = x[n];
    omp_unset_lock(l);
    if (found)
        return found;
    return 1;
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
static void leave(omp_lock_t *l) { omp_unset_lock(l); }
int f(omp_lock_t *l, int n) {
    omp_set_lock(l);
    if (n) {
        leave(l);
        return 1;
    }
    omp_unset_lock(l);
    return 0;
}
""",
    ),
    check=check,
)
