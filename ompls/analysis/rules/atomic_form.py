"""`atomic` on a statement that is none of the forms it takes."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Expr, Span, Stmt
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.atomic_reads import UPDATES, read_beside
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene

_KINDS = ("update", "read", "write", "capture")


def check(scene: Scene) -> Iterator[Finding]:
    """`compare` has forms of its own, which are left alone; an operand that is only named otherwise is, too."""
    if scene.content is None:
        return
    for stmt in scene.content.directives:
        directive = stmt.directive
        if directive.name != "atomic" or directive.clause("compare") or stmt.body is None:
            continue
        message = _problem(scene.content.text, stmt)
        if message:
            related = ((directive.name_span, "the directive"),)
            yield Finding(stmt.body.span, message, "error", related, _changes(scene.content.text, stmt))
        else:
            yield from _beside(scene.content.text, stmt)


def _beside(text: bytes, stmt: DirectiveStmt) -> Iterator[Finding]:
    """What compilers take, although a part of it is not atomic."""
    clauses = [c for c in stmt.directive.clauses if c.name in _KINDS]
    beside = read_beside(stmt.body, {c.name for c in clauses})
    if beside is None:
        return
    read, variable = _written(text, beside.read), _written(text, beside.variable)
    change: tuple[Change, ...] = ()
    if beside.copied:
        message = f"`{variable}` may have changed since it was copied to `{read}`: the operation has to name `{variable}` itself"
    else:
        what = {"update": "`atomic update` does both", "compare": "`atomic compare` has it in the operation"}
        instead = what.get(beside.fitting, "no form of `atomic` has it in the operation: `critical` can")
        message = (
            f"this read of `{read}` is not part of the atomic operation: another thread may write in between; {instead}"
        )
        if beside.fitting == "update" and [c.name for c in clauses] == ["write"]:
            change = (Change("Change to `update`", clauses[0].name_span, "update"),)
    related = ((stmt.directive.name_span, "the directive"),)
    yield Finding(beside.read.span, message, "warning", related, change)


def _changes(text: bytes, stmt: DirectiveStmt) -> tuple[Change, ...]:
    """The kind that the statement has the form of, in the place of the one that is written; () where it could be several."""
    directive = stmt.directive
    written = [c for c in directive.clauses if c.name in _KINDS]
    fitting = [kind for kind in _KINDS if not _mistake(text, stmt.body, {kind})]
    if len(fitting) != 1 or len(written) > 1 or not isinstance(stmt.body, ast.ExprStmt):
        return ()
    if not written:
        end = directive.name_span.end
        return (Change(f"Add `{fitting[0]}`", Span(end, end), f" {fitting[0]}"),)
    return (Change(f"Change to `{fitting[0]}`", written[0].name_span, fitting[0]),)


def _problem(text: bytes, stmt: DirectiveStmt) -> str:
    return _mistake(text, stmt.body, {c.name for c in stmt.directive.clauses if c.name in _KINDS})


def _mistake(text: bytes, body: Stmt | None, kinds: set[str]) -> str:
    if "capture" in kinds:
        return _capture(body)
    expr = body.expr if isinstance(body, ast.ExprStmt) else None
    if isinstance(body, (ast.OtherStmt, DirectiveStmt)) or isinstance(expr, ast.OtherExpr):
        return ""
    plain = isinstance(expr, ast.Assign) and expr.op == "="
    if "read" in kinds:
        return "" if plain and isinstance(expr, ast.Assign) and _lvalue(expr.value) else "`atomic read` takes `v = x;`"
    if "write" in kinds:
        return "" if plain else "`atomic write` takes `x = expression;`"
    if expr is None:
        return "`atomic` takes one expression statement, like `x += expression;`"
    return _update(text, expr)


def _update(text: bytes, expr: Expr) -> str:
    if isinstance(expr, ast.Unary) and expr.op in ("++", "--"):
        return ""
    if not isinstance(expr, ast.Assign):
        return "`atomic` takes a statement that changes a variable, like `x += expression;`"
    if expr.op != "=":
        known = expr.op[:-1] in UPDATES
        return "" if known else f"`{expr.op}` cannot be atomic: only + - * / & ^ | << >> can"
    value = expr.value
    if isinstance(value, ast.Paren) or any(isinstance(n, ast.OtherExpr) for n in value.walk()):
        return ""
    target = _written(text, expr.target)
    names = {_written(text, n) for n in value.walk() if isinstance(n, Expr)}
    if target not in names:
        other = "write" if not isinstance(value, ast.Name) else "write` or `atomic read"
        return f"this does not update `{target}` by its own value; `atomic {other}` assigns"
    if not isinstance(value, ast.Binary):
        return ""
    return "" if value.op in UPDATES else f"`{value.op}` cannot be atomic: only + - * / & ^ | << >> can"


def _capture(body: Stmt | None) -> str:
    """`v = x++`, `v = x += e`, or a block of two statements."""
    if isinstance(body, ast.Compound):
        wrong = len(body.items) != 2 and not any(isinstance(s, ast.OtherStmt) for s in body.items)
        return "`atomic capture` takes a block of two statements: the update and the copy" if wrong else ""
    expr = body.expr if isinstance(body, ast.ExprStmt) else None
    if not isinstance(expr, ast.Assign) or expr.op != "=":
        return "" if isinstance(body, (ast.OtherStmt, DirectiveStmt, ast.If)) else "`atomic capture` takes `v = x++;`"
    value = bare(expr.value)
    changes = isinstance(value, (ast.Assign, ast.OtherExpr)) or (
        isinstance(value, ast.Unary) and value.op in ("++", "--")
    )
    return "" if changes else "`atomic capture` needs an update, like `v = x++;`: this only copies"


def _lvalue(expr: Expr) -> bool:
    expr = bare(expr)
    return isinstance(expr, (ast.Name, ast.Index, ast.Member, ast.OtherExpr)) or (
        isinstance(expr, ast.Unary) and expr.op in ("*", "__real__", "__imag__")
    )


def _written(text: bytes, expr: Expr) -> str:
    """The expression as written, without blanks."""
    expr = bare(expr)
    return "".join(text[expr.span.start : expr.span.end].decode("utf-8", "replace").split())


RULE = Rule(
    id="atomic-form",
    severity="error",
    group="structure",
    title="A statement that `atomic` cannot make atomic",
    why="""
