"""What a parallel region is led to by a pointer lies where all threads of a team see it, not on one thread's stack."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from named import preview

from ompls.analysis.model.tu import TU

TEXT = """#include <string.h>
#pragma omp declare target
struct box {{ int *data; int n; }};
static int first(const int *p) {{ return p[0]; }}
static void keep(struct box *b, int *p) {{ b->data = p; }}
static void fill(int *p) {{
#pragma omp parallel for
for (int i = 0; i < 4; i++) p[i] += 1; }}
static void through(int *p) {{ fill(p); }}
#pragma omp end declare target
int f(int r)
{{
    #pragma omp target map(r)
    {{
        int x[4] = {{1, 2, 3, 4}}; {}
    }}
    return r;
}}
"""
USE = "\n#pragma omp parallel num_threads(2)\nr = p[0];\n"
HANDED_OVER = {
    "a pointer": f"int *p = x; {USE}",
    "the address of an element": f"int *p = &x[1]; {USE}",
    "an assignment": f"int *p; p = x + 1; {USE}",
    "one of two": f"int *p = r ? x : &r; {USE}",
    "a structure": f"struct box b = {{x, 4}}; int *p = b.data; {USE}",
    "kept by a function": f"struct box b; keep(&b, x); int *p = b.data; {USE}",
    "a function with a region": "fill(x);",
    "a function that calls one": "through(&x[0]);",
}
ITS_OWN = {
    "elements": "r = x[0] + *x; fill(&r);",
    "a function that forgets": "r = first(x); fill(&r);",
    "a function of the library": "memset(x, 0, sizeof x); fill(&r);",
    "no region": "int *p = x; r = *p;",
}


@pytest.mark.parametrize("code", HANDED_OVER.values(), ids=HANDED_OVER)
def test_what_regions_may_be_led_to_is_in_shared_memory(unit: Callable[[str], TU], code: str) -> None:
    found = preview(unit(TEXT.format(code)), "cuda")
    assert [d.message for d in found.diagnostics] == []
    assert "__shared__ int x[4];" in found.text


@pytest.mark.parametrize("code", ITS_OWN.values(), ids=ITS_OWN)
def test_the_rest_stays_on_the_stack(unit: Callable[[str], TU], code: str) -> None:
    found = preview(unit(TEXT.format(code)), "cuda")
    assert [d.message for d in found.diagnostics] == []
    assert "__shared__" not in found.text


def test_in_a_function_it_is_on_the_heap(unit: Callable[[str], TU]) -> None:
    text = preview(unit(TEXT.format("r = g(r);").replace("#pragma omp end", FUNCTION, 1)), "cuda").text
    assert "const ompls_room<int> ompls_room_y(1);" in text
    assert "int &y = *ompls_room_y.begin;" in text


FUNCTION = "static int g(int r) { int y = r; fill(&y); return y; }\n#pragma omp end"


def test_the_address_of_a_parameter_is_refused(unit: Callable[[str], TU]) -> None:
    text = TEXT.format("r = g(r);").replace("#pragma omp end", FUNCTION.replace("&y", "&r"), 1)
    (found,) = preview(unit(text), "cuda").diagnostics
    assert "the address of the parameter 'r'" in found.message


def test_only_what_is_shared_says_so(unit: Callable[[str], TU]) -> None:
    """A declaration may have variables of both kinds."""
    tu = unit("""#include <omp.h>
#pragma omp declare target
void g(int *p) { *p += 1; }
#pragma omp end declare target
void f(int n, int *out)
{
#pragma omp target teams map(from: out[:1])
    {
        int mine = n, both = 2 * n;
        g(&mine);
#pragma omp parallel num_threads(n)
        both += omp_get_thread_num() + 1;
        *out = both + mine;
    }
}""")
    text = preview(tu, "cuda").text
    said = [line.strip() for line in text.splitlines() if "not on the master's stack" in line]
    assert said == ["__shared__ int both;  // not on the master's stack: this team's threads reach it"]
    assert "int mine;\n" in text or "int mine = n;\n" in text
