"""A name that nothing declares: in code as gcc says it, in a clause with the clause that names it.

The analysis has looked the name up already (`Content.undeclared`).  With a missing header nothing is said, as the name may
come from it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.spec import CLAUSES, is_declarative
from ompls.analysis.spec.near import near

_HEADERS = {"NULL": "stddef.h", "true": "stdbool.h", "false": "stdbool.h", "bool": "stdbool.h"}
_LISTING = ("declare target", "threadprivate", "allocate")
_LISTS = ("to", "enter", "link", "local")
_WORD = 3  # letters: any two shorter names are near


def check(scene: Scene) -> Iterator[Finding]:
    content = scene.content
    if content is None:
        yield from _listed(scene)
        return
    if not content.undeclared or not scene.unit.complete_headers:
        return
    said: set[str] = set()
    where = "first use in this function" if scene.function is not None else "not in a function"
    for name in sorted(content.undeclared, key=lambda n: n.span.start):
        if name.name not in said:
            said.add(name.name)
            stmt, clause = _clause(content, name)
            named = f", named by `{clause.name}` of `{stmt.directive.name}`" if stmt and clause else ""
            meant = _with_colon(clause, name) if clause else ""
            hint = f"; did you mean `{meant}`?" if meant else _hint(content, name)
            message = f"`{name.name}` undeclared ({where}){named}{hint}"
            yield Finding(name.span, message, "error")


def _listed(scene: Scene) -> Iterator[Finding]:
    """Of a directive between the functions that lists names, or computes: their declarations stand before it."""
    for directive in scene.directives if scene.unit.complete_headers else ():
        for name in directive.undeclared if is_declarative(directive.name) else ():
            yield Finding(
                name.span, f"`{name.name}` undeclared (not in a function), named by `{directive.name}`", "error"
            )
        lists = [(f"`{directive.name}`", directive.args)] if directive.name in _LISTING else []
        if directive.name == "declare target":
            lists += [(f"`{c.name}` of `{directive.name}`", c.items) for c in directive.all(*_LISTS)]
        for by, items in lists:
            for name in (i.expr for i in items if isinstance(i.expr, ast.Name) and i.expr.symbol is None):
                yield Finding(name.span, f"`{name.name}` undeclared (not in a function), named by {by}", "error")


def _clause(content: Content, name: ast.Name) -> tuple[ast.DirectiveStmt | None, Clause | None]:
    """Where it is named."""
    for stmt in content.directives:
        for clause in stmt.directive.clauses:
            if clause.span.start <= name.span.start < clause.span.end:
                return stmt, clause
    return None, None


def _with_colon(clause: Clause, name: ast.Name) -> str:
    """`map(to, x)`: a word of the clause is taken for a variable, because a comma stands where a colon belongs."""
    spec = CLAUSES.get(clause.name)
    words = (*spec.keywords, *spec.modifiers) if spec is not None and not clause.keyword else ()
    before = list(itertools.takewhile(lambda i: i.text in words, clause.items))
    after = [i.text for i in clause.items[len(before) :]]
    if not after or not any(i.expr is name for i in before):
        return ""
    return f"{clause.name}({', '.join(i.text for i in before)}: {', '.join(after)})"


def _hint(content: Content, name: ast.Name) -> str:
    header = "omp.h" if name.name.startswith("omp_") else _HEADERS.get(name.name)
    if header is not None:
        return f"; #include <{header}> declares it"
    close = near(name.name, sorted(_in_scope(content, name))) if len(name.name) >= _WORD else []
    return f"; did you mean `{close[0]}`?" if close else ""


def _in_scope(content: Content, name: ast.Name) -> set[str]:
    """The variables in force at the name, as far as the declaration itself shows them: a hint must not depend on more."""
    node = content.node
    if not isinstance(node, ast.FunctionDef):
        return set()
    names = {p.name for p in node.params}
    for inner in node.walk():
        if isinstance(inner, ast.Name) and inner.symbol is not None and inner.symbol.level == "file":
            names.add(inner.name)
        elif isinstance(inner, (ast.Compound, ast.For)) and inner.span.start <= name.span.start < inner.span.end:
            declared = (c for c in inner.children() if isinstance(c, ast.DeclStmt) and c.span.start < name.span.start)
            names.update(v.symbol.name for d in declared for v in d.decls)
    return names


RULE = Rule(
    id="undeclared-name",
    severity="error",
    group="structure",
    title="A name that nothing declares",
    why="""
