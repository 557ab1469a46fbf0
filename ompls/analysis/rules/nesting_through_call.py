"""A function with a construct for the whole team, called where only a part of the team is."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Node
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene, Unit
from ompls.analysis.rules.support.kept import names_called
from ompls.analysis.spec.nesting import CLOSELY_FORBIDDEN

_KEY = "nesting through calls"
_CALLS = "calls in regions"
# What begins a team (or a device) of its own, or may: what is called in there is nested in that.
_NEW_TEAM = frozenset(("parallel", "target", "teams", "metadirective", "begin metadirective"))
_OUTER = frozenset(name for names in CLOSELY_FORBIDDEN.values() for name in names) - {"atomic"}


def check(scene: Scene) -> Iterator[Finding]:
    """A worksharing construct or barrier in a function is closely nested in the region that the call is in (5.2 §17.1).

    What the function runs only under a condition, or beside a way around the construct, may be meant for another caller:
    only constructs that every call reaches count.
    """
    content = scene.content
    if content is None or not content.calls or not content.directives:
        return
    if scene.unit.functions.keys().isdisjoint(names_called(content)):
        return
    for call, outer, stmt in _calls(content):
        found = _orphan(scene.unit, call.name, outer, set())
        if found is not None:
            name, construct = found
            who = f"`{name}`" if name == call.name else f"`{call.name}` calls `{name}`, which"
            message = f"{who} has a `{construct}` construct, which may not be closely nested in `{outer}`"
            yield Finding(call.span, message, "warning", ((stmt.directive.name_span, f"this `{outer}` region"),))


def _calls(content: Content) -> list[tuple[ast.Name, str, DirectiveStmt]]:
    """The calls in regions of a part of a team, with the construct of the region; kept with the declaration."""
    kept: list[tuple[ast.Name, str, DirectiveStmt]] | None = content.memo.get(_CALLS)
    if kept is not None:
        return kept
    found: list[tuple[ast.Name, str, DirectiveStmt]] = []
    stack: list[tuple[Node, tuple[str, DirectiveStmt] | None]] = [(content.node, None)]
    while stack:
        node, outer = stack.pop()
        if isinstance(node, DirectiveStmt):
            outer = _inside(node, outer)
        elif isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and outer is not None:
            found.append((node.function, *outer))
        stack.extend((child, outer) for child in node.children())
    content.memo[_CALLS] = found
    return found


def _inside(stmt: DirectiveStmt, outer: tuple[str, DirectiveStmt] | None) -> tuple[str, DirectiveStmt] | None:
    """The innermost region of a part of a team in the directive's body."""
    directive = stmt.directive
    if not directive.known or not directive.decided:
        return None
    for construct in directive.constructs:
        if construct in _NEW_TEAM:
            outer = None
        elif construct in _OUTER:
            outer = (construct, stmt)
    return outer


def _orphan(unit: Unit, name: str, outer: str, seen: set[str]) -> tuple[str, str] | None:
    """A function that the call reaches, and the construct in it that may not be nested in `outer`."""
    content = unit.functions.get(name)
    if name in seen or content is None or name in unit.told.variants or len(seen) > 50:
        return None
    seen.add(name)
    constructs, calls = _always(content)
    for construct in constructs:
        if outer in CLOSELY_FORBIDDEN.get(construct, ()):
            return name, construct
    return next((f for c in calls if (f := _orphan(unit, c, outer, seen)) is not None), None)


def _always(content: Content) -> tuple[list[str], list[str]]:
    """The constructs and calls that every call of the function meets outside of teams of its own, up to a jump."""
    kept: tuple[list[str], list[str]] | None = content.memo.get(_KEY)
    if kept is None:
        constructs: list[str] = []
        calls: list[str] = []
        node = content.node
        for stmt in node.body.items if isinstance(node, ast.FunctionDef) else ():
            if isinstance(stmt, DirectiveStmt) and stmt.directive.known and stmt.directive.decided:
                constructs.append(stmt.directive.constructs[0])
            elif isinstance(stmt, ast.ExprStmt) and isinstance(stmt.expr, ast.Call):
                called = stmt.expr.function
                calls += [called.name] if isinstance(called, ast.Name) else []
            elif any(isinstance(n, (ast.Jump, ast.OtherStmt)) for n in stmt.walk()):
                break
        kept = content.memo[_KEY] = (constructs, calls)
    return kept


RULE = Rule(
    id="nesting-through-call",
    severity="warning",
    group="structure",
    title="A call brings a construct into a region where it may not be",
    why="""
A worksharing loop, `single` or `barrier` is for all threads of a team. In a `for` loop, a `critical`, `single` or `masked` region or
a task, not all threads come by: they wait for each other for ever. That is so, too, when the construct is in a function that is
called there.
""",
    section="17.1",
    bad=(
        """
static void fill(int n, double *x) {
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = 0;
}
void f(int n, double *x) {
    #pragma omp parallel
    {
        #pragma omp single
        fill(n, x);
    //  ^^^^ warning: `fill` has a `for` construct, which may not be closely nested in `single`
    }
}
""",
        """
static void wait(void) {
    #pragma omp barrier
}
static void step(double *x) {
    x[0]++;
    wait();
}
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        step(x + i);
    //  ^^^^ warning: `step` calls `wait`, which has a `barrier` construct, which may not be closely nested in `for`
    }
}
""",
    ),
    good=(
        """
static void fill(int n, double *x) {
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = 0;
}
void f(int n, double *x) {
    #pragma omp parallel
    fill(n, x);
    fill(n, x);
}
""",
        """
static void fill(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] = 0;
}
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) fill(n, x);
}
""",
        """
static void fill(int n, double *x) {
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = 0;
}
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp parallel
        fill(n, x);
    }
}
""",
        """
int omp_in_parallel(void);
static void fill(int n, double *x) {
    if (omp_in_parallel()) {
        for (int i = 0; i < n; i++) x[i] = 0;
        return;
    }
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = 0;
}
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) fill(n, x);
}
""",
        """
static void count(double *x) {
    #pragma omp atomic
    x[0]++;
    #pragma omp critical
    x[1]++;
    #pragma omp task
    x[2]++;
}
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) count(x);
}
""",
        """
static void fill(int n, double *x, int all) {
    if (all) {
        #pragma omp for
        for (int i = 0; i < n; i++) x[i] = 0;
    }
}
void f(int n, double *x) {
    #pragma omp parallel
    #pragma omp single
    fill(n, x, 0);
}
""",
    ),
    check=check,
)
