"""A call on the device through a function pointer that the host set."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import changed_by
from ompls.analysis.model.ast import Expr, FunctionDef, Node, Span, Symbol, walk_all
from ompls.analysis.model.ctype import Array, Enum, Floating, Integer, Pointer
from ompls.analysis.model.peel import peel, strip
from ompls.analysis.model.tu import Content, Region
from ompls.analysis.rules.support.callers import calls_of, direct_callers
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import regions_of

_KEY = "function values"
_Value = tuple[Content, ast.Name]  # a function's name where its address is taken
_DEVICE_CLAUSES = ("if", "device")  # the region may run on the host


def check(scene: Scene) -> Iterator[Finding]:
    """A warning where all that was ever stored in the pointer are addresses of functions that host code took.

    Only local variables and the parameters of `static` functions are followed: everybody who sets them is known.  A
    variable that device code sets, or whose address goes elsewhere, may hold a device's address: silence.  So may one
    of `is_device_ptr`; and with `indirect` the call is right (5.2 §7.8).
    """
    if scene.content is None or scene.function is None or scene.function.symbol.declare_target:
        return
    for region in regions_of(scene):
        clause = region.directive.clause(*_DEVICE_CLAUSES)
        if clause is not None or region.tainted or any(s.name == "omp_is_initial_device" for s in region.calls):
            continue
        reported: set[Symbol] = set()
        for call in _pointer_calls(region):
            symbol = root(call.function)
            if symbol is None or symbol in reported or not _from_host(region, symbol):
                continue
            values = _values(scene, scene.content, symbol)
            if values and all(_host_only(scene, name.name) for _, name in values):
                reported.add(symbol)
                yield _finding(scene.content, call.function, symbol, values)


def _host_only(scene: Scene, name: str) -> bool:
    """Whether the host's address is of no use to devices: of other units' functions that is said where they are."""
    unit = scene.unit
    return name in unit.functions and name not in unit.told.indirect | unit.told.variants


def _finding(home: Content, function: Expr, symbol: Symbol, values: list[_Value]) -> Finding:
    name = values[0][1]
    message = (
        f"`{symbol.name}` holds the host's address of `{name.name}`, which a device cannot call without `indirect`"
    )
    here = tuple((Span(*n.span), "its address is taken on the host here") for c, n in values if c is home)
    away = tuple((c, Span(*n.span), "its address is taken on the host here") for c, n in values if c is not home)
    return Finding(function.span, message, "warning", here, elsewhere=away)


def _pointer_calls(region: Region) -> Iterator[ast.Call]:
    """The calls in a region that do not say which function they call."""
    for node in region.stmt.nodes(ast.Call):
        called = strip(node.function)
        if not (isinstance(called, ast.Name) and (called.symbol is None or called.symbol.kind == "func")):
            yield node


def _from_host(region: Region, symbol: Symbol) -> bool:
    """Whether the region works with the value, or a copy of the value, that the host has in the variable."""
    variable = region.variable(symbol)
    return variable is not None and variable.sharing in ("firstprivate", "mapped") and symbol.level != "file"


def _values(scene: Scene, content: Content, symbol: Symbol) -> list[_Value]:
    """The functions whose addresses the variable may hold; [] when it may hold anything else."""
    own = _stored(content)
    found = own.get(symbol, [])
    if found is None:
        return []
    values = [(content, name) for name in found]
    if symbol.kind == "param":
        return [] if symbol in own else _passed(scene, content, symbol)
    return values


def _passed(scene: Scene, content: Content, symbol: Symbol) -> list[_Value]:
    """The functions that host code passes for the parameter, [] unless each of the known calls passes one."""
    assert isinstance(content.node, FunctionDef)
    if symbol not in content.node.params:
        return []
    at, values = content.node.params.index(symbol), list[_Value]()
    for caller in direct_callers(content, scene.unit):
        for call in calls_of(caller, content.node.symbol.name):
            names = _functions(call.args[at]) if at < len(call.args) else None
            if not names or _in_region(caller, call):
                return []
            values += [(caller, name) for name in names]
    return values


def _in_region(content: Content, node: Node) -> bool:
    return any(r.stmt.span.start <= node.span.start < r.stmt.span.end for r in content.regions)


def _stored(content: Content) -> dict[Symbol, list[ast.Name] | None]:
    """The functions whose addresses host code stores in each variable; None: something else may be stored there."""
    kept: dict[Symbol, list[ast.Name] | None] | None = content.memo.get(_KEY)
    if kept is None:
        kept = {}
        for node in walk_all(content.node):
            if isinstance(node, ast.VarDecl) and node.init is not None:
                _store(kept, content, node.symbol, node.init)
            elif isinstance(node, ast.Assign):
                _store(kept, content, root(node.target), node.value)
            elif (lost := changed_by(node)) is not None:
                _lose(kept, lost)
            elif isinstance(node, ast.Call):
                for arg in node.args:
                    _lose_array(kept, arg)
        content.memo[_KEY] = kept
    return kept


def _store(kept: dict[Symbol, list[ast.Name] | None], content: Content, symbol: Symbol | None, value: Expr) -> None:
    _lose_array(kept, value)
    if symbol is None:
        return
    names, before = _functions(value), kept.get(symbol, [])
    lost = names is None or before is None or _in_region(content, value)
    kept[symbol] = None if lost else [*(before or []), *(names or [])]


def _lose(kept: dict[Symbol, list[ast.Name] | None], expr: Expr) -> None:
    symbol = root(expr)
    if symbol is not None:
        kept[symbol] = None


def _lose_array(kept: dict[Symbol, list[ast.Name] | None], value: Expr) -> None:
    """An array as a value is its address: somebody else may store there."""
    if isinstance(value.type, Array):
        _lose(kept, value)


def _functions(value: Expr) -> list[ast.Name] | None:
    """The functions whose addresses a value is made of; [] for data; None: it may be, or hold, any function's."""
    value = peel(value, ops="&")
    if isinstance(value, ast.Cast):
        inner = strip(value)
        data = isinstance(inner.type, (Integer, Floating)) and not isinstance(inner, ast.IntLiteral)
        return None if data and isinstance(value.to, Pointer) else _functions(inner)
    if isinstance(value, ast.Name) and value.symbol is not None and value.symbol.kind == "func":
        return [value]
    if isinstance(value, (ast.InitList, ast.Conditional)):
        parts = value.elements if isinstance(value, ast.InitList) else [value.then, value.otherwise]
        lists = [_functions(part) if part is not None else None for part in parts]
        return None if any(names is None for names in lists) else [n for names in lists for n in names or ()]
    return [] if _data(value) else None


