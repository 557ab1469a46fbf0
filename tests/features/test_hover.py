"""Hover texts at marked places, region places, and that no cut of a text makes a feature or a rule raise."""

from __future__ import annotations

import pytest
from thinned import thinned
from together import together

from ompls.analysis import features
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import RULES, check
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.analysis.spec import CLAUSES, DIRECTIVES

from .marked import marked

TEXT = """
#define N 100
int helper(int);
void f(int n, float *x, int *unused) {
    float a[N]; double s = 0; int k = 2;
    #pragma omp target teams distribute parallel for map(to: x[0:n]) reduction(+: s) schedule(static)
    for (int i = 0; i < n; i++) {
        float t = k * x[i];
        s += t + a[i];
    }
    s = k;
    #pragma omp target map(from: a[2:4])
    a[3] = 1;
}
#define TWICE(v) ((v) * (n))
struct pair { int first; double second; };
void g(int n, struct pair *p) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int mine = TWICE(n) + helper(2); /* as TWICE is */
        p->first = mine + p->second * 2;
    }
}
#pragma omp declare target enter(helper)
"""


def analyze(text: str) -> TU:
    return Analyzer().analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings())


CASES = [
    # the word's text, which occurrence, what the hover says
    ("x[i]", 0, ["float *x", "`x[0:n]` **map(to)**: copied to the device at entry, 4 * n bytes", "Explicitly",
                 "the pointer itself becomes the device's address", "§5.8.3", "what it points to is read."]),
    ("x[0:n]", 0, ["float *x", "Explicitly"]),
    ("k * x", 0, ["int k", "**firstprivate", "Implicitly: scalars are firstprivate by default (OpenMP §5.8.1)"]),
    ("a[i]", 0, ["float a[100]", "**map(tofrom)**: copied to the device at entry and back at exit, 400 bytes",
                 "Implicitly: arrays"]),
    ("a[3]", 0, ["`a[2:4]` **map(from)**: copied back at exit, 16 bytes", "has it written."]),
    ("s += t", 0, ["double s", "map(tofrom)", "`reduction`"]),
    ("t + a", 0, ["float t", "Declared in the region"]),
    ("reduction", 0, ["**reduction**: private copies", "Since OpenMP 3.0; §5.5.8"]),
    ("static", 0, ["**schedule(static)**"]),
    ("to: x", 0, ["**map(to: …)**: copied to the device at entry"]),
    ("distribute", 0, ["**target teams distribute parallel for**", "§13.8"]),
    # what the code of a construct names otherwise: a language server for C may be silent there
    ("t = k", 0, ["float t", "Declared in the region"]),
    ("helper(2)", 0, ["int helper(int)"]),
    ("second * 2", 0, ["double second"]),
    ("mine = TWICE", 0, ["int mine"]),
    ("mine + p", 0, ["int mine"]),
    ("TWICE(n)", 0, ["#define TWICE(v) ((v) * (n))"]),
    ("n) + helper", 0, ["int n"]),
    ("declare target", 0, ["**declare target**", "§7.8.1"]),
    ("enter(helper", 0, ["**enter**"]),
]  # fmt: skip


@together(("word", "occurrence", "parts"), CASES, ids=[c[0] for c in CASES])
def test_hover(word: str, occurrence: int, parts: list[str]) -> None:
    offset = -1
    for _ in range(occurrence + 1):
        offset = TEXT.index(word, offset + 1)
    text = features.hover(analyze(TEXT), offset)
    assert text is not None
    for part in parts:
        assert part in text


def test_data_that_is_on_the_device_already_says_so() -> None:
    text = """
void f(int n, float *x) {
#pragma omp target data map(to: x[0:n + 1])
  {
#pragma omp target map(tofrom: x[1:2 * n])
    x[0] = 1;
  }
}
"""
    about = features.hover(analyze(text), text.index("x[0] = 1"))
    assert about is not None
    assert "`x[1:2*n]` **map(tofrom)**: copied to the device at entry and back at exit, 4 * (2*n) bytes" in about
    assert "On the device already through `map(to: x[0:n+1])` of `target data` on line 3" in about


def test_of_a_macro_in_a_region_its_definition_is_shown_and_of_its_argument_the_variable() -> None:
    text = """
#define AT(g, y) g[2 * (y)]
void f(int n, float *x) {
#pragma omp target map(tofrom: x[0:n])
    for (int y = 0; y < n; y++)
        AT(x, y) = 1;
}
"""
    at = text.index("AT(x, y)")
    said = [features.hover(analyze(text), at + offset) for offset in (0, 3, 6)]
    assert [(said or "").split("\n")[1] for said in said] == ["#define AT(g, y) g[2 * (y)]", "float *x", "int y"]


