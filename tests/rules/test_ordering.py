"""What runs beside what: tasks, asynchronous regions, threads between barriers; a few statements of a body a case.

Each case is the end of the program below and the rules that speak about it, with `?` for a hint.
"""

from __future__ import annotations

import pytest
from drawing import findings
from together import together

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import check
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

ORDERING = (
    "async-result-used", "async-unordered", "barrier-not-reached", "depend-mismatch", "mapped-while-changed",
    "missing-barrier", "task-result-used", "tasks-unordered", "teams-unordered", "variable-outlived",
)  # fmt: skip
HEAD = """
int printf(const char *, ...); void free(void *); void unknown(int *); int omp_get_thread_num(void);
typedef struct { void *p; } omp_lock_t; void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *);
struct s { int lo, hi; } st;
int g, h, tp;
#pragma omp threadprivate(tp)
omp_lock_t lock;
volatile int flag;
static void set(int *p, int v) { *p = v; }
static void when(int if_so, int *p) { if (if_so) *p = 2; }
static int at(const int *p, int i) { return p[i]; }
static void wait_here(void) {
    #pragma omp taskwait
}
static void start(int *p, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: p[0:n]) nowait
    for (int i = 0; i < n; i++) p[i] += 1;
}
void f(int n, int m, int *a, int *b, int (*c)[64]) {
    int i, x = 0, y = 0;
"""
P = "\n#pragma omp parallel\n"
S = f"{P}#pragma omp single\n"
T = "\n#pragma omp task "
W = "\n#pragma omp taskwait\n"
ASYNC = "\n#pragma omp target map(tofrom: a[0:n]) nowait\nfor (int j = 0; j < n; j++) a[j] = j;\n"
CASES = [
    # --- under conditions: what is said, not where
    (f"if (n) {{ {T}shared(x)\nx = 1; }} if (!n) x = 2; {W}", ""),
    (f"if (n) {{ {T}shared(x)\nx = 1; }} if (n) x = 2; {W}", "task-result-used"),
    (f"if (n > 3) {{ {T}shared(x)\nx = 1; }} if (n > 2) x = 2; {W}", "task-result-used"),
    (f"if (n > 3) {{ {T}shared(x)\nx = 1; }} if (m > 2) x = 2; {W}", ""),
    (f"if (n == 0) {{ {T}shared(x)\nx = 1; }} if (n == 1) {{ {T}shared(x)\nx = 2; }} {W}", ""),
    (f"if (n == 0) {{ {T}shared(x)\nx = 1; }} if (n < 1 && 0 <= n) {{ {T}shared(x)\nx = 2; }} {W}", "tasks-unordered"),
    (f"if (n == 0) {{ {T}shared(x)\nx = 1; }} n++; if (n == 0) x = 2; {W}", ""),
    (f"if (g) {{ {T}shared(x)\nx = 1; }} unknown(b); if (g) x = 2; {W}", ""),
    (f"{T}shared(x)\nx = 1; when(n, &x); {W}", "task-result-used"),
    (f"if (n) {{ {T}shared(x)\nx = 1; }} when(n, &x); {W}", "task-result-used"),
    (f"if (n) {{ {T}shared(x)\nx = 1; }} when(!n, &x); {W}", ""),
    (f"if (n == 2) {{ {T}shared(x)\nx = 1; }} when(n - 1, &x); {W}", "task-result-used"),
    (f"if (n == 2) {{ {T}shared(x)\nx = 1; }} when(n - 2, &x); {W}", ""),
    # --- tasks of a loop's iterations: the elements meet as those of a parallel loop do
    (f"{S}for (int i = 0; i < n; i++) {T}\na[i] = a[n - 1 - i] + 1;", "tasks-unordered"),
    (f"{S}for (int i = 0; i < n; i++) {T}\na[2 * i] = a[i + 1] + 1;", "tasks-unordered"),
    (f"{S}for (int i = 0; i < n; i++) {T}\na[2 * i] = a[2 * i + 1] + 1;", ""),
    (f"{S}for (int i = 0; i < n; i++) {T}\na[i] = a[n + i] + 1;", ""),
    (f"{S}for (int i = 0; i < n; i++) {T}\na[i] = a[m - i] + 1;", ""),
    (f"{S}for (int i = 0; i < n; i++) {T}\na[b[i] % 8]++;", "tasks-unordered"),
    (f"{S}for (int i = 0; i < n; i++) {T}\na[b[i]] = i;", ""),
    (f"{S}for (int i = 0; i < n; i++) {T}\nfor (int j = 0; j < m; j++) a[i * m + j] = j;", ""),
    (f"{S}for (int i = 0; i < n; i++) {T}\nfor (int j = 0; j <= m; j++) a[i * m + j] = j;", "tasks-unordered"),
    (f"{S}for (int i = n - 1; i >= 0; i--) {T}\na[i] = a[n - 1 - i] + 1;", "tasks-unordered"),
    # in one iteration, too: tried out for several sizes; a loop may run once only
    (f"{T}\nfor (int j = 0; j < n; j++) a[j] = 1;\n x = a[n / 2]; {W}", "task-result-used"),
    (f"{T}\nfor (int j = 0; j < n; j += 2) a[j] = 1;\n x = a[0]; {W}", "task-result-used"),
    (f"{T}\nfor (int j = 0; j < n; j += 2) a[j] = 1;\n x = a[1]; {W}", ""),
    (f"{T}\nfor (int j = 0; j < n; j++) a[j] = 1;\n x = a[5]; {W}", ""),
    (f"{T}\nfor (int j = 0; j < n; j++) a[2 * j] = 1;\n for (int j = 0; j < n; j++) a[2 * j + 1] = 1; {W}", ""),
    # what the creator does later: only elements of later iterations
    (f"{S}for (int i = 0; i < n; i++) {{ {T}\na[i] = 1;\n b[i] = a[i / 2]; }}", "task-result-used"),
    (f"{S}for (int i = 1; i < n; i++) {{ {T}\na[i] = 1;\n b[i] = a[2 * i]; }}", ""),
    (f"{S}for (int i = n - 1; i > 0; i--) {{ {T}\na[i] = 1;\n b[i] = a[2 * i]; }}", "task-result-used"),
    # the device is another one in each iteration, its memory is, too; a section may begin anywhere
    ("for (int d = 0; d < n; d++) {\n#pragma omp target update device(d) to(a[2 * d:3]) nowait\n}", ""),
    ("for (int d = 0; d < n; d++) {\n#pragma omp target update device(0) to(a[2 * d:3]) nowait\n}", "async-unordered"),
    ("for (int d = 0; d < n; d++) {\n#pragma omp target update device(0) to(a[2 * d:m]) nowait\n}", ""),
    ("for (int d = 0; d < n; d++) {\n#pragma omp target update to(a[d * m:m + 1]) nowait\n}", "async-unordered"),
    ("for (int d = 0; d < n; d++) {\n#pragma omp target update to(a[d * m:m]) nowait\n}", ""),
    ("for (int d = 0; d < n; d++) { int k = at(b, d);\n#pragma omp target update from(a[k:m]) nowait\n}", ""),
    # --- tasks and their creator
    (f"{T}shared(x)\nx = 1; y = x; {W}", "task-result-used"),
    (f"{T}shared(x)\nx = 1; {W} y = x;", ""),
    (f"{T}shared(x)\ny = x; {W}", ""),
    (f"{T}shared(x)\ny = x; x = 1; {W}", "task-result-used"),
    (f"{T}shared(x)\nx = 1; set(&x, 2); {W}", "task-result-used"),
    (f"{T}shared(x)\nset(&x, 1); y = x; {W}", "task-result-used"),
    (f"{T}shared(x)\nx = 1; wait_here(); y = x;", ""),
    (f"{T}shared(x)\nx = 1; unknown(b); y = x; {W}", "task-result-used?"),
    (f"{T}shared(x)\nx = 1; if (n) {{ {W} }} y = x; {W}", ""),
    (f"{T}shared(x) if(0)\nx = 1; y = x;", ""),
    (f"{T}shared(x) if(n > 9)\nx = 1; y = x; {W}", "task-result-used?"),
    (f"{T}\ng = 1; if (m) printf(\"%d\", g); {W}", "task-result-used"),
    (f"{T}\ntp = 1; tp = 2; {W}", ""),
    (f"{T}\nflag = 1; while (!flag) ; {W}", ""),
    (f"{T}\na[n] = 1; y = a[n]; {W}", "task-result-used"),
    (f"{T}\na[n] = 1; y = a[n + 1]; {W}", ""),
    (f"{T}\na[n] = 1; y = b[n]; {W}", ""),
    (f"{T}\na[0] = 1; y = at(a, 0); {W}", "task-result-used"),
    (f"{T}\na[0] = 1; y = at(a, 1); {W}", ""),
    (f"{T}\nst.lo = 1; y = st.hi; {W}", ""),
    (f"{T}\nst.lo = 1; y = st.lo; {W}", "task-result-used"),
    (f"{T}\nfor (int k = 0; k < n; k++) a[k] = 0; y = a[n - 1]; {W}", "task-result-used"),
    (f"{T}\nfor (int k = 0; k < n; k++) a[k] = 0; y = a[n]; {W}", ""),
    (f"{T}\nfor (int k = 0; k < n; k++) a[k] = 0; for (i = n; i < 2 * n; i++) a[i] = 1; {W}", ""),
    (f"{T}\n{{ int *p = a; p[0] = 1; }} y = a[0]; {W}", "task-result-used"),
    (f"{S} {{ {T}\nx = 1; }} y = x;", ""),
    (f"{P} {{ {T}shared(tp)\nunknown(b); }}", ""),
    (f"\n#pragma omp taskgroup\n{{ {T}shared(x)\n{{ {T}shared(x)\nx = 1; }} }} y = x;", ""),
    (f"{T}\n{{ {T}\ng = 1; }} {W} y = g;", "task-result-used"),
    ("\n#pragma omp taskloop\nfor (i = 0; i < n; i++) a[i] = i; y = a[0];", ""),
    (f"\n#pragma omp taskloop nogroup\nfor (i = 0; i < n; i++) a[i] = i; y = a[0]; {W}", "task-result-used"),
    (f"while (x < n) {{ {T}\ng = 1; x += 1; {W} }} y = g;", ""),
    (f"for (i = 0; i < n; i++) {{ y = g; {T}\ng = 1; }} {W}", "task-result-used tasks-unordered"),
    # --- tasks and tasks
    (f"{S} {{ {T}\nx = 1; {T}\nx = 2; }}", "tasks-unordered"),
    (f"{S} {{ {T}depend(out: x)\nx = 1; {T}\nx = 2; }}", "tasks-unordered"),
    (f"{S} {{ {T}depend(out: x)\nx = 1; {T}depend(in: x)\ny = x; }}", ""),
    (f"{S} {{ {T}depend(in: x)\nx = 1; {T}depend(in: x)\ny = x; }}", "depend-mismatch"),
    (f"{S} {{ {T}depend(out: x)\nx = 1; {T}depend(out: y)\ny = x; }}", "depend-mismatch"),
    (f"{S} {{ {T}depend(out: a[0])\ng = 1; {T}depend(in: a[n])\ny = g; }}", ""),
    (f"{S} {{ {T}depend(inoutset: x)\nx = 1; {T}depend(inoutset: x)\nx = 2; }}", ""),
    (f"{S} {{ {T}shared(x) transparent\nx = 1; {T}\nx = 2; }}", ""),
    (f"{S} for (i = 0; i < n; i++) {{ {T}firstprivate(i)\na[i] = a[i] + 1; }}", ""),
    (f"{S} for (int k = 1; k < n; k++) {{ {T}\na[k] = a[k - 1]; }}", "tasks-unordered"),
    (f"{S} for (int k = 0; k < n; k++) {{ {T}depend(inout: a[0])\na[0] += k; }}", ""),
    (f"{S} for (int k = 0; k < n; k += 8) {{ {T}\nfor (int j = k; j < k + 8; j++) a[j] = 1; }}", ""),
    (f"{S} for (int k = 0; k < n; k += 8) {{ {T}\nfor (int j = k; j <= k + 8; j++) a[j] = 1; }}", "tasks-unordered"),
    (f"{S} for (int k = 0; k < n; k++) {{ {T}\n{{ omp_set_lock(&lock); x++; omp_unset_lock(&lock); }} }}", ""),
    (f"{S} for (int k = 0; k < n; k++) {{ {T}\n{{ {chr(10)}#pragma omp critical\nx++; }} }}", ""),
    (f"{P} {{ {T}\nx++; }}", "tasks-unordered"),
    (f"{P} {{ {T}\nx = 1; }}", "tasks-unordered?"),
    (f"{P} {{ {T}\nc[omp_get_thread_num()][0] += 1; }}", ""),
    # --- asynchronous operations and the host
    (f"{ASYNC} y = a[0]; {W}", "async-result-used"),
    (f"{ASYNC} {W} y = a[0];", ""),
    (f"{ASYNC} y = a[n]; {W}", ""),
    (f"{ASYNC} free(a); {W}", "async-result-used"),
    (f"start(a, n); y = a[0]; {W}", "async-result-used"),
    (f"start(a, n); {W} y = a[0];", ""),
    (f"start(a, n); y = b[0]; {W}", ""),
    (f"\n#pragma omp target enter data map(to: a[0:n])\n{ASYNC} y = a[0]; {W}", ""),
    # what is allocated is present, too: no region copies it; each chunk's own element orders the chunk
    (
        "for (int k = 0; k < 4; k++) {\n#pragma omp target nowait depend(inout: b[k]) map(a[0:64])\n"
        f"for (int j = k * 16; j < k * 16 + 16; j++) a[j] += 1;\n}} {W}",
        "depend-mismatch",
    ),
    (
        "\n#pragma omp target enter data map(alloc: a[0:64])\nfor (int k = 0; k < 4; k++) {\n"
        "#pragma omp target nowait depend(inout: b[k]) map(a[0:64])\n"
        f"for (int j = k * 16; j < k * 16 + 16; j++) a[j] += 1;\n}} {W}",
        "",
    ),
    (f"{ASYNC} {ASYNC} {W}", "async-unordered"),
    (f"{ASYNC} {W} {ASYNC} {W}", ""),
    (f"\n#pragma omp target update to(a[0:n]) nowait\na[0] = 1; {W}", "async-result-used"),
    (f"\n#pragma omp target update to(a[0:n]) nowait\ny = a[0]; {W}", ""),
    (f"\n#pragma omp target update from(a[0:n]) nowait\ny = a[n - 1]; {W}", "async-result-used"),
    ("int l[8]; \n#pragma omp target map(from: l) nowait\nl[0] = 1;", "variable-outlived"),
    (f"int *p; {S} for (i = 0; i < n; i++) {{ p = c[i]; {T}firstprivate(p)\np[0] += 1; }}", ""),
    (f"{S} {{ int own = 0; {T}shared(own)\nown = n; }}", ""),
    (f"for (i = 0; i < n; i++) {{ int own = 0; {T}shared(own)\nown = n; }} {W}", "variable-outlived"),
    # --- threads of a team
    (f"{P} {{ {chr(10)}#pragma omp masked\nx = 1; y = x; }}", "missing-barrier"),
    (f"{P} {{ {chr(10)}#pragma omp masked\nx = 1; {chr(10)}#pragma omp barrier\nb[omp_get_thread_num()] = x; }}", ""),
    (f"{P} {{ {chr(10)}#pragma omp masked\nif (n) x = 1; b[omp_get_thread_num()] = x; }}", "missing-barrier?"),
    (f"{P} {{ int own; {chr(10)}#pragma omp masked\nown = 1; own = 2; }}", ""),
    (f"{P} {{ {chr(10)}#pragma omp single nowait\nx = 1; {chr(10)}#pragma omp single\nx = 2; }}", "missing-barrier"),
    (f"{P} {{ {chr(10)}#pragma omp masked\nx = 1; {chr(10)}#pragma omp masked\nx = 2; }}", ""),
    (f"{P} {{ {chr(10)}#pragma omp for nowait\nfor (int k = 0; k < n; k++) a[k] = k;\n"
     "#pragma omp for\nfor (int k = 0; k < n; k++) b[k] = a[n - 1 - k]; }", "missing-barrier"),
    (f"{P} {{ {chr(10)}#pragma omp for schedule(dynamic) nowait\nfor (int k = 0; k < n; k++) a[k] = k;\n"
     "#pragma omp for schedule(dynamic)\nfor (int k = 0; k < n; k++) b[k] = a[k]; }", "missing-barrier"),
    (f"{P} {{ {chr(10)}#pragma omp for schedule(static, 4) nowait\nfor (int k = 0; k < n; k++) a[k] = k;\n"
     "#pragma omp for schedule(static, 4)\nfor (int k = 0; k < n; k++) b[k] = a[k]; }", ""),
    (f"{P} {{ {chr(10)}#pragma omp for reduction(+: x) nowait\nfor (int k = 0; k < n; k++) x += k;\n"
     "b[omp_get_thread_num()] = x; }", "missing-barrier"),
    ("\n#pragma omp for nowait\nfor (int k = 0; k < n; k++) a[k] = k;\nb[n] = a[0];", "missing-barrier?"),
    # --- hand-made order
    (f"{P} {{ {chr(10)}#pragma omp masked\nx = 1;\nwhile (!x) {{ {chr(10)}#pragma omp flush\n}} }}", ""),
    (f"{T}shared(x)\n{{ {chr(10)}#pragma omp atomic write\nx = 1; }} {chr(10)}#pragma omp atomic read\ny = x; {W}", ""),
    (f"for (;;) {{ {T}\ng = 1; goto out; }} out: y = g; {W}", ""),
]  # fmt: skip


