"""Refactorings of data environments on snippets: what is offered, and what the pragma then says."""

from __future__ import annotations

import pytest
from together import together

from ompls.analysis import features
from ompls.analysis.features.pragmas import pragmas
from ompls.analysis.features.refactor import applied
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import check

from .marked import unit

TITLE = "Write all map clauses of this region"
FRAME = """\
#define N 100
struct point {{ double x, y; }};
struct grid {{ int n; double *rows; }};
void other(float *);
void f(int n, int m, float *x, float *y, double (*a)[N], struct grid *g, struct point *p, int *index) {{
  float z[N], w[N][N], sum = 0;
  struct point q = {{1, 2}};
  {0}
  {1}
}}
"""

MAPS = [
    # pragma, what follows it, the pragma after the action (None: nothing is offered)
    ("target", "for (int i = 0; i < n; i++) y[i] += x[i];", "target map(to: x[0:n]) map(tofrom: y[0:n])"),
    ("target", "for (int i = 0; i < n; i++) y[i] = x[i];", "target map(to: x[0:n]) map(from: y[0:n])"),
    ("target", "for (int i = n - 1; i >= 0; --i) y[i] = 0;", "target map(from: y[0:n])"),
    ("target", "for (int i = 0; i <= n; i++) y[i] = 0;", "target map(from: y[0:n + 1])"),
    ("target", "for (int i = 0; i < N; i++) x[i] = z[i];", "target map(to: z) map(from: x[0:N])"),
    ("target", "for (int i = 0; i < N * N; i++) x[i] = 1;", "target map(from: x[0:N * N])"),
    ("target", "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i * m + j] = 0;",
     "target map(from: x[0:m * n])"),
    ("target", "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) w[i][j] = a[i][j];",
     "target map(to: a[0:N]) map(from: w)"),
    ("target", "for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i + 1];",
     "target map(to: x[0:n]) map(tofrom: y[0:n - 1])"),
    # the smallest types, and what must not be smaller
    ("target map(tofrom: x[0:n], y[0:n])", "for (int i = 0; i < n; i++) y[i] += x[i];",
     "target map(to: x[0:n]) map(tofrom: y[0:n])"),
    ("target map(x[0:n])", "for (int i = 0; i < n; i++) if (i > 3) x[i] = 1;", None),
    ("target map(x[0:n])", "for (int i = 0; i < n; i++) { if (index) break; x[i] = 1; }", None),
    ("target map(x[0:n])", "for (int i = 0; i < n; i += 2) x[i] = 1;", None),
    ("target map(x[0:n])", "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i] = 1;", None),
    ("target map(x[0:n])", "for (int i = 0; i < n; i++) { y[0] = x[i]; x[i] = 1; }",
     "target map(x[0:n]) map(tofrom: y[0:1])"),
    ("target map(x[0:n])", "for (int i = 0; i < n; i++) { x[i] = 0; x[i] += i; }", "target map(from: x[0:n])"),
    ("target map(x[0:n])", "for (int i = 0; i < n; i++) { x[i] = 0; if (i) x[i] += x[i - 1]; }", None),
    ("target map(p[0:n])", "for (int i = 0; i < n; i++) p[i].x = 1;", None),
    ("target map(p[0:n])", "for (int i = 0; i < n; i++) sum = p[i].x;", "target map(to: p[0:n])"),
    ("target map(x[0:n])", "for (int i = 0; i < n - 1; i++) x[i] = 1;", None),
    ("target map(z)", "for (int i = 0; i < N - 1; i++) z[i] = 1;", None),
    ("target map(tofrom: z)", "for (int i = 0; i < N; i++) z[i] = 1;", "target map(from: z)"),
    ("target map(x)", "for (int i = 0; i < n; i++) x[i]++;", "target map(tofrom: x[0:n])"),
    ("target map(always, to: x[0:n])", "for (int i = 0; i < n; i++) sum = x[i];", None),
    ("target map(to: x[0:n])", "for (int i = 0; i < n; i++) x[i] = 1;", None),
    ("target", "q.x = q.y;", "target map(tofrom: q)"),
    ("target", "sum = q.y;", "target map(to: q)"),
    ("target parallel for reduction(+: sum)", "for (int i = 0; i < n; i++) sum += x[i];",
     "target parallel for reduction(+: sum) map(to: x[0:n]) map(tofrom: sum)"),
    ("target parallel for lastprivate(sum)", "for (int i = 0; i < n; i++) sum = x[i];",
     "target parallel for lastprivate(sum) map(to: x[0:n]) map(tofrom: sum)"),
    # conditions
    ("target", "for (int i = 0; i < n; i++) if (index[i]) y[i] = 1;",
     "target map(to: index[0:n]) map(tofrom: y[0:n])"),
    ("target", "for (int i = 0; i < n; i++) if (i > 0 && i < n - 1) y[i] = x[i - 1] + x[i + 1];",
     "target map(to: x[0:n]) map(tofrom: y[0:n - 1])"),
    ("target", "for (int i = 0; i < n; i++) if (i % 2 == 0) y[i + 1] = 1;", None),
    # what the accesses do not tell stays as it is
    ("target", "for (int i = 0; i < n; i++) y[index[i]] = x[i];", "target map(to: index[0:n], x[0:n])"),
    ("target", "for (int i = 0; i < n; i++) g->rows[i] = 1;", None),
    ("target", "other(x);", None),
    ("target", "while (*x) x++;", None),
    ("target", "for (int i = -1; i < n; i++) x[i] = 1;", None),
    ("target", "for (int i = 0; i < n; i++) { int k = index[i]; y[k] = 1; }", "target map(to: index[0:n])"),
    ("target map(to: x[0:n]) map(from: y[0:n])", "for (int i = 0; i < n; i++) y[i] = x[i];", None),
    ("target is_device_ptr(x)", "for (int i = 0; i < n; i++) x[i] = n;", None),
    ("target", "n++;", None),
    ("target defaultmap(none) map(tofrom: y[0:n])", "for (int i = 0; i < n; i++) y[i] *= m;",
     "target defaultmap(none) map(tofrom: y[0:n]) firstprivate(n, m)"),
    ("target defaultmap(to: aggregate)", "sum = z[n];", "target defaultmap(to: aggregate) map(to: z)"),
    ("target data map(x[0:n])\n#pragma omp target", "for (int i = 0; i < n; i++) x[i] = y[i];",
     "target map(to: y[0:n])"),
    # names that mean something else in front of the pragma
    ("target", "{ int n = index[0]; for (int i = 0; i < n; i++) x[i] = 1; }", "target map(to: index[0:1])"),
    ("target", "for (int i = 0; i < g->n; i++) x[i] = 1;", "target map(from: x[0:g->n])"),
]  # fmt: skip


