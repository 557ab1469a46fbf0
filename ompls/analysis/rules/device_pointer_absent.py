"""A pointer that a target region follows although nothing has mapped what it points to.

Certain where the machine knows every directive that ran before: then it is absent on all paths.  Where a caller or another
file may have mapped it, or one of several paths does, it is a hint.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.faults import AbsentItem
from ompls.analysis.dataenv.need import Need, Needs
from ompls.analysis.dataenv.paths import root
from ompls.analysis.dataenv.places import start_target
from ompls.analysis.dataenv.symbolic import Poly
from ompls.analysis.model.ast import Expr, FunctionDef, Name, Span, Symbol
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.lengths import brings_back_more, in_c, reach_of
from ompls.analysis.rules.support.noticed import Noticed, events, finding, region_at, severity_of, unsure_of


def check(scene: Scene) -> Iterator[Finding]:
    if scene.unit.settings.openmp == "4.0":
        return
    told: set[object] = set()
    unsure: dict[str, Noticed] = {}
    for found in events(scene, AbsentItem):
        event = found.event
        if "." in event.name or "->" in event.name:
            continue  # a structure's member: another rule
        certain = event.certainty == "certain"
        region = region_at(scene, event.site.span)
        if (region, event.name) in told:
            continue
        told.add((region, event.name))
        variable = _used(region.variables, event.site.span) if region is not None else None
        if not certain and variable is not None and not variable.implicit and variable.sharing != "mapped":
            continue  # a clause lists the pointer itself: its author has thought of it
        symbol = variable.symbol if variable is not None else _followed(scene.function, event.site.span)
        if not certain and symbol is not None and _begins_elsewhere(symbol):
            continue
        placed = found
        if region is not None:
            text = f"the region that `{event.name}` comes into"
            text += f": {variable.why}" if variable is not None else ""
            placed = found._replace(here=(*found.here, (region.directive.span, text)))
        if not certain:
            if event.name:
                unsure.setdefault(event.name, placed)
            continue
        changes = _changes(scene, region, variable, event.how) if region is not None and variable is not None else ()
        yield finding(placed, _message(event.name, variable), severity_of(found, scene), *changes)
    if unsure:
        yield unsure_of(unsure)


def _message(name: str, variable: Variable | None) -> str:
    if variable is not None and not variable.implicit and isinstance(variable.symbol.type, Pointer):
        return f"`{name}` itself is {variable.sharing}, but what it points to is not mapped: the device cannot reach it"
    return f"what `{name}` points to is not mapped here, so the device cannot reach it"


def _changes(scene: Scene, region: Region, variable: Variable, size: str) -> tuple[Change, ...]:
    """The section that is missing, in a clause of its own or in the place of the pointer that is listed: what the region
    needs, else as far as its loops reach, or all that was allocated."""
    need = Needs(region, scene.unit.functions).of(variable.symbol) if variable.implicit else ""
    needed = need.section if isinstance(need, Need) else None
    begin = needed[0] if needed is not None else Poly.of(0)
    reach = reach_of(scene, region, start_target(variable.symbol), begin)
    named = reach if reach is not None and (reach.bound is not None or reach.length.symbols()) else None
    if named is None and not size:
        return ()
    quotes = named.quotes if named is not None else ()
    section = f"{variable.symbol.name}[{in_c(named.low)}:{named.text}]" if named is not None else ""
    section = section or f"{variable.symbol.name}[0:{size}]"
    if variable.implicit:
        all_of_it = named is not None and needed == (named.low, named.low + named.length - 1)
        kind = need.kind if isinstance(need, Need) and all_of_it else "tofrom" if variable.writes_pointee else "to"
        return (with_clause(region.directive, f"map({kind}: {section})", quotes, safe=True),)
    for item in (i for clause in region.directive.all("map") for i in clause.items):
        if isinstance(item.expr, Name) and item.expr.symbol is variable.symbol:
            if brings_back_more(scene, region, item, named):
                return ()
            return (Change(f"Map `{section}`", item.span, section, quotes=quotes),)
    return ()


def _used(variables: tuple[Variable, ...], span: Span) -> Variable | None:
    """The variable that is followed at a place."""
    for variable in variables:
        for node in (*variable.reads, *variable.writes):
            if node.span == span and isinstance(node, Expr) and root(node) is variable.symbol:
                return variable
    return None


def _followed(function: FunctionDef | None, span: Span) -> Symbol | None:
    """The variable that an access starts from, in a region or in a function that one calls."""
    accesses = (n for n in function.walk() if n.span == span) if function is not None else ()
    return next((s for n in accesses if isinstance(n, Expr) and (s := root(n)) is not None), None)


def _begins_elsewhere(s: Symbol) -> bool:
    """Whether another file says what a `declare target` pointer begins with: an address of the device's, maybe."""
    return bool(s.declare_target) and not s.defined


