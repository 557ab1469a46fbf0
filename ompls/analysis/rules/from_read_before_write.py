"""Data that a target region reads although its map only allocates it (`map(from:)`, `map(alloc:)`)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ompls.analysis.dataenv.paths import depth_of, root
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Span, Stmt, Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.support.callers import callers_above
from ompls.analysis.rules.support.facts import Facts, place_in
from ompls.analysis.rules.support.flow import Flow, State
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.presence import presence_of

UNTOUCHED = frozenset(("untouched",))
WRITTEN = frozenset(("written",))


class _FirstAccess(Flow):
    """Which of some variables the region reads while nothing on any path has written a part of them."""

    def __init__(self, symbols: set[Symbol]) -> None:
        super().__init__()
        self.symbols = symbols
        self.certain: dict[Symbol, Node] = {}
        self.under_condition: dict[Node, Symbol] = {}  # as of the last visit
        self.conditions = 0

    def read_first(self) -> dict[Symbol, Node]:
        """The first such read of each variable."""
        found = dict(self.certain)
        for node, symbol in self.under_condition.items():
            if symbol not in found or node.span < found[symbol].span:
                found[symbol] = node
        return found

    def stmt(self, stmt: Stmt | None, state: State | None) -> State | None:
        conditional = isinstance(stmt, (ast.If, ast.Switch))
        self.conditions += conditional
        state = super().stmt(stmt, state)
        self.conditions -= conditional
        return state

    def default(self, key: Hashable) -> frozenset[Any]:
        return UNTOUCHED

    def expr(self, expr: Expr, state: State) -> State:
        for use in uses(expr):
            if not self.is_private(use.symbol):
                state = self._use(use, state)
        if any(isinstance(n, ast.Call) for n in expr.walk()):
            # The function may write what it finds at file scope.
            state = {**state, **{s: WRITTEN for s in self.symbols if s.level == "file"}}
        return state

    def original(self, expr: Expr, state: State, write: bool) -> State:
        symbol = root(expr)
        if symbol is None or self.is_private(symbol):
            return state
        return self._use(Use(symbol, expr, depth_of(expr), not write, write), state)

    def _use(self, use: Use, state: State) -> State:
        symbol = use.symbol
        if symbol not in self.symbols or use.depth != (1 if isinstance(symbol.type, Pointer) else 0):
            if symbol in self.symbols and use.escapes:
                return {**state, symbol: WRITTEN}
            return state
        if use.read and use.certain:
            self._read(use, state.get(symbol, UNTOUCHED) == UNTOUCHED)
        if use.write or not use.certain:
            return {**state, symbol: state.get(symbol, UNTOUCHED) | WRITTEN}
        return state

    def _read(self, use: Use, untouched: bool) -> None:
        """In a loop the first visit is the first iteration; what an `if` guards may not happen in it."""
        if not self.conditions:
            if untouched:
                self.certain.setdefault(use.symbol, use.node)
        elif untouched:
            self.under_condition[use.node] = use.symbol
        else:
            self.under_condition.pop(use.node, None)


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    if content is None or scene.function is None or not _allocates(scene):
        return
    candidates = {id(r.stmt): [v for v in r.variables if _may_hold_garbage(v)] for r in content.regions}
    if not any(candidates.values()):
        return
    presence = presence_of(content, scene.unit)
    for region in content.regions:
        inside = presence.inside.get(id(region.stmt))
        if inside is None:
            continue
        garbage = {
            v.symbol: severity
            for v in candidates[id(region.stmt)]
            if (severity := _severity(region, v, presence.facts(inside, place_in(v)))) is not None
        }
        flow = _FirstAccess(set(garbage))
        flow.construct(region.stmt, {})
        for symbol, access in flow.read_first().items():
            yield _finding(region, symbol, access, garbage[symbol])


def _allocates(scene: Scene) -> bool:
    """Whether anything in the function, or in one that calls it, maps without a copy to the device."""
    above = callers_above(scene.content, scene.unit) if scene.content is not None else ()
    directives = [*scene.directives, *(s.directive for c in above for s in c.directives)]
    return any(c.keyword in ("from", "alloc", "storage") for d in directives for c in d.all("map"))


def _may_hold_garbage(variable: Variable) -> bool:
    return variable.sharing == "mapped" and bool(variable.reads) and not variable.symbol.declare_target


def _severity(region: Region, variable: Variable, facts: Facts) -> Severity | None:
    """How sure it is that the device's storage has no values when the region starts; None: it may well have."""
    if facts and all(fact[0] == "G" for fact in facts):
        return "hint" if region.tainted else "warning"
    kinds = {m.map_type for m in variable.maps}
    only_allocates = not variable.implicit and kinds <= {"from", "alloc"}
    if only_allocates and not any(fact[0] == "V" for fact in facts):
        return "hint"  # a caller may have mapped and filled it
    return None


