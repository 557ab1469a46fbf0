"""Directives and their clauses: many, long, nested."""

from __future__ import annotations

from collections.abc import Callable

from .parts import Shape, T, each, inside, nested, region


def mappers(n: int) -> str:
    """A mapper for each structure, which maps the one before twice."""
    types = "struct s0 { int c; int *q; };\n#pragma omp declare mapper(struct s0 v) map(v, v.q[0:v.c])\n" + each(
        n,
        lambda k: (
            f"struct s{k + 1} {{ struct s{k} a0, a1; }};\n#pragma omp declare mapper(struct s{k + 1} v) map(v.a0, v.a1)"
        ),
    )
    return (
        f"{types}\nstruct s{n} v;\n"
        + region("v.a0 = v.a1;", "map(tofrom: v)")
        + "int main(void) { return f(1, 2, 0); }\n"
    )


def list_item(item: str) -> str:
    head = "struct s { struct s *n; int v; }; int a[9]; int f(struct s *p, int x, double *d)"
    return inside(f"{T} map(tofrom: {item})\n{{ x = p->v + a[0] + d[0]; }}\nreturn x;", head)


def depends(n: int) -> str:
    body = each(n, lambda k: f"#pragma omp task depend(in: d[{k}]) depend(out: d[{k + 1}])\nd[{k + 1}] = d[{k}] + 1;")
    return inside(f"#pragma omp parallel\n#pragma omp single\n{{\n{body}\n}}\nreturn x;")


def nowaits(n: int) -> str:
    body = each(n, lambda k: f"{T} nowait depend(inout: d[{k % 7}]) map(tofrom: d[{k}:1])\nd[{k}]++;")
    return inside(f"{body}\n#pragma omp taskwait\nreturn x;")


def metadirectives(n: int) -> str:
    whens = each(n, lambda k: f'when(device={{arch("a{k}")}}: target teams)', " ")
    return inside(f"#pragma omp metadirective {whens} default(target)\n{{ x++; }}\nreturn x;")


def iterators(n: int) -> str:
    names = each(n, lambda k: f"i{k} = 0:2", ", ")
    index = each(n, lambda k: f"i{k}", " + ")
    return region("d[0]++;", f"map(iterator({names}), tofrom: d[{index}:1])")


def accesses(n: int) -> str:
    body = each(n, lambda k: f"d[{k} * i + {k}] = d[i + {k}];")
    return region(f"#pragma omp parallel for\nfor (int i = 0; i < n; i++) {{\n{body}\n}}", "map(d[0:n])")


def shared_scalars(n: int) -> str:
    names = each(n, lambda k: f"y{k} = 0", ", ")
    body = each(n, lambda k: f"y{k} += i;")
    return inside(f"int {names};\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) {{\n{body}\n}}\nreturn y0;")


def criticals(n: int) -> str:
    body = each(n, lambda k: f"#pragma omp critical(c{k})\n{{ ") + "x++;" + "}" * n
    return region(f"#pragma omp parallel\n{{ {body} }}", "map(x)")


def locks(n: int) -> str:
    names = each(n, lambda k: f"l{k}", ", ")
    body = each(n, lambda k: f"omp_set_lock(&l{k}); x++; omp_unset_lock(&l{k});")
    return (
        f"typedef struct {{ int x; }} omp_lock_t; void omp_set_lock(omp_lock_t *); void omp_unset_lock(omp_lock_t *); omp_lock_t {names};\n"
        + inside(f"#pragma omp parallel\n{{\n{body}\n}}\nreturn x;")
    )


def nested_constructs(directive: str) -> Callable[[int], str]:
    return lambda n: inside(nested(n, f"#pragma omp {directive}\n{{\n", "x++;\n", "}\n") + "return x;")


def clause(name: str, item: Callable[[int], str] | None = None, directive: str = "target", rest: str = "") -> Shape:
    """A clause with n items, each a variable of its own."""
    item = item or (lambda k: f"v{k}")

    def made(n: int) -> str:
        variables = "int " + each(n, lambda k: f"v{k}", ", ") + ";\n"
        listed = f"{name}({rest}{each(n, item, ', ')})"
        return inside(f"{variables}#pragma omp {directive} {listed}\nfor (int i = 0; i < n; i++) v0 += v1;\nreturn v0;")

    return 400, made


