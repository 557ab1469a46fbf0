"""What compilers take but the grammar does not know is either read all the same, or no warning."""

from __future__ import annotations

import pytest

from ompls.analysis import notes, rules
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Floating
from ompls.analysis.model.tu import TU

from .support import analyze

READ = {
    "complex integers": "_Complex int a; unsigned _Complex char b; long int _Complex c; _Complex unsigned long long d;",
    "complex numbers": "double _Complex a; long double _Complex b; _Complex long double c; _Complex float d;",
    "parts": "double _Complex z; void f(double x) { __real__ z += x; __imag__ z = __real__ z; }",
    "parts under atomic": """double _Complex z;
void f(double x) {
    #pragma omp atomic
    __real__ z += x;
}""",
    "imaginary numbers": "double _Complex z; void f(void) { z = 1.0i + 2i + 1.5fi + 3.0Q; }",
    "names that are keywords since": """struct s { int alignof, offsetof, constexpr, alignas; } v;
static int thread_local, constexpr = 3, noreturn = 4;
static int square(int constexpr) { return constexpr * constexpr; }
int f(void) { thread_local = v.alignof + v.constexpr; v.alignas = noreturn;
    return square(constexpr) + thread_local; }""",
    "words in comments": """void report(const char *text /* in case of any */, ...);
int f(int x) { return x; /* goto */ }
int g(int x) { return x; /* see __attribute__((unused) */ }
char *h(void) { return "/* goto *"; }""",
    "old designators": """enum { A, B, C };
static const char *names[] = { [A]  "a", [B] = "b",
  [C] "c" }, *more[3] = { [A ... B] &"x"[0] };
struct pair { int a, b; } pairs[3] = { [B] { 1, 2 }, [C] { .b = 3 } }, one = { a: 1, b: 2 };
int first(int *x, int y) { x[y] = 1, x[y + 1] = (x[0], y); return x[names[A][0]]; }""",
    "hexadecimal fractions": "double a = 0X.1ACP12, b = 0x.8p0f;",
    "types as arguments": """#define IS(e, t) __builtin_types_compatible_p(__typeof__(e), t)
struct s;
int f(char *v) { return IS(v, char *) + IS(v, struct s *) + IS(v, int (*)(void)) + IS(&v, __typeof__(v) *); }""",
    "a function named noreturn": "void noreturn(void); void f(int n) { if (n) noreturn(); }",
}
SILENT = {
    "old style": "f(x, n)\nfloat *x;\nint n;\n{\n    x[0] = n;\n}\n",
    "old style on a line": "struct s *g(name) char *name;\n{\n    return name ? 0 : (struct s *)name;\n}\n",
    "comma in brackets": "int g(void); void f(int *x) { x[g(), 0] += 6; }",
    "transaction": "void f(long *x) { __transaction_atomic { x[0]++; } }",
    "address space": "int __seg_fs a;",
    "boolean names": "void f(void) { int true, false; true = 1; false = !true; }",
}


def warned(tu: TU) -> list[str]:
    return [d.message for d in (*notes.diagnostics(tu), *rules.check(tu)) if d.severity != "hint"]


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_read(text: str) -> None:
    tu = analyze(text)
    assert not tu.notes
    assert warned(tu) == []


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_no_warning(text: str) -> None:
    assert warned(analyze(text)) == []


def test_a_part_is_what_is_assigned() -> None:
    tu = analyze(READ["parts"])
    assigned = [n for n in tu.items[1].content.node.walk() if isinstance(n, ast.Assign)]
    assert [(n.op, getattr(n.target, "op", "")) for n in assigned] == [("+=", "__real__"), ("=", "__imag__")]
    assert [n.type for n in assigned] == [Floating("double"), Floating("double")]


def test_a_mistake_is_a_warning() -> None:
    assert warned(analyze("void f(int x) { x = (1; }\n")) != []