def _finding(region: Region, symbol: Symbol, access: Node, severity: Severity) -> Finding:
    name = symbol.name
    clause = _clause(region, symbol)
    if clause is None:
        message = f"`{name}` is read here, but its map only allocates it: the device's copy has no value yet"
        related = ((region.directive.span, f"`{name}` is mapped before this region, without a copy to the device"),)
        return Finding(access.span, message, severity, related)
    kind = clause.keyword or "tofrom"
    message = f"`{name}` is read here, but `map({kind}: …)` only allocates it: the device's copy has no value yet"
    new = {"from": "tofrom", "alloc": "to"}.get(kind)
    changes: tuple[Change, ...] = ()
    if new is not None and clause.keyword_span is not None:
        span = Span(*clause.keyword_span)
        changes = (Change(f"Map `{name}` {new}", span, new, safe=len(clause.items) == 1),)
    related = ((clause.span, "the device's copy comes from here"),)
    return Finding(access.span, message, severity, related, changes)


def _clause(region: Region, symbol: Symbol) -> Clause | None:
    """The region's own `map` clause that lists the variable."""
    for clause in region.directive.all("map"):
        if any((item.symbol or root(item.expr)) is symbol for item in clause.items):
            return clause
    return None


RULE = Rule(
    id="from-read-before-write",
    severity="warning",
    group="mapping",
    title="A region reads data that its map only allocates",
    why="""
`map(from: x)` and `map(alloc: x)` give the device room for `x` without copying its value. Until the region writes
`x`, reading it gives garbage. If the host's value is needed, map it `to` or `tofrom`; a reduction variable needs `tofrom`, since
the reduction combines with the value before the region.
""",
    section="5.8.3",
    bad=(
        """
void f(int n) {
    double a[100];
    #pragma omp target teams distribute parallel for map(from: a)
    for (int i = 0; i < n; i++)
        a[i] += 1;
    //  ^^^^ warning: `a` is read here, but `map(from: …)` only allocates it: the device's copy has no value yet
}
""",
        """
int f(int n, int *x) {
    int sum = 0;
    #pragma omp target teams distribute parallel for map(from: sum) map(to: x[0:n]) reduction(+: sum)
    //                                                                                           ^^^ warning: `sum` is read here, but `map(from: …)` only allocates it: the device's copy has no value yet
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp target map(from: y[0:n]) map(to: x[0:n])
    for (int i = 0; i < n; i++)
        y[i] = y[i] + x[i];
    //         ^^^^ hint: `y` is read here, but `map(from: …)` only allocates it: the device's copy has no value yet
}
""",
        """
void f(void) {
    int a[10], b[10];
    for (int i = 0; i < 10; i++) a[i] = i;
    #pragma omp target data map(alloc: a) map(from: b)
    {
        #pragma omp target map(to: a)
        for (int i = 0; i < 10; i++)
            b[i] = a[i];
    //             ^^^^ warning: `a` is read here, but `map(to: …)` only allocates it: the device's copy has no value yet
    }
}
""",
        """
static int sum(const int *x, int n) {
    int all = 0;
    #pragma omp target teams distribute parallel for reduction(+: all)
    for (int i = 0; i < n; i++)
        all += x[i];
    //         ^^^^ warning: `x` is read here, but its map only allocates it: the device's copy has no value yet
    return all;
}
int main(void) {
    int a[10] = {1, 2, 3}, result = 0;
    #pragma omp target data map(alloc: a)
    result = sum(a, 10);
    return result;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
int fill_on_device(float *, int);
float f(int n) {
    float *x = malloc(n * sizeof(float)), sum = 0;
    #pragma omp target enter data map(alloc: x[0:n])
    #pragma omp target data use_device_ptr(x)
    fill_on_device(x, n);
    #pragma omp target teams distribute parallel for reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    #pragma omp target exit data map(delete: x[0:n])
    return sum;
}
""",
        """
void f(int n) {
    double a[100];
    #pragma omp target teams distribute parallel for map(from: a)
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        a[i] += 1;
    }
}
""",
        """
void f(int n) {
    double a[100];
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target map(from: a)
        a[0] += 1;
    }
}
""",
        """
void f(int n) {
    double a[100];
    #pragma omp target enter data map(alloc: a)
    #pragma omp target update to(a)
    #pragma omp target
    a[0] += 1;
    #pragma omp target exit data map(from: a)
}
""",
        """
void f(int n) {
    double a[100];
    #pragma omp target data map(alloc: a)
    {
        #pragma omp target
        for (int i = 0; i < 100; i++) a[i] = i;
        #pragma omp target
        a[0] += 1;
    }
}
""",
        """
int f(int n, int *x) {
    int sum;
    #pragma omp target map(from: sum) map(to: x[0:n])
    {
        sum = 0;
        #pragma omp parallel for reduction(+: sum)
        for (int i = 0; i < n; i++) sum += x[i];
    }
    return sum;
}
""",
    ),
    check=check,
)
