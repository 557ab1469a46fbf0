"""A clause that OpenMP does not have, or not on this directive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ompls.analysis.model.ast import Span
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.names import longer_name
from ompls.analysis.spec import CLAUSES, DIRECTIVES, clauses_of
from ompls.analysis.spec.clause_sets import MAP_TYPES_OF
from ompls.analysis.spec.clauses import MAP_EXTENSIONS
from ompls.analysis.spec.data_clauses import REDUCTIONS
from ompls.analysis.spec.near import near

_WHOLE = "teams distribute parallel for"
_OWN = "ompx_"  # names that implementations have for themselves begin with it (5.2 §3.1)


def check(scene: Scene) -> Iterator[Finding]:
    version = scene.unit.settings.openmp
    for directive in scene.directives:
        if directive.known and directive.name != "metadirective" and longer_name(directive, version) is None:
            for clause in directive.clauses:
                if clause.name:
                    yield from _clause(directive, clause)
                    yield from _modifiers(clause)


def _clause(directive: Directive, clause: Clause) -> Iterator[Finding]:
    if not clause.known:
        if longer := _joined(directive, clause):
            yield longer
            return
        suggestion = next(iter(near(clause.name, clauses_of(directive.name))), "") or _by_arguments(directive, clause)
        message = f"there is no OpenMP clause `{clause.name}`"
        if not suggestion:
            # A word in capitals is a macro that the command line defines, more likely.
            yield Finding(clause.name_span, message, "hint" if clause.name.isupper() else "error")
            return
        change = Change(f"Change to `{suggestion}`", clause.name_span, suggestion)
        yield Finding(clause.name_span, f"{message}; did you mean `{suggestion}`?", "error", (), (change,))
    elif clause.name in CLAUSES and clause.name not in clauses_of(directive.name):
        yield _misplaced(directive, clause)
    elif clause.name.startswith(_OWN) and clause.name not in CLAUSES:
        yield _unknown_extension("clause", clause.name, clause.name_span, clauses_of(directive.name))


def _by_arguments(directive: Directive, clause: Clause) -> str:
    """The clause that takes such arguments: `mx(to: x)`."""
    words = clause.text.partition(":")[0].replace(" ", "").split(",") if ":" in clause.text else []
    for name in ("map", "reduction", "depend"):
        known = REDUCTIONS if name == "reduction" else (*CLAUSES[name].keywords, *CLAUSES[name].modifiers)
        if words and name in clauses_of(directive.name) and all(word in known for word in words):
            return name
    return ""


def _joined(directive: Directive, clause: Clause) -> Finding | None:
    """`target update_to(x)`: a word of the directive and the clause in one."""
    word, _, own = clause.name.partition("_")
    meant = f"{directive.name} {word}"
    if clause is not directive.clauses[0] or meant not in DIRECTIVES or own not in clauses_of(meant):
        return None
    change = Change(f"Change to `{word} {own}`", clause.name_span, f"{word} {own}")
    message = f"there is no OpenMP clause `{clause.name}`; did you mean `{own}` of `{meant}`?"
    return Finding(clause.name_span, message, "error", (), (change,))


def _modifiers(clause: Clause) -> Iterator[Finding]:
    known = MAP_EXTENSIONS if clause.name == "map" else ()
    for name, span in clause.extensions:
        if name.startswith(_OWN) and name not in known:
            yield _unknown_extension(f"`{clause.name}` modifier", name, span, known)


def _unknown_extension(what: str, name: str, span: Span, known: Iterable[str]) -> Finding:
    """An implementation may have it; where it is nearly one that is known, that one is meant."""
    message = f"no compiler known here has the {what} `{name}`"
    meant = next(iter(near(name, (other for other in known if other.startswith(_OWN)))), "")
    if not meant:
        return Finding(span, message, "warning")
    change = Change(f"Change to `{meant}`", span, meant)
    return Finding(span, f"{message}; did you mean `{meant}`?", "error", (), (change,))


def _misplaced(directive: Directive, clause: Clause) -> Finding:
    """A known clause in the wrong place: near clauses first, then the directive it may belong to."""
    message = f"`{clause.name}` is no clause of `{directive.name}`"
    suggestion = next(iter(near(clause.name, clauses_of(directive.name))), "")
    if suggestion:
        change = Change(f"Change to `{suggestion}`", clause.name_span, suggestion)
        return Finding(clause.name_span, f"{message}; did you mean `{suggestion}`?", "error", (), (change,))
    longer = [n for n in DIRECTIVES if n.startswith(directive.name + " ") and clause.name in clauses_of(n)]
    if longer:
        shortest = min(longer, key=len)
        of_loops = DIRECTIVES[shortest].kind == "loop"  # and a device has teams for them
        message += f"; `{next((n for n in longer if of_loops and n.endswith(_WHOLE)), shortest)}` has it"
    return Finding(clause.name_span, message, "error", (), _other_motion(directive, clause))


def _other_motion(directive: Directive, clause: Clause) -> tuple[Change, ...]:
    """`map(to: x)` where `to(x)` is meant, as on `target update`, and the other way round."""
    items = ", ".join(item.text for item in clause.items)
    allowed = clauses_of(directive.name)
    if not items or clause.modifiers or clause.broken:
        return ()
    if clause.name == "map" and "from" in allowed:
        ways = [way for way in ("from", "to") if clause.keyword in (way, "tofrom", "")]
        texts = [f"{way}({items})" for way in ways]
    elif clause.name in MAP_TYPES_OF.get("target" if directive.has("target") else directive.name, ()):
        texts = [f"map({clause.name}: {items})"]
    else:
        return ()
    quotes = tuple([(item.text, item.span) for item in clause.items])
    return tuple([Change(f"Change to `{text}`", clause.span, text, safe=False, quotes=quotes) for text in texts])


RULE = Rule(
    id="unknown-clause",
    severity="error",
    title="A clause that the directive does not have",
    why="""
