"""A directive without what it applies to.  `notes.py` says it: the front end notices it while it reads."""

from __future__ import annotations

from ompls.analysis.rules.support.framework import Rule, said_elsewhere

RULE = Rule(
    id="misplaced-pragma",
    severity="warning",
    group="front-end",
    title="A directive that applies to nothing",
    why="""
A construct is a directive and the statement that follows it. At the end of a block, or of the file, none follows; compilers
refuse such a text. Also reported are words in a pragma that are no C: a string or a character that is not closed.
""",
    section="none",
    bad=(
        """
void f(int *x) {
    x[0] = 1;
    #pragma omp parallel
//  ^^^^^^^^^^^^^^^^^^^^ warning: no statement follows the directive 'parallel'
}
""",
    ),
    good=(
        """
void f(int *x) {
    #pragma omp parallel
    x[0] = 1;
}
""",
        """
void f(void) {
    #pragma omp barrier
}
""",
        """
void f(void) {
    #pragma omp parallel
    ;
}
""",
        """
void f(void) {
    #pragma tool it's
}
""",
        """
void f(int n, int *x) {
    #pragma omp target data map(x[0:n])
    {
        #pragma omp target update to(x[0:n])
    }
}
""",
    ),
    check=said_elsewhere,
    needs="text",
)
