"""Conditions that exclude each other wherever they stand: what is under both never happens, so it is no race.

A case is what stands in a parallel loop: two stores, `a[i]` and `a[n - 1 - i]`, that meet in the middle.
"""

from __future__ import annotations

from drawing import findings
from test_races import RACES
from together import together

HEAD = """
struct s { int mode; double x; struct { int on; } in; };
enum kind { UP, DOWN };
int g;
static void raise(void) { g = 1; }
static void either(int *a, int n, int i, int k) { if (k) a[i] = 1; else a[n - 1 - i] = 2; }
static void first(int *a, int i, int k) { if (k == 0) a[i] = 1; }
static void last(int *a, int n, int i, int k) { if (k == 1) a[n - 1 - i] = 2; }
void f(int n, int m, int flag, int mode, unsigned u, enum kind kind, double w, int *a, int *b, struct s *s) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
"""
ONE, TWO = "a[i] = 1;", "a[n - 1 - i] = 2;"
RACE = "loop-carried-dependence"


def ifs(a: str, b: str) -> str:
    return f"if ({a}) {ONE} if ({b}) {TWO}"


CASES = [
    # --- of integers
    (f"if (flag) {ONE} else {TWO}", ""),
    (ifs("flag", "!flag"), ""),
    (ifs("flag == 1", "flag != 1"), ""),
    (ifs("flag > 3", "flag <= 3"), ""),
    (ifs("flag > 3", "flag < 2"), ""),
    (ifs("3 < flag", "flag < 2"), ""),
    (ifs("mode == 0", "mode == 1"), ""),
    (ifs("mode == 0", "1 == mode"), ""),
    (ifs("mode == n", "mode > n"), ""),
    (ifs("kind == UP", "kind == DOWN"), ""),
    (ifs("u == 2", "u < 2"), ""),
    (ifs("mode == 0 && m > 2", "mode == 1 && m > 2"), ""),
    (ifs("!(mode == 0 || m > 2)", "mode == 0"), ""),
    (ifs("mode == 0 || m > 2", "!(mode == 0 || m > 2)"), ""),
    (f"if (flag) {{ if (m) {ONE} }} if (n > 9 && !flag) {TWO}", ""),
    (f"int k = mode & 3; {ifs('k == 0', 'k == 1')}", ""),
    (f"if (mode == 0) {ONE} else if (mode == 1) b[i] = 1; else {TWO}", ""),
    (f"if (mode == 0) {{ {ONE} continue; }} if (mode == 0) {TWO}", ""),
    ("mode == 0 ? (a[i] = 1) : 0; mode != 0 ? (a[n - 1 - i] = 2) : 0;", ""),
    # --- of what is no integer, and in memory
    (ifs("w > 0.5", "w <= 0.5"), ""),
    (ifs("w > 0.5", "0.5 > w"), ""),
    (ifs("s", "!s"), ""),
    (ifs("s == 0", "s"), ""),
    (ifs("(void *)0 == s", "!!s"), ""),
    (ifs("s->mode == 0", "s->mode == 1"), ""),
    (ifs("s->in.on", "!s->in.on"), ""),
    (ifs("s->x < w", "w <= s->x"), ""),
    # --- `switch`
    (f"switch (mode) {{ case 0: {ONE} break; case 1: {TWO} break; }}", ""),
    (f"switch (mode) {{ case 0: {ONE} break; }} switch (mode) {{ case 1: {TWO} break; }}", ""),
    (f"switch (mode) {{ case 0: {ONE} break; default: b[i] = 1; }} if (mode == 1) {TWO}", ""),
    # --- in called functions
    ("either(a, n, i, mode);", ""),
    ("first(a, i, mode); last(a, n, i, mode);", ""),
    (f"first(a, i, mode); if (mode == 1) {TWO}", ""),
    # --- both may happen
    (ifs("flag", "flag"), RACE),
    (ifs("flag", "!m"), RACE),
    (ifs("flag > 3", "flag < 5"), RACE),
    (ifs("flag >= 3", "flag <= 3"), RACE),
    (ifs("mode == 0", "mode != 1"), RACE),
    (ifs("mode == 0", "m == 1"), RACE),
    (ifs("w > 0.5", "w < 0.7"), RACE),
    (ifs("s->mode == 0", "s->in.on == 1"), RACE),
    (f"int k = mode; if (k == 0) {ONE} k = 1; if (k == 1) {TWO}", RACE),
    ("either(a, n, i, i / 4);", RACE),
    ("first(a, i, 0); last(a, n, i, 1);", RACE),
    (f"switch (mode) {{ case 0: b[i] = 1; case 1: {ONE} break; }} if (mode == 0) {TWO}", f"{RACE}"),
    (f"if (flag) {{ if (b[i]) continue; b[i] = 2; }} if (flag) {ONE} {TWO}", RACE),
    # --- what changes in between: nothing is known of the two together
    (f"if (g == 0) {ONE} raise(); if (g == 1) {TWO}", f"{RACE} race-on-shared-variable"),
]  # fmt: skip


@together(("body", "expected"), CASES, ids=[b[:90] for b, _ in CASES])
def test_conditions_exclude_each_other(body: str, expected: str) -> None:
    found = findings(f"{HEAD}{body}\n}}\n}}\n", *RACES)
    assert " ".join(sorted(d.rule + "?" * (d.severity == "hint") for d in found)) == expected
