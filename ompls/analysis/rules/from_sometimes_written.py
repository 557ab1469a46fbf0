"""An item that a region maps `from` and gives values to only where a condition on data holds.

A hint: whoever reads the result may ask the same condition, or it holds everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access, accesses
from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.paths import root
from ompls.analysis.model.ast import Index, Member, Node, Symbol, Unary
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import trustworthy
from ompls.analysis.rules.support.noticed import other_type

_BRING = frozenset(("map", "to", "enter"))


def check(scene: Scene) -> Iterator[Finding]:
    for region in scene.content.regions if scene.content is not None else ():
        clauses = [c for c in region.directive.all("map") if c.keyword == "from"]
        if not clauses or not trustworthy(scene.content, region):
            continue
        used = accesses(region.stmt, scene.unit.functions)
        for item in (item for clause in clauses for item in clause.items):
            symbol = item.symbol or root(item.expr)
            guard = _under(symbol, used) if symbol is not None else None
            if symbol is None or guard is None or _brought(scene, region, symbol):
                continue
            name = name_of(item.expr)
            message = (
                f"`{name}` comes back as a whole, but is given values only where a condition holds: the rest is garbage"
            )
            fix = other_type(scene, item.span, item.text, "tofrom")
            yield Finding(item.span, message, "hint", ((guard.expr.span, "the condition"),), fix)


def _under(symbol: Symbol, used: list[Access]) -> Guard | None:
    """The condition on data that all writes of the variable are under, all on one side of it; None: there is none."""
    pointer = isinstance(symbol.type, Pointer)
    mine = [a for a in used if a.symbol is symbol and not a.clause and (a.depth or not pointer)]
    guards = [next((g for g in a.guards if not g.passed and _is_on_data(g.expr)), None) for a in mine if a.write]
    first = guards[0] if guards else None
    if first is None or any(_is_elsewhere(a) for a in mine):
        return None
    alike = all(g is not None and (g.stmt, g.holds, g.part) == (first.stmt, first.holds, first.part) for g in guards)
    return first if alike else None


def _is_elsewhere(access: Access) -> bool:
    """Whether an access is no plain write of an element that is known: a counter may choose it, and say how many there are."""
    return access.read or not access.certain or access.home is not None or None in access.subscripts


def _is_on_data(expr: Node) -> bool:
    """Whether a condition reads what differs from element to element: not the bounds of a loop, nor a flag."""
    return any(
        isinstance(n, Index) or (isinstance(n, Unary) and n.op == "*") or (isinstance(n, Member) and n.arrow)
        for n in expr.walk()
    )


def _brought(scene: Scene, region: Region, symbol: Symbol) -> bool:
    """Whether another directive of the function gives the device values of the variable."""
    others = (d for d in scene.directives if d is not region.directive)
    return any(
        (i.symbol or root(i.expr)) is symbol for d in others for c in d.clauses if c.name in _BRING for i in c.items
    )


RULE = Rule(
    id="from-sometimes-written",
    severity="hint",
    group="mapping",
    title="What is mapped `from` is written only where a condition holds",
    why="""
`map(from: x)` makes storage without values on the device and copies all of it back. Elements that the region passes over
(by an `if`, a `continue`, a `switch`) come back as garbage, over the host's values. Map it `tofrom`, or write the others, too. It is
a hint: the condition may hold for all elements, and who reads the result may ask the same. What is stored in an array is not computed here,
so that also a program that certainly passes over an element, and reads it, gets no more than the hint. Where a counter chooses the element
(`y[count++] = x[i]`), nothing is said: the counter tells how many there are.
""",
    section="5.8.3",
    about="regions",
    bad=(
        """
void f(const int *c, double *y, double *z, double *w) {
    #pragma omp target teams distribute parallel for map(to: c[0:100]) map(from: y[0:100])
    //                                                                           ^^^^^^^^ hint: `y` comes back as a whole, but is given values only where a condition holds: the rest is garbage
    for (int i = 0; i < 100; i++)
        if (c[i]) y[i] = 1;
    #pragma omp target teams distribute parallel for map(to: c[0:100]) map(from: z[0:100])
    //                                                                           ^^^^^^^^ hint: `z` comes back as a whole, but is given values only where a condition holds: the rest is garbage
    for (int i = 0; i < 100; i++) {
        if (!c[i]) continue;
        z[i] = 1;
    }
    #pragma omp target teams distribute parallel for map(to: c[0:100]) map(from: w[0:100])
    //                                                                           ^^^^^^^^ hint: `w` comes back as a whole, but is given values only where a condition holds: the rest is garbage
    for (int i = 0; i < 100; i++)
        switch (c[i]) {
        case 1: w[i] = 1; break;
        default: break;
        }
}
""",
    ),
    good=(
        """
int f(int n, const double *x, double *y, double *z) {
    int count = 0, same = 0;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n]) map(tofrom: count)
    for (int i = 0; i < n; i++)
        if (x[i] > 0) {
            int at;
            #pragma omp atomic capture
            at = count++;
            y[at] = x[i];
        }
    #pragma omp target map(to: x[0:n]) map(from: z[0:n]) map(tofrom: same)
    for (int i = 0; i < n; i++)
        if (x[i] > 0) z[same++] = x[i];
    return count;
}
""",
        """
void f(const int *c, double *y) {
    #pragma omp target teams distribute parallel for map(to: c[0:100]) map(tofrom: y[0:100])
    for (int i = 0; i < 100; i++)
        if (c[i]) y[i] = 1;
}
""",
        """
void f(const int *c, double *y, double *z) {
    #pragma omp target teams distribute parallel for map(to: c[0:100]) map(from: y[0:100], z[0:100])
    for (int i = 0; i < 100; i++) {
        if (c[i]) y[i] = 1;
        else y[i] = 2;
        if (c[i] > 3) { z[i] = 1; continue; }
        z[i] = 2;
    }
}
""",
        """
void f(const int *c, double *y) {
    #pragma omp target teams distribute parallel for map(to: c[0:100]) map(from: y[0:100])
    for (int i = 0; i < 100; i++) {
        y[i] = 0;
        if (c[i]) y[i] = 1;
    }
}
""",
        """
void f(int n, double *y) {
    #pragma omp target teams distribute parallel for map(from: y[0:n])
    for (int i = 0; i < 128; i++)
        if (i < n) y[i] = 1;
}
""",
        """
void f(const int *c, double *y) {
    #pragma omp target data map(tofrom: y[0:100])
    {
        #pragma omp target teams distribute parallel for map(to: c[0:100]) map(from: y[0:100])
        for (int i = 0; i < 100; i++)
            if (c[i]) y[i] = 1;
    }
}
""",
        """
void f(const int *c, double *y) {
    #pragma omp target teams distribute parallel for map(to: c[0:100]) map(from: y[0:100])
    for (int i = 0; i < 100; i++) y[c[i]] = i;
}
""",
    ),
    check=check,
)
