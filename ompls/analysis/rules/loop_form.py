"""A loop under a loop directive that is not in canonical form: nobody can count its iterations beforehand.

Its variable, and what its condition and step are made of, may not change in its body (5.2 §4.4.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.private import private_copies
from ompls.analysis.model.assigned import assigned_by
from ompls.analysis.model.ast import (
    Assign,
    Binary,
    DeclStmt,
    DirectiveStmt,
    Expr,
    ExprStmt,
    For,
    Name,
    Node,
    Span,
    Symbol,
    Unary,
)
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, Floating, Record
from ompls.analysis.model.peel import bare, strip
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.loopnest import nest_of, takes_loops
from ompls.analysis.rules.support.nesting import placed

_COUNTING = ("++", "--")
_COMPARE = ("<", "<=", ">", ">=", "!=")
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        if takes_loops(place.stmt.directive):
            for loop in nest_of(place.stmt).loops:
                problem = _problem(loop, scene.unit.settings.openmp)
                if problem is not None:
                    span, message = problem
                    directive = place.stmt.directive
                    related = ((directive.name_span, f"the loop belongs to this `{directive.name}`"),)
                    yield Finding(span, f"not a loop that can be shared out: {message}", "error", related)
                else:
                    yield from _changed(loop, place.stmt)
            yield from _uneven(place.stmt)


def _uneven(stmt: DirectiveStmt) -> Iterator[Finding]:
    """Loops of a `collapse` whose rows differ in length by what is no multiple of their step (5.2 §4.4.2)."""
    clause = stmt.directive.clause("collapse")
    number = fold(clause.args[0]) if clause is not None and clause.args else None
    outer: list[tuple[For, Symbol, int]] = []
    for loop in nest_of(stmt).loops[: number or 0]:
        symbol = _variable(loop)
        step = _step(loop.step, symbol) if symbol is not None and loop.step is not None else None
        ends = _ends(loop, symbol) if symbol is not None else None
        if symbol is None or ends is None or loop.step is None or not isinstance(step, int) or step == 0:
            return
        for around, variable, stride in outer:
            first, last = (_factor(e, variable) for e in ends)
            if first is None or last is None or (last - first) * stride % step == 0:
                continue
            message = (
                f"from one `{variable.name}` to the next its rows change by {abs((last - first) * stride)}, "
                f"which is no multiple of its step {abs(step)}"
            )
            related = ((Span(around.span.start, around.span.start + 3), f"`{variable.name}` counts here"),)
            yield Finding(loop.step.span, f"not a loop that can be shared out: {message}", "error", related)
        outer.append((loop, symbol, step))


def _ends(loop: For, symbol: Symbol) -> tuple[Expr, Expr] | None:
    """Where the loop's variable begins, and what its condition compares it with."""
    begin: Expr | None = None
    if isinstance(loop.init, DeclStmt):
        begin = loop.init.decls[0].init
    elif isinstance(loop.init, ExprStmt) and loop.init.expr is not None:
        e = strip(loop.init.expr)
        begin = e.value if isinstance(e, Assign) else None
    condition = strip(loop.condition) if loop.condition is not None else None
    if begin is None or not isinstance(condition, Binary):
        return None
    return begin, condition.right if _is(condition.left, symbol) else condition.left


def _factor(e: Expr, symbol: Symbol) -> int | None:
    """How often `symbol` is in `e`, which is linear in it; None where that is not known."""
    e = strip(e)
    if isinstance(e, Name):
        return int(e.symbol is symbol)
    if not any(isinstance(n, Name) and n.symbol is symbol for n in e.walk()):
        return 0
    if isinstance(e, Unary) and e.op in ("+", "-"):
        inner = _factor(e.operand, symbol)
        return -inner if inner is not None and e.op == "-" else inner
    if isinstance(e, Binary) and e.op in ("+", "-"):
        left, right = _factor(e.left, symbol), _factor(e.right, symbol)
        if left is None or right is None:
            return None
        return left + right if e.op == "+" else left - right
    if isinstance(e, Binary) and e.op == "*":
        for one, other in ((e.left, e.right), (e.right, e.left)):
            times, inner = fold(one), _factor(other, symbol)
            if times is not None and inner is not None:
                return times * inner
    return None


