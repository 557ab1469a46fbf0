"""A function that `device_type(host)` keeps from devices, called in a target region."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import called, calls_in, regions_of


def check(scene: Scene) -> Iterator[Finding]:
    """Certain: the directive says that there is no version for devices."""
    host_only = scene.unit.told.host_only - scene.unit.told.variants
    for region in regions_of(scene) if host_only else ():
        for name in calls_in(scene.content, region):
            if name.name in host_only:
                message = f"`{name.name}` has no version for devices: it is `device_type(host)`"
                yield Finding(name.span, message, "warning")
        for call, content in called(scene, region):
            callee = next((s.name for s in content.calls if s.name in host_only), "")
            if callee and isinstance(content.node, ast.FunctionDef):
                message = f"`{content.node.symbol.name}` calls `{callee}`, which is `device_type(host)`"
                yield Finding(call.span, f"{message}: there is no version for devices", "warning")


RULE = Rule(
    id="device-type-mismatch",
    severity="warning",
    group="declare-target",
    title="A function for the host only is called on a device",
    why="""
`declare target enter(f) device_type(host)` makes no version of `f` for devices, so a target region that calls it cannot be linked,
or falls back to the host. `device_type(any)` is the default.
""",
    section="13.1",
    about="regions",
    bad=(
        """
int log_it(int);
#pragma omp declare target enter(log_it) device_type(host)
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = log_it(i);
    //                                 ^^^^^^ warning: `log_it` has no version for devices: it is `device_type(host)`
}
""",
        """
#pragma omp begin declare target device_type(host)
int log_it(int v) { return v; }
#pragma omp end declare target
static int inner(int v) { return log_it(v); }
static int outer(int v) { return inner(v); }
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] = outer(n);
    //     ^^^^^ warning: `inner` calls `log_it`, which is `device_type(host)`: there is no version for devices
}
""",
    ),
    good=(
        """
int log_it(int);
#pragma omp declare target enter(log_it) device_type(any)
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] = log_it(n);
}
""",
        """
int log_it(int);
#pragma omp declare target enter(log_it) device_type(host)
int f(int n) { return log_it(n); }
""",
        """
int on_host(int), on_device(int);
#pragma omp declare target enter(on_host) device_type(host)
#pragma omp declare target enter(on_device) device_type(nohost)
void f(int n, int *x) {
    x[0] = on_host(n);
    #pragma omp target map(tofrom: x[0:n])
    x[0] = on_device(n);
}
""",
        """
int log_it(int);
#pragma omp declare target enter(log_it) device_type(host)
void f(int n, int *x) {
    #pragma omp target device(ancestor: 1) map(tofrom: x[0:n])
    x[0] = log_it(n);
    #pragma omp target map(tofrom: x[0:n])
    {
        #pragma omp target device(ancestor: 1) map(always, tofrom: x[0:1])
        x[0] = log_it(n);
    }
}
""",
        """
#pragma omp begin declare target device_type(host)
int table[8];
#pragma omp end declare target
int later(int v) { return v; }
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] = later(n);
}
""",
    ),
    check=check,
)
