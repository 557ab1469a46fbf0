"""A pointer that a target region follows although nothing has mapped what it points to."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import depth_of
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Span
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.support.device_state import weakest
from ompls.analysis.rules.support.facts import ABSENT, Facts
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.presence import Presence, presence_of
from ompls.analysis.rules.support.storage import Place, strip

SHARED_MEMORY = frozenset(("unified_shared_memory", "unified_address", "self_maps"))


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    if content is None or scene.function is None or scene.unit.requires & SHARED_MEMORY:
        return
    if scene.unit.settings.openmp == "4.0" or not any(_followed(v) for r in content.regions for v in r.variables):
        return
    presence = presence_of(content, scene.unit)
    for region in content.regions:
        for variable in region.variables:
            accesses = _followed(variable)
            if accesses and id(region.stmt) in presence.inside:
                yield from _judge(scene, presence, region, variable, min(accesses, key=lambda n: n.span))


def _followed(variable: Variable) -> list[Node]:
    """Accesses through a pointer that no clause maps the target of."""
    if not isinstance(variable.symbol.type, Pointer) or variable.symbol.declare_target:
        return []
    listed = variable.sharing == "mapped" and any(m.item and depth_of(m.item.expr) > 0 for m in variable.maps)
    if listed or variable.sharing not in ("mapped", "firstprivate"):
        return []
    if any(isinstance(n, Expr) and depth_of(n) == 0 for n in variable.writes):
        return []  # the region gives the pointer another value
    nodes = [*variable.reads, *variable.writes]
    return [n for n in nodes if isinstance(n, Expr) and not isinstance(n, ast.Name) and depth_of(n) >= 1 and _loads(n)]


def _loads(node: Node) -> bool:
    """Whether it is an access and not an address (`&p[i]` loads nothing)."""
    return not (isinstance(node, ast.Unary) and node.op == "&")


def _judge(scene: Scene, presence: Presence, region: Region, variable: Variable, access: Node) -> Iterator[Finding]:
    place: Place = ("pointee", variable.symbol)
    facts = presence.facts(presence.inside[id(region.stmt)], place)
    if presence.storages.marked(presence.storages.device, place):
        return
    severity: Severity = "hint"
    if facts == ABSENT:
        severity = "hint" if region.tainted or may_run_on_host(region.directive) else "warning"
    elif not variable.implicit or not facts & {"A", "U"}:
        return  # mapped; or a clause lists the pointer itself, and its author has thought of it
    clause = _map_clause(scene, presence, variable)
    changes: tuple[Change, ...] = ()
    if clause and variable.implicit:
        end = region.directive.span.end
        changes = (Change(f"Add `{clause}`", Span(end, end), f" {clause}", safe=False),)
    related = ((region.directive.span, f"the region that `{variable.symbol.name}` comes into: {variable.why}"),)
    yield Finding(access.span, _message(variable, facts), severity, related, changes)


def _message(variable: Variable, facts: Facts) -> str:
    name = variable.symbol.name
    if facts == ABSENT and not variable.implicit:
        return f"`{name}` itself is {variable.sharing}, but what it points to is not mapped: the device cannot reach it"
    if facts == ABSENT:
        return f"what `{name}` points to is not mapped here, so the device cannot reach it"
    if "U" not in facts:
        return f"what `{name}` points to is not mapped on every path that comes here"
    if "A" not in facts:
        return f"nothing here maps what `{name}` points to; the region relies on a caller that has"
    return f"nothing here maps what `{name}` points to; the region relies on a function that has"


def may_run_on_host(directive: Directive) -> bool:
    return weakest(directive.clause("if")) or weakest(directive.clause("device"))


def _map_clause(scene: Scene, presence: Presence, variable: Variable) -> str:
    """`map(to: p[0:n])` when the only allocation of the pointer tells the length."""
    length = presence.storages.lengths.get(variable.symbol)
    if length is None or scene.content is None:
        return ""
    length = strip(length)
    text = scene.content.text[length.span.start : length.span.end].decode("utf-8", "replace")
    kind = "tofrom" if variable.writes_pointee else "to"
    return f"map({kind}: {variable.symbol.name}[0:{text}])"


RULE = Rule(
    id="device-pointer-absent",
    severity="warning",
    group="mapping",
    title="A target region follows a pointer whose storage is not on the device",
    why="""
