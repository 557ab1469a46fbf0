"""Which regions with sequential code and parallel regions run SPMD, and which keep their master and workers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from named import preview
from together import together

from ompls.analysis.model.tu import TU

LOOP = "\n#pragma omp parallel for\nfor (int i = 0; i < 100; i++) a[i] += 1;"
TEXT = """#include <math.h>
#include <omp.h>
#include <stdio.h>
#pragma omp declare target
int total;
int plain(int x) {{ return x + 1; }}
int size(void) {{ return omp_get_num_threads(); }}
int orphan(int *a) {{
#pragma omp parallel for
for (int i = 0; i < 100; i++) a[i] += 1;
return a[0]; }}
#pragma omp end declare target
void f(int n, int *p, int (*g)(int))
{{
    int a[100] = {{0}};
    {}
}}
"""
TARGET = "#pragma omp target map(a)\n"
PROMOTED = {
    "two loops": f"{{ {LOOP}\n{LOOP}\n}}",
    "an effect between them": f"{{ {LOOP}\na[0] = 5;\n{LOOP}\n}}",
    "a call without a team's view": f"{{ a[0] = plain(n);\n{LOOP}\n}}",
    "a print": f'{{ printf("%d\\n", n);\n{LOOP}\n}}',
    "a loop around": f"for (int k = 0; k < n; k++) {{ {LOOP}\n}}",
    "a condition that reads memory": f"{{ while (a[0] < 5) {{ {LOOP}\n}} }}",
    "a branch": f"{{ if (n > 3) {{ {LOOP}\n}} else a[1] = 2; }}",
    "break and continue": f"for (int k = 0; k < n; k++) {{ if (a[k]) continue;\n{LOOP}\nif (a[0]) break; }}",
    "the team's number": f"{{ int t = omp_get_team_num();\n{LOOP}\na[t] = 1; }}",
    "atomic in the sequential code": f"{{ {LOOP}\n#pragma omp atomic\na[0]++;\n}}",
    "a counter that the body changes": f"for (int k = 0; k < n; k++) {{ k++;\n{LOOP}\n}}",
    "mathematics": f"{{ double x = sqrt(n);\nwhile (fabs(x) > 1) {{ x /= 2;\n{LOOP}\n}} }}",
}
GENERIC = {
    "a number of threads": LOOP.replace("for\n", "for num_threads(4)\n", 1).join(("{a[0] = 1;\n", "\n}")),
    "a condition": LOOP.replace("for\n", "for if(n > 3)\n", 1).join(("{a[0] = 1;\n", "\n}")),
    "how many threads there are": f"{{ a[0] = omp_get_num_threads();\n{LOOP}\n}}",
    "the same in a condition": f"{{ if (omp_in_parallel()) a[0] = 1;\n{LOOP}\n}}",
    "the same in a function": f"{{ a[0] = size();\n{LOOP}\n}}",
    "a parallel region in a function": f"{{ a[0] = orphan(a);\n{LOOP}\n}}",
    "a call in a condition": f"while (plain(n) < 5) {{ {LOOP}\n}}",
    "an assignment in a condition": f"while (n-- > 0) {{ {LOOP}\n}}",
    "a volatile condition": f"{{ volatile int v = 3;\nwhile (v > n) {{ {LOOP}\n}} }}",
    "a jump": f"{{ a[0] = 1;\nagain:\n{LOOP}\nif (a[0] < 3) goto again; }}",
    "a switch around": f"switch (n) {{ case 1: {{ {LOOP}\n}} }}",
    "a barrier in the sequential code": f"{{ {LOOP}\n#pragma omp barrier\na[0] = 1; }}",
    "tasks": f"{{\n#pragma omp task\na[0] = 1;\n{LOOP}\n}}",
    "too much to share": f"{{ int big[5000]; big[0] = n;\n{LOOP}\na[0] = big[0]; }}",
}


@together("what", PROMOTED)
def test_is_promoted(what: str, unit: Callable[[str], TU]) -> None:
    made = preview(unit(TEXT.format(TARGET + PROMOTED[what])), "cuda")
    assert not made.diagnostics
    assert "// SPMD: one thread runs the sequential code" in made.text
    assert "OMPLS_" not in made.text


@together("what", GENERIC)
def test_keeps_its_master(what: str, unit: Callable[[str], TU]) -> None:
    made = preview(unit(TEXT.format(TARGET + GENERIC[what])), "cuda")
    assert not made.diagnostics
    assert "#define OMPLS_GENERIC" in made.text
    assert "// SPMD" not in made.text


ROWS = """#include <math.h>
#include <omp.h>
void f(int n, int m, double *a, double *b, int *at)
{
    double total = 0, last = 0, here[4] = {0};
    #pragma omp target teams distribute map(tofrom: a[0:n * m], b[0:n], here) map(to: at[0:n + 1]) CLAUSES
    for (int i = 0; i < n; i++) {
        BODY
    }
}
"""
SUM = "\n#pragma omp parallel for reduction(+: s)\nfor (int j = 0; j < m; j++) s += a[i * m + j];\n"
STORE = "\n#pragma omp parallel for\nfor (int j = 0; j < m; j++) a[i * m + j] -= s;\n"
# What stands in each iteration of `distribute` -> how many barriers an iteration has; None: it keeps its master.
BARRIERS = {
    "one loop": (f"double s = 1; {STORE}", 1),
    "scalar code between two": (f"double s = 0; {SUM}s = sqrt(s) / m; if (s < 0) s = -s; {STORE}", 2),
    "two results of one loop": (f"double s = 0; int c = 0; {SUM.replace('+: s', '+: s, c')}s += c; {STORE}", 2),
    "a store of the result": (f"double s = 0; {SUM}b[i] = s;", 2),
    "bounds that nothing writes to": (f"double s = at[i]; int e = at[i + 1]; {SUM}b[i] = s + e;", 2),
    "a value that a loop wrote": (f"double s = 0; {STORE}s = a[i * m]; {SUM}b[i] = s;", 4),
    "a pointer that may lead anywhere": (f"double s = at[i], *p = a + i; {SUM}p[0] = s;", 3),
    "a variable that a loop changes": (
        "double s = 0;\n#pragma omp parallel\n{\n#pragma omp single\ns = 1;\n}\nb[i] = s;",
        4,
    ),
    "a call": (f"double s = 0; {SUM}b[i] = omp_get_max_threads();", None),
    "a number of threads": (f"double s = 0; {SUM.replace('for r', 'for num_threads(8) r')}", None),
    "a barrier between": (f"double s = 0; {SUM}\n#pragma omp barrier\n", None),
}


@together("what", BARRIERS)
def test_rows_have_few_barriers(what: str, unit: Callable[[str], TU]) -> None:
    body, barriers = BARRIERS[what]
    made = preview(unit(ROWS.replace("BODY", body).replace("CLAUSES", "")), "cuda")
    assert not made.diagnostics
    assert ("OMPLS_GENERIC" in made.text) == (barriers is None)
    assert barriers is None or made.text.count("ompls_barrier();") == barriers


@pytest.mark.parametrize(
    ("clauses", "promoted"),
    [
        ("collapse(1) dist_schedule(static, 4) private(last)", True),
        ("reduction(+: total)", True),
        ("num_teams(4) thread_limit(64)", True),
        ("lastprivate(last)", False),
        ("reduction(+: here)", False),
        ("firstprivate(last)", True),
    ],
)
def test_clauses_of_distribute(clauses: str, promoted: bool, unit: Callable[[str], TU]) -> None:
    body = f"double s = 0; {SUM}total += s; last = s; here[0] += s;"
    made = preview(unit(ROWS.replace("BODY", body).replace("CLAUSES", clauses)), "cuda")
    assert ("OMPLS_GENERIC" not in made.text) == promoted


def test_an_iteration_is_a_teams(unit: Callable[[str], TU]) -> None:
    text = ROWS.replace("BODY", f"double s = 0; {SUM}b[i] = s;").replace("CLAUSES", "")
    assert "(0 < n ? n : 0) teams of at most 128 threads" in preview(unit(text), "cuda", explain=True).text


def test_a_reduction_of_the_teams_sees_what_the_last_loop_wrote(unit: Callable[[str], TU]) -> None:
    body = "#pragma omp parallel\n{\n#pragma omp atomic\nt += 1;\n}\n"
    text = (
        f"void f(void) {{ long t = 0;\n#pragma omp target teams map(tofrom: t) reduction(+: t)\n{{\n{body}{body}}} }}"
    )
    made = preview(unit(text), "cuda").text
    before = made[: made.index("ompls_join<")].split("\n")
    assert [x.strip() for x in before if x.strip()][-2:] == ["ompls_barrier();", "if (omp_get_thread_num() == 0)"]
    assert "if (omp_get_thread_num() == 0)\n        t = ompls_identity" in made


# The body of a loop with `reduction(OPERATOR: h[0:16])` -> whether the team adds the array up in shared memory.
UPDATES = {
    ("int", "+", "h[v[i] & 15]++;"): True,
    ("long", "+", "h[i % 16] -= v[i];"): True,
    ("unsigned", "|", "if (v[i]) h[3] = h[3] | 5;"): True,
    ("int", "+", "for (int k = 0; k < 16; k++) h[k] += v[i];"): True,
    ("int", "+", "h[0] += 1.5;"): False,  # rounds each time
    ("float", "+", "h[v[i] & 15] += 1;"): False,  # depends on the order
    ("int", "*", "h[0] *= v[i];"): False,  # no instruction
    ("int", "+", "h[h[0]] += 1;"): False,  # sees its own part
    ("int", "+", "h[0] += 1; if (h[0] > 3) v[0] = 1;"): False,
    ("int", "+", "v[i] = h[0]++;"): False,
    ("int", "+", "update(h);"): False,
    ("int", "+", "h[0] = h[1] + 1;"): False,
    ("short", "+", "h[0] += 1;"): False,
}


@together("what", UPDATES, ids=lambda what: what[2])
def test_arrays_are_added_up_in_shared_memory(what: tuple[str, str, str], unit: Callable[[str], TU]) -> None:
    kind, operator, body = what
    text = f"""void update({kind} *h) {{ h[0] += 1; }}
