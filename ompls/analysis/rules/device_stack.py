"""Variables in a target region that take more at once than a thread of the chosen device has for them."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.storage import depth, place, said
from ompls.analysis.model import ast
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import by_limit, by_model, regions_of, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    def body_of(name: str) -> ast.Node | None:
        content = scene.unit.functions.get(name)
        return content.node if content is not None and isinstance(content.node, ast.FunctionDef) else None

    for model, devices in by_model(scene).items():
        stacks = by_limit(devices, lambda device: device.stack)
        for region in regions_of(scene) if stacks else ():
            for stack, names in stacks.items():
                found = depth(region.stmt, model, body_of, stack)
                if found is not None and found.at is not None:
                    has = f"a thread of {names} has {stack:,} for its variables"
                    yield Finding(place(found.at), f"{said(found)}; {has}", severity_of(scene))


RULE = Rule(
    id="device-stack",
    severity="warning",
    group="device-limits",
    title="Variables that do not fit on a thread's stack",
    why="""
A thread of a GPU has at most 512 KiB for its local variables, and a core of an Epiphany has 32 KiB for everything. What counts is what
is there at once: in blocks that lie in each other, in the functions that are called there, and the copies of `private` variables. A
larger array has to be mapped, or allocated on the device.
""",
    section="13.8",
    about="regions",
    bad=(
        """
void f(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        double table[100000];
        //     ^^^^^ hint: `table` takes 800,000 bytes; a thread of cuda has 524,288 for its variables
        table[0] = n;
        a[0] = table[0];
    }
}
""",
        """
static double sum(int n) {
    double table[1 << 20];
    double s = 0;
    for (int i = 0; i < n; i++) { table[i] = i; s += table[i]; }
    return s;
}
void f(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = sum(i);
    //                                 ^^^ hint: with what is called here, variables take 8,388,608 bytes at once; a thread of cuda has 524,288 for its variables
}
""",
        """
// Device epiphany
static float sum(const float *x) {
    float part[4096];
    float s = 0;
    for (int i = 0; i < 4096; i++) { part[i] = x[i]; s += part[i]; }
    return s;
}
void f(float *a) {
    #pragma omp target map(tofrom: a[0:4096])
    {
        float own[3072];
        for (int i = 0; i < 3072; i++) own[i] = a[i];
        a[0] = sum(a) + own[7];
        //     ^^^ hint: with what is called here, variables take 28,672 bytes at once; a thread of epiphany has 28,288 for its variables
    }
}
""",
        """
// Device epiphany
void f(float *a) {
    float part[2048];
    #pragma omp target parallel private(part) map(tofrom: a[0:4096])
    {
        float one[4096], two[2048];
        //               ^^^ hint: with `two`, variables take 32,768 bytes at once; a thread of epiphany has 28,288 for its variables
        part[0] = a[0]; one[0] = part[0]; two[0] = one[0]; a[0] = two[0];
    }
}
""",
    ),
    good=(
        """
void f(int n, double *a) {
    double table[100000];
    table[0] = n;
    #pragma omp target map(tofrom: a[0:n]) map(to: table)
    a[0] = table[0];
}
""",
        """
void f(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    { double table[1000]; table[0] = n; a[0] = table[0]; }
}
""",
        """
static double sum(int n) { double table[1 << 20]; table[0] = n; return table[0]; }
double f(int n) { return sum(n); }
""",
        """
void f(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    { static double table[100000]; table[0] = n; a[0] = table[0]; }
}
""",
        """
void f(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) { double row[64]; row[0] = i; a[i] = row[0]; }
}
""",
        """
// Device epiphany
struct wide { float of[3072]; };
void f(float *a) {
    #pragma omp target map(tofrom: a[0:4096])
    {
        { struct wide w; w.of[0] = a[0]; a[0] = w.of[0]; }
        { float one[4096], two[1024]; one[0] = a[0]; two[0] = one[0]; a[0] = two[0]; }
        for (int i = 0; i < 9; i++) { float own[2048]; own[0] = a[i]; a[i] = own[0]; }
    }
}
""",
    ),
    check=check,
)
