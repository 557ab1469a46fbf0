"""A `declare mapper` that cannot be used: its type has no members, or there is one of its name and type already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ompls.analysis.model.ast import Node
from ompls.analysis.model.ctype import UNKNOWN, Record
from ompls.analysis.model.omp import Directive, declared_mapper, mapper_variable
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.nesting import placed


def check(scene: Scene) -> Iterator[Finding]:
    if "declare mapper" not in [d.name for d in scene.directives]:
        return
    if scene.content is None:
        before = scene.unit.directives
        for directive in scene.directives:
            yield from _of(directive, before[: before.index(directive)] if directive in before else ())
        return
    blocks: dict[Node, list[Directive]] = {}
    for place in placed(scene):
        directive, beside = place.stmt.directive, blocks.setdefault(place.holder, [])
        yield from _of(directive, beside)
        beside.append(directive)


def _of(directive: Directive, before: Iterable[Directive]) -> Iterator[Finding]:
    """before -- the earlier directives of the same scope"""
    mapper, variable = declared_mapper(directive), mapper_variable(directive)
    if mapper is None or variable is None or variable.type == UNKNOWN:
        return
    of = variable.type
    if not isinstance(of, Record):
        message = f"`{mapper.type}` is no structure and no union: mappers map their members"
        yield Finding(directive.name_span, message, "error")
        return
    for other in before:
        earlier, its = declared_mapper(other), mapper_variable(other)
        same = earlier is not None and earlier.name == mapper.name
        if same and its is not None and isinstance(its.type, Record) and its.type.uid == of.uid:
            message = f"`{mapper.type}` has a mapper `{mapper.name}` already: give one of them another name"
            yield Finding(directive.name_span, message, "error")
            return


RULE = Rule(
    id="mapper-declaration",
    severity="error",
    group="mapping",
    title="A mapper that cannot be declared",
    why="""
`declare mapper` says how a structure or union is mapped, so it is for these types only, and in one scope each of them has one
mapper of a name. Without a name it is the type's default mapper, which every `map` of such a variable uses.
""",
    section="5.8.8",
    about="directives",
    bad=(
        """
struct vec { int n; double *x; };
typedef struct vec vector;
#pragma omp declare mapper(struct vec v) map(v, v.x[0:v.n])
#pragma omp declare mapper(default: vector w) map(w.n)
//          ^^^^^^^^^^^^^^ error: `vector` has a mapper `default` already: give one of them another name
#pragma omp declare mapper(deep: vector w) map(w.n)
#pragma omp declare mapper(deep: struct vec w) map(w)
//          ^^^^^^^^^^^^^^ error: `struct vec` has a mapper `deep` already: give one of them another name
""",
        """
typedef double number;
struct vec { int n; double *x; };
#pragma omp declare mapper(number v) map(v)
//          ^^^^^^^^^^^^^^ error: `number` is no structure and no union: mappers map their members
#pragma omp declare mapper(to: struct vec *v) map(v[0:1])
//          ^^^^^^^^^^^^^^ error: `struct vec*` is no structure and no union: mappers map their members
void f(void) {
    #pragma omp declare mapper(struct vec v) map(v)
    {
        #pragma omp declare mapper(struct vec v) map(v.n)
        #pragma omp declare mapper(enum { A } e) map(e)
        //          ^^^^^^^^^^^^^^ error: `enum{A}` is no structure and no union: mappers map their members
        #pragma omp declare mapper(struct vec w) map(w)
        //          ^^^^^^^^^^^^^^ error: `struct vec` has a mapper `default` already: give one of them another name
    }
}
""",
    ),
    good=(
        """
struct vec { int n; double *x; };
struct other { int n; };
#pragma omp declare mapper(struct vec v) map(v)
#pragma omp declare mapper(struct other v) map(v)
#pragma omp declare mapper(deep: struct vec v) map(v, v.x[0:v.n])
#pragma omp declare mapper(deep: struct other v) map(v)
""",
        """
struct vec { int n; double *x; };
#pragma omp declare mapper(struct vec v) map(v)
void f(void) {
    #pragma omp declare mapper(struct vec v) map(v.n)
    {
        #pragma omp declare mapper(struct vec v) map(v)
    }
    {
        #pragma omp declare mapper(struct vec v) map(v, v.x[0:v.n])
    }
}
""",
        """
typedef struct { int n; double *x; } vec;
typedef union { int n; double x; } either;
#pragma omp declare mapper(vec v) map(v)
#pragma omp declare mapper(either v) map(v)
""",
        """
#include "types.h"
#pragma omp declare mapper(grid g) map(g)
#pragma omp declare mapper(grid h) map(h)
""",
        """
struct vec { int n; double *x; };
#define MAPPER(name) _Pragma(omp declare mapper(name: struct vec v) map(v))
#pragma omp declare mapper(one: struct vec v) map(v)
#pragma omp declare mapper(two: struct vec v) map(v)
""",
    ),
    check=check,
)
