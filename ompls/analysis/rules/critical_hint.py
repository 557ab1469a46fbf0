"""`critical` with a hint: it needs a name, and all regions of one name have the same hint."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive
from ompls.analysis.rules.support.framework import Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """Regions of other functions are not compared: their hints may be other words for the same value."""
    first: dict[str, tuple[int, Directive]] = {}
    for directive in scene.directives:
        if directive.name != "critical":
            continue
        clause = directive.clause("hint")
        value = fold(clause.args[0]) if clause is not None and clause.args else None if clause is not None else 0
        if value is None:
            continue
        name = directive.args[0].text if directive.args else ""
        if not name:
            if value and clause is not None:
                yield Finding(clause.span, "a `critical` construct with a hint must have a name", "error")
            continue
        known, where = first.setdefault(name, (value, directive))
        if known != value:
            message = f"this region named `{name}` has the hint {value}, another one {known}: they must be the same"
            place = clause.span if clause is not None else directive.name_span
            yield Finding(place, message, "warning", ((where.span, "the other one"),))


RULE = Rule(
    id="critical-hint",
    severity="error",
    group="structure",
    title="Hints of `critical` that do not agree",
    why="""
A hint chooses the kind of the lock, and all regions of one name share a lock, in the whole program. So a hint needs a name, and
every `critical` of that name the same hint.
""",
    section="15.2",
    about="directives",
    bad=(
        """
void f(int *x) {
    #pragma omp critical hint(2)
    //                   ^^^^^^^ error: a `critical` construct with a hint must have a name
    x[0]++;
    #pragma omp critical(a) hint(1)
    x[0]++;
    #pragma omp critical(a) hint(2)
    //                      ^^^^^^^ warning: this region named `a` has the hint 2, another one 1: they must be the same
    x[0]++;
}
""",
        """
enum { CONTENDED = 2 };
void f(int n, int *x) {
    for (int i = 0; i < n; i++) {
        #pragma omp critical(b)
        x[i]++;
        #pragma omp critical(b) hint(CONTENDED)
        //                      ^^^^^^^^^^^^^^^ warning: this region named `b` has the hint 2, another one 0: they must be the same
        x[i]++;
    }
}
""",
    ),
    good=(
        """
void f(int *x) {
    #pragma omp critical
    x[0]++;
    #pragma omp critical hint(0)
    x[0]++;
}
""",
        """
void f(int *x) {
    #pragma omp critical(a) hint(1 | 4)
    x[0]++;
    #pragma omp critical(a) hint(5)
    x[0]++;
}
""",
        """
void f(int *x) {
    #pragma omp critical(a) hint(1)
    x[0]++;
    #pragma omp critical(b) hint(2)
    x[0]++;
}
""",
        """
void f(int *x, int h) {
    #pragma omp critical(a) hint(h)
    x[0]++;
    #pragma omp critical(a) hint(2)
    x[0]++;
}
""",
        """
void f(int *x) {
    #pragma omp critical(a)
    x[0]++;
    #pragma omp critical(a)
    x[1]++;
    #pragma omp atomic hint(2)
    x[0]++;
}
""",
    ),
    check=check,
)
