"""Data that a target region writes under `map(to:)` and the host reads afterwards: nothing copies it back."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ompls.analysis.dataenv.paths import root, walk_all
from ompls.analysis.dataenv.uses import Use, uses
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.ctype import Array, Pointer, Record
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.support.device_state import weakest
from ompls.analysis.rules.support.facts import place_in
from ompls.analysis.rules.support.flow import Flow, State
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.presence import Presence, presence_of

_CURRENT = "current"
_ONLY_THIS_REGION = frozenset(("V1", "G1"))


class _Behind(Flow):
    """For each variable, the regions whose writes the host has not got; `current` where it may have its own values."""

    def __init__(self, written: dict[int, set[Symbol]]) -> None:
        super().__init__()
        self.written = written
        self.read_after: dict[tuple[int, Symbol], Node] = {}  # the first read of old values

    def default(self, key: Hashable) -> frozenset[Any]:
        return frozenset()

    def expr(self, expr: Expr, state: State) -> State:
        for use in uses(expr):
            if not self.is_private(use.symbol):
                state = self._use(use, state)
        return state

    def _use(self, use: Use, state: State) -> State:
        behind = state.get(use.symbol)
        if not behind:
            return state
        if use.write or not use.certain:
            return {**state, use.symbol: frozenset((_CURRENT,))}
        if use.read and _CURRENT not in behind and use.depth == _depth(use.symbol):
            for region in behind:
                self.read_after.setdefault((region, use.symbol), use.node)
        return state

    def directive(self, stmt: ast.DirectiveStmt, state: State) -> State | None:
        own = self.written.get(id(stmt))
        if own is not None:
            return {**state, **{s: frozenset((id(stmt),)) for s in own}}
        for clause in stmt.directive.clauses:
            for item in clause.items:  # copied, listed, handed over: another directive knows what it does
                if (symbol := root(item.expr)) is not None and state.get(symbol):
                    state = {**state, symbol: frozenset((_CURRENT,))}
        return self.construct(stmt, state)


def _depth(symbol: Symbol) -> int:
    return 1 if isinstance(symbol.type, Pointer) else 0


def _writes(region: Region, variable: Variable) -> list[Node]:
    """Assignments to what is mapped; not what a called function may do with its address."""
    depth, known = _depth(variable.symbol), set(variable.writes)
    found = (u for u in uses(region.stmt.body) if u.symbol is variable.symbol and u.node in known)
    return [u.node for u in found if u.write and u.certain and u.depth == depth]


def _loses(presence: Presence, region: Region, variable: Variable) -> bool:
    if (
        region.stmt.body is None
        or variable.implicit
        or variable.sharing != "mapped"
        or {m.map_type for m in variable.maps} != {"to"}
    ):
        return False
    device = region.directive.clause("device")
    if device is not None and "ancestor" in (device.keyword, *device.modifiers):
        return False  # it runs on the host
    if any(isinstance(n, ast.DirectiveStmt) and n.directive.has("target") for n in walk_all(region.stmt.body)):
        return False  # reverse offload: the host may be the one who writes
    place, inside = place_in(variable), presence.inside.get(id(region.stmt))
    if inside is None or variable.symbol.level == "file" or not presence.storages.alone(place):
        return False
    return presence.facts(inside, place) <= _ONLY_THIS_REGION and bool(_writes(region, variable))


def check(scene: Scene) -> Iterator[Finding]:
    content, function = scene.content, scene.function
    if content is None or function is None or "unified_shared_memory" in scene.unit.requires:
        return
    if not any(m.map_type == "to" and v.writes for r in content.regions for v in r.variables for m in v.maps):
        return
    presence = presence_of(content, scene.unit)
    lost = {id(r.stmt): [v for v in r.variables if _loses(presence, r, v)] for r in content.regions}
    flow = _Behind({key: {v.symbol for v in variables} for key, variables in lost.items() if variables})
    if flow.written:
        flow.run(function.body, {})
    for region in content.regions:
        for variable in lost[id(region.stmt)]:
            read = flow.read_after.get((id(region.stmt), variable.symbol))
            if read is not None:
                yield _finding(region, variable, read)


def _finding(region: Region, variable: Variable, read: Node) -> Finding:
    name = variable.symbol.name
    write = min(_writes(region, variable), key=lambda n: n.span)
    clause = variable.maps[0].clause
    message = f"what the region writes to `{name}` is not copied back: `map(to: …)` copies to the device only"
    changes: tuple[Change, ...] = ()
    if clause is not None and clause.keyword_span is not None and len(clause.items) == 1 and len(variable.maps) == 1:
        changes = (Change(f"Map `{name}` tofrom", clause.keyword_span, "tofrom", safe=False),)
    # Programs write a scalar under `map(to:)` on purpose to find out whether host and device share memory.
    scalar = not isinstance(variable.symbol.type, (Pointer, Array, Record))
    weak = scalar or region.tainted or any(weakest(region.directive.clause(c)) for c in ("if", "device"))
    related = ((read.span, f"the host reads the old values of `{name}` here"),)
    return Finding(write.span, message, "hint" if weak else "warning", related, changes)


RULE = Rule(
    id="to-write-lost",
    severity="warning",
    group="mapping",
    title="A target region writes data that is mapped `to` only, and the host reads it afterwards",
    why="""
