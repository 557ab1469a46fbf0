"""Expressions, statements and functions, wide and deep."""

from __future__ import annotations

from .parts import Shape, T, each, inside, nested, region


def loops(n: int, head: str = "") -> str:
    return region(
        f"{head}\n" + each(n, lambda k: f"for (int i{k} = 0; i{k} < n; i{k}++)") + "\nd[i0] += 1;", "map(d[0:n])"
    )


def values(n: int) -> str:
    """Each variable is twice the one before: terms double when they are put in."""
    body = "long v0 = n;\n" + each(n, lambda k: f"long v{k + 1} = v{k} + v{k} * n;")
    return (
        f"int main(int n, char **a) {{ static double d[100];\n{body}\n{T} map(tofrom: d[0:v{n}])\nd[v{n}] = 1;\nreturn 0; }}\n"
        + region(
            f"{body}\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) d[v{n} + i] = d[v{n} - i];", "map(d[0:n])"
        )
    )


def quotients(n: int) -> str:
    """The same with values that are no polynomials."""
    body = "long v0 = n;\n" + each(n, lambda k: f"long v{k + 1} = v{k} / 3 + v{k} % 7;")
    loop = f"{T} parallel for map(d[0:n])\nfor (int i = 0; i < n; i++) d[v{n} + i] = d[v{n} - i];"
    return (
        inside(f"{body}\n{loop}\nreturn 0;")
        + f"int main(int n, char **a) {{ double d[9];\n{body}\n{loop}\nreturn 0; }}\n"
    )


def loaded_values(n: int) -> str:
    body = "long v0 = n;\n" + each(n, lambda k: f"long v{k + 1} = a[v{k}] + p[v{k}];")
    return region(
        f"{body}\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) d[v{n} + i] = d[v{n} - i];", "map(d[0:n])"
    )


def squares(n: int) -> str:
    body = "long v0 = n + x + 1;\n" + each(n, lambda k: f"long v{k + 1} = v{k} * v{k} + x;")
    return region(
        f"{body}\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) d[v{n} + i] = d[v{n} - i];", "map(d[0:n])"
    )


def product(n: int) -> str:
    index = each(n, lambda k: f"(i + {k} * x)", " * ")
    return region(f"#pragma omp parallel for\nfor (int i = 0; i < n; i++) d[{index}] = d[i];", "map(d[0:n])")


