"""What expressions read and write: C expressions and their uses, in evaluation order.

`name@depth` then R, W or RW; `?` when only a called function or an alias may do it, `!` when an address goes away.
"""

from __future__ import annotations

from together import together

from ompls.analysis.dataenv.uses import uses
from ompls.analysis.model import ast
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

HEAD = """
struct s { int m; int *p; struct s *next; int arr[4]; };
int h(int); void g(int *); void c(const int *);
void f(int i, int j, int *p, int *q, int **pp, struct s s, struct s *sp, int (*fn)(int)) {
    int a[4], b[3][5];
"""


def use_list(statement: str) -> str:
    tu = Analyzer().analyze("x.c", f"{HEAD}{statement}\n}}\n".encode(), EMPTY_SNAPSHOT, Settings())
    node = tu.items[-1].content.node
    assert isinstance(node, ast.FunctionDef)
    out = []
    for stmt in node.body.items[1:]:
        for use in uses(stmt):
            marks = ("R" if use.read else "") + ("W" if use.write else "")
            marks += ("" if use.certain else "?") + ("!" if use.escapes else "")
            out.append(f"{use.symbol.name}@{use.depth}{marks}")
    return " ".join(out)


CASES = [
    ("i = j;", "j@0R i@0W"),
    ("i += j;", "j@0R i@0RW"),
    ("i++;", "i@0RW"),
    ("a[i] = j;", "j@0R i@0R a@0W"),
    ("i = a[j];", "j@0R a@0R i@0W"),
    ("b[i][j]++;", "j@0R i@0R b@0RW"),
    ("*p = i;", "i@0R p@0R p@1W"),
    ("p[i] = 1;", "i@0R p@0R p@1W"),
    ("i[p] = 1;", "i@0R p@0R p@1W"),
    ("*(p + i) = 1;", "p@0R i@0R p@1W"),
    ("*p++ = 1;", "p@0RW p@1W"),
    ("(*p)--;", "p@0R p@1RW"),
    ("pp[i][j] = 1;", "j@0R i@0R pp@0R pp@1R pp@2W"),
    ("**pp = 1;", "pp@0R pp@1R pp@2W"),
    ("s.m = 1;", "s@0W"),
    ("s.arr[i] = 1;", "i@0R s@0W"),
    ("sp->m = 1;", "sp@0R sp@1W"),
    ("sp->next->m = 1;", "sp@0R sp@1R sp@2W"),
    ("(*sp).m = 1;", "sp@0R sp@1W"),
    ("s.p[i] = 1;", "i@0R s@0R s@1W"),
    ("*(int *)p = 1;", "p@0R p@1W"),
    ("p = q;", "q@0R q@1RW?! p@0W"),
    ("p = p + 1;", "p@0R p@0W"),
    ("p += i;", "i@0R p@0RW"),
    ("p = a;", "a@0RW?! p@0W"),
    ("p = &i;", "i@0RW?! p@0W"),
    ("p = &q[i];", "i@0R q@0R q@1RW?! p@0W"),
    ("*&i = 1;", "i@0W"),
    ("g(p);", "p@0R p@1RW?!"),
    ("c(p);", "p@0R p@1R?!"),
    ("g(&i);", "i@0RW?!"),
    ("c(&i);", "i@0R?!"),
    ("g(a);", "a@0RW?!"),
    ("g(p + 1);", "p@0R p@1RW?!"),
    ("i = h(j);", "j@0R i@0W"),
    ("i = fn(j);", "fn@0R j@0R i@0W"),
    ("i = (*fn)(j);", "fn@0R fn@1R j@0R i@0W"),
    ("i = sizeof(a[j]);", "i@0W"),
    ("i = p == q;", "p@0R q@0R i@0W"),
    ("i = !p && (q > p);", "p@0R q@0R p@0R i@0W"),
    ("i = j ? a[0] : p[0];", "j@0R a@0R p@0R p@1R i@0W"),
    ("i = (j, a[1]);", "j@0R a@0R i@0W"),
    ("i = (int)(long)p;", "p@0R i@0W"),
    ("i = ({ int k = j; k; });", "j@0R k@0W k@0R i@0W"),
    ("i = _Generic(j, int: a[0], default: 0);", "a@0R i@0W"),
    ("int n[i];", "i@0R"),
    ("int k = i;", "i@0R k@0W"),
    ("\n#pragma omp parallel private(i) firstprivate(j) reduction(+: s)\n{ i = j; s.m = 1; }", "j@0R s@0R s@0W"),
    ("\n#pragma omp parallel for lastprivate(i) num_threads(j)\nfor (int k = 0; k < 3; k++) i = k;",
     "j@0R k@0W k@0R k@0RW k@0R i@0W"),
    ("\n#pragma omp for linear(j: 2)\nfor (i = 0; i < 3; i++) a[i] = j;", "j@0R a@0W j@0W"),
    ("\n#pragma omp target update to(p[i:j], ([i][j])q)\n", "i@0R j@0R i@0R j@0R"),
]  # fmt: skip


@together(("statement", "expected"), CASES, ids=[c[0].strip() for c in CASES])
def test_uses(statement: str, expected: str) -> None:
    assert use_list(statement) == expected
