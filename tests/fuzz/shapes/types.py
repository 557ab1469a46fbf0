"""Types, declarations and initialisers, wide and deep."""

from __future__ import annotations

from .parts import Shape, T, each, inside, nested, region


def uses(types: str, name: str) -> str:
    """A region over a variable of the type `name`, with its size in constants and offsets."""
    return (
        f'{types}\n{name} v; int w[sizeof({name}) > 8 ? 2 : 3]; _Static_assert(_Alignof({name}) > 0, "");\n'
        + region(f"x += sizeof v; {name} *q = &v; x += (int)sizeof *q;", "map(tofrom: v) map(x)")
        + f"int g(void) {{ {name} u = {{0}}, t = v; return u.a0.a0.a0.c + sizeof t + __builtin_offsetof({name}, a0); }}\n"
    )


def structures(n: int, kind: str = "struct", members: int = 2, more: str = "") -> str:
    """Each structure holds the one before `members` times."""
    types = f"{kind} s0 {{ char c; int *q; }};\n" + each(
        n, lambda k: f"{kind} s{k + 1} {{ {each(members, lambda m: f'{kind} s{k} a{m}{more};', ' ')} }};"
    )
    return uses(types, f"{kind} s{n}")


def typedefs(n: int) -> str:
    types = "typedef struct { char c; } t0;\n" + each(n, lambda k: f"typedef struct {{ t{k} a0, a1[2]; }} t{k + 1};")
    return uses(types, f"t{n}")


def anonymous(n: int) -> str:
    """Structures without names inside of each other, then a chain of structures with such a member twice."""
    deep = nested(min(n, 40), "struct { int c; union { ", "int deepest;", " }; };")
    deep = deep.replace("int c;", "")
    types = f"struct s0 {{ {deep} char c; }};\n" + each(
        n, lambda k: f"struct s{k + 1} {{ struct {{ struct s{k} a0; int b{k}; }}; struct {{ struct s{k} z{k}; }}; }};"
    )
    return uses(types, f"struct s{n}")


def function_types(n: int) -> str:
    types = "typedef int (*f0)(int);\n" + each(n, lambda k: f"typedef f{k} (*f{k + 1})(f{k}, f{k});")
    return (
        types
        + f"f{n} v, u; int g(f{n} a) {{ f{n} b = a; v = b; return a == b && sizeof a == sizeof v; }}\n"
        + region(f"f{n} b = v; x = b == u;", "map(to: v)")
    )


def different_dimensions(n: int) -> str:
    names = each(n, lambda k: f"int n{k}", ", ")
    return inside(
        f"int t{each(n, lambda k: f'[n{k}]', '')};\n{T} map(tofrom: t)\nt{'[1]' * n} = x;\nreturn 0;",
        f"int f(int x, {names})",
    )


def parameters(n: int) -> str:
    names = each(n, lambda k: f"int a{k}", ", ")
    return f"int g({names});\n" + region(f"x = g({each(n, lambda k: f'x + {k}', ', ')});", "map(x)")


