"""A clause that may be given once is given again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.repeats import categories, repeats
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        for clause, first in repeats(directive):
            message = f"`{clause.name}` may be given once on a directive{_for(clause)}"
            if clause.name == "defaultmap" and categories(clause) != categories(first):
                message = "a `defaultmap` for all variables and another one may not be given on a directive"
            related = ((first.name_span, "given here first"),)
            yield Finding(clause.span, message, "error", related, _without(directive, clause, first))


def _without(directive: Directive, clause: Clause, first: Clause) -> tuple[Change, ...]:
    """Where both say the same, one of them may go."""
    if first.text != clause.text:
        return ()
    before = next(b for b, c in itertools.pairwise(directive.clauses) if c is clause)
    return (Change(f"Remove the second `{clause.name}`", Span(before.span.end, clause.span.end), ""),)


def _for(clause: Clause) -> str:
    if clause.name == "if":
        return f" for `{clause.keyword}`" if clause.keyword else ""
    if clause.name == "defaultmap":
        return f" for `{categories(clause)[0]}`"
    return ""


RULE = Rule(
    id="repeated-clause",
    severity="error",
    title="A clause that may be given once is given again",
    why="""
Which of the two should count? A compiler refuses the directive. Clauses with lists may be repeated; clauses with one
value may not. `if` may stand once for every construct of a combined directive, `defaultmap` once for every category, or once without one.
""",
    section="3.2",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp parallel for num_threads(4) schedule(static) num_threads(8)
    //                                                       ^^^^^^^^^^^^^^ error: `num_threads` may be given once on a directive
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute parallel for nowait collapse(1) nowait map(tofrom: x[0:n])
    //                                                                  ^^^^^^ error: `nowait` may be given once on a directive
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target parallel if(target: n > 10) if(target: n > 20) map(tofrom: x[0:n])
    //                                             ^^^^^^^^^^^^^^^^^^ error: `if` may be given once on a directive for `target`
    x[0] = 0;
}
""",
        """
void f(int n) {
    double x[10];
    #pragma omp target defaultmap(to: aggregate) defaultmap(none: aggregate) map(x)
    //                                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `defaultmap` may be given once on a directive for `aggregate`
    x[0] = n;
    #pragma omp target defaultmap(tofrom) defaultmap(none: scalar) firstprivate(n)
    //                                    ^^^^^^^^^^^^^^^^^^^^^^^^ error: a `defaultmap` for all variables and another one may not be given on a directive
    x[0] = n;
}
""",
        """
#pragma omp requires unified_address unified_address
//                                   ^^^^^^^^^^^^^^^ error: `unified_address` may be given once on a directive
void f(int *x, omp_depend_t *d) {
    #pragma omp atomic write seq_cst seq_cst
    //                               ^^^^^^^ error: `seq_cst` may be given once on a directive
    *x = 1;
    #pragma omp depobj(*d) destroy(*d) destroy(*d)
    //                                 ^^^^^^^^^^^ error: `destroy` may be given once on a directive
    #pragma omp for ordered(1)
    for (int i = 1; i < 9; i++) {
        #pragma omp ordered doacross(source:) doacross(source: omp_cur_iteration)
        //                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `doacross` may be given once on a directive
    }
}
""",
    ),
    good=(
        """
void f(int n) {
    double x[10];
    #pragma omp target defaultmap(tofrom: aggregate) defaultmap(firstprivate: scalar)
    x[0] = n;
}
""",
        """
void f(int *x, int n, omp_interop_t a, omp_interop_t b) {
    #pragma omp interop destroy(a) destroy(b)
    #pragma omp for ordered(1)
    for (int i = 2; i < n; i++) {
        #pragma omp ordered doacross(sink: i - 1) doacross(sink: i - 2)
        x[i] = x[i - 1] + x[i - 2];
        #pragma omp ordered doacross(source:)
    }
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp target map(tofrom: x[0:n]) map(to: y[0:n]) firstprivate(n) device(0)
    x[0] = y[0] + n;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target parallel if(target: n > 10) if(parallel: n > 20) map(tofrom: x[0:n])
    x[0] = 0;
}
""",
        """
void f(int n) {
    double x[10];
    #pragma omp target defaultmap(tofrom: aggregate) defaultmap(firstprivate: scalar) defaultmap(none: pointer)
    x[0] = n;
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp task depend(in: x[0]) depend(out: y[0]) depend(in: n) priority(1)
    y[0] = x[0] + n;
}
""",
        """
void f(int n, double *x, double s, double t) {
    #pragma omp parallel for reduction(+: s) reduction(+: t) private(n) private(x)
    for (int i = 0; i < 8; i++) { s += i; t += 2; }
}
""",
        """
void f(int n, double *x) {
    #pragma omp metadirective when(user={condition(1)}: parallel for) when(user={condition(0)}: for)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
    ),
    check=check,
    needs="text",
)
