"""Updates that only lower (raise) an element, in place: a hint where the element is at most compared with itself."""

from __future__ import annotations

import pytest
from drawing import findings
from test_races import RACES
from together import together

HEAD = """
double fmin(double, double);
static int smaller(int a, int b) { return a < b ? a : b; }
static int least(int a, int b) { if (b < a) return b; return a; }
static int first(int a, int b) { return a; }
static void relax(int *to, int via) { if (via < *to) *to = via; }
struct graph { int n, *w; };
void f(struct graph *s, int n, int k, int (*d)[64], int (*p)[64], int *a, unsigned char *r, double *x) {
    int i, j, t;
"""
EACH = """
for (k = 0; k < n; k++) {
    #pragma omp target teams distribute parallel for collapse(2)
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) { BODY }
}
"""
ROWS = """
for (int k = 0; k < n; k++)
    #pragma omp parallel for private(j, t)
    for (i = 0; i < n; i++) { ROW
        for (j = 0; j < n; j++) { BODY } }
"""
HARMLESS = [
    "if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];",
    "if (!(d[i][j] <= d[i][k] + d[k][j])) d[i][j] = d[i][k] + d[k][j];",
    "if (d[i][k] + d[k][j] <= d[i][j]) d[i][j] = d[i][k] + d[k][j];",
    "if (d[i][k] < 99 && d[k][j] < 99 && d[i][j] > d[i][k] + d[k][j]) d[i][j] = d[i][k] + d[k][j];",
    "d[i][j] = d[i][k] + d[k][j] < d[i][j] ? d[i][k] + d[k][j] : d[i][j];",
    "d[i][j] = d[i][j] > d[i][k] + d[k][j] ? d[i][k] + d[k][j] : d[i][j];",
    "d[i][j] = smaller(d[i][j], d[i][k] + d[k][j]);",
    "d[i][j] = least(d[i][k] + d[k][j], d[i][j]);",
    "x[i * n + j] = fmin(x[i * n + j], x[i * n + k] + x[k * n + j]);",
    "int via = a[i * n + k] + a[k * n + j]; if (via < a[i * n + j]) a[i * n + j] = via;",
    "int via = d[i][k] + d[k][j], old = d[i][j]; if (via < old) { d[i][j] = via; p[i][j] = p[i][k]; }",
    "int *row = a + i * n, via = row[k] + a[k * n + j]; if (row[j] <= via) continue; row[j] = via;",
    "relax(&d[i][j], d[i][k] + d[k][j]);",
    "if (s->w[i * s->n + k] + s->w[k * s->n + j] < s->w[i * s->n + j])"
    " s->w[i * s->n + j] = s->w[i * s->n + k] + s->w[k * s->n + j];",
    "d[i][j] = ({ int p = d[i][j], q = d[i][k] + d[k][j]; p < q ? p : q; });",
    "int w = smaller(d[i][k], d[k][j]); if (w > d[i][j]) d[i][j] = w;",  # the widest path
    "int w = d[i][k] > d[k][j] ? d[i][k] : d[k][j]; d[i][j] = smaller(w, d[i][j]);",  # the least of steepest ones
    "if (r[i * n + k] && r[k * n + j]) r[i * n + j] = 1;",  # what can be reached
    "r[i * n + j] |= r[i * n + k] & r[k * n + j];",
    "r[i * n + j] = r[i * n + j] || (r[i * n + k] && r[k * n + j]);",
]
RACING = [
    "d[i][j] = d[i][k] + d[k][j];",
    "d[i][j] -= d[i][k] * d[k][j];",
    "d[i][j] = first(d[i][k] + d[k][j], d[i][j]);",
    "d[i][j] = d[i][k] + d[k][j] < d[i][j] ? d[i][j] + 1 : d[i][k] + d[k][j];",
    "int via = d[k][j] - 1; d[i][j] = smaller(d[i][j], via);",  # lower at i == k, too
    "r[i * n + j] ^= r[i * n + k] & r[k * n + j];",
    "r[i * n + j] |= r[i * n + k] + r[k * n + j];",
]


@together("body", HARMLESS)
def test_what_would_change_nothing_is_no_warning(body: str) -> None:
    found = findings(HEAD + EACH.replace("BODY", body) + "}\n", *RACES)
    assert [d for d in found if d.severity != "hint"] == []
    if "p[i][j]" not in body and "continue" not in body:
        assert len(found) == 1


@pytest.mark.parametrize("body", RACING)
def test_what_stores_something_else_is_a_warning(body: str) -> None:
    found = findings(HEAD + EACH.replace("BODY", body) + "}\n", *RACES)
    assert [(d.severity, d.rule) for d in found] == [("warning", "loop-carried-dependence")]


@pytest.mark.parametrize(
    ("row", "body", "severity"),
    [
        ("int via = d[i][k];", "t = via + d[k][j]; if (t < d[i][j]) d[i][j] = t;", "hint"),
        ("if (!d[i][k]) continue;", "d[i][j] = d[i][j] || d[k][j];", "hint"),
        ("", "t = d[i][k] + d[k][j]; if (k) t--; if (t < d[i][j]) d[i][j] = t;", "warning"),
        ("int via = d[i][k];", "t = via + d[k][j]; d[i][j] = t;", "warning"),
        ("int via = d[i][k];", "d[i][j] -= via * d[k][j];", "warning"),
    ],
)
def test_one_row_for_each_iteration(row: str, body: str, severity: str) -> None:
    found = findings(HEAD + ROWS.replace("ROW", row).replace("BODY", body) + "}\n", *RACES)
    assert [d.severity for d in found] == [severity]


def test_a_block_on_the_diagonal() -> None:
    text = """
for (int b = 0; b < n / 16; b++)
    for (k = b * 16; k < b * 16 + 16; k++)
        #pragma omp parallel for collapse(2)
        for (i = b * 16; i < b * 16 + 16; i++)
            for (j = b * 16; j < b * 16 + 16; j++) BODY
"""
    lowered = "if (a[i * n + k] + a[k * n + j] < a[i * n + j]) a[i * n + j] = a[i * n + k] + a[k * n + j];"
    found = findings(HEAD + text.replace("BODY", lowered) + "}\n", *RACES)
    assert [d.severity for d in found] == ["hint"]
    found = findings(HEAD + text.replace("BODY", "a[i * n + j] = a[i * n + k] + a[k * n + j];") + "}\n", *RACES)
    assert [d.severity for d in found] == ["warning"]


@pytest.mark.parametrize(
    "text",
    [
        "#pragma omp parallel for private(i, j)\nK I J S",
        "#pragma omp parallel for private(j, k)\nI K J S",
        "#pragma omp parallel for collapse(3)\nK I J S",
        "#pragma omp parallel for\nfor (i = 1; i < n; i++) if (a[i - 1] + 1 < a[i]) a[i] = a[i - 1] + 1;",
        "for (k = 0; k < n; k++)\n#pragma omp parallel for\nfor (i = 1; i < n; i++)\n"
        "if (d[i - 1][k] + 1 < d[i][k]) d[i][k] = d[i - 1][k] + 1;",
    ],
)
def test_steps_that_need_one_another_are_a_warning(text: str) -> None:
    step = "if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];"
    for v in "kij":
        text = text.replace(f"{v.upper()} ", f"for ({v} = 0; {v} < n; {v}++) ")
    found = findings(f"{HEAD}\n{text.replace('S', step)}\n}}\n", *RACES)
    assert [d for d in found if d.rule == "loop-carried-dependence" and d.severity == "warning"]