ALIASES = [
    "int v[9], *q = v;{S}{ {T} depend(out: q[0])\nq[0] = 1;{T} depend(in: v[0]) shared(x)\nx = v[0]; }",
    "int v[9], *q = &v[0];{S}{ {T} depend(out: v[0])\nv[0] = 1;{T} depend(in: *q) shared(x)\nx = *q; }",
    "int *q = &x;{S}{ {T} shared(x) depend(out: x)\nx = 1;{T} depend(in: *q) shared(y)\ny = *q; }",
    "int *q = a;{S}{ {T} depend(out: q[0])\nq[0] = 1;{T} depend(in: a[0]) shared(x)\nx = a[0]; }",
]


@pytest.mark.parametrize("body", ALIASES)
def test_dependences_through_other_names_order(body: str) -> None:
    text = HEAD + body.replace("{S}", S).replace("{T}", "\n#pragma omp task") + "\n}\n"
    assert [d for d in findings(text, *ORDERING) if d.severity != "hint"] == []


@together(("body", "expected"), CASES, ids=range(len(CASES)))
def test_what_nothing_orders(body: str, expected: str) -> None:
    text = f"{HEAD}{body}\n}}\n"
    found = {f"{d.rule}{'?' if d.severity == 'hint' else ''}" for d in findings(text, *ORDERING)}
    assert found == set(expected.split()), text


