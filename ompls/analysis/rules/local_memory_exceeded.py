"""Sections that are to be near to a kernel, and are more than a core of the chosen device has room for."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.storage import local_sections
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import by_limit, by_model, regions_of, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    for model, devices in by_model(scene).items():
        rooms = by_limit(devices, lambda device: device.local)
        for region in regions_of(scene) if rooms else ():
            known = [(mapped.item, size) for mapped, size in local_sections(region, model) if size and mapped.item]
            total = sum(size for _, size in known)
            for room, names in rooms.items() if known else ():
                if total > room:
                    what = f"what is `ompx_local` takes {total:,} bytes; a core of {names} has {room:,} beside a stack"
                    yield Finding(known[-1][0].span, what, severity_of(scene))


RULE = Rule(
    id="local-memory-exceeded",
    severity="warning",
    group="device-limits",
    title="Sections that do not fit into the memory of a core",
    why="""
`map(ompx_local, …)` asks for a copy of a section in the memory of the core that a kernel begins on, where a device has such memory: an
Epiphany core has 32 KiB for code, data and stack. A region whose sections take more does not run there. Map a part of them so, or
copy piece by piece in the kernel.
""",
    section="5.8.3",
    about="regions",
    bad=(
        """
// Device epiphany
void f(float *x) {
    static float table[4096];
    #pragma omp target map(ompx_local, to: table) map(ompx_local, tofrom: x[0:4000])
    //                                                                    ^^^^^^^^^ hint: what is `ompx_local` takes 32,384 bytes; a core of epiphany has 29,312 beside a stack
    for (int i = 0; i < 4000; i++)
        x[i] += table[i];
}
""",
    ),
    good=(
        """
// Device epiphany
void f(float *x) {
    #pragma omp target map(ompx_local, tofrom: x[0:4000])
    for (int i = 0; i < 4000; i++)
        x[i] += 1;
}
""",
        """
// Device epiphany
void f(float *x, int n) {
    #pragma omp target map(ompx_local, tofrom: x[0:n]) map(to: n)
    for (int i = 0; i < n; i++)
        x[i] += 1;
}
""",
        """
// Device epiphany
void f(float x[20][100]) {
    #pragma omp target map(ompx_local, tofrom: x[2:18][0:100])
    for (int i = 2; i < 20; i++)
        x[i][0] = x[i][99];
}
""",
        """
// Device epiphany
void f(float *x) {
    static float table[4096];
    #pragma omp target map(ompx_local, to: table) map(tofrom: x[0:4000])
    for (int i = 0; i < 4000; i++)
        x[i] += table[i];
}
""",
        """
// Device cudasim
void f(float *x) {
    #pragma omp target map(ompx_local, tofrom: x[0:100000])
    for (int i = 0; i < 100000; i++)
        x[i] += 1;
}
""",
    ),
    check=check,
)
