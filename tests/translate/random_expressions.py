"""Random C expressions and statements without undefined behaviour: every compiler must get the same values from them.

Signed variables hold at most 4095 in magnitude, products are of numbers up to 63, shifts are small; unsigned arithmetic
may wrap.  Floating values are multiples of 1/4 that a float holds exactly.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

SIGNED = ("signed char", "short", "int", "long", "long long")
UNSIGNED = ("unsigned char", "unsigned short", "unsigned", "unsigned long", "unsigned long long")
INTEGERS = (*SIGNED, *UNSIGNED)
FLOATS = ("float", "double")

# What every program declares: the types and functions that statements may use.
PRELUDE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#define N 64
#define AT(i, j) ((i) * 8 + (j))
#define EVERY(v, n) for (int v = 0; v < (n); v++)
enum color { RED, GREEN = 5, BLUE };
enum sign { MINUS = -1, PLUS = 1 };
struct inner { short s; unsigned char c[3]; };
struct bits { unsigned a : 3; int b : 5; unsigned long c : 20; _Bool d : 1; };
union word { unsigned u; unsigned char c[4]; };
typedef struct { int i; struct inner in; struct bits bits; union word w; double d; enum color e; } record;
static unsigned long long mix(unsigned long long h, unsigned long long v) { return (h ^ v) * 1099511628211ull + 7; }
#pragma omp declare target
static int scale = 3;
static long table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const short primes[5] = {2, 3, 5, 7, 11};
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static unsigned twist(unsigned char c, short s, double d) { return c * 3u + s + (unsigned)(long)d; }
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static void fill(record *r, int v)
{
    r->i = v & 15; r->in.s = v; r->in.c[v & 1] = v * 7; r->in.c[2] = v;
    r->bits.a = v; r->bits.b = v & 15; r->bits.c = v * 3; r->bits.d = v & 2;
    r->w.u = v * 2654435761u; r->d = (v & 63) * 0.25; r->e = v & 1 ? GREEN : BLUE;
}
static record made(int v) { record r = {0}; fill(&r, v); return r; }
#pragma omp end declare target
static unsigned long long hash_record(const record *r)
{
    unsigned long long h = mix(r->i, r->in.s);
    h = mix(mix(mix(h, r->in.c[0]), r->in.c[1]), r->in.c[2]);
    h = mix(mix(mix(mix(h, r->bits.a), r->bits.b), r->bits.c), r->bits.d);
    return mix(mix(mix(h, r->w.u), (long)(r->d * 4)), r->e);
}
"""


@dataclass
class Scope:
    """Names that may be read and assigned, with their types; `taken` numbers fresh ones."""

    names: dict[str, str] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)  # not to be assigned
    record: str = ""  # a `record` lvalue
    loops: int = 0  # loops around: break and continue are allowed
    depth: int = 0
    own: set[str] = field(default_factory=set)  # declared in this very block

    def child(self) -> Scope:
        return Scope(dict(self.names), set(self.fixed), self.record, self.loops, self.depth + 1)


