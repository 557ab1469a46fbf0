"""What a message repeats of the file stands in it as the user wrote it, with the macros."""

from __future__ import annotations

import pytest
from drawing import findings

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import check
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

HEAD = """
#define N 8
#define HALF (N / 2)
#define FIRST(x, y) x
#define ALL(x) x[0:N]
#define MAPPED _Pragma("omp target map(tofrom: x[0:N])")
"""
FUNCTION = "void f(int *x) {{\n{}\n    for (int i = 0; i < 9; i++) x[i] = 0;\n}}\n"
QUOTED = {
    "#pragma omp target map(tofrom: x[0:8])": "x[0:8]",
    "#pragma omp target map(tofrom: x[0:N])": "x[0:N]",
    "#pragma omp target map(tofrom: x[ 0 : N ])": "x[ 0 : N ]",
    "#pragma omp target map(tofrom: x[0:HALF \\\n   + 1])": "x[0:HALF + 1]",
    "#pragma omp target map(tofrom: ALL(x))": "ALL(x)",
    "#pragma omp target map(tofrom: FIRST(x, 1)[0:N])": "FIRST(x, 1)[0:N]",
    "MAPPED": "x[0:8]",  # the invocation is more than the section
}


@pytest.mark.parametrize("pragma", QUOTED)
def test_a_message_quotes_what_the_user_wrote(pragma: str) -> None:
    (found,) = findings(HEAD + FUNCTION.format(pragma), "section-too-short")
    assert found.message == f"`{QUOTED[pragma]}` is less than the region accesses of `x`"


def test_a_quotation_follows_an_edit_that_expands_to_the_same() -> None:
    analyzer, settings = Analyzer(), Settings(select=("section-too-short",))
    for argument in "123":
        text = HEAD + FUNCTION.format(f"#pragma omp target map(tofrom: x[0:FIRST(2, {argument})])")
        (found,) = check(analyzer.analyze("example.c", text.encode(), EMPTY_SNAPSHOT, settings))
        assert f"FIRST(2, {argument})" in found.message