def offered(tu: TU, title: str, at: int) -> bytes | None:
    """The text after the action of that title at byte `at`."""
    return next(
        (
            applied(tu.source, a.edits)
            for a in features.refactorings(tu, at, at)
            if a.edits and a.title.startswith(title)
        ),
        None,
    )


@together(("pragma", "body", "expected"), MAPS, ids=[f"{m[0]} {m[1]}" for m in MAPS])
def test_all_maps_are_written(pragma: str, body: str, expected: str | None) -> None:
    tu = unit(FRAME.format(f"#pragma omp {pragma}", body))
    last = pragmas(tu.source)[-1].start
    after = offered(tu, TITLE, last)
    if expected is None:
        assert after is None, after
        return
    assert after is not None
    line = next(p for p in pragmas(after) if p.start == last)
    assert after[line.start : line.end].decode() == f"#pragma omp {expected}"
    again = offered(unit(after.decode()), TITLE, last)
    assert again is None  # there is nothing left to do


RESULTS = [
    # pragma, what follows it, the pragma after the action
    ("target", "sum += z[n]; m = sum > 1;", "target map(to: z) map(tofrom: sum)"),
    ("target", "sum = z[n];", "target map(to: z) map(from: sum)"),
    ("target", "{ if (n) sum = z[n]; }", "target map(to: z) map(tofrom: sum)"),
    ("target", "{ m = z[n]; x[0] = m; }", "target map(to: z) map(from: x[0:1])"),  # nobody reads m
    ("target teams distribute parallel for", "for (int i = 0; i < N; i++) sum = z[i];",
     "target teams distribute parallel for map(to: z) map(tofrom: sum)"),
    ("target defaultmap(none)", "sum = z[n];", "target defaultmap(none) map(to: z) map(from: sum) firstprivate(n)"),
    ("target", "counter = n;", "target map(from: counter)"),
    ("target firstprivate(sum)", "sum = z[n];", "target firstprivate(sum) map(to: z)"),
    ("target parallel for reduction(+: w[0:4])", "for (int i = 0; i < n; i++) w[i % 4][0] += 1;",
     "target parallel for reduction(+: w[0:4]) map(tofrom: w[0:4])"),
    # copies of a whole array begin as the array itself
    ("target", "{ \n#pragma omp task\n z[1] = 9;\n z[2] = 7; }", "target map(tofrom: z)"),
]  # fmt: skip


