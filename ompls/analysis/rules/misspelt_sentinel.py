"""A pragma that would be an OpenMP directive if its first word were `omp`.  Compilers ignore it.

Likely, not certain: another tool may have pragmas of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ompls.analysis.model.ast import Span
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.spec import DIRECTIVES
from ompls.analysis.spec.near import distance

_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+(\w+)[ \t]+(\w+)", re.MULTILINE)
_FIRST = frozenset(word for name in DIRECTIVES for word in (name, name.split()[0]))
_EXTENSIONS = frozenset(
    ("ompx", "omx")
)  # the prefixes that implementations have for directives of their own (5.2 §2.1)


def check(scene: Scene) -> Iterator[Finding]:
    text = scene.content.text if scene.content is not None else b""
    for found in _PRAGMA.finditer(text) if b"pragma" in text else ():
        word, first = found[1].decode("latin-1"), found[2].decode("latin-1")
        if word == "omp" or word in _EXTENSIONS or first not in _FIRST:
            continue
        if word.lower() in ("omp", "openmp") or distance(word.lower(), "omp") == 1:
            span = Span(*found.span(1))
            message = f"compilers ignore `#pragma {word} {first}`; did you mean `omp`?"
            yield Finding(span, message, "hint", (), (Change("Change to `omp`", span, "omp", safe=False),))


RULE = Rule(
    id="misspelt-sentinel",
    severity="hint",
    group="structure",
    title="A pragma that says nearly `omp`",
    why="""
Compilers skip a pragma whose first word they do not know, mostly without a word: the loop after `#pragma opm parallel for`
runs sequentially. It is a hint when a word that differs from `omp` in one letter stands before the name of a directive.
""",
    section="2.1",
    bad=(
        """
void f(int n, int *x) {
    #pragma opm target teams distribute parallel for map(tofrom: x[0:n])
    //      ^^^ hint: compilers ignore `#pragma opm target`; did you mean `omp`?
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
        """
void f(int n, int *x) {
    # pragma OMP parallel for
    //       ^^^ hint: compilers ignore `#pragma OMP parallel`; did you mean `omp`?
    for (int i = 0; i < n; i++) {
        #pragma  openmp atomic
        //       ^^^^^^ hint: compilers ignore `#pragma openmp atomic`; did you mean `omp`?
        x[0]++;
    }
}
""",
        """
void f(int n, int *x) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma op target
        //      ^^ hint: compilers ignore `#pragma op target`; did you mean `omp`?
        x[0] = 1;
    }
}
""",
    ),
    good=(
        """
void f(int n, int *x) {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
        """
void f(int n, int *x) {
    #pragma unroll
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
        """
void f(int n, int *x) {
    #pragma ompx target
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
        """
void f(int n, int *x) {
    #pragma opt level
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
        """
const char *text = "#pragma opm target";
void f(int n, int *x) {
    #pragma omp parallel for // not #pragma opm parallel for
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
    ),
    check=check,
    needs="text",
)
