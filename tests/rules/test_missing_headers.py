"""What a missing header may define is not reported as a mistake."""

from __future__ import annotations

import pytest
from drawing import findings

LOOP = "void f(int n, int *a) {\n#pragma omp parallel for schedule(HOW)\nfor (int i = 0; i < n; i++) a[i] = i;\n}\n"


@pytest.mark.parametrize(("head", "severity"), [("", "error"), ('#include "config.h"\n', "hint")])
def test_a_word_may_be_a_macro_of_a_missing_header(head: str, severity: str) -> None:
    (found,) = findings(head + LOOP, "malformed-clause")
    assert found.severity == severity