LIBRARY = """
typedef unsigned long size_t; typedef struct stream FILE;
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); char *strcpy(char *, const char *);
int sprintf(char *, const char *, ...); size_t strlen(const char *); int printf(const char *, ...);
int scanf(const char *, ...); size_t fread(void *, size_t, size_t, FILE *); char *fgets(char *, int, FILE *);
struct line { char name[64]; int n; };
void f(FILE *in, int n, char *p, char *q) {
    char b[64] = ""; int r; struct line s = {""};
"""
# (what a task does, what its creator does before it waits, whether nothing orders the two)
CALLS = [
    ("memset(b, 1, 64);", "r = b[0];", True),
    ('sprintf(b, "%d", n);', "r = b[0];", True),
    ('strcpy(b, "abc");', "r = b[0];", True),
    ("fread(b, 1, 64, in);", "r = b[0];", True),
    ("fgets(b, 64, in);", "r = b[0];", True),
    ("fgets(b, 64, in);", "r = n;", False),
    ('scanf("%d", &r);', "n = r;", True),
    ('sprintf(s.name, "%d", n);', "r = s.name[0];", True),
    ('sprintf(s.name, "%d", n);', "r = s.n;", False),
    ("r = strlen(b);", "b[0] = 0;", True),
    ('printf("%s", b);', "r = b[0];", False),
    # parts of one array
    ("memcpy(&b[0], q, 4);", "memcpy(&b[4], q, 4);", False),
    ("memcpy(&b[4], q, 4);", "memcpy(&b[4], q, 4);", True),
    ("memcpy(&p[0], q, 4);", "p[8] = 0;", False),
    ("memcpy(b, q, 4);", "r = b[63];", False),
    ("memcpy(b, q, sizeof b);", "r = b[63];", True),
]


