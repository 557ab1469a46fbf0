"""Fixes that give each thread a variable of its own: only where nothing that the program reads gets lost by it."""

from __future__ import annotations

import pytest
from drawing import analyze

from ompls.analysis import fixing
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.rules import check


def judge(data: bytes) -> list[Diagnostic]:
    return check(analyze(data.decode()))


def of(text: str, rule: str) -> list[Diagnostic]:
    """The diagnostics of a rule, with the fixes that make nothing worse."""
    found = judge(text.encode())
    return [d for d in fixing.tried(found, found, text.encode(), judge) if d.rule == rule]


READ_AFTERWARDS = {
    "the place of the largest": """
int f(int n, const int *a) {
    int maxv = 0, maxi = -1;
    #pragma omp target teams distribute parallel for map(to: a[0:n]) map(tofrom: maxi) reduction(max: maxv)
    for (int i = 0; i < n; i++) if (a[i] > maxv) { maxv = a[i]; maxi = i; }
    return maxi + maxv;
}
""",
    "what a search finds": """
int f(int n, const int *a, int key) {
    int found = -1;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) if (a[i] == key) found = i;
    return found;
}
""",
    "what a search finds on a device": """
int f(int n, const int *a, int key) {
    int found = -1;
    #pragma omp target teams distribute parallel for map(to: a[0:n]) map(tofrom: found)
    for (int i = 0; i < n; i++) if (a[i] == key) found = i;
    return found;
}
""",
    "read when the loop comes again": """
void f(int n, int *a) {
    int at = 0;
    for (int k = 0; k < n; k++) {
        a[k] = at;
        #pragma omp parallel for
        for (int i = 0; i < n; i++) if (a[i] == k) at = i;
    }
}
""",
    "read through its address": """
void f(int n, const int *a, int *out) {
    int at = 0, *p = &at;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) { at = a[i]; }
    *out = *p;
}
""",
    "a variable of the file": """
int at;
void f(int n, int *a) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) { at = i; a[i] = at; }
}
""",
    "kept from call to call": """
int f(int n, const int *a) {
    static int at;
    int before = at;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) if (a[i]) at = i;
    return before;
}
""",
    "copied by a directive of its own": """
void f(int n, const int *a) {
    int at = 0;
    #pragma omp target data map(tofrom: at)
    {
        #pragma omp target teams distribute parallel for map(to: a[0:n])
        for (int i = 0; i < n; i++) { at = a[i]; }
        at = 1;
        #pragma omp target update from(at)
    }
}
""",
    "read before the iteration assigns it": """
void f(int n, int *a) {
    int last = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] > 0) last = i;
        a[i] = last;
    }
}
""",
    "one thread assigns it for all": """
void f(int n, int *a) {
    int t = 0;
    #pragma omp parallel
    {
        #pragma omp single nowait
        t = a[0];
        a[1] = t;
        t = 2;
    }
}
""",
    "an iteration may leave it as it is": """
int f(int n, const int *a) {
    int last = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] < 0) continue;
        last = a[i];
    }
    return last;
}
""",
}


@pytest.mark.parametrize("why", READ_AFTERWARDS)
def test_no_copy_of_its_own_for_a_result(why: str) -> None:
    found = of(READ_AFTERWARDS[why], "race-on-shared-variable")
    assert found
    assert not [fix.title for d in found for fix in d.fixes]


LOOP = "    #pragma omp parallel for\n    for (int i = 0; i < n; i++) {{ {} }}\n"
GIVEN = [
    # body, what follows, the clause
    ("t = a[i]; a[i] = t * t;", "", "private(t)"),
    ("t = a[i]; a[i] = t * t;", "    t = 3;\n    a[0] = t;\n", "private(t)"),
    ("if (a[i]) t = 1; else t = 2; a[i] = t;", "", "private(t)"),
    ("t = a[i]; a[i] = t * t;", "    a[0] = t;\n", "lastprivate(t)"),
    ("t = a[i];", "    if (n) a[0] += t;\n", "lastprivate(t)"),
]


@pytest.mark.parametrize(("body", "after", "clause"), GIVEN)
def test_a_temporary_becomes_each_iterations_own(body: str, after: str, clause: str) -> None:
    text = "void f(int n, int *a) {\n    int t = 0;\n" + LOOP.format(body) + after + "}\n"
    (race,) = of(text, "race-on-shared-variable")
    assert [fix.title for fix in race.fixes] == [f"Add `{clause}`"]


def firstprivate(pragma: str, body: str) -> list[str]:
    text = f"void f(int n, double *x) {{\n    double t = 1;\n    #pragma omp {pragma}\n    {body}\n}}\n"
    (diagnostic,) = of(text, "uninitialised-private")
    return [fix.title for fix in diagnostic.fixes]


def test_the_value_from_outside_is_offered_where_all_iterations_get_it() -> None:
    for body in ("for (int i = 0; i < n; i++) x[i] = t;", "for (int i = 0; i < n; i++) { if (n) x[i] = t; }"):
        assert firstprivate("parallel for private(t)", body) == ["Make `t` firstprivate"]
    assert firstprivate("parallel private(t)", "{ t++; x[0] = t; }") == ["Make `t` firstprivate"]


def test_it_is_not_where_an_iteration_goes_on_with_another_ones() -> None:
    """A thread would get the value from outside in its first iteration only; a sum would still be lost."""
    assert not firstprivate("parallel for private(t)", "for (int i = 0; i < n; i++) t += x[i];")
    assert not firstprivate("parallel for private(t)", "for (int i = 0; i < n; i++) { x[i] = t; t = i; }")
    assert not firstprivate("target teams distribute parallel for lastprivate(t) map(tofrom: x[0:n])",
                            "for (int i = 0; i < n; i++) t += x[i];")  # fmt: skip