`map(to: x)` copies x to the device at the start of the region and nothing back at its end. When no enclosing data
environment holds x, what the region writes is gone with the device's copy. A result needs `map(from: x)` or
`map(tofrom: x)`.
""",
    section="5.8.3",
    bad=(
        """
int f(int n) {
    int a[10] = {1, 2, 3};
    #pragma omp target teams distribute parallel for map(to: a)
    for (int i = 0; i < 10; i++)
        a[i] = 2 * a[i];
    //  ^^^^ warning: what the region writes to `a` is not copied back: `map(to: …)` copies to the device only
    return a[n];
}
""",
        """
void *malloc(unsigned long);
double f(int n, double *x) {
    double *y = malloc(n * sizeof(double)), sum = 0;
    #pragma omp target teams distribute parallel for map(to: x[0:n], y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
    //  ^^^^ warning: what the region writes to `y` is not copied back: `map(to: …)` copies to the device only
    for (int i = 0; i < n; i++)
        sum += y[i];
    return sum;
}
""",
        """
int f(int *x) {
    int shares = 0;
    #pragma omp target map(to: shares)
    shares = 1;
//  ^^^^^^ hint: what the region writes to `shares` is not copied back: `map(to: …)` copies to the device only
    return shares;
}
""",
    ),
    good=(
        """
#pragma omp requires reverse_offload
int f(void) {
    int a[10] = {1};
    #pragma omp target map(to: a)
    {
        #pragma omp target device(ancestor: 1) map(always, to: a)
        a[0] = 2;
    }
    return a[0];
}
""",
        """
#pragma omp requires reverse_offload
void add(int *, int *);
#pragma omp declare target(add)
int f(void) {
    int a[10] = {1}, b[10] = {2};
    #pragma omp target map(to: a) map(tofrom: b)
    add(b, a);
    #pragma omp target device(ancestor: 1) map(to: b)
    b[0] = 2;
    return a[0] + b[0];
}
""",
        """
int f(void) {
    int a[10] = {1, 2, 3};
    #pragma omp target map(to: a) map(from: a)
    a[0] = 1;
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target map(to: a)
        a[0] = 2 * a[1];
    }
    return a[0];
}
""",
        """
int f(int n, int *x) {
    int scratch[10] = {0}, result;
    #pragma omp target map(to: scratch, x[0:n]) map(from: result)
    { scratch[x[0]] = 1; x[1] = 3; result = scratch[x[2]]; }
    for (int i = 0; i < 10; i++)
        scratch[i] = 0;
    return result + scratch[1] + x[1];
}
""",
        """
int f(void) {
    int a[10] = {1, 2, 3};
    #pragma omp target enter data map(to: a)
    #pragma omp target map(to: a)
    a[0] = 1;
    #pragma omp target exit data map(from: a)
    return a[0];
}
""",
        """
void reset(int *);
int f(void) {
    int a[10] = {1}, b[2] = {1};
    #pragma omp target map(to: a, b)
    { a[0] = 1; b[0] = 1; }
    reset(a);
    return a[0];
}
""",
        """
#pragma omp requires unified_shared_memory
int f(void) {
    int a[10] = {1};
    #pragma omp target map(to: a)
    a[0] = 1;
    return a[0];
}
""",
    ),
    check=check,
)
