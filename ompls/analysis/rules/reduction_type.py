"""A reduction whose operator does not combine values of the variable's type."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.diagnostic import Severity
from ompls.analysis.model.ast import Expr, Index, Paren, Section, Span
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Integer, Pointer, Record, innermost
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.told import declared_reductions
from ompls.analysis.spec.data_clauses import REDUCTIONS
from ompls.analysis.spec.near import near

# What people call an operator.
_WORDS = {
    "sum": "+", "add": "+", "plus": "+", "prod": "*", "mul": "*", "times": "*", "and": "&&", "or": "||", "xor": "^",
    "maximum": "max", "minimum": "min",
}  # fmt: skip


def check(scene: Scene) -> Iterator[Finding]:
    declared: frozenset[str] | None = None
    for directive in scene.directives:
        for clause in directive.all("reduction", "in_reduction", "task_reduction"):
            if clause.broken or not clause.keyword:
                continue
            if declared is None:  # a word that has a meaning for one type may have it for others
                declared = scene.unit.told.reductions | declared_reductions(scene.directives)
            if clause.keyword in declared:
                continue
            if clause.keyword in REDUCTIONS:
                for item in clause.items:
                    yield from _item(scene, clause, item)
            elif clause.keyword_span is not None:
                yield _unknown(scene, clause.keyword, Span(*clause.keyword_span))


def _unknown(scene: Scene, name: str, span: Span) -> Finding:
    """Certain when all headers are known: those of the system are looked through for `declare reduction`, too."""
    severity: Severity = "error" if scene.unit.complete_headers else "hint"
    known = scene.unit.told.reductions | declared_reductions(scene.directives)
    meant = _WORDS.get(name, name[:-1] if name.endswith("=") and name[:-1] in REDUCTIONS else "")
    other = meant or next(iter(near(name, (*known, *[word for word in REDUCTIONS if word.isalpha()]))), "")
    changes = (Change(f"Change to `{other}`", span, other, safe=False),) if other else ()
    suggestion = f"; did you mean `{other}`?" if other else ""
    return Finding(span, f"no `declare reduction` says what `{name}` does{suggestion}", severity, (), changes)


def _item(scene: Scene, clause: Clause, item: ListItem) -> Iterator[Finding]:
    """The language's own identifiers cannot be given another meaning for arithmetic types (5.2 §5.5.11)."""
    kind = REDUCTIONS[clause.keyword]
    value = _element(item.expr)
    severity: Severity = "error"
    if isinstance(value, Pointer):
        message = f"`{item.text}` is a pointer; list the section of what it points to that is reduced"
    elif isinstance(value, Record):
        message = f"`{item.text}` is no number: a `declare reduction` has to say what `{clause.keyword}` does with two of its type"
        severity = "error" if scene.unit.complete_headers else "hint"
    elif isinstance(value, Floating) and kind == "integer":
        message = f"`{clause.keyword}` combines integers; `{item.text}` is floating-point"
    elif isinstance(value, Floating) and value.complex and kind == "real":
        message = f"`{clause.keyword}` needs an order; `{item.text}` is complex"
    else:
        return
    yield Finding(item.span, message, severity)


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
    t = innermost(t)
    return t if isinstance(t, (Integer, Enum, Floating, Pointer, Record)) else None


RULE = Rule(
    id="reduction-type",
    severity="error",
    group="sharing",
    title="A reduction whose operator does not fit the variable's type",
    why="""
The operator must be one that C has for two values of the type: there is no `&`, `|` or `^` of floating-point numbers, no
`min` of complex ones, and no sum of two pointers or structures. To reduce what a pointer points to, list an array section;
for structures, or under another name, a `declare reduction` has to say how two values are combined.
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
    //                                                                                ^^^ error: `sum` is a pointer; list the section of what it points to that is reduced
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
        """
typedef struct { double x, y; } point;
#pragma omp declare reduction(largest: double: omp_out = omp_in > omp_out ? omp_in : omp_out)
void f(int n, double *a) {
    point p = {0, 0};
    double most = 0;
    #pragma omp parallel for reduction(+: p) reduction(lagest: most)
    //                                                 ^^^^^^ error: no `declare reduction` says what `lagest` does; did you mean `largest`?
    //                                    ^ error: `p` is no number: a `declare reduction` has to say what `+` does with two of its type
    for (int i = 0; i < n; i++) p.x += a[i];
}
""",
        """
#include "not_there.h"
typedef struct { double x, y; } point;
void f(int n, double *a) {
    point p = {0, 0};
    #pragma omp parallel for reduction(+: p) reduction(sum: n)
    //                                                 ^^^ hint: no `declare reduction` says what `sum` does; did you mean `+`?
    //                                    ^ hint: `p` is no number: a `declare reduction` has to say what `+` does with two of its type
    for (int i = 0; i < 10; i++) p.x += a[i];
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
