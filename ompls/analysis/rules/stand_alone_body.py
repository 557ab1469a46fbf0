"""A stand-alone directive in the place of a statement: the body of an `if`, of a loop or of another construct."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import (
    Compound,
    DirectiveStmt,
    DoWhile,
    For,
    If,
    Node,
    Stmt,
    Switch,
    While,
)
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.spec import DIRECTIVES

# A utility directive may stand anywhere; what a metadirective becomes is not known.
_ANYWHERE = frozenset(("nothing", "error", "metadirective", "begin metadirective", "end metadirective"))


def check(scene: Scene) -> Iterator[Finding]:
    content, function = scene.content, scene.function
    if content is None or function is None or all(s.body is not None for s in content.directives):
        return
    for node in function.body.walk():
        for what, body in _bodies(node):
            stmt = _first(body, content.text)
            if stmt is not None:
                yield _finding(stmt, what, content.text)


def _bodies(node: Node) -> Iterator[tuple[str, Stmt | None]]:
    """The statements that are the whole body of something."""
    if isinstance(node, If):
        yield "if", node.then
        yield "else", node.otherwise
    elif isinstance(node, (While, For, DoWhile, Switch)):
        yield {While: "while", For: "for", DoWhile: "do", Switch: "switch"}[type(node)], node.body
    elif isinstance(node, DirectiveStmt) and node.directive.known and node.directive.name not in _ANYWHERE:
        yield node.directive.name, node.body


def _first(body: Stmt | None, text: bytes) -> DirectiveStmt | None:
    """The stand-alone directive that `body` is or, without a block, begins with."""
    if isinstance(body, Compound) and text[body.span.start : body.span.start + 1] != b"{":
        body = body.items[0] if body.items else None
    if not isinstance(body, DirectiveStmt) or body.body is not None or not body.directive.known:
        return None
    spec = DIRECTIVES.get(body.directive.name)
    if spec is None or spec.kind not in ("none", "block", "separating") or body.directive.name in _ANYWHERE:
        return None
    if spec.kind == "block" and body.directive.clause("depend", "doacross") is None:
        return None  # an unfinished construct
    return body


def _finding(stmt: DirectiveStmt, what: str, text: bytes) -> Finding:
    span = stmt.directive.span
    message = f"`{stmt.directive.name}` cannot be the body of `{what}`: a directive is no statement; put it in a block"
    words = decoded(text[span.start : span.end])
    change = Change("Put it in a block", span, "{\n" + words + "\n}")
    return Finding(stmt.directive.name_span, message, "error", (), (change,))


RULE = Rule(
    id="stand-alone-body",
    severity="error",
    title="A stand-alone directive in the place of a statement",
    why="""
A directive without a statement of its own is none either: without OpenMP the pragma vanishes, and the next statement
would become the body of the `if`. So it must stand in a block.
""",
    section="3.1",
    bad=(
        """
void f(int n, double *x) {
    if (n > 3)
        #pragma omp target update to(x[0:n])
    //              ^^^^^^^^^^^^^ error: `target update` cannot be the body of `if`: a directive is no statement; put it in a block
    x[0] = 1;
}
""",
        """
void f(int n, double *x) {
    while (n--)
        #pragma omp taskyield
    //              ^^^^^^^^^ error: `taskyield` cannot be the body of `while`: a directive is no statement; put it in a block
    x[0] = 1;
    #pragma omp parallel
    #pragma omp barrier
    //          ^^^^^^^ error: `barrier` cannot be the body of `parallel`: a directive is no statement; put it in a block
    x[0] = 2;
}
""",
        """
void f(int n, double *x) {
    for (int i = 0; i < n; i++)
        if (i) x[i] = 0;
        else
        #pragma omp flush
        //          ^^^^^ error: `flush` cannot be the body of `else`: a directive is no statement; put it in a block
        x[i] = 1;
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    if (n > 3) {
        #pragma omp target update to(x[0:n])
    }
    #pragma omp parallel
    {
        #pragma omp barrier
    }
}
""",
        """
void f(int n, double *x) {
    if (n > 3)
        #pragma omp parallel
        x[0] = 1;
    else
        #pragma omp target map(x[0:n])
        x[0] = 2;
}
""",
        """
void f(int n, double *x) {
    if (n > 3)
        #pragma omp nothing
        x[0] = 1;
    if (n > 3)
        #pragma omp metadirective when(device={arch(nvptx)}: parallel) default(nothing)
        x[0] = 1;
}
""",
        """
void f(int n, double *x) {
    for (int i = 0; i < n; i++)
        #pragma omp atomic
        x[0] += i;
    switch (n) {
    case 1:
        x[0] = 1;
        #pragma omp taskwait
        break;
    }
}
""",
        """
void f(int n, double *x) {
    if (n > 3)
        x[0] = 1;
    #pragma omp target update from(x[0:n])
    if (n > 4) ;
    #pragma omp taskwait
    x[0] = 2;
}
""",
        """
#define SYNC _Pragma("omp taskwait")
void f(int n) {
    if (n > 3) { SYNC }
    SYNC
    n++;
}
""",
    ),
    check=check,
)
