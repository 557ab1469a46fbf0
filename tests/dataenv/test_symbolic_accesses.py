"""Symbolic accesses: C statements, what `accesses` finds in them, and how far each reaches.

An access is written `name way subscripts R/W`; `~` when it is under a condition, `?` when it is uncertain, then what
holds it.
"""

from __future__ import annotations

from together import together

from ompls.analysis.dataenv.access import Access, accesses, extent
from ompls.analysis.model import ast
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

HEAD = """
typedef struct omp_lock omp_lock_t; void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *);
struct s { int m; double *p; struct s *next; int arr[4]; };
double g[100]; int counter; omp_lock_t *la, *lb;
void unknown(double *), looks(const double *);
static void fill(double *x, int n, double v) { for (int k = 0; k < n; k++) x[k] = v; }
static void twice(double *x, int n) { fill(x, n, 1); fill(x + n, n, 2); counter++; }
static double at(struct s *q, int i) { return q->p[i]; }
static void again(double *x, int n) { if (n) again(x, n - 1); }
void f(int i, int j, int n, int m, double *p, double *q, struct s s, struct s *sp, double **rows, int *idx) {
    double a[10], b[4][5];
    int c[20];
"""


def found(statement: str) -> list[Access]:
    tu = Analyzer().analyze("x.c", f"{HEAD}{{ {statement} }}\n}}\n".encode(), EMPTY_SNAPSHOT, Settings())
    node = tu.items[-1].content.node
    functions = {i.content.node.symbol.name: i.content for i in tu.items if isinstance(i.content.node, ast.FunctionDef)}
    assert isinstance(node, ast.FunctionDef)
    return accesses(node.body.items[-1], functions)


def text(access: Access) -> str:
    subscripts = iter(access.subscripts)
    way = "".join(f"[{next(subscripts)}]" if w == "[]" else "->" if w == "*" else f".{w}" for w in access.place.path)
    marks = ("R" if access.read else "") + ("W" if access.write else "")
    marks += ("~" if access.guards else "") + ("" if access.certain and access.place.sure else "?")
    return " ".join([f"{access.symbol.name}{way}", marks, *sorted(str(h[0]) for h in access.held)])


ACCESSES = [
    ("a[i + 1] = j;", "j R; i R; a[1 + i] W"),
    ("p[2 * i - 1] += 1;", "i R; p R; p[-1 + 2*i] RW"),
    ("*(p + n) = *q;", "q R; q[0] R; p R; n R; p[n] W"),
    ("b[i][j] = 0;", "j R; i R; b[i][j] W"),
    ("b[1 + 2][i * 2 + i] = 0;", "i R; i R; b[3][3*i] W"),
    ("int k = i + 1; a[k - 1] = 0;", "i R; a[i] W"),
    ("i = i + 1; a[i] = 0;", "i R; i W; i R; a[1 + i] W"),
    ("i += n; a[i - n] = 0;", "n R; i RW; i R; n R; a[i] W"),
    ("if (m) i = 3; a[i] = 0;", "m R; i W~; i R; a[None] W"),
    ("if (m) i = 3; else i = 3; a[i] = 0;", "m R; i W~; i W~; i R; a[3] W"),
    ("a[idx[i]] = 0;", "i R; idx R; idx[i] R; a[idx[](i)] W"),
    ("idx[0] = 1; a[idx[i]] = 0;", "idx R; idx[0] W; i R; idx R; idx[i] R; a[None] W"),
    ("s.m = sp->m;", "sp R; sp[0].m R; s.m W"),
    ("s.arr[i] = 1;", "i R; s.arr[i] W"),
    ("s.p[i] = 1;", "i R; s.p R; s.p->[i] W"),
    ("sp->next->m = 1;", "sp R; sp[0].next R; sp[0].next->[0].m W"),
    ("sp[i].arr[j] = 1;", "j R; i R; sp R; sp[i].arr[j] W"),
    ("rows[i][j] = 1;", "j R; i R; rows R; rows[i] R; rows[i]->[j] W"),
    ("double *r = p + 2; r[i] = 1;", "p R; i R; p[2 + i] W"),
    ("double *r = a; r++; r[i] = 1;", "i R; a[1 + i] W"),
    ("double *r = &b[i][0]; r[j] = 1;", "i R; j R; b[i][j] W"),
    ("double *r = &a[n]; *r++ = 1; *r = 2;", "n R; a[n] W; a[1 + n] W"),
    ("for (int k = 0; k < n; k++) *p++ = 1;", "n R; p RW; p[None] W?"),
    ("double *r = rows[i]; r[j] = 1;", "i R; rows R; rows[i] R; j R; rows[i]->[j] W"),
    ("unknown(p); looks(a + 1);", "p R; p[None] RW?; a[None] R?"),
    ("if (i < n) a[i] = 0; else a[j] = 1;", "i R; n R; i R~; a[i] W~; j R~; a[j] W~"),
    ("if (i >= n) return; a[i] = 0;", "i R; n R; i R~; a[i] W~"),
    ("i && (a[i] = 0);", "i R; i R~; a[i] W~"),
    ("\n#pragma omp atomic\na[i] += b[0][0];", "b[0][0] R; i R; a[i] RW atomic"),
    ("\n#pragma omp atomic read\nj = n;", "n R atomic; j W"),
    ("\n#pragma omp atomic capture\n{ j = n; n++; }", "n R atomic; j W; n RW atomic"),
    ("\n#pragma omp critical(x)\nj++;\nn++;", "j RW critical; n RW"),
    ("omp_set_lock(la); j++; omp_unset_lock(la); n++;", "la R; j RW lock; la R lock; n RW"),
    ("omp_set_lock(la); j++; omp_unset_lock(lb); n++;", "la R; j RW lock; lb R lock; n RW lock"),
    ("\n#pragma omp parallel private(i)\n{ i = 1; a[i] = 0; j = 1; }", "a[1] W; j W"),
    ("\n#pragma omp parallel for\nfor (i = 0; i < n; i++) a[i] = j;", "n R; j R; a[i] W"),
    ("\n#pragma omp parallel reduction(+: j)\nj += 1;", "j R; j W"),
    ("\n#pragma omp task\nj = 1;", ""),
    ("\n#pragma omp parallel\n{\n#pragma omp task\nj = 1;\n}", "j W"),
    ("fill(p, n, 3);", "p R; n R; p[k] W"),
    ("fill(p + i, 4, 3);", "p R; i R; p[i + k] W"),
    ("twice(a, 5);", "a[k] W; a[5 + k] W; counter RW"),
    ("at(sp + 1, j);", "sp R; j R; sp[1].p R; sp[1].p->[j] R"),
    ("at(&s, j);", "j R; s.p R; s.p->[j] R"),
    ("again(p, n);", "p R; n R; p[None] RW~?"),
]


