"""A threadprivate variable that a target region uses."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import regions_of


def check(scene: Scene) -> Iterator[Finding]:
    """Certain: the copies belong to the threads of the host, and the name means the variable, not a local one."""
    names = scene.unit.told.threadprivate - scene.unit.told.groupprivate
    if not names:
        return
    for region in regions_of(scene):
        seen: set[str] = set()
        for node in region.stmt.nodes(ast.Name):
            if node.symbol is None or node.name in seen:
                continue
            if node.name in names and _static(node.symbol):
                seen.add(node.name)
                message = f"`{node.name}` is threadprivate: no device has a copy of it"
                yield Finding(node.span, message, "warning", ((region.directive.name_span, "the target region"),))


def _static(symbol: ast.Symbol) -> bool:
    return symbol.kind == "var" and (symbol.level == "file" or symbol.storage == "static")


RULE = Rule(
    id="threadprivate-in-target",
    severity="warning",
    group="declare-target",
    title="A threadprivate variable in a target region",
    why="""
Each thread of the host has its own copy of a threadprivate variable, and no thread of a device has one: what an access in a
target region does is unspecified. Pass the value in a local variable.
""",
    section="13.8",
    about="regions",
    bad=(
        """
int counter;
#pragma omp threadprivate(counter)
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = counter;
    //     ^^^^^^^ warning: `counter` is threadprivate: no device has a copy of it
}
""",
        """
void f(int n, int *x) {
    static int calls;
    #pragma omp threadprivate(calls)
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++)
        x[i] = calls++;
    //         ^^^^^ warning: `calls` is threadprivate: no device has a copy of it
}
""",
    ),
    good=(
        """
int sum;
#pragma omp groupprivate(sum) device_type(any)
void f(int *x) {
    #pragma omp target teams map(tofrom: x[0:1])
    sum = x[0];
}
""",
        """
int counter;
#pragma omp threadprivate(counter)
void f(int *x) {
    int now = counter;
    #pragma omp target map(tofrom: x[0:1])
    x[0] = now;
}
""",
        """
int counter;
#pragma omp threadprivate(counter)
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    { int counter = 3; x[0] = counter; }
}
""",
        """
int counter;
#pragma omp threadprivate(counter)
void f(int *x) {
    #pragma omp parallel copyin(counter)
    x[0] = counter;
}
""",
        """
int counter;
#pragma omp threadprivate(counter)
struct s { int counter; };
void f(struct s *x) {
    #pragma omp target map(tofrom: x[0:1])
    x->counter = 1;
}
""",
        """
int counter;
#pragma omp threadprivate(counter)
void f(int n, int *x) {
    #pragma omp target device(ancestor: 1) map(tofrom: x[0:1])
    x[0] = counter;
    #pragma omp target data map(tofrom: x[0:n])
    counter++;
}
""",
    ),
    check=check,
)
