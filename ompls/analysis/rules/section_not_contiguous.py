"""A mapped section of several dimensions that is not one piece of memory.

Decided when the inner length is a constant and less than the dimension, and the outer one is not one row; or when the
rows lie where the elements of the outer one point.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import rows_pointed_to
from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Expr, Section
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.framework import Finding, Rule, Scene

_MOVING = ("target data", "target enter data", "target exit data", "target update")


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        for clause in (
            directive.all("map", "to", "from") if directive.has("target") or directive.name in _MOVING else ()
        ):
            for item in clause.items:
                if (pointers := rows_pointed_to(item.expr)) is not None:
                    message = (
                        f"`{item.text}` is not one piece of memory: `{_text(scene, pointers)}` holds pointers, and each of"
                        f" them has its row somewhere else; map one row at a time"
                    )
                    yield Finding(item.span, message, "error")
                elif clause.name == "map" and isinstance(item.expr, Section) and _has_gaps(item.expr):
                    message = f"`{item.text}` is not one piece of memory: it leaves out a part of each row"
                    yield Finding(item.span, message, "error")


def _has_gaps(section: Section) -> bool:
    """Whether the section takes a part of each of several rows (5.2 §5.8.3: a mapped section is contiguous)."""
    if section.stride is not None and (fold(section.stride) or 1) > 1 and (fold(section.length) or 0) > 1:
        return True
    outer = bare(section.base)
    if not isinstance(outer, Section):
        return False
    rows = outer.type
    row = rows.of if isinstance(rows, Array) else None
    part = _is_part(section, row)
    return (part and _is_several(outer)) or _has_gaps(outer)


def _is_part(section: Section, row: object) -> bool:
    """Whether it certainly takes less than a row."""
    if not isinstance(row, Array):
        return False
    lower, length = fold(section.lower), fold(section.length)
    if lower is not None and lower > 0:
        return True
    return length is not None and (length < row.length if row.length is not None else row.vla and length == 1)


def _is_several(section: Section) -> bool:
    """Whether it takes more than one row, as far as it is written."""
    length = fold(section.length)
    return length > 1 if length is not None else section.length is not None


def _text(scene: Scene, expr: Expr) -> str:
    """The expression as it stands there."""
    whole = scene.content.text if scene.content is not None else b""
    return decoded(whole[expr.span.start : expr.span.end])


RULE = Rule(
    id="section-not-contiguous",
    group="mapping",
    severity="error",
    title="A mapped section is not contiguous",
    why="""
What `map` names must be one piece of memory. `m[0:rows][0:2]` of a matrix with longer rows leaves out the end of each row: map whole rows, or single ones. `target update` takes such sections (since 5.0).
""",
    section="5.8.3",
    about="directives",
    bad=(
        """
struct table { double **rows; };
void f(int n, double **a, double *few[3], struct table *t) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n][0:n])
    //                                                           ^^^^^^^^^^^ error: `a[0:n][0:n]` is not one piece of memory: `a` holds pointers, and each of them has its row somewhere else; map one row at a time
    for (int i = 0; i < n; i++) a[i][0] = i;
    #pragma omp target enter data map(to: few[0:3][0:n], t->rows[:n][:n])
    //                                                   ^^^^^^^^^^^^^^^ error: `t->rows[:n][:n]` is not one piece of memory: `t->rows` holds pointers, and each of them has its row somewhere else; map one row at a time
    //                                    ^^^^^^^^^^^^^ error: `few[0:3][0:n]` is not one piece of memory: `few` holds pointers, and each of them has its row somewhere else; map one row at a time
    #pragma omp target update from(a[0:n][0])
    //                             ^^^^^^^^^ error: `a[0:n][0]` is not one piece of memory: `a` holds pointers, and each of them has its row somewhere else; map one row at a time
}
""",
        """
void f(void) {
    double m[10][20], s = 0;
    #pragma omp target map(to: m[0:10][0:10]) map(tofrom: s)
    //                         ^^^^^^^^^^^^^ error: `m[0:10][0:10]` is not one piece of memory: it leaves out a part of each row
    s += m[1][2];
}
""",
        """
float cube[6][7][8];
static void enter(void) {
    #pragma omp target enter data map(to: cube[2:2][0:3][0:8])
    //                                    ^^^^^^^^^^^^^^^^^^^ error: `cube[2:2][0:3][0:8]` is not one piece of memory: it leaves out a part of each row
}
void f(void) {
    for (int k = 0; k < 3; k++)
        enter();
}
""",
        """
int first_column(int n, int m[n][n]) {
    int sum = 0;
    #pragma omp target map(to: m[0:n][0:1]) map(tofrom: sum)
    //                         ^^^^^^^^^^^ error: `m[0:n][0:1]` is not one piece of memory: it leaves out a part of each row
    for (int i = 0; i < n; i++)
        sum += m[i][0];
    return sum;
}
""",
    ),
    good=(
        """
double f(int n, double **a, double *few[3], double (*all)[8]) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        #pragma omp target enter data map(to: a[i][0:n], a[i:1][0:n], all[0:n][0:8])
    }
    #pragma omp target enter data map(to: few[0:3]) map(to: few[1][0:n])
    #pragma omp task depend(in: a[0:n][0:n]) shared(s)
    s = 1;
    #pragma omp taskwait
    return s;
}
""",
        """
void f(void) {
    double m[10][20], s = 0;
    #pragma omp target map(to: m[0:10][0:20]) map(tofrom: s)
    s += m[1][2];
    #pragma omp target map(to: m[3:1][0:10]) map(tofrom: s)
    s += m[3][2];
}
""",
        """
void f(int n, int m) {
    double a[n][m], s = 0;
    #pragma omp target map(to: a[0:n][0:m]) map(tofrom: s)
    s += a[1][2];
}
""",
        """
void f(int n, double (*x)[8]) {
    double s = 0;
    #pragma omp target map(to: x[0:n][0:8]) map(tofrom: s)
    s += x[1][2];
}
""",
        """
void f(double m[10][20]) {
    #pragma omp target update to(m[0:10][0:10])
}
""",
        """
float cube[6][7][8];
void f(int k) {
    #pragma omp target enter data map(to: cube[2:2][0:7][0:8]) map(to: cube[k][0:3][0:8])
}
""",
        """
void f(int n, double **rows) {
    double s = 0;
    #pragma omp target map(to: rows[0:n]) map(tofrom: s)
    s += n;
    #pragma omp target map(to: rows[2][0:n]) map(tofrom: s)
    s += rows[2][0];
}
""",
    ),
    check=check,
)
