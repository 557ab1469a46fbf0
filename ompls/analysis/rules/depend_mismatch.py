"""Two tasks have `depend` clauses, but those do not order the accesses that meet."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.omp import Clause
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.model import Clash, Touch, Unit
from ompls.analysis.rules.support.ordering.report import called, chosen, other_place, severity, verb


def check(scene: Scene) -> Iterator[Finding]:
    """Decided: the clauses' list items are known, and none orders the two although both touch the same storage."""
    for clash in chosen(scene, _is_ours):
        one, other = clash.one.unit, clash.other
        if one is None or other is None or not _both_own(scene, one, other):
            continue
        yield _wrong_type(clash, one, other) or _missing(scene, clash)


def _is_ours(clash: Clash) -> bool:
    if clash.kind != "units" or clash.one.unit is None or clash.other is None or not clash.one.child:
        return False
    return bool(clash.one.unit.depends and clash.other.depends)


def _both_own(scene: Scene, one: Unit, other: Unit) -> bool:
    directives = scene.content.directives if scene.content is not None else []
    return all(any(s is unit.stmt for s in directives) for unit in (one, other))


def _wrong_type(clash: Clash, one: Unit, other: Unit) -> Finding | None:
    """A writer that says `in`: the clause has to change."""
    symbol = clash.two.symbol
    for unit, touch in ((other, clash.two), (one, clash.one.touch)):
        clause = _listing(unit, symbol)
        if touch.write and clause is not None and clause.keyword == "in" and clause.keyword_span is not None:
            message = (
                f"the task writes `{called(touch)}`, but its dependence is `in`: it runs beside others that read it"
            )
            title = f"Change `in` of `{clause.items[0].text}` to `inout`"
            fix = (Change(title, clause.keyword_span, "inout"),) if len(clause.items) == 1 else ()
            related = ((touch.span, f"`{called(touch)}` is written here"), *_second(clash, touch))
            return Finding(clause.keyword_span, message, severity(clash), related, fix)
    return None


def _second(clash: Clash, touch: Touch) -> tuple[tuple[Span, str], ...]:
    other = clash.two if touch is clash.one.touch else clash.one.touch
    return ((other.span, f"and {verb(other)} here"),) if other.node is not touch.node else ()


def _missing(scene: Scene, clash: Clash) -> Finding:
    """A dependence on other variables."""
    name = clash.two.symbol.name
    message = (
        f"`{name}` is {verb(clash.two)} here and {verb(clash.one.touch)} by a task that may run at the same time: the "
        f"`depend` clauses of the two do not order them for `{name}`"
    )
    return Finding(clash.two.span, message, severity(clash), other_place(clash, scene))


def _listing(unit: Unit, symbol: Symbol) -> Clause | None:
    for clause in unit.stmt.directive.all("depend"):
        if any(root(i.expr) is symbol for i in clause.items):
            return clause
    return None


RULE = Rule(
    id="depend-mismatch",
    severity="warning",
    title="The `depend` clauses of two tasks do not order what they both work on",
    why="""
Two `depend` clauses order their tasks when both list the same storage and one of them is `out` or `inout`. Two tasks with
`in` run at the same time, whatever they do; so do tasks whose clauses list different variables. List every variable that
one of the tasks writes and another uses, with the type that says what the task does to it.
""",
    section="15.9.5",
    group="sharing",
    about="clashes",
    bad=(
        """
void f(void) {
    int x = 0, y;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(in: x)
        //                      ^^ warning: the task writes `x`, but its dependence is `in`: it runs beside others that read it
        x = 1;
        #pragma omp task depend(in: x)
        y = x;
    }
}
""",
        """
int f(void) {
    int a, b, c = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: a)
        a = 1;
        #pragma omp task depend(out: b)
        {
            b = 2;
            c = 1;
        }
        #pragma omp task depend(in: a)
        c += a;
    //  ^ warning: `c` is written here and written by a task that may run at the same time: the `depend` clauses of the two do not order them for `c`
    }
    return c;
}
""",
        """
void f(int n, double *x, double *y) {
    for (int step = 0; step < n; step++) {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) depend(out: x[0:n]) nowait
        for (int i = 0; i < n; i++)
            x[i] += 1;
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) depend(inout: y[0:n]) nowait
        for (int i = 0; i < n; i++)
            x[i] *= 2;
        //  ^^^^ warning: `x` is written here and written by a task that may run at the same time: the `depend` clauses of the two do not order them for `x`
        #pragma omp taskwait
    }
}
""",
        """
void f(double *x, double *y) {
    for (int c = 0; c < 4; c++) {
        #pragma omp target enter data map(to: x[c*64:64]) nowait depend(out: x[c*64])
        #pragma omp target teams distribute parallel for map(to: x[c*64:64]) map(from: y[c*64:64]) nowait depend(out: y[c*64])
        for (int i = c * 64; i < (c + 1) * 64; i++)
            y[i] = x[i];
            //     ^^^^ warning: `x` is read here and written by a task that may run at the same time: the `depend` clauses of the two do not order them for `x`
    }
    #pragma omp taskwait
}
""",
    ),
    good=(
        """
void f(void) {
    int x = 0, y, z;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: x)
        x = 1;
        #pragma omp task depend(in: x)
        y = x;
        #pragma omp task depend(in: x)
        z = x;
    }
}
""",
        """
void f(void) {
    int a, c = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: a)
        a = 1;
        #pragma omp task depend(in: a) depend(mutexinoutset: c)
        c += a;
        #pragma omp task depend(mutexinoutset: c)
        c += 2;
    }
}
""",
        """
int f(void) {
    int x, y, z;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: x)
        { x = 1; z = 1; }
        #pragma omp task depend(in: x) depend(out: y)
        y = x;
        #pragma omp task depend(in: y)
        z += y;
    }
    return z;
}
""",
        """
void f(int n, int *a) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 1; i < n; i++) {
        #pragma omp task depend(in: a[i - 1]) depend(out: a[i])
        a[i] = a[i - 1];
    }
}
""",
        """
void f(int n, int *a, int *b) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: b[0])
        a[0] = 1;
        #pragma omp task depend(out: b[1])
        a[1] = 1;
    }
}
""",
        """
int f(void) {
    int x = 0, y = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: x)
        y = 1;
        #pragma omp task depend(inout: omp_all_memory)
        y = 2;
    }
    return x + y;
}
""",
        """
void f(double *x, double *y) {
    for (int c = 0; c < 4; c++) {
        #pragma omp target enter data map(to: x[c*64:64]) nowait depend(out: x[c*64])
        #pragma omp target teams distribute parallel for map(to: x[c*64:64]) map(from: y[c*64:64]) nowait depend(in: x[c*64])
        for (int i = c * 64; i < (c + 1) * 64; i++)
            y[i] = x[i];
        #pragma omp target exit data map(release: x[c*64:64]) nowait depend(inout: x[c*64])
    }
    #pragma omp taskwait
}
""",
    ),
    check=check,
)