def wide_product(n: int) -> str:
    names = each(n, lambda k: f"int y{k}", ", ")
    factors = each(max(2, n // 8), lambda k: "(" + each(8, lambda m: f"y{(k * 8 + m) % n}", " + ") + ")", " * ")
    return inside(
        f"{T} parallel for map(d[0:n])\nfor (int i = 0; i < n; i++) d[{factors} + i] = d[i];",
        f"void f(double *d, int n, {names})",
    )


def symbolic_sum(n: int) -> str:
    names = each(n, lambda k: f"int y{k}", ", ")
    index = each(n, lambda k: f"y{k} * i", " + ")
    return inside(
        f"{T} parallel for map(d[0:n])\nfor (int i = 0; i < n; i++) d[{index}] = d[i];",
        f"void f(double *d, int n, {names})",
    )


SHAPES: dict[str, Shape] = {
    "functions": (
        500,
        lambda n: (
            each(n, lambda k: f"int f{k}(int x) {{ return x + {k} + f{(k * 7 + 1) % n}(x); }}")
            + "\n"
            + (f"int main(void) {{ int x = 1;\n{T} map(tofrom: x)\nx = f0(x);\nreturn x; }}\n")
        ),
    ),
    # Each function calls the one before twice: 2 to the n calls.
    "call tree": (
        48,
        lambda n: (
            f"void f0(int *p, int n) {{\n{T} map(tofrom: p[0:n])\np[0]++; }}\n"
            + each(n, lambda k: f"void f{k + 1}(int *p, int n) {{ f{k}(p, n); if (n > {k}) f{k}(p + 1, n - 1); }}")
            + f"\nint main(void) {{ int a[9] = {{0}}; f{n}(a, 8); return a[0]; }}\n"
        ),
    ),
    "pointer tree": (
        12,
        lambda n: (
            "int leaf(int *p) { return *p; }\n"
            + "int (*g0)(int *) = leaf;\n"
            + each(n, lambda k: f"int h{k}(int *p) {{ return g{k}(p) + g{k}(p + 1); }} int (*g{k + 1})(int *) = h{k};")
            + f"\nint main(void) {{ int a[99] = {{0}}; return g{n}(a); }}\n"
        ),
    ),
    "conditional": (25, lambda n: region("x = " + nested(n, "(x ? ", "1", " : 2)") + ";", "map(x)")),
    "conditional chain": (
        25,
        lambda n: region("x = " + each(n, lambda k: f"x == {k} ? {k}", " : ") + " : 0;", "map(x)"),
    ),
    "double conditional": (
        25,
        lambda n: region("x = " + nested(n, "(x ? x : ", "x", ") + (x ? 1 : 2)") + ";", "map(x)"),
    ),
    "strings": (400, lambda n: f"char *s = {each(n, lambda k: chr(34) + 'abc' + chr(34), ' ')};\n" + region("x = *s;")),
    "wide string": (1000, lambda n: f'char s[] = "{"abcdefgh" * n}";\n' + region("x = *s;")),
    "casts": (25, lambda n: region("x = " + "(int)" * n + "x;", "map(x)")),
    "operators": (10, lambda n: region("x = " + "- ~ ! " * n + "x;", "map(x)")),
    "stars": (15, lambda n: region("x = " + "*&" * n + "x;", "map(x)")),
    "parentheses": (25, lambda n: region("x = " + nested(n, "(", "x", ")") + ";", "map(x)")),
    "subscripts": (25, lambda n: region("x = " + nested(n, "a[", "x", "]") + ";", "map(x)")),
    "calls": (25, lambda n: "int g(int a, int b);\n" + region("x = " + nested(n, "g(1, ", "x", ")") + ";", "map(x)")),
    "additions": (25, lambda n: region("x = " + each(n, lambda k: f"a[{k % 9}] * {k}", " + ") + ";", "map(x)")),
    "logical": (25, lambda n: region("x = " + each(n, lambda k: f"(x > {k} || x < -{k})", " && ") + ";", "map(x)")),
    "commas": (25, lambda n: region("x = (" + each(n, lambda k: f"x + {k}", ", ") + ");", "map(x)")),
    "assignments": (25, lambda n: region("x = " * n + "1;", "map(x)")),
    "statement expressions": (
        15,
        lambda n: region("x = " + nested(n, "({ int y = ", "x", "; y + y; })") + ";", "map(x)"),
    ),
    "blocks": (25, lambda n: region(each(n, lambda k: f"{{ int y{k} = x; ") + "x++;" + "}" * n, "map(x)")),
    "same name blocks": (25, lambda n: region("{ int x = 1; " * n + "x++;" + "}" * n)),
    "statements": (500, lambda n: region(each(n, lambda k: f"x += d[{k}];"), "map(x)")),
    "statements in main": (
        500,
        lambda n: (
            "int main(void) { double d[9]; int x = 0;\n"
            + each(n, lambda k: f"x += d[{k % 9}];")
            + f"\n{T} map(d)\nd[0]++;\nreturn x; }}\n"
        ),
    ),
    "ladder": (
        25,
        lambda n: region(each(n, lambda k: f"if (x == {k}) x = {k + 1};", " else\n") + " else x = 0;", "map(x)"),
    ),
    "labels": (200, lambda n: region(each(n, lambda k: f"l{k}: if (x++ > {k}) goto l{(k * 7 + 3) % n};"), "map(x)")),
    "labels in main": (
        200,
        lambda n: (
            "int main(int x, char **v) { double d[9];\n"
            + each(n, lambda k: f"l{k}: if (x++ > {k}) goto l{(k * 7 + 3) % n};")
            + f"\n{T} map(d)\nd[0]++;\nreturn x; }}\n"
        ),
    ),
    "cases": (300, lambda n: region("switch (x) {" + each(n, lambda k: f"case {k}: x += {k}; break;") + "}", "map(x)")),
    "falling": (300, lambda n: region("switch (x) {" + each(n, lambda k: f"case {k}: x += d[{k}];") + "}", "map(x)")),
    # A decision after the other, in main, with data on the device.
    "conditions": (
        50,
        lambda n: (
            "int main(int c, char **v) { double d[100]; int x = 0;\n"
            + each(
                n,
                lambda k: (
                    f"if (c > {k}) {{\n#pragma omp target enter data map(to: d[{k % 100}:1])\n}}\nif (v[{k}]) x++;"
                ),
            )
            + f"\n{T} map(d)\nd[x]++;\nreturn x; }}\n"
        ),
    ),
    "loops": (25, loops),
    "collapse": (25, lambda n: loops(n, f"#pragma omp parallel for collapse({n})")),
    "values": (20, values),
    "quotients": (96, quotients),
    "loaded values": (12, loaded_values),
    "squares": (8, squares),
    "product": (20, product),
    "wide product": (32, wide_product),
    "symbolic sum": (30, symbolic_sum),
    # Each pointer is the one before or another.
    "pointers": (
        30,
        lambda n: (
            "int main(int c, char **v) { static double b[9]; double *q0 = b;\n"
            + each(n, lambda k: f"double *q{k + 1} = c > {k} ? q{k} : b + {k};")
            + f"\n{T} map(tofrom: q{n}[0:1])\n*q{n} = 1;\nreturn 0; }}\n"
        ),
    ),
}

BOUNDED: dict[str, Shape] = {
    "call tree on device": (
        24,
        lambda n: (
            "#pragma omp declare target\nint f0(int *p, int n) { return p[n]++; }\n"
            + each(n, lambda k: f"int f{k + 1}(int *p, int n) {{ return f{k}(p, n) + f{k}(p + 1, n - 1); }}")
            + "\n#pragma omp end declare target\n"
            + f"int main(void) {{ int a[9] = {{0}}, s = 0;\n#pragma omp target parallel for map(a) reduction(+: s)\n"
            f"for (int i = 0; i < 9; i++) s += f{n}(a, i);\nreturn s; }}\n"
        ),
    ),
    "loops in main": (
        20,
        lambda n: (
            "int main(void) { static double d[100]; int n = 10;\n"
            + each(n, lambda k: f"for (int i{k} = 0; i{k} < n; i{k}++) {{\n{T} map(tofrom: d[0:n])\nd[i{k}] += 1;")
            + "}" * n
            + "return 0; }\n"
        ),
    ),
}
