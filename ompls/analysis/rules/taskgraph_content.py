"""What may not stand in a `taskgraph`: its tasks are recorded once, and run again without the code around them."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import root
from ompls.analysis.graphs.construct import is_deferred, makes_task
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Node, Span, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene

# Constructs that create no task; what only tells the compiler something may stand there.
_FORBIDDEN = frozenset((
    "parallel", "teams", "for", "sections", "single", "masked", "master", "scope", "critical", "atomic", "taskgroup", "barrier",
    "ordered", "loop", "distribute", "simd", "target data", "flush", "cancel",
))  # fmt: skip
_LOCATORS = ("depend", "map", "to", "from", "affinity")  # clauses whose list items are storage


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    if content is None or not any(d.name == "taskgraph" for d in scene.directives):
        return
    for graph in content.directives:
        if graph.directive.name == "taskgraph" and graph.body is not None:
            own = {d.symbol for d in graph.body.walk() if isinstance(d, ast.VarDecl)}
            for stmt in _met(graph.body):
                yield from _construct(stmt, own)


def _met(node: Node) -> Iterator[DirectiveStmt]:
    """The constructs that the encountering task meets: not those in tasks, nor those in what is wrong itself."""
    for child in [node] if isinstance(node, DirectiveStmt) else node.children():
        if isinstance(child, DirectiveStmt):
            yield child
            if child.body is not None and child.directive.name in ("assume", "unroll"):
                yield from _met(child.body)
        else:
            yield from _met(child)


def _construct(stmt: DirectiveStmt, own: set[Symbol]) -> Iterator[Finding]:
    d = stmt.directive
    if d.name == "taskgraph":
        message = "a `taskgraph` directly in another one is a `taskgroup`: nothing is recorded for it"
        yield Finding(d.name_span, message, "warning")
    elif makes_task(d):
        replayable = d.clause("replayable")
        if replayable is None or not replayable.args or fold(replayable.args[0]) != 0:
            yield from _task(d, own)
    elif d.known and _FORBIDDEN & {d.name, *d.constructs}:
        yield Finding(d.name_span, f"`{d.name}` may not stand in a `taskgraph`: only tasks are replayed", "warning")


def _task(d: Directive, own: set[Symbol]) -> Iterator[Finding]:
    condition = d.clause("if")
    if condition is not None and condition.args and fold(condition.args[0]) == 0:
        yield Finding(condition.span, "a task that is not deferred cannot be replayed", "warning")
    elif not is_deferred(d):
        end = Span(d.span.end, d.span.end)
        fix = Change("Add `nowait`", end, " nowait", safe=False)
        yield Finding(
            d.name_span, f"`{d.name}` without `nowait` is not deferred: it cannot be replayed", "hint", (), (fix,)
        )
    if d.constructs[0] == "taskloop" and d.clause("nogroup") is None:
        end = Span(d.span.end, d.span.end)
        fix = Change("Add `nogroup`", end, " nogroup")
        yield Finding(
            d.name_span,
            f"`{d.name}` in a `taskgraph` needs `nogroup`: nothing waits in a replay",
            "warning",
            (),
            (fix,),
        )
    for clause in d.all("detach", "transparent"):
        yield Finding(clause.span, f"a task with `{clause.name}` cannot be replayed", "warning")
    for item in (i for c in d.all("shared") for i in c.items):
        if item.symbol in own and item.symbol is not None and item.symbol.storage != "static":
            message = f"`{item.text}` is gone when the graph is replayed: a task in a `taskgraph` needs a copy, `firstprivate`"
            yield Finding(item.span, message, "warning")
    yield from _indices(d)


def _indices(d: Directive) -> Iterator[Finding]:
    """Variables in list items that the record has to keep: the place is looked up again in each replay."""
    saved = {i.symbol for c in d.all("firstprivate") if "saved" in c.modifiers for i in c.items}
    listed = {i.symbol for c in d.clauses if c.name in ("firstprivate", "private", "shared") for i in c.items}
    for clause in d.all(*_LOCATORS):
        for name in _subscripts(clause):
            symbol = name.symbol
            if symbol is None or symbol in saved:
                continue
            saved.add(symbol)
            text = f" firstprivate(saved: {name.name})"
            fix = () if symbol in listed else (Change(f"Add `{text.strip()}`", Span(d.span.end, d.span.end), text),)
            message = f"`{name.name}` chooses the storage: it needs `firstprivate(saved: {name.name})` to be the same in a replay"
            yield Finding(name.span, message, "hint", (), fix)


def _subscripts(clause: Clause) -> Iterator[ast.Name]:
    """The local variables in the items that are not their bases."""
    for item in clause.items:
        base = root(item.expr)
        for n in item.expr.walk():
            symbol = n.symbol if isinstance(n, ast.Name) else None
            local = (
                symbol is not None
                and symbol.kind in ("var", "param")
                and symbol.level != "file"
                and symbol.span is not None
            )
            if (
                isinstance(n, ast.Name)
                and local
                and symbol is not base
                and symbol is not None
                and symbol.storage != "static"
            ):
                yield n


RULE = Rule(
    id="taskgraph-content",
    severity="warning",
    title="Something in a `taskgraph` that cannot be recorded and replayed",
    why="""