class Maker:
    """Draws C text.  One instance a program; the numbers in names are unique in it."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.number = 0

    def fresh(self, prefix: str) -> str:
        self.number += 1
        return f"{prefix}{self.number}"

    def literal(self) -> str:
        value = self.r.choice((0, 1, 2, 3, 7, 10, 31, 63, 100, 255, 1000, self.r.randrange(4096)))
        suffix = self.r.choice(("", "", "", "", "u", "l", "ull"))
        return self.r.choice((f"{value}{suffix}", hex(value), "'A'", "sizeof(int)", "BLUE", "MINUS", f"(-{value})"))

    def leaf(self, scope: Scope) -> str:
        options = [self.literal(), "scale", f"primes[{self.r.randrange(5)}]", f"table[{self.r.randrange(8)}]"]
        names = [n for n, t in scope.names.items() if t not in FLOATS]
        options += [self.r.choice(names)] * 6 if names else []
        if scope.record:
            member = self.r.choice(("i", "in.s", "in.c[1]", "bits.a", "bits.b", "bits.c", "bits.d", "w.c[2]", "e"))
            options += [f"{scope.record}.{member}"] * 3
        return self.r.choice(options)

    def expr(self, scope: Scope, depth: int = 3) -> str:
        """An integer expression."""
        if depth <= 0 or self.r.random() < 0.15:
            return self.leaf(scope)
        a, b = self.expr(scope, depth - 1), self.expr(scope, depth - 1)
        k = self.r.randrange(20)
        if k < 4:
            return f"({a} {self.r.choice('+-')} {b})"
        if k < 6:
            return f"(({a} & 63) * ({b} & 63))"
        if k < 8:
            return f"({a} {self.r.choice('&|^')} {b})"
        if k < 10:
            return f"({a} {self.r.choice(('<', '<=', '==', '!=', '>', '>='))} {b})"
        if k < 11:
            return f"(({a} & 1023) {self.r.choice('/%')} (({b} & 15) + 1))"
        if k < 12:
            return f"(({a} & 255) {self.r.choice(('<<', '>>'))} ({b} & 3))"
        if k < 13:
            return f"({a} ? {b} : {self.expr(scope, depth - 1)})"
        if k < 14:
            return f"({self.r.choice('~-!')}({a} & 4095))"
        if k < 15:
            return f"({a} {self.r.choice(('&&', '||'))} {b})"
        return self._rare(scope, a, b, depth)

    def _rare(self, scope: Scope, a: str, b: str, depth: int) -> str:
        kind = self.r.choice(INTEGERS)
        return self.r.choice((
            f"(({kind})({a} & 4095))", f"((unsigned char)({a}))", f"((short)({a}))", f"(0, {b})",
            f"fib({a} & 7)", f"twist({a}, {b} & 63, {self.floating(scope, 1)})", f"even({a} & 7)",
            f"abs({a} & 511)", f"made({a} & 255).i", f"(int){self.floating(scope, depth - 1)}",
            f"(((signed char)({a})) >> 1)", f"(long)sqrt((double)(({a} & 15) * ({a} & 15)))",
            f"(({a} & 3) ?: {b})", f"(({a} & 4095) - 5u < 10)", f"((_Bool)({a}) + 1)", f"(int)fmax({a} & 31, {b} & 31)",
        ))  # fmt: skip

    def floating(self, scope: Scope, depth: int = 2) -> str:
        """A floating expression of at most a few thousand, a multiple of 1/4."""
        names = [n for n, t in scope.names.items() if t in FLOATS]
        if depth <= 0 or self.r.random() < 0.3:
            return self.r.choice([*names, *names, "0.5", "2.25f", "1e1", f"({self.leaf(scope)} & 31)"])
        a, b = self.floating(scope, depth - 1), self.floating(scope, depth - 1)
        return self.r.choice((f"({a} + {b})", f"({a} - {b})", f"(({a}) * 2)", f"({a} > {b} ? {a} : {b})", f"fabs({a})"))

    def assign(self, scope: Scope, name: str, kind: str) -> str:
        """A statement that changes a variable and keeps it small."""
        if kind in FLOATS:
            return f"{name} = (int)({self.floating(scope)}) % 1000 + 0.25;"
        e = self.expr(scope)
        if kind == "record":
            return f"fill(&{name}, {e} & 1023);"
        if kind == "enum color":
            return f"{name} = {e} & 1 ? RED : BLUE;"
        mask = "0x7f" if "char" in kind else "0xfff"
        if kind in UNSIGNED and self.r.random() < 0.6:
            op = self.r.choice(("=", "+=", "-=", "^=", "|=", "&="))
            return f"{name} {op} {e};" if self.r.random() < 0.8 else f"{self.r.choice(('++', '--'))}{name};"
        if kind in UNSIGNED and self.r.random() < 0.5:
            return f"{name} {self.r.choice(('<<=', '>>='))} ({e}) & 7;"
        return f"{name} = ({e}) & {mask};" if self.r.random() < 0.7 else f"{name} = -(int)(({e}) & {mask});"