Every variable in a clause and in code must be declared before, where it is used: no compiler takes the program otherwise, and
no kernel can be made of a region that names it. A name that a clause lists must be declared where the directive stands,
not in the block after it. The rule is silent while a header is missing.
""",
    section="none",
    bad=(
        """
void f(int n, double *a) {
    #pragma omp target teams map(tofrom: b[0:n]) num_teams(m)
    //                                                     ^ error: `m` undeclared (first use in this function), named by `num_teams` of `target teams`
    //                                   ^ error: `b` undeclared (first use in this function), named by `map` of `target teams`
    for (int i = 0; i < n; i++) a[i] = b[i];
}
""",
        """
static double total;
void f(int n, double *values) {
    #pragma omp target teams distribute parallel for map(tofrom: valeus[0:n]) reduction(+: totl)
    //                                                                                     ^^^^ error: `totl` undeclared (first use in this function), named by `reduction` of `target teams distribute parallel for`; did you mean `total`?
    //                                                           ^^^^^^ error: `valeus` undeclared (first use in this function), named by `map` of `target teams distribute parallel for`; did you mean `values`?
    for (int i = 0; i < n; i++) total += values[i] * facter;
    //                                               ^^^^^^ error: `facter` undeclared (first use in this function)
    #pragma omp target map(always, tofrom, values[0:n], total)
    //                             ^^^^^^ error: `tofrom` undeclared (first use in this function), named by `map` of `target`; did you mean `map(always, tofrom: values[0:n], total)`?
    //                     ^^^^^^ error: `always` undeclared (first use in this function), named by `map` of `target`; did you mean `map(always, tofrom: values[0:n], total)`?
    values[0] = total;
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for private(j)
    //                               ^ error: `j` undeclared (first use in this function), named by `private` of `parallel for`
    for (int i = 0; i < n; i++) {
        int j = i;
        x[i] = j;
    }
    #pragma omp target allocate(omp_default_mem_alloc: n) firstprivate(n)
    //                          ^^^^^^^^^^^^^^^^^^^^^ error: `omp_default_mem_alloc` undeclared (first use in this function), named by `allocate` of `target`; #include <omp.h> declares it
    x = NULL;
    //  ^^^^ error: `NULL` undeclared (first use in this function); #include <stddef.h> declares it
}
int table[SIZE];
//        ^^^^ error: `SIZE` undeclared (not in a function)
""",
        """
int known;
#pragma omp declare target(known, unknown)
//                                ^^^^^^^ error: `unknown` undeclared (not in a function), named by `declare target`
#pragma omp declare target to(later) link(known)
//                            ^^^^^ error: `later` undeclared (not in a function), named by `to` of `declare target`
#pragma omp threadprivate(mine)
//                        ^^^^ error: `mine` undeclared (not in a function), named by `threadprivate`
static int later, mine;
""",
        """
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(deep: vec v) map(v, v.x[0:size])
//                                                   ^^^^ error: `size` undeclared (not in a function), named by `declare mapper`
#pragma omp declare reduction(sum: double: omp_out += scale * omp_in) initializer(omp_priv = zero)
//                                                                                           ^^^^ error: `zero` undeclared (not in a function), named by `declare reduction`
//                                                    ^^^^^ error: `scale` undeclared (not in a function), named by `declare reduction`
void f(int n, double **p) {
    #pragma omp declare reduction(least: int: omp_out = bound < omp_in ? bound : omp_in)
    //                                                  ^^^^^ error: `bound` undeclared (first use in this function)
    #pragma omp declare mapper(vec w) map(w.x[0:many])
    //                                          ^^^^ error: `many` undeclared (first use in this function), named by `map` of `declare mapper`
    #pragma omp target update to(iterator(i = 0:lim, int j = n:0:back): p[i][j])
    //                                                           ^^^^ error: `back` undeclared (first use in this function), named by `to` of `target update`
    //                                          ^^^ error: `lim` undeclared (first use in this function), named by `to` of `target update`
}
""",
    ),
    good=(
        """
