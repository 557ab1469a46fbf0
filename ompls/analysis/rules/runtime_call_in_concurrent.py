"""A routine of the OpenMP runtime that is called in a region whose iterations may run in any order, on anything."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Node
from ompls.analysis.model.omp import Directive
from ompls.analysis.rules.support.framework import Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """A hint: the specification forbids it, and what compilers do with it mostly works."""
    for stmt in scene.content.directives if scene.content is not None else ():
        what = _concurrent(stmt.directive)
        if not what or stmt.body is None or not stmt.directive.decided:
            continue
        stack: list[Node] = [stmt.body]
        while stack:
            node = stack.pop()
            if isinstance(node, DirectiveStmt) and _concurrent(node.directive):
                continue  # speaks for itself
            if isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and _routine(node.function):
                message = f"`{node.function.name}` may not be called in {what}"
                yield Finding(node.function.span, message, "hint", ((stmt.directive.name_span, "the loop"),))
            stack.extend(reversed(list(node.children())))


def _concurrent(directive: Directive) -> str:
    """What makes the iterations of the construct concurrent; '' when nothing does."""
    if directive.has("loop"):
        return "a `loop` construct"
    order = directive.clause("order")
    return "an `order(concurrent)` region" if order is not None and order.keyword == "concurrent" else ""


def _routine(name: ast.Name) -> bool:
    return name.name.startswith("omp_") and (name.symbol is None or name.symbol.kind == "func")


RULE = Rule(
    id="runtime-call-in-concurrent",
    severity="hint",
    group="structure",
    title="An OpenMP routine in a concurrent loop",
    why="""
In a `loop` construct, or with `order(concurrent)`, the compiler may run the iterations on threads, in SIMD lanes or one after the
other. Who runs one has no meaning there, so that routines of the OpenMP API may not be called.
""",
    section="10.3",
    about="directives",
    bad=(
        """
int omp_get_thread_num(void);
void f(int n, int *x) {
    #pragma omp target teams loop map(from: x[0:n])
    for (int i = 0; i < n; i++)
        x[i] = omp_get_thread_num();
    //         ^^^^^^^^^^^^^^^^^^ hint: `omp_get_thread_num` may not be called in a `loop` construct
}
""",
        """
int omp_get_num_threads(void);
void f(int n, int *x) {
    #pragma omp parallel for order(concurrent)
    for (int i = 0; i < n; i++) {
        if (x[i])
            x[i] = omp_get_num_threads();
    //             ^^^^^^^^^^^^^^^^^^^ hint: `omp_get_num_threads` may not be called in an `order(concurrent)` region
    }
}
""",
    ),
    good=(
        """
int omp_get_thread_num(void);
void f(int n, int *x) {
    #pragma omp target teams distribute parallel for map(from: x[0:n])
    for (int i = 0; i < n; i++) x[i] = omp_get_thread_num();
}
""",
        """
int omp_get_max_threads(void);
void f(int n, int *x) {
    int most = omp_get_max_threads();
    #pragma omp parallel for order(concurrent)
    for (int i = 0; i < n; i++) x[i] = most;
}
""",
        """
int own_get(int);
void f(int n, int *x) {
    #pragma omp target teams loop map(from: x[0:n])
    for (int i = 0; i < n; i++) x[i] = own_get(i);
}
""",
        """
int omp_get_num_teams(void);
void f(int n, int *x) {
    #pragma omp target teams map(from: x[0:n])
    {
        int teams = omp_get_num_teams();
        #pragma omp loop
        for (int i = 0; i < n; i++) x[i] = teams;
    }
}
""",
        """
void f(int n, int *x, int (*omp_like)(int)) {
    #pragma omp parallel for order(concurrent)
    for (int i = 0; i < n; i++) x[i] = omp_like(i);
}
""",
    ),
    check=check,
)
