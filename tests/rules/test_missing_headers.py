"""What a missing header may define is not reported as a mistake."""

from __future__ import annotations

import pytest
from drawing import findings

LOOP = "void f(int n, int *a) {\n#pragma omp parallel for schedule(HOW)\nfor (int i = 0; i < n; i++) a[i] = i;\n}\n"


@pytest.mark.parametrize(("head", "severity"), [("", "error"), ('#include "config.h"\n', "hint")])
def test_a_word_may_be_a_macro_of_a_missing_header(head: str, severity: str) -> None:
    (found,) = findings(head + LOOP, "malformed-clause")
    assert found.severity == severity


@pytest.mark.parametrize(("head", "severity"), [("", "error"), ('#include "config.h"\n', "hint")])
def test_a_loop_may_stand_in_a_branch_that_a_missing_header_decides(head: str, severity: str) -> None:
    loops = (
        "#if HOW\nfor (int i = 0; i < n; i += 2)\na[i] = 0;\n#elif HOW == 2\nfor (int i = 0; i < n; i++)\na[i] = 0;\n"
    )
    function = f"int f(int n, int *a) {{\n#pragma omp parallel for\n{loops}#endif\nreturn n;\n}}\n"
    assert {d.severity for d in findings(head + function, "loop-nest", "jump-out")} == {severity}
    other = "void g(int n, int *a) {\n#pragma omp parallel for\na[0] = n;\n}\n"
    assert [d.severity for d in findings(head + function + other, "loop-nest")] == [severity, "error"]
