"""A function that calls itself, or creates a task that does, whatever happens."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.symbolic import loop_range
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Stmt
from ompls.analysis.model.constants import fold
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.spec.runtime import NO_RETURN

_NOT_ALWAYS = ("&&", "||")
_DEEPEST = 60


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when every way through the function, before any jump, comes to the call: no condition is in between but
    those of loops that run at least once, by their constant bounds.  Only functions that OpenMP has to do with.
    """
    content, function = scene.content, scene.function
    if content is None or function is None or function.symbol.name not in {s.name for s in content.calls}:
        return
    if not content.directives and not function.symbol.declare_target:
        return
    call = _always(function.body, function.symbol.name, 0)
    if call is not None:
        name = function.symbol.name
        message = f"`{name}` calls itself whatever happens: the recursion ends only when the stack does"
        yield Finding(call.span, message, "warning", ((function.name_span, f"`{name}` begins here"),))


def _always(stmt: Stmt | None, name: str, depth: int) -> ast.Call | None:
    """The call of the function `name` that `stmt` certainly makes."""
    if stmt is None or depth > _DEEPEST:
        return None
    match stmt:
        case ast.Compound():
            for item in stmt.items:
                found = _always(item, name, depth + 1)
                if found is not None or any(isinstance(n, (ast.Jump, ast.Labeled)) for n in item.walk()):
                    return found
                if _may_end(item):
                    return None
            return None
        case ast.If():
            found = _in_expr(stmt.condition, name)
            if found is not None or stmt.otherwise is None:
                return found
            then = _always(stmt.then, name, depth + 1)
            return then if then is not None and _always(stmt.otherwise, name, depth + 1) is not None else None
        case ast.For():
            known = loop_range(stmt)
            trips = known.trips.constant if known is not None and known.trips is not None else 0
            return _always(stmt.body, name, depth + 1) if trips else None
        case ast.DoWhile():
            return _always(stmt.body, name, depth + 1)
        case ast.While():
            return _always(stmt.body, name, depth + 1) if fold(stmt.condition) else _in_expr(stmt.condition, name)
        case ast.DirectiveStmt():
            conditional = stmt.directive.clause("if") is not None or not stmt.directive.known
            return None if conditional or "section" in stmt.directive.name else _always(stmt.body, name, depth + 1)
        case ast.ExprStmt() | ast.DeclStmt() | ast.Jump():
            return next((c for part in stmt.children() if (c := _in_expr(part, name)) is not None), None)
    return None


def _in_expr(node: Node | None, name: str) -> ast.Call | None:
    """The call in an expression, if it is certainly evaluated."""
    if node is None or isinstance(node, (ast.SizeOf, ast.Conditional, ast.StatementExpr, ast.Generic)):
        return _in_expr(node.condition, name) if isinstance(node, ast.Conditional) else None
    if isinstance(node, ast.Binary) and node.op in _NOT_ALWAYS:
        return _in_expr(node.left, name)
    if isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and node.function.name == name:
        return node
    return next((c for child in node.children() if (c := _in_expr(child, name)) is not None), None)


def _may_end(node: Node) -> bool:
    """Whether a call in it may never return."""
    calls: list[Expr] = [n.function for n in node.walk() if isinstance(n, ast.Call)]
    return any(isinstance(f, ast.Name) and f.name in NO_RETURN for f in calls)


RULE = Rule(
    id="endless-recursion",
    severity="warning",
    title="A function that calls itself whatever happens",
    why="""
A function that comes to a call of itself on every way never returns: each call takes more of the stack, which is small on a
device, and tasks that create tasks without end fill the queue of tasks. A recursion needs a condition that ends it before
the call.
""",
    section="none",
    group="structure",
    bad=(
        """
#pragma omp begin declare target
int counter;
int again(void) {
    counter++;
    return again();
    //     ^^^^^^^ warning: `again` calls itself whatever happens: the recursion ends only when the stack does
}
#pragma omp end declare target
""",
        """
int counter;
int more(void) {
    for (int i = 0; i < 16; i++) {
        #pragma omp atomic
        counter++;
        #pragma omp task
        more();
    //  ^^^^^^ warning: `more` calls itself whatever happens: the recursion ends only when the stack does
    }
    return counter;
}
""",
    ),
    good=(
        """
int fib(int n) {
    int i, j;
    if (n < 2)
        return n;
    #pragma omp task shared(i)
    i = fib(n - 1);
    j = fib(n - 2);
    #pragma omp taskwait
    return i + j;
}
""",
        """
int total;
void visit(int n, int *child) {
    for (int i = 0; i < n; i++) {
        #pragma omp task
        visit(n - 1, child);
    }
}
""",
        """
int depth(int n) {
    #pragma omp atomic
    n++;
    return n > 100 ? n : depth(n);
}
""",
        """
void f(int n) {
    #pragma omp task if(n > 0)
    { if (n > 0) f(n - 1); }
}
""",
        """
int stop(int n);
int f(int n) {
    #pragma omp parallel
    n++;
    return stop(n) || f(n);
}
""",
        """
void exit(int);
void f(int n) {
    #pragma omp taskwait
    if (n == 0)
        exit(1);
    f(n - 1);
}
""",
    ),
    check=check,
)
