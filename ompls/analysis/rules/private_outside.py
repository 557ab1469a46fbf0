"""A worksharing construct that reads or writes back a variable of which each of its threads has its own.

Certain in a `parallel` whose threads have their own; in a function without one it takes threads that call it together.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.sharing import is_automatic, private_in
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model.ast import DirectiveStmt, Name, Span, Symbol
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import Placed, placed

# By construct: the one whose threads or teams share its work, and the clauses whose variables these have to share, too.
_BOUND: dict[str, tuple[str, tuple[str, ...]]] = {
    "for": ("parallel", ("reduction", "lastprivate", "firstprivate")),
    "sections": ("parallel", ("reduction", "lastprivate", "firstprivate")),
    "scope": ("parallel", ("reduction", "firstprivate")),
    "single": ("parallel", ("firstprivate",)),
    "distribute": ("teams", ("firstprivate",)),
}
_HARM = {
    "reduction": "the copies are combined in this one, and no thread sees what others have",
    "lastprivate": "one thread gets the last value, and the others keep what they have",
    "firstprivate": "OpenMP wants one that they share here",
}


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        construct, names = _BOUND.get(place.stmt.directive.constructs[0], ("", ()))
        if not construct or place.opaque:
            continue
        team = _team(place, construct)
        if team is None or (not team and scene.function is not None and scene.function.symbol.name == "main"):
            continue
        units = "threads" if construct == "parallel" else "teams"
        for clause in place.stmt.directive.all(*names):
            for item in clause.items:
                if isinstance(item.expr, Name):
                    direct = len(team) == 1 and "parallel" not in place.stmt.directive.constructs
                    yield from _finding(team, direct, units, clause, item)


def _team(place: Placed, construct: str) -> tuple[DirectiveStmt, ...] | None:
    """The constructs around up to the one that made the team; () when it is in a caller, None when there is none."""
    found = next((n for n, s in enumerate(place.around) if construct in s.directive.constructs), -1)
    return place.around[: found + 1] if found >= 0 or not place.around else None


def _finding(
    team: tuple[DirectiveStmt, ...], direct: bool, units: str, clause: Clause, item: ListItem
) -> Iterator[Finding]:
    """direct -- no other construct is in between, and the clause is for this one: gcc and clang refuse it"""
    symbol = item.symbol
    if symbol is None or not is_automatic(symbol):
        return
    owner = next((o for s in team if (o := _own(s, symbol)) is not None), None)
    if owner is not None:
        reduced = clause.name == owner[1] == "reduction"  # gcc adds up right what it adds up twice
        severity: Severity = "error" if direct else "hint" if reduced or clause.name == "firstprivate" else "warning"
        harm = _HARM["firstprivate" if direct or reduced else clause.name]
        message = f"the {units} have each their own `{item.text}` already: {harm}"
        yield Finding(item.span, message, severity, ((owner[0], "each has its own from here on"),))
    elif not team and symbol.span is not None:
        message = f"{units} that call this function together have each their own `{item.text}`: {_HARM[clause.name]}"
        yield Finding(item.span, message, "hint", ((symbol.span, "declared here"),))


def _own(stmt: DirectiveStmt, symbol: Symbol) -> tuple[Span, str] | None:
    """Where the construct gives each thread a variable of its own, and by which clause."""
    if symbol.span is not None and stmt.span.start <= symbol.span.start < stmt.span.end:
        return symbol.span, ""
    if symbol not in private_in(stmt, (), lambda _: None):
        return None
    listed = ((i.span, c.name) for c in stmt.directive.clauses for i in c.items if i.symbol is symbol)
    return next(listed, (stmt.directive.name_span, ""))


RULE = Rule(
    id="private-outside",
    severity="warning",
    group="sharing",
    title="A worksharing construct combines a variable that each thread has for itself",
    why="""
`reduction` and `lastprivate` of a worksharing construct give one result for the whole team, in a variable that its threads share.
If each thread has its own, because it is declared in the `parallel` or is private there, each thread gets a part of the result
at most. Declare the variable outside the `parallel`, or put the clause on the `parallel`. `firstprivate` has the same condition.
gcc and clang refuse it in the `parallel` itself: an error. Where another construct, or a function's call, is in between, compilers differ.
""",
    section="5.5.8",
    about="directives",
    bad=(
        """