USED = """
struct s { double *p; int n; };
void f(int n, double *a, const double *b, double *q, double *r, struct s v, struct s w, double **rows) {
    #pragma omp target data map(to: b[0:n]) map(from: a[0:n])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) {
        a[i] = 2 * b[i]; *q++ = 1; r = a; v.p[i] = 1; w.n = v.n; rows[i][0] += 1;
    }
}
"""


@pytest.mark.parametrize(("place", "says"), [
    ("a[i]", "has it read; what it points to is read and written."),  # `r = a` gives it away
    ("b[i]", "has it read; what it points to is read."),
    ("q++", "has it read and written; what it points to is written."),
    ("r = a", "has it written; what it points to is not used."),
    ("v.p", "has it read; what its pointers lead to is written."),
    ("w.n", "has it written."),
    ("rows[i]", "has it read; what it points to is read and written."),
])  # fmt: skip
def test_a_pointer_is_told_apart_from_what_it_points_to(place: str, says: str) -> None:
    about = features.hover(analyze(USED), USED.index(place))
    assert f"The region's code {says}" in (about or "")


@pytest.mark.parametrize("word", ["TWICE is", "s = k;", "unused", "for (int i", "pragma", "helper(int)"])
def test_silent_elsewhere(word: str) -> None:
    assert features.hover(analyze(TEXT), TEXT.index(word)) is None


def test_regions_and_lenses() -> None:
    tu = analyze(TEXT)
    places = features.regions(tu)
    assert [(p.id, p.function, p.name) for p in places] == [
        ("f_0", "f", "target teams distribute parallel for"),
        ("f_1", "f", "target"),
    ]
    assert TEXT[places[0].whole.start : places[0].whole.end].startswith("#pragma omp target teams")
    assert TEXT[places[0].whole.start : places[0].whole.end].endswith("}")
    lenses = features.lenses(tu)
    assert [region for _, region in lenses] == ["f_0", "f_1"]
    assert TEXT[lenses[1][0].start : lenses[1][0].end] == "#pragma omp target map(from: a[2:4])"


@pytest.mark.parametrize(
    "text", thinned([TEXT, *(r.bad[0] for r in RULES.values())], 20, of_rest=8, ids=["text", *RULES])
)
def test_no_cut_raises(text: str) -> None:
    data = text.encode()
    analyzer = Analyzer()
    for end in range(0, len(data), 3):
        tu = analyzer.analyze("x.c", data[:end], EMPTY_SNAPSHOT, Settings())
        check(tu)
        features.lenses(tu)
        features.hover(tu, max(0, end - 2))


METADIRECTIVE = """
void f(int n, double *a) {
    #pragma omp metadirective \\
        when(device={kind(gpu)}: target teams loop map(tofrom: a[0:n]) num_teams(4)) \\
        when(user={condition(n > 4 ? 1 : 0)}: target parallel for map(always, tofrom: a[0:n])) \\
        default(parallel for schedule(static))
    for (int i = 0; i < n; i++) a[i] = i;
    #pragma omp target map(iterator(which = 0:n), tofrom: a[which])
    a[0] = 1;
}
"""


@pytest.mark.parametrize(
    ("word", "about"),
    [
        ("metadirective", "**metadirective**"),
        ("when(device", "**when**"),
        ("teams loop", "**target teams loop**"),
        ("num_teams", "**num_teams**"),
        ("target parallel", "**target parallel for**"),
        ("always", "**map(always: …)**"),
        ("parallel for schedule", "**parallel for**"),
        ("static", "**schedule(static)**"),
        ("which]", "```c\nint which\n```\n\nAn iterator"),
    ],
)
def test_what_a_metadirective_may_stand_for_and_iterators(word: str, about: str) -> None:
    assert METADIRECTIVE.count(word) == 1
    text = features.hover(analyze(METADIRECTIVE), METADIRECTIVE.index(word))
    assert text is not None
    assert text.startswith(about)


BOUNDS = """
void f(int n, int nnz, int *ptr, double *val) {
    #pragma omp target map(to: ptr[0:n+1], val[0:nnz])
    for (int i = 0; i < n; i++) val[i] = ptr[i];
}
"""


def test_a_variable_that_only_clauses_use_is_no_iterator() -> None:
    text = features.hover(analyze(BOUNDS), BOUNDS.index("nnz]"))
    assert text is not None
    assert text.startswith("```c\nint nnz\n```\n\nOnly clauses use it")


