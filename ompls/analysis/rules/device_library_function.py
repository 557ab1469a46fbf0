"""A library function in a target region that the chosen device does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import called, calls_in, devices_in, regions_of, severity_of
from ompls.analysis.spec.devices import DeviceSpec
from ompls.analysis.spec.runtime import DEVICE_FUNCTIONS, HOST_FUNCTIONS

# What only looks like a function, or is replaced before anything is called.
_NO_CALLS = ("__builtin_", "__sync_", "__atomic_", "__assert")


def check(scene: Scene) -> Iterator[Finding]:
    devices = [device for device in devices_in(scene) if device.functions is not None]
    for region in regions_of(scene) if devices else ():
        seen: set[str] = set()
        for name in calls_in(scene.content, region):
            if name.name not in seen:
                seen.add(name.name)
                for why in _missing(scene, devices, name.name):
                    yield Finding(name.span, f"`{name.name}` {why}", severity_of(scene))
        for call, content in called(scene, region):
            missing = next((s.name for s in content.calls if _missing(scene, devices, s.name)), "")
            if missing and isinstance(content.node, ast.FunctionDef):
                what = f"`{missing}`, which `{content.node.symbol.name}` calls,"
                for why in _missing(scene, devices, missing):
                    yield Finding(call.span, f"{what} {why}", severity_of(scene))


def _missing(scene: Scene, devices: list[DeviceSpec], name: str) -> list[str]:
    """Why devices lack it, if it is a function of the C library (not one of the program's of that name)."""
    lack = [device for device in devices if not device.can_call(name)]
    if not lack or name in scene.unit.functions or name.startswith(_NO_CALLS):
        return []
    symbol = scene.unit.symbols.get(name)
    if symbol is None or symbol.kind != "func" or symbol.declare_target:
        return []
    if not (symbol.from_system_header or name in HOST_FUNCTIONS or name in DEVICE_FUNCTIONS):
        return []
    reasons: dict[str, list[str]] = {}
    for device in lack:
        needs = f"it needs {HOST_FUNCTIONS[name]}, which only the host has" if name in HOST_FUNCTIONS else ""
        reasons.setdefault(needs or device.no_function, []).append(device.name)
    return [f"cannot be called on {' and '.join(names)}: {why}" for why, names in reasons.items()]


RULE = Rule(
    id="device-library-function",
    severity="warning",
    group="device-limits",
    title="A library function that the device does not have",
    why="""
A device has a small library of its own: mathematical functions, `printf`, `malloc`, what copies memory. It has no files, no
process, no clock of the host's. When nobody chose a device, the default is a guess and this is a hint.
""",
    section="7.8",
    about="regions",
    bad=(
        """
int atoi(const char *);
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        a[0] = n;
        atoi("7");
    //  ^^^^ hint: `atoi` cannot be called on cuda: the device has no function of that name
    }
}
""",
        """
typedef struct file FILE;
FILE *fopen(const char *, const char *);
void *realloc(void *, unsigned long);
static void *larger(void *p) { return realloc(p, 64); }
void f(int n, void **a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) {
        a[i] = fopen("a", "r");
        //     ^^^^^ hint: `fopen` cannot be called on cuda: it needs files, which only the host has
        a[i] = larger(a[i]);
        //     ^^^^^^ hint: `realloc`, which `larger` calls, cannot be called on cuda: it needs the host's memory, which only the host has
    }
}
""",
        """
int gettimeofday(void *, void *);
void f(long *t) {
    #pragma omp target map(from: t[0:2])
    gettimeofday(t, 0);
//  ^^^^^^^^^^^^ hint: `gettimeofday` cannot be called on cuda: it needs the host's clock, which only the host has
}
""",
    ),
    good=(
        """
int puts(const char *);
void f(int n, int *a) {
    puts("begin");
    #pragma omp target map(tofrom: a[0:n])
    a[0] = n;
    puts("end");
}
""",
        """
int printf(const char *, ...);
double sqrt(double);
float expf(float);
void *malloc(unsigned long);
void free(void *);
void f(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    {
        double *b = malloc(64);
        a[0] = sqrt(a[1]) + expf(2.0f);
        printf("%f", a[0]);
        free(b);
    }
}
""",
        """
static int puts(const char *text) { return text[0]; }
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    a[0] = puts("mine");
}
""",
        """
#pragma omp begin declare target
int puts(const char *);
#pragma omp end declare target
void f(int n, int *a) {
    #pragma omp target map(tofrom: a[0:n])
    a[0] = puts("theirs");
}
""",
        """
int omp_get_thread_num(void);
int omp_get_num_teams(void);
void f(int n, int *a) {
    #pragma omp target teams map(tofrom: a[0:n])
    a[0] = omp_get_thread_num() + omp_get_num_teams();
}
""",
        """
int puts(const char *);
void f(int n, int *a) {
    #pragma omp target device(ancestor: 1) map(tofrom: a[0:n])
    puts("on the host");
}
""",
        """
void f(int n, int *a, int (*write)(int)) {
    #pragma omp target map(tofrom: a[0:n])
    a[0] = write(n);
}
""",
    ),
    check=check,
)