@pytest.mark.parametrize(("pragma", "body", "expected"), RESULTS, ids=[f"{r[0]} {r[1]}" for r in RESULTS])
def test_scalars_that_are_results_are_mapped(pragma: str, body: str, expected: str) -> None:
    frame = "int counter;\n" + FRAME.replace("  {1}", "  {1}\n  *x = sum;")
    tu = unit(frame.format(f"#pragma omp {pragma}", body))
    at = tu.source.index(b"  #pragma") + 2
    after = offered(tu, TITLE, at)
    assert after is not None
    line = next(p for p in pragmas(after) if p.start == at)
    assert after[line.start : line.end].decode() == f"#pragma omp {expected}"


LEFT = [
    ("for (int i = 0; i < n; i++) x[index[i]] = 1;", [("x", "which of its elements are used depends on data")]),
    ("x++;", [("x", "the region changes the pointer itself")]),
    ("other(x);", [("x", "its data are only used where this cannot be followed")]),
    ("g->rows[0] = 1;", [("g", "it leads to pointers, whose data have to be mapped by themselves")]),
    ("{ int k = index[0]; for (int i = 0; i < k; i++) x[i] = 1; }",
     [("x", "its section depends on what only the region knows")]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), LEFT, ids=[body for body, _ in LEFT])
def test_what_is_left_alone_is_said(body: str, expected: list[tuple[str, str]]) -> None:
    tu = unit(FRAME.format("#pragma omp target", body))
    at = tu.source.index(b"#pragma")
    (action,) = [a for a in features.refactorings(tu, at, at) if a.title.startswith(TITLE)]
    assert list(action.left) == expected
    reason = expected[0][1]
    assert reason in (action.title if action.edits else action.refused)


def test_long_lines_are_continued_and_comments_stay() -> None:
    names = [f"a_rather_long_name_{k}" for k in range(6)]
    body = " ".join(f"{name}[i] = {k};" for k, name in enumerate(names))
    text = f"void f(int n, {', '.join(f'int *{n}' for n in names)}) {{\r\n  #pragma omp target // why\r\n"
    tu = unit(text + f"  for (int i = 0; i < n; i++) {{ {body} }}\r\n}}\r\n")
    after = offered(tu, TITLE, text.index("#"))
    assert after is not None
    lines = after.decode().split("\r\n")
    assert lines[1] == "  #pragma omp target \\"
    assert lines[2].startswith("      map(from: a_rather")
    assert lines[2].endswith("[0:n]) // why")
    assert lines[3:] == text.split("\r\n")[2:-1] + tu.source.decode().split("\r\n")[2:]


