"""A list item of a target construct's `map` clause that nothing in the region uses."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.paths import holds_pointers, named_in, root
from ompls.analysis.model.ast import Call, DirectiveStmt, Name, Node, Symbol
from ompls.analysis.model.ctype import CType, Pointer
from ompls.analysis.model.omp import Clause, ListItem
from ompls.analysis.model.tu import Region
from ompls.analysis.rules.support.edits import without_item
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.kernel import trustworthy

_COPIES = ("", "to", "from", "tofrom")


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    for region in content.regions if content is not None else ():
        clauses = [c for c in region.directive.all("map") if _copies(c)]
        if not clauses or not trustworthy(content, region):
            continue
        named, calls = _names_in(region)
        unused: dict[Symbol, tuple[Clause, ListItem]] = {}
        for clause in clauses:
            for item in clause.items:
                symbol = item.symbol or root(item.expr)
                if symbol is None or symbol in named or (calls and symbol.level == "file") or symbol.declare_target:
                    continue
                unused.setdefault(symbol, (clause, item))
        if unused and any(_leads_elsewhere(s.type) for s in named):
            continue
        for clause, item in unused.values():
            message = f"nothing in this region uses `{name_of(item.expr)}`: it is mapped for nothing"
            removed = without_item(region.directive, clause, item, safe=False)
            yield Finding(item.span, message, "hint", (), (removed,))


def _copies(clause: Clause) -> bool:
    """`always` and `present` say that the map is there for its effect."""
    return clause.keyword in _COPIES and not {"always", "present"}.intersection(clause.modifiers)


def _names_in(region: Region) -> tuple[set[Symbol], bool]:
    """The variables that the region's body, and clauses other than `map`, name; and whether it calls functions."""
    stmt = region.stmt
    inner = [n for s in stmt.nodes(DirectiveStmt) if s is not stmt for n in _in_clauses(s)]
    named = {n.symbol for n in (*stmt.nodes(Name), *inner) if isinstance(n, Name) and n.symbol is not None}
    for clause in region.directive.clauses:
        if clause.name == "shared":
            continue  # what it lists is named, and not used by that
        if clause.name != "map":
            for node in (*clause.args, *(i.expr for i in clause.items)):
                named |= named_in(node)
        else:  # `map(x[0:n])` names n, `map(p->data[0:n])` and `map(*p)` belong to the same variable
            for item in clause.items:
                base = item.symbol or root(item.expr)
                named |= named_in(item.expr) - {base}
    return named, bool(region.calls or stmt.nodes(Call)) or any(isinstance(n, Call) for n in inner)


def _in_clauses(stmt: DirectiveStmt) -> Iterator[Node]:
    for clause in (c for c in stmt.directive.clauses if c.name != "shared"):
        for expr in (*(i.expr for i in clause.items), *clause.args):
            yield from expr.walk()


def _leads_elsewhere(t: CType) -> bool:
    """Whether data of this type, or what it points to, may hold pointers to other mapped data."""
    return holds_pointers(t.to if isinstance(t, Pointer) else t)


RULE = Rule(
    id="unused-map",
    severity="hint",
    title="A mapped variable that the region does not use",
    why="""
A `map` clause moves its list items whether the region uses them or not. What is mapped for a later region belongs on a
`target data` or `target enter data` construct around both.
""",
    section="5.8.3",
    group="performance",
    about="regions",
    bad=(
        """
void f(double *a, double *b, double *c) {
    #pragma omp target teams distribute parallel for shared(a, b) map(to: a[0:100], b[0:100]) map(tofrom: c[0:100])
    //                                                                              ^^^^^^^^ hint: nothing in this region uses `b`: it is mapped for nothing
    for (int i = 0; i < 100; i++) c[i] += a[i];
}
""",
        """
void scale(int n, double *x, double *y) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) map(to: y[0:n])
    //                                                                           ^^^^^^ hint: nothing in this region uses `y`: it is mapped for nothing
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
static int table[64];
void fill(int n, int *x) {
    #pragma omp target map(from: x[0:n]) map(to: table)
    //                                           ^^^^^ hint: nothing in this region uses `table`: it is mapped for nothing
    for (int i = 0; i < n; i++) x[i] = i;
}
""",
    ),
    good=(
        """
void scale(int n, double *x, double *y) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n]) map(to: y[0:n])
    for (int i = 0; i < n; i++) x[i] *= y[i];
}
""",
        """
static int table[64];
static int look(int i) { return table[i % 64]; }
void fill(int n, int *x) {
    #pragma omp target map(from: x[0:n]) map(to: table)
    for (int i = 0; i < n; i++) x[i] = look(i);
}
""",
        """
struct mesh { int n; double *data; };
void f(struct mesh *m, double *data) {
    #pragma omp target map(tofrom: m[0:1]) map(tofrom: data[0:m->n])
    m->data[0] = 1;
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp target data map(to: y[0:n])
    {
        #pragma omp target map(tofrom: x[0:n])
        for (int i = 0; i < n; i++) x[i] *= 2;
    }
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp target map(tofrom: x[0:n]) map(always, from: y[0:n])
    for (int i = 0; i < n; i++) x[i] *= 2;
}
""",
        """
void f(int n, double *x, int *length) {
    #pragma omp target map(tofrom: x[0:n]) map(to: length[0:1])
    for (int i = 0; i < *length; i++) x[i] *= 2;
}
""",
    ),
    check=check,
)
