"""A private variable that is read before anything is assigned to it.

Certain when the variable has no value on any path to the read: the copy of `private` and `lastprivate` starts without one
(5.2 §5.3).  A loop inside the construct is followed to its fixed point, so that a value from an earlier iteration counts;
the iterations of the construct's own loop are not, since each may be a thread's first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ompls.analysis.dataenv.private import LOOP_CONSTRUCTS, PRIVATISING, loop_variables
from ompls.analysis.dataenv.uses import uses
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Stmt, Symbol, walk_all
from ompls.analysis.model.ctype import Array, Enum, Floating, Integer, Pointer, Record
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.rules.support.bodies import run_by
from ompls.analysis.rules.support.flow import Flow, State
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene

_UNSET: frozenset[Any] = frozenset(("unset",))
_SET: frozenset[Any] = frozenset(("set",))
_MESSAGE = "is read here before anything is assigned to it: a private copy starts without a value"
# Clauses that give the copy a value, or make the variable something else.
_OTHERWISE = (*sorted(PRIVATISING.keys() - {"private", "lastprivate", "copyprivate"}), "copyin", "shared")


class _Values(Flow):
    """Whether each of some private variables has a value; `read` holds what was known at each read, last time round."""

    def __init__(self, symbols: frozenset[Symbol]) -> None:
        super().__init__()
        self.symbols = symbols
        self.read: dict[Node, tuple[Symbol, frozenset[Any]]] = {}
        self.updates: set[Node] = set()  # reads by `x += …` and `x++`

    def default(self, key: Hashable) -> frozenset[Any]:
        return _SET

    def expr(self, expr: Expr, state: State) -> State:
        for use in uses(expr):
            symbol = use.symbol
            if symbol not in self.symbols or self.is_private(symbol):
                continue
            if use.depth == 0 and not use.escapes and use.read:
                self.read[use.node] = (symbol, state.get(symbol, _SET))
            if use.depth == 0 and use.read and use.write and not use.escapes:
                self.updates.add(use.node)  # what had no value has none afterwards
            elif use.depth == 0 and (use.write or use.escapes):
                state = {**state, symbol: _SET}
        return state

    def original(self, expr: Expr, state: State, write: bool) -> State:
        symbol = expr.symbol if isinstance(expr, ast.Name) else None
        if symbol not in self.symbols or self.is_private(symbol):
            return state
        assert symbol is not None
        if not write:
            self.read[expr] = (symbol, state.get(symbol, _SET))
        return {**state, symbol: _SET} if write else state

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        """What other clauses do with the variable is not followed: it counts as a value."""
        end = self.construct(stmt, state)
        for clause in stmt.directive.clauses:
            for item in clause.items:
                if end is not None and clause.name not in ("private", "firstprivate", "shared"):
                    end = {**end, item.symbol: _SET} if item.symbol in self.symbols else end
        return end


def check(scene: Scene) -> Iterator[Finding]:
    for stmt in scene.content.directives if scene.content is not None else ():
        directive = stmt.directive
        if stmt.body is None or not directive.known:
            continue
        listed = dict(_candidates(directive, stmt.body))
        body = run_by(directive, stmt.body) if listed else None
        if body is None or any(isinstance(n, (ast.OtherStmt, ast.OtherExpr)) for n in walk_all(body)):
            continue
        values = _Values(frozenset(listed))
        values.run(body, dict.fromkeys(listed, _UNSET))
        seen: set[Symbol] = set()
        # A value that only updates itself and goes nowhere does no harm: other reads come first.
        for node, (symbol, facts) in sorted(values.read.items(), key=lambda r: (r[0] in values.updates, r[0].span)):
            if facts == _UNSET and symbol not in seen:
                seen.add(symbol)
                clause, item = listed[symbol]
                harmless = node in values.updates and clause.name == "private"
                severity: Severity = "hint" if harmless else "warning"
                message = f"`{symbol.name}` {_MESSAGE}"
                related = ((item.span, f"`{clause.name}` here"),)
                yield Finding(node.span, message, severity, related, _changes(directive, body, clause, item))


def _changes(directive: Directive, body: Stmt, clause: Clause, item: ListItem) -> tuple[Change, ...]:
    """The value from outside, unless an iteration writes the copy: the next one of the thread would go on with that."""
    if LOOP_CONSTRUCTS & set(directive.constructs) and any(u.write for u in uses(body) if u.symbol is item.symbol):
        return ()
    return (Change(f"Make `{item.text}` firstprivate", clause.span, _firstprivate(clause, item), safe=False),)


def _firstprivate(clause: Clause, item: ListItem) -> str:
    """The clause with a `firstprivate` for the item beside it, or in its place."""
    if clause.name == "lastprivate":
        return f"firstprivate({item.text}) {clause.name}({clause.text})"
    others = ", ".join(i.text for i in clause.items if i is not item)
    return f"private({others}) firstprivate({item.text})" if others else f"firstprivate({item.text})"


def _candidates(directive: Directive, body: Stmt) -> Iterator[tuple[Symbol, tuple[Clause, ListItem]]]:
    """The variables of which the construct makes copies without values; an element or a member counts as the whole."""
    counted = set(loop_variables(directive, body))
    other = {i.symbol for c in directive.all(*_OTHERWISE) for i in c.items}
    for clause in directive.all("private", "lastprivate"):
        for item in clause.items:
            symbol = item.symbol
            if symbol is None or not isinstance(item.expr, ast.Name) or symbol in counted or symbol in other:
                continue
            if isinstance(symbol.type, (Integer, Floating, Enum, Pointer, Array, Record)):
                yield symbol, (clause, item)


RULE = Rule(
    id="uninitialised-private",
    severity="warning",
    group="sharing",
    title="A private variable is read before it has a value",
    why="""
