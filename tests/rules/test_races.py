"""Races: what runs at the same time, what meets, and what keeps accesses apart; one line of a body a case.

Each case is a statement of the function below and the rules that speak about it, with `?` for a hint.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from drawing import findings
from together import together

from ompls.analysis.dataenv.symbolic import Atom, Poly
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import Node, Symbol
from ompls.analysis.rules.support.races import conditions, trial

RACES = (
    "missing-reduction", "race-on-shared-variable", "loop-carried-dependence", "atomic-mixed-with-plain", "wrong-lock",
    "unprotected-access", "race-between-teams", "race-in-simd", "race-between-sections", "race-through-index",
)  # fmt: skip
HEAD = """
typedef struct { void *p; } omp_lock_t;
void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *); int omp_test_lock(omp_lock_t *);
int omp_get_thread_num(void); int omp_get_num_threads(void); int omp_get_team_num(void); int rand(void);
void own_lock(void); void own_unlock(void); int *get(int);
struct s { int m, k; int *q; } st;
int g, flags[8];
omp_lock_t l1, l2;
static void bump(int *p) { *p += 1; }
static void set(int *p, int i, int v) { p[i] = v; }
static void above(int *p, int c) { if (c > 3) *p += 1; }
static void above_at(int *p, const int *c, int k) { if (c[k] > 3) *p += 1; }
static void unlike(int *p, double c, double d) { if (c != d) *p += 1; }
static void only(int *p, int k, int l) { if (k == l) *p += 1; }
static void kept(int *p, int c, int v) { if (c > 3) *p = v; }
static void kept_twice(int *p, double c, int v) { double d = 2 * c; if (d > 3) *p = v; }
static int twice(int v) { int own = v; own *= 2; return own; }
static int summed(int *p) {
    #pragma omp for reduction(+: g)
    for (int i = 0; i < 9; i++) g += p[i];
    return g;
}
static void meet_all(void) {
    #pragma omp barrier
}
void f(int n, int m, int *a, int *b, int *idx, int (*c)[64], struct s *sp, omp_lock_t *locks) {
    int i, j, t, x[100];
"""
P = "\n#pragma omp parallel"
FOR = f"{P} for\nfor (i = 0; i < n; i++)"
CASES = [
    # --- which elements meet
    (f"{FOR} a[i] = b[i];", ""),
    (f"{FOR} a[i] = a[i + 1];", "loop-carried-dependence"),
    (f"{FOR} a[n - 1 - i] = i;", ""),
    (f"{FOR} a[i] = a[n - 1 - i];", "loop-carried-dependence"),
    (f"{FOR} a[i] = a[i + n];", ""),
    (f"{FOR} a[i] = a[i + m];", ""),
    (f"{FOR} a[i] = a[m];", ""),
    (f"{FOR} a[i] = a[2];", "loop-carried-dependence"),
    (f"{FOR} a[2 * i] = a[2 * i + 1];", ""),
    (f"{FOR} a[2 * i] = a[2 * i + 2];", "loop-carried-dependence"),
    (f"{FOR} a[4 * i] = a[6 * i + 1];", ""),
    (f"{FOR} a[3 * i] = a[5 * i];", "loop-carried-dependence"),
    (f"{FOR} a[i / 2] = i;", "loop-carried-dependence"),
    (f"{FOR} a[i % 4] = i;", "loop-carried-dependence"),
    (f"{FOR} a[i * i] = i;", ""),
    (f"{FOR} a[idx[i]] = i;", "race-through-index?"),
    # ... in one iteration at least of a loop around: the second, or the first
    (f"for (t = n - 1; t >= 0; t--) {{{P} for\nfor (i = 0; i <= t; i++) a[i] -= a[t]; }}", "loop-carried-dependence"),
    (f"for (t = n - 1; t >= 0; t--) {{{P} for\nfor (i = 0; i < t; i++) a[i] -= a[t]; }}", ""),
    (f"for (t = 0; t < n; t++) {{{P} for\nfor (i = 0; i <= t; i++) a[(i + 1) * n + t] = a[i * n + t]; }}",
     "loop-carried-dependence"),
    (f"for (t = 0; t < n; t++) {{{P} for\nfor (i = 0; i <= t; i++) a[(i + 1) * n + t] = a[i * n + t + 1]; }}", ""),
    (f"for (t = 0; t < 2; t++) {{{P} for\nfor (i = 1; i < n; i++)\nfor (int q = 0; q < n / 2; q++)\n"
     "c[i][2 * q + (i & 1) * t] = c[i - 1][2 * q + (i & 1) * t]; }", "loop-carried-dependence"),
    (f"for (t = 0; t < 2; t++) {{{P} for\nfor (i = 1; i < n; i++)\nfor (int q = 0; q < n / 2; q++)\n"
     "c[i][2 * q + ((i + t) & 1)] = c[i - 1][2 * q + ((i + t) & 1)]; }", ""),
    (f"for (t = 0; t < n; t++) {{{P} for\nfor (i = 0; i < m; i++) a[i] = a[i + n]; }}", ""),
    (f"{FOR} for (j = 0; j < m; j++) a[i * m + j] = 0;", "race-on-shared-variable"),
    (f"{FOR} for (int k = 0; k < m; k++) a[i * m + k] = 0;", ""),
    (f"{FOR} for (int k = 0; k <= m; k++) a[i * m + k] = k + i;", "loop-carried-dependence"),
    (f"{FOR} for (int k = 0; k < n; k++) a[i * m + k] = k + i;", ""),
    (f"{FOR} for (int k = 0; k < i; k++) c[i][k] = c[k][i];", ""),
    (f"{FOR} for (int k = 0; k < n; k++) c[i][k] = c[k][i];", "loop-carried-dependence"),
    (f"{FOR} for (int k = i * 8; k < i * 8 + 8; k++) a[k] = 0;", ""),
    (f"{FOR} for (int k = i * 8; k < i * 8 + 9; k++) a[k] = i;", "loop-carried-dependence"),
    (f"{FOR} for (int k = 0; k < 8; k++) b[k] = a[i];", "race-on-shared-variable"),
    (f"{P} for collapse(2)\nfor (i = 0; i < n; i++) for (j = 0; j < m; j++) c[i][j] = c[i][j] + 1;", ""),
    (f"{P} for collapse(2)\nfor (i = 0; i < n; i++) for (j = 1; j < m; j++) c[i][j] = c[i][j - 1];",
     "loop-carried-dependence"),
    (f"{P} for collapse(2)\nfor (i = 0; i < n; i++) for (j = 0; j < m; j++) a[i] += c[i][j];", "missing-reduction"),
    (f"{P} for\nfor (i = 0; i < 4; i++) a[i] = a[i + 4];", ""),
    (f"{P} for\nfor (i = 0; i < 5; i++) a[i] = a[i + 4];", "loop-carried-dependence"),
    (f"{P} for\nfor (i = 0; i < n; i += 2) a[i] = a[i + 1];", ""),
    (f"{P} for\nfor (i = n - 1; i > 0; i--) a[i] = a[i - 1];", "loop-carried-dependence"),
    (f"{FOR} {{ int *p = a + i; p[1] = p[0]; }}", "loop-carried-dependence"),
    (f"{FOR} {{ int k = i + 1; a[k] = a[k - 1]; }}", "loop-carried-dependence"),
    (f"{FOR} {{ int k = rand(); a[k] = a[k + 1]; }}", ""),
    (f"int *p = a; int *q = p + 1;{FOR} q[i] = p[i];", "loop-carried-dependence"),
    (f"{FOR} sp[i].m = sp[i].k;", ""),
    (f"{FOR} sp[i].m = sp[i + 1].m;", "loop-carried-dependence"),
    (f"{FOR} set(a, i, i);", ""),
    (f"{FOR} set(a, 0, i);", "race-on-shared-variable?"),
    (f"{FOR} set(a + i, 1, a[i]);", "loop-carried-dependence"),
    (f"{FOR} a[i] = twice(i);", ""),
    (f"double v[n][m];{FOR} for (int k = 1; k < m; k++) v[i][k] = v[i][k - 1];", ""),
    (f"double v[n][m];{FOR} for (int k = 0; k < m; k++) v[i][k] = v[i][k - 1];", "loop-carried-dependence"),
    (f"double v[n][m];{FOR} for (int k = 0; k < m; k++) if (k > 0) v[i][k] = v[i][k - 1];", ""),
    # --- conditions
    (f"{FOR} if (i == 0) a[0] = 1;", ""),
    (f"{FOR} if (i > 0) a[0] = i;", "race-on-shared-variable"),
    (f"{FOR} if (b[i]) a[0] = i;", "race-on-shared-variable?"),
    (f"{FOR} if (b[i]) a[0]++;", "missing-reduction"),
    (f"{FOR} if (b[i] != i) g++;", "missing-reduction?"),
    (f"{FOR} if (m) a[0]++;", "missing-reduction"),
    (f"{FOR} {{ if (m) a[0] = b[i]; else b[0] = a[0]; }}", "race-on-shared-variable race-on-shared-variable?"),
    (f"{FOR} if (i % 2 == 0) a[i] = a[i + 1];", ""),
    (f"{FOR} if (b[i]) a[i] = a[i + 1];", "loop-carried-dependence?"),
    (f"{FOR} {{ if (i >= n - 1) continue; a[i] = a[i + 1]; }}", "loop-carried-dependence"),
    (f"{FOR} {{ if (i < 1) continue; a[i] = a[0]; }}", ""),
    # --- scalars, private and shared
    (f"{FOR} {{ t = a[i]; b[i] = t; }}", "race-on-shared-variable"),
    (f"{P} for private(t)\nfor (i = 0; i < n; i++) {{ t = a[i]; b[i] = t; }}", ""),
    (f"{P} for firstprivate(t)\nfor (i = 0; i < n; i++) {{ t += a[i]; b[i] = t; }}", ""),
    (f"{P} for default(private) shared(a, b, n)\nfor (i = 0; i < n; i++) {{ t = a[i]; b[i] = t; }}", ""),
    (f"{FOR} g = 1;", ""),
    (f"{FOR} g = i;", "race-on-shared-variable"),
    (f"{FOR} g = g + a[i];", "missing-reduction"),
    (f"{FOR} g = a[i] > g ? a[i] : g;", "race-on-shared-variable"),
    (f"{FOR} if (a[i] > g) g = a[i];", "missing-reduction"),
    (f"{FOR} if (a[i] > g) g = i;", "race-on-shared-variable"),
    (f"{P} for reduction(max: g)\nfor (i = 0; i < n; i++) if (a[i] > g) g = a[i];", ""),
    (f"{FOR} bump(&g);", "missing-reduction"),
    (f"{FOR} {{ int own = 0; bump(&own); a[i] = own; }}", ""),
    # --- a condition on data is the same in a called function as in place
    (f"{FOR} if (b[i] > 3) g += 1;", "missing-reduction"),
    (f"{FOR} {{ int own = b[i]; if (own > 3) g += 1; }}", "missing-reduction"),
    (f"{FOR} above(&g, b[i]);", "missing-reduction"),
    (f"{FOR} above(&g, i);", "missing-reduction"),
    (f"{FOR} above_at(&g, b, i);", "missing-reduction"),
    (f"{FOR} if (a[i] != b[i]) g += 1;", "missing-reduction?"),  # it counts what does not happen
    (f"{FOR} unlike(&g, a[i], b[i]);", "missing-reduction?"),
    (f"{FOR} only(&g, i, m);", ""),
    (f"{FOR} {{ int own = b[i]; if (own > 3) g = i; }}", "race-on-shared-variable?"),
    (f"{FOR} kept(&g, b[i], i);", "race-on-shared-variable?"),
    (f"{FOR} kept_twice(&g, b[i], i);", "race-on-shared-variable?"),
    (f"{FOR} st.m += i;", "missing-reduction"),
    # storage that each thread has got for itself, or all together
    (
        f"{P} private(j)\n{{\nint *q = get(n);\n#pragma omp for\n"
        "for (int k = 0; k < n; k++) for (j = 0; j < m; j++) q[3] += k; }",
        "",
    ),
    (
        f"int *q;{P} private(q, j)\n{{\n#pragma omp single copyprivate(q)\nq = get(n);\n#pragma omp for\n"
        "for (int k = 0; k < n; k++) for (j = 0; j < m; j++) q[j] += k; }",
        "missing-reduction",
    ),
    (
        f"int *q;{P} private(j)\n{{\n#pragma omp single\nq = get(n);\n#pragma omp for\n"
        "for (int k = 0; k < n; k++) for (j = 0; j < m; j++) q[j] += k; }",
        "missing-reduction",
    ),
    (f"{P} for reduction(+: a[0:4])\nfor (i = 0; i < n; i++) a[i % 4] += i;", ""),
    # --- who runs at the same time
    ("for (i = 0; i < n; i++) g += i;", ""),
    ("\n#pragma omp for\nfor (i = 0; i < n; i++) g += i;", "missing-reduction?"),
    ("\n#pragma omp for\nfor (i = 0; i < n; i++) t += i;", ""),
    ("\n#pragma omp target map(g)\nfor (i = 0; i < n; i++) g += i;", ""),
    ("\n#pragma omp target teams distribute map(g)\nfor (i = 0; i < n; i++) g += i;", "missing-reduction"),
    ("\n#pragma omp target teams distribute num_teams(1) map(g)\nfor (i = 0; i < n; i++) g += i;", ""),
    (f"{P} for num_threads(1)\nfor (i = 0; i < n; i++) g += i;", ""),
    (f"{P} for if(0)\nfor (i = 0; i < n; i++) g += i;", ""),
    (f"{P} for if(m)\nfor (i = 0; i < n; i++) g += i;", "missing-reduction"),
    (f"{P}\ng++;", "missing-reduction"),
    (f"{P}\n{{\n#pragma omp single\ng++;\n}}", ""),
    (f"{P}\n{{\n#pragma omp masked\ng++;\n}}", ""),
    (f"{P}\n{{ int own = 1; own++; }}", ""),
    (f"{P}\n{{\n#pragma omp for\nfor (i = 0; i < n; i++) a[i] = 0;\n}}", ""),
    (f"{P}\n{{ a[omp_get_thread_num()] = 1; }}", ""),
    (f"{P}\n{{ a[omp_get_thread_num()] = a[omp_get_thread_num() + 1]; }}", "race-on-shared-variable"),
    (f"{P}\nif (omp_get_thread_num() == 0) g++;", ""),
    (f"{P}\nif (omp_get_thread_num() == 0) g = rand(); else a[omp_get_thread_num()] = g;", "race-on-shared-variable"),
    (f"{P}\nif (omp_get_thread_num() == omp_get_num_threads() - 1) g++;", ""),
    (f"{P}\nfor (int k = 0; k < n; k++) a[k] = k;", "race-on-shared-variable?"),
    (f"{P}\nfor (int k = 0; k < n; k++) a[k] += k;", "race-on-shared-variable"),
    ("\n#pragma omp target teams map(tofrom: g)\ng += 1;", "missing-reduction"),
    ("\n#pragma omp target teams map(tofrom: g)\nif (omp_get_team_num() == 0) g += 1;", ""),
    (f"{P} loop\nfor (i = 1; i < n; i++) a[i] = a[i - 1];", "loop-carried-dependence"),
    (f"{P}\n{{\n#pragma omp single\n{{\n#pragma omp taskloop\nfor (i = 1; i < n; i++) a[i] = a[i - 1];\n}} }}",
     "loop-carried-dependence"),
    ("\n#pragma omp simd\nfor (i = 1; i < n; i++) a[i] = a[i - 1];", "race-in-simd"),
    ("\n#pragma omp simd safelen(4)\nfor (i = 4; i < n; i++) a[i] = a[i - 4];", ""),
    ("\n#pragma omp simd safelen(4)\nfor (i = 4; i < n; i++) a[i] = a[i - 3];", "race-in-simd"),
    ("\n#pragma omp simd\nfor (i = 0; i < n - 1; i++) a[i] = a[i + 1];", ""),
    ("\n#pragma omp simd\nfor (i = 0; i < n; i++) g += a[i];", "missing-reduction?"),
    # --- what keeps them apart
    (f"{FOR} {{\n#pragma omp atomic\ng += i;\n}}", ""),
    (f"{FOR} {{\n#pragma omp critical\ng += i;\n}}", ""),
    (f"{FOR} {{\n#pragma omp critical(x)\ng += i;\n#pragma omp critical(y)\ng += i;\n}}", "wrong-lock"),
    (f"{FOR} {{\n#pragma omp critical\ng += i;\n g -= 1; }}", "unprotected-access"),
    (f"{FOR} {{\n#pragma omp atomic\ng += i;\n a[i] = g; }}", "atomic-mixed-with-plain"),
    (f"{FOR} {{\n#pragma omp atomic\ng += i;\n#pragma omp atomic read\nt = g;\n}}", "race-on-shared-variable"),
    (f"{FOR} if (!g) {{\n#pragma omp critical\nif (!g) g = 1; }}", "unprotected-access?"),
    (f"{FOR} if (!g) {{\n#pragma omp critical\nif (g == 0) g = 1; }}", "unprotected-access?"),
    (f"{FOR} if (!g) {{\n#pragma omp critical\nif (b[i]) g = 1; }}", "unprotected-access"),
    (f"{FOR} {{ omp_set_lock(&l1); g += i; omp_unset_lock(&l1); }}", ""),
    (f"{FOR} {{ omp_set_lock(&l1); g += i; omp_unset_lock(&l1); g++; }}", "unprotected-access"),
    (f"{FOR} {{ omp_set_lock(&l1); g += i; omp_unset_lock(&l1); omp_set_lock(&l2); g += i; omp_unset_lock(&l2); }}",
     "wrong-lock"),
    (f"{FOR} {{ omp_set_lock(&locks[idx[i]]); a[idx[i]]++; omp_unset_lock(&locks[idx[i]]); }}", ""),
    (f"{P}\ng = summed(a);", "race-on-shared-variable?"),
    (f"{FOR} {{ own_lock(); g += i; own_unlock(); }}", "missing-reduction?"),
    (f"{FOR} {{ if (g) continue; if (a[i] == m) g = 1; }}", "race-on-shared-variable?"),
    (f"{P} for schedule(static, 1)\nfor (i = 0; i < n; i++) a[i % 4] += i;", "missing-reduction?"),
    ("\n#pragma omp target teams distribute map(g)\nfor (i = 0; i < n; i++) {\n#pragma omp critical\ng += i;\n}",
     "race-between-teams"),
    (f"{P}\n{{ a[omp_get_thread_num()] = 1;\n#pragma omp barrier\n b[omp_get_thread_num()] = a[0]; }}", ""),
    (f"{P}\n{{ a[omp_get_thread_num()] = 1; b[omp_get_thread_num()] = a[0]; }}", "race-on-shared-variable"),
    (f"{P}\n{{ a[omp_get_thread_num()] = 1; meet_all(); b[omp_get_thread_num()] = a[0]; }}", ""),
    (f"{P}\nfor (int k = 0; k < n; k++) {{ a[omp_get_thread_num()] = k;\n#pragma omp barrier\n"
     "b[omp_get_thread_num()] = a[0]; }", "race-on-shared-variable"),
    (f"{P}\nfor (int k = 0; k < n; k++) {{ a[omp_get_thread_num()] = k;\n#pragma omp barrier\n"
     "b[omp_get_thread_num()] = a[0];\n#pragma omp barrier\n}", ""),
    (f"{P} for ordered\nfor (i = 1; i < n; i++) {{\n#pragma omp ordered\na[i] = a[i - 1];\n}}", ""),
    (f"{P} for ordered\nfor (i = 1; i < n; i++) a[i] = a[i - 1];", "loop-carried-dependence"),
    # three steps, which may be made in 3 to the power of 16 orders: nobody waits for all of them to be tried
    (f"{P} for ordered(2)\nfor (i = 16; i < n; i++)\nfor (j = 5; j < m; j++) {{\n"
     "#pragma omp ordered doacross(sink: i - 1, j - 1) doacross(sink: i - 1, j - 2) doacross(sink: i - 1, j - 3)\n"
     "c[i][j] = c[i - 16][j + 3];\n#pragma omp ordered doacross(source:)\n}", "loop-carried-dependence"),
    (f"{P} for ordered(2)\nfor (i = 16; i < n; i++)\nfor (j = 5; j < m; j++) {{\n"
     "#pragma omp ordered doacross(sink: i - 1, j - 1) doacross(sink: i - 3, j + 1)\n"
     "c[i][j] = c[i - 16][j - 4];\n#pragma omp ordered doacross(source:)\n}", ""),
    (f"{P} sections\n{{\n#pragma omp section\ng = 1;\n#pragma omp section\ng = 2;\n}}", "race-between-sections"),
    (f"{P} sections\n{{\n#pragma omp section\n{{ g = 1; a[0] = g; }}\n#pragma omp section\na[1] = 2;\n}}", ""),
]  # fmt: skip


@together(("body", "expected"), CASES, ids=[b.strip().replace("\n", " ")[:90] for b, _ in CASES])
def test_races(body: str, expected: str) -> None:
    found = findings(f"{HEAD}{body}\n}}\n", *RACES)
    assert " ".join(sorted(d.rule + "?" * (d.severity == "hint") for d in found)) == expected


LIBRARY = """
typedef unsigned long size_t; typedef struct stream FILE;
void *memset(void *, int, size_t); char *strcpy(char *, const char *); char *strcat(char *, const char *);
int sprintf(char *, const char *, ...); int snprintf(char *, size_t, const char *, ...); size_t strlen(const char *);
int sscanf(const char *, const char *, ...); int printf(const char *, ...); int rand_r(unsigned *); void free(void *);
size_t fread(void *, size_t, size_t, FILE *); char *fgets(char *, int, FILE *); double frexp(double, int *);
char text[64], line[64]; int number; unsigned seed;
void f(FILE *in, int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
"""
CALLS = [
    ("memset(text, i, 64);", True),
    ("memset(text, 0, 64);", False),  # all store the same
    ("memset(text, i, 0);", False),  # nothing
    ('sprintf(text, "%d", i);', True),  # the third of three arguments is no size
    ('sprintf(text, "%d %d", i, n);', True),
    ('sprintf(text, "%d", n);', False),
    ('snprintf(text, 64, "%d", i);', True),
    ('snprintf(text, i, "%d", n);', False),  # of the same text
    ('strcpy(text, i % 2 ? "odd" : "even");', True),
    ('strcpy(text, "even");', False),
    ('strcat(text, "x");', True),  # it goes on where the others have been
    ("fread(text, 1, 64, in);", True),
    ("char own[64]; fread(own, 1, 64, in);", False),  # a stream has a lock of its own
    ("fgets(text, 64, in);", True),
    ("\n#pragma omp critical\nfgets(text, 64, in);", False),
    ('sscanf(line, "%d", &number);', False),  # all find the same in it
    ('fgets(line, 64, in); int mine; sscanf(line, "%d", &mine);', True),
    ("x[i] = rand_r(&seed);", True),
    ("unsigned mine = i; x[i] = rand_r(&mine);", False),
    ("x[i] = frexp(x[i], &number);", True),
    ('x[i] = strlen(text); printf("%s %p", text, x);', False),
]


@together(("body", "races"), CALLS, ids=[b.strip().replace("\n", " ") for b, _ in CALLS])
def test_library_functions_touch_what_their_arguments_point_to(body: str, races: bool) -> None:
    found = [d.severity for d in findings(f"{LIBRARY}{body}\n}}\n}}\n", *RACES)]
    assert found == (["warning"] if races else [])


INDEX = """
void *malloc(unsigned long); void free(void *); int printf(const char *, ...); void shuffle(int *);
int main(void) {
    int n = 1000, *bin = malloc(n * sizeof(int)), *h = malloc(64);
    static int order[4] = {0, 1, 0, 1};
    for (int i = 0; i < n; i++) bin[i] = i % 16;
"""
COUNT = "\n#pragma omp target teams distribute parallel for map(to: bin[0:n]) map(tofrom: h[0:16])\n"
COUNT += "for (int i = 0; i < n; i++) h[bin[i]]++;\n"
TABLE = "\n#pragma omp parallel for\nfor (int i = 0; i < 4; i++) h[order[i]] += i;\n"
BEHIND = [
    *[(f"{COUNT}{after}", "race-through-index")
      for after in ("", "free(bin);", 'printf("%d", bin[0]);', "shuffle(bin);", "bin[0] = 3;")],
    *[(f"{TABLE}{after}", "race-through-index") for after in ("", "order[0] = 3;", "shuffle(order);")],
    # what changes the index inside, before, or for the next time
    (f"order[0] = 3;{TABLE}", "race-through-index?"),
    (f"for (int k = 0; k < 2; k++) {{{TABLE} order[0] = 3; }}", "race-through-index?"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), BEHIND, ids=[" ".join(b.split())[-60:] for b, _ in BEHIND])
def test_what_comes_behind_a_construct_changes_nothing_in_it(body: str, expected: str) -> None:
    found = findings(f"{INDEX}{body}\nreturn h[1];\n}}\n", *RACES)
    assert [d.rule + "?" * (d.severity == "hint") for d in found] == [expected]


def test_a_construct_is_looked_through_once_for_all_pairs_of_accesses(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Node] = []

    def noted(node: Node) -> set[Symbol]:
        looked.append(node)
        return assigned_in(node)

    monkeypatch.setattr(conditions, "assigned_in", noted)
    lines = "".join([f"if (a[t] > {k} && t != b[{k}]) {{ g += a[{k}]; x[t] = g++; }}\n" for k in range(20)])
    assert findings(f"{HEAD}{P}\n{{ t = rand();\n{lines}}}\n}}\n", *RACES)
    assert len(looked) == len(set(map(id, looked)))


def test_a_deep_nest_is_not_run_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two iterations of each of twenty loops would be a million."""
    asked: list[Poly] = []
    real = trial._value

    def value(p: Poly, point: Mapping[Atom, int], tables: trial.Tables) -> int:
        asked.append(p)
        return real(p, point, tables)

    monkeypatch.setattr(trial, "_value", value)
    names = [f"i{k}" for k in range(20)]
    loops = "".join([f"for (int {name} = 0; {name} < n; {name}++)\n" for name in names])
    at = " + ".join([f"{name} * (n + {k})" for k, name in enumerate(names)])
    findings(f"void f(int n, double *a) {{\n{P} for\n{loops}a[{at}] += a[2 * ({at})];\n}}\n", *RACES)
    assert 0 < len(asked) < 300_000
    inner = "".join([f"for (int {name} = 1; {name} < 4; {name}++)\n" for name in names[:8]])
    deep = "".join([f"[{name}]" for name in names[:8]])
    body = f"{P} for\nfor (int j = 1; j < 4; j++)\n{inner}a[j]{deep} += a[j - 1]{deep};\n"
    text = f"double a[4]{'[4]' * 8};\nvoid f(void) {{\n{body}}}\n"
    assert [d.severity for d in findings(text, "loop-carried-dependence")] == ["warning"]


def test_main_is_run_by_one_thread() -> None:
    body = "\n#pragma omp for\nfor (int i = 0; i < 9; i++) g += i;\nreturn 0;"
    assert findings(f"int g;\nint main(void) {{ {body} }}\n", *RACES) == []


def test_threadprivate_variables_do_not_race() -> None:
    loop = "#pragma omp parallel for\nfor (int i = 0; i < 9; i++) s += i;\n"
    assert findings(f"static int s;\n#pragma omp threadprivate(s)\nvoid f(void) {{\n{loop}}}\n", *RACES) == []
    inside = f"static int s;\n#pragma omp threadprivate(s)\n{loop}"
    assert findings(f"void f(void) {{\n{inside}}}\n", *RACES) == []


def test_a_race_in_a_called_function_is_reported_there() -> None:
    text = "static int s;\nstatic void add(int v) { s += v; }\nvoid f(void) {\n#pragma omp parallel\nadd(1);\n}\n"
    (found,) = findings(text, *RACES)
    assert text[found.where.start : found.where.end] == "s"
    called = [r for r in found.related if r.message == "it is called here"]
    assert [text[r.where.start : r.where.end] for r in called] == ["add(1)"]