@together(("task", "creator", "clash"), CALLS, ids=[f"{t} {c}" for t, c, _ in CALLS])
def test_library_functions_touch_what_their_arguments_point_to(task: str, creator: str, clash: bool) -> None:
    found = findings(f"{LIBRARY}{T}shared(b, r, s)\n{task} {creator} {W}}}\n", *ORDERING)
    assert [d.severity for d in found] == (["warning"] if clash else [])


TASKS = "int g;\nint f(void) {\n#pragma omp task\ng = 1;\nreturn g;\n}\n"
ALONE = "int main(void) { return f(); }\n"
TOGETHER = "int main(void) {\nint r;\n#pragma omp parallel\n#pragma omp single\nr = f();\nreturn r;\n}\n"


def test_a_function_is_looked_at_again_when_it_is_called_from_elsewhere() -> None:
    analyzer = Analyzer()
    for callers, expected in [("", 1), (ALONE, 0), (TOGETHER, 1), (ALONE, 0), ("", 1)]:
        tu = analyzer.analyze("x.c", (TASKS + callers).encode(), EMPTY_SNAPSHOT, Settings(select=ORDERING))
        assert len(check(tu)) == expected, callers


@pytest.mark.parametrize("count", [30, 120])
@pytest.mark.thorough
def test_long_programs_are_looked_at_in_time(count: int) -> None:
    """Calls in a ring and in a row, many tasks, deep nesting: nothing is raised, and not all pairs are reported."""
    task = "\n#pragma omp task depend(in: g)\n"
    ring = "".join(f"int r{i}(int *x) {{{task}x[0] = r{(i + 1) % count}(x); return x[0]; }}\n" for i in range(count))
    row = "".join(f"int s{i}(int *x) {{{task}x[0] = s{i - 1}(x); return x[0]; }}\n" for i in range(1, count))
    many = f"void m(void) {{\n#pragma omp parallel\n{{ {f'{task}g++;' * count} }}\n}}\n"
    deep = f"void d(int n) {{{task}{'if (n) {' * count} g++; {'}' * count} }}\n"
    found = findings(f"int g;\n{ring}{row}{many}{deep}", *ORDERING)
    assert 0 < len(found) < 5 * count