def _changed(loop: For, stmt: DirectiveStmt) -> Iterator[Finding]:
    """Assignments in the body to the loop's variable, or to a variable in its condition or step."""
    variable = _variable(loop)
    heads = [e for e in (loop.condition, loop.step) if e is not None]
    named = {variable, *[n.symbol for e in heads for n in e.walk() if isinstance(n, Name)]}
    targets = [*[n.target for n in stmt.nodes(Assign)], *[n.operand for n in stmt.nodes(Unary) if n.op in _COUNTING]]
    inside = [e for e in map(strip, targets) if isinstance(e, Name) and e.span.start >= loop.body.span.start]
    if not any(e.symbol in named for e in inside):
        return  # as in most loops
    fixed = named - _own_copies(stmt)
    for target in _assigned(loop.body):
        if target.symbol is variable:
            message = f"`{target.name}` counts the iterations; an iteration may not change it"
        elif target.symbol in fixed:
            message = f"`{target.name}` decides how many iterations there are; an iteration may not change it"
        else:
            continue
        related = ((Span(loop.span.start, loop.span.start + 3), "of this loop"),)
        yield Finding(target.span, message, "error", related)


def _assigned(body: Node) -> Iterator[Name]:
    """The variables that `body` assigns as a whole, where no construct in it has copies of its own."""
    waiting: list[tuple[Node, frozenset[Symbol]]] = [(body, frozenset())]
    while waiting:
        node, private = waiting.pop()
        if isinstance(node, DirectiveStmt):
            private = private | _own_copies(node)
        target = bare(assigned_by(node))
        if isinstance(target, Name) and target.symbol is not None and target.symbol not in private:
            yield target
        waiting += [(child, private) for child in node.children()]


def _own_copies(stmt: DirectiveStmt) -> set[Symbol]:
    return private_copies(stmt.directive, stmt.body)


def _problem(loop: For, version: str) -> tuple[Span, str] | None:
    """What is not canonical about the loop's head (5.2 §4.4.1), and where."""
    head = Span(loop.span.start, loop.body.span.start) if loop.init is None else loop.init.span
    symbol = _variable(loop)
    if symbol is None:
        return (_line(head), "it must begin with an assignment to its variable") if _sure(loop) else None
    if isinstance(symbol.type, (Floating, Record, Array)):
        return head, f"its variable `{symbol.name}` must be an integer or a pointer"
    if loop.condition is None:
        return head, "it needs a condition"
    relation = _relation(loop.condition, symbol)
    if relation is None:
        return loop.condition.span, f"its condition must compare `{symbol.name}` by <, <=, >, >= or !="
    if relation == "!=" and version < "5.0":
        return loop.condition.span, "`!=` needs OpenMP 5.0"
    if loop.step is None:
        return loop.condition.span, f"it needs a step that changes `{symbol.name}`"
    step = _step(loop.step, symbol)
    if step is None:
        return loop.step.span, f"its step must add to `{symbol.name}` or subtract from it"
    if step == 0:
        return loop.step.span, "its step is 0"
    if isinstance(step, int) and (step < 0 if relation in ("<", "<=") else step > 0 if relation != "!=" else False):
        return loop.step.span, f"its step leads away from the end that `{relation}` sets"
    if relation == "!=" and isinstance(step, int) and abs(step) != 1:
        return loop.step.span, "with `!=` the step must be 1 or -1"
    return None


def _line(span: Span) -> Span:
    """The `for` itself when there is no beginning to show."""
    return Span(span.start, min(span.end, span.start + 3)) if span.end - span.start > 3 else span


