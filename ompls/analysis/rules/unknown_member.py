"""A member that its structure does not have: in code as gcc says it, and in clauses, where gcc is not heard.

The analysis has looked the member up already (`Content.unknown_members`).  With a missing header nothing is said, and
nothing of a structure in which something was not understood.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Member, Span
from ompls.analysis.model.convert import owner
from ompls.analysis.model.ctype import Record
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.spec.near import near


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    found = content.unknown_members if content is not None else [m for d in scene.directives for m in d.unknown_members]
    if not found or not scene.unit.complete_headers:
        return
    said: set[Span] = set()
    for member in sorted(found, key=lambda m: m.field_span.start):
        if member.field_span not in said:
            said.add(member.field_span)
            yield Finding(member.field_span, _message(member, content.text if content is not None else b""), "error")


def _message(member: Member, text: bytes) -> str:
    t = owner(member.base.type, member.arrow)
    if isinstance(t, Record):
        called = f"`{t.kind} {t.tag}`" if t.tag else f"this {'structure' if t.kind == 'struct' else 'union'}"
        close = near(member.field, sorted(_members(t)))
        return f"{called} has no member `{member.field}`" + (f"; did you mean `{close[0]}`?" if close else "")
    base = decoded(text[member.base.span.start : member.base.span.end]).strip()
    named = f"`{base}`" if base and "\n" not in base else "this"
    if member.arrow:
        return f"{named} is no pointer: `.` names its member `{member.field}`"
    return f"{named} is a pointer: `->` names the member `{member.field}`"


def _members(t: Record) -> set[str]:
    """The names that can follow the point, those inside of structures without a name too."""
    names: set[str] = set()
    waiting, seen = [t], {t.body}
    while waiting:
        for f in waiting.pop().body.fields or ():
            if f.name:
                names.add(f.name)
            elif isinstance(f.type, Record) and f.type.body not in seen:
                seen.add(f.type.body)
                waiting.append(f.type)
    return names


RULE = Rule(
    id="unknown-member",
    severity="error",
    group="structure",
    title="A member that the structure does not have",
    why="""
No compiler takes the program, and nobody can tell which storage a clause means. gcc points into the code that it made of
a clause, several times; here each place is told once, and nothing else is said of what depends on it. The rule is silent
while a header is missing, and about structures in which something was not understood.
""",
    section="none",
    bad=(
        """
struct point { double x, y; };
struct point origin = {.x = 0, .z = 0};
//                              ^ error: `struct point` has no member `z`; did you mean `x`?
double f(void) {
    struct point p[] = {[1].y = 2, [2] = {.xx = 1}};
    //                                     ^^ error: `struct point` has no member `xx`; did you mean `x`?
    return p[1].y;
}
""",
        """
struct s { double *values; int n; };
void f(struct s *p, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: p->valeus[0:n])
    //                                                              ^^^^^^ error: `struct s` has no member `valeus`; did you mean `values`?
    for (int i = 0; i < n; i++) p->valeus[i] = 2 * p->values[i];
    //                             ^^^^^^ error: `struct s` has no member `valeus`; did you mean `values`?
}
""",
        """
typedef struct { double *x; union { int rows, cols; }; } grid;
int f(grid g, int n) {
    #pragma omp target enter data map(to: g.x[0:g.row])
    //                                            ^^^ error: this structure has no member `row`; did you mean `rows`?
    #pragma omp target map(present, alloc: g.data[0:n]) map(to: g)
    //                                       ^^^^ error: this structure has no member `data`
    g.x[0] = 0;
    #pragma omp target exit data map(from: g.x[0:n]) if(g.colls > 1)
    //                                                    ^^^^^ error: this structure has no member `colls`; did you mean `cols`?
    return g.nowhere;
    //       ^^^^^^^ error: this structure has no member `nowhere`
}
""",
        """
struct s { double *x; int n; };
void f(struct s *p, struct s q) {
    #pragma omp target map(to: p.x[0:4]) map(from: q->x[0:4])
    //                                                ^ error: `q` is no pointer: `.` names its member `x`
    //                           ^ error: `p` is a pointer: `->` names the member `x`
    q.x[0] = p->x[0];
}
""",
        """
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(vec v) map(v, v.x[0:v.count])
//                                               ^^^^^ error: this structure has no member `count`
""",
    ),
    good=(
        """
struct inner { int deep; };
struct s { double *values; struct { int a; union { int b; float c; }; }; struct inner in[4]; int bits : 3; };
void f(struct s *p, struct s q, int n) {
    #pragma omp target map(tofrom: p->values[0:n], q.values[0:n]) map(to: p->in[0:2], q.b)
    for (int i = 0; i < n; i++) p->values[i] = q.values[i] + p->in->deep + (&q)->c + (*p).a + p[0].bits;
}
""",
        """
#include "shape.h"
struct s { COMMON_MEMBERS int n; };
void f(struct s *p) {
    #pragma omp target map(tofrom: p->values[0:4])
    p->values[0] = p->n;
}
""",
        """
struct later;
int g(struct later *p);
struct later { int n; };
int f(struct later *p) {
    struct later { double m; } own = {1};
    return own.m + g(p);
}
int h(struct later *p) { return p->n; }
""",
        """
#include <stddef.h>
#include <time.h>
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(vec v) map(v, v.x[0:v.n])
#pragma omp declare reduction(most: vec: omp_out.n = omp_in.n > omp_out.n ? omp_in.n : omp_out.n) initializer(omp_priv = {0})
long f(vec *v, struct tm *t) {
    size_t at = offsetof(vec, x);
    return v->n + t->tm_year + (long)at;
}
""",
        """
struct s { int n; };
#define FIELD(p, name) ((p)->name)
int f(struct s *p, void *q) {
    typeof(*p) copy = *p;
    struct s *all[2] = {p, q};
    return FIELD(p, n) + ((struct s *)q)->n + copy.n + all[1]->n + ({ struct s t = {2}; t; }).n;
}
""",
    ),
    check=check,
    needs="names",
)