def test_macros_are_left_alone() -> None:
    """A clause that a macro made is not rewritten; a pragma that a macro made is not touched."""
    body = "for (int i = 0; i < n; i++) y[i] = x[i];"
    tu = unit(FRAME.format("#define MAPS map(x[0:n])\n#pragma omp target MAPS", body))
    after = offered(tu, TITLE, tu.source.index(b"#pragma"))
    assert after is not None
    assert b"#pragma omp target MAPS map(from: y[0:n])" in after
    made = unit(FRAME.format('#define T _Pragma("omp target")\n  T', body))
    assert all(offered(made, TITLE, at) is None for at in range(len(made.source)))


IMPLIED = [
    ("target", "sum += z[n];", "target firstprivate(sum, n) map(tofrom: z)"),
    ("target map(to: z)", "sum += z[n];", "target map(to: z) firstprivate(sum, n)"),
    ("target", "x[0] = 1;", "target map(x[:0])"),
    ("target parallel for reduction(+: sum)", "for (int i = 0; i < n; i++) sum += i;",
     "target parallel for reduction(+: sum) firstprivate(n)"),
    ("target map(to: z) firstprivate(sum, n)", "sum += z[n];", None),
    ("target enter data map(to: z[0:3])\n#pragma omp target", "z[0] = 1;", None),
]  # fmt: skip


@pytest.mark.parametrize(("pragma", "body", "expected"), IMPLIED, ids=[f"{i[0]} {i[1]}" for i in IMPLIED])
def test_what_is_implied_is_written(pragma: str, body: str, expected: str | None) -> None:
    tu = unit(FRAME.format(f"#pragma omp {pragma}", body))
    at = pragmas(tu.source)[-1].start
    after = offered(tu, "Write what is implied for this region", at)
    assert (after is None) == (expected is None)
    if after is not None:
        line = next(p for p in pragmas(after) if p.start == at)
        assert after[line.start : line.end].decode() == f"#pragma omp {expected}"
        assert offered(unit(after.decode()), "Write what is implied for this region", at) is None


SAME = [
    "float x[9], y[9];\n#pragma omp target data map(x)\n{\n#pragma omp target\ny[0] = x[0] * n;\n}",
    "float x[9], s = 0;\n#pragma omp target parallel for reduction(+: s)\nfor (int i = 0; i < n; i++) s += x[i];",
    "#pragma omp target\ntable[0] = number + other + n;",
    "#pragma omp target\n{\nextern int late;\nn = late + table[0];\n}",
]


@pytest.mark.parametrize("body", SAME)
def test_the_hint_shows_what_the_action_writes(body: str) -> None:
    before = "int table[9], number, other, *to = &other;\n#pragma omp declare target(table, to)\n"
    tu = unit(f"{before}void f(int n) {{\n{body}\n}}\n")
    at = pragmas(tu.source)[-1].start
    (hint,) = features.inlays(tu)
    after = offered(tu, "Write what is implied for this region", at)
    assert after == tu.source[: hint.offset] + b" " + hint.label.encode() + tu.source[hint.offset :]


HOIST = "Hoist the data environment out of this loop"
PROGRAM = """\
double total(int n, const double *v) {{ double s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }}
void outside(void);
double *shared_one;
void f(int n, int steps, double *restrict x, double *restrict y, double *z) {{
  double a[10] = {{0}}, err = 0, *w = z;
  for (int t = 0; t < steps; t++) {{
    {0}
    #pragma omp target map(to: x[0:n]) map(tofrom: y[0:n]){1}
    for (int i = 0; i < n; i++) y[i] += x[i] * t;
    {2}
  }}
}}
"""
DATA = "#pragma omp target data map(to: x[0:n]) map(tofrom: y[0:n])"
ONLY_X = "#pragma omp target data map(to: x[0:n])"
ONLY_Y = "#pragma omp target data map(tofrom: y[0:n])"