double f(int n, const double *x) {
    double sum = 0, last = 0, once = 1;
    #pragma omp parallel firstprivate(sum, last)
    {
        #pragma omp for reduction(+: sum) lastprivate(last)
        //                                            ^^^^ error: the threads have each their own `last` already: OpenMP wants one that they share here
        //                           ^^^ error: the threads have each their own `sum` already: OpenMP wants one that they share here
        for (int i = 0; i < n; i++) { sum += x[i]; last = x[i]; }
        once = sum + last;
    }
    return once;
}
""",
        """
void f(int n, const double *x, double *y) {
    #pragma omp target teams distribute parallel for
    for (int k = 0; k < n; k++)
        y[k] = 0;
    #pragma omp parallel
    {
        double sum = 0;
        #pragma omp for simd reduction(+: sum)
        //                                ^^^ error: the threads have each their own `sum` already: OpenMP wants one that they share here
        for (int i = 0; i < n; i++) sum += x[i];
        #pragma omp single
        y[0] = sum;
    }
}
""",
        """
static void add(int n, const double *x, double *y) {
    double sum = 0;
    #pragma omp for reduction(+: sum)
    //                           ^^^ hint: threads that call this function together have each their own `sum`: the copies are combined in this one, and no thread sees what others have
    for (int i = 0; i < n; i++) sum += x[i];
    #pragma omp single
    y[0] = sum;
}
void f(int n, const double *x, double *y) {
    int all = 0;
    #pragma omp parallel firstprivate(n) reduction(+: all)
    {
        add(n, x, y);
        #pragma omp for firstprivate(n) reduction(+: all)
        //                                           ^^^ error: the threads have each their own `all` already: OpenMP wants one that they share here
        //                           ^ error: the threads have each their own `n` already: OpenMP wants one that they share here
        for (int i = 0; i < 8; i++) all += n;
    }
    y[1] = all;
}
""",
        """
int main(void) {
    int x = 3, k = 1, sum = 0;
    #pragma omp parallel reduction(*: x)
    {
        #pragma omp for reduction(*: x)
        //                           ^ error: the threads have each their own `x` already: OpenMP wants one that they share here
        for (int i = 1; i < 3; i++) x *= i;
    }
    #pragma omp parallel private(sum)
    #pragma omp taskgroup
    {
        sum = 0;
        #pragma omp for reduction(+: sum)
        //                           ^^^ warning: the threads have each their own `sum` already: the copies are combined in this one, and no thread sees what others have
        for (int i = 1; i < 3; i++) sum += i;
    }
    #pragma omp teams firstprivate(k)
    {
        #pragma omp distribute firstprivate(k)
        //                                  ^ error: the teams have each their own `k` already: OpenMP wants one that they share here
        for (int i = 1; i < 3; i++) k++;
        #pragma omp distribute parallel for firstprivate(k)
        //                                               ^ hint: the teams have each their own `k` already: OpenMP wants one that they share here
        for (int i = 1; i < 3; i++) k++;
    }
    return x;
}
""",
    ),
    good=(
        """
int main(int count, char **v) {
    double sum = 0, x[8] = {0};
    #pragma omp for reduction(+: sum)
    for (int i = 0; i < 8; i++) sum += x[i];
    return sum > count;
}
""",
        """
double f(int n, double *x) {
    static double kept;
    double sum = 0;
    int last = 0;
    #pragma omp parallel firstprivate(n)
    {
        static int calls;
        #pragma omp for reduction(+: sum, kept, calls) lastprivate(last)
        for (int i = 0; i < n; i++) { sum += x[i]; kept += 1; calls++; last = i; }
    }
    return sum + kept + last;
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel
    {
        double own = 0;
        #pragma omp simd reduction(+: own)
        for (int i = 0; i < 8; i++) own += x[i];
        #pragma omp parallel for reduction(+: own) firstprivate(n)
        for (int i = 0; i < n; i++) own += x[i];
        #pragma omp atomic
        x[9] += own;
    }
}
""",
        """
void f(int n, double *x, double *sums) {
    double sum = 0;
    #pragma omp target map(tofrom: sum, x[0:n])
    #pragma omp parallel firstprivate(x, sums)
    {
        #pragma omp for reduction(+: sum, sums[0:2])
        for (int i = 0; i < n; i++) { sum += x[i]; sums[0] += 1; }
    }
}
""",
        """
double total;
void f(int n, const double *x) {
    #pragma omp for reduction(+: total)
    for (int i = 0; i < n; i++) total += x[i];
    #pragma omp target
    {
        double own = 0;
        #pragma omp teams distribute parallel for reduction(+: own)
        for (int i = 0; i < n; i++) own += x[i];
    }
}
""",
    ),
    check=check,
)
