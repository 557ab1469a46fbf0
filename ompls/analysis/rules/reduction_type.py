"""A reduction whose operator does not combine values of the variable's type."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Expr, Index, Paren, Section
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Integer, Pointer
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.spec.data_clauses import REDUCTIONS


def check(scene: Scene) -> Iterator[Finding]:
    declared = _declared(scene)
    for directive in scene.directives:
        for clause in directive.all("reduction", "in_reduction", "task_reduction"):
            if clause.keyword in REDUCTIONS and clause.keyword not in declared and not clause.broken:
                for item in clause.items:
                    yield from _item(clause, item)


def _declared(scene: Scene) -> set[str]:
    """The identifiers that the file gives a meaning for further types, which may be pointers or complex numbers."""
    directives = (*scene.unit.directives, *scene.directives)
    named = (d.args[0].text for d in directives if d.name == "declare reduction" and d.args)
    return {text.partition(":")[0].strip() for text in named}


def _item(clause: Clause, item: ListItem) -> Iterator[Finding]:
    """The language's own identifiers cannot be given another meaning for arithmetic types (5.2 §5.5.11)."""
    kind = REDUCTIONS[clause.keyword]
    value = _element(item.expr)
    if isinstance(value, Pointer):
        message = f"`{item.text}` is a pointer; reduce what it points to: `{item.text}[0:length]`"
    elif isinstance(value, Floating) and kind == "integer":
        message = f"`{clause.keyword}` combines integers; `{item.text}` is floating-point"
    elif isinstance(value, Floating) and value.complex and kind == "real":
        message = f"`{clause.keyword}` needs an order; `{item.text}` is complex"
    else:
        return
    yield Finding(item.span, message, "error")


def _element(e: Expr) -> CType | None:
    """The type that is combined: of a section or array, its element's; None when it is no type to speak of."""
    t: CType = e.type
    if isinstance(e, (Section, Index)):
        base: Expr = e
        depth = 0
        while isinstance(base, (Section, Index, Paren)):
            depth += not isinstance(base, Paren)
            base = base.inner if isinstance(base, Paren) else base.base
        t = base.type
        for _ in range(depth):
            if not isinstance(t, (Array, Pointer)):
                return None
            t = t.of if isinstance(t, Array) else t.to
    while isinstance(t, Array):
        t = t.of
    return t if isinstance(t, (Integer, Enum, Floating, Pointer)) else None


RULE = Rule(
    id="reduction-type",
    severity="error",
    group="sharing",
    title="A reduction whose operator does not fit the variable's type",
    why="""
The operator must be one that C has for two values of the type: there is no `&`, `|` or `^` of floating-point numbers, no
`min` of complex ones, and no sum of two pointers. To reduce what a pointer points to, list an array section.
""",
    section="5.5.5",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    double bits = 0;
    #pragma omp parallel for reduction(|: bits)
    //                                    ^^^^ error: `|` combines integers; `bits` is floating-point
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, double *sum, double *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) reduction(+: sum)
    //                                                                                ^^^ error: `sum` is a pointer; reduce what it points to: `sum[0:length]`
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n) {
    double _Complex z = 0;
    float parts[4];
    #pragma omp parallel reduction(max: z) reduction(^: parts[0:2])
    //                                                  ^^^^^^^^^^ error: `^` combines integers; `parts[0:2]` is floating-point
    //                                  ^ error: `max` needs an order; `z` is complex
    n++;
}
""",
    ),
    good=(
        """
#pragma omp declare reduction(+: int *: *omp_out += *omp_in)
#pragma omp declare reduction(max: double _Complex: omp_out = omp_in)
int f(int n, int *p, double _Complex z) {
    #pragma omp parallel for reduction(+: p) reduction(max: z)
    for (int i = 0; i < n; i++) *p += i;
    return *p + (z == 1);
}
""",
        """
void f(int n, double *x) {
    double sum = 0, low = 0;
    int all = 1;
    unsigned bits = 0;
    #pragma omp parallel for reduction(+: sum) reduction(min: low) reduction(&&: all) reduction(|: bits)
    for (int i = 0; i < n; i++) sum += x[i];
}
""",
        """
void f(int n, double *sums) {
    double grid[4][4];
    #pragma omp parallel for reduction(+: sums[0:n]) reduction(*: grid)
    for (int i = 0; i < n; i++) sums[i] = 0;
}
""",
        """
typedef struct { int **p; unsigned flags[4]; } set;
void f(int n, int **rows, unsigned *masks) {
    #pragma omp parallel for reduction(+: rows[0][0:n]) reduction(&: masks[:n])
    for (int i = 0; i < n; i++) rows[0][i] = 0;
}
""",
        """
typedef struct { double x, y; } point;
#pragma omp declare reduction(+: point: omp_out.x += omp_in.x)
#pragma omp declare reduction(longer: char *: omp_out = omp_in)
void f(int n) {
    point p = {0, 0};
    char *s = 0;
    #pragma omp parallel for reduction(+: p) reduction(longer: s)
    for (int i = 0; i < n; i++) p.x += i;
}
""",
        """
void f(int n) {
    _Bool any = 0;
    double _Complex z = 0;
    enum { A, B } e = A;
    double d = 1;
    #pragma omp parallel reduction(||: any, d) reduction(+: z) reduction(|: e)
    n++;
}
""",
    ),
    check=check,
)
