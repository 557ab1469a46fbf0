"""A directive that belongs to a construct around it, or to none, and stands elsewhere: section, scan, ordered, cancel,
requires."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Compound, DirectiveStmt
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import Placed, constructs_around, placed
from ompls.analysis.spec.nesting import CANCELLED


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        if place.opaque or not place.stmt.directive.known:
            continue
        problem = _CHECKS.get(place.name, _nothing)(place)
        if problem is not None:
            message, around = problem
            related = ((around.directive.name_span, "the construct around it"),) if around is not None else ()
            yield Finding(place.stmt.directive.name_span, message, "error", related)


_Problem = tuple[str, DirectiveStmt | None] | None


def _nothing(_place: Placed) -> _Problem:
    return None


def _section(place: Placed) -> _Problem:
    """It stands in the block of `sections`, not deeper."""
    parent = place.parent
    if parent is None or parent.directive.constructs[-1] != "sections":
        return "`section` must stand in the block of a `sections` construct", parent
    if isinstance(place.holder, Compound) and place.holder is not parent.body:
        return "`section` must stand directly in the block of `sections`, not inside another statement", parent
    return None


def _scan(place: Placed) -> _Problem:
    parent = place.parent
    if parent is None or parent.directive.constructs[-1] not in ("for", "simd"):
        return "`scan` must stand in the body of a `for` or `simd` loop", parent
    if not any("inscan" in c.modifiers for c in parent.directive.all("reduction")):
        return "`scan` needs a `reduction` with the modifier `inscan` on the loop around it", parent
    return None


def _ordered(place: Placed) -> _Problem:
    """A function may be called in an ordered loop, so without any construct around nothing is said."""
    directive = place.stmt.directive
    counted = directive.clause("depend", "doacross") is not None
    if directive.clause("simd") is not None and directive.clause("threads") is None:
        return None
    for construct, stmt in constructs_around(place):
        if construct in ("for", "simd", "taskloop", "distribute") and "for" in stmt.directive.constructs:
            clause = stmt.directive.clause("ordered")
            if clause is None:
                wanted = "ordered(n)" if counted else "ordered"
                return f"`ordered` needs the clause `{wanted}` on the loop around it", stmt
            if directive.clause("depend") is not None and not clause.args:
                return "`ordered` with `depend` needs the clause `ordered(n)` on the loop around it", stmt
            return None
        if construct in ("parallel", "target", "teams"):
            return (
                f"`ordered` must stand in a `for` loop with the clause `ordered`, not directly in `{construct}`",
                stmt,
            )
    return None


def _cancel(place: Placed) -> _Problem:
    directive = place.stmt.directive
    kind = next((c.name for c in directive.clauses if c.name in CANCELLED), "")
    if not kind:
        return None
    around = next(constructs_around(place), None)
    wanted = CANCELLED[kind]
    if around is not None and around[0] in wanted:
        clause = around[1].directive.clause("nowait", "ordered") if kind in ("for", "sections") else None
        if clause is None or directive.name != "cancel":
            return None
        return f"`cancel {kind}` cannot be in a construct with `{clause.name}`", around[1]
    inside = f"not in `{around[0]}`" if around is not None else "and there is none around it"
    names = " or ".join(f"`{n}`" for n in sorted(wanted))
    return f"`{directive.name} {kind}` must stand directly in {names}, {inside}", around[1] if around else None


def _requires(_place: Placed) -> _Problem:
    return "`requires` must stand at file scope, before the functions that it speaks for", None


_CHECKS = {
    "section": _section, "scan": _scan, "ordered": _ordered, "cancel": _cancel, "cancellation point": _cancel,
    "requires": _requires,
}  # fmt: skip


RULE = Rule(
    id="misplaced-directive",
    severity="error",
    title="A directive outside of the construct that it belongs to",
    why="""
