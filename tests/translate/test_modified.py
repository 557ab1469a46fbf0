"""What a piece of a region modifies, clauses that give a variable its value included."""

from __future__ import annotations

import pytest

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.translate.uses import modified_in

CASES = [  # a clause of a task; whether it changes the variable outside
    ("in_reduction(+: x)", True),
    ("firstprivate(x)", False),
    ("shared(x)", False),
]


@pytest.mark.parametrize(("clause", "changed"), CASES)
def test_clauses_that_write_back_modify(clause: str, changed: bool) -> None:
    text = f"void g(int); void f(int x) {{\n#pragma omp task {clause}\ng(x);\n}}"
    tu = Analyzer().analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings())
    assert [s.name for s in modified_in(tu.items[-1].content.node)] == ["x"] * changed
