"""A pointer member of a structure that a region follows although nothing has mapped what it points to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ompls.analysis.dataenv.faults import AbsentItem, Unattached
from ompls.analysis.dataenv.machine.attachment import member_followed
from ompls.analysis.dataenv.places import Env, pointee_of
from ompls.analysis.dataenv.symbolic import Poly
from ompls.analysis.model.ast import Expr, Index, Member, Paren
from ompls.analysis.model.ctype import Pointer, Record, innermost
from ompls.analysis.model.peel import strip
from ompls.analysis.rules.support.edits import with_clause
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.rules.support.lengths import in_c, reach_of
from ompls.analysis.rules.support.noticed import Noticed, events, finding, region_at, severity_of, unsure_of

_NAME = re.compile(r"\w+")
_NAMED = re.compile(r"\w+(?:(?:\.|->)\w+)+")  # without a subscript: it means the same before the region


def check(scene: Scene) -> Iterator[Finding]:
    told: set[object] = set()
    unsure: dict[str, Noticed] = {}
    absent = [(id(region_at(scene, found.event.site.span)), found) for found in events(scene, AbsentItem)]
    pointers = {(region, found.event.name) for region, found in absent}
    for region, found in absent:
        name = found.event.name
        key = (region, name)
        base = _NAME.match(name)
        if base is None or base[0] == name or key in told:
            continue
        certain = found.event.certainty == "certain"
        if not certain and ((region, base[0]) in pointers or not _comes_in(scene, name)):
            continue  # the structure is not there either, which is told; or somebody was asked to map it
        told.add(key)
        if not certain:
            unsure.setdefault(name, found)
            continue
        message = f"what `{name}` points to is not mapped, so the device cannot reach it"
        fix = _section(scene, found)
        yield finding(found, f"{message}; {_cure(scene, found)}", severity_of(found, scene), *fix)
    if unsure:
        yield unsure_of(unsure, f"; {_cure(scene, min(unsure.values(), key=lambda found: found.event.site))}")
    for found in events(scene, Unattached):
        name = found.event.name
        around = region_at(scene, found.event.site.span)
        if (id(around), name) not in told:
            told.add((id(around), name))
            message = f"`{name}` keeps the host's address on the device: no map clause goes through it"
            known = around is not None and _NAMED.fullmatch(name)
            fix = (
                (with_clause(around.directive, f"map({name}[:0])", safe=True),) if around is not None and known else ()
            )
            yield finding(found, f"{message}; {_cure(scene, found)}", severity_of(found, scene), *fix)


def _section(scene: Scene, found: Noticed) -> tuple[Change, ...]:
    """The fix that maps what the region needs of it, or all that there is."""
    name, member, region = found.event.name, _member(scene, found), region_at(scene, found.event.site.span)
    first = pointee_of(member, Env()) if member is not None else None
    if region is None or first is None or not _NAMED.fullmatch(name):
        return ()
    reach = reach_of(scene, region, first, Poly.of(0))
    if reach is not None:
        section = f"{name}[{in_c(reach.low)}:{reach.text}]"
        return (with_clause(region.directive, f"map(tofrom: {section})", reach.quotes, safe=True),)
    size = found.event.how
    return (with_clause(region.directive, f"map(tofrom: {name}[0:{size}])", safe=True),) if size else ()


def _member(scene: Scene, found: Noticed) -> Member | None:
    """The pointer that is followed."""
    span, function = found.event.site.span, scene.function
    followed = (member_followed(n) for n in function.walk() if n.span == span) if function is not None else ()
    return next((member for member in followed if member is not None), None)


def _cure(scene: Scene, found: Noticed) -> str:
    """Where the section belongs: into the mapper of the structure, or of one around it, where there is one."""
    expr: Expr | None = _member(scene, found)
    while isinstance(expr, (Member, Index, Paren)):
        if isinstance(expr, Member):
            holder = strip(expr.base).type
            of = innermost(holder.to if isinstance(holder, Pointer) else holder) if holder is not None else None
            names = {mapper for mapper, uid in scene.unit.told.mappers if isinstance(of, Record) and uid == of.uid}
            if "default" in names:
                return "list a section of it in the `declare mapper` of its structure"
            if names:
                return f"map a section of it here, or in `declare mapper({min(names)}: …)`"
        expr = expr.inner if isinstance(expr, Paren) else expr.base
    return "map a section of it, too"


def _comes_in(scene: Scene, name: str) -> bool:
    """Whether it is `p->x` of a parameter, so that only callers can have mapped it."""
    function = scene.function
    if function is None or function.symbol.storage == "static":
        return False
    return name.partition("->")[0] in {param.name for param in function.params} and "." not in name


RULE = Rule(
    id="member-pointer-absent",
    severity="warning",
    group="mapping",
    title="A target region follows a structure's pointer member whose storage is not on the device",
    why="""
