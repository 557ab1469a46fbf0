"""A scalar that a target region assigns and the host reads afterwards, although the region worked on a copy."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ompls.analysis.dataenv.paths import depth_of
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Span, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.tu import Content, Region, Variable
from ompls.analysis.rules.support.flow import Flow, State
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.noticed import events, region_at, severity_of
from ompls.analysis.rules.support.noticed import finding as placed

_MESSAGE = "the value of `{name}` is lost at the end of the region: `{name}` is firstprivate there, and read afterwards"

_REPLACED = "replaced"  # the host has assigned the variable since a region did


class _Stale(Flow):
    """For each scalar, the regions whose assignment to it did not come back and was not overwritten since."""

    def __init__(self, regions: list[Region]) -> None:
        super().__init__()
        self.regions = {id(r.stmt): r for r in regions}
        self.read_after: dict[tuple[int, Symbol], Node] = {}  # the first read of the lost value
        self.within: list[int] = []  # the region where the analysis is
        self.next_time: dict[tuple[int, Symbol], Node] = {}  # reads of the region itself, when it runs again

    def default(self, key: Hashable) -> frozenset[Any]:
        return frozenset()

    def expr(self, expr: Expr, state: State) -> State:
        for use in uses(expr):
            if use.depth == 0 and not self.is_private(use.symbol):
                state = self._use(use, state)
        return state

    def declare(self, decl: ast.VarDecl, state: State) -> State:
        state = super().declare(decl, state)
        return {**state, decl.symbol: frozenset()} if decl.symbol in state else state

    def original(self, expr: Expr, state: State, write: bool) -> State:
        if not isinstance(expr, ast.Name) or expr.symbol is None or self.is_private(expr.symbol):
            return state
        return self._use(Use(expr.symbol, expr, 0, not write, write), state)

    def _use(self, use: Use, state: State) -> State:
        stale = state.get(use.symbol)
        if not stale:
            return state
        if use.read and use.certain:
            for region in stale - {_REPLACED}:
                # `count += …` goes on with the old value; after `if (…) last = i;` it is perhaps not meant.  Nor is it
                # when the host assigns the variable on another way from the region to here.
                again = (region in self.within and not use.write) or _REPLACED in stale
                kept = self.next_time if again else self.read_after
                known = kept.get((region, use.symbol))
                if known is None or use.node.span < known.span:
                    kept[region, use.symbol] = use.node
        if use.write or not use.certain:
            return {**state, use.symbol: frozenset((_REPLACED,))}
        return state

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        region = self.regions.get(id(stmt))
        if region is None:
            return self._host_directive(stmt, state)
        self.within.append(id(stmt))
        end = self.construct(stmt, state)
        self.within.pop()
        after = dict(state if end is None else end)
        for variable in region.variables:
            if loses(variable):
                after[variable.symbol] = (state.get(variable.symbol, frozenset()) - {_REPLACED}) | {id(stmt)}
        return after

    def _host_directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        """`target update to(x)` and `map(to: x)` read x; `from` overwrites it."""
        for clause in stmt.directive.all("map", "to", "from"):
            kind = clause.keyword if clause.name == "map" else clause.name
            for item in clause.items:
                if kind in ("to", "tofrom", "") or kind == "from":
                    state = self.original(item.expr, state, kind == "from")
        return self.construct(stmt, state)


def loses(variable: Variable) -> bool:
    """Whether the region assigns its own copy of an implicitly firstprivate scalar."""
    # A `defaultmap(firstprivate)` (section 5.8.7) is deliberate.
    by_default = variable.sharing == "firstprivate" and variable.implicit and variable.section != "5.8.7"
    return by_default and bool(_assignments(variable))


def _assignments(variable: Variable) -> list[Node]:
    """Writes of the variable itself, not of what it points to, nor by who gets its address."""
    addresses = [n for n in variable.writes if isinstance(n, ast.Unary) and n.op == "&"]
    # A pointer whose value goes on (`q = p`) is there for what it points to, at the same node that reads it.
    copied = {id(n) for n in variable.reads} if isinstance(variable.symbol.type, Pointer) else set()
    found = [n for n in variable.writes if n not in addresses and isinstance(n, Expr) and depth_of(n) == 0]
    return [n for n in found if id(n) not in copied]


def check(scene: Scene) -> Iterator[Finding]:
    told: set[Span] = set()
    for finding in (*_in_function(scene), *_in_others(scene)):
        if finding.span not in told:
            told.add(finding.span)
            yield finding


def _in_others(scene: Scene) -> Iterator[Finding]:
    """Globals that other functions read."""
    for found in events(scene, "lost", "firstprivate"):
        name, region = found.event.name, region_at(scene, found.event.site.span)
        if found.event.certainty == "certain" and region is not None:
            end = region.directive.span.end
            change = Change(f"Map `{name}` tofrom", Span(end, end), f" map(tofrom: {name})", safe=False)
            severity = "hint" if _knows(scene) else severity_of(found, scene)
            yield placed(found, _MESSAGE.format(name=name), severity, change)


def _knows(scene: Scene) -> bool:
    """Whoever writes `defaultmap` in the same function knows what the default is."""
    return any(d.clause("defaultmap") is not None for d in scene.directives)


def is_expected(function: ast.FunctionDef, symbol: Symbol, read: Node) -> bool:
    """Whether the read is a comparison with what the variable had before: the program expects the old value.

    That is a constant that the host has given it, or a variable that it was copied to.
    """
    given: set[object] = set()
    compared: list[Expr] = []
    for n in function.body.walk():
        if isinstance(n, ast.VarDecl) and n.symbol is symbol:
            given.add(_constant(n.init))
        elif isinstance(n, ast.Assign) and isinstance(n.target, ast.Name):
            if n.target.symbol is symbol:
                given.add(_constant(n.value))
            elif isinstance(n.value, ast.Name) and n.value.symbol is symbol:
                given.add(n.target.symbol)
        elif isinstance(n, ast.Binary) and n.op in ("==", "!=", "-") and read in (n.left, n.right):
            compared.append(n.right if n.left is read else n.left)
    found = {*map(_constant, compared), *(e.symbol for e in compared if isinstance(e, ast.Name))}
    return bool((found & given) - {None})


def _constant(expr: Expr | None) -> object:
    """The value of a constant; None for anything else."""
    return float(expr.text.rstrip("fFlL")) if isinstance(expr, ast.FloatLiteral) else fold(expr)


def lost(content: Content) -> Iterator[tuple[Region, Variable, Node, bool]]:
    """(region, scalar, where its old value is read, whether the region itself reads it, when it runs again)."""
    function = content.node
    if not isinstance(function, ast.FunctionDef):
        return
    regions = [r for r in content.regions if any(loses(v) for v in r.variables) and not _default_is_private(r)]
    if not regions:
        return
    flow = _Stale(regions)
    flow.run(function.body, {})
    for region in regions:
        for variable in region.variables:
            key = (id(region.stmt), variable.symbol)
            read, again = flow.read_after.get(key), flow.next_time.get(key)
            first = read if read is not None else again
            if first is not None and loses(variable):
                yield region, variable, first, read is None


def _in_function(scene: Scene) -> Iterator[Finding]:
    function, content = scene.function, scene.content
    if function is None or content is None:
        return
    for region, variable, read, again in lost(content):
        weak = again or region.tainted or _knows(scene) or is_expected(function, variable.symbol, read)
        yield _finding(region, variable, read, "hint" if weak else "warning")


def _default_is_private(region: Region) -> bool:
    """`default(private)` or `default(firstprivate)`: whoever writes that wants copies."""
    clause = region.directive.clause("default")
    return clause is not None and clause.keyword in ("private", "firstprivate")


def _finding(region: Region, variable: Variable, read: Node, severity: Severity) -> Finding:
    name = variable.symbol.name
    write = min(_assignments(variable), key=lambda n: n.span)
    message = _MESSAGE.format(name=name)
    end = region.directive.span.end
    change = Change(f"Map `{name}` tofrom", Span(end, end), f" map(tofrom: {name})", safe=False)
    related = ((read.span, f"`{name}` still has its old value here"),)
    return Finding(write.span, message, severity, related, (change,))


RULE = Rule(
    id="firstprivate-result-lost",
    severity="warning",
    group="sharing",
    title="A scalar that a target region assigns is read afterwards, but its value does not come back",
    why="""