def _data(value: Expr) -> bool:
    t = value.type
    if isinstance(t, (Pointer, Array)):
        t = t.to if isinstance(t, Pointer) else t.of
    return isinstance(t, (Integer, Floating, Enum))


RULE = Rule(
    id="indirect-call-on-device",
    severity="warning",
    group="declare-target",
    title="A function pointer of the host is called on a device",
    why="""
The address of a function that the host takes is the address of the host's code. A device cannot run that: it calls into nowhere. The
host's address means the device's version only if the function is in a `declare target` with `indirect` (OpenMP 5.1); an address that
device code takes itself is the device's.
""",
    section="7.8",
    about="regions",
    bad=(
        """
static int square(int v) { return v * v; }
static int negate(int v) { return -v; }
int apply(int which, int v) {
    int (*f)(int) = which ? square : negate;
    int r;
    #pragma omp target map(from: r)
    r = f(v);
    //  ^ warning: `f` holds the host's address of `square`, which a device cannot call without `indirect`
    return r;
}
""",
        """
static int plus_one(int v) { return v + 1; }
static void for_each(int *v, int n, int (*visit)(int)) {
    #pragma omp target map(tofrom: v[0:n])
    for (int i = 0; i < n; i++)
        v[i] = visit(v[i]);
    //         ^^^^^ warning: `visit` holds the host's address of `plus_one`, which a device cannot call without `indirect`
}
void f(int *v) { for_each(v, 8, plus_one); }
""",
        """
struct material { double c; double (*law)(double); };
static double linear(double x) { return 3 * x; }
double f(void) {
    struct material m = {2.0, linear};
    double y;
    #pragma omp target map(to: m) map(from: y)
    y = m.c * m.law(1.0);
    //        ^^^^^ warning: `m` holds the host's address of `linear`, which a device cannot call without `indirect`
    return y;
}
""",
        """
static double add(double a, double b) { return a + b; }
static double sub(double a, double b) { return a - b; }
void f(double *r) {
    double (*ops[2])(double, double) = {add, &sub};
    #pragma omp target map(from: r[0:2]) map(to: ops)
    for (int i = 0; i < 2; i++)
        r[i] = (*ops[i])(5.0, 3.0);
    //         ^^^^^^^^^ warning: `ops` holds the host's address of `add`, which a device cannot call without `indirect`
}
""",
    ),
    good=(
        """
extern int func(void);  // `indirect` where it is defined
int f(void) {
    int (*p)(void) = &func, r;
    #pragma omp target map(from: r)
    r = p();
    return r;
}
""",
        """
int square(int v) { return v * v; }
#pragma omp declare target enter(square) indirect
int f(int v) {
    int (*p)(int) = square;
    int r;
    #pragma omp target map(from: r)
    r = p(v);
    return r;
}
""",
        """
static int square(int v) { return v * v; }
int f(int v) {
    int (*p)(int) = 0, r;
    #pragma omp target map(from: p)
    p = square;
    #pragma omp target map(from: r)
    r = p(v);
    return r;
}
""",
        """
static int square(int v) { return v * v; }
int f(int v) {
    int r;
    #pragma omp target map(from: r)
    { int (*p)(int) = square; r = p(v); }
    return r;
}
""",
        """
static int square(int v) { return v * v; }
void on_device(int (**)(int));
int f(int v) {
    int (*p)(int) = square, r;
    on_device(&p);
    #pragma omp target map(from: r)
    r = p(v);
    return r;
}
""",
        """
static int square(int v) { return v * v; }
int f(int v) {
    int (*p)(int) = square, r = p(v);
    #pragma omp target map(tofrom: r)
    r += square(v);
    return p(r);
}
""",
        """
static int square(int v) { return v * v; }
int f(int v, int offload) {
    int (*p)(int) = square, r;
    #pragma omp target if(offload) map(from: r)
    r = p(v);
    return r;
}
""",
        """
int f(int v, int (*callback)(int)) {
    int r;
    #pragma omp target map(from: r)
    r = callback(v);
    return r;
}
""",
        """
static int square(int v) { return v * v; }
static int call(int (*p)(int), int v) { return p(v); }
int f(int v) {
    int r;
    #pragma omp target map(from: r)
    r = call(square, v);
    return r;
}
""",
    ),
    check=check,
)
