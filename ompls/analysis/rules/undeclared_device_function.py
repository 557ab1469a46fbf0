"""A function that a target region calls although no device has a version of it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Finding, Rule, Scene, Unit
from ompls.analysis.spec.runtime import HOST_FUNCTIONS, runs_on_devices


def check(scene: Scene) -> Iterator[Finding]:
    if scene.content is None:
        return
    for region in scene.content.regions:
        clause = region.directive.clause("device")
        if clause is None or clause.keyword != "ancestor":  # such a region runs on the host
            yield from _calls(scene, region)


def _calls(scene: Scene, region: Region) -> Iterator[Finding]:
    seen: set[str] = set()
    for node in region.stmt.nodes(ast.Call):
        if not isinstance(node.function, ast.Name):
            continue
        name = node.function
        if name.name in seen or (name.symbol is not None and name.symbol.kind != "func"):
            continue
        seen.add(name.name)
        problem = _problem(scene, name)
        if problem is not None:
            weak = region.tainted or not scene.unit.complete_headers
            message, certain = problem
            yield Finding(Span(*name.span), message, "warning" if certain and not weak else "hint")


def _problem(scene: Scene, name: ast.Name) -> tuple[str, bool] | None:
    """What is wrong, and whether that is certain.

    A prototype alone proves nothing since OpenMP 5.0: the call makes the function `declare target` here (5.2 §7.8), and
    the unit that defines it may name it there.  What a system header declares is `device-library-function`'s.
    """
    if name.name in scene.unit.told.variants:  # a `declare variant` may replace the call
        return None
    symbol = scene.unit.symbols.get(name.name, name.symbol)
    if runs_on_devices(name.name) or (symbol is not None and symbol.declare_target):
        return None
    if name.symbol is not None and name.symbol.declare_target:
        return None
    defined = name.name in scene.unit.functions
    if defined and scene.unit.settings.openmp >= "5.0":
        # It is implicitly `declare target` (5.2 §7.8), and so is all that it calls.
        return _inner_problem(scene.unit, name.name)
    if symbol is None:
        return f"`{name.name}` is called in a target region, but it is not declared", True
    if symbol.from_system_header or name.name in HOST_FUNCTIONS:
        return None
    older = scene.unit.settings.openmp < "5.0"
    if defined:
        return f"`{name.name}` is called in a target region, but before OpenMP 5.0 it needs a `declare target`", True
    what = "but it is neither defined here nor in a `declare target`"
    return f"`{name.name}` is called in a target region, {what}", older


def _inner_problem(unit: Unit, name: str) -> tuple[str, bool] | None:
    """What a function of this unit calls, itself or through others, although devices have no version of it."""
    seen, waiting = {name}, [name]
    while waiting:
        for callee in unit.functions[waiting.pop()].calls:
            if callee.name in seen:
                continue
            seen.add(callee.name)
            symbol = unit.symbols.get(callee.name, callee)
            if callee.name in unit.functions:
                waiting.append(callee.name)
            elif not (
                runs_on_devices(callee.name)
                or symbol.declare_target
                or callee.declare_target
                or symbol.from_system_header
                or callee.name in HOST_FUNCTIONS
                or callee.name in unit.told.variants
            ):
                what = f"needs `{callee.name}`, which is neither defined here nor in a `declare target`"
                return f"`{name}` is called in a target region and {what}", False
    return None


RULE = Rule(
    id="undeclared-device-function",
    severity="warning",
    group="declare-target",
    title="A function without a device version is called in a target region",
    why="""
A device can only run functions that were compiled for it. Since OpenMP 5.0 that is every function that is defined in
the same translation unit and called from a region; any other one must be in a `declare target` directive, here and where it is
defined. The OpenMP runtime's functions and what the devices' C libraries have need no declaration.
""",
    section="7.8",
    about="regions",
    bad=(
        """
int lookup(int);
static int twice(int v) { return v > 9 ? twice(v - 1) : 2 * lookup(v); }
static int entry(int v) { return twice(v); }
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = entry(x[0]);
    //     ^^^^^ hint: `entry` is called in a target region and needs `lookup`, which is neither defined here nor in a `declare target`
}
""",
        """
int helper(int);
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = helper(i);
    //                                 ^^^^^^ hint: `helper` is called in a target region, but it is neither defined here nor in a `declare target`
}
""",
        """
extern double shared_helper(double);
double twice(double v) { return 2 * v; }
void f(double *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:9])
    for (int i = 0; i < 9; i++) {
        x[i] = twice(x[i]);
        if (x[i] > 0) x[i] += shared_helper(x[i]);
        //                    ^^^^^^^^^^^^^ hint: `shared_helper` is called in a target region, but it is neither defined here nor in a `declare target`
    }
}
""",
        """
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = nowhere(x[0]);
    //     ^^^^^^^ warning: `nowhere` is called in a target region, but it is not declared
}
""",
    ),
    good=(
        """
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = llvm_omp_target_dynamic_shared_alloc() != 0;
}
""",
        """
int on_gpu(int);
#pragma omp declare variant(on_gpu) match(construct={target})
int helper(int);
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = helper(x[0]);
}
""",
        """
int helper(int);
int helper(int v) { return v + 1; }
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = helper(x[0]);
}
""",
        """
void f(int *x) {
    int later(int);
    #pragma omp target map(tofrom: x[0:1])
    x[0] = later(x[0]);
}
int later(int v) { return v; }
""",
        """
#pragma omp declare target
int helper(int);
#pragma omp end declare target
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = helper(x[0]);
}
""",
        """
int helper(int);
#pragma omp declare target enter(helper)
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = helper(x[0]);
}
""",
        """
double sqrt(double);
int printf(const char *, ...);
int omp_get_team_num(void);
void f(double *x) {
    #pragma omp target map(tofrom: x[0:1])
    { x[0] = sqrt(x[0]) + omp_get_team_num(); printf("%f", x[0]); }
}
""",
        """
int helper(int);
void f(int *x) {
    x[0] = helper(x[0]);
    #pragma omp target device(ancestor: 1) map(tofrom: x[0:1])
    x[0] = helper(x[0]);
}
""",
        """
void f(int *x, int (*callback)(int)) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = callback(x[0]);
}
""",
    ),
    check=check,
)