CLAUSES: dict[str, Shape] = {
    "map": clause("map"),
    "map sections": (160, clause("map", lambda k: f"p[{k}:1]", rest="tofrom: ")[1]),
    "map of one": clause("map", lambda k: "x", rest="tofrom: "),
    "map of pieces": clause("map", lambda k: f"a[{k % 9}:1]", rest="tofrom: "),
    "firstprivate": clause("firstprivate"),
    "private": clause("private"),
    "target data": clause("map", directive="target data"),
    "enter data": clause("map", directive="target enter data", rest="to: "),
    "update": clause("to", directive="target update"),
    "is_device_ptr": clause("is_device_ptr"),
    "depend": clause("depend", directive="target nowait", rest="inout: "),
    "task depend": clause("depend", directive="task", rest="in: "),
    "shared": clause("shared", directive="parallel"),
    "reduction": clause("reduction", directive="parallel for", rest="+: "),
    "target reduction": clause("reduction", directive="target teams distribute parallel for", rest="+: "),
    "lastprivate": clause("lastprivate", directive="parallel for"),
    "linear": clause("linear", directive="simd"),
    "aligned": clause("aligned", directive="simd"),
    "copyprivate": clause("copyprivate", directive="single"),
    "copyin": clause("copyin", directive="parallel"),
    "flush": clause("", directive="flush"),
    "threadprivate": clause("", directive="threadprivate"),
    "use_device_ptr": clause("use_device_ptr", directive="target data"),
    "has_device_addr": clause("has_device_addr"),
    "allocate": clause("allocate"),
    "uses_allocators": clause("uses_allocators"),
    "affinity": clause("affinity", directive="task"),
    "in_reduction": clause("in_reduction", rest="+: "),
    "nontemporal": clause("nontemporal", directive="simd"),
}