`atomic` is one machine operation on one variable, so it takes a few forms only: `x++`, `x op= e`, `x = x op e`, `v = x` with
`read`, `x = e` with `write`, both together with `capture`. Compilers refuse other statements.

`e` must not read `x` again, and with `capture` not what `x` was copied to: that read comes before the operation, and what another
thread writes in between is lost. Compilers take such statements without a word. `x = x + e` needs `update`, `x = e < x ? e : x` needs
`compare`.
""",
    section="15.8.4",
    about="directives",
    bad=(
        """
void f(int *x, int v) {
    #pragma omp atomic
    x[0] = v;
//  ^^^^^^^^^ error: this does not update `x[0]` by its own value; `atomic write` or `atomic read` assigns
    #pragma omp atomic
    x[0] %= 3;
//  ^^^^^^^^^^ error: `%=` cannot be atomic: only + - * / & ^ | << >> can
    #pragma omp atomic read
    v = x[0] + 1;
//  ^^^^^^^^^^^^^ error: `atomic read` takes `v = x;`
    #pragma omp atomic write
    x[0] += v;
//  ^^^^^^^^^^ error: `atomic write` takes `x = expression;`
    #pragma omp atomic capture
    v = x[0];
//  ^^^^^^^^^ error: `atomic capture` needs an update, like `v = x++;`: this only copies
}
""",
        """
int g(int);
void f(int n, int *x, int v) {
    for (int i = 0; i < n; i++) {
        #pragma omp atomic update
        { x[i]++; v++; }
    //  ^^^^^^^^^^^^^^^^ error: `atomic` takes one expression statement, like `x += expression;`
        #pragma omp atomic
        g(x[i]);
    //  ^^^^^^^^ error: `atomic` takes a statement that changes a variable, like `x += expression;`
        #pragma omp atomic capture
        { v = x[i]; x[i]++; v++; }
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `atomic capture` takes a block of two statements: the update and the copy
    }
}
""",
        """
