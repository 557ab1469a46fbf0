"""What a kernel may promise of the parameters that it only reads, and when it may not (translate/onlyread.py)."""

from __future__ import annotations

import re
from collections.abc import Callable

from named import preview, translate
from together import together

from ompls.analysis.model.tu import TU

HEAD = """
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>
#define EACH for (int i = 0; i < n; i++)
float *saved(int);
typedef struct { float *of; int n; float inside[4]; } box;
#pragma omp declare target
float everywhere[8], *there;
static void put(float *to, int i, float value) { to[i] = value; }
static float get(const float *from, int i) { return from[i] + from[i + 1]; }
static float *step(float *of) { return of + 1; }
static float counted(const float *from) { static int calls; return from[calls++]; }
static void work(int n, float *to, const float *from) {
    float part[4] = {from[0]};
    #pragma omp parallel for
    for (int i = 0; i < n; i++) to[i] = from[i] + part[i % 4];
}
#pragma omp end declare target
void f(int n, float *a, float *b, const float *restrict p, float *restrict q, box *s, box own,
       volatile int *flag, omp_lock_t *lock)
{
    float table[8] = {0}, sum = 0; int i, at = 0; float *c = b + 1;
    float *fresh = malloc(n * sizeof *fresh), *kept = saved(n), *member = own.of;
    TARGET
    BODY
}
"""
ONE = "#pragma omp target"
LOOP = "#pragma omp target teams distribute parallel for"
# (directive, statement, what is only read, what is restrict as the user's pointer is)
CASES = {
    "one loop": (LOOP, "EACH b[i] = a[i];", "a", ""),
    "a counter from outside": (LOOP, "for (i = 0; i < n; i++) b[i] = a[i];", "a", ""),
    "a loop that reads more": (LOOP, "EACH for (int j = 0; j < n; j++) b[i] += a[j];", "a", ""),
    "read once, in no loop": (ONE, "b[0] = a[0];", "", ""),
    "read twice": (ONE, "b[0] = a[0] + a[1];", "a", ""),
    "nothing is only read": (LOOP, "EACH b[i] += 1;", "", ""),
    "both are written": (LOOP, "EACH { b[i] += a[i]; a[i] = 0; }", "", ""),
    "incremented": (LOOP, "EACH { b[i] = a[i]++; }", "", ""),
    "an array": (LOOP, "EACH b[i] = table[i % 8];", "table", ""),
    "a local pointer": (LOOP, "EACH { const float *x = a + i, *y = x - 1; b[i] = x[0] + y[0]; }", "a", ""),
    "written by a local pointer": (LOOP, "EACH { float *x = a + i, *y = x; y[0] = b[i]; }", "b", ""),
    "one of two": (LOOP, "EACH { float *x = i ? a : b; *x = 1; b[i] += a[i]; }", "", ""),
    "one of two is only read": (LOOP, "EACH { float *x = i ? a : table; b[i] = *x; }", "a table", ""),
    "the pointer is changed": (ONE, "EACH { b[i] = *a; a = b; }", "", ""),
    "the pointer's address is taken": (ONE, "{ float **x = &a; EACH (*x)[i] = b[i]; }", "", ""),
    "a local pointer's address is taken": (
        ONE, "{ float *x = b, **y = &x; *y = a; EACH x[i] = a[0] + 1; }", "", ""),
    "out of memory": (ONE, "{ float *kept[2] = {b, b}; EACH kept[0][i] = a[i]; }", "", ""),
    "read out of memory": (LOOP + " map(tofrom: own)", "EACH b[i] = own.inside[i % 4] + a[i];", "a own", ""),
    "written through a structure": (LOOP, "EACH s->of[i] = a[i];", "", ""),
    "a member is written": (LOOP, "EACH s[i].inside[1] = a[i];", "a", ""),
    "through an integer": (ONE, "EACH *(float *)((unsigned long)b + 4ul * i) = a[i];", "", ""),
    "another type": (LOOP, "EACH ((int *)b)[i] = (int)a[i];", "a", ""),
    "a number before the bracket": (LOOP, "EACH i[b] = i[a];", "a", ""),
    "a number before the bracket, written": (LOOP, "EACH i[a] = 0;", "", ""),
    "a function reads": (LOOP, "EACH b[i] = get(a, i);", "a", ""),
    "a function writes": (LOOP, "EACH put(a, i, b[i]);", "b", ""),
    "a function gives a pointer": (LOOP, "EACH step(b)[i] = a[i];", "", ""),
    "a function with a variable of its own": (ONE, "EACH b[i] = counted(a);", "", ""),
    "the library reads": (LOOP, "EACH memcpy(b + i, a + i, sizeof *a);", "", ""),
    "the library reads, and we do": (LOOP, "EACH { memcpy(b + i, a + i, sizeof *a); b[i] += a[i]; }", "a", ""),
    "the library writes": (LOOP, "EACH { memset(a + i, 0, 4); b[i] = a[i]; }", "", ""),
    "mathematics": (LOOP, "EACH b[i] = sqrtf(a[i]);", "a", ""),
    "a global is read": (LOOP, "EACH b[i] = a[i] * everywhere[i % 8];", "a", ""),
    "a global is written": (LOOP, "EACH everywhere[i] = a[i];", "", ""),
    "written through a global": (LOOP, "EACH there[i] = a[i];", "", ""),
    "an atomic update": (LOOP, "EACH {\n#pragma omp atomic\nb[0] += a[i]; }", "a", ""),
    "updated atomically": (LOOP, "EACH {\n#pragma omp atomic\na[0] += a[i]; }", "", ""),
    "an atomic read": (LOOP, "EACH { float x;\n#pragma omp atomic read\nx = a[0];\nb[i] = x + a[i]; }", "", ""),
    "an ordered update": (LOOP, "EACH {\n#pragma omp atomic seq_cst\nb[0] += a[i]; }", "", ""),
    "flush": (ONE, "EACH {\n#pragma omp flush\nb[i] = a[i]; }", "", ""),
    "critical": (LOOP, "EACH {\n#pragma omp critical\nb[0] += a[i]; }", "", ""),
    "a lock": (ONE, "EACH { omp_set_lock(lock); b[0] += a[i]; omp_unset_lock(lock); }", "", ""),
    "volatile": (ONE, "EACH { while (!*flag); b[i] = a[i]; }", "", ""),
    "a reduction": (LOOP + " reduction(+: sum)", "EACH sum += a[i];", "a", ""),
    "a reduction of a section": (LOOP + " reduction(+: b[0:8])", "EACH b[i % 8] += a[i];", "a", ""),
    "reduced into": (ONE,
        "{\n#pragma omp parallel for reduction(+: a[0:8])\nEACH a[i % 8] += b[i]; }", "b", ""),
    "a barrier": ("#pragma omp target parallel", "{ b[0] = a[0];\n#pragma omp barrier\nb[1] = a[1]; }", "a", ""),
    "a pointer of the device": (LOOP + " is_device_ptr(b)", "EACH b[i] = a[i];", "", ""),
    "a pointer of the device is read": (LOOP + " is_device_ptr(b)", "EACH a[i] = b[i] + table[i % 8];", "table", ""),
    "a mapped pointer": ("#pragma omp target map(b)", "EACH b[i] = a[i];", "", ""),
    "workers": (ONE, "EACH work(n, b, a);", "", ""),
    "restrict": (LOOP, "EACH q[i] = p[i];", "", "p q"),
    "restrict beside a parameter": (LOOP, "EACH b[i] = p[i] + a[i];", "a", "p"),
    "restrict beside a pointer of unknown origin": (LOOP, "EACH c[i] = p[i];", "p", ""),
    "restrict beside new memory": (LOOP, "EACH fresh[i] = p[i];", "", "p"),
    "restrict beside what a function gave": (LOOP, "EACH kept[i] = p[i];", "p", ""),
    "restrict beside a member's value": (LOOP, "EACH member[i] = p[i];", "p", ""),
    "restrict beside a pointer in memory": (LOOP, "EACH s->of[i] = p[i];", "", ""),
    "restrict, changed": (ONE, "EACH { q = b; q[i] = p[i]; }", "p", ""),
}  # fmt: skip