SHAPES: dict[str, Shape] = {
    **{f"clause {name}": shape for name, shape in CLAUSES.items()},
    "mappers": (10, mappers),
    "depends": (120, depends),
    "nowaits": (64, nowaits),
    "regions in a row": (
        100,
        lambda n: inside(each(n, lambda k: f"{T} map(tofrom: d[0:n])\nd[{k}] = x;") + "\nreturn x;"),
    ),
    "regions of one array": (
        100,
        lambda n: (
            "int main(void) { double d[100]; int x = 0;\n#pragma omp target data map(alloc: d)\n{\n"
            + each(
                n, lambda k: f"{T} map(tofrom: d)\nd[{k % 100}] = x;\n#pragma omp target update from(d[{k % 100}:1])"
            )
            + "\n}\nreturn d[0] > 0; }\n"
        ),
    ),
    "regions in functions": (
        100,
        lambda n: (
            each(
                n,
                lambda k: (
                    f"void f{k}(double *d, int n) {{\n{T} teams distribute parallel for map(tofrom: d[0:n])\n"
                    f"for (int i = 0; i < n; i++) d[i] += {k}; }}"
                ),
            )
            + "\nint main(void) { double d[9]; "
            + each(n, lambda k: f"f{k}(d, 9);")
            + " return 0; }\n"
        ),
    ),
    "metadirectives": (100, metadirectives),
    "metadirective nest": (
        10,
        lambda n: inside(
            "#pragma omp metadirective "
            + nested(n, "when(device={kind(gpu)}: metadirective ", "default(target)", ")")
            + "\n{ x++; }\nreturn x;"
        ),
    ),
    "metadirective statements": (
        10,
        lambda n: inside(
            nested(n, "#pragma omp metadirective when(device={kind(gpu)}: parallel) default(single)\n{", "x++;", "}")
            + "\nreturn x;"
        ),
    ),
    "variants": (
        100,
        lambda n: (
            f"int v{n}(int x) {{ return x; }}\n"
            + each(
                n,
                lambda k: (
                    f'#pragma omp declare variant(v{n - k}) match(device={{arch("a{k}")}})\n'
                    f"int v{n - k - 1}(int x) {{ return v{n - k}(x) + 1; }}"
                ),
            )
            + "\n"
            + region("x = v0(x);", "map(x)")
        ),
    ),
    "variants of one": (
        100,
        lambda n: (
            each(n, lambda k: f"int v{k}(int x) {{ return x; }}")
            + "\n"
            + each(n, lambda k: f'#pragma omp declare variant(v{k}) match(device={{arch("a{k}")}})')
            + "\nint base(int x) { return x; }\n"
            + region("x = base(x);", "map(x)")
        ),
    ),
    "names on device": (
        300,
        lambda n: (
            "int "
            + each(n, lambda k: f"v{k}", ", ")
            + ";\n#pragma omp declare target to("
            + each(n, lambda k: f"v{k}", ", ")
            + ")\n"
            + region(each(n, lambda k: f"v{k} += x;"))
        ),
    ),
    "declare targets": (
        200,
        lambda n: each(n, lambda k: f"int v{k};\n#pragma omp declare target(v{k})") + "\n" + region("x = v0;"),
    ),
    "reductions": (
        100,
        lambda n: (
            each(n, lambda k: f"#pragma omp declare reduction(r{k}: int: omp_out += omp_in) initializer(omp_priv = 0)")
            + "\n"
            + region("#pragma omp parallel for reduction(r0: x)\nfor (int i = 0; i < n; i++) x += i;", "map(x)")
        ),
    ),
    "iterators": (25, iterators),
    "accesses": (40, accesses),
    "shared scalars": (100, shared_scalars),
    "worksharing": (
        160,
        lambda n: region(
            "#pragma omp parallel\n{"
            + each(n, lambda k: f"#pragma omp for nowait\nfor (int i = 0; i < n; i++) d[i] += {k};")
            + "}",
            "map(d[0:n])",
        ),
    ),
    "sections": (
        50,
        lambda n: region(
            "#pragma omp parallel sections\n{" + each(n, lambda k: f"#pragma omp section\nd[{k}] = x;") + "}",
            "map(d[0:n])",
        ),
    ),
    "criticals": (15, criticals),
    "locks": (300, locks),
    "atomics": (
        100,
        lambda n: region("#pragma omp parallel\n{" + each(n, lambda k: "#pragma omp atomic\nx++;") + "}", "map(x)"),
    ),
    "barriers": (
        200,
        lambda n: region(
            "#pragma omp parallel\n{" + each(n, lambda k: f"d[{k}] = x;\n#pragma omp barrier") + "}", "map(d[0:n])"
        ),
    ),
    "aliases": (
        50,
        lambda n: (
            "#include <stdlib.h>\nvoid *malloc(unsigned long); int main(int c, char **v) {\n"
            + each(n, lambda k: f"double *q{k} = malloc(8 * c);\n#pragma omp target enter data map(alloc: q{k}[0:c])")
            + f"\n{T}\nq0[0] = 1;\n"
            + each(n, lambda k: f"#pragma omp target exit data map(from: q{k}[0:c])")
            + "\nreturn 0; }\n"
        ),
    ),
    "unknown clauses": (300, lambda n: region("x++;", each(n, lambda k: f"foo{k}(x, y)", " "))),
    "repeated clauses": (200, lambda n: region("x++;", each(n, lambda k: f"map(tofrom: d[{k}:1])", " "))),
    "stand alone": (300, lambda n: inside("#pragma omp barrier\n" * n + "return x;")),
    "stacked": (100, lambda n: inside(f"{T}\n" * n + "x++;\nreturn x;")),
    "nested parallel": (100, nested_constructs("parallel")),
    "nested task": (100, nested_constructs("task")),
    "nested teams": (24, nested_constructs("target teams")),
    "nested critical": (100, nested_constructs("critical")),
    "nested data": (
        25,
        lambda n: inside(
            each(n, lambda k: f"#pragma omp target data map(tofrom: d[{k}:1])\n{{")
            + f"\n{T}\nd[0] = x;\n"
            + "}" * n
            + "\nreturn x;"
        ),
    ),
}

BOUNDED: dict[str, Shape] = {
    "nested target": (200, nested_constructs("target")),
    "members in a list item": (1000, lambda n: list_item(f"p{'->n' * n}->v")),
    "indices in a list item": (10_000, lambda n: list_item("a" + "[0]" * n)),
    "indices in list items' indices": (120, lambda n: list_item(nested(n, "a[0][(", "x", ")][0]"))),
    "comparisons in a list item": (1000, lambda n: list_item(f"d[x{' < x' * n}]")),
    "conditions in a list item": (1000, lambda n: list_item(f"d[x{' ? x : x' * n}]")),
}