@together("name", thinned(DIRECTIVES, 4))
def test_every_directive_and_each_of_its_clauses_is_explained(name: str) -> None:
    """Everywhere: in inactive text, too, and in the other spellings of a directive."""
    clauses = " ".join(f"{clause}(x)" for clause in DIRECTIVES[name].clauses)
    for before, after in (("#pragma omp ", "\n"), ("#if 0\n#pragma omp ", "\n#endif\n"), ('_Pragma("omp ', '")\n'),
                          ("[[omp::directive(", ")]];\n")):  # fmt: skip
        text = f"{before}{name} {clauses}{after}"
        tu = analyze(text)
        about = features.hover(tu, len(before))
        assert about is not None
        assert about.startswith(f"**{name}**: ")
        assert f"Since OpenMP {DIRECTIVES[name].since}" in about
        assert f"§{DIRECTIVES[name].section}." in about
        at = len(before) + len(name) + 1
        for clause in DIRECTIVES[name].clauses:
            spec, about = CLAUSES[clause], features.hover(tu, at)
            assert about is not None, clause
            if clause == "default" and name.endswith("metadirective"):  # not the data-sharing clause
                assert about.startswith("**default**: the directive when no context matches")
            else:
                assert about.startswith(f"**{clause}**: {spec.summary}\n\nSince OpenMP {spec.since}; §{spec.section}.")
            at += len(f"{clause}(x) ")


def test_what_a_word_may_have_is_what_its_version_has() -> None:
    target = "#pragma omp ¦target map(to: x)\n"
    for version, has, lacks in (("4.5", ("map", "nowait"), ("thread_limit", "replayable")),
                                ("5.2", ("thread_limit",), ("replayable", "ompx_bare", "dyn_groupprivate")),
                                ("6.0", ("replayable",), ("ompx_bare",))):  # fmt: skip
        clauses = (features.hover(*marked(target, version)) or "").partition("Clauses: ")[2]  # type: ignore[arg-type]
        assert all(f"`{clause}`" in clauses for clause in has), version
        assert not any(f"`{clause}`" in clauses for clause in lacks), version
    newest = "`always`, `close`, `present`, `self`"
    for directive, version, types, modifiers in (
        ("target data", "5.2", "`to`, `tofrom`, `from`, `alloc`", "`always`, `close`, `present`, `mapper`, `iterator`"),
        ("target", "4.0", "`to`, `tofrom`, `from`, `alloc`", ""),
        ("target enter data", "5.0", "`to`, `alloc`", "`always`, `close`, `mapper`"),
        ("target exit data", "4.5", "`from`, `release`, `delete`", "`always`"),
        ("target", "6.0", "`to`, `tofrom`, `from`, `alloc`, `storage`", newest),
    ):
        about = features.hover(*marked(f"#pragma omp {directive} ¦map(x)\n", version)) or ""  # type: ignore[arg-type]
        assert f"One of: {types}" + (f"\n\nModifiers: {modifiers}" if modifiers else "") in about, directive
    about = features.hover(*marked("#pragma omp parallel ¦proc_bind(close)\n"))
    assert "One of: `close`, `spread`, `primary`" in (about or "")
    assert "master" not in (about or "")
    about = features.hover(*marked("#pragma omp ¦stripe sizes(2)\n"))
    assert about is not None
    assert "Since OpenMP 6.0; §11.7. That is newer than the 5.2 that is set." in about
    assert "`sizes`" in about


@together("name", [n for n, spec in CLAUSES.items() if spec.keywords or spec.modifiers])
def test_every_keyword_and_modifier_is_explained(name: str) -> None:
    spec = CLAUSES[name]
    owner = next(d for d in DIRECTIVES.values() if name in d.clauses)
    for word in (*spec.keywords, *spec.modifiers):
        if not word.isidentifier():
            continue
        for form in (f"{name}({word}: x)", f"{name}({word})", f"{name}(x: {word})", f"{name}({word}(x): x)"):
            text = f"#pragma omp {owner.name} {form}\n"
            about = features.hover(analyze(text), text.index(form) + form.rindex(word, len(name)))
            if about is not None:
                break
        assert about is not None, word
        assert f"({word}" in about
        assert "Since OpenMP" in about


