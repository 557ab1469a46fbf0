"""`teams`, what stands directly in it, and `distribute`: a strict order of constructs."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.diagnostic import Severity
from ompls.analysis.model.ast import Compound, DirectiveStmt, ExprStmt, Stmt
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import Placed, placed
from ompls.analysis.spec.nesting import AROUND_TEAMS, NOT_IN_TEAMS, WITHOUT_REGION


def check(scene: Scene) -> Iterator[Finding]:
    for place in placed(scene):
        outer = _region_around(place)
        if outer is None:
            continue
        directive = place.stmt.directive
        first, last = directive.constructs[0], outer.directive.constructs[-1]
        message = ""
        severity: Severity = "error"
        related = (outer.directive.name_span, f"this `{outer.directive.name}` construct")
        if first == "teams" and outer.directive.name == "target":
            beside = _beside(outer, place.stmt)
            if beside is not None:
                # clang refuses it; gcc takes it, and published programs have it
                message, severity = "a `target` construct with `teams` in it may hold nothing else", "hint"
                related = (beside.span, "outside of `teams`")
        elif first == "teams" and last not in AROUND_TEAMS:
            message = f"`teams` must stand directly in `target` or outside of all regions, not in `{last}`"
        elif first == "distribute" and last != "teams":
            message = f"`distribute` must stand directly in `teams`, not in `{last}`"
        elif last == "teams" and first in NOT_IN_TEAMS:
            message = f"`{first}` may not stand directly in `teams`, only `distribute`, `parallel` and `loop` may"
        if message:
            yield Finding(directive.name_span, message, severity, (related,))


def _region_around(place: Placed) -> DirectiveStmt | None:
    """The innermost construct around it that makes a region; None when there is none or a metadirective hides it."""
    for stmt in place.around:
        if "metadirective" in stmt.directive.name or not stmt.directive.decided:
            return None
        if stmt.directive.name not in WITHOUT_REGION:
            return stmt
    return None


def _beside(target: DirectiveStmt, teams: DirectiveStmt) -> Stmt | None:
    """The first statement of the `target` construct that is not in the `teams` construct; None if there is none."""
    stmt = target.body
    while stmt is not None and stmt is not teams:
        if isinstance(stmt, DirectiveStmt) and stmt.directive.name in WITHOUT_REGION:
            stmt = stmt.body
            continue
        if not isinstance(stmt, Compound):
            return stmt
        holds = next((i for i in stmt.items if i.span.start <= teams.span.start < i.span.end), None)
        other = next((i for i in stmt.items if i is not holds and not _empty(i)), None)
        if other is not None:
            return other
        stmt = holds
    return None


def _empty(stmt: Stmt) -> bool:
    if isinstance(stmt, DirectiveStmt):
        return stmt.directive.name in WITHOUT_REGION and stmt.body is None
    return isinstance(stmt, ExprStmt) and stmt.expr is None


RULE = Rule(
    id="teams-nesting",
    severity="error",
    title="`teams` or `distribute` in the wrong place",
    why="""
A league of teams is made once, when the kernel starts: a `teams` construct must be all that its `target` construct holds,
because no device can run code before there are teams. Directly in `teams` only `distribute`, `parallel` and `loop` may
stand; other constructs need the team of threads that `parallel` makes. `distribute` shares iterations among the teams, so
it must stand directly in `teams`.
""",
    section="10.2",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        int half = n / 2;
        #pragma omp teams distribute parallel for
        //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint: a `target` construct with `teams` in it may hold nothing else
        for (int i = 0; i < half; i++) x[i] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    #pragma omp distribute parallel for
    //          ^^^^^^^^^^^^^^^^^^^^^^^ error: `distribute` must stand directly in `teams`, not in `target`
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams map(tofrom: x[0:n])
    {
        #pragma omp for
        //          ^^^ error: `for` may not stand directly in `teams`, only `distribute`, `parallel` and `loop` may
        for (int i = 0; i < n; i++) x[i] = 0;
        #pragma omp barrier
        //          ^^^^^^^ error: `barrier` may not stand directly in `teams`, only `distribute`, `parallel` and `loop` may
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel
    {
        #pragma omp teams distribute
        //          ^^^^^^^^^^^^^^^^ error: `teams` must stand directly in `target` or outside of all regions, not in `parallel`
        for (int i = 0; i < n; i++) x[i] = 0;
    }
}
""",
    ),
    good=(
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        #pragma omp teams
        {
            int half = n / 2;
            #pragma omp distribute parallel for
            for (int i = 0; i < half; i++) x[i] = 0;
            #pragma omp distribute
            for (int i = half; i < n; i++) x[i] = 1;
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp teams distribute
    for (int i = 0; i < n; i++) x[i] = 0;
}
#pragma omp declare target
void part(int n, double *x) {
    #pragma omp distribute parallel for
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = 0;
}
#pragma omp end declare target
""",
        """
void f(int n, double *x) {
    #pragma omp target teams map(tofrom: x[0:n])
    {
        #pragma omp parallel for
        for (int i = 0; i < n; i++) x[i] = 0;
        #pragma omp parallel
        {
            #pragma omp barrier
        }
        #pragma omp loop
        for (int i = 0; i < n; i++) x[i] = 0;
        #pragma omp atomic
        x[0] += 1;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        n = n / 2;
        #pragma omp target
        {
            ;
            #pragma omp teams distribute parallel for
            for (int i = 0; i < n; i++) x[i] = 0;
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    #pragma omp metadirective when(device={arch(nvptx)}: teams distribute parallel for) default(parallel for)
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp metadirective when(device={arch(nvptx)}: teams) default(parallel)
    {
        #pragma omp distribute
        for (int i = 0; i < n; i++) x[i] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        #pragma omp parallel for
        for (int j = 0; j < n; j++) x[j] = 1;
    }
}
""",
    ),
    check=check,
)
