"""Waits for locks: what is joined to the loop that waits; what would hang before sm_70 and is refused there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from named import devices, translate
from thinned import thinned

from ompls.analysis.model.tu import TU
from ompls.analysis.rules import check
from ompls.devices.cuda.module import nvrtc

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
    "a loop asks, and goes on without": "for (int i = 0; i < 9; i++) { if (!omp_test_lock(A)) continue; (*x)++;"
    " omp_unset_lock(A); }",
    "a loop gives up": "for (int i = 0; i < 9; i++) { if (!omp_test_lock(A)) return 1; (*x)++; omp_unset_lock(A); }",
    "a function asks": "while (!tried(x)) ;",
    "a function asks, and one leaves by break": "for (;;) if (tried(x)) break;",
    "a function takes another variable's": "omp_set_lock(&other); inner(x); omp_unset_lock(&other);",
    "a function takes the nestable one again": "omp_set_nest_lock(&nest); nested(x); omp_unset_nest_lock(&nest);",
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
    "asked into a variable": "int got; do { got = omp_test_lock(A); } while (!got); (*x)++; omp_unset_lock(A);",
    "break when it is taken": "for (;;) if (omp_test_lock(A)) break; (*x)++; omp_unset_lock(A);",
    "break when it is released": "while (1) { if (omp_test_lock(A)) { (*x)++; omp_unset_lock(A); break; } }",
    "return when it is released": "for (;;) { if (omp_test_lock(A)) { (*x)++; omp_unset_lock(A); return 1; } }",
    "asked again by goto": "again: if (!omp_test_lock(A)) goto again; (*x)++; omp_unset_lock(A);",
    "the other way round": "while (omp_test_lock(A) == 0) ; (*x)++; omp_unset_lock(A);",
    "a function asks and keeps it": "return omp_test_lock(A);",
    "a function takes perhaps the other's": "omp_set_lock(A); inner(x); omp_unset_lock(A);",
    "a function's function does": "omp_set_lock(&one); further(x); omp_unset_lock(&one);",
}
WHY = {
    "perhaps the other's, deeper": "a lock that another thread may hold there is taken while it is held",
    "a function takes perhaps the other's": "'inner' is called while it is held, and may take a lock",
    "a function's function does": "'further' is called while it is held, and may take a lock",
    **dict.fromkeys(
        ["asked into a variable", "break when it is taken", "break when it is released", "return when it is released",
         "asked again by goto", "a function asks and keeps it"],
        "release it in the loop that asks, and let the thread that got it leave the loop by its condition",
    ),
}  # fmt: skip
PROGRAM = """#include <omp.h>
struct {{ omp_lock_t lock; omp_nest_lock_t nest; }} *p, *q;
#define A (&p->lock)
#define B (&q->lock)
#define N (&p->nest)
#pragma omp declare target
omp_lock_t one, other;
omp_nest_lock_t nest;
void beyond(void);
#pragma omp declare target (p, q)
static void leave(void) {{ omp_unset_lock(A); omp_unset_nest_lock(N); }}
static void inner(int *x) {{ omp_set_lock(&one); (*x)++; omp_unset_lock(&one); }}
static void further(int *x) {{ inner(x); }}
static void nested(int *x) {{ omp_set_nest_lock(&nest); (*x)++; omp_unset_nest_lock(&nest); }}
static int tried(int *x)
{{
    if (!omp_test_lock(B)) return 0;
    (*x)++;
    omp_unset_lock(B);
    return 1;
}}
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
LINE = 24  # of the body


def kernel(unit: Callable[[str], TU], body: str) -> str:
    bundle = translate([unit(PROGRAM.format(body))], ["cuda"])
    assert not bundle.diagnostics
    return next(data.decode() for name, data in bundle.files.items() if name.endswith(".cu"))


@pytest.mark.parametrize("name", thinned(JOINED, 3))
def test_what_is_done_under_a_lock_is_in_the_loop(
    name: str, unit: Callable[[str], TU], gpu_code: Callable[..., nvrtc.Compiled]
) -> None:
    gpu_code(kernel(unit, JOINED[name]), "sm_53", name)


def test_check_says_what_is_refused_before_sm_70(unit: Callable[[str], TU]) -> None:
    """At the call in the region, with the wait itself; and nothing of what is joined."""
    for name, body in {**JOINED, **NOT_JOINED}.items():
        plain = unit(PROGRAM.format(body))
        tu = replace(plain, settings=replace(plain.settings, devices=devices("cuda"), device_chosen=True), kept={})
        said = [d for d in check(tu) if d.rule == "device-locks"]
        assert [d.severity for d in said] == (["warning"] if name in NOT_JOINED else []), name
        for d in said:
            assert tu.source[d.where.start : d.where.end].decode() == "under"
            (wait,) = d.related
            assert tu.source[: wait.where.start].count(b"\n") + 1 == LINE, name
            assert WHY.get(name, "release it in the block that takes it") in d.message


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
    assert WHY.get(name, "release it in the block that takes it") in error.text


def test_what_a_function_of_another_unit_takes_is_not_known(unit: Callable[[str], TU]) -> None:
    text = kernel(unit, "omp_set_lock(A); beyond(); omp_unset_lock(A);")
    assert "OMPLS_UNJOINED(omp_set_lock, " in text
    assert "\"'beyond' is called while it is held, and may take a lock" in text


def test_one_thread_may_wait_anyhow(unit: Callable[[str], TU]) -> None:
    text = "#include <omp.h>\nvoid f(omp_lock_t *a, int *x)\n{\n#pragma omp target is_device_ptr(a, x)\n"
    text += "{ if (*x) omp_set_lock(a); (*x)++; if (*x > 1) omp_unset_lock(a); }\n}\n"
    bundle = translate([unit(text)], ["cuda"])
    (made,) = (data.decode() for name, data in bundle.files.items() if name.endswith(".cu"))
    assert "omp_set_lock(a)" in made
    assert "OMPLS_UNJOINED" not in made
