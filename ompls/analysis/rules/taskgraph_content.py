"""What may not stand in a `taskgraph`: its tasks are recorded once, and run again without the code around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ompls.analysis.dataenv.paths import root
from ompls.analysis.graphs.construct import is_deferred, makes_task
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by, assigned_in
from ompls.analysis.model.ast import DirectiveStmt, Node, Span, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Pointer
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
            yield from _final(graph, content.directives)
            for stmt in _met(graph.body):
                yield from _construct(stmt, own)
            if not _is_run_each_time(graph.directive):
                yield from _beside_tasks(graph, own, content.node)


def _final(graph: DirectiveStmt, directives: Sequence[DirectiveStmt]) -> Iterator[Finding]:
    for around in directives:
        final = around.directive.clause("final")
        inside = around is not graph and around.span.start <= graph.span.start < around.span.end
        if inside and final is not None and final.args and fold(final.args[0]) not in (None, 0):
            message = "a `taskgraph` may not be met in a final task: its tasks could not be deferred"
            yield Finding(graph.directive.name_span, message, "warning", ((final.span, "the task is final"),))
            return


def _is_run_each_time(d: Directive) -> bool:
    """Whether a clause says that there is no replay."""
    reset, condition = d.clause("graph_reset"), d.clause("if")
    never = condition is not None and bool(condition.args) and fold(condition.args[0]) == 0
    return never or (reset is not None and (not reset.args or fold(reset.args[0]) not in (None, 0)))


def _beside_tasks(graph: DirectiveStmt, own: set[Symbol], whole: Node) -> Iterator[Finding]:
    """What the code that creates the tasks does to variables that others see: it is not run in a replay.

    What a loop counts with is nobody's result.
    """
    assert graph.body is not None
    code = list(_code(graph.body))
    counting = {
        s for n in code if isinstance(n, ast.For) for part in (n.init, n.step) if part for s in assigned_in(part)
    }
    for n in code:
        target = assigned_by(n)
        symbol = root(target) if target is not None else None
        if target is None or symbol is None or symbol in own or symbol in counting:
            continue
        own.add(symbol)
        if symbol.level == "file" or isinstance(symbol.type, Pointer) or _is_named_outside(symbol, graph, whole):
            message = f"`{symbol.name}` is changed by the code that creates the tasks: a replay does not run that"
            yield Finding(n.span, message, "hint")


def _code(node: Node) -> Iterator[Node]:
    """What is run to create the tasks."""
    if not isinstance(node, DirectiveStmt):
        yield node
        for child in node.children():
            yield from _code(child)


def _is_named_outside(symbol: Symbol, graph: DirectiveStmt, whole: Node) -> bool:
    names = (n for n in ast.walk_all(whole) if isinstance(n, ast.Name) and n.symbol is symbol)
    return any(not graph.span.start <= n.span.start < graph.span.end for n in names)


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
saved with the record: `firstprivate(saved: k)`. A task with `replayable(false)` is left out of the record. A `taskgraph` in a final
task could defer none of its tasks. What the code around the tasks gives to other variables, it gives them only when it is recorded.
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
        """
int f(int n, int *total) {
    int met = 0, y = 0;
    for (int i = 0; i < n; i++) {
        #pragma omp taskgraph
        {
            ++met;
    //      ^^^^^ hint: `met` is changed by the code that creates the tasks: a replay does not run that
            if (n > 3)
                *total += n;
    //          ^^^^^^^^^^^ hint: `total` is changed by the code that creates the tasks: a replay does not run that
            #pragma omp task shared(y)
            ++y;
        }
    }
    #pragma omp task final(1)
    {
        #pragma omp taskgraph
    //              ^^^^^^^^^ warning: a `taskgraph` may not be met in a final task: its tasks could not be deferred
        {
            #pragma omp task shared(y)
            ++y;
        }
    }
    return met + y;
}
""",
    ),
    good=(
        """
int f(int n, int *x) {
    int i, met = 0, step = 1;
    for (int r = 0; r < n; r++) {
        #pragma omp taskgraph
        for (i = 0; i < 4; i++) {
            int at = i;
            at += step;
            step = 2;
            #pragma omp task firstprivate(at)
            x[at] = 1;
        }
        #pragma omp taskgraph graph_reset
        met++;
    }
    #pragma omp task final(n > 3)
    {
        #pragma omp taskgraph
        {
            #pragma omp task
            x[9] = 1;
        }
    }
    return met + i;
}
""",
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
