"""Data that every iteration of a host loop copies to a device although only the device uses it there."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.uses import uses
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import (
    Call,
    DirectiveStmt,
    DoWhile,
    For,
    Name,
    Node,
    Span,
    Symbol,
    While,
)  # fmt: skip
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.model.tu import Content, Region
from ompls.analysis.rules.support.callers import callers_above
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import trustworthy

Loop = For | While | DoWhile


def check(scene: Scene) -> Iterator[Finding]:
    content, function = scene.content, scene.function
    if content is None or function is None or "unified_shared_memory" in scene.unit.told.requires:
        return
    candidates = [r for r in content.regions if r.directive.clause("map") is not None and trustworthy(content, r)]
    if not candidates:
        return
    around = dict(_loops(function, ()))
    for region in candidates:
        loops = around.get(region.stmt, ())
        if loops:  # variables at file scope may be mapped by any function: nothing is said of them
            yield from _in_loop(region, loops[0], _kept(content, scene))


def _loops(node: Node, loops: tuple[Loop, ...]) -> Iterator[tuple[DirectiveStmt, tuple[Loop, ...]]]:
    """Each directive with the loops around it, innermost first; those inside of directives are not the host's."""
    waiting = [(node, loops)]
    while waiting:
        at, loops = waiting.pop()
        if isinstance(at, DirectiveStmt):
            yield at, loops
            loops = ()
            if at.directive.has("target"):
                continue
        elif isinstance(at, (For, While, DoWhile)):
            loops = (at, *loops)
        waiting += [(child, loops) for child in reversed(at.children())]


def _kept(content: Content, scene: Scene) -> set[Symbol]:
    """What a data directive here keeps on a device: the region copies nothing then."""
    items = (i for d in scene.directives if not d.has("target") for c in d.clauses for i in c.items)
    return {s for i in items if (s := i.symbol or root(i.expr)) is not None} | _callers_data(content, scene)


def _callers_data(content: Content, scene: Scene) -> set[Symbol]:
    """The parameters, when a caller has data directives."""
    function = scene.function
    above = callers_above(content, scene.unit)
    mapping = any(not s.directive.has("target") for c in above for s in c.directives)
    return set(function.params) if function is not None and mapping else set()


def _in_loop(region: Region, loop: Loop, kept: set[Symbol]) -> Iterator[Finding]:
    inside = set(region.stmt.walk())
    changed = assigned_in(loop)
    if _varies(region.directive.clause("device"), changed):
        return
    on_host = _used_on_host(loop, inside)
    for clause in region.directive.all("map"):
        for item in clause.items:
            symbol = item.symbol or root(item.expr)
            if (
                symbol is None
                or symbol in kept
                or symbol.level == "file"
                or symbol in on_host
                or not _is_large(item, symbol, clause)
            ):
                continue
            named = {n.symbol for n in item.expr.walk() if isinstance(n, Name)}
            if named & changed:
                continue
            message = (
                f"every iteration of the loop copies `{name_of(item.expr)}` again, and only the device uses it there"
            )
            related = ((Span(loop.span.start, loop.span.start + 3), "a `target data` around this loop copies it once"),)
            yield Finding(item.span, message, "hint", related)


def _varies(device: Clause | None, changed: set[Symbol]) -> bool:
    """Whether iterations may use different devices: an environment around the loop is on one of them."""
    if device is None:
        return False
    return any(
        isinstance(n, Call) or (isinstance(n, Name) and n.symbol in changed) for a in device.args for n in a.walk()
    )


def _is_large(item: ListItem, symbol: Symbol, clause: Clause) -> bool:
    """An array or what a pointer points to, copied by this clause."""
    if clause.keyword not in ("", "to", "from", "tofrom") or "always" in clause.modifiers or symbol.declare_target:
        return False
    return isinstance(symbol.type, (Array, Pointer)) and not isinstance(item.expr.type, Pointer)