A `taskgraph` (OpenMP 6.0 section 14.3) is recorded once. A replay runs its tasks again, not the code that created them. So only
constructs that create deferred tasks may stand in it: none that are detachable, transparent or run at once, and none that
wait. What a task shares has to exist outside of the region, and a variable that chooses the storage of a list item has to be
saved with the record: `firstprivate(saved: k)`. A task with `replayable(false)` is left out of the record.
""",
    section="14.3",
    about="directives",
    bad=(
        """
int a[100];
void f(void) {
    #pragma omp taskgraph
    {
        #pragma omp task if(0)
    //                   ^^^^^ warning: a task that is not deferred cannot be replayed
        a[0] = 1;
        #pragma omp target map(tofrom: a)
    //              ^^^^^^ hint: `target` without `nowait` is not deferred: it cannot be replayed
        a[1] = 1;
        #pragma omp taskloop
    //              ^^^^^^^^ warning: `taskloop` in a `taskgraph` needs `nogroup`: nothing waits in a replay
        for (int i = 0; i < 10; i++) a[i] = i;
        #pragma omp taskgraph
    //              ^^^^^^^^^ warning: a `taskgraph` directly in another one is a `taskgroup`: nothing is recorded for it
        { }
        #pragma omp parallel
    //              ^^^^^^^^ warning: `parallel` may not stand in a `taskgraph`: only tasks are replayed
        a[3] = 2;
    }
}
""",
        """
typedef unsigned long omp_event_handle_t;
int a[100];
void f(int c) {
    #pragma omp taskgraph
    {
        omp_event_handle_t ev;
        #pragma omp task detach(ev)
    //                   ^^^^^^^^^^ warning: a task with `detach` cannot be replayed
        a[4] = 1;
        int t = c;
        #pragma omp task shared(t)
    //                          ^ warning: `t` is gone when the graph is replayed: a task in a `taskgraph` needs a copy, `firstprivate`
        a[5] = t;
        for (int k = 0; k < 4; k++) {
            #pragma omp target nowait depend(inout: a[k]) map(tofrom: a[k])
    //                                                ^ hint: `k` chooses the storage: it needs `firstprivate(saved: k)` to be the same in a replay
            a[k] += k;
        }
    }
}
""",
    ),
    good=(
        """
int a[8];
void f(void) {
    #pragma omp taskgraph graph_id(7) graph_reset
    for (int k = 0; k < 8; k++) {
        #pragma omp task firstprivate(saved: k) depend(inout: a[k])
        a[k] += k;
        #pragma omp target nowait replayable depend(inout: a[k]) firstprivate(saved: k) map(tofrom: a[k])
        a[k] += k;
    }
}
""",
        """
int x;
void f(int n) {
    #pragma omp taskgraph
    {
        #pragma omp task if(n > 0)
        x = 1;
        #pragma omp taskwait
        #pragma omp task
        {
            #pragma omp parallel
            #pragma omp critical
            x++;
        }
    }
}
""",
        """
int a[8];
void f(void) {
    #pragma omp taskgraph
    {
        #pragma omp task replayable(0) if(0)
        a[0] = 1;
        #pragma omp taskloop nogroup
        for (int i = 0; i < 8; i++) a[i] = i;
    }
}
""",
        """
int a[8];
void f(void) {
    #pragma omp taskgroup
    {
        #pragma omp task if(0)
        a[0] = 1;
        #pragma omp taskloop
        for (int i = 0; i < 8; i++) a[i] = i;
    }
}
""",
        """
void f(int n, float *p) {
    static int calls;
    #pragma omp taskgraph
    {
        #pragma omp task shared(calls) depend(out: p[0])
        calls++;
    }
    #pragma omp parallel
    #pragma omp single
    #pragma omp taskgraph
    {
        #pragma omp task depend(in: p[0:8])
        calls++;
    }
}
""",
    ),
    check=check,
)
