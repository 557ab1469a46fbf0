"""Where a variable in a pragma or in the code of a construct is declared and used, and renaming: drawn in snippets."""

from __future__ import annotations

import re

import pytest
from together import together

from ompls.analysis import features
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import HeaderSnapshot, HeaderUnit, Macro, Settings

from .marked import marked

# `¦` is the cursor, «…» a use, ‹…› the declaration.  Nothing else of that name is the variable.
CASES = {
    "parameter": """
void g(int x) { x = 1; }
void f(int n, float *‹x›) {
    #pragma omp target map(tofrom: «¦x»[0:n]) firstprivate(n)
    for (int i = 0; i < n; i++) { «x»[i] = i; { int x = 2; x++; } }
    «x»[0] = 1; /* x */ char *t = "x";
    struct s { int x; } y; y.x = 3; (&y)->x = 4;
}
""",
    "length": """
void f(int ‹n›, float a[«n»], float (*b)[«n»]) {
    #pragma omp target map(tofrom: a[0:«n¦»]) map(b[0:«n»][0:«n»])
    for (int i = 0; i < «n»; i++) a[i] = ((float (*)[«n»]) a)[0][i] + sizeof(float[«n»]);
}
""",
    "macro arguments": """
#define SQUARE(x) \\
    ((x) * (x))
#define CHECK(c) do { if (!(c)) abort_with(#c); } while (0)
struct s { int x; };
void f(int ‹x›, struct s *p) {
    #pragma omp target map(tofrom: «¦x»)
    «x» = SQUARE(«x» + 1) + SQUARE(p->x);
    CHECK(«x» > SQUARE(«x»));
}
""",
    "other forms": """
#define OMP(x) _Pragma(#x)
void f(double ‹to›, double *x) {
    OMP(omp target map(to: x[0:4]) map(tofrom: «to»))
    «to» = 1;
    _Pragma("omp target map(to: «t¦o»)")
    x[0] = «to»;
    [[omp::directive(target map(to: «to», x[0:2]))]]
    x[1] = «to»;
}
""",
    "local": """
int s;
void f(int n) {
    double ‹s› = 0, z[3];
    #pragma omp target teams distribute parallel for \\
        reduction(+: «s¦») map(tofrom: «s»)
    for (int i = 0; i < n; i++) «s» += i;
    if («s» > 2) { double s = 1; s++; }
}
""",
    "static": """
static int ‹total›[10];
#pragma omp declare target enter(«tot¦al»)
void f(void) {
    #pragma omp target map(from: «total»)
    «total»[0] = 1;
    #pragma omp flush(«total»)
}
int g(void) { int total = 3; return total; }
int h(void) { return «total»[1]; }
""",
    "loop variable": """
void f(int n) {
    int ‹i›;
    #pragma omp parallel for private(«¦i»)
    for («i» = 0; «i» < n; «i»++) { }
}
""",
    "code of a region": """
void f(int n, float *‹x›) {
    #pragma omp target map(tofrom: «x»[0:n])
    for (int i = 0; i < n; i++) { «¦x»[i] = i; { int x = 2; x++; } }
    «x»[0] = 1;
}
""",
    "declared in a region": """
void f(int n, float *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int ‹i› = 0; «i» < n; «i»++) { x[«¦i»] = «i»; }
    for (int i = 0; i < n; i++) x[i] = 0;
}
""",
    "declaration in a loop of the host": """
void f(int n, float *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float ‹t¦wice› = 2 * x[i];
        x[i] = «twice» + «twice»;
    }
}
""",
    "declared after": """
void f(int n) {
    int ‹to›[3];
    #pragma omp target map(to: «t¦o»)
    «to»[0] = 1;
}
""",
}  # fmt: skip
IN_TEXT = ("length", "macro arguments")
_DRAWN = re.compile("[«»‹›]")


