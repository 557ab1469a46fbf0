"""A global variable that a device function uses, and that no device has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ompls.analysis.dataenv.private import loop_variables
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol, walk_all
from ompls.analysis.model.ctype import CType, innermost
from ompls.analysis.model.tu import Content, Region
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.limits import called, regions_of

_KEY = "globals"


def check(scene: Scene) -> Iterator[Finding]:
    """In a region itself a global is mapped like any variable (5.2 §5.8.1); in a function it calls there is no map.

    The function becomes `declare target` by the call (5.2 §7.8), the variable does not: no device image links. A hint
    where the region may stay on the host, where a variant may take the call, and where memory is shared.
    """
    function = scene.function
    if function is not None and _declared(scene, function.symbol) and scene.content is not None:
        for name in _globals(scene, scene.content):
            message = f"`{name.name}` is not in a `declare target`, but `{function.symbol.name}`, which is, uses it"
            yield Finding(name.span, message, "warning", (), _declared_too(name.name))
    told: dict[str, Finding] = {}
    for region in regions_of(scene):
        for call, content in called(scene, region):
            node = content.node
            if not isinstance(node, ast.FunctionDef) or _declared(scene, node.symbol):
                continue
            for name in _globals(scene, content)[:1]:
                said = told.get(name.name)
                severity: Severity = "warning" if _certain(scene, region, content) else "hint"
                if said is not None and severity in (said.severity, "hint"):
                    also = (call.span, f"`{node.symbol.name}` uses it, too")
                    told[name.name] = replace(said, related=(*said.related, also))
                    continue
                message = (
                    f"`{node.symbol.name}` uses `{name.name}`, of which devices have no copy without `declare target`"
                )
                used = ((content, name.span, "used here"),)
                told[name.name] = Finding(call.span, message, severity, (), _declared_too(name.name), elsewhere=used)
    yield from told.values()


def _declared_too(name: str) -> tuple[Change, ...]:
    directive = f"#pragma omp declare target({name})"
    return (Change(f"Insert `{directive}`", Span(0, 0), directive, safe=False, behind=name),)


def _certain(scene: Scene, region: Region, content: Content) -> bool:
    unit = scene.unit
    return not (
        region.tainted
        or content.tainted
        or not unit.complete_headers
        or unit.settings.openmp < "5.0"  # then the call itself is the mistake
        or unit.told.requires & {"unified_shared_memory", "self_maps"}
        or region.directive.clause("if", "device") is not None
        or unit.told.variants
        or any(s.name == "omp_is_initial_device" for s in (*region.calls, *content.calls))
    )


def _declared(scene: Scene, function: Symbol) -> bool:
    at_end = scene.unit.symbols.get(function.name, function)
    return bool(function.declare_target or at_end.declare_target)


def _globals(scene: Scene, content: Content) -> list[ast.Name]:
    """The first use of each file-scope variable that has no copy on devices and is no constant."""
    kept: dict[str, ast.Name] | None = content.memo.get(_KEY)
    if kept is None:
        kept = {}
        nodes = list(walk_all(content.node))
        sizes = (n.operand for n in nodes if isinstance(n, ast.SizeOf) and n.operand is not None)
        other = _loop_uses(content) | {id(n) for operand in sizes for n in operand.walk()}
        for node in nodes:
            if not isinstance(node, ast.Name) or id(node) in other:
                continue
            if node.symbol is not None and _variable(node.symbol):
                kept.setdefault(node.name, node)
        content.memo[_KEY] = kept
    found = []
    for name, use in kept.items():
        at_end = scene.unit.symbols.get(name, use.symbol)
        assert use.symbol is not None
        if not use.symbol.declare_target and not (at_end is not None and at_end.declare_target):
            found.append(use)
    return [use for use in found if use.name not in scene.unit.told.threadprivate and not _beside_host(content, use)]


def _loop_uses(content: Content) -> set[int]:
    """Uses of iteration variables in their constructs: these are private copies."""
    found: set[int] = set()
    for stmt in content.directives:
        private = set(loop_variables(stmt.directive, stmt.body))
        if private and stmt.body is not None:
            found |= {id(n) for n in stmt.body.walk() if isinstance(n, ast.Name) and n.symbol in private}
    return found


def _beside_host(content: Content, use: ast.Name) -> bool:
    """Whether the use is in a target region of the function, where the variable is mapped."""
    return any(r.stmt.span.start <= use.span.start < r.stmt.span.end for r in content.regions)


def _variable(symbol: Symbol) -> bool:
    return (
        symbol.kind == "var"
        and symbol.level == "file"
        and not symbol.from_system_header
        and not symbol.thread_local
        and not _constant(symbol.type)
    )


def _constant(t: CType) -> bool:
    return "const" in innermost(t).quals


RULE = Rule(
    id="undeclared-device-variable",
    severity="warning",
    group="declare-target",
    title="A global variable without a device version is used on a device",
    why="""
