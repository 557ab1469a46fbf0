"""What cannot be translated is a diagnostic with its range, and there is no output."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from named import preview, translate
from together import together

from ompls.analysis.model.tu import TU

# (device, the region's text, the text that the diagnostic points to, part of its message)
CASES = [
    ("host", "int wide[n];\n#pragma omp taskgroup task_reduction(+: wide)\n#pragma omp target in_reduction(+: wide)\n"
     "wide[0] += 1;",
     "wide", "list a section of it"),
    *((device, "typedef double plane[n][n];\n#pragma omp target\n((plane *)a)[0][1][1] = 1;", "plane", "its lengths")
      for device in ("host", "cuda")),
    ("host", "double t[2] = {0, 0};\n#pragma omp target map(tofrom: t)\n#pragma omp parallel reduction(+: t[0], t[1])\n"
     "{ t[0] += 1; t[1] += 2; }", "t[1]", "`t[0]` is reduced here, too"),
    ("host", "struct { double *t; } u;\n#pragma omp target is_device_ptr(u.t)\nu.t[0] = 1;", "u.t", "whole variables"),
    ("cuda", "#pragma omp target parallel for collapse(2)\nfor (int i = 0; i < n; i++)\nfor (int j = 0; j < i * i;"
     " j++)\na[j] = i;", "i * i", "not linear"),
    ("cuda", "#pragma omp target parallel for\n#pragma omp tile sizes(2, 2)\nfor (int i = 0; i < n; i++)\n"
     "for (int j = 0; j < i; j++)\na[j] = i;", "i", "depend on an outer loop's counter"),
    ("cuda", "#pragma omp target parallel for\nfor (int i = 0; i * i < n; i++)\na[i] = i;", "i * i < n", "condition"),
    ("cuda", "#pragma omp target parallel for\nfor (int i = 1; i < n; i *= 2)\na[i] = i;", None, "increment"),
    ("cuda", "#pragma omp target parallel for\nfor (double d = 0; d < n; d++)\na[0] = d;", None, "counter"),
    ("cuda", "#pragma omp target parallel for\nfor (double (*w)[n] = 0; w < (double (*)[n])a; w++)\na[0] = 1;",
     "for (double (*w)[n] = 0; w < (double (*)[n])a; w++)\na[0] = 1;", "count them with an integer"),
    ("cuda", "#pragma omp target\nperror(\"no\");", "perror", "'perror'"),
    ("cuda", "#pragma omp target teams distribute parallel for ordered\nfor (int i = 0; i < n; i++)\na[i] = i;",
     "ordered", "different teams"),
    ("cuda", "#pragma omp target\n{\n#pragma omp atomic\na[0] = a[1] + a[2];\n}", "a[0] = a[1] + a[2];", "forms"),
    ("cuda", "#pragma omp target device(ancestor: 1)\na[0] = 1;", "device(ancestor: 1)", "reverse"),
    *((device, "#pragma omp target\na[0] = helper();\n#pragma omp target\na[1] = helper();", "hidden", "'hidden'")
      for device in ("host", "cuda")),
    ("cuda", "int ompls_mine = 1;\n#pragma omp target parallel for\nfor (int i = 0; i < n; i++)\na[i] = ompls_mine;",
     None, "ompls_mine"),
    ("cuda", "long double wide = 1;\n#pragma omp target\na[0] = wide;", None, "long double"),
    *(
        ("cuda", f"struct {{ int a : 5, b : 9; }} f;\n#pragma omp target\n{{\n#pragma omp {directive}\n{text}\n}}",
         "f.b", "atomic on a bit-field")
        for directive, text in (
            ("atomic", "f.b += 1;"), ("atomic read", "n = f.b;"), ("atomic write", "f.b = 1;"),
            ("atomic capture", "n = f.b++;"), ("atomic compare", "if (f.b == 1) { f.b = 2; }"),
        )
    ),
    ("cuda", "struct { int a : 5; } f[2];\n#pragma omp target\n{\n#pragma omp atomic\nf->a += 1;\n}",
     "f->a", "atomic on a bit-field"),
    ("cuda", "#pragma omp target\n{ _Atomic int x = 1; x++; a[0] = x; }", None, "atomic variable"),
    ("cuda", "#pragma omp target\na[0] = ({ if (n) goto out; 1; });\nout:;", None, "a jump leaves it"),
    ("cuda", "#pragma omp target\n{\ndouble big[9000];\n#pragma omp parallel\nbig[0] = 1;\na[0] = big[0];\n}", None,
     "72000 bytes"),
    ("cuda", "#pragma omp target\n{ struct s { int x; }; a[0] = ((struct { struct s m; }){{3}}).m.x; }",
     "(struct { struct s m; }){{3}}", "a type of this block"),
    ("cuda", "#pragma omp target\n{ struct s { int x; }; struct s *p = &(struct s){3}; a[0] = p->x; }",
     "(struct s){3}", "give it a variable"),
    ("cuda", "int class = 1, class_ = 2;\n#pragma omp target\na[0] = class + class_;", None, "reserves"),
    ("cuda", "#pragma omp target parallel for\nfor (int i = 0; i < 9.5; i++)\na[i] = i;", "9.5", "integer"),
    ("cuda", "#pragma omp target map(a[0:m])\na[0] = 1;", "m", "not declared"),
    ("host", "#pragma omp target\na[0] = m;", "m", "not declared"),
    ("cuda", "#pragma omp target map(iterator(i = 0:m), to: a[i])\na[0] = 1;", "m", "not declared"),
    ("host", "#pragma omp declare reduction(sum: int: omp_out += m * omp_in)\n"
     "#pragma omp target parallel for reduction(sum: n)\nfor (int i = 0; i < 9; i++)\nn += i;", "m", "not declared"),
    ("host", "typedef float v4 __attribute__((vector_size(16))); v4 v;\n#pragma omp target map(v)\na[0] = 1;", None,
     "make it an array"),
    ("host", "typedef float v4 __attribute__((vector_size(16))); v4 v;\n#pragma omp target\nv = v;", None,
     "make it an array"),
    ("host", "struct { int x; int y[n]; } s;\n#pragma omp target map(s)\ns.x = 1;", None,
     "a member of variable length"),
    ("cuda", "int inner(int k) { return k + n; }\n#pragma omp target\na[0] = inner(1);", "inner",
     "nested function 'inner'"),
    ("host", "_Atomic int x = 1;\n#pragma omp target map(x)\nx++;", None, "the atomic variable 'x'"),
    *(
        ("host", f"struct s {{ int n, v[{length}]; }} *p = (void *)a;\n#pragma omp declare mapper(struct s x)"
         " map(x, x.v[0:x.n])\n#pragma omp target map(p[0:1])\np->n = 1;", None, "it goes on behind its structure")
        for length in ("", 0, 1)
    ),
    *(
        (device, f"#pragma omp target {first} {second}\na[0] = 1;", second, "nobody can tell which one counts")
        for device in ("host", "cuda")
        for first, second in (
            ("device(0)", "device(1)"), ("if(n)", "if(!n)"), ("nowait", "nowait"),
            ("defaultmap(to: scalar)", "defaultmap(tofrom: scalar)"), ("defaultmap(to)", "defaultmap(tofrom: scalar)"),
        )
    ),
    *(
        (device, f"#pragma omp {directive}\nfor (int i = 0; i < 9; i++)\na[i] = n;", "n", f"`{first}` lists it, too")
        for device in ("host", "cuda")
        for directive, first in (
            ("target map(n) firstprivate(n)", "map"), ("target private(n) firstprivate(n)", "private"),
            ("target teams distribute parallel for private(n) reduction(+: n)", "private"),
            ("target\n#pragma omp parallel for firstprivate(n) shared(n)", "firstprivate"),
        )
    ),
    *(
        ("host", f"#pragma omp target {clause}({text})\na[0] = 1;", text, why)
        for clause, text, why in (
            ("map", "((char *)a)[0:48]", "it goes through an expression"),
            ("map", "((struct { int x; } *)a)->x", "it goes through an expression"),
            ("map", "(a + n)[0:2]", "put the offset into the section"), ("map", "1[a]", "its subscript in front"),
            ("map", "near", "in a register variable"),
        )
    ),
    ("host", "#pragma omp target update depend(in: n + 1) to(a)", "n + 1", "it is an expression, which has no address"),
    ("host", "#pragma omp target map(a[0:2:2])\na[0] = 1;", "a[0:2:2]", "stride"),
]  # fmt: skip
PROGRAM = """#include <stdio.h>
int hidden = 3;
static int helper(void) {{ return hidden; }}
void f(int n)
{{
    int a[100] = {{0}};
    register int near = 0;
    {0}
    printf("%d", a[0] + helper());
}}
"""


@together(("device", "text", "where", "message"), CASES, ids=lambda x: None)
def test_is_a_diagnostic(device: str, text: str, where: str | None, message: str, unit: Callable[[str], TU]) -> None:
    tu = unit(PROGRAM.format(text))
    bundle = translate([tu], [device])
    assert bundle.files == {}
    (found,) = bundle.diagnostics
    assert (found.rule, found.severity) == ("untranslatable-construct", "error")
    assert message in found.message
    assert f"cannot be translated for {device}" in found.message
    shown = tu.source[found.where.start : found.where.end].decode()
    if where is not None:
        assert shown == where
    assert re.match(r"\s*\S", shown)
    if not text.startswith("#pragma omp target update"):
        assert preview(tu, device).text == ""
        assert preview(tu, device).diagnostics == tuple(bundle.diagnostics)


def test_a_mapper_that_no_construct_needs_is_left_out(unit: Callable[[str], TU]) -> None:
    mapper = "\n#pragma omp declare mapper(int x) \\\n map(x)\n"
    bundle = translate(
        [unit(f"int puts(const char *);{mapper}int main(void)\n{{{mapper}return puts(__FILE__);\n}}\n")], ["host"]
    )
    assert not bundle.diagnostics
    assert not [name for name, text in bundle.files.items() if b"declare mapper" in text]


def test_a_mapper_that_names_itself_has_no_end(unit: Callable[[str], TU]) -> None:
    text = "struct s {{ int n; }} w;\n#pragma omp declare mapper(me: struct s v) map(mapper({}), tofrom: v{})\n"
    text += "void f(void)\n{{\n#pragma omp target update to(mapper(me): w)\n}}\n"
    for inner, item, message in (
        ("me", "", "without end"),
        ("me", ".n", "for the type of"),
        ("other", "", "no such mapper"),
    ):
        bundle = translate([unit(text.format(inner, item))], ["host"])
        assert not bundle.files
        assert [message in d.message for d in bundle.diagnostics] == [True]


# (the device, what stands in front of the region, its text, what the diagnostic points to, part of its message)
ADDRESSES = [
    ("cudasim", "static int *const list[] = {(int[]){7}, 0};\nstatic int first(void) { return *list[0]; }",
     "*r = first();", "#pragma omp target",
     "'list' cannot be translated for cudasim: it begins with the address of a compound literal"),
    ("cudasim", "static const struct { const int *v; const char *n; } list[2] = {{&(int){7}, \"seven\"}};",
     "*r = list[0].n[0];", "#pragma omp target", "compound literal"),
    ("host", "extern int far[];\n#pragma omp declare target\nint *p = far + 1;\n#pragma omp end declare target\n"
     "int far[4];", "*r = *p;", "far", "the address of 'far' cannot be translated for host: it has no size here yet"),
]  # fmt: skip


@pytest.mark.parametrize(("device", "ahead", "text", "where", "message"), ADDRESSES, ids=lambda x: None)
def test_addresses_that_devices_cannot_have(  # noqa: PLR0917 - one row of the table
    device: str, ahead: str, text: str, where: str, message: str, unit: Callable[[str], TU]
) -> None:
    tu = unit(f"{ahead}\nvoid f(int *r)\n{{\n#pragma omp target\n    {text}\n}}\n")
    bundle = translate([tu], [device])
    (found,) = bundle.diagnostics
    assert bundle.files == {}
    assert tu.source[found.where.start : found.where.end].decode() == where
    assert message in found.message


def test_an_array_without_a_size_is_for_another_file_to_list(unit: Callable[[str], TU]) -> None:
    ahead = "extern int far[];\n#pragma omp declare target\nint *p = far + 1;\n#pragma omp end declare target\n"
    bundle = translate([unit(f"{ahead}void f(int *r)\n{{\n#pragma omp target\n    *r = *p;\n}}\n")], ["host"])
    assert not bundle.diagnostics
    assert not [name for name, text in bundle.files.items() if b"__typeof__(far)" in text]


@pytest.mark.parametrize(
    ("directive", "where"),
    [
        ("requires reverse_offload", "reverse_offload"),
        ("requires atomic_default_mem_order(relaxed) reverse_offload", "reverse_offload"),
    ],
)
def test_what_the_file_asks_for_is_refused(directive: str, where: str, unit: Callable[[str], TU]) -> None:
    region = "void f(struct s *p)\n{\n#pragma omp target\n    p->x = 1;\n}\n"
    text = f"struct s {{ int x; }};\n#pragma omp {directive}\n{region}"
    tu = unit(text)
    bundle = translate([tu], ["cudasim"])
    (found,) = bundle.diagnostics
    assert tu.source[found.where.start : found.where.end].decode() == where
    assert bundle.files == {}
    assert preview(tu, "cudasim").diagnostics == (found,)


@pytest.mark.parametrize(
    "directive", ["mapper(struct s x) map(x.n, x.v[0:m])", "reduction(min: struct s: omp_out.n = m)"]
)
def test_what_a_directive_between_the_functions_names_is_declared(directive: str, unit: Callable[[str], TU]) -> None:
    text = f"struct s {{ int n, *v; }};\n#pragma omp declare {directive}\n"
    text += "void f(struct s *p)\n{\n#pragma omp target map(p[0:1])\np->n = 1;\n}\n"
    tu = unit(text)
    (found,) = translate([tu], ["cudasim"]).diagnostics
    assert "`m` cannot be translated for cudasim: it is not declared" in found.message
    assert preview(tu, "cudasim").diagnostics == (found,)
    assert translate([unit("int m;" + text)], ["cudasim"]).files


SELF_NAMED = """int twice(int x);
#pragma omp declare target to(twice)
#define twice(x) twice((x) + 1)
#define kept kept
#define REGION(a) _Pragma("omp target map(tofrom: a)") a = twice(a);
int twice_(int *b, int a, int kept)
{{
    {}
    return a + kept;
}}
"""


@pytest.mark.parametrize("text", [
    "REGION(a)", "#pragma omp target map(tofrom: b[0:twice(2)])\nb[0] = a;",
    "#pragma omp metadirective when(device={kind(gpu)}: target) default(target)\na = twice(a);",
])  # fmt: skip
def test_macros_that_name_themselves_are_not_expanded_twice(text: str, unit: Callable[[str], TU]) -> None:
    (found,) = translate([unit(SELF_NAMED.format(text))], ["host"]).diagnostics
    assert "the macro 'twice' here cannot be translated for host: its expansion has its own name" in found.message


def test_such_macros_may_stand_in_what_stays_as_it_is(unit: Callable[[str], TU]) -> None:
    text = SELF_NAMED.format("#pragma omp target map(tofrom: a) firstprivate(kept)\na = twice(a) + kept;")
    assert translate([unit(text)], ["host"]).diagnostics == []


ADD = "static void NAME(void) {\n#pragma omp target map(tofrom: V)\n    V += 1;\n}\n"


def test_a_construct_of_a_header_that_is_included_twice(unit: Callable[[str], TU], tmp_path: Path) -> None:
    (tmp_path / "add.h").write_text(ADD)
    once = '#define NAME f{0}\n#define V v{0}\nstatic int v{0};\n#include "add.h"\n#undef NAME\n#undef V\n'
    found, *rest = translate([unit(once.format(1) + once.format(2))], ["host"]).diagnostics
    assert "a header that is included several times cannot be translated for host" in found.message
    assert (found.where.path.endswith("add.h"), rest) == (True, [])
    assert translate([unit(once.format(1))], ["host"]).diagnostics == []