MENTIONED = [
    # the program with the mark, what the hover says
    ("#pragma omp target data map(to: ¦a)\n;", "double a[4]", "**map(to)**: copied to the device at entry, 32 bytes"),
    ("#pragma omp target enter data map(always, to: p[0:¦n])", "int n", "`p[0:n]`"),
    ("#pragma omp target exit data map(from: ¦p[0:n])", "float *p", "copied back at exit, 4 * n bytes"),
    (
        "#pragma omp target update from(s.¦at[1:2])",
        "int at[9]",
        "the host gets the values of the device's copy, 8 bytes",
    ),
    ("#pragma omp target update to(a[0:¦N])", "#define N 4", ""),
    (
        "#pragma omp parallel for private(¦n)\nfor (int i = 0; i < 9; i++) ;",
        "int n",
        "a new, uninitialised variable each",
    ),
    ("#pragma omp parallel num_threads(s.¦n + 1)\n;", "int n", "In `num_threads` of `parallel`: size of the team"),
    ("#pragma omp parallel reduction(+: ¦n)\n;", "int n", "**reduction(+: …)**"),
    ("#pragma omp flush(¦n)", "int n", "`flush`: makes the thread's view"),
]


@pytest.mark.parametrize(("pragma", "declared", "says"), MENTIONED, ids=[m[0] for m in MENTIONED])
def test_names_in_all_directives_are_explained(pragma: str, declared: str, says: str) -> None:
    frame = "#define N 4\nstruct s { int n; int at[9]; };\nvoid f(int n, float *p, struct s s) { double a[N];\n"
    text = features.hover(*marked(f"{frame}{pragma}\n}}\n"))
    assert text is not None
    assert declared in text
    assert says in text


def test_names_at_file_scope_are_explained() -> None:
    assert "int g" in (features.hover(*marked("int g;\n#pragma omp declare target(¦g)\n")) or "")
    reduction = "#pragma omp declare reduction(m: int: omp_out += ¦omp_in)\n"
    assert "comes in" in (features.hover(*marked(reduction)) or "")


PARALLEL = "#pragma omp parallel for reduction(+: s)"
MADE = [
    # a text with the cursor, and the directives that are explained there
    ('#define PAR _Pragma("omp parallel for reduction(+: s)")\n'
     "void f(int s) {\nP¦AR\nfor (int i = 0; i < 9; i++) s++;\n}",
     [PARALLEL]),
    ('#define P¦AR _Pragma("omp parallel for reduction(+: s)")\n', [PARALLEL]),
    ('void f(int s) {\n_Pra¦gma("omp parallel for reduction(+: s)")\nfor (int i = 0; i < 9; i++) s++;\n}', [PARALLEL]),
    ('#define BOTH \\\n  _Pragma("omp target map(s)") \\\n  _Pragma("omp parallel for reduction(+: s)")\n'
     "void f(int s) {\nBO¦TH\nfor (int i = 0; i < 9; i++) s++;\n}", ["#pragma omp target map(s)", PARALLEL]),
    ("#define OMP(x) _Pragma(#x)\nvoid f(int s) {\nOM¦P(omp target map(s))\ns++;\n}", ["#pragma omp target map(s)"]),
    ("#define N 9\nvoid f(int s) {\n#pragma omp target map(s)\ns += ¦N;\n}", []),
    ('// #define PA¦R _Pragma("omp barrier")\n', []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), MADE)
def test_what_makes_a_directive_says_which(text: str, lines: list[str]) -> None:
    said = features.hover(*marked(text)) or ""
    assert [line for line in said.split("\n") if line.startswith("#pragma")] == lines
    assert ("* `reduction`: private copies" in said) == (PARALLEL in lines)


def test_a_macro_among_the_clauses_shows_its_definition() -> None:
    text = "#define ALL map(tofrom: s)\nvoid f(int s) {\n#pragma omp target A¦LL\ns++;\n}"
    assert features.hover(*marked(text)) == "```c\n#define ALL map(tofrom: s)\n```"


UNTAGGED = """typedef struct { int n; } grid;
typedef enum { A, B } kind;
static grid (*next)(grid *, kind);
void f(grid *g, kind k) {
#pragma omp target map(g[0:1])
  { grid h[2] = {*g}; struct { int m; } own = {k}; g->n = h[1].n + own.m; next(g, k); }
}
"""


@pytest.mark.parametrize(("at", "declaration"), [
    ("g[0:1]", "grid *g"), ("h[1]", "grid h[2]"), ("k};", "kind k"), ("own.m", "struct { … } own"),
    ("next(g", "grid (*next)(grid *, kind)"),
])  # fmt: skip
def test_a_type_without_a_tag_is_called_as_its_typedef_says(at: str, declaration: str) -> None:
    said = features.hover(*marked(UNTAGGED.replace(at, f"¦{at}"))) or ""
    assert said.split("\n")[1] == declaration
