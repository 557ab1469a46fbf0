"""A pragma whose words are no OpenMP directive.  Compilers ignore it, with a warning at most."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Directive
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.names import longer_name, meant_by
from ompls.analysis.spec import DIRECTIVES
from ompls.analysis.spec.near import near

_BODY = {"block": "statement or block", "loop": "loop"}


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        if not directive.known:
            yield _unknown(directive, scene.unit.settings.openmp)
        elif (longer := longer_name(directive, scene.unit.settings.openmp)) is not None:
            yield _finding(*longer)


def _unknown(directive: Directive, version: str) -> Finding:
    if not directive.name:
        return Finding(directive.span, "a directive is missing after `#pragma omp`", "error")
    if directive.name.isupper():  # a macro that the command line defines, more likely
        return Finding(directive.name_span, f"`{directive.name}` is neither a directive nor a macro here", "hint")
    name, span = directive.name, directive.name_span
    if begun := _ended(name):
        kind = DIRECTIVES[begun].kind
        what = (
            f"its construct ends with the {_BODY[kind]} behind `{begun}`"
            if kind in _BODY
            else f"`{begun}` stands alone"
        )
        return Finding(span, f"C has no `{name}`: {what}", "error")
    if meant := meant_by(name, version):
        return _finding(name, span, meant)
    if span.end - span.start == len(name):  # as written: the end of its first words is known
        for count in range(len(name.split()), 0, -1):  # the last ones may be a clause: `paralel for schedul(static)`
            first = " ".join(name.split()[:count])
            meant = next((n for n in near(first, DIRECTIVES) if _word_by_word(first, n)), "")
            if meant:
                return _finding(first, Span(span.start, span.start + len(first)), meant)
    return _finding(name, span, "")


def _ended(name: str) -> str:
    """The directive that a line would end in Fortran, whose loops are `do`; "" for other words."""
    first, *words = name.replace("_", " ").split()
    begun = " ".join("for" if word == "do" else word for word in words)
    return begun if first == "end" and begun in DIRECTIVES and f"end {begun}" not in DIRECTIVES else ""


def _word_by_word(name: str, meant: str) -> bool:
    """Whether each word is nearly the other's, where there are as many."""
    pairs = list(zip(name.split(), meant.split(), strict=False))
    return len(name.split()) != len(meant.split()) or all(a == b or near(a, [b]) for a, b in pairs)


def _finding(name: str, span: Span, suggestion: str) -> Finding:
    if not suggestion:
        last = name.rsplit(maxsplit=1)[-1]
        alone = f"; `{last}` needs a pragma of its own" if " " in name and last in DIRECTIVES else ""
        return Finding(span, f"there is no OpenMP directive `{name}`{alone}", "error")
    known = set(name.replace("_", " ").split()) >= set(suggestion.split())
    change = Change(
        f"Change to `{suggestion}`", span, suggestion, safe=known or name.count(" ") == suggestion.count(" ")
    )
    return Finding(span, f"there is no OpenMP directive `{name}`; did you mean `{suggestion}`?", "error", (), (change,))


RULE = Rule(
    id="unknown-directive",
    severity="error",
    title="A pragma that is no OpenMP directive",
    why="""
Compilers skip a pragma that they do not know, so the block after it runs on the host, sequentially, and nothing looks
wrong. The names of all versions up to OpenMP 6.0 are known.
""",
    section="2.1, 17",
    about="directives",
    bad=(
        """
void f(int n, float *x) {
    #pragma omp taget map(tofrom: x[0:n])
    //          ^^^^^ error: there is no OpenMP directive `taget`; did you mean `target`?
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target tems distribute parallel for map(tofrom: x[0:n])
    //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: there is no OpenMP directive `target tems distribute parallel for`; did you mean `target teams distribute parallel for`?
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
#pragma omp declare tagret
//          ^^^^^^^^^^^^^^ error: there is no OpenMP directive `declare tagret`; did you mean `declare target`?
int g;
#pragma omp end declare target
""",
        """
void f(int n, float *x) {
    #pragma omp target enter dat map(to: x[0:n])
    //          ^^^^^^^^^^^^^^^^ error: there is no OpenMP directive `target enter dat`; did you mean `target enter data`?
    #pragma omp target updat to(x[0:n])
    //          ^^^^^^^^^^^^ error: there is no OpenMP directive `target updat`; did you mean `target update`?
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target teams parallel for map(tofrom: x[0:n])
    //          ^^^^^^^^^^^^^^^^^^^^^^^^^ error: there is no OpenMP directive `target teams parallel for`; did you mean `target teams distribute parallel for`?
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp parallel for target map(tofrom: x[0:n])
    //          ^^^^^^^^^^^^^^^^^^^ error: there is no OpenMP directive `parallel for target`; did you mean `target parallel for`?
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp target_teams_parallel_for map(tofrom: x[0:n])
    //          ^^^^^^^^^^^^^^^^^^^^^^^^^ error: there is no OpenMP directive `target_teams_parallel_for`; did you mean `target teams distribute parallel for`?
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp exit data map(from: x[0:n])
    //          ^^^^^^^^^ error: there is no OpenMP directive `exit data`; did you mean `target exit data`?
    #pragma omp loop target
    //          ^^^^^^^^^^^ error: there is no OpenMP directive `loop target`; did you mean `target teams loop`?
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp target data single
    //          ^^^^^^^^^^^^^^^^^^ error: there is no OpenMP directive `target data single`; `single` needs a pragma of its own
    x[0] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++) x[i] = 0;
        #pragma omp end target teams distribute parallel for
        //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: C has no `end target teams distribute parallel for`: its construct ends with the loop behind `target teams distribute parallel for`
    }
    #pragma omp end target data
    //          ^^^^^^^^^^^^^^^ error: C has no `end target data`: its construct ends with the statement or block behind `target data`
    #pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp end parallel do
    //          ^^^^^^^^^^^^^^^ error: C has no `end parallel do`: its construct ends with the loop behind `parallel for`
    #pragma omp end target update
    //          ^^^^^^^^^^^^^^^^^ error: C has no `end target update`: `target update` stands alone
}
""",
        """
void f(void) {
    #pragma omp DIRECTIVE
    //          ^^^^^^^^^ hint: `DIRECTIVE` is neither a directive nor a macro here
    ;
    #pragma omp frobnicate
    //          ^^^^^^^^^^ error: there is no OpenMP directive `frobnicate`
    ;
}
""",
    ),
    good=(
        """
void f(int n, float *x) {
    #pragma omp target teams distribute parallel for simd map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
#pragma omp begin declare_target
int g;
#pragma omp end declare_target
""",
        """
void f(int n, float *x) {
    #pragma omp target_data map(tofrom: x[0:n])
    {
        #pragma omp target_update to(x[0:n])
    }
}
""",
        """
void f(void) {
    #pragma unroll 4
    for (int i = 0; i < 4; i++) ;
    #pragma GCC ivdep
    for (int i = 0; i < 4; i++) ;
}
""",
        """
void f(int n, int *x) {
    #pragma omp for ordered
    for (int i = 0; i < n; i++) {
        #pragma omp ordered simd
        x[i] = i;
        #pragma omp atomic update
        x[0]++;
    }
    #pragma omp parallel sections
    {
        x[1] = 0;
    }
}
""",
        """
void f(int n) {
    #pragma omp parallel
    {
        #pragma omp cancel parallel if(n > 3)
        #pragma omp cancellation point parallel
    }
}
""",
    ),
    check=check,
    needs="text",
)
