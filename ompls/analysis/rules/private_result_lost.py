"""A variable that a construct has copies of by `private` or `firstprivate`, assigns there, and that is read afterwards.

A hint where it has a value before: it may be a temporary in the construct, and that value is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.uses import uses
from ompls.analysis.model.ast import DirectiveStmt, DoWhile, For, FunctionDef, Name, Symbol, Unary, While
from ompls.analysis.model.ctype import Enum, Floating, Integer, Pointer
from ompls.analysis.model.omp import ListItem
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.privately import read_behind

_SCALARS = (Integer, Floating, Enum, Pointer)
_BRING_BACK = ("lastprivate", "reduction", "linear", "copyprivate")


def check(scene: Scene) -> Iterator[Finding]:
    function, content = scene.function, scene.content
    if function is None or content is None or content.tainted:
        return
    for stmt in content.directives:
        clauses = [c for c in stmt.directive.clauses if c.name in ("private", "firstprivate")]
        if not clauses or stmt.body is None:
            continue
        back = {i.symbol for c in stmt.directive.all(*_BRING_BACK) for i in c.items}
        found = [(i, c.name) for c in clauses for i in c.items if _is_own_scalar(i) and i.symbol not in back]
        names = {i.symbol for i, _ in found} & _named_after(function, stmt) if found else set()
        assigned = {u.symbol: u.node for u in uses(stmt.body) if u.write and u.depth == 0} if names else {}
        for item, clause in found:
            symbol = item.symbol
            if symbol is None or symbol not in names or symbol not in assigned:
                continue
            read = read_behind(function, stmt, symbol)
            if read is not None:
                empty = _has_no_value(function, stmt, symbol)
                has = "no value" if empty else "its old value"
                message = f"`{symbol.name}` is read after the construct, where it has {has}: by `{clause}` what is assigned here is lost"
                related = ((assigned[symbol].span, "assigned here"), (read.span, "read here"))
                yield Finding(item.span, message, "warning" if empty else "hint", related)


def _is_own_scalar(item: ListItem) -> bool:
    """Whether it is a scalar that no other function can see."""
    symbol = item.symbol
    local = symbol is not None and symbol.level != "file" and symbol.storage not in ("static", "extern")
    return local and isinstance(item.expr, Name) and isinstance(item.expr.type, _SCALARS)


def _has_no_value(function: FunctionDef, stmt: DirectiveStmt, symbol: Symbol) -> bool:
    """Whether a local variable never gets a value outside of the construct: it is only read, and only behind it."""
    if symbol.level != "block" or symbol.init is not None:
        return False
    start, end = stmt.span
    nodes = [n for n in function.body.walk() if not start <= n.span.start < end]
    if any(isinstance(n, (For, While, DoWhile)) and n.span.start < start < n.span.end for n in nodes):
        return False
    kept = {id(n.operand) for n in nodes if isinstance(n, Unary) and n.op == "&"}
    named = [n for n in nodes if isinstance(n, Name) and n.symbol is symbol]
    written = any(u.write and u.symbol is symbol and not start <= u.node.span.start < end for u in uses(function.body))
    return not written and all(n.span.start >= end and id(n) not in kept for n in named)


def _named_after(function: FunctionDef, stmt: DirectiveStmt) -> set[Symbol | None]:
    return {n.symbol for n in function.body.walk() if isinstance(n, Name) and n.span.start >= stmt.span.end}


RULE = Rule(
    id="private-result-lost",
    severity="warning",
    group="sharing",
    title="A private variable is assigned in a construct, and read after it",
    why="""
With `private` and `firstprivate` a construct works on copies: what it assigns ends with it, and the variable has its old value
again. A result needs `lastprivate`, `reduction` or `map(from: x)`. It is a warning where the variable never had a value. Else it
is a hint: it may be a temporary in the construct, and its old value what is wanted; then a variable that is declared inside says so.
""",
    section="5.4",
    about="directives",
    bad=(
        """
int f(const int *v) {
    int last;
    #pragma omp parallel for private(last)
    //                               ^^^^ warning: `last` is read after the construct, where it has no value: by `private` what is assigned here is lost
    for (int i = 0; i < 64; i++) last = v[i];
    return last;
}
""",
        """
void set(int *);
int f(const int *v) {
    int last;
    #pragma omp parallel for private(last)
    //                               ^^^^ hint: `last` is read after the construct, where it has its old value: by `private` what is assigned here is lost
    for (int i = 0; i < 64; i++) last = v[i];
    set(&last);
    return last;
}
""",
        """
int f(int *v) {
    int last = -1, best = 0;
    #pragma omp target parallel for private(last) map(from: v[0:64])
    //                                      ^^^^ hint: `last` is read after the construct, where it has its old value: by `private` what is assigned here is lost
    for (int i = 0; i < 64; i++) { last = i * 3; v[i] = last; }
    #pragma omp parallel for firstprivate(best)
    //                                    ^^^^ hint: `best` is read after the construct, where it has its old value: by `firstprivate` what is assigned here is lost
    for (int i = 0; i < 64; i++) if (v[i] > best) best = v[i];
    return last + best;
}
""",
    ),
    good=(
        """
int f(int *v) {
    int last = -1;
    #pragma omp target parallel for lastprivate(last) map(from: v[0:64])
    for (int i = 0; i < 64; i++) { last = i * 3; v[i] = last; }
    return last;
}
""",
        """
void f(int n, int *v) {
    int i, t;
    #pragma omp parallel for private(t)
    for (i = 0; i < n; i++) { t = i * 3; v[i] = t; }
    #pragma omp parallel for private(t)
    for (i = 0; i < n; i++) { t = v[i]; v[i] = t * t; }
    t = 0;
    v[0] = t;
}
""",
        """
int f(int n, int *v) {
    int offset = 3;
    #pragma omp parallel for firstprivate(offset)
    for (int i = 0; i < n; i++) v[i] = offset;
    return offset;
}
""",
        """
int f(int n, int *v) {
    int t = 0, sum = 0;
    #pragma omp parallel private(t)
    {
        t = n;
        #pragma omp for reduction(+: sum)
        for (int i = 0; i < n; i++) sum += v[i] + t;
    }
    return sum;
}
""",
        """
int f(int n, int *v) {
    int t;
    for (int k = 0; k < n; k++) {
        #pragma omp parallel for private(t)
        for (int i = 0; i < n; i++) { t = i; v[i] += t; }
        t = v[k];
        v[0] += t;
    }
    return v[0];
}
""",
    ),
    check=check,
)
