"""A pragma that would be an OpenMP directive if its first word were `omp`.  Compilers ignore it.

It is certain where only OpenMP has such words: about a device, with clauses, or with a sentinel that is nearly `omp`.
Another tool may have pragmas like the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ompls.analysis.diagnostic import Severity
from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Directive
from ompls.analysis.patterns import later
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.spec import DIRECTIVES
from ompls.analysis.spec.near import distance
from ompls.analysis.syntax.mask import without_comments
from ompls.analysis.syntax.pragma import parse_directive

_PRAGMA = later(rb"^[ \t]*#[ \t]*pragma[ \t]+((\w+)(?:[ \t]+(\w+))?(?:[^\\\n]|\\\r?\n|\\.)*)", re.MULTILINE)
_FIRST = frozenset(word for name in DIRECTIVES for word in (name, name.split()[0]))
_JOINED = {name.replace(" ", ""): name for name in (*_FIRST, *DIRECTIVES)}
_SENTINEL = later(r"(?:open)?mp_?|omp_?", re.IGNORECASE)
_EXTENSION = "ompx"  # the sentinel that implementations have for directives of their own (5.2 §2.1)


def check(scene: Scene) -> Iterator[Finding]:
    text = scene.content.text if scene.content is not None else b""
    for found in _PRAGMA.finditer(without_comments(text)) if b"pragma" in text else ():
        said, word, second = (part.decode("latin-1") for part in found.groups(b""))
        finding = _finding(Span(*found.span(2)), said, word, second)
        if finding is not None:
            yield finding


def _finding(span: Span, said: str, word: str, second: str) -> Finding | None:
    """About `#pragma said`, of which these are the first two words; `span` is the first one's."""
    if word == "omp":
        return None
    if (word.lower(), second.lower()) == ("open", "mp"):
        end = said.index(second) + len(second)
        word, second = said[:end], (said[end:].split() or [""])[0]
        span = Span(span.start, span.start + end)
    own = "target" if distance(word, "target") == 1 else word
    if second.lower() in _FIRST and _is_nearly_omp(word):
        directive, meant, shown = _directive(second.lower() + said.partition(second)[2]), "omp", f"{word} {second}"
        certain = word != _EXTENSION
        if not second.islower():
            meant, span = f"omp {second.lower()}", Span(span.start, span.start + said.index(second) + len(second))
    elif (name := _glued(word)) is not None:
        directive, meant, shown = _directive(name + said[len(word) :]), f"omp {name}", word
        certain = True
    elif own in _FIRST and _is_openmps(directive := _directive(own + said[len(word) :])):
        meant, shown = f"omp {own}", directive.name if own == word else word
        certain = directive.name != "target" or bool(directive.clauses)
        if own != word and not certain:
            return None
    else:
        return None
    severity: Severity = "warning" if certain and "target" in directive.name.split() else "hint"
    message = f"compilers ignore `#pragma {shown}`; did you mean `{meant}`?"
    return Finding(span, message, severity, (), (Change(f"Change to `{meant}`", span, meant, safe=False),))


def _glued(word: str) -> str | None:
    """The words of a directive that the sentinel has no blank before: `omptarget`, `omp_target_teams`, `omptarge`."""
    sentinel = _SENTINEL.match(word)
    rest = word[sentinel.end() :].lower().replace("_", "") if sentinel is not None else ""
    return _JOINED.get(rest) or ("target" if distance(rest, "target") == 1 else None)


def _is_nearly_omp(word: str) -> bool:
    letters = word.lower().replace(" ", "")
    return word != "omp" and (letters in ("omp", "openmp") or distance(letters, "omp") == 1)


def _is_openmps(directive: Directive) -> bool:
    """Whether no other tool has such a pragma: one word says little (`#pragma parallel`, `#pragma section(".x")`)."""
    usual = all(clause.known and not clause.broken for clause in directive.clauses)
    return directive.known and usual and (directive.name == "target" or " " in directive.name) and not directive.args


def _directive(text: str) -> Directive:
    return parse_directive(b"#pragma omp " + text.encode("latin-1"))


RULE = Rule(
    id="misspelt-sentinel",
    severity="warning",
    group="structure",
    title="A pragma that says nearly `omp`",
    why="""
Compilers skip a pragma whose first word they do not know, mostly without a word: the loop after `#pragma opm parallel for`
runs sequentially. The rule knows words that differ from `omp` in one letter, `omp` without a blank behind it, and names of directives where
it is left out. Where another tool may have such a pragma it is a hint: `ompx` is for what implementations add to OpenMP.
""",
    section="2.1",
    bad=(
        """
void f(int n, int *x) {
    #pragma opm target teams distribute parallel for map(tofrom: x[0:n])
    //      ^^^ warning: compilers ignore `#pragma opm target`; did you mean `omp`?
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
        //      ^^ warning: compilers ignore `#pragma op target`; did you mean `omp`?
        x[0] = 1;
    }
}
""",
        """
void f(int n, int *x) {
    #pragma omptarget map(tofrom: x[0:n])
    //      ^^^^^^^^^ warning: compilers ignore `#pragma omptarget`; did you mean `omp target`?
    x[0] = 1;
    #pragma target teams distribute parallel for map(x[0:n])
    //      ^^^^^^ warning: compilers ignore `#pragma target teams distribute parallel for`; did you mean `omp target`?
    for (int i = 0; i < n; i++) x[i] = i;
    #pragma target
    //      ^^^^^^ hint: compilers ignore `#pragma target`; did you mean `omp target`?
    x[0] = 2;
    #pragma parallel for
    //      ^^^^^^^^ hint: compilers ignore `#pragma parallel for`; did you mean `omp parallel`?
    for (int i = 0; i < n; i++) x[i] = i;
    #pragma ompx target
    //      ^^^^ hint: compilers ignore `#pragma ompx target`; did you mean `omp`?
    x[0] = 3;
}
""",
        """
void f(int n, int *x) {
    #pragma OMP TARGET map(tofrom: x[0:n])
    //      ^^^^^^^^^^ warning: compilers ignore `#pragma OMP TARGET`; did you mean `omp target`?
    x[0] = 1;
    #pragma open mp target map(tofrom: x[0:n])
    //      ^^^^^^^ warning: compilers ignore `#pragma open mp target`; did you mean `omp`?
    x[0] = 1;
    #pragma omp_target_teams map(tofrom: x[0:n])
    //      ^^^^^^^^^^^^^^^^ warning: compilers ignore `#pragma omp_target_teams`; did you mean `omp target teams`?
    x[0] = 1;
    #pragma omptarge map(tofrom: x[0:n])
    //      ^^^^^^^^ warning: compilers ignore `#pragma omptarge`; did you mean `omp target`?
    x[0] = 1;
    #pragma taget map(x[0:n])
    //      ^^^^^ warning: compilers ignore `#pragma taget`; did you mean `omp target`?
    x[0] = 1;
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
#pragma GCC push_options
#pragma GCC target("avx")
void f(int n, int *x) {
    #pragma parallel
    #pragma loop(hint_parallel(8))
    for (int i = 0; i < n; i++) x[i] = i;
    #pragma section(".x")
    #pragma target(mic)
    #pragma target elsewhere
    #pragma targets
    #pragma ompss task
    x[0] = 1;
    /*
    #pragma opm target
    */
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