`private` and `lastprivate` make a new variable for each thread, lane or task, and it starts without a value, whatever the
variable of that name outside holds. If the value from outside is wanted, the clause is `firstprivate`; if each thread computes
its own, it has to be assigned first.
""",
    section="5.4.3",
    about="directives",
    bad=(
        """
void f(int n, double *x, double scale) {
    #pragma omp parallel for private(scale)
    for (int i = 0; i < n; i++)
        x[i] *= scale;
    //          ^^^^^ warning: `scale` is read here before anything is assigned to it: a private copy starts without a value
}
""",
        """
void f(int n, double *x) {
    double t = 1, last = 0;
    #pragma omp target teams distribute parallel for private(t) lastprivate(last) map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        last += x[i];
    //  ^^^^ warning: `last` is read here before anything is assigned to it: a private copy starts without a value
        if (x[i] > 0)
            x[i] = t;
    //             ^ warning: `t` is read here before anything is assigned to it: a private copy starts without a value
        t = 2;
    }
    x[0] = last;
}
""",
        """
void f(int n, double *x) {
    double *row = x;
    int k = 3, m;
    #pragma omp parallel private(row, k, m)
    {
        for (int i = 0; i < n; i++)
            row[i] = i;
    //      ^^^ warning: `row` is read here before anything is assigned to it: a private copy starts without a value
        #pragma omp task firstprivate(k)
    //                                ^ warning: `k` is read here before anything is assigned to it: a private copy starts without a value
        x[0] = k;
        m = 1;
        x[m] = m;
    }
}
""",
        """
void f(int n, const int *x) {
    int sum = 0;
    #pragma omp parallel for private(sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    //  ^^^ hint: `sum` is read here before anything is assigned to it: a private copy starts without a value
}
""",
        """
int start(void);
void f(int n, int *x) {
    int count = start();
    #pragma omp parallel private(count)
    while (count > 0) {
    //     ^^^^^ warning: `count` is read here before anything is assigned to it: a private copy starts without a value
        x[n] = 0;
        n--;
    }
}
""",
        """
struct limits { double low, high; };
void f(int n, const double *x, double *y) {
    double weights[3] = {1, 2, 1};
    struct limits range = {0, 1};
    #pragma omp target teams distribute parallel for private(weights, range) map(to: x[0:n+2]) map(from: y[0:n])
    for (int i = 0; i < n; i++) {
        y[i] = weights[0] * x[i] + weights[1] * x[i + 1] + weights[2] * x[i + 2];
        //     ^^^^^^^^^^ warning: `weights` is read here before anything is assigned to it: a private copy starts without a value
        if (y[i] > range.high)
        //         ^^^^^^^^^^ warning: `range` is read here before anything is assigned to it: a private copy starts without a value
            y[i] = range.high;
    }
}
""",
    ),
    good=(
        """
void f(int n, double *x, double scale) {
    #pragma omp parallel for firstprivate(scale)
    for (int i = 0; i < n; i++)
        x[i] *= scale;
}
""",
        """
void f(int n, double *x) {
    double t, last;
    #pragma omp parallel for private(t) lastprivate(last)
    for (int i = 0; i < n; i++) {
        t = x[i] * 2;
        if (t > 1) last = t; else last = 1;
        x[i] = t + last;
    }
}
""",
        """
void f(int n, double *x) {
    double t;
    #pragma omp parallel private(t)
    for (int i = 0; i < n; i++) {
        if (i > 0) x[i] += t;
        t = x[i];
    }
}
""",
        """
void fill(double *);
void f(int n, double *x) {
    double t; int k;
    #pragma omp parallel private(t, k)
    {
        fill(&t);
        x[0] = t + sizeof(k);
        for (k = 0; k < n; k++) x[k] = t;
    }
}
""",
        """
void f(int n, double *x) {
    int i, j, k;
    #pragma omp parallel for private(i, j, k) collapse(2)
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            for (k = 0; k < n; k++)
                x[i * n + j] += k;
}
""",
        """
void f(int n, double *x) {
    double t;
    int m;
    #pragma omp parallel private(t, m)
    {
        #pragma omp single copyprivate(m)
        m = n;
        #pragma omp for private(t)
        for (int i = 0; i < m; i++) { t = i; x[i] = t; }
        #pragma omp for lastprivate(t)
        for (int i = 0; i < n; i++) t = i;
        x[0] = t;
    }
}
""",
        """
void f(int n, double *x) {
    double best;
    int found = 0;
    #pragma omp parallel private(best) firstprivate(found)
    {
        for (int i = 0; i < n; i++)
            if (!found || x[i] > best) { best = x[i]; found = 1; }
        #pragma omp critical
        x[0] += best;
    }
}
""",
        """
struct s { int a, b; };
void f(int n, struct s v, int x[4]) {
    int y[4];
    #pragma omp parallel private(v, y)
    {
        v.a = 1;
        y[0] = v.a;
        x[0] = y[0] + v.a;
    }
}
""",
        """
void *memset(void *, int, unsigned long);
void f(int n, const int *x, int *counts) {
    int own[16], row[4], other[2];
    #pragma omp parallel private(own, row, other)
    {
        memset(own, 0, sizeof own);
        #pragma omp for
        for (int i = 0; i < n; i++) own[x[i]]++;
        for (int k = 0; k < 4; k++) row[k] = k;
        counts[0] += row[0] + own[0] + sizeof other[0];
    }
}
""",
    ),
    check=check,
)
