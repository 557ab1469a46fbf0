"""A mapper that nothing declares, or nothing for the type of what it should map."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ompls.analysis.model.ctype import UNKNOWN, Record, innermost
from ompls.analysis.model.omp import Clause, mapper_named
from ompls.analysis.model.peel import bare
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.told import NamedMapper, declared_mappers


def check(scene: Scene) -> Iterator[Finding]:
    known: frozenset[NamedMapper] | None = None
    for directive in scene.directives:
        for clause in directive.all("map", "to", "from"):
            name = mapper_named(clause.modifiers)
            if name not in ("", "default") and scene.unit.complete_headers:
                known = scene.unit.told.mappers | declared_mappers(scene.directives) if known is None else known
                yield from _named(clause, name, {of for mapper, of in known if mapper == name})


def _named(clause: Clause, name: str, types: Collection[int | None]) -> Iterator[Finding]:
    """types -- the numbers of the structures that have a mapper of this name"""
    if not types:
        message = f"there is no mapper `{name}`: no `declare mapper({name}: …)` comes before"
        yield Finding(clause.span, message, "error")
        return
    for item in clause.items:
        of = innermost(bare(item.expr).type)
        if None in types or of == UNKNOWN or (isinstance(of, Record) and of.uid in types):
            continue
        other = f"`{item.text}` is of another type than what `mapper({name})` maps"
        message = other if isinstance(of, Record) else f"`{item.text}` is no structure, and mappers map structures"
        yield Finding(item.span, message, "error")


RULE = Rule(
    id="unknown-mapper",
    severity="error",
    group="mapping",
    title="A mapper that nothing declares, or nothing for this type",
    why="""
`map(mapper(id), tofrom: s)` maps a structure as `declare mapper(id: type v) map(…)` says, for example with what its pointers
point to. The declaration must be visible where it is used: in the same file, or in a header that it includes. It is for structures and
unions of its type, their arrays and sections of these; a pointer is none (`v[0:1]` is what it points to). Without a
name, or with `mapper(default)`, the structure's default mapper is meant, which always exists.
""",
    section="5.8.2",
    about="directives",
    bad=(
        """
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(deep: vec v) map(v, v.x[0:v.n])
void f(vec *v) {
    #pragma omp target map(mapper(shallow), tofrom: v[0:1])
    //                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: there is no mapper `shallow`: no `declare mapper(shallow: …)` comes before
    v->x[0] = 1;
}
""",
        """
struct vec { int n; double *x; };
static void up(struct vec *v) {
    #pragma omp target update to(mapper(all): v[0:1])
    //                        ^^^^^^^^^^^^^^^^^^^^^^^ error: there is no mapper `all`: no `declare mapper(all: …)` comes before
}
int main(void) {
    double x[10] = {0};
    struct vec v = {10, x};
    #pragma omp declare mapper(own: struct vec w) map(w, w.x[0:w.n])
    #pragma omp target enter data map(mapper(own), to: v)
    for (int i = 0; i < 3; i++)
        up(&v);
    #pragma omp target exit data map(mapper(owm), from: v)
    //                           ^^^^^^^^^^^^^^^^^^^^^^^^^ error: there is no mapper `owm`: no `declare mapper(owm: …)` comes before
    return 0;
}
""",
        """
struct vec { int n; double *x; };
struct other { int n; };
typedef struct vec *link;
#pragma omp declare mapper(all: struct vec v) map(v, v.x[0:v.n])
void f(struct vec *v, struct other o, link l, struct vec w[4]) {
    #pragma omp target map(mapper(all), tofrom: v, o, l[0:1], w[1:2])
    //                                             ^ error: `o` is of another type than what `mapper(all)` maps
    //                                          ^ error: `v` is no structure, and mappers map structures
    o.n++;
    #pragma omp target update to(mapper(all): v->n, *v)
    //                                        ^^^^ error: `v->n` is no structure, and mappers map structures
}
""",
    ),
    good=(
        """
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(deep: vec v) map(v, v.x[0:v.n])
void f(vec *v) {
    #pragma omp target map(mapper(deep), tofrom: v[0:1])
    v->x[0] = 1;
}
""",
        """
struct vec { int n; double *x; };
void f(struct vec *v) {
    #pragma omp target map(mapper(default), tofrom: v[0:1])
    v->n = 1;
}
""",
        """
struct vec { int n; double *x; };
void f(struct vec *v) {
    #pragma omp declare mapper(local: struct vec w) map(w.n)
    #pragma omp target map(always, mapper(local), tofrom: v[0:1])
    v->n = 1;
}
""",
        """
#include "mappers.h"
struct vec { int n; double *x; };
void f(struct vec *v) {
    #pragma omp target map(mapper(of_header), tofrom: v[0:1])
    v->n = 1;
}
""",
        """
#define DEEP deep
struct vec { int n; double *x; };
typedef union { struct vec one; const struct vec two[2]; } both;
#pragma omp declare mapper(DEEP: struct vec v) map(v, v.x[0:v.n])
#pragma omp declare mapper(DEEP: both b) map(b)
#pragma omp declare mapper(struct vec v) map(v.n)
void f(struct vec *v) {
    both b, grid[2][2];
    #pragma omp target update from(mapper(DEEP): v[0:1], *v, b, b.two, (b.one), grid, grid[0][0:2])
    #pragma omp target map(tofrom: v[0:1])
    v->n = 1;
}
""",
    ),
    check=check,
)
