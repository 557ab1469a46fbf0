"""Numbers of a kernel's own that have fewer bits on the device than on the host."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.widths import narrow
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import by_model, called, regions_of


def check(scene: Scene) -> Iterator[Finding]:
    host, text = scene.unit.model, scene.content.text if scene.content is not None else b""
    for model, devices in by_model(scene).items():
        names = " and ".join(device.name for device in devices)
        for region in regions_of(scene) if model.sizes != host.sizes else ():
            for n in narrow(region.stmt, text, host, model):
                yield Finding(n.span, f"{n.what} is {n.sizes(host, model).format(names)}", "hint")
            for call, content in called(scene, region):
                for n in narrow(content.node, content.text, host, model):
                    what = n.what if n.what != "this" else "a number"
                    said = f"{what} in the function is {n.sizes(host, model).format(names)}"
                    yield Finding(call.span, said, "hint")
                    break


RULE = Rule(
    id="device-number-cut",
    severity="hint",
    group="device-limits",
    title="A number that has fewer bits on the device",
    why="""
A kernel's own variables have the types of the device's compiler. Where `long` has 4 bytes there and 8 on the host, a sum, a product or a
hash in one loses its upper half without a word, and the result is another one than on the host. Types with one size everywhere (`int`,
`int32_t`, `int64_t`) have the same values on both. `size_t` and the like are as large as the device's memory needs them, and are not
reported. What host and device share is the matter of `device-layout`.
""",
    section="5.8",
    about="regions",
    bad=(
        """
// Device epiphany
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        long sum = 0;
        //   ^^^ hint: `sum` is `long`, which has 8 bytes on the host and 4 on epiphany: larger numbers are cut there; use `int64_t`
        for (int i = 0; i < n; i++) sum += a[i];
        a[0] = sum >> 20;
    }
}
""",
        """
// Device epiphany
struct state { int n; unsigned long hash; };
void f(int n, char *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        struct state s = {0};
        //           ^ hint: the member `hash` of `struct state` in `s` is `unsigned long`, which has 8 bytes on the host and 4 on epiphany: larger numbers are cut there; use `uint64_t`
        for (int i = 0; i < n; i++) s.hash = s.hash * 33 + a[i];
        a[0] = s.hash >> 40;
    }
}
""",
        """
// Device epiphany
static int scaled(int x) {
    long twice = 2l * x;
    return twice >> 1;
}
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = scaled(a[i]);
    //                                 ^^^^^^ hint: `twice` in the function is `long`, which has 8 bytes on the host and 4 on epiphany: larger numbers are cut there; use `int64_t`
}
""",
        """
// Device epiphany
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = (long)a[i] * n >> 16;
    //                                 ^^^^^^^^^^ hint: this is `long`, which has 8 bytes on the host and 4 on epiphany: larger numbers are cut there; use `int64_t`
}
""",
    ),
    good=(
        """
// Device epiphany
#include <stddef.h>
#include <stdint.h>
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        int64_t sum = 0;
        for (size_t i = 0; i < (size_t)n; i++) sum += a[i];
        a[0] = sum >> 20;
    }
}
""",
        """
// Device epiphany
void f(int n, int *a) {
    long outside = n;
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = i;
    a[0] = outside >> 3;
}
""",
        """
// Device cudasim
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (long i = 0; i < n; i++) a[i] = i;
}
""",
        """
// Device epiphany
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (long long i = 0; i < n; i++) a[i] = (int)(long)a[i];
}
""",
        """
// Device epiphany
void f(int n, float *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        struct point { float x, *where; } p = {0, a};
        for (int i = 0; i < n; i++) p.where[i] = p.x;
    }
}
""",
    ),
    check=check,
)