def _used_on_host(loop: Loop, inside: set[Node]) -> set[Symbol]:
    """Variables that the host touches in an iteration; passing a pointer to a function counts."""
    found: set[Symbol] = set()
    waiting: list[Node] = list(loop.children())
    while waiting:
        node = waiting.pop()
        if isinstance(node, DirectiveStmt) and node.directive.has("target"):
            if node not in inside:
                continue
        elif any(n in inside for n in node.walk()):
            waiting += node.children()
        else:
            found |= {u.symbol for u in uses(node)}
    return found


RULE = Rule(
    id="transfer-in-loop",
    severity="hint",
    title="The same data is copied in every iteration",
    why="""
A region in a loop maps its data anew in each iteration: allocate, copy, run, copy back, free. When the host does not
use the data in between, a `target data` construct around the loop copies it once; the `map` clauses of the region then
find it present and copy nothing.
""",
    section="13.5",
    group="performance",
    about="regions",
    bad=(
        """
void relax(int n, int steps, double *x, double *y) {
    for (int s = 0; s < steps; s++) {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) map(to: y[0:n])
        //                                                           ^^^^^^ hint: every iteration of the loop copies `x` again, and only the device uses it there
        //                                                                           ^^^^^^ hint: every iteration of the loop copies `y` again, and only the device uses it there
        for (int i = 0; i < n; i++) x[i] = 0.5 * (x[i] + y[i]);
    }
}
""",
        """
int more(void);
void f(void) {
    static double x[1000];
    while (more()) {
        #pragma omp target map(tofrom: x)
        //                             ^ hint: every iteration of the loop copies `x` again, and only the device uses it there
        for (int i = 0; i < 1000; i++) x[i] += 1;
    }
}
""",
    ),
    good=(
        """
void relax(int n, int steps, double *x, double *y) {
    #pragma omp target data map(tofrom: x[0:n]) map(to: y[0:n])
    for (int s = 0; s < steps; s++) {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) map(to: y[0:n])
        for (int i = 0; i < n; i++) x[i] = 0.5 * (x[i] + y[i]);
    }
}
""",
        """
void show(double *);
void relax(int n, int steps, double *x) {
    for (int s = 0; s < steps; s++) {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
        for (int i = 0; i < n; i++) x[i] *= 0.5;
        show(x);
    }
}
""",
        """
void blocks(int n, double *x) {
    for (int b = 0; b < n; b += 1000) {
        #pragma omp target teams distribute parallel for map(tofrom: x[b:1000])
        for (int i = b; i < b + 1000; i++) x[i] *= 0.5;
    }
}
""",
        """
static double *grid;
void start(int n) {
    #pragma omp target enter data map(to: grid[0:n])
}
void run(int n, int steps) {
    for (int s = 0; s < steps; s++) {
        #pragma omp target teams distribute parallel for map(tofrom: grid[0:n])
        for (int i = 0; i < n; i++) grid[i] *= 0.5;
    }
}
""",
        """
static void step(int n, double *x) {
    for (int s = 0; s < 10; s++) {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
        for (int i = 0; i < n; i++) x[i] *= 0.5;
    }
}
void run(int n, double *x) {
    #pragma omp target data map(tofrom: x[0:n])
    step(n, x);
}
""",
        """
void rows(int n, double **rows) {
    for (int r = 0; r < n; r++) {
        double *row = rows[r];
        #pragma omp target map(tofrom: row[0:n])
        for (int i = 0; i < n; i++) row[i] *= 0.5;
    }
}
""",
        """
void relay(int n, int devices, double *x) {
    for (int d = 0; d < devices; d++) {
        #pragma omp target teams distribute parallel for device(d) map(tofrom: x[0:n])
        for (int i = 0; i < n; i++) x[i] *= 0.5;
    }
}
""",
        """
void once(int n, double *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] *= 0.5;
}
""",
    ),
    check=check,
)