def _sure(loop: For) -> bool:
    """Whether the beginning was read: an expression statement or nothing (not several declarators, say, of a macro)."""
    return loop.init is None or isinstance(loop.init, (ExprStmt, DeclStmt))


def _variable(loop: For) -> Symbol | None:
    init = loop.init
    if isinstance(init, DeclStmt):
        return init.decls[0].symbol if len(init.decls) == 1 and init.decls[0].init is not None else None
    if isinstance(init, ExprStmt) and init.expr is not None:
        e = strip(init.expr)
        if isinstance(e, Assign) and e.op == "=":
            target = strip(e.target)
            return target.symbol if isinstance(target, Name) else None
    return None


def _is(e: Expr, symbol: Symbol) -> bool:
    e = strip(e)
    return isinstance(e, Name) and e.symbol is symbol


def _relation(condition: Expr, symbol: Symbol) -> str | None:
    """The comparison as if the variable stood on its left."""
    e = strip(condition)
    if not isinstance(e, Binary) or e.op not in _COMPARE:
        return None
    if _is(e.left, symbol):
        return e.op
    return _SWAPPED[e.op] if _is(e.right, symbol) else None


def _step(step: Expr, symbol: Symbol) -> int | str | None:
    """What is added in each iteration; "?" when it is no constant, None when it is no canonical step."""
    e = strip(step)
    if isinstance(e, Unary) and e.op in ("++", "--") and _is(e.operand, symbol):
        return 1 if e.op == "++" else -1
    if not isinstance(e, Assign) or not _is(e.target, symbol):
        return None
    by: Expr | None = None
    minus = False
    if e.op in ("+=", "-="):
        by, minus = e.value, e.op == "-="
    elif e.op == "=":
        value = strip(e.value)
        if isinstance(value, Binary) and value.op in ("+", "-"):
            minus = value.op == "-"
            by = value.right if _is(value.left, symbol) else None
            if by is None and not minus and _is(value.right, symbol):
                by = value.left
            if by is None:
                return "?" if any(_is(n, symbol) for n in value.walk() if isinstance(n, Expr)) else None
    if by is None:
        return None
    amount = fold(by)
    if amount is None:
        return "?"
    return -amount if minus else amount


RULE = Rule(
    id="loop-form",
    severity="error",
    title="A loop whose iterations cannot be counted beforehand",
    why="""
To share out the iterations of a loop they must be numbered before the first of them runs. So the loop must have one
integer or pointer variable, which begins at a value, is compared with a bound, and changes by the same amount every time. An
iteration may change neither the variable nor the bound.
""",
    section="4.4.1",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp parallel for
    for (double t = 0; t < 1; t += 0.1) x[0] += t;
    //   ^^^^^^^^^^^^^ error: not a loop that can be shared out: its variable `t` must be an integer or a pointer
    #pragma omp parallel for
    for (int i = 1; i < n; i *= 2) x[i] = 0;
    //                     ^^^^^^ error: not a loop that can be shared out: its step must add to `i` or subtract from it
    #pragma omp parallel for
    for (int i = 0; i < n && x[i] > 0; i++) x[i] = 0;
    //              ^^^^^^^^^^^^^^^^^ error: not a loop that can be shared out: its condition must compare `i` by <, <=, >, >= or !=
}
""",
        """
void f(int n, double *x) {
    int i = 0;
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (; i < n; i++) x[i] = 0;
//  ^^^ error: not a loop that can be shared out: it must begin with an assignment to its variable
    #pragma omp simd
    for (i = 0; ; i++) x[i] = 0;
    //   ^^^^^ error: not a loop that can be shared out: it needs a condition
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = n - 1; j < n; j--)
    //                             ^^^ error: not a loop that can be shared out: its step leads away from the end that `<` sets
            x[i * n + j] = 0;
    #pragma omp for
    for (int i = 0; i != n; i += 2) x[i] = 0;
    //                      ^^^^^^ error: not a loop that can be shared out: with `!=` the step must be 1 or -1
}
""",
        """
