"""A pointer member of a structure that a region follows although no directive of the function maps what it points to.

Only structures that nobody else can know of are looked at: local, never passed on, with pointers that the function
itself allocates.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.paths import depth_of, root, walk_all
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol
from ompls.analysis.model.ctype import Pointer, Record
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.device_pointer_absent import SHARED_MEMORY, may_run_on_host
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.storage import source_of, strip


def check(scene: Scene) -> Iterator[Finding]:
    content, function = scene.content, scene.function
    if content is None or function is None or scene.unit.requires & SHARED_MEMORY:
        return
    for region in content.regions:
        for variable in region.variables:
            if isinstance(variable.symbol.type, Record) and variable.sharing in ("mapped", "firstprivate"):
                yield from _variable(function, region, variable)


def _variable(function: ast.FunctionDef, region: Region, variable: Variable) -> Iterator[Finding]:
    symbol = variable.symbol
    if symbol.level != "block" or symbol.storage in ("static", "extern"):
        return
    reported: set[str] = set()
    accesses = (n for n in (*variable.reads, *variable.writes) if isinstance(n, Expr) and depth_of(n) == 1)
    for access in sorted(accesses, key=lambda n: n.span):
        member = _pointer_member(access)
        if member is None or member.field in reported or not _only_allocated_here(function, symbol, member.field):
            continue
        reported.add(member.field)
        name = f"{symbol.name}.{member.field}"
        message = f"what `{name}` points to is not mapped, so the device cannot reach it: mapping `{symbol.name}` maps the pointer only"
        weak = region.tainted or may_run_on_host(region.directive)
        related = ((region.directive.span, f"`{symbol.name}` comes into this region: {variable.why}"),)
        yield Finding(access.span, message, "hint" if weak else "warning", related)


def _pointer_member(access: Expr) -> ast.Member | None:
    """The member whose value an access goes through: `s.p` of `s.p[i]`, `*s.p`, `s.p->x`."""
    access = strip(access)
    if isinstance(access, ast.Index) or (isinstance(access, ast.Member) and access.arrow):
        base = access.base
    elif isinstance(access, ast.Unary) and access.op == "*":
        base = access.operand
    else:
        return None
    base = strip(base)
    direct = isinstance(base, ast.Member) and not base.arrow and isinstance(strip(base.base), ast.Name)
    return base if isinstance(base, ast.Member) and direct and isinstance(base.type, Pointer) else None


def _only_allocated_here(function: ast.FunctionDef, symbol: Symbol, field: str) -> bool:
    """Whether `symbol.field` is set by host allocations alone, and neither it nor the structure goes anywhere."""
    expected: set[Node] = set()  # names that stand in a harmless place
    allocated = False
    for node in walk_all(function.body):
        if isinstance(node, ast.Assign) and node.op == "=" and _is_member(node.target, symbol, field):
            if source_of(node.value) != "host":
                return False
            allocated = True
            expected.add(_name_in(node.target))
        elif isinstance(node, ast.Call) and isinstance(node.function, ast.Name) and node.function.name in _TAKERS:
            expected.update(_name_in(a) for a in map(strip, node.args) if _is_member(a, symbol, field))
        elif isinstance(node, ast.Member) and root(node) is symbol and not _is_member(node, symbol, field):
            inner = strip(node.base)
            if isinstance(inner, ast.Name) and not node.arrow:
                expected.add(inner)  # another member
        elif isinstance(node, Expr) and (member := _pointer_member(node)) is not None:
            if _is_member(member, symbol, field):
                expected.add(_name_in(member))
        elif isinstance(node, ast.DirectiveStmt):
            for clause in node.directive.clauses:
                for item in clause.items:
                    if root(item.expr) is symbol and not isinstance(item.expr, ast.Name):
                        return False
                    expected.add(item.expr)
    names = (n for n in walk_all(function.body) if isinstance(n, ast.Name) and n.symbol is symbol)
    return allocated and all(n in expected for n in names)


_TAKERS = frozenset(("free", "memset", "memcpy", "memmove", "printf", "fprintf"))


def _is_member(expr: Expr, symbol: Symbol, field: str) -> bool:
    expr = strip(expr)
    if not isinstance(expr, ast.Member) or expr.arrow or expr.field != field:
        return False
    base = strip(expr.base)
    return isinstance(base, ast.Name) and base.symbol is symbol


def _name_in(expr: Expr) -> Node:
    """The name at the base of `s.p`."""
    member = strip(expr)
    return strip(member.base) if isinstance(member, ast.Member) else member


RULE = Rule(
    id="member-pointer-absent",
    severity="warning",
    group="mapping",
    title="A target region follows a structure's pointer member whose storage is not on the device",
    why="""
Mapping a structure copies its bytes: a pointer member arrives with the host's address in it. What it points to must be
mapped too (`map(tofrom: s.p[0:n])`, or a `declare mapper`); then the device's member is set to the device's address.
""",
    section="5.8.6",
    bad=(
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
void f(int n) {
    struct field a;
    a.n = n;
    a.values = malloc(n * sizeof(double));
    #pragma omp target map(tofrom: a)
    for (int i = 0; i < a.n; i++)
        a.values[i] = i;
    //  ^^^^^^^^^^^ warning: what `a.values` points to is not mapped, so the device cannot reach it: mapping `a` maps the pointer only
}
""",
        """
void *calloc(unsigned long, unsigned long);
void free(void *);
struct pair { int *left, *right; };
int f(void) {
    struct pair p;
    int sum = 0;
    p.left = calloc(1, sizeof(int));
    p.right = calloc(1, sizeof(int));
    p.left[0] = 3;
    #pragma omp target map(tofrom: sum)
    sum = *p.left + *p.right;
    //    ^^^^^^^ warning: what `p.left` points to is not mapped, so the device cannot reach it: mapping `p` maps the pointer only
    //              ^^^^^^^^ warning: what `p.right` points to is not mapped, so the device cannot reach it: mapping `p` maps the pointer only
    free(p.left);
    free(p.right);
    return sum;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
void f(int n) {
    struct field a;
    a.values = malloc(n * sizeof(double));
    #pragma omp target map(tofrom: a, a.values[0:n])
    a.values[0] = 1;
}
""",
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
void f(int n) {
    struct field a;
    a.values = malloc(n * sizeof(double));
    #pragma omp target enter data map(to: a) map(to: a.values[0:n])
    #pragma omp target
    a.values[0] = 1;
}
""",
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
void upload(struct field *);
void f(int n) {
    struct field a;
    a.values = malloc(n * sizeof(double));
    upload(&a);
    #pragma omp target
    a.values[0] = 1;
}
""",
        """
struct field { double values[10]; int n; };
void f(int n) {
    struct field a;
    #pragma omp target map(tofrom: a)
    a.values[0] = 1;
}
""",
        """
void *malloc(unsigned long);
void *omp_target_alloc(unsigned long, int);
struct field { double *values, *others; };
void f(int n) {
    struct field a;
    double *x = malloc(n * sizeof(double));
    a.values = x;
    a.others = omp_target_alloc(n, 0);
    #pragma omp target map(tofrom: x[0:n])
    { a.values[0] = 1; a.others[0] = 2; }
}
""",
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
void f(int n, struct field *all) {
    struct field a;
    a.values = malloc(n * sizeof(double));
    double *v = a.values;
    #pragma omp target data map(to: v[0:n])
    {
        #pragma omp target
        { a.n = 2; a.values[0] = all->values[0]; }
    }
}
""",
    ),
    check=check,
)
