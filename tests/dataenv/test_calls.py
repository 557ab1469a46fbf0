"""Calls are walked with what they can reach: what that leaves out is right, and large programs cost what they do."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rules"))

from drawing import analyze
from steps import steps
from test_machine import kind_of

from ompls.analysis.dataenv.machine.analysis import events_of_unit
from ompls.analysis.rules.support.framework import unit_of

HEAD = "void *malloc(unsigned long); void free(void *); void *omp_target_alloc(unsigned long, int);\n"


def certain(text: str) -> list[str]:
    found = events_of_unit(unit_of(analyze(HEAD + text)))
    return sorted({kind_of(e) for name in found for e in found[name] if e.certainty == "certain"})


@pytest.mark.parametrize("call", ["make(n)", "malloc(n * sizeof(double))"])
def test_what_a_call_allocates_in_a_loop_is_several(call: str) -> None:
    """Recalled for the second iteration, the same allocation was taken for the one before it."""
    assert certain(f"""
static double *make(int n) {{ return malloc(n * sizeof(double)); }}
int main(void) {{
    double *q[2], s = 0; int n = 100;
    for (int i = 0; i < 2; i++) {{
        q[i] = {call};
        for (int k = 0; k < n; k++) q[i][k] = k;
        #pragma omp target enter data map(to: q[i][0:n])
    }}
    double *a = q[0], *b = q[1];
    #pragma omp target exit data map(release: a[0:n])
    #pragma omp target map(alloc: b[0:n]) map(tofrom: s)
    s += b[0];
    #pragma omp target exit data map(release: b[0:n])
    return s > 0;
}}
""") == []  # fmt: skip


@pytest.mark.parametrize("does", ["hook();", "(*hook)();", "if (n) work(hook, n - 1);", "other();"])
@pytest.mark.parametrize("before", ["g[0] = 1;", ""])
def test_other_code_that_a_function_calls_may_map_what_the_function_does_not_name(does: str, before: str) -> None:
    program = """
double g[100]; void other(void);
static int work(void (*hook)(void), int n) { DOES return n; }
int main(void) { BEFORE work(other, 3);
    #pragma omp target update to(g)
    return 0; }
"""
    program = program.replace("BEFORE", before)
    assert certain(program.replace("DOES", does)) == []
    assert certain(program.replace("DOES", ";")) == ["update-absent"]


def program(size: int) -> str:
    """`main` with so many arrays, and as many calls and returns that may come before its end."""
    functions = "".join([f"""
static int step{k}(double *a, int n) {{
    if (n < {k + 2}) return 1;
    #pragma omp target update to(a[0:n])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) a[i] += {k};
    #pragma omp target update from(a[0:n])
    return 0;
}}""" for k in range(size)])  # fmt: skip
    made = "".join([f"""
    double *a{k} = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) a{k}[i] = i;
    #pragma omp target enter data map(to: a{k}[0:n])""" for k in range(size)])  # fmt: skip
    called = "".join([f"if (step{k}(a{k}, n)) return {k + 1};\n" for k in range(size)])
    left = "".join([f"#pragma omp target exit data map(from: a{k}[0:n])\nfree(a{k});\n" for k in range(size)])
    return (
        f"{HEAD}{functions}\nint main(int argc, char **argv) {{ int n = 100 * argc;{made}\n{called}{left}return 0; }}"
    )


@pytest.mark.thorough
def test_early_returns_of_a_large_main_do_not_multiply() -> None:
    """Three times as much of all: each return's state has three times as many objects, so up to nine times the work.

    It was 27 times when the cases of each object were compared for each pair of returns.
    """
    taken = []
    for size in (40, 120):
        unit = unit_of(analyze(program(size)))
        taken.append(steps(partial(events_of_unit, unit)).total())
    assert taken[1] < 12 * taken[0]
