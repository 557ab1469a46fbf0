"""A reduction variable that the construct changes with another operation than the one that combines the copies."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.private import private_copies
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import changed_by
from ompls.analysis.model.ast import DirectiveStmt, Node, Symbol, walk_all
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.framework import Finding, Rule, Scene

# Reduction identifier -> operations that work on a copy which starts with the other operation's neutral element.
_WRONG = {"+": frozenset(("*", "/")), "-": frozenset(("*", "/")), "*": frozenset(("+", "-"))}


def check(scene: Scene) -> Iterator[Finding]:
    """Certain when every change of the copy is of the wrong kind; one plain assignment makes it something else."""
    for stmt in scene.content.directives if scene.content is not None else ():
        if stmt.body is None or not stmt.directive.known:
            continue
        for clause in stmt.directive.all("reduction"):
            wrong = _WRONG.get(clause.keyword)
            for item in clause.items if wrong and not clause.broken else ():
                if item.symbol is None or not isinstance(item.expr, ast.Name):
                    continue
                changes = list(_changes(stmt, item.symbol))
                if changes and all(op in (wrong or ()) for _, op in changes):
                    node, op = changes[0]
                    start = 1 if clause.keyword == "*" else 0
                    message = (
                        f"`{op}=` on a copy of `{item.text}` that starts as {start}, and the copies are combined with "
                        f"`{clause.keyword}`"
                    )
                    yield Finding(node.span, message, "warning", ((clause.span, "the reduction"),))


def _changes(stmt: DirectiveStmt, symbol: Symbol) -> Iterator[tuple[Node, str]]:
    """Each change of the variable with its operation; '' for one that is nothing of the kind."""
    assert stmt.body is not None
    for node in walk_all(stmt.body):
        if isinstance(node, DirectiveStmt) and symbol in private_copies(node.directive, node.body):
            yield node, ""
        elif (target := changed_by(node)) is not None and _is(target, symbol):
            yield node, _operation(node, symbol)


def _operation(node: Node, symbol: Symbol) -> str:
    """That of `x op= …`, of `x = x op …`, of `x++`; '' of others, and where somebody gets its address."""
    if isinstance(node, ast.Unary):
        return "" if node.op == "&" else node.op[0]
    if not isinstance(node, ast.Assign) or node.op != "=":
        return node.op[:-1] if isinstance(node, ast.Assign) else ""
    value = bare(node.value)
    if isinstance(value, ast.Binary) and (_is(value.left, symbol) or _is(value.right, symbol)):
        return value.op
    return ""


def _is(expr: ast.Expr, symbol: Symbol) -> bool:
    expr = bare(expr)
    return isinstance(expr, ast.Name) and expr.symbol is symbol


RULE = Rule(
    id="reduction-operator",
    severity="warning",
    group="sharing",
    title="A reduction with one operator, and another in the loop",
    why="""
In the construct each thread works on a copy that starts with the neutral element of the reduction: 0 for `+`, 1 for `*`. A product
that starts with 0 stays 0, and products are not combined by adding them.
""",
    section="5.5.8",
    about="directives",
    bad=(
        """
double f(int n, double *x) {
    double product = 1;
    #pragma omp parallel for reduction(+: product)
    for (int i = 0; i < n; i++)
        product *= x[i];
    //  ^^^^^^^^^^^^^^^ warning: `*=` on a copy of `product` that starts as 0, and the copies are combined with `+`
    return product;
}
""",
        """
double f(int n, double *x) {
    double sum = 0;
    #pragma omp target teams distribute parallel for reduction(*: sum) map(to: x[0:n])
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            sum = sum + x[i];
    //      ^^^^^^^^^^^^^^^^ warning: `+=` on a copy of `sum` that starts as 1, and the copies are combined with `*`
    return sum;
}
""",
    ),
    good=(
        """
double f(int n, double *x) {
    double sum = 0, product = 1;
    #pragma omp parallel for reduction(+: sum) reduction(*: product)
    for (int i = 0; i < n; i++) {
        sum -= x[i];
        product = x[i] * product;
    }
    return sum + product;
}
""",
        """
int f(int n, int *x) {
    int most = 0;
    #pragma omp parallel for reduction(max: most)
    for (int i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}
""",
        """
double f(int n, double *x) {
    double sum = 0;
    #pragma omp parallel reduction(+: sum)
    {
        sum = x[0];
        sum *= 2;
    }
    return sum;
}
""",
        """
double f(int n, double *x) {
    double sum = 0;
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < n; i++) {
        sum += x[i];
        if (sum > 10) sum /= 2;
    }
    return sum;
}
""",
        """
double f(int n, double *x) {
    double sum = 0;
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < n; i++) {
        double sum = 1;
        sum *= x[i];
        x[i] = sum;
    }
    return sum;
}
""",
        """
int f(int n, int *x) {
    int all = 1;
    #pragma omp parallel for reduction(&&: all) reduction(|: n)
    for (int i = 0; i < 8; i++) { all = all && x[i]; n |= x[i]; }
    return all + n;
}
""",
    ),
    check=check,
)