RULE = Rule(
    id="device-pointer-absent",
    severity="warning",
    group="mapping",
    title="A target region follows a pointer whose storage is not on the device",
    why="""
A pointer that no clause lists comes into a target region as a zero-length array section: if what it points to has been
mapped, it points to the device's copy, else it keeps the host's address, which is no address of the device. So storage must be
mapped by the region itself, by a `target data` around it, or by a `target enter data` before it. Where a caller, or a
function of another file, may have mapped it, one hint is given for the function. A program that `requires unified_shared_memory`
needs no mapping.
""",
    section="5.8.6",
    about="events",
    bad=(
        """
void add(int *a, int *sum, int size) {
    #pragma omp target map(to: a) map(from: sum[0:size])
    for (int i = 0; i < size; i++) sum[i] = a[i];
    //                                      ^^^^ hint: what `a` points to is not mapped on every path that comes here, as far as can be seen
}
""",
        """
void library(int n, double *x, double *y, double *z, double *w, double *v) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) x[i] = y[i] + z[i];
    //                          ^^^^ hint: what `x`, `y`, `z` and 2 more point to is not mapped on every path that comes here, as far as can be seen
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) y[i] = w[i] + v[i] * z[i];
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] = i;
    //  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
    //             ^^^^ hint: what `x` points to is not mapped on every path that comes here, as far as can be seen
}
""",
        """
void *malloc(unsigned long);
void f(int n, int early) {
    double *x = malloc(sizeof(double) * n);
    #pragma omp target enter data map(to: x[0:n])
    if (early) {
        #pragma omp target exit data map(from: x[0:n])
    }
    #pragma omp target
    x[0] = 1;
//  ^^^^ hint: what `x` points to is not mapped on every path that comes here, as far as can be seen
    #pragma omp target exit data map(delete: x[0:n])
    #pragma omp target
    x[1] = 1;
//  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof *x);
    #pragma omp target map(tofrom: x)
    for (int i = 0; i < n; i++)
        x[i] = i;
    //  ^^^^ warning: `x` itself is mapped, but what it points to is not mapped: the device cannot reach it
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target enter data map(to: x[0:n]) device(0)
    #pragma omp target device(0)
    x[0] = 1;
    #pragma omp target device(1)
    x[1] = 1;
//  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
    #pragma omp target exit data map(from: x[0:n]) device(0)
}
""",
        """
void *malloc(unsigned long);
static void scale(int n, double *x, double *y) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] = y[i];
    //  ^^^^ warning: what `x` points to is not mapped here, so the device cannot reach it
    //         ^^^^ warning: what `y` points to is not mapped here, so the device cannot reach it
}
int main(void) {
    double *x = malloc(80), *y = malloc(80);
    scale(10, x, y);
    #pragma omp target data map(to: y[0:10])
    scale(10, x, y);
    return 0;
}
""",
        """
void *malloc(unsigned long);
struct node { int v; struct node *next; };
int main(void) {
    struct node *head = 0;
    for (int i = 0; i < 10; i++) {
        struct node *n = malloc(sizeof *n);
        n->v = i;
        n->next = head;
        head = n;
    }
    int sum = 0;
    #pragma omp target map(to: head[0:1]) map(tofrom: sum)
    for (struct node *p = head; p; p = p->next)
        sum += p->v;
    //         ^^^^ warning: what `p` points to is not mapped here, so the device cannot reach it
    return sum;
}
""",
        """
void *malloc(unsigned long);
typedef struct { int n; double *u; } vec;
static vec make(int n) {
    vec v;
    v.n = n;
    v.u = malloc(n * sizeof(double));
    return v;
}
static void scale(vec v, double f) {
    double *u = v.u;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < v.n; i++)
        u[i] *= f;
    //  ^^^^ warning: what `u` points to is not mapped here, so the device cannot reach it
}
int main(void) {
    vec v = make(10), w;
    #pragma omp target enter data map(alloc: v.u[0:10])
    #pragma omp target
    v.u[0] = 1;
    w = make(20);
    scale(w, 3);
    #pragma omp target exit data map(delete: v.u[0:10])
    return 0;
}
""",
        """
void *malloc(unsigned long);
typedef struct { int n; double *p; } vec;
static void bump(vec *v) {
    int n = v->n;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) v->p[i] += 1;
    //                          ^^^^ warning: what `v` points to is not mapped here, so the device cannot reach it
}
static void twice(vec *v) {
    #pragma omp target data map(tofrom: v->p[0:v->n])
    bump(v);
}
int main(void) {
    vec a = {100, malloc(100 * sizeof(double))}, *v = &a;
    for (int i = 0; i < a.n; i++) a.p[i] = i;
    #pragma omp target enter data map(to: v->p[:v->n])
    bump(v);
    #pragma omp target exit data map(from: v->p[:v->n])
    twice(v);
    return a.p[3] != 5;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
typedef struct { int n; double *p; } vec;
static void listed(vec *v) {
    int n = v->n;
    #pragma omp target teams distribute parallel for map(tofrom: v->p[0:n])
    for (int i = 0; i < n; i++) v->p[i] += 1;
}
static void with_structure(vec *v) {
    int n = v->n;
    #pragma omp target enter data map(to: v[0:1], v->p[0:n])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) v->p[i] += 1;
    #pragma omp target exit data map(from: v->p[0:n]) map(delete: v[0:1])
}
static void by_a_pointer(vec *v) {
    int n = v->n;
    #pragma omp target enter data map(to: v->p[0:n])
    double *p = v->p;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) p[i] += 1;
    #pragma omp target exit data map(from: v->p[0:n])
}
int main(void) {
    vec a = {100, malloc(100 * sizeof(double))};
    for (int i = 0; i < a.n; i++) a.p[i] = i;
    listed(&a);
    with_structure(&a);
    by_a_pointer(&a);
    return a.p[3] != 6;
}
""",
        """
void *omp_target_alloc(unsigned long, int);
static void add(int *a, int *sum, int size) {
    #pragma omp target map(to: a) map(from: sum[0:size])
    for (int i = 0; i < size; i++) sum[i] = a[i];
}
int main(void) {
    int s[10], *d = omp_target_alloc(40, 0);
    #pragma omp target is_device_ptr(d)
    for (int i = 0; i < 10; i++) d[i] = i;
    add(d, s, 10);
    return s[9] != 9;
}
""",
        """
static int seven = 7, eight = 8;
#pragma omp declare target
static int *one = &seven;
static struct { int n; int *at; } both[1] = {{1, &eight}};
#pragma omp end declare target
int main(void) {
    int sum = 0;
    #pragma omp target map(tofrom: sum)
    sum = *one + *both[0].at;
    return sum != 15;
}
""",
        """
#pragma omp declare target
static const int *table(int k) {
    static const int odd[3] = {1, 3, 5}, even[3] = {2, 4, 6};
    return k & 1 ? odd : even;
}
#pragma omp end declare target
int f(void) {
    int s = 0;
    #pragma omp target map(tofrom: s)
    {
        const int *t = table(1);
        for (int i = 0; i < 3; i++) s += t[i] + table(2)[i];
    }
    return s;
}
""",
        """
void *malloc(unsigned long);
typedef struct { int n; double *u; } vec;
static vec make(int n) {
    vec v = {n, malloc(n * sizeof(double))};
    double *u = v.u;
    for (int i = 0; i < n; i++)
        u[i] = i;
    #pragma omp target enter data map(to: u[0:n])
    return v;
}
static vec either(vec a, vec b, int which) {
    if (which)
        return a;
    return b;
}
static void scale(vec v, double f) {
    double *u = v.u;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < v.n; i++)
        u[i] *= f;
}
int main(int argc, char **argv) {
    vec v = make(10), w;
    w = make(20);
    for (int i = 0; i < 3; i++) {
        scale(v, 2);
        scale(either(v, w, argc), 3);
    }
    return 0;
}
""",
        """
struct vector { double *data; int n; };
static void add(struct vector *v) {
    #pragma omp target map(v->data[0:100])
    v->data[7] += 1;
}
int main(void) {
    double x[100] = {0};
    struct vector v;
    v.data = x;
    add(&v);
    return x[7] != 1;
}
""",
        """
void *malloc(unsigned long);
static void twice(double *x) {
    #pragma omp target
    x[0] = 2 * x[0];
}
static void work(double *x, int n) {
    for (int i = 0; i < n; i++)
        twice(x);
}
int main(void) {
    double *x = malloc(80);
    #pragma omp target data map(tofrom: x[0:10])
    work(x, 9);
    return 0;
}
""",
        """
void *malloc(unsigned long);
void f(int n, int d, int e) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target data map(to: x[0:n]) device(0)
    #pragma omp target data map(to: x[0:n]) device(1)
    {
        #pragma omp target exit data map(release: x[0:n]) device(2)
        #pragma omp target device(1)
        x[1] = 1;
        #pragma omp target device(0)
        x[1] = 1;
    }
    #pragma omp target enter data map(to: x[0:n]) device(d)
    #pragma omp target device(e)
    x[1] = 1;
    #pragma omp target device(0)
    x[1] = 1;
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target enter data map(alloc: x[0:n])
    for (int t = 0; t < 9; t++) {
        #pragma omp target
        x[0] = t;
    }
    #pragma omp target exit data map(from: x[0:n])
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double)), *y = x + 1;
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma omp target
        y[0] = 1;
    }
}
""",
        """
void *omp_target_alloc(unsigned long, int);
void f(int n) {
    double *x = omp_target_alloc(n * sizeof(double), 0);
    #pragma omp target is_device_ptr(x)
    x[0] = 1;
    #pragma omp target
    x[1] = 1;
}
""",
        """
#pragma omp requires unified_shared_memory
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target
    x[0] = 1;
}
""",
        """
void *malloc(unsigned long);
void f(int n) {
    double *x = malloc(n * sizeof(double));
    #pragma omp target data map(tofrom: x[0:n]) use_device_ptr(x)
    {
        #pragma omp target is_device_ptr(x)
        x[0] = 1;
        #pragma omp target
        x[1] = 1;
    }
}
""",
        """
void *malloc(unsigned long);
struct node { int v; struct node *next; };
int main(void) {
    struct node *head = 0;
    for (int i = 0; i < 10; i++) {
        struct node *n = malloc(sizeof *n);
        n->v = i;
        n->next = head;
        head = n;
    }
    int sum = 0;
    #pragma omp target enter data map(to: head[0:1])
    for (struct node *p = head; p->next; p = p->next) {
        #pragma omp target enter data map(to: p->next[0:1])
    }
    #pragma omp target map(tofrom: sum)
    for (struct node *p = head; p; p = p->next)
        sum += p->v;
    return sum;
}
""",
        """
int table[4] = {1, 2, 3, 4};
extern int *cursor;  // another file says `= &table[2]`
#pragma omp declare target to(cursor, table)
int main(void) {
    int c;
    #pragma omp target map(from: c)
    c = *cursor;
    return c;
}
""",
        """
extern const char *name, *names[];  // a function on the device follows them
#pragma omp declare target(name, names)
#pragma omp begin declare target
static int letter(int k) { return name[k] + names[k][0]; }
#pragma omp end declare target
int main(void) {
    int c;
    #pragma omp target map(from: c)
    c = letter(1);
    return c;
}
""",
    ),
    check=check,
)