A scalar that no clause lists is firstprivate in a target region (since OpenMP 4.5): the region gets a copy of its value,
and what it assigns to the copy ends with the region. A result must be mapped (`map(tofrom: x)` or `map(from: x)`) or be
a `reduction` variable.
""",
    section="5.8.1",
    bad=(
        """
int f(void) {
    int v = 3;
    #pragma omp target
    v = 4;
//  ^ hint: the value of `v` is lost at the end of the region: `v` is firstprivate there, and read afterwards
    return v != 3;
}
""",
        """
int f(int n, int *x, int best) {
    int k = 0;
    for (int round = 0; round < n; round++) {
        #pragma omp target map(tofrom: x[0:n])
        for (int i = 0; i < n; i++) { k = i; x[i] = k; }
    //                                ^ hint: the value of `k` is lost at the end of the region: `k` is firstprivate there, and read afterwards
        if (x[0] > best) k = round;
    }
    return k;
}
""",
        """
int f(int n, int *x) {
    int last = 0;
    #pragma omp target map(to: x[0:n])
    {
        last = x[n - 1];
    //  ^^^^ warning: the value of `last` is lost at the end of the region: `last` is firstprivate there, and read afterwards
    }
    return last;
}
""",
        """
int f(int n, int *x) {
    int count = 0;
    for (int round = 0; round < 3; round++) {
        #pragma omp target map(to: x[0:n])
        for (int i = 0; i < n; i++)
            count += x[i] > round;
    //      ^^^^^ warning: the value of `count` is lost at the end of the region: `count` is firstprivate there, and read afterwards
    }
    return 0;
}
""",
        """
