"""A critical region on a device: every thread waits for every other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ompls.analysis.model.ast import Assign, Compound, DirectiveStmt, Expr, ExprStmt, Name, Span, Stmt, Unary
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.limits import devices_in

_UPDATES = frozenset(("+=", "-=", "*=", "/=", "&=", "|=", "^=", "<<=", ">>="))


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    devices = devices_in(scene)
    if content is None or (devices and all(device.threads == 1 for device in devices)):
        return
    for region in content.regions:
        for node in region.stmt.nodes(DirectiveStmt):
            if node.directive.name != "critical":
                continue
            update = _update(node.body)
            if update is None:
                message = "the threads of the device run this `critical` region one after the other"
                yield Finding(node.directive.name_span, message, "hint")
                continue
            message = "the threads run this `critical` region one after the other; `atomic` does such an update faster"
            yield Finding(node.directive.name_span, message, "hint", (), _changes(node, content.text))


def _update(body: Stmt | None) -> Expr | None:
    """The one update of a scalar that an `atomic` could do."""
    while isinstance(body, Compound) and len(body.items) == 1:
        body = body.items[0]
    expr = bare(body.expr) if isinstance(body, ExprStmt) else None
    if isinstance(expr, Unary) and expr.op in ("++", "--"):
        return expr
    if isinstance(expr, Assign) and expr.op in _UPDATES:
        target = expr.target.symbol if isinstance(expr.target, Name) else None
        again = target is not None and any(isinstance(n, Name) and n.symbol is target for n in expr.value.walk())
        return None if again else expr
    return None


def _changes(stmt: DirectiveStmt, text: bytes) -> tuple[Change, ...]:
    """Unsafe: another `critical` of the same name may protect the same variable."""
    directive = stmt.directive
    written = text[directive.name_span.start : directive.span.end]
    match = re.match(rb"critical\s*(\([^)\n]*\))?\s*$", written)
    if match is None or isinstance(stmt.body, Compound):
        return ()
    start = directive.name_span.start
    return (
        Change("Change `critical` to `atomic`", Span(start, start + len(match.group().rstrip())), "atomic", safe=False),
    )


RULE = Rule(
    id="critical-in-kernel",
    severity="hint",
    title="A critical region in a kernel",
    why="""
A `critical` name is one lock for all threads of the device, the teams included. Thousands of threads then wait for each
other; on a GPU, also for the threads of their own warp. A reduction, an `atomic`, or a result for each team that is put
together afterwards does the same work in parallel.
""",
    section="15.2",
    group="performance",
    about="regions",
    bad=(
        """
void count(int n, const int *x, int *found) {
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: found[0:1])
    for (int i = 0; i < n; i++)
        if (x[i] > 0) {
            #pragma omp critical
            //          ^^^^^^^^ hint: the threads run this `critical` region one after the other; `atomic` does such an update faster
            found[0] += 1;
        }
}
""",
        """
void best(int n, const double *x, double *high, int *where) {
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: high[0:1], where[0:1])
    for (int i = 0; i < n; i++)
        #pragma omp critical (highest)
        //          ^^^^^^^^ hint: the threads of the device run this `critical` region one after the other
        if (x[i] > *high) {
            *high = x[i];
            *where = i;
        }
}
""",
    ),
    good=(
        """
void count(int n, const int *x, int *found) {
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: found[0:1])
    for (int i = 0; i < n; i++)
        if (x[i] > 0) {
            #pragma omp atomic
            found[0] += 1;
        }
}
""",
        """
void count(int n, const int *x, int *found) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (x[i] > 0) {
            #pragma omp critical
            found[0] += 1;
        }
}
""",
        """
int count(int n, const int *x) {
    int found = 0;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) reduction(+: found)
    for (int i = 0; i < n; i++)
        found += x[i] > 0;
    return found;
}
""",
        """
void first(int n, int *x) {
    #pragma omp target parallel map(tofrom: x[0:n])
    #pragma omp single
    x[0] = 1;
}
""",
        """
void f(int n, int *x, int *log) {
    #pragma omp target parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i]++;
    #pragma omp parallel
    #pragma omp critical (log)
    log[0]++;
}
""",
    ),
    check=check,
)
