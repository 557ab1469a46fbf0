"""What is plain at a glance has no race: the look that spares the search, against the search."""

from __future__ import annotations

import pytest
from drawing import analyze
from together import together

from ompls.analysis.model.ast import FunctionDef
from ompls.analysis.rules import RULES
from ompls.analysis.rules.support.framework import unit_of
from ompls.analysis.rules.support.races.glance import without_races
from ompls.analysis.rules.support.races.pairs import _Search

_LOOP = "#pragma omp target teams distribute parallel for"
PLAIN = {
    "elements": f"{_LOOP}\nfor (int i = 0; i < n; i++) y[i] = x[i + 1] + y[i];",
    "members": f"{_LOOP}\nfor (int i = 0; i < n; i++) {{ s[i].a = i; s[i].b += s[i].a; }}",
    "two loops": f"{_LOOP} collapse(2)\nfor (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) m[i][j] = x[j];",
    "a sum": "float t = 0;\n#pragma omp parallel for reduction(+: t)\nfor (int i = 0; i < n; i++) t += x[i];",
    "variables of the loop": f"{_LOOP}\nfor (int i = 0; i < n; i++) {{ float v = x[i]; v *= 2; y[i] = v; }}",
    "allocated here": f"float *p = malloc(n * 4);\n{_LOOP}\nfor (int i = 0; i < n; i++) p[i] = y[i];",
}
OTHERS = {
    "a neighbour": f"{_LOOP}\nfor (int i = 1; i < n; i++) y[i] = y[i - 1];",
    "computed": f"{_LOOP}\nfor (int i = 0; i < n; i++) y[i / 2] = 0;",
    "one of two loops": f"{_LOOP} collapse(2)\nfor (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) y[i] += x[j];",
    "a shared scalar": f"{_LOOP}\nfor (int i = 0; i < n; i++) n = i;",
    "a shared counter": "int k;\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) for (k = 0; k < 4; k++) y[i]++;",
    "an alias": f"float *p = y + 1;\n{_LOOP}\nfor (int i = 0; i < n; i++) p[i] = y[i];",
    "a pointer that moved": f"y = x;\n{_LOOP}\nfor (int i = 0; i < n; i++) y[i] = x[i];",
    "a pointer in the loop": f"{_LOOP}\nfor (int i = 1; i < n; i++) {{ float *p = y - 1; p[i] = y[i]; }}",
    "through the pointer": f"{_LOOP}\nfor (int i = 1; i < n; i++) y[i] = *y;",
    "a call": f"{_LOOP}\nfor (int i = 0; i < n; i++) y[i] = first(y);",
    "a function of the unit": f"{_LOOP}\nfor (int i = 0; i < n; i++) y[i] = count();",
    "an address": f"{_LOOP}\nfor (int i = 0; i < n; i++) y[i] = *&y[0];",
    "static": f"{_LOOP}\nfor (int i = 0; i < n; i++) {{ static int v; v = i; }}",
    "a critical section": f"{_LOOP}\nfor (int i = 0; i < n; i++)\n#pragma omp critical\ny[i] = 0;",
    "a region": "#pragma omp parallel\ny[0] = n;",
    "the loop's variable": f"{_LOOP}\nfor (int i = 0; i < n; i++) {{ y[i] = 0; i++; y[i] = 1; }}",
}
_AROUND = """
void *malloc(unsigned long);
int total;
static int count(void) {{ return total++; }}
static float first(float *p) {{ return p[0]; }}
struct s {{ int a, b; }};
void f(int n, float *x, float *y, float (*m)[8], struct s *s) {{
{}
}}
"""


def plain(text: str) -> list[bool]:
    """For each function with directives whether it is plain; then the search has to find nothing."""
    tu = analyze(text)
    unit = unit_of(tu)
    found = []
    for content in (item.content for item in tu.items):
        if isinstance(content.node, FunctionDef) and content.directives:
            found.append(without_races(content, unit))
            assert not (found[-1] and _Search(content, unit, content.node).races()), text
    return found


@pytest.mark.parametrize("body", PLAIN.values(), ids=list(PLAIN))
def test_plain(body: str) -> None:
    assert plain(_AROUND.format(body)) == [True]


@together("body", OTHERS.values(), ids=list(OTHERS))
def test_not_plain(body: str) -> None:
    assert plain(_AROUND.format(body)) == [False]


def test_the_search_finds_no_race_in_what_is_plain() -> None:
    """In the examples of every rule about races, and their look-alikes."""
    rules = [rule for rule in RULES.values() if rule.about == "races"]
    found = [answer for rule in rules for text in (*rule.bad, *rule.good) for answer in plain(text)]
    assert len(rules) > 5
    assert any(found)
