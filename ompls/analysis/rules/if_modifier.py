"""`if(construct: …)` that names a construct which the directive does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.omp import Directive
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.spec import DIRECTIVES


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        if not directive.known or "metadirective" in directive.name:
            continue
        for clause in directive.all("if"):
            if not clause.keyword or clause.broken or clause.keyword_span is None:
                continue
            if clause.keyword != directive.name and not _part(clause.keyword, directive):
                message = f"`{clause.keyword}` is no part of `{directive.name}`"
                yield Finding(clause.keyword_span, message, "error")
            elif clause.keyword in directive.constructs and "if" not in DIRECTIVES[clause.keyword].clauses:
                message = f"`{clause.keyword}` has no condition: `if` is no clause of it"
                yield Finding(clause.keyword_span, message, "error")


def _part(name: str, directive: Directive) -> bool:
    """Whether the words of `name` are constructs of the directive (6.0 allows compound names)."""
    return all(word in directive.constructs for word in name.split())


RULE = Rule(
    id="if-modifier",
    severity="error",
    group="structure",
    title="A condition for a construct that is not there",
    why="""
On a combined construct `if(parallel: n > 100)` is the condition of its `parallel` part. A name that is no part of the directive
makes it a condition of nothing.
""",
    section="3.4",
    about="directives",
    bad=(
        """
void f(int n, int *x) {
    #pragma omp target if(parallel: n > 100) map(tofrom: x[0:n])
    //                    ^^^^^^^^ error: `parallel` is no part of `target`
    x[0] = n;
    #pragma omp target update to(x[0:n]) if(target: n)
    //                                      ^^^^^^ error: `target` is no part of `target update`
}
""",
        """
void f(int n, int *x) {
    #pragma omp parallel for if(for: n > 100)
    //                          ^^^ error: `for` has no condition: `if` is no clause of it
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
    ),
    good=(
        """
void f(int n, int *x) {
    #pragma omp target parallel for if(target: n > 10) if(parallel: n > 100) map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, int *x) {
    #pragma omp target update to(x[0:n]) if(target update: n)
    #pragma omp target enter data map(to: x[0:n]) if(target enter data: n)
}
""",
        """
void f(int n, int *x) {
    #pragma omp task if(n > 3)
    x[0] = n;
    #pragma omp taskloop simd if(taskloop: n) if(simd: n > 4)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, int *x) {
    #pragma omp target data map(tofrom: x[0:n]) if(target data: n > 2)
    x[0] = n;
}
""",
        """
void f(int n, int parallel, int *x) {
    #pragma omp target if(parallel ? n : 0) map(tofrom: x[0:n])
    x[0] = n;
}
""",
    ),
    check=check,
    needs="text",
)
