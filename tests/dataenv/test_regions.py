"""How every variable of a region gets there: C texts, a version, and the expected list in one notation.

`name sharing[ implicit]: map type[ item][ zero-length]`, then R/W: its code reads, writes it (`r`/`w`: what
a pointer points to).
"""

from __future__ import annotations

from together import together

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import Region, Variable
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings


def show(v: Variable) -> str:
    text = f"{v.symbol.name} {v.sharing}{' implicit' if v.implicit else ''}"
    for m in v.maps:
        item = f" {m.item.text}" if m.item is not None else ""
        modifiers = "".join(f"{x}, " for x in m.modifiers)
        text += f" {modifiers}{m.map_type}{item}{' zero-length' if m.zero_length else ''}"
    marks = ("R" if v.reads else "") + ("W" if v.writes else "")
    marks += ("r" if v.reads_pointee else "") + ("w" if v.writes_pointee else "")
    return f"{text} {marks}".rstrip()


def regions(text: str, openmp: str = "5.2") -> list[Region]:
    tu = Analyzer().analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings(openmp=openmp))  # type: ignore[arg-type]
    return [r for item in tu.items for r in item.content.regions]


def body(pragma: str, statement: str, declarations: str = "") -> str:
    return f"""
{declarations}
struct s {{ int a; double *p; }};
void g(int *); void k(const int *); int h(int);
void f(int n, float *x, struct s *q, int (*fn)(int)) {{
    int i, v, w; int arr[10]; struct s st; double m[4][n]; enum {{ K = 3 }}; static int kept;
    #pragma omp target {pragma}
    {statement}
}}
"""


CASES = [
    # implicit, by category
    ("", "v = w;", ["v firstprivate implicit W", "w firstprivate implicit R"]),
    ("", "arr[0] = arr[1];", ["arr mapped implicit tofrom RW"]),
    ("", "st.a = 3;", ["st mapped implicit tofrom W"]),
    ("", "x[0] = 1;", ["x mapped implicit tofrom zero-length RWw"]),
    ("", "*x += 1;", ["x mapped implicit tofrom zero-length RWrw"]),
    ("", "q->a = 1;", ["q mapped implicit tofrom zero-length RWw"]),
    ("", "v = q->p[2];", ["v firstprivate implicit W", "q mapped implicit tofrom zero-length Rr"]),
    ("", "x++;", ["x mapped implicit tofrom zero-length RW"]),
    ("", "v = fn(1);", ["v firstprivate implicit W", "fn firstprivate implicit R"]),
    ("", "kept++;", ["kept firstprivate implicit RW"]),
    ("", "v = K + h(2) + sizeof(arr);", ["v firstprivate implicit W", "arr mapped implicit tofrom"]),
    ("", "{ int v = w, u; u = v; }", ["w firstprivate implicit R"]),
    ("", "{ static int once; once++; }", []),
    ("", "m[1][2] = 0;", ["m mapped implicit tofrom W", "n firstprivate implicit"]),
    ("", "g(arr);", ["arr mapped implicit tofrom RW"]),
    ("", "k(arr);", ["arr mapped implicit tofrom R"]),
    ("", "g(&v);", ["v firstprivate implicit RW"]),
    ("", "{ float *y = x; y[0] = 1; }", ["x mapped implicit tofrom zero-length RWrw"]),
    # explicit
    ("map(to: x[0:n])", "v = x[0];", ["x mapped to x[0:n] Rr", "v firstprivate implicit W"]),
    ("map(x)", "v = 1;", ["x mapped tofrom x", "v firstprivate implicit W"]),
    ("map(to: x[0:2]) map(from: x[4:2])", "x[4] = x[0];", ["x mapped to x[0:2] from x[4:2] RWrw"]),
    ("map(always, close, tofrom: v)", "v = 1;", ["v mapped always, close, tofrom v W"]),
    ("map(alloc: arr)", ";", ["arr mapped alloc arr"]),
    ("map(to: st.p[0:3])", "st.p[0] = 1;", ["st mapped to st.p[0:3] RWw"]),
    ("map(to: q->p[0:3])", ";", ["q mapped to q->p[0:3]"]),
    ("private(v) firstprivate(w)", "v = w;", ["v private W", "w firstprivate R"]),
    ("is_device_ptr(x)", "x[0] = 1;", ["x is_device_ptr RWw"]),
    ("has_device_addr(arr)", "arr[0] = 1;", ["arr has_device_addr W"]),
    # defaultmap
    ("defaultmap(tofrom: scalar)", "v = 1;", ["v mapped implicit tofrom W"]),
    ("defaultmap(firstprivate: aggregate)", "arr[0] = v;",
     ["arr firstprivate implicit W", "v firstprivate implicit R"]),
    ("defaultmap(to)", "arr[0] = v;", ["arr mapped implicit to W", "v mapped implicit to R"]),
    ("defaultmap(to: all)", "arr[0] = v;", ["arr mapped implicit to W", "v mapped implicit to R"]),
    ("defaultmap(alloc: pointer)", "x[0] = v;", ["x mapped implicit alloc RWw", "v firstprivate implicit R"]),
    ("defaultmap(present: aggregate)", "arr[0] = v;",
     ["arr mapped implicit present, tofrom W", "v firstprivate implicit R"]),
    ("defaultmap(default: scalar)", "v = 1;", ["v firstprivate implicit W"]),
    ("defaultmap(firstprivate)", "x[0] = 1;", ["x firstprivate implicit RWw"]),
    # combined constructs
    ("parallel for", "for (i = 0; i < n; i++) x[i] = 0;",
     ["i private implicit", "n firstprivate implicit R", "x mapped implicit tofrom zero-length RWw"]),
    ("teams distribute parallel for collapse(2)", "for (i = 0; i < 3; i++) for (v = 0; v < 2; v++) arr[i + v] = w;",
     ["i private implicit", "v private implicit", "arr mapped implicit tofrom W", "w firstprivate implicit R"]),
    ("", "for (i = 0; i < 3; i++) arr[i] = 0;", ["i firstprivate implicit RW", "arr mapped implicit tofrom W"]),
    ("teams distribute reduction(+: v)", "for (i = 0; i < 3; i++) v += i;",
     ["v mapped implicit tofrom v RW", "i private implicit"]),
    ("teams distribute reduction(+: v) map(tofrom: v)", "for (i = 0; i < 3; i++) v += i;",
     ["v mapped tofrom v RW", "i private implicit"]),
    ("teams distribute parallel for lastprivate(v)", "for (i = 0; i < 3; i++) v = i;",
     ["v mapped implicit tofrom v W", "i private implicit"]),
    ("parallel for private(v) num_threads(w)", "for (i = 0; i < 3; i++) v = i;",
     ["v private", "w firstprivate implicit R", "i private implicit"]),
    ("teams num_teams(w) thread_limit(w) device(w) if(w)", "v = 1;", ["v firstprivate implicit W"]),
    ("parallel for schedule(static, w)", "for (int j = 0; j < 3; j++) arr[j] = 0;",
     ["w firstprivate implicit R", "arr mapped implicit tofrom W"]),
    # nested constructs
    ("", "{\n#pragma omp parallel for private(v) reduction(+: w)\nfor (i = 0; i < 3; i++) { v = i; w += v; }\n}",
     ["v private implicit", "w firstprivate implicit RW", "i private implicit"]),
    ("", "{\n#pragma omp parallel firstprivate(v)\n{ v++; arr[0] = v; }\n}",
     ["v firstprivate implicit R", "arr mapped implicit tofrom W"]),
]  # fmt: skip


