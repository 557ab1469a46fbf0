"""A `declare target link` variable that a region reaches through a call and that nothing has mapped."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ast import walk_all
from ompls.analysis.model.tu import Content, Region
from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import called, regions_of

_KEY = "links"


def check(scene: Scene) -> Iterator[Finding]:
    """A region that names the variable maps it by that (5.2 §5.8.1); one that calls a function which names it does not.

    A warning for a `static` variable, or one of a program that is all here: no other unit can map it, and here no data
    environment does.  Any other variable may be mapped elsewhere, and a condition may keep the region on the host: hints.
    """
    told = scene.unit.told
    if not told.unmapped_links or told.requires & {"unified_shared_memory", "self_maps"}:
        return
    for region in regions_of(scene):
        mapped = {v.symbol.name for v in region.variables}
        for call, content in called(scene, region):
            node = content.node
            for name in _uses(content) if isinstance(node, ast.FunctionDef) else ():
                symbol = name.symbol
                if name.name in told.unmapped_links - mapped and symbol is not None and symbol.level == "file":
                    message = f"this call uses `{name.name}`, a `link` variable that is not mapped to the device here"
                    certain = name.name in told.own_links and _certain(scene, region, content)
                    used = ((content, name.span, "used here"),)
                    fix = (with_clause(region.directive, f"map(tofrom: {name.name})", safe=certain),)
                    yield Finding(call.span, message, "warning" if certain else "hint", (), fix, elsewhere=used)
                    mapped.add(name.name)


def _certain(scene: Scene, region: Region, content: Content) -> bool:
    on_host = region.directive.clause("if", "device") is not None
    asks = any(s.name == "omp_is_initial_device" for s in (*region.calls, *content.calls))
    return not (region.tainted or content.tainted or on_host or asks or scene.unit.told.variants)


def _uses(content: Content) -> list[ast.Name]:
    """The first use of each file-scope variable that is evaluated; kept with the declaration."""
    kept: dict[str, ast.Name] | None = content.memo.get(_KEY)
    if kept is None:
        kept = {}
        nodes = list(walk_all(content.node))
        sizes = (n.operand for n in nodes if isinstance(n, ast.SizeOf) and n.operand is not None)
        unevaluated = {id(n) for operand in sizes for n in operand.walk()}
        for n in (n for n in nodes if isinstance(n, ast.Name)):
            symbol = n.symbol if id(n) not in unevaluated else None
            if symbol is not None and symbol.kind == "var" and symbol.level == "file":
                kept.setdefault(symbol.name, n)
        content.memo[_KEY] = kept
    return list(kept.values())


RULE = Rule(
    id="link-variable-unmapped",
    severity="warning",
    group="declare-target",
    title="A `link` variable is used in a region that did not map it",
    why="""
A device holds no storage for a `declare target link` variable, only a pointer that a map sets. A region that names the variable maps
it implicitly; a region that merely calls a function which uses it does not, and the function follows a null pointer.
""",
    section="7.8",
    about="regions",
    bad=(
        """
static int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = at(0);
    //     ^^ warning: this call uses `big`, a `link` variable that is not mapped to the device here
}
""",
        """
static double sum;
#pragma omp declare target link(sum)
static void inner(double v) { sum += v; }
static void add(double v) { inner(v); }
void f(int n, double *x) {
    #pragma omp target data map(to: x[0:n])
    #pragma omp target
    for (int i = 0; i < n; i++)
        add(x[i]);
    //  ^^^ warning: this call uses `sum`, a `link` variable that is not mapped to the device here
}
""",
        """
int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = at(0);
    //     ^^ hint: this call uses `big`, a `link` variable that is not mapped to the device here
}
""",
        """
int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
int main(void) {
    int x = 0;
    for (int i = 0; i < 1000; i++)
        big[i] = i;
    #pragma omp target map(tofrom: x)
    x = at(9);
    //  ^^ warning: this call uses `big`, a `link` variable that is not mapped to the device here
    return x;
}
""",
        """
int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
void upload(void);
int main(void) {
    int x = 0;
    upload();
    #pragma omp target map(tofrom: x)
    x = at(9);
    //  ^^ hint: this call uses `big`, a `link` variable that is not mapped to the device here
    return x;
}
""",
        """
static int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
int main(void) {
    int x = 0, *all = big;
    #pragma omp target data map(to: all[0:1000])
    #pragma omp target map(tofrom: x)
    x = at(9);
    //  ^^ hint: this call uses `big`, a `link` variable that is not mapped to the device here
    return x;
}
""",
    ),
    good=(
        """
static int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1]) map(to: big)
    x[0] = at(0);
}
""",
        """
static int big[1000];
#pragma omp declare target link(big)
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = big[0];
}
""",
        """
static int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
void init(void) {
    #pragma omp target enter data map(to: big)
}
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = at(0);
}
""",
        """
static int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
void f(int n, int *x) {
    #pragma omp target data map(to: big)
    for (int i = 0; i < n; i++) {
        #pragma omp target map(tofrom: x[i:1])
        x[i] = at(i);
    }
}
""",
        """
static int big[1000];
#pragma omp declare target enter(big)
static int at(int i) { return big[i]; }
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = at(0);
}
""",
        """
static int big[1000];
#pragma omp declare target link(big)
static int length(void) { return sizeof big / sizeof big[0]; }
void f(int *x) {
    #pragma omp target map(tofrom: x[0:1])
    x[0] = length();
}
""",
        """
static int big[1000];
#pragma omp declare target link(big)
static int at(int i) { return big[i]; }
int f(void) { return at(0); }
""",
    ),
    check=check,
)
