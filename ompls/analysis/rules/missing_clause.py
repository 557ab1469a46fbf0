"""A directive without a clause that it cannot do without."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.names import longer_name
from ompls.analysis.rules.support.nesting import placed
from ompls.analysis.spec.clause_sets import NEEDS, REQUIRED


def check(scene: Scene) -> Iterator[Finding]:
    version = scene.unit.settings.openmp
    for directive in scene.directives:
        # A clause that is not known may be a misspelt one: that is reported already.
        known = directive.known and all(c.known and c.name for c in directive.clauses)
        if known and longer_name(directive, version) is None:
            yield from _missing(directive)
    for place in placed(scene):
        directive = place.stmt.directive
        unbound = directive.name == "loop" and directive.clause("bind") is None
        if unbound and not place.around and longer_name(directive, version) is None:
            message = "`loop` outside of any construct needs a `bind` clause: nothing says which threads run it"
            yield Finding(directive.name_span, message, "error")


def _missing(directive: Directive) -> Iterator[Finding]:
    names = REQUIRED.get(directive.name, ())
    if names and directive.clause(*names) is None:
        yield Finding(directive.name_span, f"`{directive.name}` needs {_one_of(names)}", "error")
    for where, given, needed in NEEDS:
        clause = directive.clause(given) if directive.name == where else None
        if clause is not None and directive.clause(needed) is None:
            yield Finding(clause.name_span, f"`{given}` on `{where}` needs a `{needed}` clause", "error")
    hint = directive.clause("hint")
    if directive.name == "critical" and not directive.args and hint is not None and hint.args and fold(hint.args[0]):
        yield Finding(hint.span, "a `critical` construct with a `hint` needs a name", "error")
    if directive.name == "requires" and not directive.clauses:
        yield Finding(directive.name_span, "`requires` needs a clause that says what is required", "error")


def _one_of(names: tuple[str, ...]) -> str:
    quoted = [f"`{n}`" for n in names]
    if len(quoted) == 1:
        return f"a {quoted[0]} clause"
    return f"a {', '.join(quoted[:-1])} or {quoted[-1]} clause"


RULE = Rule(
    id="missing-clause",
    severity="error",
    title="A directive without a clause that it cannot do without",
    why="""
A `target data` that maps nothing, an update that copies nothing, a `cancel` that does not say what to cancel: the
directive says nothing without one of these clauses, and a compiler refuses it.
""",
    section="3.2",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp target data device(0)
    //          ^^^^^^^^^^^ error: `target data` needs a `map`, `use_device_ptr` or `use_device_addr` clause
    x[0] = n;
    #pragma omp target enter data nowait
    //          ^^^^^^^^^^^^^^^^^ error: `target enter data` needs a `map` clause
    #pragma omp target update if(n)
    //          ^^^^^^^^^^^^^ error: `target update` needs a `to` or `from` clause
}
""",
        """
void f(int n, double *x) {
    #pragma omp tile
    //          ^^^^ error: `tile` needs a `sizes` clause
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp cancel if(n > 3)
        //          ^^^^^^ error: `cancel` needs a `parallel`, `sections`, `for` or `taskgroup` clause
    }
}
""",
        """
void f(int *x) {
    #pragma omp taskwait nowait
    //                   ^^^^^^ error: `nowait` on `taskwait` needs a `depend` clause
    #pragma omp atomic fail(relaxed)
    //                 ^^^^ error: `fail` on `atomic` needs a `compare` clause
    x[0]++;
    #pragma omp critical hint(1)
    //                   ^^^^^^^ error: a `critical` construct with a `hint` needs a name
    x[0]++;
}
""",
        """
void f(int n, double *x) {
    #pragma omp loop
    //          ^^^^ error: `loop` outside of any construct needs a `bind` clause: nothing says which threads run it
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
    ),
    good=(
        """
void g(double *);
void f(int n, double *x) {
    #pragma omp target data use_device_ptr(x)
    g(x);
    #pragma omp target enter data map(to: x[0:n])
    #pragma omp target update from(x[0:n]) if(n)
    #pragma omp target exit data map(release: x[0:n])
}
""",
        """
void f(int n, double *x) {
    #pragma omp tile sizes(4)
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp cancel for if(n > 3)
    }
}
""",
        """
void f(int *x) {
    #pragma omp taskwait
    #pragma omp taskwait nowait depend(in: x[0])
    #pragma omp atomic compare fail(relaxed)
    if (x[0] == 1) { x[0] = 2; }
    #pragma omp critical hint(0)
    x[0]++;
    #pragma omp critical(one) hint(1)
    x[0]++;
}
""",
        """
void f(int n, double *x) {
    #pragma omp loop bind(thread)
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp parallel
    {
        #pragma omp loop
        for (int i = 0; i < n; i++) x[i] = 0;
    }
    #pragma omp target loop
    for (int i = 0; i < 4; i++) x[i] = 0;
}
""",
        """
#pragma omp requires unified_shared_memory
typedef void *omp_depend_t;
void f(int n, omp_depend_t d) {
    #pragma omp depobj(d) depend(inout: n)
    #pragma omp depobj(d) update(in)
    #pragma omp depobj(d) destroy
}
""",
        """
void f(int n, double *x) {
    #pragma omp metadirective when(device={arch(nvptx)}: loop) default(parallel)
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
    ),
    check=check,
    needs="text",
)
