"""What counts as a change of a variable, wherever that is asked."""

from __future__ import annotations

import pytest

from ompls.analysis.model.assigned import assigned_in

from .support import analyze

CASES = [  # statements; the variables that are declared, changed as a whole, or of which the address is taken
    ("a = b;", "a"),
    ("((a)) += b;", "a"),
    ("b = (a)++;", "a b"),
    ("--a;", "a"),
    ("g(&(a), b);", "a"),
    ("int c = b;", "c"),
    ("q[a] = b; *q = b; p->x = b;", ""),
    ("b = -a + !a;", "b"),
    ("#pragma omp parallel for num_threads(a = 2)\nfor (int i = 0; i < 2; i++) g(p, b);", "a i"),
]


@pytest.mark.parametrize(("text", "names"), CASES)
def test_what_is_assigned(text: str, names: str) -> None:
    whole = f"struct s {{ int x; }};\nvoid g(void *, int);\nvoid f(int a, int b, struct s *p, int *q) {{\n{text}\n}}"
    node = analyze(whole).items[-1].content.node
    assert sorted(s.name for s in assigned_in(node)) == names.split()