@together(("statement", "expected"), ACCESSES, ids=[s[:50] for s, _ in ACCESSES])
def test_accesses(statement: str, expected: str) -> None:
    assert "; ".join(map(text, found(statement))) == expected


EXTENTS = [
    # (statement, extent of the last access of p, a, b or c: linear; exact and dense as letters)
    ("for (int k = 0; k < n; k++) p[k] = 0;", "0..-1 + n ED"),
    ("for (int k = 0; k <= n; k++) p[k + 1] = 0;", "1..1 + n ED"),
    ("for (int k = n - 1; k >= 0; k--) p[k] = 0;", "0..-1 + n ED"),
    ("for (int k = 0; k < n; k += 2) p[k] = 0;", "0..-1 + n"),
    ("for (int k = 0; k < 10; k += 3) p[k] = 0;", "0..9 E"),
    ("for (int k = 0; k != n; ++k) p[n - k] = 0;", "1..n ED"),
    ("for (int k = 0; k < n; k++) for (int l = 0; l < m; l++) p[k * m + l] = 0;", "0..-1 + m*n ED"),
    ("for (int k = 0; k < n; k++) for (int l = 0; l < m; l++) p[l + m * k + 3] = 0;", "3..2 + m*n ED"),
    ("for (int k = 0; k < n; k++) for (int l = 0; l <= k; l++) p[k * n + l] = 0;", "0..-1 + n*n E"),
    ("for (int k = 0; k < 4; k++) for (int l = 0; l < 5; l++) b[k][l] = 0;", "0..19 ED"),
    ("for (int k = 0; k < 4; k++) b[k][2] = 0;", "2..17 E"),
    ("for (int k = 0; k < n; k++) if (k != j) p[k] = 0;", "0..-1 + n"),
    ("for (int k = 0; k < n; k++) p[idx[k]] = 0;", "?"),
    ("for (int k = 0; k < n; k++) p[k % m] = 0;", "?"),
    ("for (int k = 0; k < n; k++) { int l = k + 1; p[2 * l] = 0; }", "2..2*n E"),
    ("while (n--) p[n] = 0;", "?"),
    ("for (int k = 0; k < n; k++) { if (j) k++; p[k] = 0; }", "?"),
    ("p[5] = 0;", "5..5 ED"),
    ("fill(p + m, n, 1);", "m..-1 + m + n ED"),
    ("for (int k = 0; k < m; k++) fill(p + k * n, n, 1);", "0..-1 + m*n ED"),
    ("for (int k = 1; k < n; k++) for (int l = k; l < n; l++) p[l] = 0;", "1..-1 + n E"),
]


@together(("statement", "expected"), EXTENTS, ids=[s[:60] for s, _ in EXTENTS])
def test_extents(statement: str, expected: str) -> None:
    access = [a for a in found(statement) if a.symbol.name in "pabc" and a.subscripts][-1]
    reach = extent(access)
    if expected == "?":
        assert reach.linear is None
        assert not reach.exact
    else:
        assert reach.linear is not None
        low, high = reach.linear
        marks = ("E" if reach.exact else "") + ("D" if reach.dense else "")
        assert f"{low!r}..{high!r} {marks}".strip() == expected
