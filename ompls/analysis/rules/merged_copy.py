"""A `mergeable` task changes a private copy whose original is read afterwards: merged, it changes the original."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Node, Symbol, walk_all
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, Record
from ompls.analysis.model.peel import bare, strip
from ompls.analysis.rules.support.framework import Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when the task changes a local scalar for certain that it has by default as firstprivate (the function has
    no construct that makes it shared), and the function reads the variable behind the task.  A task that is never
    undeferred or included in practice still may be merged by the letter, so that the result is not defined.
    """
    content, function = scene.content, scene.function
    if content is None or function is None:
        return
    for stmt in content.directives:
        if stmt.directive.name == "task" and stmt.directive.clause("mergeable") is not None:
            yield from _changes(stmt, function, content.directives)


def _changes(stmt: DirectiveStmt, function: FunctionDef, directives: Sequence[DirectiveStmt]) -> Iterator[Finding]:
    around = [s for s in directives if s.span.start < stmt.span.start and stmt.span.end <= s.span.end]
    if around or stmt.body is None or stmt.directive.clause("default", "if") is not None:
        return
    listed = {i.symbol for c in stmt.directive.clauses if c.name != "firstprivate" for i in c.items}
    final = stmt.directive.clause("final")
    if final is not None and final.args and fold(final.args[0]) is None:
        return  # the program may ask with `omp_in_final` which it is
    reported: set[Symbol] = set()
    for node in _certain(stmt.body):
        symbol = _changed(node)
        if symbol is None or symbol in listed or symbol in reported or not _is_local(symbol, stmt):
            continue
        read = next((n for n in walk_all(function.body) if _reads(n, symbol) and n.span.start >= stmt.span.end), None)
        if read is not None:
            reported.add(symbol)
            message = f"whether this changes `{symbol.name}` behind the task depends on whether the task is merged"
            related = ((read.span, f"`{symbol.name}` is read here"),)
            yield Finding(node.span, message, "warning", related)


def _certain(body: ast.Stmt) -> Iterator[Node]:
    """What a body does whatever happens."""
    items = body.items if isinstance(body, ast.Compound) else [body]
    for item in items:
        if isinstance(item, ast.ExprStmt) and item.expr is not None:
            yield strip(item.expr)


def _changed(node: Node) -> Symbol | None:
    target = bare(assigned_by(node))
    return target.symbol if isinstance(target, ast.Name) else None


def _is_local(symbol: Symbol, task: DirectiveStmt) -> bool:
    if symbol.level == "file" or symbol.storage in ("static", "extern") or isinstance(symbol.type, (Array, Record)):
        return False
    return not any(isinstance(n, ast.VarDecl) and n.symbol is symbol for n in task.walk())


def _reads(node: Node, symbol: Symbol) -> bool:
    return isinstance(node, ast.Name) and node.symbol is symbol


RULE = Rule(
    id="merged-copy",
    severity="warning",
    title="A `mergeable` task changes a private copy of a variable that is used behind it",
    why="""
A task with `mergeable` may be merged: it then works on the variables of the task that creates it, instead of copies of its
own. When it changes a variable that is firstprivate in it, and the creator uses that variable afterwards, the result depends
on what the implementation does. Make the variable `shared` if the change is wanted, else give the task a variable of its own.
""",
    section="12.2",
    group="sharing",
    about="directives",
    bad=(
        """
int printf(const char *, ...);
void f(void) {
    int x = 2;
    #pragma omp task mergeable
    x++;
//  ^^^ warning: whether this changes `x` behind the task depends on whether the task is merged
    #pragma omp taskwait
    printf("%d", x);
}
""",
        """
void use(int);
int f(int n) {
    #pragma omp task mergeable firstprivate(n)
    {
        n = n + 1;
    //  ^^^^^^^^^ warning: whether this changes `n` behind the task depends on whether the task is merged
        use(n);
    }
    return n;
}
""",
    ),
    good=(
        """
int f(void) {
    int x = 2;
    #pragma omp task shared(x) mergeable
    x++;
    #pragma omp taskwait
    return x;
}
""",
        """
int f(void) {
    int x = 2;
    #pragma omp task
    x++;
    #pragma omp taskwait
    return x;
}
""",
        """
void use(int);
void f(int n) {
    #pragma omp task mergeable
    {
        int own = n;
        own++;
        use(own);
    }
}
""",
        """
void use(int);
void f(int n) {
    use(n);
    #pragma omp task mergeable
    n++;
}
""",
        """
int omp_in_final(void);
void visit(int pos, char *state) {
    char copy[64];
    #pragma omp task final(pos > 3) mergeable
    {
        if (!omp_in_final())
            state = copy;
        state[pos] = 0;
    }
    state[0] = 1;
    #pragma omp taskwait
}
""",
        """
int x;
int f(void) {
    #pragma omp task mergeable
    x++;
    #pragma omp taskwait
    return x;
}
""",
    ),
    check=check,
)