SHAPES: dict[str, Shape] = {
    "structures": (20, structures),
    "structures 10 wide": (4, lambda n: structures(n, members=10)),
    "unions": (20, lambda n: structures(n, "union")),
    "structures in arrays": (20, lambda n: structures(n, more="[2]")),
    "structures with bit-fields": (20, lambda n: structures(n).replace("};\n", " int b:3; };\n")),
    "typedefs": (20, typedefs),
    "anonymous": (12, anonymous),
    # The innermost one is never defined.
    "incomplete": (
        20,
        lambda n: (
            each(n, lambda k: f"struct s{k + 1} {{ int ok; struct s{k} a0, a1; }};")
            + region(f"x = sizeof(struct s{n});")
        ),
    ),
    # Structures that are defined inside of each other.
    "structures in place": (
        20,
        lambda n: (
            f"struct s {{ {nested(n, 'struct { int c; ', 'int last;', ' } a0, a1;')} }} v;\n" + region("x = sizeof v;")
        ),
    ),
    "function types": (10, function_types),
    "pointer types": (400, lambda n: f"int {'*' * n}q;\n" + region(f"x = (int){'*' * n}q; q = ({'int' + '*' * n})0;")),
    "initialiser": (800, lambda n: f"int t[] = {{ {each(n, str, ', ')} }};\n" + region("x = t[x];")),
    "initialiser rows": (
        1000,
        lambda n: f"int t[][2] = {{ {each(n, lambda k: f'{{ {k}, 1 }}', ', ')} }};\n" + region("x = t[x][0];"),
    ),
    "initialiser flat": (
        1000,
        lambda n: (
            f"struct s {{ int a, b[3]; struct {{ int c, d; }} e; }} t[] = {{ {each(n, str, ', ')} }};\n"
            + region("x = t[x].a;")
        ),
    ),
    "initialiser local": (
        1000,
        lambda n: region(f"struct s {{ int a, b[3]; }} t[] = {{ {each(n, str, ', ')} }}; x = t[x].a;"),
    ),
    "initialiser designated": (
        1000,
        lambda n: f"int t[] = {{ {each(n, lambda k: f'[{k * 3}] = {k}', ', ')} }};\n" + region("x = t[x];"),
    ),
    "initialiser members": (
        300,
        lambda n: (
            f"struct s {{ {each(n, lambda k: f'int m{k};')} }} t = {{ {each(n, lambda k: f'.m{k} = {k}', ', ')} }};\n"
            + region(each(n, lambda k: f"x += t.m{k};"))
        ),
    ),
    "initialiser deep": (
        25,
        lambda n: f"int t{'[1]' * n} = {nested(n, '{', '1', '}')};\n" + region(f"x = t{'[0]' * n};"),
    ),
    "dimensions": (25, lambda n: f"int t{'[2]' * n};\n" + region(f"t{'[1]' * n} = x;", f"map(tofrom: t{'[0:2]' * n})")),
    "variable dimensions": (
        40,
        lambda n: inside(f"int t{'[n]' * n};\n{T} map(tofrom: t)\nt{'[1]' * n} = x;\nreturn 0;"),
    ),
    "different dimensions": (8, different_dimensions),
    "big structure": (
        300,
        lambda n: (
            f"struct s {{ {each(n, lambda k: f'int m{k}, *q{k};')} }} v;\n"
            + region(each(n, lambda k: f"v.m{k} = x;"), "map(v)")
        ),
    ),
    "big structure parts": (
        96,
        lambda n: (
            f"struct s {{ {each(n, lambda k: f'int m{k};')} }} v;\n"
            + region(each(n, lambda k: f"v.m{k} = x;"), f"map({each(n, lambda k: f'v.m{k}', ', ')})")
        ),
    ),
    "enumeration": (
        500,
        lambda n: (
            f"enum e {{ {each(n, lambda k: f'e{k}' if not k else f'e{k} = e{k - 1} + 1', ', ')} }};\n"
            + region(f"x = e{n - 1};")
        ),
    ),
    "parameters": (300, parameters),
    "declarations": (400, lambda n: each(n, lambda k: f"int v{k};") + "\n" + region("x = v0;")),
    "redeclarations": (400, lambda n: "extern int v;\n" * n + region("x = v;")),
    "locals": (300, lambda n: region(each(n, lambda k: f"int v{k} = x;") + f"x = v{n - 1};", "map(x)")),
    "captured": (
        300,
        lambda n: inside(
            each(n, lambda k: f"int v{k} = x;") + f"\n{T} map(x)\n{{ {each(n, lambda k: f'x += v{k};')} }}\nreturn x;"
        ),
    ),
    "declarators": (400, lambda n: "int " + each(n, lambda k: f"v{k} = {k}", ", ") + ";\n" + region("x = v0;")),
    "nested declarator": (25, lambda n: f"int {nested(n, '(*', 'q', ')(int)')};\n" + region("x = q != 0;")),
    "constants": (
        1000,
        lambda n: (
            f"long v = {'9' * n}; double w = 1e{'9' * n}; long u = 0x{'f' * n}; float t = 0.{'1' * n};\n"
            + region("x = v;")
        ),
    ),
    "big powers": (
        300,
        lambda n: (
            "enum e { a = " + each(n, lambda k: "65536", " * ") + ", b = 1 << " + "9" * n + " };\n" + region("x = a;")
        ),
    ),
    "big arrays": (25, lambda n: f"char t{'[1000000]' * n};\n" + region("x = t" + "[0]" * n + ";", "map(t)")),
    "generics": (25, lambda n: region("x = " + nested(n, "_Generic(x, int: ", "1", ", default: 2)") + ";", "map(x)")),
    "generic conditions": (
        25,
        lambda n: region("x = " + nested(n, "_Generic((", "x", "), int: 1, default: 2)") + ";", "map(x)"),
    ),
    "sizeofs": (25, lambda n: region("x = " + nested(n, "sizeof(x + ", "x", ")") + ";", "map(x)")),
    "typeofs": (
        25,
        lambda n: inside(
            "__typeof__(x) y0 = x;\n"
            + each(n, lambda k: f"__typeof__(y{k} + y{k}) y{k + 1} = y{k} + y{k};")
            + f"\nreturn y{n};"
        ),
    ),
    "typeofs nested": (25, lambda n: inside(nested(n, "__typeof__((", "x", ") + 1)") + " y = x; return y;")),
    "lists": (
        25,
        lambda n: (
            "struct l { struct l *next; int v; };\n"
            + region("x = q->" + "next->" * n + "v;", "map(x)")
            .replace("int *p;", "struct l *q;")
            .replace("*p;", "*p; struct l *q;")
        ),
    ),
    # q->a->b->c… with a structure of its own each.
    "chains": (
        25,
        lambda n: (
            "struct s0 { int v; };\n"
            + each(n, lambda k: f"struct s{k + 1} {{ struct s{k} *q, *r; }};")
            + f"\nint f(struct s{n} *z, int n) {{ int x = 0;\n{T} map(tofrom: z[0:n])\nx = z->"
            + "q->" * n
            + "v;\nreturn x; }\n"
        ),
    ),
    "packs": (
        300,
        lambda n: (
            "#pragma pack(push, 1)\n" * n
            + "struct s { char c; int i; } v;\n"
            + "#pragma pack(pop)\n" * n
            + region("x = sizeof v;")
        ),
    ),
}