HOISTS = [
    # before the region, more clauses, after it; the pragmas that the loop then has (None: not offered)
    ("", "", "", [DATA]),
    ("", "", "err += y[t];", [DATA, "#pragma omp target update from(y[0:n])"]),
    ("", "", "err += total(n, y);", [DATA, "#pragma omp target update from(y[0:n])"]),
    ("", "", "err += x[t];", [DATA]),
    ("x[t] = 1;", "", "", [DATA, "#pragma omp target update to(x[0:n])"]),
    ("y[t] = 1;", "", "", [DATA, "#pragma omp target update from(y[0:n])", "#pragma omp target update to(y[0:n])"]),
    ("", "", "if (t % 10 == 0) {\n      err += y[0];\n    }", [DATA, "#pragma omp target update from(y[0:n])"]),
    ("", "", "if (err > 9) break;", [DATA]),
    ("", "", "if (y[0] > 9) break;", [DATA, "#pragma omp target update from(y[0:n])"]),
    ("", "", "if (t > 9) {\n      y[0] = 1;\n      break;\n    }",
     [DATA, "#pragma omp target update from(y[0:n])", "#pragma omp target update to(y[0:n])"]),
    ("", "", "if (t > 9) { y[0] = 1; break; }", None),  # a pragma needs a line of its own
    ("", "", "if (t > 9) return;", None),
    ("", "", "if (t > 9) { if (y[0] = 1) break; }", [ONLY_X]),
    ("outside();", "", "", None),
    ("n = t;", "", "", None),
    ("x++;", "", "", [ONLY_Y]),
    ("", " nowait", "", None),
    ("", " if(t > 3)", "", None),
    ("", "", "#pragma omp target update from(y[0:n])", None),
    ("", "", "#pragma omp target map(to: y[0:n])\n    for (int i = 0; i < n; i++) y[i] = 0;", [ONLY_X]),
    ("", "", "#pragma omp target map(to: x[0:n / 2])\n    for (int i = 0; i < n / 2; i++) a[0] += x[i];",
     ["#pragma omp target data map(to: x[0:n]) map(tofrom: y[0:n], a)"]),
    ("err += z[t];", "", "", [DATA]),  # `restrict`: z leads nowhere else
]  # fmt: skip


@together(("before", "clauses", "after", "expected"), HOISTS, ids=[f"{h[0]}|{h[1]}|{h[2]}" for h in HOISTS])
def test_the_data_environment_is_hoisted(before: str, clauses: str, after: str, expected: list[str] | None) -> None:
    tu = unit(PROGRAM.format(before, clauses, after))
    at = tu.source.index(b"#pragma omp target map(to: x[0:n]) map(tofrom")
    changed = next(
        (applied(tu.source, a.edits) for a in features.refactorings(tu, at, at) if a.edits and HOIST in a.title), None
    )
    if expected is None:
        assert changed is None, changed
        return
    assert changed is not None
    old = tu.source.decode().split("\n")
    lines = changed.decode().split("\n")
    added = [line.strip() for line in lines if line not in old]
    assert [line for line in lines if line in old] == old  # everything else is as it was
    assert sorted(added) == sorted(line for line in expected if line not in after)
    loop = next(n for n, line in enumerate(lines) if line.startswith("  for"))
    assert lines[loop - 1].strip() == expected[0]


def test_an_alias_is_the_same_data() -> None:
    text = PROGRAM.replace("restrict ", "").format("", "", "err += w[0];")
    tu = unit(text)
    at = tu.source.index(b"#pragma")
    (changed,) = [applied(tu.source, a.edits) for a in features.refactorings(tu, at, at) if HOIST in a.title]
    assert b"#pragma omp target update from(y[0:n])\n    err += w[0];" in changed


