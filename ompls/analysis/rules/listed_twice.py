"""A variable that two clauses of a directive share in different ways."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Assign, ExprStmt, Name, Symbol
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.repeats import Listed, listed, listed_twice
from ompls.analysis.rules.support.edits import without_item
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.loopnest import nest_of, takes_loops
from ompls.analysis.rules.support.nesting import placed


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        directive = place.stmt.directive
        yield from _twice(directive)
        if takes_loops(directive):
            for loop in nest_of(place.stmt).loops:
                yield from _loop_variable(directive, loop.init)


def _twice(directive: Directive) -> Iterator[Finding]:
    for symbol, before, now in listed_twice(directive):
        changes: tuple[Change, ...] = ()
        if "map" not in (before[0].name, now[0].name):
            # The same again changes nothing; of two different ones, the reduction is meant.
            same = before[0].text == now[0].text or (before[0].name == now[0].name and now[0].name != "reduction")
            gone = now if same else before if now[0].name == "reduction" else None
            changes = (without_item(directive, *gone, safe=same),) if gone is not None else ()
        yield _finding(symbol, before, now, changes)


def _finding(symbol: Symbol, before: Listed, now: Listed, changes: tuple[Change, ...] = ()) -> Finding:
    if before[0].name == now[0].name:
        message = f"`{symbol.name}` is listed twice in `{now[0].name}`"
    else:
        message = f"`{symbol.name}` cannot be both `{before[0].name}` and `{now[0].name}`"
    related = ((before[1].span, f"listed in `{before[0].name}` here"),)
    return Finding(now[1].span, message, "error", related, changes)


def _loop_variable(directive: Directive, init: object) -> Iterator[Finding]:
    """A loop's variable is private by rule (5.2 §5.1.1); `firstprivate` and `reduction` contradict that."""
    if not isinstance(init, ExprStmt) or not isinstance(init.expr, Assign) or not isinstance(init.expr.target, Name):
        return
    for clause, item, symbol in listed(directive, frozenset(("firstprivate", "reduction"))):
        if symbol is init.expr.target.symbol and directive.constructs[0] not in ("target", "task"):
            message = f"`{symbol.name}` counts the loop and so is private; it cannot be `{clause.name}`"
            yield Finding(item.span, message, "error", ((init.span, "the loop's variable"),))


RULE = Rule(
    id="listed-twice",
    severity="error",
    group="sharing",
    title="A variable in two clauses that contradict each other",
    why="""
A variable is shared, private, or reduced in a construct, not two of these; only `firstprivate` and `lastprivate` go
together. On `target` a mapped variable is not private as well, and one that is on the device already is neither. The variable that counts a shared-out loop is private by rule.
""",
    section="5.4",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    int s = 0;
    #pragma omp parallel for private(s) reduction(+: s)
    //                                               ^ error: `s` cannot be both `private` and `reduction`
    for (int i = 0; i < n; i++) s += i;
    #pragma omp parallel firstprivate(n, s, n)
    //                                      ^ error: `n` is listed twice in `firstprivate`
    s += n;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: n) firstprivate(n)
    //                                             ^ error: `n` cannot be both `map` and `firstprivate`
    n++;
    #pragma omp target teams map(to: x) is_device_ptr(x)
    //                                                ^ error: `x` cannot be both `map` and `is_device_ptr`
    x[0] = 1;
}
""",
        """
void f(int n, double *x) {
    int i;
    #pragma omp parallel for firstprivate(i)
    //                                    ^ error: `i` counts the loop and so is private; it cannot be `firstprivate`
    for (i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void use(double *);
void f(int n, double *x) {
    double s = 0;
    #pragma omp target firstprivate(x) is_device_ptr(x)
    //                                               ^ error: `x` cannot be both `firstprivate` and `is_device_ptr`
    x[0] = 1;
    #pragma omp target has_device_addr(s) private(s)
    //                                            ^ error: `s` cannot be both `has_device_addr` and `private`
    x[0] = s;
    #pragma omp target teams distribute is_device_ptr(x, x) firstprivate(x)
    //                                                                   ^ error: `x` cannot be both `is_device_ptr` and `firstprivate`
    //                                                   ^ error: `x` is listed twice in `is_device_ptr`
    for (int i = 0; i < 9; i++) x[i] = 1;
    #pragma omp target parallel for is_device_ptr(x) private(x) has_device_addr(x, s) reduction(+: s)
    //                                                                                             ^ error: `s` cannot be both `has_device_addr` and `reduction`
    //                                                                          ^ error: `x` cannot be both `is_device_ptr` and `has_device_addr`
    for (int i = 0; i < n; i++) s += i;
    #pragma omp target data map(to: x[0:n]) use_device_ptr(x) use_device_addr(x)
    //                                                                        ^ error: `x` cannot be both `use_device_ptr` and `use_device_addr`
    use(x);
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    int last = 0, i;
    #pragma omp parallel for firstprivate(last) lastprivate(last) private(i) shared(x)
    for (i = 0; i < n; i++) last += i;
}
""",
        """
void f(int n, double *x) {
    double s = 0;
    #pragma omp target teams distribute parallel for map(tofrom: s, x[0:n]) reduction(+: s) firstprivate(n)
    for (int i = 0; i < n; i++) s += x[i];
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n]) firstprivate(x, n)
    x[0] = n;
    #pragma omp target data map(tofrom: x[0:n]) use_device_ptr(x)
    x[0] = n;
    double s = 0;
    #pragma omp target parallel for is_device_ptr(x) shared(x) private(s) has_device_addr(s)
    for (int i = 0; i < n; i++) x[i] = s = i;
    #pragma omp target teams distribute parallel for is_device_ptr(x) lastprivate(x)
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
        """
void f(int n, double *a) {
    double s[4];
    #pragma omp parallel for reduction(+: s[0:2]) reduction(max: s[2:2])
    for (int i = 0; i < n; i++) { s[0] += i; if (s[2] < i) s[2] = i; }
}
""",
        """
void f(int n, double *x) {
    int i, j;
    #pragma omp parallel private(i) firstprivate(n)
    {
        #pragma omp for private(j) firstprivate(n)
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) x[i * n + j] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    int i;
    #pragma omp target firstprivate(i)
    for (i = 0; i < n; i++) x[i] = 0;
    #pragma omp parallel for lastprivate(i)
    for (i = 0; i < n; i++) x[i] = 0;
    #pragma omp simd linear(i)
    for (i = 0; i < n; i++) x[i] = 0;
}
""",
    ),
    check=check,
)
