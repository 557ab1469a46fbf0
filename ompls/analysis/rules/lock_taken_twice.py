"""A thread that takes a lock which it holds already waits for itself."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.locks import locking_of


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when the lock is certainly held on all ways that lead to the call; nestable locks may be taken again."""
    found = locking_of(scene.content, scene.unit) if scene.content is not None else None
    seen: set[int] = set()
    for call, first, again in found.twice if found is not None else ():
        if id(call) in seen:
            continue
        seen.add(id(call))
        when = "in the iteration before" if again and call is first else "already"
        message = f"the thread holds this lock {when}: it waits for itself"
        yield Finding(call.span, message, "warning", ((first.span, "the lock is taken here"),))


RULE = Rule(
    id="lock-taken-twice",
    severity="warning",
    title="A lock is taken by the thread that holds it",
    why="""
`omp_set_lock` waits until the lock is free. A thread that holds it waits for ever: release it with `omp_unset_lock` first,
or use a nestable lock (`omp_nest_lock_t`, `omp_set_nest_lock`), which its holder may take again.
There is no quick fix: the lock may protect what stands between.
""",
    section="18.9.4",
    group="structure",
    bad=(
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(omp_lock_t *l, int *x) {
    omp_set_lock(l);
    x[0]++;
    omp_set_lock(l);
//  ^^^^^^^^^^^^^^^ warning: the thread holds this lock already: it waits for itself
    x[1]++;
    omp_unset_lock(l);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(int n, int *x) {
    extern omp_lock_t lock;
    for (int i = 0; i < n; i++) {
        omp_set_lock(&lock);
    //  ^^^^^^^^^^^^^^^^^^^ warning: the thread holds this lock in the iteration before: it waits for itself
        x[0]++;
        if (x[0] > 10) {
            omp_unset_lock(&lock);
            break;
        }
    }
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
static omp_lock_t lock;
static void add(int *x) {
    omp_set_lock(&lock);
    *x += 1;
    omp_unset_lock(&lock);
}
void f(int *x) {
    omp_set_lock(&lock);
    add(x);
//  ^^^^^^ warning: the thread holds this lock already: it waits for itself
    omp_unset_lock(&lock);
}
""",
    ),
    good=(
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(omp_lock_t *l, int *x) {
    omp_set_lock(l);
    x[0]++;
    omp_unset_lock(l);
    omp_set_lock(l);
    x[1]++;
    omp_unset_lock(l);
}
""",
        """
typedef struct { void *p; } omp_nest_lock_t;
void omp_set_nest_lock(omp_nest_lock_t *);
void omp_unset_nest_lock(omp_nest_lock_t *);
void f(omp_nest_lock_t *l, int *x) {
    omp_set_nest_lock(l);
    omp_set_nest_lock(l);
    x[0]++;
    omp_unset_nest_lock(l);
    omp_unset_nest_lock(l);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(int i, int j, omp_lock_t *locks, int *x) {
    omp_set_lock(&locks[i]);
    omp_set_lock(&locks[j]);
    x[i] = x[j];
    omp_unset_lock(&locks[j]);
    omp_unset_lock(&locks[i]);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(int n, omp_lock_t *l, int *x) {
    if (n)
        omp_set_lock(l);
    x[0]++;
    if (n)
        omp_unset_lock(l);
    omp_set_lock(l);
    x[1]++;
    omp_unset_lock(l);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
struct node { omp_lock_t lock; struct node *next; };
void f(struct node *p) {
    omp_set_lock(&p->lock);
    while (p->next) {
        omp_set_lock(&p->next->lock);
        struct node *q = p->next;
        omp_unset_lock(&p->lock);
        p = q;
    }
    omp_unset_lock(&p->lock);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(omp_lock_t *l, int *x) {
    omp_set_lock(l);
    #pragma omp task
    {
        omp_set_lock(l);
        x[0]++;
        omp_unset_lock(l);
    }
    omp_unset_lock(l);
}
""",
        """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
void f(int n, int *x) {
    omp_lock_t l, *same = &l;
    for (int i = 0; i < n; i++) {
        omp_set_lock(same);
        x[i]++;
        omp_unset_lock(&l);
    }
}
""",
    ),
    check=check,
)
