"""Numbers of iterations: 32 bits wherever all that a loop can have fit into them, 64 where nobody knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from named import preview
from together import together

from ompls.analysis.model.tu import TU

LEAGUE = "#pragma omp target teams distribute parallel for num_teams(2)"
PROGRAM = Path(__file__).parent / "programs/loops_far.c"


@together(
    ("header", "kind"),
    [
        ("int i = 0; i < n; i++", "unsigned int"),
        ("int i = k; i < n; i++", "unsigned int"),
        ("int i = k + 1; i < n; i++", "unsigned int"),
        ("int i = k + 1; i < n - 1; i += step", "unsigned int"),
        ("int i = n; i > k; i -= 2", "unsigned int"),
        ("int i = n - 1; i >= 0; i--", "unsigned int"),
        ("int i = n; i != k; --i", "unsigned int"),
        ("int i = 1; i <= n; i++", "unsigned int"),
        ("int i = k + 1; i <= n; i++", "unsigned int"),
        ("int i = k; i <= n - 1; i++", "unsigned int"),
        ("int i = k; i <= n; i++", "long long"),  # 2^32 of them from INT_MIN to INT_MAX
        ("int i = k; i <= n; i += 2", "unsigned int"),
        ("int i = n; i >= k; i--", "long long"),
        ("int i = (-2147483647 - 1); i < 2147483647; i++", "unsigned int"),
        ("int i = (-2147483647 - 1); i <= 2147483646; i++", "unsigned int"),
        ("unsigned i = 0; i < u; i++", "unsigned int"),
        ("unsigned i = 0; i <= u; i++", "long long"),
        ("unsigned i = u + 1; i < n; i++", "unsigned int"),
        ("int i = k; i < u; i++", "unsigned int"),
        ("int i = 0; i < l; i++", "unsigned int"),
        ("int i = l; i < n; i++", "unsigned int"),
        ("long i = 0; i < n; i++", "unsigned int"),
        ("long i = k; i < n; i++", "unsigned int"),
        ("long i = k; i <= n; i++", "long long"),
        ("long i = 0; i < l; i++", "long long"),
        ("long i = n - 1L; i < n; i++", "long long"),
        ("unsigned long i = 0; i < u; i++", "unsigned int"),
        ("unsigned long i = 0; i < n; i++", "long long"),  # a negative n is a large number there
        ("short i = s; i < n; i++", "unsigned int"),
        ("char *i = p; i < p + n; i++", "long long"),
    ],
)
def test_how_wide_a_count_is(header: str, kind: str, unit: Callable[[str], TU]) -> None:
    parameters = "int n, int k, int step, unsigned u, long l, short s, char *p"
    tu = unit(f"void f({parameters}) {{ int x;\n{LEAGUE}\nfor ({header}) x = n; }}")
    assert re.search(rf"    const {kind} ompls_count(_i)? = ", preview(tu, "cuda").text)


def test_a_sum_beyond_the_counter_s_type_is_one_of_unsigned_numbers(unit: Callable[[str], TU]) -> None:
    """`(int)it` of a large number is negative, and may overflow when it is added."""
    head = f"void f(int n, int k, int *x) {{\n{LEAGUE}\n"
    text = preview(unit(f"{head}for (int i = k; i < n; i++) x[i] = n; }}"), "cuda").text
    assert "k < n ? (unsigned int)n - (unsigned int)k : 0;" in text
    assert "int i = k + ompls_it;" in text
    text = preview(unit(f"{head}for (int i = k; i <= n; i += 1) x[i] = n; }}"), "cuda").text
    assert "int i = k + (unsigned int)ompls_it" in text


@pytest.mark.thorough
def test_ends_that_are_far_apart() -> None:
    done = ompls("run", "--timeout", "100", "--device", "cudasim", str(PROGRAM), "--", "far")
    assert (done.returncode, done.stdout) == (0, "")
