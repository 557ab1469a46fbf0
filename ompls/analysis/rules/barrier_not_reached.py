"""A barrier, or a construct that ends in one, that only some threads of the team come to."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Node, Span
from ompls.analysis.model.constants import fold
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.orphans import THREAD_NUMBER, Meeting, meetings, meets, picks_threads

# Regions that one thread is in, or that threads are in at different times.
_FEW = frozenset(
    ("single", "masked", "master", "critical", "ordered", "task", "taskloop", "for", "sections", "section")
)


def check(scene: Scene) -> Iterator[Finding]:
    """Decided when a condition compares the thread's number with a constant and only one way has such a place, and when
    a function with a barrier is called in a region that not all threads are in together.  Directives in such a region
    are the matter of `region-nesting`.
    """
    content, function = scene.content, scene.function
    if content is None or function is None:
        return
    if not content.directives and THREAD_NUMBER.encode() not in content.text:
        return
    for place in meetings(content, scene.unit):
        found = _in_branch(place, function, content) or _in_region(place)
        if found is not None:
            yield found


def _in_branch(place: Meeting, function: FunctionDef, content: Content) -> Finding | None:
    for node in place.around:
        if isinstance(node, DirectiveStmt):
            return None  # what holds the threads apart there is another matter
        condition = node.condition if isinstance(node, (ast.If, ast.While, ast.For)) else None
        picks = picks_threads(condition, function, _team(content, place))
        if picks is False or condition is None or _is_met_elsewhere(node, place.node):
            continue
        severity: Severity = "warning" if picks and isinstance(node, ast.If) else "hint"
        message = f"only some threads of the team come to {place.name} here; the others wait for them at another one"
        related = ((condition.span, "this condition differs between threads"),)
        return Finding(place.span, message, severity, related)
    return None


def _team(content: Content, place: Meeting) -> int:
    """How many threads the `parallel` around asks for, by a number; 0: it does not say, or there is none in sight."""
    around = [s.directive for s in content.directives if s.span.start <= place.span.start < s.span.end]
    teams = [d for d in around if "parallel" in d.constructs]
    number = max(teams, key=lambda d: d.span).clause("num_threads") if teams else None
    return (fold(number.args[0]) or 0) if number is not None and len(number.args) == 1 else 0


def _is_met_elsewhere(branch: Node, place: Node) -> bool:
    """Whether the threads that go the other way come to such a place, too."""
    if not isinstance(branch, ast.If) or branch.otherwise is None:
        return False
    mine = branch.then if branch.then.span.start <= place.span.start < branch.then.span.end else branch.otherwise
    other = branch.otherwise if mine is branch.then else branch.then
    calls = isinstance(place, ast.Call) and any(isinstance(n, ast.Call) for n in other.walk())
    return calls or any(isinstance(n, DirectiveStmt) and meets(n.directive) for n in other.walk())


def _in_region(place: Meeting) -> Finding | None:
    """A call, in a region that not all threads are in."""
    if not isinstance(place.node, ast.Call):
        return None
    if any(isinstance(n, ast.If) for n in place.around):
        return None
    for node in place.around:
        inner = node.directive.constructs[-1] if isinstance(node, DirectiveStmt) else ""
        if isinstance(node, DirectiveStmt) and inner in _FEW:
            message = f"{place.name} is not reached by all threads of the team: this call is in a `{inner}` region"
            related: tuple[tuple[Span, str], ...] = ((node.directive.name_span, f"this `{inner}` region"),)
            return Finding(place.span, message, "warning", related)
    return None


RULE = Rule(
    id="barrier-not-reached",
    severity="warning",
    title="A barrier that not all threads of the team come to",
    why="""
A barrier lets nobody pass before all threads of the team have come to it; so do the ends of `for`, `sections` and `single`.
Either all threads of a team come to such a place, or none, and in the same order. In a branch that only some threads take,
or in a function that is called from a `single`, `masked`, `critical` or worksharing region or from a task, the program waits
for ever, or threads meet at the wrong place.
""",
    section="15.3.1",
    group="structure",
    bad=(
        """
