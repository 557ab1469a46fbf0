"""A recursive function that a target region calls."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.rules.support.framework import Finding, Rule, Scene, Unit
from ompls.analysis.rules.support.limits import called, devices_in, grouped, regions_of, severity_of
from ompls.analysis.spec.devices import ABILITIES


def check(scene: Scene) -> Iterator[Finding]:
    """A hint where recursion works but its stack is small: how deep it goes is not known here."""
    devices = [device for device in devices_in(scene) if "recursion" in {*device.lacks, *device.slow}]
    for region in regions_of(scene) if devices else ():
        for call, content in called(scene, region):
            if isinstance(content.node, ast.FunctionDef) and _recursive(scene.unit, content.node.symbol.name):
                what = ABILITIES["recursion"].format(content.node.symbol.name)
                for why, names in grouped(devices, "recursion", "lacks").items():
                    yield Finding(call.span, f"{what} cannot run on {names}: {why}", severity_of(scene))
                for why, names in grouped(devices, "recursion", "slow").items():
                    yield Finding(call.span, f"{what} is delicate on {names}: {why}", "hint")


def _recursive(unit: Unit, name: str) -> bool:
    """Whether the function calls itself, directly or through others of this unit."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        content = unit.functions.get(waiting.pop())
        for callee in content.calls if content is not None else ():
            if callee.name == name:
                return True
            if callee.name not in seen:
                seen.add(callee.name)
                waiting.append(callee.name)
    return False


RULE = Rule(
    id="device-recursion",
    severity="warning",
    group="device-limits",
    title="A recursive function that runs on a device",
    why="""
The threads of a device have small stacks, and the compiler cannot tell how much of one a recursion takes: a GPU's thread has
1 KiB unless the program asks for more, and an overflow ends the kernel without a word about why. A loop has no such limit.
""",
    section="13.8",
    about="regions",
    bad=(
        """
static int depth(int v) { return v < 2 ? 1 : 1 + depth(v / 2); }
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = depth(i);
    //                                 ^^^^^ hint: the recursive function `depth` is delicate on cuda: nobody can tell beforehand how much of a thread's small stack it takes
}
""",
        """
static int odd(int);
static int even(int v) { return v == 0 ? 1 : odd(v - 1); }
static int odd(int v) { return v == 0 ? 0 : even(v - 1); }
static int entry(int v) { return even(v); }
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    a[0] = entry(n);
    //     ^^^^^ hint: the recursive function `even` is delicate on cuda: nobody can tell beforehand how much of a thread's small stack it takes
    //     ^^^^^ hint: the recursive function `odd` is delicate on cuda: nobody can tell beforehand how much of a thread's small stack it takes
}
""",
    ),
    good=(
        """
static int depth(int v) { return v < 2 ? 1 : 1 + depth(v / 2); }
int f(int n) { return depth(n); }
""",
        """
static int depth(int v) { int d = 1; while (v > 1) { v /= 2; d++; } return d; }
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = depth(i);
}
""",
        """
static int twice(int v) { return 2 * v; }
static int four(int v) { return twice(twice(v)); }
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    a[0] = four(four(n));
}
""",
        """
static int depth(int v) { return v < 2 ? 1 : 1 + depth(v / 2); }
void f(int n, int *a) {
    int d = depth(n);
    #pragma omp target map(tofrom: a[0:n])
    a[0] = d;
}
""",
        """
static int depth(int v) { return v < 2 ? 1 : 1 + depth(v / 2); }
void f(int n, int *a) {
    #pragma omp target device(ancestor: 1) map(tofrom: a[0:n])
    a[0] = depth(n);
}
""",
    ),
    check=check,
)
