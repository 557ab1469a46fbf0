"""Two device operations, or one and a task, work on the same data, and nothing orders them."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.rules.support.edits import insert_before
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.ordering.calls import clashes_of
from ompls.analysis.rules.support.ordering.model import Clash, Unit
from ompls.analysis.rules.support.ordering.report import chosen, named, other_place, severity, verb


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when both are of the same device, or copy the same data, for certain.

    Two regions that copy an array of which each works on a part of its own are likely to share one copy of it.
    """
    for clash in chosen(scene, _is_ours):
        name, one, other = clash.two.symbol.name, clash.one.unit, clash.other
        if one is None or other is None:
            continue
        earlier = f"{named(one)} with `nowait`" if one.device else "a task"
        if clash.two.freed and clash.two.side != "host":
            message = f"`{name}` leaves the device here while {earlier} may still use it: nothing waits for it"
        else:
            message = f"`{name}` is {verb(clash.two)} here while {earlier} may still be {_doing(clash)} it: nothing orders them"
        stays = _looks_at_memory(one)
        fix = (
            insert_before(scene, other.stmt, "taskwait", safe=clash.certain, split=True)
            if clash.one.child and not stays and not _has_parts(other)
            else ()
        )
        sure = "hint" if stays or _only_copied(clash, scene) else severity(clash)
        yield Finding(clash.two.span, message, sure, other_place(clash, scene), fix)


def _only_copied(clash: Clash, scene: Scene) -> bool:
    """Whether two target regions copy the same data, and what their code does with it does not meet."""
    units = [clash.one.unit, clash.other]
    if not (clash.one.touch.copy and clash.two.copy and all(u is not None and "target" in _words(u) for u in units)):
        return False
    return not any(
        c.two.symbol is clash.two.symbol and {c.one.unit, c.other} == {*units} and not (c.one.touch.copy and c.two.copy)
        for c in clashes_of(scene)
    )


def _looks_at_memory(unit: Unit) -> bool:
    """Whether it may be ordered by a word that it waits for: a kernel that stays, which the host feeds."""
    stmts = (n.directive for n in ast.nodes(unit.stmt) if isinstance(n, ast.DirectiveStmt))
    return any(d.name == "flush" or (d.name == "atomic" and d.clause("read", "capture", "compare")) for d in stmts)


def _words(unit: Unit) -> tuple[str, ...]:
    return unit.stmt.directive.constructs


def _doing(clash: Clash) -> str:
    return "writing" if clash.one.touch.write else "reading"


def _has_parts(unit: Unit) -> bool:
    """Whether a `taskwait` before it is not what is wanted: it runs later, or has a body that may come first."""
    if unit.stmt.directive.name == "target data":
        return True
    return unit.stmt.directive.clause("nowait") is not None or "task" in unit.stmt.directive.constructs


def _is_ours(clash: Clash) -> bool:
    one, other = clash.one.unit, clash.other
    if clash.kind != "units" or one is None or other is None or not (one.device or other.device):
        return False
    return not (clash.one.child and one.depends and other.depends)


