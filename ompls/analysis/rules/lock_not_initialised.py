"""A lock that is taken although nothing initialises it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import root, walk_all
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene, Unit
from ompls.analysis.rules.support.locks import lock_call

_KEY = "lock-uses"
_USES = ("set", "unset", "test", "destroy")


def check(scene: Scene) -> Iterator[Finding]:
    """Decided for a variable of the function, or of the file when no other file can initialise it (`static`, or the
    program is in this file), that appears nowhere but in calls that take, try or release it.
    """
    content = scene.content
    if content is None or scene.function is None or b"_lock" not in content.text:
        return
    reported: set[str] = set()
    for call, symbol in _taken(content):
        if symbol.name not in reported and _is_whole(symbol, scene.unit) and not _is_known(symbol, content, scene.unit):
            reported.add(symbol.name)
            message = f"the lock `{symbol.name}` is used, but nothing initialises it with `omp_init_lock`"
            yield Finding(call.args[0].span, message, "warning")


def _taken(content: Content) -> Iterator[tuple[ast.Call, Symbol]]:
    for node in walk_all(content.node):
        routine = lock_call(node)
        if routine is not None and routine[0] in ("set", "test") and (symbol := root(routine[2])) is not None:
            yield routine[1], symbol


def _is_whole(symbol: Symbol, unit: Unit) -> bool:
    """Whether all uses of the variable are in this unit."""
    if symbol.kind != "var" or symbol.storage == "extern" or symbol.init is not None:
        return False
    if symbol.level == "file":
        return symbol.storage == "static" or ("main" in unit.functions and symbol.defined)
    return True


def _is_known(symbol: Symbol, content: Content, unit: Unit) -> bool:
    """Whether something else than taking and releasing is done with the variable."""
    if symbol.level != "file":
        return symbol.name in _others(content)
    return any(symbol.name in _others(c) for c in unit.contents)


def _others(content: Content) -> frozenset[str]:
    """Names of variables that stand anywhere but in calls that take, try, release or end a lock."""
    found: frozenset[str] | None = content.memo.get(_KEY)
    if found is None:
        skipped: set[int] = set()
        names: set[str] = set()
        for node in walk_all(content.node):
            routine = lock_call(node)
            if routine is not None and routine[0] in _USES:
                skipped.update(id(n) for n in routine[1].args[0].walk())
            elif isinstance(node, ast.Name) and id(node) not in skipped and node.symbol is not None:
                names.add(node.name)
        found = content.memo[_KEY] = frozenset(names)
    return found


RULE = Rule(
    id="lock-not-initialised",
    severity="warning",
    title="A lock is used that nothing initialises",
    why="""
A lock variable begins in the uninitialised state: to take, try or release it then is undefined, and often waits for ever.
Call `omp_init_lock` (`omp_init_nest_lock` for a nestable one) once, before any thread uses it.
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
