"""A list item that is nothing the clause can work on: a function, an expression, a constant."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import (
    Binary,
    Call,
    CharLiteral,
    FloatLiteral,
    Index,
    IntLiteral,
    Member,
    Name,
    Section,
    StringLiteral,
)
from ompls.analysis.model.ctype import CType, innermost
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import placed
from ompls.analysis.spec import clauses_of, is_declarative
from ompls.analysis.spec.data_clauses import STORAGE, WHOLE, WRITING

_KINDS = {"func": "a function", "enumconst": "a constant", "typedef": "a type"}


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        directive = place.stmt.directive
        if is_declarative(directive.name):
            continue  # these speak of functions and parameters
        for clause in directive.clauses:
            if clause.name in STORAGE and clause.name in clauses_of(directive.name) and not clause.broken:
                for item in clause.items:
                    message = _problem(clause, item)
                    if message:
                        yield Finding(item.span, message, "error")


def _problem(clause: Clause, item: ListItem) -> str:
    e = item.expr
    if isinstance(e, Name):
        if item.symbol is None:
            return ""  # `undeclared-name` says so
        if item.symbol.kind in _KINDS:
            return f"`{e.name}` is {_KINDS[item.symbol.kind]}; `{clause.name}` takes variables"
        if clause.name in WRITING and _constant(item.symbol.type):
            return f"`{e.name}` is const, so a copy of it could not be written: `{clause.name}` cannot take it"
        return ""
    if isinstance(e, (IntLiteral, FloatLiteral, CharLiteral, StringLiteral, Binary, Call)):
        return f"`{item.text}` is an expression; `{clause.name}` takes {_takes(clause)}"
    if clause.name in WHOLE and isinstance(e, (Index, Section, Member)):
        return f"`{clause.name}` takes whole variables, not a part of one"
    return ""


def _takes(clause: Clause) -> str:
    return "variables" if clause.name in WHOLE else "variables and array sections"


def _constant(t: CType) -> bool:
    return "const" in innermost(t).quals


RULE = Rule(
    id="list-item",
    severity="error",
    title="A list item that the clause cannot take",
    why="""
A data clause takes variables that are declared where the directive stands, and some take array sections. A part of a
variable cannot be private, and what is const has nothing to be written into.
""",
    section="3.2.1",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp target firstprivate(n + 1) map(to: x[0:n])
    //                              ^^^^^ error: `n+1` is an expression; `firstprivate` takes variables
    x[n] = 1;
}
""",
        """
void g(void);
enum { SIZE = 4 };
void f(int n, double *x) {
    #pragma omp target map(to: g) firstprivate(SIZE)
    //                                         ^^^^ error: `SIZE` is a constant; `firstprivate` takes variables
    //                         ^ error: `g` is a function; `map` takes variables
    n++;
}
""",
        """
#define COUNT 100
struct pair { int a, b; };
void f(int n, double *x) {
    struct pair p = {0, 0};
    const int low = 3;
    #pragma omp parallel private(p.a) firstprivate(COUNT) reduction(+: low)
    //                                                                 ^^^ error: `low` is const, so a copy of it could not be written: `reduction` cannot take it
    //                                             ^^^^^ error: `COUNT` is an expression; `firstprivate` takes variables
    //                           ^^^ error: `private` takes whole variables, not a part of one
    n++;
}
""",
    ),
    good=(
        """
static int total;
void f(int n, const double *x) {
    const int low = 3;
    #pragma omp parallel for firstprivate(low, x) shared(total) reduction(+: n)
    for (int i = 0; i < 10; i++) n += low;
}
""",
        """
struct pair { int a, *b; };
void f(int n, struct pair *p, double *x) {
    #pragma omp target map(tofrom: p->a, p->b[0:n], x[2:n - 2]) map(to: *p)
    n++;
    #pragma omp parallel for reduction(+: x[0:4])
    for (int i = 0; i < n; i++) x[0] += i;
}
""",
        """
double *value(void);
void f(int n, double *x) {
    #pragma omp task depend(in: x[n + 1]) depend(iterator(int k = 0:n), out: x[k])
    n++;
    #pragma omp declare target enter(value)
    #pragma omp parallel private(x)
    x = value();
}
""",
        """
void use(double *);
void f(int n, double *x) {
    double grid[4][n];
    #pragma omp target data map(tofrom: grid, x[0:n]) use_device_ptr(x) use_device_addr(grid)
    use(x);
}
""",
        """
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(vec v) map(v, v.x[0:v.n])
#pragma omp declare simd linear(i) uniform(x)
double g(double *x, int i) { return x[i]; }
void f(vec w) {
    #pragma omp target map(to: w)
    { int k = w.n; k++; }
}
""",
        """
#define LIST a, b
void f(int a, int b) {
    #pragma omp parallel firstprivate(LIST)
    a += b;
}
""",
    ),
    check=check,
)
