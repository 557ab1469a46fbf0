"""A spelling that the version of OpenMP in use has replaced."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.patterns import later
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.spec.versions import REMOVES_DEPRECATED

_GAP = later(r"[\w)]\s+\w")  # the end of a word, and another
_LINEAR = later(r"\s*(val|ref|uval)\s*\(([^()]*)\)\s*(?::(.*))?\Z", re.S)
_TRAITS = later(r"\s*(\w+)\s*\(\s*(\w+)\s*\)\s*\Z")
_SINCE = later(r"is deprecated since OpenMP (\d\.\d)")


def check(scene: Scene) -> Iterator[Finding]:
    """6.0 has removed what 5.0 to 5.2 deprecated (appendix B.2), so there it is a warning: somebody chose 6.0."""
    version = scene.unit.settings.openmp
    for finding in _deprecated(scene, version):
        if version < REMOVES_DEPRECATED:
            yield finding
        else:
            message = _SINCE.sub(r"is gone in OpenMP 6.0, deprecated since \1", finding.message)
            yield replace(finding, message=message, severity="warning")


def _deprecated(scene: Scene, version: str) -> Iterator[Finding]:
    for directive in (*scene.directives, *(d.meta for d in scene.directives if d.meta is not None)):
        if not directive.known:
            continue
        if version >= "5.1" and "master" in directive.constructs:
            name = " ".join("masked" if w == "master" else w for w in directive.constructs)
            change = Change(f"Change to `{name}`", directive.name_span, name)
            message = "`master` is deprecated since OpenMP 5.1; `masked` does the same"
            yield Finding(directive.name_span, message, "hint", (), (change,))
        for clause in directive.clauses:
            found = _clause(directive, clause, version)
            if found is not None:
                yield found


def _clause(directive: Directive, clause: Clause, version: str) -> Finding | None:
    if version >= "5.1" and clause.name == "proc_bind" and clause.keyword == "master" and clause.keyword_span:
        change = Change("Change to `primary`", clause.keyword_span, "primary")
        message = "`proc_bind(master)` is deprecated since OpenMP 5.1; it is `primary` now"
        return Finding(clause.keyword_span, message, "hint", (), (change,))
    if version < "5.2":
        return None
    if clause.name == "map" and (commas := _with_commas(clause)):
        change = Change("Separate the modifiers by commas", clause.span, f"map({commas})", safe=False)
        message = "a list of modifiers without commas is deprecated since OpenMP 5.2"
        return Finding(clause.span, message, "hint", (), (change,))
    now = ""
    if directive.name == "declare target" and clause.name == "to":
        now = "enter"
    elif directive.name.endswith("metadirective") and clause.name == "default":
        now = "otherwise"
    elif directive.name == "ordered" and clause.name == "depend" and clause.keyword == "sink":
        now = "doacross"
    if now:
        # not a safe one: compilers of today (gcc 14, clang 19 by default) do not know the words of 5.2 yet
        change = Change(f"Change to `{now}`", clause.name_span, now, safe=False)
        message = f"`{clause.name}` on `{directive.name}` is deprecated since OpenMP 5.2; it is `{now}` now"
        return Finding(clause.name_span, message, "hint", (), (change,))
    if directive.name == "ordered" and clause.name == "depend" and clause.keyword == "source":
        change = Change("Change to `doacross(source:)`", clause.span, "doacross(source:)", safe=False)
        message = "`depend(source)` is deprecated since OpenMP 5.2; it is `doacross(source:)` now"
        return Finding(clause.span, message, "hint", (), (change,))
    if clause.name == "reduction" and clause.keyword == "-" and clause.keyword_span is not None:
        change = Change("Change to `+`", clause.keyword_span, "+")
        message = "the reduction `-` is deprecated since OpenMP 5.2: it adds the copies up, as `+` does"
        return Finding(clause.keyword_span, message, "hint", (), (change,))
    return _written_anew(directive, clause)


def _written_anew(directive: Directive, clause: Clause) -> Finding | None:
    """Clauses whose arguments 5.2 writes in another order."""
    now = ""
    if clause.name == "linear" and (match := _LINEAR.match(clause.text)) is not None:
        now = f"linear({match[2].strip()}: {match[1]}" + (f", step({match[3].strip()}))" if match[3] else ")")
    elif clause.name == "uses_allocators" and (match := _TRAITS.match(clause.text)) is not None:
        now = f"uses_allocators(traits({match[2]}): {match[1]})"
    elif clause.name == "destroy" and directive.name == "depobj" and not clause.text and directive.args:
        now = f"destroy({directive.args[0].text})"
    if not now:
        return None
    change = Change(f"Change to `{now}`", clause.span, now, safe=False)
    message = f"this form of `{clause.name}` is deprecated since OpenMP 5.2; it is `{now}` now"
    return Finding(clause.span, message, "hint", (), (change,))


def _with_commas(clause: Clause) -> str:
    """The arguments of a `map` clause with commas between its modifiers; "" when there are."""
    if clause.broken or not clause.modifiers:
        return ""
    depth, gaps = 0, []
    for at, letter in enumerate(clause.text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and letter == ":":
            break
        if depth == 0 and _GAP.match(clause.text, at):
            gaps.append(at + 1)
    ends = [0, *gaps, len(clause.text)]
    return ",".join([clause.text[i:k] for i, k in itertools.pairwise(ends)]) if gaps else ""


RULE = Rule(
    id="deprecated-spelling",
    severity="warning",
    group="portability",
    title="A spelling that OpenMP has replaced",
    why="""