void use(double);
void f(int n, double *x, int mode) {
    double sum = 0;
    if (mode) {
        #pragma omp target teams distribute parallel for map(to: x[0:n])
        for (int i = 0; i < n; i++) {
            #pragma omp atomic
            sum += x[i];
    //      ^^^ warning: the value of `sum` is lost at the end of the region: `sum` is firstprivate there, and read afterwards
        }
    }
    use(sum);
}
""",
        """
void f(int n, int *x, int *nearest) {
    int index = 0;
    for (int round = 0; round < 3; round++) {
        #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: nearest[0:n])
        for (int i = 0; i < n; i++) {
            if (x[i] > round)
                index = i;
    //          ^^^^^ hint: the value of `index` is lost at the end of the region: `index` is firstprivate there, and read afterwards
            nearest[i] = index;
        }
    }
}
""",
        """
int found;
static void search(int n, const int *x) {
    #pragma omp target map(to: x[0:n])
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            found = i;
    //      ^^^^^ warning: the value of `found` is lost at the end of the region: `found` is firstprivate there, and read afterwards
}
int main(void) {
    int a[10] = {1, 2, -3};
    for (int k = 0; k < 2; k++)
        search(10, a);
    return found;
}
""",
    ),
    good=(
        """
int f(int n, int *x, int best) {
    int k = 0;
    for (int round = 0; round < n; round++) {
        #pragma omp target map(tofrom: x[0:n])
        for (int i = 0; i < n; i++) { k = i; x[i] = k; }
        k = round;
    }
    return k;
}
""",
        """
void f(int *p, int n) {
    int v = 3;
    #pragma omp target defaultmap(firstprivate) map(tofrom: p[0:n])
    { v = v + 1; p[0] = v; }
    #pragma omp target teams default(firstprivate) map(tofrom: p[0:n])
    { v = v + 1; p[0] = v; }
    p += v;
}
""",
        """
int f(int n, int *x) {
    int last = 0;
    #pragma omp target map(to: x[0:n]) map(from: last)
    { last = x[n - 1]; }
    return last;
}
""",
        """
typedef int (*function)(int);
int square(int);
#pragma omp declare target enter(square) indirect
int f(int n) {
    function one = square, other;
    #pragma omp target map(from: other)
    other = one;
    return one(n) + (other != 0);
}
""",
        """
double f(int n, double *x) {
    double sum = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: x[0:n])
    for (int i = 0; i < n; i++) sum += x[i];
    return sum;
}
""",
        """
void f(int n, double *x) {
    int i;
    double t;
    for (int round = 0; round < 3; round++) {
        #pragma omp target map(tofrom: x[0:n])
        for (i = 0; i < n; i++) { t = 2 * x[i]; x[i] = t; }
    }
    for (i = 0; i < n; i++) { t = x[i]; x[i] = t + 1; }
}
""",
        """
int f(int *x) {
    int v = 3;
    #pragma omp target map(tofrom: x[0:1]) firstprivate(v)
    { v = v + 1; x[0] = v; }
    return v;
}
""",
        """
int f(int *x) {
    int v = 3;
    #pragma omp target map(tofrom: x[0:1]) defaultmap(tofrom: scalar)
    { v = v + 1; x[0] = v; }
    return v;
}
""",
        """
int f(int *x, int n) {
    int v = 3;
    #pragma omp target map(tofrom: x[0:1])
    { int v = 4; x[0] = v; v = 5; }
    if (n) {
        #pragma omp target map(tofrom: x[0:1])
        { v = 7; x[0] = v; }
        v = 1;
    }
    return v;
}
""",
        """
#pragma omp declare target
int counter;
#pragma omp end declare target
int f(void) {
    #pragma omp target
    counter = 1;
    #pragma omp target update from(counter)
    return counter;
}
""",
        """
int f(int n, int *x) {
    int v = 3;
    #pragma omp target teams distribute parallel for private(v) map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) { v = i; x[i] = v; }
    return v;
}
""",
    ),
    check=check,
)