Functions that a region calls are compiled for devices by themselves since OpenMP 5.0; the global variables they use are not. Such
a variable has to be in a `declare target` directive, or passed to the function.
""",
    section="7.8",
    bad=(
        """
static double weights[8];
static double one(int i) { return weights[i] + weights[i + 1]; }
static double two(int i) { return 2 * weights[i]; }
void f(double *s) {
    #pragma omp target map(tofrom: s[0:1])
    s[0] = one(1) + two(2) + one(3);
    //     ^^^ warning: `one` uses `weights`, of which devices have no copy without `declare target`
    #pragma omp target map(tofrom: s[0:1])
    s[0] += one(1) + two(2);
}
""",
        """
int limit = 8;
#pragma omp begin declare target
int clamp(int v) { return v > limit ? 8 : v; }
//                            ^^^^^ warning: `limit` is not in a `declare target`, but `clamp`, which is, uses it
#pragma omp end declare target
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = clamp(x[i]);
}
""",
        """
static int limit = 8;
static int inner(int v) { limit++; return v; }
static int clamp(int v) { return inner(v); }
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = clamp(x[i]);
    //                                 ^^^^^ warning: `inner` uses `limit`, of which devices have no copy without `declare target`
}
""",
        """
static int limit = 8;
static int clamp(int v) { return v > limit ? 8 : v; }
void f(int n, int *x) {
    #pragma omp target if(n > 100) map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = clamp(x[i]);
    //                                 ^^^^^ hint: `clamp` uses `limit`, of which devices have no copy without `declare target`
}
""",
    ),
    good=(
        """
static int table[4];
static int size(void) { return sizeof table / sizeof table[0]; }
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = size();
}
""",
        """
int i;
#pragma omp begin declare target
void fill(int n, int *x) {
    #pragma omp distribute parallel for
    for (i = 0; i < n; i++)
        x[i] = i;
}
#pragma omp end declare target
""",
        """
#pragma omp begin declare target
int limit = 8;
int clamp(int v) { return v > limit ? limit : v; }
#pragma omp end declare target
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = clamp(x[i]);
}
""",
        """
int limit = 8;
int clamp(int v);
#pragma omp declare target enter(limit, clamp)
int clamp(int v) { return v > limit ? limit : v; }
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = clamp(x[i]);
}
""",
        """
static int limit = 8;
static int clamp(int v, int most) { return v > most ? most : v; }
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = clamp(x[i], limit);
}
""",
        """
static const int limit = 8;
static const double table[2] = {1, 2};
enum { MOST = 3 };
static int clamp(int v) { return v > limit ? (int)table[0] : MOST; }
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = clamp(x[i]);
}
""",
        """
static int limit = 8;
static int clamp(int v) { return v > limit ? limit : v; }
int f(int n) { return clamp(n); }
""",
        """
static int limit = 8;
static int clamp(int limit) { return limit > 3 ? 3 : limit; }
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] = clamp(x[i]);
}
""",
        """
int total;
#pragma omp declare target link(total)
static void add(int v) { total += v; }
void f(int n, int *x) {
    #pragma omp target map(tofrom: total, x[0:n])
    for (int i = 0; i < n; i++) add(x[i]);
}
""",
    ),
    check=check,
)