def drawn(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The snippet without the drawing (the cursor kept), and the bytes where each place starts with its bracket."""
    places, plain = [], ""
    for char in text:
        if char in "«‹":
            places.append((len(plain.replace("¦", "").encode()), char))
        elif char not in "»›":
            plain += char
    return plain, places


@pytest.mark.parametrize("name", CASES)
def test_references(name: str) -> None:
    plain, places = drawn(CASES[name])
    tu, offset = marked(plain)
    assert [w.start for w in features.references(tu, offset)] == [p for p, _ in places if name not in IN_TEXT] or (
        name in IN_TEXT  # what stands in a type or a macro's argument is found in the text, for renaming
    )
    declared = [p for p, bracket in places if bracket == "‹"]
    assert [w.start for w in features.definitions(tu, offset)][:1] == declared
    uses = features.references(tu, offset, declarations=False)
    assert not set(declared) & {w.start for w in uses}


@pytest.mark.parametrize("name", CASES)
def test_rename(name: str) -> None:
    plain, places = drawn(CASES[name])
    tu, offset = marked(plain)
    found = features.rename(tu, offset, "renamed")
    assert not isinstance(found, features.Refusal), found.reason
    assert [w.start for w in found] == [p for p, _ in places]
    text = tu.source
    for where in reversed(found):
        text = text[: where.start] + b"renamed" + text[where.end :]
    old = tu.source[found[0].start : found[0].end].decode()
    expected = re.sub(f"[«‹]{old}[»›]", "renamed", CASES[name].replace("¦", ""))
    assert text.decode() == expected


OUTSIDE = [
    "void f(int ¦x) {\n#pragma omp target map(x)\nx = 1; }",
    "void f(int x) {\n#pragma omp target map(x)\nx = 1;\nx¦ = 2; }",
    "void f(int x) {\n#pragma omp target map(x)\nx = 1¦; }",
    "#define M x\nvoid f(int x) {\n#pragma omp target map(x)\nM¦ = 1; }",
    "void f(int x) {\n#pragma omp target m¦ap(x)\nx = 1; }",
    "void f(int x) {\n#pragma omp target map(t¦o: x)\nx = 1; }",
    "void f(int x) {\n#pragma omp target /* x¦ */ map(x)\nx = 1; }",
    "void f(int x) {\n#pragma omp target map(unknown¦)\nx = 1; }",
    "#define M x\nvoid f(int x) {\n#pragma omp target map(M¦)\nx = 1; }",
]


@pytest.mark.parametrize("text", OUTSIDE)
def test_nothing_outside_of_pragmas_and_constructs(text: str) -> None:
    tu, offset = marked(text)
    assert features.definitions(tu, offset) == []
    assert features.references(tu, offset) == []
    assert features.rename_at(tu, offset) is None
    assert isinstance(features.rename(tu, offset, "y"), features.Refusal)


REFUSED = [
    ("int x;\nvoid f(void) {\n#pragma omp target map(x¦)\nx = 1; }", "y", "not static"),
    ("void g(void);\n#pragma omp declare target enter(g¦)", "y", "is a function"),
    ("void f(int x) {\n#pragma omp target map(x¦)\nx = 1; }", "2y", "no name in C"),
    ("void f(int x) {\n#pragma omp target map(x¦)\nx = 1; }", "for", "no name in C"),
    ("void f(int x) {\n#pragma omp target map(x¦)\nx = 1; }", "typeof", "no name in C"),
    ("void f(int x, int y) {\n#pragma omp target map(x¦)\nx = 1; }", "y", "already means something"),
    ("#define Y 1\nvoid f(int x) {\n#pragma omp target map(x¦)\nx = 1; }", "Y", "already means something"),
    ("#include <m.h>\nvoid f(int x) {\n#pragma omp target map(x¦)\nx = 1; }", "SIZE", "already means something"),
    ("#include <m.h>\nstatic int x;\nvoid f(void) {\n#pragma omp target map(x¦)\nx = 1; }", "stream", "in a header"),
    ("#define INC x++\nvoid f(int x) {\n#pragma omp target map(x¦)\nINC; }", "y", "macro on line 4"),
    ("#define ADD(v) ((v) + x)\nvoid f(int x) {\n#pragma omp target map(x¦)\nx = ADD(x); }", "y", "macro on line 4"),
    ("#define TWICE(v) ({ int y = v; y + y; })\nvoid f(int x) {\n#pragma omp target map(x¦)\nx = TWICE(x); }", "y",
     "already means something"),
    ("void f(int x) {\n#pragma omp target map(x¦)\nx = 1;\n#ifdef A\nx++;\n#endif\n}", "y", "inactive branch"),
    ("void f(int x) {\n#pragma omp target map(x¦) depend(iterator(i=0:x), in: x)\nx = 1;\n}", "y", "not understood"),
    ("void f(int x) {\n#pragma omp target map(x¦)\nx = 1;\n#define M x\n}", "y", "preprocessor line, line 4"),
    ("void f(int x) {\n#pragma omp metadirective when(device={kind(gpu)}: target map(x)) default(parallel shared(x¦))\n"
     "x = 1;\n}", "y", "a metadirective names 'x' on line 2"),
]  # fmt: skip


@together(("text", "new", "why"), REFUSED, ids=[r[2] for r in REFUSED])
def test_refused_with_a_reason(text: str, new: str, why: str) -> None:
    header = HeaderUnit((Macro("SIZE", None, "100"), Macro("stdin", None, "stdin")), "extern int stream;\n")
    found = features.rename(*marked(text, headers=HeaderSnapshot("one", system={"<m.h>": header})), new)
    assert isinstance(found, features.Refusal)
    assert why in found.reason


def test_a_headers_declaration_is_found_but_not_renamed() -> None:
    text = '#include "h.h"\nvoid f(void) {\n#pragma omp target map(shared)\nshared[0] = 1;\n}\n'
    snapshot = HeaderSnapshot("one", texts={'"h.h"': ("/p/h.h", b"static int shared[4];\n")})
    tu = Analyzer().analyze("/p/x.c", text.encode(), snapshot, Settings())
    offset = text.index("shared)")
    (where,) = features.definitions(tu, offset)
    assert (where.path, where.start) == ("/p/h.h", 11)
    refused = features.rename_at(tu, offset)
    assert isinstance(refused, features.Refusal)
    assert "/p/h.h" in refused.reason


def test_a_function_in_the_code_of_a_construct_leads_to_its_declaration() -> None:
    text = """static int twice(int v) { return 2 * v; }
void f(int n, int *x) {
    #pragma omp target teams distribute parallel for map(x[0:n])
    for (int i = 0; i < n; i++) x[i] = tw¦ice(x[i]);
    x[0] = twice(1);
}
"""
    tu, offset = marked(text)
    assert [w.start for w in features.definitions(tu, offset)] == [text.index("twice")]
    assert len(features.references(tu, offset)) == 3
    assert isinstance(features.rename_at(tu, offset), features.Refusal)
