"""Variables in a target region that are larger than what a thread of the chosen device has for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ompls.analysis.dataenv.storage import large_variables
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import by_limit, by_model, called, regions_of, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for model, devices in by_model(scene).items():
        stacks = by_limit(devices, lambda device: device.stack)
        for region in regions_of(scene) if stacks else ():
            for decl, size in large_variables(region.stmt, model):
                for has in _too_small(stacks, size):
                    message = f"`{decl.symbol.name}` takes {size:,} bytes; {has} for its variables"
                    yield Finding(decl.name_span, message, severity_of(scene))
            for call, content in called(scene, region):
                for decl, size in large_variables(content.node, model) if content.node is not None else ():
                    for has in _too_small(stacks, size):
                        message = f"`{decl.symbol.name}` in the function takes {size:,} bytes; {has} for its variables"
                        yield Finding(call.span, message, severity_of(scene))


def _too_small(stacks: Mapping[int, str], size: int) -> Iterator[str]:
    for stack, names in stacks.items():
        if size > stack:
            yield f"a thread of {names} has {stack:,}"


RULE = Rule(
    id="device-stack",
    severity="warning",
    group="device-limits",
    title="A variable that does not fit on a thread's stack",
    why="""
A thread of a GPU has at most 512 KiB for its local variables, and a core of an Epiphany has 32 KiB for everything. A larger
array has to be mapped, or allocated on the device.
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
    //                                 ^^^ hint: `table` in the function takes 8,388,608 bytes; a thread of cuda has 524,288 for its variables
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
    ),
    check=check,
)