def test_a_loop_in_a_parallel_construct_is_left_alone() -> None:
    text = PROGRAM.format("", "", "").replace("  for (int t", "#pragma omp parallel for\n  for (int t")
    tu = unit(text)
    at = tu.source.index(b"#pragma omp target")
    assert not [a for a in features.refactorings(tu, at, at) if HOIST in a.title]


def test_either_of_two_loops_can_be_chosen() -> None:
    text = "void f(int n, float *x) {\n for (int s = 0; s < n; s++) {\n  for (int t = 0; t < n; t++) {\n"
    text += "#pragma omp target map(x[0:n])\n   for (int i = 0; i < n; i++) x[i]++;\n  }\n }\n}\n"
    tu = unit(text)
    at = text.index("#")
    titles = [a.title for a in features.refactorings(tu, at, at) if HOIST in a.title]
    assert titles == [f"{HOIST} (line 3)", f"{HOIST} (line 2)"]


MACROS = """\
#define C 512
void f(int steps, double *x, double *y) {
  for (int t = 0; t < steps; t++) {
    #pragma omp target map(tofrom: x[0:C], y[0:C])
    for (int i = 0; i < C; i++) y[i] += x[i];
  }
}
"""


def test_macros_in_list_items_stay() -> None:
    tu = unit(MACROS)
    at = tu.source.index(b"#pragma")
    after = offered(tu, TITLE, at)
    assert after is not None
    assert b"#pragma omp target map(to: x[0:C]) map(tofrom: y[0:C])\n" in after
    hoisted = next(a for a in features.refactorings(tu, at, at) if HOIST in a.title)
    assert b"#pragma omp target data map(to: x[0:C]) map(tofrom: y[0:C])\n  for" in applied(
        tu.source, hoisted.otherwise
    )


HOIST_REFUSED = [
    ("x++;", "", "it, or its section, is not the same before the loop"),
    ("outside();", "", "may use the data"),
    ("", "nowait", "a region has `nowait`"),
    ("if (t > 9) return;", "", "`return` leaves the loop"),
]


@pytest.mark.parametrize(("before", "clause", "expected"), HOIST_REFUSED, ids=[h[2] for h in HOIST_REFUSED])
def test_why_nothing_is_hoisted_is_said(before: str, clause: str, expected: str) -> None:
    text = PROGRAM.format(before, "", "").replace(" map(tofrom: y[0:n])", f" {clause}").replace("y[i] +=", "a[0] +=")
    tu = unit(text.replace("double a[10]", "double a[10], b[10]"))
    at = tu.source.index(b"#pragma omp target map(to: x[0:n])")
    (action,) = [a for a in features.refactorings(tu, at, at) if HOIST in a.title]
    assert expected in (action.refused or dict(action.left)["x"])


WRITTEN = """
void *malloc(unsigned long);
double f(int n) {
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    double *c = malloc(n * sizeof *c), *d = malloc(n * sizeof *d);
    int last;
    for (int i = 0; i < n; i++) b[i] = c[i] = d[i] = i;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) { a[i] = 2 * b[i]; c[i] += 1; }
    #pragma omp target teams distribute parallel for
    for (int i = 1; i < n; i++) d[i] = 1;
    #pragma omp target
    last = 7;
    return last + a[7] + c[7] + d[7];
}
"""


def test_quick_fixes_and_refactorings_map_alike() -> None:
    """`from` for what is only written, all of it; and then no rule objects."""
    tu = unit(WRITTEN)
    edits = [fix.edits[0] for d in check(tu) for fix in d.fixes if fix.edits and fix.edits[0].text.startswith(" map(")]
    assert [edit.text.strip() for edit in edits] == [
        "map(from: a[0:n])", "map(to: b[0:n])", "map(tofrom: c[0:n])", "map(from: d[1:n - 1])", "map(from: last)",
    ]  # fmt: skip
    for edit in edits:
        assert edit.text.strip().encode() in (offered(tu, TITLE, edit.where.start - 1) or b"")
    assert not check(unit(applied(tu.source, edits).decode()))
