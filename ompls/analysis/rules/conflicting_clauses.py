"""Two clauses on one directive that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.rules.support.edits import without_clause
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.spec.clause_sets import BESIDE_ANCESTOR, EXCLUSIVE


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        if not directive.known or directive.name.endswith("metadirective"):
            continue
        pairs = [*_exclusive(directive), *_special(directive)]
        if scene.unit.settings.openmp != "6.0" and directive.name == "single":
            pairs += _pair(directive, "copyprivate", "nowait")
        seen: set[int] = set()
        for pair in pairs:
            first, second = sorted(pair, key=lambda c: c.span.start)
            if id(second) in seen:
                continue
            seen.add(id(second))
            message = f"`{_said(second)}` excludes `{_said(first)}`"
            removed = tuple([without_clause(directive, clause, safe=False) for clause in (second, first)])
            yield Finding(second.span, message, "error", ((first.span, "given here"),), removed)


def _exclusive(directive: Directive) -> Iterator[tuple[Clause, Clause]]:
    for where, names, _section in EXCLUSIVE:
        if where in directive.constructs:
            found = [c for c in directive.clauses if c.name in names]
            for second in found[1:]:
                if second.name != found[0].name:
                    yield found[0], second


def _special(directive: Directive) -> Iterator[tuple[Clause, Clause]]:
    """Conflicts that depend on what the clauses say."""
    ordered = directive.clause("ordered")
    for order in directive.all("order") if ordered is not None else ():
        if order.keyword == "concurrent":
            yield from _between(ordered, order)
    for schedule in directive.all("schedule"):
        if "nonmonotonic" in schedule.modifiers:
            yield from _between(ordered, schedule)
    if ordered is not None and ordered.args and "for" in directive.constructs:
        yield from _between(ordered, directive.clause("linear"))
    for reduction in directive.all("reduction"):
        if "inscan" in reduction.modifiers:
            yield from _between(reduction, ordered)
            yield from _between(reduction, directive.clause("schedule") if "for" in directive.constructs else None)
        if "task" in reduction.modifiers:
            yield from _between(reduction, directive.clause("nowait") if "target" not in directive.constructs else None)
    for device in directive.all("device"):
        if device.keyword == "ancestor" and directive.name == "target":
            for clause in directive.clauses:
                if clause.known and clause.name not in BESIDE_ANCESTOR:
                    yield device, clause


def _pair(directive: Directive, one: str, other: str) -> list[tuple[Clause, Clause]]:
    return list(_between(directive.clause(one), directive.clause(other)))


def _between(one: Clause | None, other: Clause | None) -> Iterator[tuple[Clause, Clause]]:
    if one is not None and other is not None:
        yield one, other


def _said(clause: Clause) -> str:
    """The clause as far as it matters for the conflict."""
    if clause.name in ("order", "schedule", "device", "reduction"):
        words = {"order": clause.keyword, "schedule": "nonmonotonic", "device": clause.keyword}
        inscan = next((m for m in clause.modifiers if m in ("inscan", "task")), "")
        word = words.get(clause.name, inscan)
        if clause.name == "schedule" and word not in clause.modifiers:
            word = ""
        return f"{clause.name}({word})" if word else clause.name
    return clause.name


RULE = Rule(
    id="conflicting-clauses",
    severity="error",
    title="Two clauses that exclude each other",
    why="""
Each of the two is right on the directive, but not both: an atomic operation has one memory order, a `taskloop` is cut by
`grainsize` or by `num_tasks`, iterations with an `ordered` region cannot run in any order. A compiler refuses them.
""",
    section="3.2",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp taskloop grainsize(4) num_tasks(8)
    //                                ^^^^^^^^^^^^ error: `num_tasks` excludes `grainsize`
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
        """
void f(int *x) {
    #pragma omp atomic seq_cst release
    //                         ^^^^^^^ error: `release` excludes `seq_cst`
    *x += 1;
    int v;
    #pragma omp atomic read capture
    //                      ^^^^^^^ error: `capture` excludes `read`
    v = *x;
}
""",
        """
void f(int n, double s) {
    #pragma omp taskloop nogroup reduction(+: s)
    //                           ^^^^^^^^^^^^^^^ error: `reduction` excludes `nogroup`
    for (int i = 0; i < n; i++) s += i;
    #pragma omp for ordered schedule(nonmonotonic: dynamic)
    //                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `schedule(nonmonotonic)` excludes `ordered`
    for (int i = 0; i < n; i++) {
        #pragma omp ordered
        s += i;
    }
}
""",
        """
#pragma omp requires reverse_offload
void f(int n) {
    #pragma omp target
    {
        #pragma omp target device(ancestor: 1) nowait
        //                                     ^^^^^^ error: `nowait` excludes `device(ancestor)`
        n++;
    }
}
""",
        """
void f(int n) {
    #pragma omp parallel
    #pragma omp single copyprivate(n) nowait
    //                                ^^^^^^ error: `nowait` excludes `copyprivate`
    n = 1;
}
""",
    ),
    good=(
        """
void f(int *x) {
    int v;
    #pragma omp atomic update capture acq_rel
    { v = *x; *x += 1; }
    #pragma omp atomic compare capture seq_cst fail(relaxed)
    { v = *x; if (*x == 1) { *x = 2; } }
}
""",
        """
void f(int n, double s) {
    #pragma omp taskloop reduction(+: s) grainsize(strict: 4)
    for (int i = 0; i < n; i++) s += i;
    #pragma omp taskloop nogroup num_tasks(4)
    for (int i = 0; i < n; i++) s += i;
}
""",
        """
void f(int n, double s) {
    #pragma omp for ordered schedule(monotonic: dynamic)
    for (int i = 0; i < n; i++) {
        #pragma omp ordered threads simd
        s += i;
    }
}
""",
        """
void f(int n, double s, double *x) {
    #pragma omp simd order(concurrent) simdlen(4) linear(n)
    for (int i = 0; i < 8; i++) x[i] += n;
    #pragma omp parallel for reduction(inscan, +: s)
    for (int i = 0; i < 8; i++) {
        s += x[i];
        #pragma omp scan inclusive(s)
        x[i] = s;
    }
}
""",
        """
#pragma omp requires reverse_offload
void f(int n) {
    #pragma omp target
    {
        #pragma omp target device(ancestor: 1) map(tofrom: n)
        n++;
    }
    #pragma omp target device(device_num: 1) nowait depend(inout: n)
    n++;
}
""",
        """
void f(int n, double s) {
    #pragma omp parallel
    {
        #pragma omp for nowait schedule(dynamic, 4) reduction(+: s) collapse(1)
        for (int i = 0; i < n; i++) s += i;
        #pragma omp single copyprivate(n)
        n = 1;
    }
}
""",
    ),
    check=check,
    needs="text",
)
