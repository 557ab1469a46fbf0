"""A mapper that nothing declares."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.omp import mapper_named
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.told import declared_mappers


def check(scene: Scene) -> Iterator[Finding]:
    known: frozenset[str] | None = None
    for directive in scene.directives:
        for clause in directive.all("map", "to", "from"):
            if name := mapper_named(clause.modifiers):
                known = known or scene.unit.told.mappers | declared_mappers(scene.directives) | {"default"}
                if name not in known and scene.unit.complete_headers:
                    message = f"there is no mapper `{name}`: no `declare mapper({name}: …)` comes before"
                    yield Finding(clause.span, message, "error")


RULE = Rule(
    id="unknown-mapper",
    severity="error",
    group="mapping",
    title="A mapper that nothing declares",
    why="""
`map(mapper(id), tofrom: s)` maps a structure as `declare mapper(id: type v) map(…)` says, for example with what its pointers
point to. The declaration must be visible where it is used: in the same file, or in a header that it includes. Without a
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
#pragma omp declare mapper(DEEP: struct vec v) map(v, v.x[0:v.n])
#pragma omp declare mapper(struct vec v) map(v.n)
void f(struct vec *v) {
    #pragma omp target update from(mapper(DEEP): v[0:1])
    #pragma omp target map(tofrom: v[0:1])
    v->n = 1;
}
""",
    ),
    check=check,
)
