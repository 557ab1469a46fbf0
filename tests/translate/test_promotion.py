"""Which regions with sequential code and parallel regions run SPMD, and which keep their master and workers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from named import preview

from ompls.analysis.model.tu import TU

LOOP = "\n#pragma omp parallel for\nfor (int i = 0; i < 100; i++) a[i] += 1;"
TEXT = """#include <omp.h>
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
    "a counter that the body changes": f"for (int k = 0; k < n; k++) {{ k++;\n{LOOP}\n}}",
    "a volatile condition": f"{{ volatile int v = 3;\nwhile (v > n) {{ {LOOP}\n}} }}",
    "a jump": f"{{ a[0] = 1;\nagain:\n{LOOP}\nif (a[0] < 3) goto again; }}",
    "a switch around": f"switch (n) {{ case 1: {{ {LOOP}\n}} }}",
    "a barrier in the sequential code": f"{{ {LOOP}\n#pragma omp barrier\na[0] = 1; }}",
    "tasks": f"{{\n#pragma omp task\na[0] = 1;\n{LOOP}\n}}",
    "too much to share": f"{{ int big[5000]; big[0] = n;\n{LOOP}\na[0] = big[0]; }}",
}


@pytest.mark.parametrize("what", PROMOTED)
def test_is_promoted(what: str, unit: Callable[[str], TU]) -> None:
    made = preview(unit(TEXT.format(TARGET + PROMOTED[what])), "cuda")
    assert not made.diagnostics
    assert "// SPMD: one thread runs the sequential code" in made.text
    assert "OMPLS_" not in made.text


@pytest.mark.parametrize("what", GENERIC)
def test_keeps_its_master(what: str, unit: Callable[[str], TU]) -> None:
    made = preview(unit(TEXT.format(TARGET + GENERIC[what])), "cuda")
    assert not made.diagnostics
    assert "#define OMPLS_GENERIC" in made.text
    assert "// SPMD" not in made.text