RULE = Rule(
    id="async-unordered",
    severity="warning",
    title="Two device operations that may run at the same time work on the same data",
    why="""
A device operation with `nowait` may run at any time until something waits for it; so may the next one. Where one writes what
the other uses, or removes it from the device, both need a `depend` clause that lists it, or a `taskwait` must stand between
them. An operation without `nowait` does not wait for those before it either, unless it has a matching `depend`.
""",
    section="13.8",
    group="sharing",
    about="clashes",
    bad=(
        """
void f(int n, double *x, double *y) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) nowait
    for (int i = 0; i < n; i++)
        x[i] = i;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n]) nowait
    for (int i = 0; i < n; i++)
        y[i] = x[i];
    //         ^^^^ warning: `x` is read here while the target region with `nowait` may still be writing it: nothing orders them
    #pragma omp taskwait
}
""",
        """
void f(int n, double *x) {
    #pragma omp target enter data map(to: x[0:n])
    #pragma omp target teams distribute parallel for nowait
    for (int i = 0; i < n; i++)
        x[i] = i;
    #pragma omp target exit data map(from: x[0:n])
    //                                     ^^^^^^ warning: `x` leaves the device here while the target region with `nowait` may still use it: nothing waits for it
}
""",
        """
void f(int n, double *x) {
    #pragma omp target data map(tofrom: x[0:n])
    //                                  ^^^^^^ warning: `x` leaves the device here while the target region with `nowait` may still use it: nothing waits for it
    {
        #pragma omp target teams distribute parallel for nowait
        for (int i = 0; i < n; i++)
            x[i] = i;
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp target enter data map(to: x[0:n]) nowait
    #pragma omp target update from(x[0:n])
    //                             ^^^^^^ warning: `x` is written here while the data transfer with `nowait` may still be reading it: nothing orders them
}
""",
        """
void f(double *out) {
    double x[1024] = {0};
    #pragma omp target map(tofrom: x) nowait
    for (int i = 0; i < 512; i++)
        x[i] = i;
    #pragma omp target map(tofrom: x) nowait
    //                             ^ hint: `x` is written here while the target region with `nowait` may still be writing it: nothing orders them
    for (int i = 512; i < 1024; i++)
        x[i] = i;
    #pragma omp taskwait
    out[0] = x[0] + x[512];
}
""",
        """
void f(double *out) {
    double x[1024] = {0};
    #pragma omp target map(tofrom: x) nowait
    for (int i = 0; i < 512; i++)
        x[i] = i;
    #pragma omp target map(tofrom: x) nowait
    for (int i = 511; i < 1024; i++)
        x[i] = i;
    //  ^^^^ warning: `x` is written here while the target region with `nowait` may still be writing it: nothing orders them
    #pragma omp taskwait
    out[0] = x[0] + x[512];
}
""",
        """
void f(double *x, int round) {
    #pragma omp target enter data map(to: x[0:8], round)
    #pragma omp target map(round) nowait
    for (int now = 0; now >= 0; x[0] += now) {
        #pragma omp atomic read acquire
        now = round;
    }
    #pragma omp target update to(x[0:8])
    //                           ^^^^^^ hint: `x` is written here while the target region with `nowait` may still be writing it: nothing orders them
    round = -1;
    #pragma omp target update to(round)
    #pragma omp taskwait
    #pragma omp target exit data map(from: x[0:8]) map(release: round)
}
""",
    ),
    good=(
        """
void f(int n, double *x, double *y) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) depend(out: x[0:n]) nowait
    for (int i = 0; i < n; i++)
        x[i] = i;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n]) depend(in: x[0:n]) nowait
    for (int i = 0; i < n; i++)
        y[i] = x[i];
    #pragma omp taskwait
}
""",
        """
void f(int n, double *x, double *y, double *z) {
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n]) nowait
    for (int i = 0; i < n; i++)
        y[i] = x[i];
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: z[0:n]) nowait
    for (int i = 0; i < n; i++)
        z[i] = x[i];
    #pragma omp taskwait
}
""",
        """
void f(int n, double *x) {
    #pragma omp target enter data map(to: x[0:n])
    #pragma omp target teams distribute parallel for nowait
    for (int i = 0; i < n; i++)
        x[i] = i;
    #pragma omp taskwait
    #pragma omp target exit data map(from: x[0:n])
}
""",
        """
void f(int n, double *x) {
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma omp target teams distribute parallel for nowait
        for (int i = 0; i < n; i++)
            x[i] = i;
        #pragma omp taskwait
    }
}
""",
        """
void f(int n, double *x) {
    for (int from = 0; from < n; from += 1024) {
        #pragma omp target teams distribute parallel for map(tofrom: x[from:1024]) nowait
        for (int i = from; i < from + 1024; i++)
            x[i] = i;
    }
    #pragma omp taskwait
}
""",
        """
void f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n]) device(0) nowait
    x[0] = 1;
    #pragma omp target map(to: x[n:n]) device(1) nowait
    x[n] = 1;
    #pragma omp taskwait
}
""",
        """
void f(int n, double *x) {
    #pragma omp target enter data map(to: x[0:n]) nowait depend(out: x[0:n])
    #pragma omp target nowait depend(inout: x[0:n])
    x[0] = 1;
    #pragma omp target exit data map(from: x[0:n]) nowait depend(in: x[0:n])
    #pragma omp taskwait
}
""",
    ),
    check=check,
)