#define SKIP(i) (i) += 2
static void f(int n, double *x) {
    int i;
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (i = 0; i < n; i++)
        if (x[i] < 0) SKIP(i);
    //                ^^^^^^^ error: `i` counts the iterations; an iteration may not change it
}
int main(void) {
    double x[100] = {0};
    int end = 100;
    f(100, x);
    #pragma omp simd
    for (int i = 0; i < end; i++)
        if (x[i] < 0) end--;
    //                ^^^ error: `end` decides how many iterations there are; an iteration may not change it
    return end;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute parallel for collapse(2) map(tofrom: x[0:n])
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j += 2)
    //                         ^^^^^^ error: not a loop that can be shared out: from one `i` to the next its rows change by 1, which is no multiple of its step 2
            x[j] = i;
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i += 2)
        for (int j = 3 * i; j > -i + 1; j = j - 3)
    //                                  ^^^^^^^^^ error: not a loop that can be shared out: from one `i` to the next its rows change by 8, which is no multiple of its step 3
            x[i] = j;
}
""",
    ),
    good=(
        """
void f(int n, int step, double *x) {
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i += 2)
        for (int j = i; j < 3 * i + n; j += 4) x[j] = i;
    #pragma omp parallel for collapse(3)
    for (int i = 0; i < n; i++)
        for (int j = i; j > i * 4 - n; j -= 3)
            for (int k = i + 1; k < i + n; k += 7) x[k] = j;
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j += step) x[j] = i;
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j += 2) x[j] = i;
}
""",
        """
void f(int n, double *x) {
    int i;
    #pragma omp parallel for
    for (i = 0; i < n; i++) x[i] = 0;
    #pragma omp parallel for
    for (i = n - 1; i >= 0; --i) x[i] = 0;
    #pragma omp parallel for
    for (i = 0; n > i; i = i + 2) x[i] = 0;
    #pragma omp parallel for
    for (i = 0; i <= n - 1; i = 3 + i) x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for
    for (double *p = x; p < x + n; p++) *p = 0;
    #pragma omp parallel for
    for (double *p = x; p != x + n; ++p) *p = 0;
}
""",
        """
void f(int n, int step, double *x) {
    #pragma omp parallel for
    for (unsigned long i = 0; i < (unsigned long)n; i += step) x[i] = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i -= -2) x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    for (double t = 0; t < 1; t += 0.1) x[0] += t;
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 1; i < n && x[i] > 0; i *= 2) x[i] = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 1; k < n; k *= 2) x[i] += k;
}
""",
        """
#define EACH(v, n) for (long v = 0; (v) < (n); (v)++)
void f(int n, double *x) {
    #pragma omp parallel for
    EACH(i, n) x[i] = 0;
    #pragma omp taskloop
    for (char c = 0; c < 10; c++) x[(int)c] = 0;
}
""",
        """
void f(int n, double *x, int *seen) {
    int i, left = n;
    #pragma omp parallel for firstprivate(left)
    for (i = 0; i < n; i++) {
        int k = i;
        while (k < n) k += 2;
        for (int i = 0; i < n; i += 2) { i++; x[i] = 0; }
        left -= k;
        *(&n - 1) += seen[i]++;
    }
    i = n;
}
""",
        """
void f(int n, double *x) {
    int j, m = n;
    #pragma omp taskloop firstprivate(m)
    for (int i = 0; i < m; i++) m = i;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp simd private(n)
        for (j = 0; j < 8; j++) { n = j; x[i] += n; }
    }
}
""",
        """
enum colour { RED, GREEN, BLUE };
void f(double *x) {
    #pragma omp parallel for
    for (enum colour c = RED; c <= BLUE; c++) x[c] = 0;
}
""",
    ),
    check=check,
)
