"""A kernel whose teams run one parallel region after another, where the loop could be the whole of it."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Compound, DirectiveStmt, For, Name, Node, Stmt, Symbol, VarDecl
from ompls.analysis.model.ctype import Array
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import chain, constructs_of, trustworthy
from ompls.analysis.rules.support.limits import devices_in

_SHARED_OUT = frozenset(("for", "sections", "single"))  # constructs that the threads of a team meet at


def check(scene: Scene) -> Iterator[Finding]:
    main = any(device.main_thread for device in devices_in(scene))
    for region in scene.content.regions if scene.content is not None and main else ():
        found, body = chain(region.stmt)
        if not {"parallel", "loop"}.isdisjoint(constructs_of(found)) or not trustworthy(scene.content, region):
            continue
        inner = _only_parallel(body)
        if inner is not None and not _together(body, inner):
            yield _finding(found[-1], inner)


def _only_parallel(body: Stmt | None) -> DirectiveStmt | None:
    """The one parallel construct in the body, when no other may be in it."""
    inside = [n for n in body.walk() if isinstance(n, DirectiveStmt)] if body is not None else []
    parallel = [n for n in inside if n.directive.has("parallel")]
    return parallel[0] if len(parallel) == 1 and not any(n.directive.has("distribute") for n in inside) else None


def _together(body: Stmt | None, inner: DirectiveStmt) -> bool:
    """Whether the threads of a team work on something of theirs: they meet in the middle, or share an array."""
    inside = [n.directive for n in inner.walk() if isinstance(n, DirectiveStmt)]
    if any(d.has("barrier") for d in inside) or sum(not _SHARED_OUT.isdisjoint(d.constructs) for d in inside) > 1:
        return True
    own = _arrays(body) - _arrays(inner)
    return any(isinstance(n, Name) and n.symbol in own for n in inner.walk())


def _arrays(code: Node | None) -> set[Symbol]:
    declared = (n.symbol for n in (code.walk() if code is not None else ()) if isinstance(n, VarDecl))
    return {s for s in declared if isinstance(s.type, Array)}


def _finding(last: DirectiveStmt, inner: DirectiveStmt) -> Finding:
    message = (
        "the threads of each team meet for every `parallel` of this region; "
        "combined with it, all would start in the loop at once"
    )
    related = [(inner.directive.name_span, "only this part is parallel")]
    beside = _beside(last.body, inner)
    if beside is not None:
        related.append((beside.span, "this stands between the constructs"))
    return Finding(last.directive.name_span, message, "hint", tuple(related))


def _beside(body: Stmt | None, inner: DirectiveStmt) -> Stmt | None:
    """The first statement on the way to the parallel construct that is not it."""
    at: Node | None = body
    while at is not None and at is not inner:
        if isinstance(at, For):
            at = at.body
        elif isinstance(at, Compound):
            holds = next((s for s in at.items if any(n is inner for n in s.walk())), None)
            other = next((s for s in at.items if s is not holds), None)
            if other is not None:
                return other
            at = holds
        else:
            return None
    return None


RULE = Rule(
    id="generic-kernel",
    severity="hint",
    title="A team's threads meet for each parallel region although only that part matters",
    why="""
When code stands between `target` or `teams` and `parallel`, a team runs it, and then the parallel region, at whose ends
its threads meet at a barrier. All threads run the code alike where nobody can tell; what has effects is left to one of
them, with another barrier; and where somebody could tell, a main thread of each team runs all of it and wakes the others
for the parallel region, which costs a warp and shared memory, too. A combined construct
(`target teams distribute parallel for`) starts every thread in the loop at once.
""",
    section="17.3",
    group="performance",
    about="regions",
    bad=(
        """
void scale(int n, double *x, double f) {
    #pragma omp target map(tofrom: x[0:n])
    //          ^^^^^^ hint: the threads of each team meet for every `parallel` of this region; combined with it, all would start in the loop at once
    {
        double g = f * f;
        #pragma omp parallel for
        for (int i = 0; i < n; i++) x[i] *= g;
    }
}
""",
        """
void rows(int n, double *x) {
    #pragma omp target teams distribute map(tofrom: x[0:n*n])
    //          ^^^^^^^^^^^^^^^^^^^^^^^ hint: the threads of each team meet for every `parallel` of this region; combined with it, all would start in the loop at once
    for (int i = 0; i < n; i++) {
        #pragma omp parallel for
        for (int j = 0; j < n; j++) x[i * n + j] *= 2;
    }
}
""",
    ),
    good=(
        """
void scale(int n, double *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        #pragma omp parallel for
        for (int i = 0; i < n; i++) x[i] *= 2;
    }
}
""",
        """
void turn(int n, double *x) {
    #pragma omp target teams distribute map(tofrom: x[0:n])
    for (int k = 0; k < n; k += 64) {
        double tile[64];
        #pragma omp parallel num_threads(64)
        {
            #pragma omp for
            for (int i = 0; i < 64; i++) tile[i] = x[k + i];
            #pragma omp for
            for (int i = 0; i < 64; i++) x[k + i] = tile[63 - i];
        }
    }
}
""",
        """
void normalise(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        double all = 0;
        #pragma omp parallel for reduction(+: all)
        for (int i = 0; i < n; i++) all += x[i];
        #pragma omp parallel for
        for (int i = 0; i < n; i++) x[i] /= all;
    }
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
void scale(int n, double *x) {
    #pragma omp target teams map(tofrom: x[0:n])
    #pragma omp distribute parallel for
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
    ),
    check=check,
)