`section` divides a `sections` construct, `scan` the body of a loop with an `inscan` reduction, `ordered` a part of a loop
with the clause `ordered`, and `cancel` ends the construct that it names. In another place they have nothing to work on.
`requires` speaks for the whole file and must stand outside of functions.
""",
    section="17.1",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp parallel
    {
        #pragma omp section
        //          ^^^^^^^ error: `section` must stand in the block of a `sections` construct
        x[0] = 1;
    }
    #pragma omp parallel sections
    {
        #pragma omp section
        x[0] = 1;
        #pragma omp section
        {
            #pragma omp cancel for
            //          ^^^^^^ error: `cancel for` must stand directly in `for`, not in `section`
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp ordered
        //          ^^^^^^^ error: `ordered` needs the clause `ordered` on the loop around it
        x[i] = 0;
    }
    #pragma omp parallel for ordered
    for (int i = 0; i < n; i++) {
        #pragma omp ordered depend(sink: i - 1)
        //          ^^^^^^^ error: `ordered` with `depend` needs the clause `ordered(n)` on the loop around it
        x[i] = 0;
    }
    #pragma omp parallel
    {
        #pragma omp ordered
        //          ^^^^^^^ error: `ordered` must stand in a `for` loop with the clause `ordered`, not directly in `parallel`
        x[0] = 0;
    }
}
""",
        """
void f(int n, double s, double *x) {
    #pragma omp parallel for reduction(+: s)
    for (int i = 0; i < n; i++) {
        s += x[i];
        #pragma omp scan inclusive(s)
        //          ^^^^ error: `scan` needs a `reduction` with the modifier `inscan` on the loop around it
        x[i] = s;
    }
    #pragma omp cancellation point parallel
    //          ^^^^^^^^^^^^^^^^^^ error: `cancellation point parallel` must stand directly in `parallel`, and there is none around it
    #pragma omp parallel
    {
        #pragma omp for nowait
        for (int i = 0; i < n; i++) {
            #pragma omp cancel for if(x[i] < 0)
            //          ^^^^^^ error: `cancel for` cannot be in a construct with `nowait`
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp metadirective when(user={condition(1)}: parallel for) default(parallel for ordered)
    for (int i = 0; i < n; i++) {
        #pragma omp ordered
        //          ^^^^^^^ error: `ordered` needs the clause `ordered` on the loop around it
        x[i] = 0;
    }
}
""",
        """
void f(int n, int *x) {
    #pragma omp requires unified_shared_memory
    //          ^^^^^^^^ error: `requires` must stand at file scope, before the functions that it speaks for
    #pragma omp target
    for (int i = 0; i < n; i++)
        x[i] = i;
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    #pragma omp parallel sections
    {
        x[0] = 1;
        #pragma omp section
        x[1] = 1;
        #pragma omp section
        {
            x[2] = 1;
            #pragma omp cancel sections if(n)
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for ordered
    for (int i = 0; i < n; i++) {
        if (i > 2) {
            #pragma omp ordered
            x[i] = 0;
        }
    }
    #pragma omp for ordered(1)
    for (int i = 0; i < n; i++) {
        #pragma omp ordered doacross(sink: i - 1)
        x[i] = 0;
        #pragma omp ordered doacross(source:)
    }
    #pragma omp for ordered
    for (int i = 0; i < n; i++) {
        #pragma omp ordered doacross(sink: omp_cur_iteration - 1)
        x[i] = 0;
        #pragma omp ordered doacross(source:)
    }
}
""",
        """
void part(double *x) {
    #pragma omp ordered
    x[0] = 0;
}
void f(int n, double *x) {
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        #pragma omp ordered simd
        x[0] = i;
    }
}
""",
        """
void f(int n, double s, double *x) {
    #pragma omp parallel for simd reduction(inscan, +: s)
    for (int i = 0; i < n; i++) {
        s += x[i];
        #pragma omp scan inclusive(s)
        x[i] = s;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel
    {
        #pragma omp for
        for (int i = 0; i < n; i++) {
            #pragma omp cancel for if(x[i] < 0)
            #pragma omp cancellation point for
        }
        #pragma omp cancel parallel if(n)
        #pragma omp taskgroup
        {
            #pragma omp task
            {
                #pragma omp cancel taskgroup
            }
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp metadirective when(user={condition(n)}: parallel for ordered) default(for ordered)
    for (int i = 0; i < n; i++) {
        #pragma omp ordered
        x[i] = 0;
        #pragma omp cancel for
    }
}
""",
    ),
    check=check,
)