@together(("pragma", "statement", "expected"), CASES, ids=[f"{p}|{s}"[:70] for p, s, _ in CASES])
def test_variables(pragma: str, statement: str, expected: list[str]) -> None:
    (region,) = regions(body(pragma, statement))
    assert sorted(map(show, region.variables)) == sorted(expected)
    assert not region.tainted


def test_versions() -> None:
    text = body("teams distribute reduction(+: v)", "for (i = 0; i < n; i++) v += arr[i];")
    (new,) = regions(text, "5.0")
    (old,) = regions(text, "4.5")
    (oldest,) = regions(text, "4.0")
    by_name = [{v.symbol.name: show(v).split(" R")[0] for v in r.variables} for r in (new, old, oldest)]
    assert by_name[0]["v"] == "v mapped implicit tofrom v"
    assert by_name[1]["v"] == "v firstprivate implicit"
    assert by_name[1]["n"] == "n firstprivate implicit"
    assert by_name[2]["n"] == "n mapped implicit tofrom"
    assert by_name[2]["v"] == "v mapped implicit tofrom"


def test_declare_target() -> None:
    text = """
int counter, linked, other;
#pragma omp declare target enter(counter)
#pragma omp declare target link(linked)
void f(void) {
    #pragma omp target
    counter += linked + other;
}
"""
    (region,) = regions(text)
    assert list(map(show, region.variables)) == [
        "counter declare_target implicit RW",
        "linked mapped implicit tofrom R",
        "other firstprivate implicit R",
    ]


def test_regions_are_numbered_and_list_their_calls() -> None:
    text = """
int a(int); int b(int);
void f(int *x) {
    #pragma omp target
    x[0] = b(a(1)) + a(2);
    #pragma omp target teams
    { x[0] = 1; }
}
void g(int *x) {
    #pragma omp target
    x[0] = a(1);
}
"""
    found = regions(text)
    assert [r.id for r in found] == ["f_0", "f_1", "g_0"]
    assert [[c.name for c in r.calls] for r in found] == [["b", "a"], [], ["a"]]


def test_what_is_not_understood_taints() -> None:
    (region,) = regions("void f(int *x) {\n#pragma omp target map(tofrom: x[0:)\n{ x[0] = 1; }\n}\n")
    assert region.tainted


def test_a_static_variable_can_be_declared_target_in_its_function() -> None:
    text = """
void f(void) {
    static int kept;
    int other;
    #pragma omp declare target(kept)
    #pragma omp target
    { kept = 1; other = 2; }
}
"""
    assert [show(v) for v in regions(text)[0].variables] == [
        "kept declare_target implicit W",
        "other firstprivate implicit W",
    ]
