"""A clause whose constant argument is out of range, or whose argument must be a constant and is none."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Expr, Name
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, Floating, Pointer, Record
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.spec.clause_sets import CONSTANT, LEAST


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        if not directive.known or directive.name.endswith("metadirective"):
            continue
        for clause in directive.clauses:
            if not clause.broken:
                yield from _clause(clause)
        yield from _pairs(directive)


def _clause(clause: Clause) -> Iterator[Finding]:
    least = LEAST.get(clause.name)
    if least is None or clause.keyword == "ancestor":
        return
    for argument in clause.args:
        value = fold(argument)
        if value is not None and value < least:
            must = "positive" if least > 0 else f"{least} or more"
            yield Finding(argument.span, f"the argument of `{clause.name}` must be {must}, not {value}", "error")
        elif kind := next((name for t, name in _NO_INTEGER.items() if isinstance(argument.type, t)), ""):
            yield Finding(argument.span, f"the argument of `{clause.name}` must be an integer, not {kind}", "error")
        elif value is None and clause.name in CONSTANT and (variable := _variable(argument)):
            message = f"the argument of `{clause.name}` must be a constant; `{variable}` is a variable"
            yield Finding(argument.span, message, "error")


_NO_INTEGER = {Pointer: "a pointer", Array: "an array", Record: "a structure", Floating: "a floating-point number"}


def _variable(argument: Expr) -> str:
    """A variable in the argument; "" when none is known."""
    for node in argument.walk():
        if isinstance(node, Name) and node.symbol is not None and node.symbol.kind in ("var", "param"):
            return node.name
    return ""


def _pairs(directive: Directive) -> Iterator[Finding]:
    """Arguments that must be in order."""
    simdlen, safelen = (_value(directive.clause(n)) for n in ("simdlen", "safelen"))
    clause = directive.clause("simdlen")
    if clause is not None and simdlen is not None and safelen is not None and simdlen > safelen > 0:
        message = f"`simdlen({simdlen})` must not be greater than `safelen({safelen})`"
        yield Finding(clause.span, message, "error")
    teams = directive.clause("num_teams")
    if teams is not None and len(teams.args) == 2 and not any("dims" in m for m in teams.modifiers):
        lower, upper = (fold(a) for a in teams.args)
        if lower is not None and upper is not None and lower > upper > 0:
            yield Finding(
                teams.span, f"the lower bound {lower} of `num_teams` is above the upper bound {upper}", "error"
            )


def _value(clause: Clause | None) -> int | None:
    return fold(clause.args[0]) if clause is not None and clause.args else None


RULE = Rule(
    id="constant-argument",
    severity="error",
    title="A clause's argument that is out of range or no constant",
    why="""
There are no 0 threads and no chunks of -1 iterations, and a device is a number: -1 means the host (`omp_initial_device`),
anything below is no device. How many loops `collapse` takes must be known when the program is
compiled, so a variable will not do: a macro or an enumeration constant will.
""",
    section="3.2",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp parallel for num_threads(0) schedule(dynamic, -4)
    //                                                        ^^ error: the argument of `schedule` must be positive, not -4
    //                                   ^ error: the argument of `num_threads` must be positive, not 0
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    const int two = 2;
    #pragma omp target teams distribute parallel for collapse(two) map(tofrom: x[0:n])
    //                                                        ^^^ error: the argument of `collapse` must be a constant; `two` is a variable
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x[i * n + j] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams num_teams(8: 4) thread_limit(2.5)
    //                                                    ^^^ error: the argument of `thread_limit` must be an integer, not a floating-point number
    //                       ^^^^^^^^^^^^^^^ error: the lower bound 8 of `num_teams` is above the upper bound 4
    n++;
    #pragma omp simd safelen(4) simdlen(8)
    //                          ^^^^^^^^^^ error: `simdlen(8)` must not be greater than `safelen(4)`
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
struct place { int device; };
void f(int n, double *x, const char *name, struct place at) {
    #pragma omp target device(-5) map(tofrom: x[0:n])
    //                        ^^ error: the argument of `device` must be -1 or more, not -5
    x[0] = n;
    #pragma omp target enter data device(name) map(to: x[0:n])
    //                                   ^^^^ error: the argument of `device` must be an integer, not a pointer
    #pragma omp target update device(1.5) from(x[0:n])
    //                               ^^^ error: the argument of `device` must be an integer, not a floating-point number
    #pragma omp target exit data device(at) map(release: x[0:n])
    //                                  ^^ error: the argument of `device` must be an integer, not a structure
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    #pragma omp parallel for num_threads(n - 1) schedule(dynamic, n)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
#define TWO 2
enum { THREE = TWO + 1 };
void f(int n, double *x) {
    #pragma omp parallel for collapse(THREE - 1)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x[i * n + j] = 0;
    #pragma omp simd safelen(8) simdlen(8)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
int omp_get_max_threads(void);
void f(int n, double *x) {
    #pragma omp parallel num_threads(omp_get_max_threads() / 2)
    x[0] = 0;
    #pragma omp task priority(0) final(0)
    x[n] = 0;
}
""",
        """
#define DEVICE(n) ((n) + 1)
int omp_get_initial_device(void);
void f(int n, double *x) {
    #pragma omp target device(-1) thread_limit(1)
    n++;
    #pragma omp target device(device_num: n % 2 ? omp_get_initial_device() : DEVICE(0))
    n++;
    #pragma omp target teams num_teams(4: 8)
    n++;
}
""",
        """
void f(int n, double *x) {
    #pragma omp taskloop grainsize(sizeof(double)) collapse(1)
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp for ordered
    for (int i = 0; i < n; i++) {
        #pragma omp ordered
        x[i] = 0;
    }
}
""",
    ),
    check=check,
)