typedef struct { int n, first; double *x; } vec;
enum { HALF = 5 };
int most(int, int);
void start(vec *, vec *);
#pragma omp declare mapper(vec v) map(to: v.n) map(iterator(k = 0:v.n), tofrom: v.x[k])
#pragma omp declare reduction(max: vec: omp_out.n = most(omp_out.n, omp_in.n)) initializer(start(&omp_priv, &omp_orig))
#pragma omp declare reduction(|, two: int, long: omp_out |= omp_in << HALF) initializer(omp_priv = {0})
#pragma omp declare reduction(+: vec: omp_out = (vec){.n = omp_in.n, .x = later(&omp_in)})
void f(int n, double **p, vec *q) {
    #pragma omp declare reduction(&&: _Bool: omp_out = omp_in && n > sizeof(double)) initializer(omp_priv = 1)
    #pragma omp declare mapper(other: vec w) map(w, w.x[0:w.n])
    #pragma omp target map(iterator(i = 0:n, double *j = p[0]:p[0] + n, k = i:n > 4 ? n : 4:HALF), to: p[i][0:n])
    p[0][0] = 1;
}
""",
        """
#include "names.h"
#pragma omp declare target to(table)
#pragma omp threadprivate(state)
""",
        """
extern int table[];
static int state, kept;
void f(void);
#pragma omp declare target(f)
#pragma omp declare target enter(f) link(table)
#pragma omp threadprivate(state)
#pragma omp allocate(kept)
#pragma omp declare reduction(most: int: omp_out = omp_in > omp_out ? omp_in : omp_out)
""",
        """
#include "sizes.h"
void f(double *a) {
    #pragma omp target map(tofrom: a[0:SIZE]) num_teams(TEAMS)
    for (int i = 0; i < SIZE; i++) a[i] = 0;
}
""",
        """
#define N 100
enum { TEAMS = 4 };
struct pair { int a, b; };
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(deep: vec v) map(v, v.x[0:v.n])
#pragma omp declare reduction(add: double: omp_out += omp_in) initializer(omp_priv = omp_orig)
int g(int), h(int);
#pragma omp declare variant(h) match(construct={target})
int g(int k) { return k; }
void f(vec *v, double *x, struct pair p) {
    double sum = 0;
    #pragma omp target teams num_teams(TEAMS) map(mapper(deep), tofrom: v[0:1]) reduction(add: sum)
    sum += x[N] + p.b + g(1) + later(2) + (__func__[0] == 'f');
}
""",
        """
#define N 100
struct pair { int a, b; };
void f(double *x, double sum) {
    #pragma omp task depend(iterator(int k = 0:N), out: x[k]) depend(inoutset: sum)
    {
        goto end;
    end:;
        void *at = &&end;
        at = (void *)__builtin_offsetof(struct pair, b);
    }
    #pragma omp critical(name)
    sum = __builtin_fabs(sum);
}
""",
        """
void f(int n, double *x, double sum) {
    #pragma omp cancel parallel
    #pragma omp assume absent(parallel)
    sum = 1;
    #pragma omp metadirective when(device={kind(nohost)}: target) default(parallel for)
    for (int i = 0; i < n; i++) x[i] = 0;
    #pragma omp taskwait depend(out: omp_all_memory)
}
""",
        """
void f(a, b)
    int *a;
    double b;
{
    struct pair { int first; } p = {.first = 1};
    #pragma omp target map(tofrom: a[0:10])
    a[0] = b + p.first;
#if 0
    nowhere = 1;
#endif
}
""",
    ),
    check=check,
    needs="names",
)