int omp_get_thread_num(void);
#pragma omp declare target
static void meet(int *x, int t) {
    x[t]++;
    #pragma omp barrier
}
#pragma omp end declare target
void f(int *x) {
    #pragma omp target parallel num_threads(32) map(tofrom: x[0:64])
    {
        int t = omp_get_thread_num();
        if (t < 16) meet(x, t);
        //          ^^^^ warning: only some threads of the team come to the barrier in `meet` here; the others wait for them at another one
    }
    #pragma omp target parallel map(tofrom: x[0:64])
    {
        int t = omp_get_thread_num();
        if (t < 16) meet(x, t);
        //          ^^^^ hint: only some threads of the team come to the barrier in `meet` here; the others wait for them at another one
    }
}
""",
        """
int omp_get_thread_num(void);
void f(int *x) {
    #pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            x[0] = 1;
            #pragma omp barrier
            //          ^^^^^^^ warning: only some threads of the team come to `barrier` here; the others wait for them at another one
        }
    }
}
""",
        """
int omp_get_thread_num(void);
void f(int n, int *x) {
    #pragma omp parallel
    {
        int id = omp_get_thread_num();
        if (id % 2)
            x[id] = 1;
        else {
            #pragma omp for
            //          ^^^ warning: only some threads of the team come to `for` here; the others wait for them at another one
            for (int i = 0; i < n; i++)
                x[i] = i;
        }
    }
}
""",
        """
static void step(int *x) {
    x[0]++;
    #pragma omp barrier
    x[1]++;
}
void f(int *x) {
    #pragma omp parallel
    {
        #pragma omp single
        step(x);
    //  ^^^^ warning: the barrier in `step` is not reached by all threads of the team: this call is in a `single` region
    }
}
""",
        """
int omp_get_thread_num(void);
void f(int n, int *x) {
    #pragma omp parallel
    for (int i = omp_get_thread_num(); i < n; i += omp_get_thread_num() + 1) {
        x[i] = i;
        if (i < omp_get_thread_num()) {
            #pragma omp barrier
            //          ^^^^^^^ hint: only some threads of the team come to `barrier` here; the others wait for them at another one
        }
    }
}
""",
    ),
    good=(
        """
int omp_get_thread_num(void);
static void meet(int *x, int t) {
    x[t]++;
    #pragma omp barrier
}
void f(int *x) {
    #pragma omp parallel num_threads(8)
    {
        int t = omp_get_thread_num();
        if (t < 8) x[t] = 0;
        meet(x, t);
    }
}
""",
        """
int omp_get_thread_num(void);
void f(int *x) {
    #pragma omp parallel
    {
        if (omp_get_thread_num() == 0)
            x[0] = 1;
        #pragma omp barrier
        x[omp_get_thread_num() + 1] = x[0];
    }
}
""",
        """
int omp_get_thread_num(void);
void f(int *x) {
    #pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            x[0] = 1;
            #pragma omp barrier
        } else {
            #pragma omp barrier
            x[1] = x[0];
        }
    }
}
""",
        """
void f(int n, int *x) {
    #pragma omp parallel
    if (n > 100) {
        #pragma omp for
        for (int i = 0; i < n; i++)
            x[i] = i;
    }
}
""",
        """
static void step(int n, int *x) {
    #pragma omp parallel
    {
        x[n]++;
        #pragma omp barrier
    }
}
void f(int n, int *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        step(i, x);
}
""",
        """
int omp_get_thread_num(void);
void f(int n, int *x) {
    #pragma omp parallel
    if (omp_get_thread_num() == 0) {
        #pragma omp parallel
        {
            #pragma omp for
            for (int i = 0; i < n; i++)
                x[i] = i;
        }
    }
}
""",
        """
static void step(int wait, int *x) {
    x[0]++;
    if (wait) {
        #pragma omp barrier
    }
}
void f(int *x) {
    #pragma omp parallel
    {
        #pragma omp single
        step(0, x);
        step(1, x);
    }
}
""",
    ),
    check=check,
)
