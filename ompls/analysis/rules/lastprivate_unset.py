"""`lastprivate` of a variable that the construct never assigns."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.private import loop_variables
from ompls.analysis.dataenv.uses import uses
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Stmt, Symbol, walk_all
from ompls.analysis.model.ctype import Enum, Floating, Integer, Pointer
from ompls.analysis.rules.support.framework import Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """Certain: no access in the body writes the variable, and its address goes nowhere."""
    for stmt in scene.content.directives if scene.content is not None else ():
        directive = stmt.directive
        if stmt.body is None or not directive.known or not directive.clause("lastprivate"):
            continue
        if any(isinstance(n, (ast.OtherStmt, ast.OtherExpr)) for n in walk_all(stmt.body)):
            continue
        read: set[Symbol] | None = None
        given = {i.symbol for c in directive.all("firstprivate", "linear") for i in c.items}
        assigned = _assigned(stmt.body) | set(loop_variables(directive, stmt.body))
        for clause in directive.all("lastprivate"):
            for item in clause.items:
                symbol = item.symbol
                if symbol is None or symbol in given or symbol in assigned or not isinstance(item.expr, ast.Name):
                    continue
                if isinstance(symbol.type, (Integer, Floating, Enum, Pointer)):
                    message = f"nothing is assigned to `{item.text}` here: after the construct it has no value"
                    read = _read_after(scene, stmt) if read is None else read
                    yield Finding(item.span, message, "warning" if symbol in read else "hint")


def _read_after(scene: Scene, stmt: ast.DirectiveStmt) -> set[Symbol]:
    """The variables that the next use in the function reads; the lost value of others does no harm that can be seen."""
    nodes = (
        [n for n in scene.function.body.walk() if n.span.start > stmt.span.end] if scene.function is not None else []
    )
    written = {id(n.target) for n in nodes if isinstance(n, ast.Assign) and n.op == "="}
    after = sorted([n for n in nodes if isinstance(n, ast.Name)], key=lambda n: n.span)
    first = {n.symbol: n for n in reversed(after) if n.symbol is not None and n.symbol.level != "file"}
    return {symbol for symbol, n in first.items() if id(n) not in written}


def _assigned(body: Stmt) -> set[Symbol]:
    """What the body writes, or what may write it through an address."""
    found = {use.symbol for use in uses(body) if use.depth == 0 and (use.write or use.escapes)}
    for node in walk_all(body):
        if isinstance(node, ast.DirectiveStmt):
            found |= {i.symbol for c in node.directive.clauses for i in c.items if i.symbol is not None}
    return found


RULE = Rule(
    id="lastprivate-unset",
    severity="warning",
    group="sharing",
    title="A lastprivate variable that gets no value",
    why="""
`lastprivate` gives the original variable the value that its private copy has after the last iteration. If no iteration assigns the
copy, that is no value at all, and the original loses the one it had.
""",
    section="5.4.5",
    about="directives",
    bad=(
        """
int last;
void f(int n, int *x) {
    #pragma omp parallel for lastprivate(last)
    //                                   ^^^^ hint: nothing is assigned to `last` here: after the construct it has no value
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
double f(int n, double *x) {
    double last = 0, other = 0;
    #pragma omp parallel for lastprivate(last, other)
    //                                         ^^^^^ warning: nothing is assigned to `other` here: after the construct it has no value
    for (int i = 0; i < n; i++) {
        last = x[i];
        x[i] = 0;
    }
    return last + other;
}
""",
        """
int f(int n, int *x) {
    int k = 3;
    #pragma omp target teams distribute parallel for lastprivate(k) map(tofrom: x[0:n])
    //                                                           ^ warning: nothing is assigned to `k` here: after the construct it has no value
    for (int i = 0; i < n; i++)
        x[i] = 0;
    return k;
}
""",
    ),
    good=(
        """
double f(int n, double *x) {
    double last;
    #pragma omp parallel for lastprivate(last)
    for (int i = 0; i < n; i++)
        if (x[i] > 0) last = x[i];
    return last;
}
""",
        """
int f(int n, int *x) {
    int i, j;
    #pragma omp parallel for lastprivate(i, j) collapse(2)
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            x[i * n + j] = 0;
    return i + j;
}
""",
        """
int f(int n, int *x) {
    int k = 3;
    #pragma omp parallel for firstprivate(k) lastprivate(k)
    for (int i = 0; i < n; i++)
        x[i] = k;
    return k;
}
""",
        """
void read(int *);
int f(int n, int *x) {
    int k, m;
    #pragma omp parallel for lastprivate(k, m)
    for (int i = 0; i < n; i++) {
        read(&k);
        for (m = 0; m < n; m++) x[i] += k;
    }
    return k + m;
}
""",
        """
struct s { int a; };
int f(int n, int *x) {
    struct s v;
    int y[4];
    #pragma omp parallel for lastprivate(v, y)
    for (int i = 0; i < n; i++) { v.a = i; y[0] = i; x[i] = 0; }
    return v.a + y[0];
}
""",
        """
int f(int n, int *x) {
    int k;
    #pragma omp sections lastprivate(k)
    {
        #pragma omp section
        x[0] = n;
        #pragma omp section
        k = n;
    }
    return k;
}
""",
    ),
    check=check,
)
