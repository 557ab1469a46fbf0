"""A worksharing construct, barrier, masked or critical region inside one that it may not be nested in."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import Placed, constructs_around, placed
from ompls.analysis.spec.nesting import CLOSELY_FORBIDDEN


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        finding = _same_critical(place) if place.name == "critical" else _closely(place)
        if finding is not None:
            yield finding


def _closely(place: Placed) -> Finding | None:
    directive = place.stmt.directive
    if directive.clause("depend", "doacross") is not None and place.name == "ordered":
        return None  # stand-alone: has no region
    inner = directive.constructs[0]
    forbidden = CLOSELY_FORBIDDEN.get(inner, frozenset())
    for outer, stmt in constructs_around(place):
        if outer in forbidden:
            message = f"`{inner}` may not be closely nested in `{outer}`; no `parallel` begins a team between them"
            related = ((stmt.directive.name_span, f"this `{outer}` region"),)
            return Finding(directive.name_span, message, "error", related)
    return None


def _same_critical(place: Placed) -> Finding | None:
    """The thread that holds the lock asks for it again.  A task, or another device, may run at another time."""
    directive = place.stmt.directive
    name = directive.args[0].text if directive.args else ""
    for stmt in place.around:
        outer = stmt.directive
        if {"task", "taskloop", "target", "metadirective"} & set(outer.constructs) or not outer.decided:
            return None
        if outer.name == "critical" and (outer.args[0].text if outer.args else "") == name:
            which = f"a `critical` region named `{name}`" if name else "an unnamed `critical` region"
            message = f"{which} inside one of the same name waits for itself"
            return Finding(directive.name_span, message, "error", ((outer.name_span, "the lock is taken here"),))
    return None


RULE = Rule(
    id="region-nesting",
    severity="error",
    title="A region inside one that it may not be nested in",
    why="""
All threads of a team must come to a worksharing construct or a barrier. Inside another worksharing construct, a task, or
a `critical`, `ordered` or `masked` region only some of them do, so that the others wait for ever or work is done twice. A
`parallel` between the two begins a new team, and makes it right. A `critical` region inside one of the same name is a
deadlock.
""",
    section="17.1",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp parallel
    #pragma omp for
    for (int i = 0; i < n; i++) {
        #pragma omp for
        //          ^^^ error: `for` may not be closely nested in `for`; no `parallel` begins a team between them
        for (int j = 0; j < n; j++)
            x[i * n + j] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        x[i] = 1;
        #pragma omp barrier
        //          ^^^^^^^ error: `barrier` may not be closely nested in `for`; no `parallel` begins a team between them
    }
}
""",
        """
void g(void);
void f(void) {
    #pragma omp parallel
    {
        #pragma omp single
        {
            #pragma omp masked
            //          ^^^^^^ error: `masked` may not be closely nested in `single`; no `parallel` begins a team between them
            g();
        }
        #pragma omp critical
        {
            #pragma omp sections
            //          ^^^^^^^^ error: `sections` may not be closely nested in `critical`; no `parallel` begins a team between them
            g();
        }
        #pragma omp task
        if (1) {
            #pragma omp barrier
            //          ^^^^^^^ error: `barrier` may not be closely nested in `task`; no `parallel` begins a team between them
        }
    }
}
""",
        """
void g(void);
void f(void) {
    #pragma omp critical
    {
        #pragma omp critical(a)
        {
            g();
            #pragma omp critical
            //          ^^^^^^^^ error: an unnamed `critical` region inside one of the same name waits for itself
            g();
        }
    }
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp parallel for
        for (int j = 0; j < n; j++)
            x[i * n + j] = 0;
    }
}
""",
        """
void g(void);
void f(void) {
    #pragma omp critical(a)
    {
        #pragma omp critical(b)
        g();
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop
        for (int i = 0; i < n; i++) x[i] = 0;
        #pragma omp task
        x[0] = 1;
        #pragma omp taskwait
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) nowait
        for (int i = 0; i < n; i++) x[i] = 0;
    }
}
""",
        """
void g(void);
void f(void) {
    #pragma omp parallel
    {
        #pragma omp masked
        {
            #pragma omp critical
            g();
            #pragma omp masked
            g();
        }
        #pragma omp barrier
    }
}
""",
        """
void g(void);
void f(void) {
    #pragma omp critical
    {
        #pragma omp task
        {
            #pragma omp critical
            g();
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp metadirective when(device={arch(nvptx)}: teams) default(parallel)
    {
        #pragma omp for
        for (int i = 0; i < n; i++) x[i] = 0;
    }
    #pragma omp for
    for (int i = 0; i < n; i++) {
        #pragma omp metadirective when(implementation={vendor(gnu)}: parallel) default(nothing)
        {
            #pragma omp barrier
        }
    }
}
""",
    ),
    check=check,
)