int claim(int *d, int v, int *x) {
    int old;
    #pragma omp atomic capture
    { old = *d; *d = v < *d ? v : *d; }
    //                   ^^ warning: this read of `*d` is not part of the atomic operation: another thread may write in between; `atomic compare` has it in the operation
    #pragma omp atomic write
    x[0] = x[0] + v;
    //     ^^^^ warning: this read of `x[0]` is not part of the atomic operation: another thread may write in between; `atomic update` does both
    #pragma omp atomic
    *x = *x * 2 + *x;
    //   ^^ warning: this read of `*x` is not part of the atomic operation: another thread may write in between; no form of `atomic` has it in the operation: `critical` can
    #pragma omp atomic
    x[v] += x[v];
    //      ^^^^ warning: this read of `x[v]` is not part of the atomic operation: another thread may write in between; no form of `atomic` has it in the operation: `critical` can
    #pragma omp atomic capture
    { old = *x; *x = *x % 3; }
    //               ^^ warning: this read of `*x` is not part of the atomic operation: another thread may write in between; no form of `atomic` has it in the operation: `critical` can
    #pragma omp atomic capture
    { old = *x; *x = old + 1; }
    //               ^^^ warning: `*x` may have changed since it was copied to `old`: the operation has to name `*x` itself
    return old;
}
""",
    ),
    good=(
        """
void f(int *x, int *y, int v, int i) {
    int old;
    #pragma omp atomic write
    x[0] = x[1] + y[0] + (int)sizeof x[0];
    #pragma omp atomic write
    *x = x != &*x;
    #pragma omp atomic
    x[i] = x[i] - v - x[i + 1];
    #pragma omp atomic
    x[i] = v * 2 + x[i];
    #pragma omp atomic capture
    { old = x[i]; x[i] = x[i] + v + 3; }
    #pragma omp atomic capture
    { x[i] = v - x[i]; old = x[i]; }
    #pragma omp atomic capture
    { old = x[i]; x[i] = v < 3 ? v : 3; }
    #pragma omp atomic capture
    old = x[i] += y[i];
    #pragma omp atomic compare capture
    { old = *x; *x = v < *x ? v : *x; }
    y[0] = old;
}
""",
        """
void f(int *x, int v) {
    #pragma omp atomic
    x[0]++;
    #pragma omp atomic update
    --x[0];
    #pragma omp atomic
    x[0] <<= v;
    #pragma omp atomic
    x[0] = x[0] * v;
    #pragma omp atomic
    x[0] = v - x [0];
    #pragma omp atomic
    x[0] = x[0] + v + 3;
}
""",
        """
void f(int *x, int v) {
    #pragma omp atomic read
    v = *x;
    #pragma omp atomic write
    *x = v + 3 * v;
    #pragma omp atomic write seq_cst
    x[1] = 0;
}
""",
        """
int f(int *x, int v) {
    #pragma omp atomic capture
    v = x[0]++;
    #pragma omp atomic capture
    v = x[0] += 3;
    #pragma omp atomic capture
    { v = x[0]; x[0] = 3; }
    #pragma omp atomic capture
    v = (x[0] = x[0] + 1);
    return v;
}
""",
        """
void f(int *x, int v) {
    #pragma omp atomic compare
    if (*x == v) { *x = 3; }
    #pragma omp atomic compare capture
    { v = *x; if (*x == 1) { *x = 2; } }
    #pragma omp atomic compare
    *x = v > *x ? v : *x;
}
""",
        """
struct s { double d; };
void f(struct s *p, double *x, int i) {
    #pragma omp atomic
    p->d += x[i] * 2;
    #pragma omp atomic
    x[i] = (x[i] + 1);
    #pragma omp atomic hint(2)
    (*x) *= 3;
}
""",
    ),
    check=check,
)