def kernel(unit: Callable[[str], TU], target: str, body: str) -> str:
    """The head of the kernel."""
    made = preview(unit(HEAD.replace("TARGET", target).replace("BODY", body)), "cuda")
    assert [d.message for d in made.diagnostics] == []
    return next(line for line in made.text.splitlines() if "__global__" in line)


@together("name", CASES)
def test_what_a_kernel_promises(name: str, unit: Callable[[str], TU]) -> None:
    target, body, only_read, restrict = CASES[name]
    head = kernel(unit, target, body)
    found = re.findall(r"OMPLS_RESTRICT (?:ompls_p_)?(\w+)", head)
    kept = re.findall(r"__restrict__ (?:ompls_p_)?(\w+)", head)
    assert (sorted(found), sorted(kept)) == (only_read.split(), restrict.split()), head


def test_the_manifest_and_the_host_say_the_same(unit: Callable[[str], TU]) -> None:
    text = HEAD.replace("TARGET", LOOP).replace("BODY", "for (int i = 0; i < n; i++) b[i] = a[i] + q[i];")
    bundle = translate([unit(text)], ["cuda", "host"])
    (entry,) = bundle.manifest["units"][0]["kernels"]
    assert entry["only_read"] == ["a"]
    prologue = bundle.files["host/test.inc/ompls.h"].decode()
    assert re.findall(r'{"(\w+)", 7, \d, 8}, /\* READ \*/', prologue) == ["a"]


def test_the_preview_has_one_kernel_and_a_comment(unit: Callable[[str], TU]) -> None:
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i] += a[j] * table[j % 8];"
    made = preview(unit(HEAD.replace("TARGET", LOOP).replace("BODY", body)), "cuda").text
    assert made.count("__global__") == 1
    promise = (
        "// `a` and `table` are only read: OMPLS_RESTRICT is __restrict__ where nothing that is written overlaps them."
    )
    assert f"{promise}\n" in made