A compiler refuses a clause that it does not know or that the directive does not take; some skip the whole pragma with
a warning. Clauses of all versions up to OpenMP 6.0 are known. Clauses and modifiers that begin with `ompx_` belong to compilers: those of
LLVM and of ompls are known, and a name that none of them has is an error where it is nearly one of these, else a warning.
""",
    section="3.1",
    about="directives",
    bad=(
        """
void f(int n, float *x) {
    #pragma omp target mpa(tofrom: x[0:n])
    //                 ^^^ error: there is no OpenMP clause `mpa`; did you mean `map`?
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target schedule(static) map(tofrom: x[0:n])
    //                 ^^^^^^^^ error: `schedule` is no clause of `target`; `target teams distribute parallel for` has it
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp target collapse(1) num_threads(4) mx(tofrom: x[0:n])
    //                                            ^^ error: there is no OpenMP clause `mx`; did you mean `map`?
    //                             ^^^^^^^^^^^ error: `num_threads` is no clause of `target`; `target parallel` has it
    //                 ^^^^^^^^ error: `collapse` is no clause of `target`; `target teams distribute parallel for` has it
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target update too(x[0:n])
    //                        ^^^ error: there is no OpenMP clause `too`; did you mean `to`?
    #pragma omp target update_from(x[0:n])
    //                 ^^^^^^^^^^^ error: there is no OpenMP clause `update_from`; did you mean `from` of `target update`?
}
""",
        """
void f(int n, float *x) {
    #pragma omp parallel for num_treads(4) redction(+: n)
    //                                     ^^^^^^^^ error: there is no OpenMP clause `redction`; did you mean `reduction`?
    //                       ^^^^^^^^^^ error: there is no OpenMP clause `num_treads`; did you mean `num_threads`?
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(void) {
    #pragma omp target wibble(3) foo(1)
    //                           ^^^ error: there is no OpenMP clause `foo`
    //                 ^^^^^^ error: there is no OpenMP clause `wibble`
    ;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target map(ompx_locl, tofrom: x[0:n]) ompx_bear
    //                                                ^^^^^^^^^ error: no compiler known here has the clause `ompx_bear`; did you mean `ompx_bare`?
    //                     ^^^^^^^^^ error: no compiler known here has the `map` modifier `ompx_locl`; did you mean `ompx_local`?
    x[0] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target map(ompx_wibble, tofrom: x[0:n]) ompx_places(1)
    //                                                  ^^^^^^^^^^^ warning: no compiler known here has the clause `ompx_places`
    //                     ^^^^^^^^^^^ warning: no compiler known here has the `map` modifier `ompx_wibble`
    x[0] = 0;
}
""",
    ),
    good=(
        """
void f(int n, float *x) {
    #pragma omp target teams distribute parallel for schedule(static, 1) map(tofrom: x[0:n]) thread_limit(64)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, float *x) {
    #pragma omp target ompx_attribute(launch_bounds(64)) map(tofrom: x[0:n]) map(ompx_hold, to: n)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int *x) {
    #pragma omp atomic compare capture acq_rel fail(relaxed)
    { int v = *x; if (*x == 1) { *x = 2; } }
}
""",
        """
void f(int n) {
    #pragma omp for ordered(1)
    for (int i = 0; i < n; i++) {
        #pragma omp ordered doacross(sink: i - 1)
        #pragma omp ordered doacross(source:)
    }
}
""",
        """
#pragma omp requires unified_shared_memory ext_own_feature
int g;
#pragma omp declare target enter(g) device_type(any)
""",
    ),
    check=check,
    needs="text",
)
