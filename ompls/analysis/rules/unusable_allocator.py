"""An allocator on a target construct that the region may not use."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """Certain for `allocate` on the construct itself: `requires dynamic_allocators` would have to be in this file."""
    if "dynamic_allocators" in scene.unit.told.requires:
        return
    for directive in scene.directives:
        if not directive.known or "target" not in directive.constructs or not directive.decided:
            continue
        usable = _usable(directive)
        for clause in directive.all("allocate"):
            if clause.broken:
                continue
            allocator = _allocator(clause)
            if allocator is None:
                message = "`allocate` on a target construct must name an allocator"
                yield Finding(clause.span, message, _severity(scene))
            elif isinstance(allocator, ast.Name) and allocator.name not in usable:
                message = f"the region may use `{allocator.name}` only with `uses_allocators({allocator.name})`"
                end = ast.Span(clause.span.end, clause.span.end)
                change = Change(f"Add `uses_allocators({allocator.name})`", end, f" uses_allocators({allocator.name})")
                yield Finding(allocator.span, message, _severity(scene), (), (change,))


def _severity(scene: Scene) -> Severity:
    return "warning" if scene.unit.complete_headers else "hint"


def _usable(directive: Directive) -> set[str]:
    names: set[str] = set()
    for clause in directive.all("uses_allocators"):
        for argument in clause.args:
            name = argument.function if isinstance(argument, ast.Call) else argument
            if isinstance(name, ast.Name):
                names.add(name.name)
    return names


def _allocator(clause: Clause) -> ast.Expr | None:
    """`al` of `allocate(al: x)` and of `allocate(allocator(al), align(8): x)`."""
    return clause.args[0] if clause.args else None


RULE = Rule(
    id="unusable-allocator",
    severity="warning",
    group="structure",
    title="An allocator that the target region may not use",
    why="""
An allocator belongs to the host. A target region gets one for its device with `uses_allocators`, predefined ones too, unless the
program `requires dynamic_allocators`; without either, what `allocate` does there is undefined.
""",
    section="6.6",
    about="directives",
    bad=(
        """
typedef int omp_allocator_handle_t;
omp_allocator_handle_t omp_default_mem_alloc;
void f(int n, int *x) {
    int t = 0;
    #pragma omp target private(t) allocate(omp_default_mem_alloc: t) map(x[0:n])
    //                                     ^^^^^^^^^^^^^^^^^^^^^ warning: the region may use `omp_default_mem_alloc` only with `uses_allocators(omp_default_mem_alloc)`
    { t = n; x[0] = t; }
}
""",
        """
void f(int n, int *x, int t) {
    #pragma omp target parallel for private(t) allocate(t) map(x[0:n])
    //                                         ^^^^^^^^^^^ warning: `allocate` on a target construct must name an allocator
    for (int i = 0; i < n; i++) { t = i; x[i] = t; }
}
""",
    ),
    good=(
        """
extern int omp_default_mem_alloc;
void f(int n, int *x, int t) {
    #pragma omp target private(t) uses_allocators(omp_default_mem_alloc) allocate(omp_default_mem_alloc: t) map(x[0:n])
    { t = n; x[0] = t; }
}
""",
        """
#pragma omp requires dynamic_allocators
extern int omp_default_mem_alloc;
void f(int n, int *x, int t) {
    #pragma omp target private(t) allocate(omp_default_mem_alloc: t) map(x[0:n])
    { t = n; x[0] = t; }
}
""",
        """
extern int own, traits;
void f(int n, int *x, int t) {
    #pragma omp target private(t) uses_allocators(own(traits)) allocate(allocator(own), align(8): t) map(x[0:n])
    { t = n; x[0] = t; }
}
""",
        """
void f(int n, int *x, int t) {
    #pragma omp parallel for private(t) allocate(t)
    for (int i = 0; i < n; i++) { t = i; x[i] = t; }
}
""",
        """
extern int own;
void f(int n, int *x, int t) {
    #pragma omp task private(t) allocate(own: t)
    { t = n; x[0] = t; }
}
""",
    ),
    check=check,
)