A pointer that no clause lists comes into a target region as a zero-length array section: if what it points to has been
mapped, it points to the device's copy, else it keeps the host's address, which is no address of the device. So storage must be
mapped by the region itself, by a `target data` around it, or by a `target enter data` before it. Where a caller, or a
function of another file, may have mapped it, only a hint is given. A program that `requires unified_shared_memory`
needs no mapping.
""",
    section="5.8.6",
    bad=(
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] = i;
    //  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
    //  ^^^^ hint: nothing here maps what `x` points to; the region relies on a caller that has
}
""",
        """
void *malloc(unsigned long);
void f(int n, int early) {
    double *x = malloc(sizeof(double) * n);
    #pragma omp target enter data map(to: x[0:n])
    if (early) {
        #pragma omp target exit data map(from: x[0:n])
    }
    #pragma omp target
    x[0] = 1;
//  ^^^^ hint: what `x` points to is not mapped on every path that comes here
    #pragma omp target exit data map(delete: x[0:n])
    #pragma omp target
    x[1] = 1;
//  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof *x);
    #pragma omp target map(tofrom: x)
    for (int i = 0; i < n; i++)
        x[i] = i;
    //  ^^^^ warning: `x` itself is mapped, but what it points to is not mapped: the device cannot reach it
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target enter data map(to: x[0:n]) device(0)
    #pragma omp target device(0)
    x[0] = 1;
    #pragma omp target device(1)
    x[1] = 1;
//  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
    #pragma omp target exit data map(from: x[0:n]) device(0)
}
""",
        """
void *malloc(unsigned long);
static void scale(int n, double *x, double *y) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] = y[i];
    //  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
    //         ^^^^ hint: what `y` points to is not mapped on every path that comes here
}
int main(void) {
    double *x = malloc(80), *y = malloc(80);
    scale(10, x, y);
    #pragma omp target data map(to: y[0:10])
    scale(10, x, y);
    return 0;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
static void twice(double *x) {
    #pragma omp target
    x[0] = 2 * x[0];
}
static void work(double *x, int n) {
    for (int i = 0; i < n; i++)
        twice(x);
}
int main(void) {
    double *x = malloc(80);
    #pragma omp target data map(tofrom: x[0:10])
    work(x, 9);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void f(int n, int d, int e) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target data map(to: x[0:n]) device(0)
    #pragma omp target data map(to: x[0:n]) device(1)
    {
        #pragma omp target exit data map(release: x[0:n]) device(2)
        #pragma omp target device(1)
        x[1] = 1;
        #pragma omp target device(0)
        x[1] = 1;
    }
    #pragma omp target enter data map(to: x[0:n]) device(d)
    #pragma omp target device(e)
    x[1] = 1;
    #pragma omp target device(0)
    x[1] = 1;
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target enter data map(alloc: x[0:n])
    for (int t = 0; t < 9; t++) {
        #pragma omp target
        x[0] = t;
    }
    #pragma omp target exit data map(from: x[0:n])
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double)), *y = x + 1;
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma omp target
        y[0] = 1;
    }
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), 0);
    #pragma omp target is_device_ptr(x)
    x[0] = 1;
    #pragma omp target
    x[1] = 1;
}
""",
        """
#pragma omp requires unified_shared_memory
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target
    x[0] = 1;
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target data map(tofrom: x[0:n]) use_device_ptr(x)
    {
        #pragma omp target is_device_ptr(x)
        x[0] = 1;
        #pragma omp target
        x[1] = 1;
    }
}
""",
    ),
    check=check,
)
