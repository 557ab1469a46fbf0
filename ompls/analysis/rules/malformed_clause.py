"""A clause whose arguments cannot be read: a parenthesis too few, an empty list, a word that does not belong there."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.omp import Clause
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.spec import CLAUSES
from ompls.analysis.spec.near import near

# What other languages for devices, or other clauses, call it.
_SYNONYMS = {
    "map": {
        "in": "to", "out": "from", "inout": "tofrom", "copy": "tofrom", "copyin": "to", "copyout": "from", "both": "tofrom",
        "fromto": "tofrom", "create": "alloc", "readonly": "to", "read": "to", "write": "from", "readwrite": "tofrom",
    },
    "depend": {"to": "in", "from": "out", "tofrom": "inout", "read": "in", "write": "out", "readwrite": "inout"},
}  # fmt: skip


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        if not directive.known:
            continue
        for clause in directive.clauses:
            if clause.broken:
                yield _finding(clause, scene.unit.complete_headers)


def _finding(clause: Clause, headers_known: bool) -> Finding:
    """A word that no list has may be a macro of a header that is missing."""
    spec = CLAUSES.get(clause.name)
    span = clause.keyword_span
    if spec is not None and span is not None and clause.broken.startswith("'"):
        word = clause.broken.split("'")[1]
        synonym = _SYNONYMS.get(clause.name, {}).get(word)
        suggestion = synonym or next(iter(near(word, (*spec.keywords, *spec.modifiers))), "")
        if suggestion:
            change = Change(f"Change to `{suggestion}`", span, suggestion)
            return Finding(span, f"{clause.broken}; did you mean `{suggestion}`?", "error", (), (change,))
        return Finding(span, clause.broken, "error" if headers_known or not word.isidentifier() else "hint")
    return Finding(clause.span, clause.broken, "error")


RULE = Rule(
    id="malformed-clause",
    severity="error",
    title="A clause whose arguments cannot be read",
    why="""
The arguments do not have the form that the specification gives the clause, so no compiler can tell what is meant.
""",
    section="3.2",
    about="directives",
    bad=(
        """
void f(int n, float *x, float sum) {
    #pragma omp target map(tofrom x[0:n]) map(to; sum)
    //                                    ^^^^^^^^^^^^ error: a colon must follow 'to', as in 'map(to: sum)'
    //                 ^^^^^^^^^^^^^^^^^^ error: a colon must follow 'tofrom', as in 'map(tofrom: x[0:n])'
    for (int i = 0; i < n; i++) x[i] = sum;
    #pragma omp target map(inout: sum) map(to: x[0:n]) defaultmap(tofrom, scalar)
    //                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^ error: a colon must follow 'tofrom', as in 'defaultmap(tofrom: scalar)'
    //                     ^^^^^ error: 'inout' cannot stand before the colon of 'map'; did you mean `tofrom`?
    sum += x[0];
    #pragma omp target update from: x[0:n] nowait
    //                        ^^^^ error: 'from' needs arguments in parentheses
    #pragma omp target map(x(0:n)) map(sum: to)
    //                             ^^^^^^^^^^^^ error: 'to' must stand before the list, as in 'map(to: sum)'
    //                 ^^^^^^^^^^^ error: in 'x(0:n)': an array section has brackets in C, as in 'x[0:n]'
    x[0] = sum;
    #pragma omp parallel for schedule(static 4) reduction(sum: +)
    //                                          ^^^^^^^^^^^^^^^^^ error: '+' must stand before the list, as in 'reduction(+: sum)'
    //                       ^^^^^^^^^^^^^^^^^^ error: a comma must follow 'static', as in 'schedule(static, 4)'
    for (int i = 0; i < n; i++) sum += x[i];
}
""",
        """
void f(int n, float *x, float sum) {
    #pragma omp target parallel for reduction(+ sum) depend(x)
    //                                               ^^^^^^^^^ error: a kind of dependence and a colon must stand before the list, as in 'depend(in: x)'
    //                              ^^^^^^^^^^^^^^^^ error: a reduction's operator and a colon must stand before the list, as in 'reduction(+: sum)'
    for (int i = 0; i < n; i++) sum += x[i];
}
""",
        """
void f(int n, float *x) {
    #pragma omp target map(tofrmo: x[0:n])
    //                     ^^^^^^ error: 'tofrmo' cannot stand before the colon of 'map'; did you mean `tofrom`?
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target map(tofrom: x[0:n]
    //                 ^^^^^^^^^^^^^^^^^^ error: the parenthesis is not closed
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target map(tofrom: x[0..n])
    //                 ^^^^^^^^^^^^^^^^^^^^ error: in 'x[0..n]': '0..n' is no number: an array section is '[first : length]'
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp parallel for schedule(statick)
    //                                ^^^^^^^ error: 'statick' is not one of static, dynamic, guided, auto, runtime; did you mean `static`?
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp parallel num_threads()
    //                   ^^^^^^^^^^^^^ error: 'num_threads' has empty parentheses
    ;
    #pragma omp target map(to: )
    //                 ^^^^^^^^^ error: the list is empty
    ;
    #pragma omp parallel private
    //                   ^^^^^^^ error: 'private' needs arguments in parentheses
    ;
}
""",
    ),
    good=(
        """
void f(int n, float *x) {
    #pragma omp target map(always, close, tofrom: x[0:n]) if(target: n > 3 ? 1 : 0)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target map(always tofrom: x[:n]) defaultmap(tofrom: scalar) device(ancestor: 1)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, int k, float *x) {
    #pragma omp target teams num_teams(1: n) map(iterator(int i = 0:n), to: x[i])
    ;
    #pragma omp for simd linear(k: 2) aligned(x: 32) schedule(monotonic, simd: static, 4)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, int *x, int (*y)[4]) {
    #pragma omp task depend(iterator(i = 0:n), in: x[i]) depend(out: ([n][4])y)
    ;
    #pragma omp taskwait depend(inout: *x, x[1:n])
}
""",
        """
void f(int n, float *to, float from, float *x) {
    #pragma omp target map(to, from) map(tofrom: x[0:n]) map(to: to)
    x[0] = from;
    #pragma omp target update to(from) from(to)
    #pragma omp parallel for schedule(simd: static, 4) firstprivate(from)
    for (int i = 0; i < n; i++) x[i] = from;
}
""",
        """
#pragma omp declare reduction(larger: int: omp_out = omp_in > omp_out ? omp_in : omp_out) initializer(omp_priv = 0)
""",
    ),
    check=check,
    needs="text",
)
