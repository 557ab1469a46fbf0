"""Data that host and device share and that the device lays out in another way."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv import gnulayouts
from ompls.analysis.dataenv.layouts import Unlike, unlike_globals, unlike_in, unlike_moved, unlike_sizes
from ompls.analysis.model.ast import Span
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import by_model, called, devices_in, grouped, regions_of, severity_of


def check(scene: Scene) -> Iterator[Finding]:
    host = scene.unit.model
    for why, names in grouped([*devices_in(scene)], gnulayouts.ABILITY, "lacks").items():
        for region in regions_of(scene):
            yield from _otherwise(scene, region, f"{names}: {why}")
    for model, devices in by_model(scene).items():
        names = " and ".join(device.name for device in devices)
        wide = all(device.wide_long for device in devices)
        for region in regions_of(scene) if model != host else ():
            span = region.directive.name_span
            yield from (_finding(scene, x, span, names) for x in unlike_in(region, host, model, wide))
            for call, content in called(scene, region):
                for x in (*unlike_globals([content.node], host, model), *unlike_sizes(content.node, host, model)):
                    yield _finding(scene, x._replace(span=call.span), span, names)
        for directive in scene.directives if model != host else ():
            found = unlike_moved(directive, host, model, wide)
            yield from (_finding(scene, x, directive.name_span, names) for x in found)


def _otherwise(scene: Scene, region: Region, where: str) -> Iterator[Finding]:
    """Structures that only gcc lays out as it does: where the region, or a function that it calls, first uses each."""
    there = [(region.stmt.span, scene.content)] if scene.content is not None else []
    there += [(call.span, content) for call, content in called(scene, region)]
    said: set[str] = set()
    for call, content in there:
        if not any(map(gnulayouts.unusual, content.records)):
            continue
        own = content is scene.content
        for n, what, why in gnulayouts.otherwise_in(region.stmt if own else content.node, scene.unit.model):
            if what not in said:
                said.add(what)
                message = f"{what} cannot be laid out on {where}: {why}"
                yield Finding(n.span if own else call, message, severity_of(scene))


def _finding(scene: Scene, x: Unlike, otherwise: Span, names: str) -> Finding:
    return Finding(
        x.span or otherwise, f"{x.what} cannot be shared with {names}: {x.why.format(names)}", severity_of(scene)
    )


RULE = Rule(
    id="device-layout",
    severity="warning",
    group="device-limits",
    title="Data that the device lays out in another way than the host",
    why="""
What a construct maps is copied byte for byte, and so is the value of a firstprivate variable. A device with pointers or
`long` of 4 bytes (`[abi]` in its `device.toml`) finds something else in such bytes: every element of an array of `long`, and
every member behind a pointer, lies in another place. The message names the innermost member that differs. Types with
one size everywhere (`float`, `int`, `int32_t`, `int64_t`) can be shared. A kernel for an Epiphany has the host's `long` for single variables that
it shares, unless the region takes their address or reduces them by an operation of its own. A value that does not fit
its own `long` is an error when the kernel starts. A pointer that only leads to mapped data is not
copied: the device gets one of its own.

NVIDIA's compilers put some members elsewhere than gcc, whatever is written (bit-fields under `#pragma pack`, an alignment
that is less than the type's own, structures of no size). The first use of such a structure in a region is reported.
""",
    section="5.8",
    about="directives",
    bad=(
        """
struct s { char c; unsigned b : 3 __attribute__((aligned(2))); };
void f(struct s *p) {
    #pragma omp target map(tofrom: p[0:1])
    p->c = 1;
//  ^ hint: the bit-field `b` of `struct s` cannot be laid out on cuda: its compilers lay it out otherwise: gcc ignores an alignment of less than 4 bytes, and compilers for GPUs do not; leave it out
}
""",
        """
// Device epiphany
void f(int n, long *a) {
    #pragma omp target map(tofrom: a[0:n])
    //                             ^^^^^^ hint: `a` cannot be shared with epiphany: `long` has 8 bytes on the host and 4 on epiphany; use `int32_t` or `int64_t`
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
        """
// Device epiphany
struct node { float value; struct node *next; };
void f(struct node *p) {
    #pragma omp target map(tofrom: p[0:1])
    //                             ^^^^^^ hint: the member `next` of `struct node` in `p` cannot be shared with epiphany: `struct node *` has 8 bytes on the host and 4 on epiphany; map what it points to, and keep no pointer in the data
    p->value = 1;
}
""",
        """
// Device epiphany
static void count(unsigned long *n) { ++*n; }
void f(unsigned long n, float *a) {
    #pragma omp target map(tofrom: a[0:10])
    //          ^^^^^^ hint: `n` cannot be shared with epiphany: `unsigned long` has 8 bytes on the host and 4 on epiphany; use `uint32_t` or `uint64_t`
    { count(&n); a[0] = n; }
}
""",
        """
// Device epiphany
struct point { int id; float at[3]; double mass; };
void f(int n, struct point *a) {
    #pragma omp target enter data map(to: a[0:n])
    //                                    ^^^^^^ hint: the member `at` of `struct point` in `a[0:n]` cannot be shared with epiphany: it begins at byte 4 on the host and at byte 8 on epiphany; put the larger members first, or fill the gap with a member of its own
}
struct bits { unsigned low : 20, high : 20; int n; };
void g(int n, struct bits *a) {
    #pragma omp target enter data map(to: a[0:n])
    //                                    ^^^^^^ hint: `a[0:n]` cannot be shared with epiphany: `struct bits` has 12 bytes on the host and 16 on epiphany; fill it up with members of its own
}
""",
    ),
    good=(
        """
// Device host
struct s { char c; unsigned b : 3 __attribute__((aligned(2))); };
void f(struct s *p) {
    #pragma omp target map(tofrom: p[0:1])
    p->c = 1;
}
""",
        """
struct s { char c; unsigned b : 3 __attribute__((aligned(2))); };
void f(struct s *p, int *a) {
    p->c = 1;
    #pragma omp target map(tofrom: a[0:1])
    a[0] = 1;
}
""",
        """
// Device epiphany
struct pair { double re, im; };
struct point { float x, y, z; };
void f(int n, struct pair *a, const short *b, char c, struct point *p) {
    #pragma omp target map(tofrom: a[0:n], p[0:n]) map(to: b[0:n])
    for (int i = 0; i < n; i++) a[i].re = p[i].x = b[i] + c;
}
""",
        """
// Device epiphany
void f(int n, float *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) {
        long twice = 2l * i;
        a[i] = twice;
    }
}
""",
        """
// Device epiphany
long f(unsigned long n, float *a) {
    long sum = 0;
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n]) reduction(+: sum)
    for (int i = 0; i < n; i++) { a[i] += 1; sum += a[i]; }
    return sum;
}
""",
        """
void f(int n, long *a) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = i;
}
""",
        """
// Device epiphany
struct vector { int n; float *data; };
void f(struct vector *v) {
    int n = v->n;
    float *data = v->data;
    #pragma omp target map(tofrom: data[0:n])
    for (int i = 0; i < n; i++) data[i] *= 2;
}
""",
        """
// Device epiphany
void f(int n, float *p) {
    #pragma omp target is_device_ptr(p)
    for (int i = 0; i < n; i++) p[i] = (float)(sizeof(long) * i);
}
""",
    ),
    check=check,
)