The words still mean what they meant, but a later version may drop them, as 6.0 did with some. Nothing is said when the
setting for the OpenMP version is older than the replacement.
""",
    section="B.1",
    bad=(
        """
// OpenMP 6.0
void f(int *x) {
    #pragma omp parallel master
    //          ^^^^^^^^^^^^^^^ warning: `master` is gone in OpenMP 6.0, deprecated since 5.1; `masked` does the same
    x[0] = 1;
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel master taskloop proc_bind(master)
    //                                             ^^^^^^ hint: `proc_bind(master)` is deprecated since OpenMP 5.1; it is `primary` now
    //          ^^^^^^^^^^^^^^^^^^^^^^^^ hint: `master` is deprecated since OpenMP 5.1; `masked` does the same
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(always tofrom: x[0:n])
    //                 ^^^^^^^^^^^^^^^^^^^^^^^^^^ hint: a list of modifiers without commas is deprecated since OpenMP 5.2
    x[0] = n;
    #pragma omp target map(close, always to: n) map(tofrom: x[0:n])
    //                 ^^^^^^^^^^^^^^^^^^^^^^^^ hint: a list of modifiers without commas is deprecated since OpenMP 5.2
    x[0] = n;
}
""",
        """
int table;
#pragma omp declare target to(table)
//                         ^^ hint: `to` on `declare target` is deprecated since OpenMP 5.2; it is `enter` now
""",
        """
void f(int n, double s, double *x) {
    #pragma omp for ordered(1) reduction(-: s)
    //                                   ^ hint: the reduction `-` is deprecated since OpenMP 5.2: it adds the copies up, as `+` does
    for (int i = 0; i < n; i++) {
        #pragma omp ordered depend(sink: i - 1)
        //                  ^^^^^^ hint: `depend` on `ordered` is deprecated since OpenMP 5.2; it is `doacross` now
        s -= x[i];
        #pragma omp ordered depend(source)
        //                  ^^^^^^^^^^^^^^ hint: `depend(source)` is deprecated since OpenMP 5.2; it is `doacross(source:)` now
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp metadirective when(device={arch(nvptx)}: for) default(parallel for)
    //                                                        ^^^^^^^ hint: `default` on `metadirective` is deprecated since OpenMP 5.2; it is `otherwise` now
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, int k, int m, double *x, omp_depend_t o, const omp_alloctrait_t t[1]) {
    #pragma omp for linear(val(k): 2) linear(val(m))
    //                                ^^^^^^^^^^^^^^ hint: this form of `linear` is deprecated since OpenMP 5.2; it is `linear(m: val)` now
    //              ^^^^^^^^^^^^^^^^^ hint: this form of `linear` is deprecated since OpenMP 5.2; it is `linear(k: val, step(2))` now
    for (int i = 0; i < n; i++) x[i] = k;
    #pragma omp depobj(o) destroy
    //                    ^^^^^^^ hint: this form of `destroy` is deprecated since OpenMP 5.2; it is `destroy(o)` now
    #pragma omp target uses_allocators(own(t))
    //                 ^^^^^^^^^^^^^^^^^^^^^^^ hint: this form of `uses_allocators` is deprecated since OpenMP 5.2; it is `uses_allocators(traits(t): own)` now
    ;
}
""",
    ),
    good=(
        """
void f(int n, int k, double *x, omp_depend_t o, const omp_alloctrait_t t[1]) {
    #pragma omp for linear(k: val, step(2))
    for (int i = 0; i < n; i++) x[i] = k;
    #pragma omp depobj(o) destroy(o)
    #pragma omp target uses_allocators(traits(t): own)
    ;
    #pragma omp target uses_allocators(omp_default_mem_alloc)
    ;
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel masked taskloop proc_bind(primary)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
int table;
#pragma omp declare target enter(table)
void f(void) {
    #pragma omp target update to(table)
    #pragma omp target map(always, present , iterator(long int i = 0 : 3), mapper(default) , tofrom : table)
    table = 1;
    #pragma omp target data map(close,to: table)
    { }
}
""",
        """
void f(int n, double s, double *x) {
    #pragma omp for ordered(1) reduction(+: s)
    for (int i = 0; i < n; i++) {
        #pragma omp ordered doacross(sink: i - 1)
        s -= x[i];
        #pragma omp ordered doacross(source:)
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel default(none) shared(x) firstprivate(n)
    x[0] = n;
    #pragma omp metadirective when(device={arch(nvptx)}: for) otherwise(parallel for)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    int master = 0;
    #pragma omp task depend(in: master) firstprivate(master)
    x[0] = n - master;
}
""",
    ),
    check=check,
    needs="text",
)
