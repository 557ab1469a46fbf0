"""A target region whose loop one thread of the device runs alone."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.ranges import loop_range
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import DoWhile, For, Jump, Node, Switch, While, walk_down_to
from ompls.analysis.model.constants import fold
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import chain, constructs_of, spreads, trustworthy

_LOOPS = (For, While, DoWhile)
_SHORT = 16  # iterations that nobody would spread over threads


def check(scene: Scene) -> Iterator[Finding]:
    for region in scene.content.regions if scene.content is not None else ():
        found, body = chain(region.stmt)
        bound = found[1:2] if constructs_of(found[1:]) == {"for"} else []  # it binds to the region's one thread
        if found[1:] != bound or constructs_of(found[:1]) != {"target"} or not trustworthy(scene.content, region):
            continue
        loop = next((f for f in _outermost(body) if not _is_short(f) and _can_be_spread(f)), None)
        if loop is None or spreads(body, scene.unit):
            continue
        message = "one thread of the device runs this region: nothing in it is parallel"
        related = ((loop.span, "the loop that a `teams distribute parallel for` would spread over the device"),)
        yield Finding(region.directive.name_span, message, "hint", related)


def _outermost(body: Node | None) -> Iterator[For]:
    """The `for` loops that are in no other loop: what a `while` repeats cannot be spread as it stands."""
    if body is not None:
        yield from (n for n in walk_down_to(body, lambda n: isinstance(n, _LOOPS)) if isinstance(n, For))


def _can_be_spread(loop: For) -> bool:
    """Whether its iterations can be counted before it starts: its head is canonical (5.2 §4.4.1), and nothing leaves it."""
    counted = loop_range(loop)
    if counted is None or counted.symbol is None or counted.symbol in assigned_in(loop.body):
        return False
    own = walk_down_to(loop.body, lambda n: isinstance(n, (*_LOOPS, Switch)))
    return not any(isinstance(n, Jump) and n.kind == "break" for n in own) and not any(
        isinstance(n, Jump) and n.kind in ("return", "goto") for n in loop.body.walk()
    )


def _is_short(loop: For) -> bool:
    """A loop to a small constant."""
    condition = loop.condition
    bound = fold(condition.right) if condition is not None and hasattr(condition, "right") else None
    return bound is not None and 0 <= bound <= _SHORT


RULE = Rule(
    id="serial-kernel",
    severity="hint",
    title="A target region runs on one thread of the device",
    why="""
`target` moves a region to the device, it does not make it parallel: one initial thread runs it. A GPU thread alone is
far slower than a core of the host. `teams distribute parallel for` spreads a loop over all of the device.
""",
    section="13.8",
    group="performance",
    about="regions",
    bad=(
        """
void scale(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    //          ^^^^^^ hint: one thread of the device runs this region: nothing in it is parallel
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    //          ^^^^^^ hint: one thread of the device runs this region: nothing in it is parallel
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
""",
        """
static void one(double *x, int i) { x[i] = i; }
void fill(int n, double *x) {
    #pragma omp target map(from: x[0:n])
    //          ^^^^^^ hint: one thread of the device runs this region: nothing in it is parallel
    {
        int first = 1;
        for (int i = first; i < n; i++) one(x, i);
    }
}
""",
    ),
    good=(
        """
struct node { struct node *next; double v; };
int f(int n, double *x, double eps, struct node *list) {
    int found = -1;
    #pragma omp target map(to: x[0:n]) map(tofrom: found)
    for (int i = 0; i < n; i++)
        if (x[i] < 0) { found = i; break; }
    #pragma omp target map(tofrom: x[0:n])
    for (double d = x[0]; d > eps; d /= 2) x[0] = d;
    #pragma omp target is_device_ptr(list)
    for (struct node *p = list; p; p = p->next) p->v = 0;
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) i += x[i] > 0;
    #pragma omp target map(tofrom: x[0:n])
    while (x[0] > eps)
        for (int i = 0; i < n; i++) x[i] /= 2;
    return found;
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    #pragma omp teams distribute
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        double all = 0;
        #pragma omp parallel for reduction(+: all)
        for (int i = 0; i < n; i++) all += x[i];
        for (int i = 0; i < n; i++) x[i] /= all;
    }
}
""",
        """
static void scale(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] *= 2;
}
void twice(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int k = 0; k < n; k++) scale(n, x);
}
""",
        """
void set(int *flags) {
    #pragma omp target map(tofrom: flags[0:4])
    for (int i = 0; i < 4; i++) flags[i] = 0;
}
""",
        """
void library(double *, int);
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) library(x, i);
}
""",
    ),
    check=check,
)