#pragma omp declare target to(update)
void f(int n, int *v, {kind} *h) {{
    #pragma omp target teams distribute parallel for map(tofrom: v[0:n], h[0:16]) reduction({operator}: h[0:16])
    for (int i = 0; i < n; i++) {{ {body} }}
}}"""
    made = preview(unit(text), "cuda")
    assert not made.diagnostics
    assert ("ompls_gather_end" in made.text) == UPDATES[what]
    assert ("ompls_reduce_array" in made.text) != UPDATES[what]
    assert ("__shared__" in made.text) == UPDATES[what]


def test_large_arrays_stay_with_the_threads(unit: Callable[[str], TU]) -> None:
    text = """void f(int n, int *v, int *h) {
    #pragma omp target teams distribute parallel for map(tofrom: v[0:n], h[0:LENGTH]) reduction(+: h[0:LENGTH])
    for (int i = 0; i < n; i++) h[v[i]]++;
}"""
    assert "__shared__" in preview(unit(text.replace("LENGTH", "2000")), "cuda").text
    assert "__shared__" not in preview(unit(text.replace("LENGTH", "4000")), "cuda").text


@pytest.mark.parametrize(
    ("loop", "threads"),
    [
        ("for (int i = 0; i < 8; i++) a[i] += 1;", "ompls_threads_for(8)"),
        ("for (int i = 0; i < n; i++) a[i] += 1;", "ompls_threads_for(0 < n ? (unsigned int)n : 0)"),
        ("for (int i = 0; i < 8; i++) a[i] += omp_get_num_threads();", "0"),
        ("for (int i = 0; i < 8; i++) a[i] += size();", "0"),
    ],
)
def test_no_more_threads_than_have_work(loop: str, threads: str, unit: Callable[[str], TU]) -> None:
    body = f"a[0] = omp_get_max_threads();\n#pragma omp parallel for\n{loop}"
    assert f"}}, {threads});" in preview(unit(TEXT.format(f"{TARGET}{{ {body} }}")), "cuda").text


# What stands between two assignments that one thread makes and a parallel loop -> which variables each thread copies.
OWN = {
    "only read": ("", "s += k * (p != 0);", ["k", "p"]),
    "not used": ("", "s++;", []),
    "changed by the region": ("", "if (i == 3) k = i; p = 0;", []),
    "led to by a pointer": ("int *at = &k;", "s += k; at[0] = *p;", ["p"]),
    "listed": ("", "\n#pragma omp parallel firstprivate(k)\ns += k * *p;", ["p"]),
}


@pytest.mark.parametrize("what", OWN)
def test_each_thread_copies_what_nothing_changes(what: str, unit: Callable[[str], TU]) -> None:
    before, body, copied = OWN[what]
    loop = LOOP.replace("a[i] += 1", f"{{ {body} }}")
    text = f"{{ int k = plain(n), *p = (int *)(long)plain(n), s = 0; {before}{loop}"
    made = preview(unit(TEXT.format(TARGET + text + "\na[0] = k + s; }")), "cuda")
    assert not made.diagnostics
    assert "// SPMD" in made.text
    assert sorted(set(re.findall(r"ompls_own_(\w+)", made.text))) == copied


def test_pointers_that_change_places_are_in_no_shared_memory(unit: Callable[[str], TU]) -> None:
    swap = f"{{ int *p = a, *q = a + 50, *t; for (int k = 0; k < n; k++) {{ {LOOP}\nt = p, p = q, q = t; }} }}"
    made = preview(unit(TEXT.format(TARGET + swap)), "cuda")
    assert "// SPMD" in made.text
    assert "__shared__" not in made.text
