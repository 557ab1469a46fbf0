"""A variable that `default(none)` leaves without a data-sharing attribute."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.private import PRIVATISING, loop_variables
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.model.ctype import CType, innermost
from ompls.analysis.model.omp import Clause
from ompls.analysis.rules.support.bodies import run_by
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.spec.data_clauses import ON_DEVICE

_SHARING = (*PRIVATISING, *sorted(ON_DEVICE), "shared", "copyin", "map", "aligned", "nontemporal", "inclusive",
            "exclusive")  # fmt: skip


def check(scene: Scene) -> Iterator[Finding]:
    """Only what every version of OpenMP wants to be listed: no constants, nothing that the construct itself declares."""
    if scene.content is None:
        return
    for stmt in scene.content.directives:
        clause = next((c for c in stmt.directive.all("default") if c.keyword == "none" and not c.modifiers), None)
        if clause is None or stmt.body is None or not stmt.directive.known or stmt.directive.has("target"):
            continue
        for use in _missing(scene, stmt):
            name = use.symbol.name
            change = Change(
                f"Add `shared({name})`", ast.Span(clause.span.end, clause.span.end), f" shared({name})", False
            )
            message = f"`{name}` is used here, but `default(none)` wants it in a clause"
            yield Finding(use.node.span, message, "error", ((clause.span, "required here"),), (change,))


def _missing(scene: Scene, stmt: DirectiveStmt) -> Iterator[Use]:
    """The first use of each variable from outside that no clause of the construct lists."""
    directive = stmt.directive
    listed = {i.symbol for c in directive.all(*_SHARING) for i in c.items}
    listed |= set(loop_variables(directive, stmt.body))
    listed |= {i.symbol for c in _nested_counters(stmt) for i in c.items}
    seen: set[Symbol] = set()
    # What the loops of a taskloop count is worked out before there are tasks.
    body = run_by(directive, stmt.body) if directive.has("taskloop") and stmt.body is not None else stmt.body
    for use in uses(body):
        symbol = use.symbol
        if (
            symbol not in seen
            and symbol not in listed
            and isinstance(use.node, ast.Expr)
            and _outside(scene, stmt, symbol)
        ):
            seen.add(symbol)
            yield use


def _nested_counters(stmt: DirectiveStmt) -> Iterator[Clause]:
    """`linear` of loops inside, whose variables are predetermined."""
    for node in stmt.walk():
        if isinstance(node, DirectiveStmt) and node is not stmt:
            yield from node.directive.all("linear")


def _outside(scene: Scene, stmt: DirectiveStmt, symbol: Symbol) -> bool:
    """Whether the variable comes from outside and has no attribute by itself."""
    if (
        symbol.kind not in ("var", "param")
        or symbol.from_system_header
        or symbol.thread_local
        or _constant(symbol.type)
    ):
        return False
    if symbol.name in scene.unit.told.threadprivate:
        return False
    if symbol.level == "file":
        return True
    return symbol.span is not None and symbol.span.end <= stmt.span.start


def _constant(t: CType) -> bool:
    return "const" in innermost(t).quals


RULE = Rule(
    id="default-none",
    severity="error",
    group="sharing",
    title="A variable that `default(none)` wants to be listed",
    why="""
With `default(none)` every variable from outside that the construct uses has to be in a data-sharing clause; compilers refuse the
construct otherwise. Iteration variables, threadprivate variables and what is declared inside need none.
""",
    section="5.4.1",
    about="directives",
    bad=(
        """
void f(int n, double *x, double scale) {
    #pragma omp parallel for default(none) shared(x, n)
    for (int i = 0; i < n; i++)
        x[i] *= scale;
    //          ^^^^^ error: `scale` is used here, but `default(none)` wants it in a clause
}
""",
        """
int total;
void f(int n, double *x) {
    int i;
    #pragma omp parallel default(none) shared(x)
    {
        #pragma omp for
        for (i = 0; i < n; i++)
        //              ^ error: `n` is used here, but `default(none)` wants it in a clause
            x[i] = 0;
        #pragma omp single
        total++;
    //  ^^^^^ error: `total` is used here, but `default(none)` wants it in a clause
    }
}
""",
    ),
    good=(
        """
void f(int n, double *x, double scale) {
    int i;
    #pragma omp parallel for default(none) shared(x, n) firstprivate(scale) private(i)
    for (i = 0; i < n; i++)
        x[i] *= scale;
}
""",
        """
int own;
#pragma omp threadprivate(own)
enum { MANY = 3 };
void f(double *x) {
    #pragma omp parallel for default(none) shared(x)
    for (int i = 0; i < MANY; i++) {
        double t = x[i] + own;
        x[i] = t;
    }
}
""",
        """
void f(double *x) {
    const int n = 8;
    static const double table[2] = {1, 2};
    #pragma omp parallel default(none) shared(x)
    x[0] = n + table[0];
}
""",
        """
void f(int n, double *x, double t) {
    #pragma omp parallel default(none) shared(x) firstprivate(n)
    {
        #pragma omp for private(t)
        for (int i = 0; i < n; i++) { t = i; x[i] = t; }
        x[0] = sizeof(t);
    }
}
""",
        """
void f(int n, double *x, double t) {
    double sum = 0;
    #pragma omp parallel for default(none) shared(x, n) reduction(+: sum) lastprivate(t)
    for (int i = 0; i < n; i++) { t = i; sum += x[i]; }
    x[0] = sum + t;
}
""",
        """
void g(int);
void f(int n) {
    int i;
    #pragma omp parallel default(none) firstprivate(n)
    #pragma omp for
    for (i = 0; i < n; i++) g(i);
    #pragma omp taskloop default(none)
    for (i = n; i < n + 8; i++) g(i);
}
""",
    ),
    check=check,
)