Mapping a structure copies its bytes: a pointer member arrives with the host's address in it. What it points to must be
mapped too, through the member (`map(tofrom: s.p[0:n])`, or a `declare mapper`); then the device's member is set to the
device's address. That the storage is on the device for another pointer's sake does not do that.
Where only a caller can have mapped it, a hint is given.
Where a caller, or a function of another file, may have mapped it, only a hint is given.
""",
    section="5.8.6",
    about="events",
    bad=(
        """
void *malloc(unsigned long);
struct vec { int n; double *p; };
int main(void) {
    struct vec a = {100, malloc(100 * sizeof(double))};
    for (int i = 0; i < a.n; i++) a.p[i] = i;
    #pragma omp target enter data map(to: a.p[:a.n])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < a.n; i++) a.p[i] += 1;
    //                            ^^^^^^ warning: `a.p` keeps the host's address on the device: no map clause goes through it; map a section of it, too
    #pragma omp target teams distribute parallel for map(a.p[:0])
    for (int i = 0; i < a.n; i++) a.p[i] += 1;
    #pragma omp target exit data map(from: a.p[:a.n])
    return a.p[3] != 4;
}
""",
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
    //  ^^^^^^^^^^^ warning: what `a.values` points to is not mapped, so the device cannot reach it; map a section of it, too
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
    //    ^^^^^^^ warning: what `p.left` points to is not mapped, so the device cannot reach it; map a section of it, too
    //              ^^^^^^^^ warning: what `p.right` points to is not mapped, so the device cannot reach it; map a section of it, too
    free(p.left);
    free(p.right);
    return sum;
}
""",
        """
void *malloc(unsigned long);
struct field { double *values, *others; int n; };
void f(int n) {
    struct field a;
    double *x = malloc(n * sizeof(double));
    a.values = x;
    #pragma omp target enter data map(to: x[0:n]) map(to: a)
    for (int step = 0; step < 5; step++) {
        #pragma omp target
        a.values[0] += 1;
    //  ^^^^^^^^^^^ warning: `a.values` keeps the host's address on the device: no map clause goes through it; map a section of it, too
    }
    #pragma omp target exit data map(delete: x[0:n], a)
}
""",
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
static double first(struct field *a) {
    double *x = a->values, found = 0;
    #pragma omp target map(to: a[0:1], x[0:10]) map(tofrom: found)
    found = a->values[0];
    //      ^^^^^^^^^^^^ warning: `a->values` keeps the host's address on the device: no map clause goes through it; map a section of it, too
    return found;
}
int main(void) {
    struct field a;
    a.values = malloc(10 * sizeof(double));
    for (int i = 0; i < 10; i++) a.values[i] = i;
    return first(&a) > 0;
}
""",
        """
struct image { int n; float *px; };
void brighten(struct image *im) {
    #pragma omp target teams distribute parallel for map(tofrom: im[0:1])
    for (int i = 0; i < im->n; i++)
        im->px[i] += 1;
    //  ^^^^^^^^^ hint: what `im->px` points to is not mapped on every path that comes here, as far as can be seen; map a section of it, too
}
""",
        """
typedef struct { int n; float *w; } row;
typedef struct { int count; row *rows; } table;
#pragma omp declare mapper(row r) map(r)
#pragma omp declare mapper(deep: table t) map(t, t.rows[0:t.count])
int main(void) {
    float w[3] = {0};
    row one = {3, w};
    table t = {1, &one};
    #pragma omp target map(tofrom: one)
    one.w[0] = 1;
//  ^^^^^^^^ warning: what `one.w` points to is not mapped, so the device cannot reach it; list a section of it in the `declare mapper` of its structure
    #pragma omp target map(tofrom: t)
    t.rows[0].n = 2;
//  ^^^^^^^^^^^ warning: what `t.rows` points to is not mapped, so the device cannot reach it; map a section of it here, or in `declare mapper(deep: …)`
    return one.w[0] > t.rows->n;
}
""",
    ),
    good=(
        """
