"""Waits for locks: what is joined to the loop that waits; what would hang before sm_70 and is refused there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ompls.analysis.model.tu import TU
from ompls.runtime import nvrtc
from ompls.translate import translate

# The body of a function that lanes of a warp run at the same time.
JOINED = {
    "one block": "omp_set_lock(A); (*x)++; omp_unset_lock(A);",
    "a statement releases": "omp_set_lock(A); if (*x) { (*x)++; omp_unset_lock(A); } else omp_unset_lock(A);",
    "a loop of tests": "while (!omp_test_lock(A)) { } (*x)++; omp_unset_lock(A);",
    "do": "do ; while (!omp_test_lock(A)); (*x)++; omp_unset_lock(A);",
    "one in the other": "omp_set_lock(A); omp_set_lock(B); (*x)++; omp_unset_lock(B); omp_unset_lock(A);",
    "hand over hand": "omp_set_lock(A); omp_set_lock(B); omp_unset_lock(A); (*x)++; omp_unset_lock(B);",
    "twice": "omp_set_lock(A); (*x)++; omp_unset_lock(A); omp_set_lock(A); (*x)--; omp_unset_lock(A);",
    "nestable": "omp_set_nest_lock(N); omp_set_nest_lock(N); omp_unset_nest_lock(N); (*x)++; omp_unset_nest_lock(N);",
    "nestable, deeper": "omp_set_nest_lock(N); if (*x) { omp_set_nest_lock(N); (*x)++; omp_unset_nest_lock(N); }"
    " omp_unset_nest_lock(N);",
    "another variable's lock, deeper": "omp_set_lock(&one); if (*x) { omp_set_lock(&other); (*x)++;"
    " omp_unset_lock(&other); } omp_unset_lock(&one);",
    "a loop asks": "int *y = x; while (y) if (omp_test_lock(A)) { (*x)++; y = 0; omp_unset_lock(A); }",
    "return": "omp_set_lock(A); if (*x) { omp_unset_lock(A); return 1; } (*x)++; omp_unset_lock(A);",
    "a variable that is used later": "omp_set_lock(A); int y = *x; omp_unset_lock(A); return y;",
}
NOT_JOINED = {
    "released elsewhere": "omp_set_lock(A); leave();",
    "taken under a condition": "if (*x) omp_set_lock(A); (*x)++; if (*x > 1) omp_unset_lock(A);",
    "goto": "omp_set_lock(A); if (*x) goto out; (*x)++; out: omp_unset_lock(A);",
    "work between the tests": "while (!omp_test_lock(A)) (*x)++; omp_unset_lock(A);",
    "perhaps the other's, deeper": "omp_set_lock(A); if (*x) { omp_set_lock(B); (*x)++; omp_unset_lock(B); }"
    " omp_unset_lock(A);",
    "nestable": "omp_set_nest_lock(N); leave();",
}
PROGRAM = """#include <omp.h>
struct {{ omp_lock_t lock; omp_nest_lock_t nest; }} *p, *q;
#define A (&p->lock)
#define B (&q->lock)
#define N (&p->nest)
#pragma omp declare target
omp_lock_t one, other;
#pragma omp declare target (p, q)
static void leave(void) {{ omp_unset_lock(A); omp_unset_nest_lock(N); }}
static int under(int *x)
{{
    {}
    return 0;
}}
#pragma omp end declare target
void f(int *x)
{{
#pragma omp target parallel for is_device_ptr(x)
    for (int i = 0; i < 100; i++)
        under(x);
}}
"""
LINE = 12  # of the body


def kernel(unit: Callable[[str], TU], body: str) -> str:
    bundle = translate([unit(PROGRAM.format(body))], ["cuda"])
    assert not bundle.diagnostics
    return next(data.decode() for name, data in bundle.files.items() if name.endswith(".cu"))


@pytest.mark.parametrize("name", JOINED)
def test_what_is_done_under_a_lock_is_in_the_loop(
    name: str, unit: Callable[[str], TU], gpu_code: Callable[..., nvrtc.Compiled]
) -> None:
    gpu_code(kernel(unit, JOINED[name]), "sm_53", name)


@pytest.mark.parametrize("name", NOT_JOINED)
def test_what_would_hang_is_refused_where_it_would(name: str, unit: Callable[[str], TU]) -> None:
    text = kernel(unit, NOT_JOINED[name])
    if nvrtc.available() is None:
        pytest.skip("nvrtc is not installed (extra cuda-preview)")
    assert nvrtc.compile(text, "sm_70", kind="ptx").ok
    old = nvrtc.compile(text, "sm_53", kind="ptx")
    (error,) = (m for m in old.messages if m.severity == "error")
    assert (error.file.endswith("test.c"), error.line) == (True, LINE)
    assert "hangs on a GPU before sm_70" in error.text
    assert "release it in the block that takes it" in error.text


def test_one_thread_may_wait_anyhow(unit: Callable[[str], TU]) -> None:
    text = "#include <omp.h>\nvoid f(omp_lock_t *a, int *x)\n{\n#pragma omp target is_device_ptr(a, x)\n"
    text += "{ if (*x) omp_set_lock(a); (*x)++; if (*x > 1) omp_unset_lock(a); }\n}\n"
    bundle = translate([unit(text)], ["cuda"])
    (made,) = (data.decode() for name, data in bundle.files.items() if name.endswith(".cu"))
    assert "omp_set_lock(a)" in made
    assert "OMPLS_UNJOINED" not in made
