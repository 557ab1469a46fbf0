"""What is there before the grammar: lines, comments, macros, conditions, includes."""

from __future__ import annotations

from .parts import Shape, each, inside, nested, region

HEADERS = {
    **{f"tree{k}.h": f'#include "tree{k - 1}.h"\n' * 2 for k in range(1, 2000)},
    "tree0.h": "extern int leaf;\n",
    "self.h": '#include "self.h"\n#include "self.h"\n',
    "cyc.h": '#include "cyc2.h"\n#include "cyc2.h"\nint cyc;\n',
    "cyc2.h": '#include "cyc.h"\n#include "cyc.h"\nint cyc2;\n',
    "level.h": "#if __INCLUDE_LEVEL__ < 40\n#include __FILE__\n#include __FILE__\n#endif\n",
    "large.h": "extern int large; /* some text */\n" * 1000,
}

SHAPES: dict[str, Shape] = {
    "comments": (400, lambda n: "/* a */ // b\n" * n + region("x = 1; /* c */ " * n)),
    "comment line": (400, lambda n: "/* a */ " * n + region("x++;")),
    "open comment": (1000, lambda n: "/* a\n" * n),
    "open string": (500, lambda n: 'char *s = "a\n' * n),
    "open parentheses": (200, lambda n: "int f(void) { return (a[(\n" * n),
    "open braces": (500, lambda n: "int f(void) {\n" * n),
    "close braces": (500, lambda n: "int f(void) { } }\n" * n),
    "open pragma": (300, lambda n: "#pragma omp target map(to: a[\n" * n),
    "garbage": (300, lambda n: "@ ` $ ) ] } 0x 1e+ ' \" ;\n" * n),
    "missing semicolons": (300, lambda n: inside("x++ y++ " * n)),
    "backslashes": (1000, lambda n: "#define A \\\n" * n + "1\n" + region("x = A;") + "int \\\n" * n + "v;\n"),
    "long line": (1000, lambda n: region("x++; " * n, "map(x)").replace("\n{\n", "\n{ ")),
    "spaces": (1000, lambda n: region(f"x{' ' * n * 10}++;{chr(10) * n}", "map(x)")),
    "pragma spaces": (1000, lambda n: region("x++;", f"map(x{' ' * n * 10}){' ' * n}")),
    "pragma lines": (500, lambda n: region("x++;", "\\\n" * n + "map(x)")),
    "macros": (
        300,
        lambda n: each(n, lambda k: f"#define M{k} {k}") + "\n" + region(each(n, lambda k: f"x += M{k};"), "map(x)"),
    ),
    "macro chain": (
        300,
        lambda n: "#define M0 1\n" + each(n, lambda k: f"#define M{k + 1} M{k}") + "\n" + region(f"x = M{n};"),
    ),
    # 2 to the n tokens.
    "macro tree": (
        10,
        lambda n: (
            "#define M0 x +\n"
            + each(n, lambda k: f"#define M{k + 1} M{k} M{k}")
            + "\n"
            + region(f"x = M{n} 1;", "map(x)")
        ),
    ),
    "macro arguments": (
        8,
        lambda n: "#define M(a) a + a\n" + region("x = " + nested(n, "M(", "x", ")") + ";", "map(x)"),
    ),
    "macro condition tree": (
        10,
        lambda n: (
            "#define M0 1 +\n" + each(n, lambda k: f"#define M{k + 1} M{k} M{k}") + f"\n#if M{n} 1\nint a;\n#endif\n"
        ),
    ),
    "macro wide": (
        300,
        lambda n: (
            f"#define M({each(n, lambda k: f'a{k}', ', ')}) {each(n, lambda k: f'a{k}', ' + ')}\n"
            + region(f"x = M({each(n, str, ', ')});", "map(x)")
        ),
    ),
    "macro paste": (
        300,
        lambda n: (
            f"#define M(a) {each(n, lambda k: f'a ## {k}', ' + ')}\n#define S(a) #a\n"
            + region(f"x = M(1); char *s = S({'a ' * n});", "map(x)")
        ),
    ),
    "macro lines": (300, lambda n: "#define M(a) a\n" + region("x = M(" + "x +\n" * n + "1);", "map(x)")),
    "macro open": (800, lambda n: "#define M(a) a\n" + region("x = M(x;\n" * n, "map(x)")),
    "redefinitions": (500, lambda n: each(n, lambda k: f"#define N {k}\nint v{k} = N;") + "\n" + region("x = N;")),
    "defined and undefined": (500, lambda n: each(n, lambda k: f"#define N {k}\n#undef N") + "\n" + region("x = 1;")),
    "pushed macros": (
        300,
        lambda n: "#define N 1\n" + '#pragma push_macro("N")\n' * n + '#pragma pop_macro("N")\n' * n + region("x = N;"),
    ),
    "if nest": (200, lambda n: "#if 1\n" * n + "int v;\n" + "#endif\n" * n + region("x = v;")),
    "if nest false": (200, lambda n: "#if 0\n" * n + "int v;\n" + "#endif\n" * n + region("x = 1;")),
    "elifs": (
        300,
        lambda n: (
            "#define N 3\n#if 0\n" + each(n, lambda k: f"#elif N == {k + 5}\nint v;") + "\n#endif\n" + region("x = 1;")
        ),
    ),
    "if expression": (
        25,
        lambda n: (
            f"#if {nested(n, '(1 + ', '1', ')')}\nint v;\n#endif\n#if {each(n, lambda k: f'defined(N{k})', ' || ')}\n#endif\n"
            + region("x = 1;")
        ),
    ),
    "line directives": (
        300,
        lambda n: each(n, lambda k: f'#line {k * 10 + 1} "a{k}.c"\nint v{k} = __LINE__;') + "\n" + region("x = 1;"),
    ),
    "counters": (300, lambda n: each(n, lambda k: "int v = __COUNTER__;") + "\n" + region("x = 1;")),
    "pragma operators": (200, lambda n: inside('_Pragma("omp parallel") { x++; }\n' * n + "return x;")),
    "include tree": (10, lambda n: f'#include "tree{n}.h"\n' + region("x++;")),
    "include row": (150, lambda n: '#include "tree0.h"\n' * n + region("x++;")),
    "include missing": (300, lambda n: each(n, lambda k: f'#include "gone{k}.h"') + "\n" + region("x++;")),
    "include large": (20, lambda n: '#include "large.h"\n' * n + region("x++;")),
}

BOUNDED: dict[str, Shape] = {
    "macro tree lines": (
        5,
        lambda n: (
            "#define M0 x +\n"
            + each(14, lambda k: f"#define M{k + 1} M{k} M{k}")
            + "\n"
            + region("x = M14 1;\n" * n, "map(x)")
        ),
    ),
    "macro call tree": (
        24,
        lambda n: (
            "#define M0(a) a\n"
            + each(n, lambda k: f"#define M{k + 1}(a) M{k}(a) + M{k}(a)")
            + "\n"
            + region(f"x = M{n}(x);", "map(x)")
        ),
    ),
    "include self": (1, lambda n: '#include "self.h"\n' * n + region("x++;")),
    "include ring": (1, lambda n: '#include "cyc.h"\n' * n + region("x++;")),
    "include level": (1, lambda n: '#include "level.h"\n' * n + region("x++;")),
}