void *malloc(unsigned long);
struct vec { int n; double *p; };
static double first(const struct vec *v) {
    double found = 0;
    #pragma omp target map(tofrom: found)
    found = v->p[0];
    return found;
}
int main(void) {
    struct vec a = {100, malloc(100 * sizeof(double))};
    for (int i = 0; i < a.n; i++) a.p[i] = i;
    #pragma omp target enter data map(to: a)
    #pragma omp target enter data map(to: a.p[:a.n])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < a.n; i++) a.p[i] += 1;
    #pragma omp target exit data map(from: a.p[:a.n]) map(release: a)
    double found;
    #pragma omp target data map(to: a, a.p[0:a.n])
    found = first(&a);
    return found != 1;
}
""",
        """
static int eight = 8;
#pragma omp declare target
static struct { int n; int *at; } both[1] = {{1, &eight}};
#pragma omp end declare target
int main(void) {
    int sum = 0;
    #pragma omp target map(tofrom: sum)
    sum = *both[0].at;
    return sum != 8;
}
""",
        """
void *malloc(unsigned long);
typedef struct { int n; double *v; } leaf;
typedef struct { int id; leaf l; } node;
#pragma omp declare mapper(leaf s) map(s, s.v[0:s.n])
#pragma omp declare mapper(node t) map(t.id, t.l)
int main(void) {
    node t = {3, {50, malloc(50 * sizeof(double))}};
    #pragma omp target map(tofrom: t)
    for (int i = 0; i < 50; i++) t.l.v[i] = t.id;
    return t.l.v[7] != 3;
}
""",
        """
typedef struct item { int n; struct item *next; } item;
#pragma omp declare mapper(item i) map(i, i.next[0:1])
int main(void) {
    item c = {3, 0}, b = {2, &c}, a = {1, &b};
    #pragma omp target map(tofrom: a)
    a.next->next->n += a.next->n;
    return c.n;
}
""",
        """
void *calloc(unsigned long, unsigned long);
typedef struct { int n; float *w; } row;
typedef struct { int count; row *rows; } table;
#pragma omp declare mapper(row r) map(r) map(r.w[0:r.n])
#pragma omp declare mapper(table t) map(t) map(t.rows[0:t.count])
int main(void) {
    row one = {3, calloc(3, sizeof(float))};
    table t = {1, &one};
    #pragma omp target map(tofrom: t)
    for (int i = 0; i < t.rows[0].n; i++) t.rows[0].w[i] += 1;
    return t.rows[0].w[2];
}
""",
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
void *malloc(unsigned long);
typedef struct { double *values; int n; } field;
#pragma omp declare mapper(field f) map(f, f.values[0:f.n])
int main(void) {
    field row[4], grid[2][2];
    for (int i = 0; i < 4; i++) {
        row[i].n = grid[i / 2][i % 2].n = 10;
        row[i].values = malloc(10 * sizeof(double));
        grid[i / 2][i % 2].values = malloc(10 * sizeof(double));
    }
    #pragma omp target map(tofrom: row, grid)
    for (int i = 0; i < 4; i++) row[i].values[0] = grid[i / 2][i % 2].values[0] = i;
    return row[3].values[0] != 3;
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
    #pragma omp target enter data map(to: a) map(to: x[0:n])
    #pragma omp target map(a.values[0:n])
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
        #pragma omp target map(to: a, all[0:1], all->values[0:1])
        { a.values = v; a.n = 2; a.values[0] = all->values[0]; }
    }
}
""",
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
void attach(struct field *to, double *values) { to->values = values; }
void f(int n) {
    struct field a;
    double *v = malloc(n * sizeof(double));
    attach(&a, v);
    #pragma omp target enter data map(to: v[0:n], a)
    #pragma omp target
    { attach(&a, v); a.values[0] = 1; }
}
""",
        """
void *malloc(unsigned long);
struct field { double *values; int n; };
void f(int n) {
    struct field a;
    double *v = malloc(n * sizeof(double));
    a.values = v;
    #pragma omp target data map(to: v[0:n]) use_device_ptr(v)
    a.values = v;
    #pragma omp target map(to: a)
    a.values[0] = 1;
}
""",
        """
void *malloc(unsigned long);
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
struct field { double *values; int n; };
void patch(struct field *);
void f(int n, struct field *there) {
    struct field a;
    double *v = malloc(n * sizeof(double));
    a.values = v;
    #pragma omp target enter data map(to: v[0:n], a)
    #pragma omp target data use_device_ptr(v)
    omp_target_memcpy(there, &v, sizeof v, 0, 0, 0, 1);
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
    double *v = malloc(n * sizeof(double));
    a.values = v;
    #pragma omp target enter data map(to: v[0:n], a)
    upload(&a);
    #pragma omp target
    a.values[0] = 1;
}
""",
    ),
    check=check,
)
