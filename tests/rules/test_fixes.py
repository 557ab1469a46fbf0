"""Every fix that any rule offers, for every example and every program of the corpus: it makes nothing worse.

After a fix there is no diagnostic that was not there before, and what compiled still compiles.
"""

from __future__ import annotations

import shutil
import subprocess
import zlib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from drawing import analyze
from thinned import thinned
from together import together

from ompls.analysis import fixing
from ompls.analysis.diagnostic import Diagnostic, Edit, Fix
from ompls.analysis.rules import RULES, check
from ompls.analysis.source import Location, Settings

ROOT = Path(__file__).parents[2]
COMPILERS = [(path,) for name in ("gcc", "clang-19") if (path := shutil.which(name))]

TEXTS = {f"{rule.id}-{n}": text for rule in RULES.values() for n, text in enumerate(rule.bad)}
TEXTS |= {
    str(path.relative_to(ROOT)): text
    for path in sorted([*(ROOT / "tests" / "corpus").rglob("*.c"), *(ROOT / "examples").glob("*.c")])
    if (text := path.read_text("utf-8"))
}


def judge(data: bytes) -> list[Diagnostic]:
    return check(analyze(data.decode()))


@cache
def compiles(compiler: tuple[str, ...], text: str) -> bool:
    command = [*compiler, "-fopenmp", "-fsyntax-only", "-w", "-x", "c", "-"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=False).returncode == 0


def serious(found: list[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter((d.rule, d.message) for d in found if d.severity != "hint")


@pytest.mark.parametrize(
    ("places", "chosen"),
    [
        ([(4, 4), (4, 4)], [0]),  # nobody knows in which order
        ([(4, 6), (5, 7)], [0]),
        ([(4, 6), (4, 4)], [0]),
        ([(4, 6), (6, 8)], [0, 1]),
        ([(4, 4), (5, 5)], [0, 1]),
    ],
)
def test_of_fixes_that_meet_the_first_is_made(places: list[tuple[int, int]], chosen: list[int]) -> None:
    edits = [Edit(Location("a.c", *place), str(number)) for number, place in enumerate(places)]
    found = [Diagnostic("r", "hint", "m", e.where, fixes=(Fix("f", (e,)),)) for e in edits]
    assert fixing.choose(found) == {"a.c": [edits[number] for number in chosen]}


@together("name", thinned(TEXTS, 9, of_rest=8))
def test_a_fix_makes_nothing_worse(name: str) -> None:
    text = TEXTS[name]
    found = judge(text.encode())
    for diagnostic in fixing.tried(found, found, text.encode(), judge):
        for fix in diagnostic.fixes:
            changed = fixing.apply(text.encode(), fix.edits).decode()
            fresh = serious(judge(changed.encode())) - serious(found)
            assert not fresh, f"{fix.title}: {fresh}\n{changed}"
            before = [compiler for compiler in COMPILERS if compiles(compiler, text)]
            if diagnostic.rule != "deprecated-spelling" or fix.safe:  # words of 5.2, which compilers lack
                assert not before or any(compiles(c, changed) for c in before), f"{fix.title}\n{changed}"


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("clang-19"), reason="clang-19 is not installed (apt: clang-19)")
def test_new_spellings_compile_together() -> None:
    """Not only one by one, and with the compiler set to the version that has the new words."""
    clang = shutil.which("clang-19") or ""
    spellings = Settings(select=("deprecated-spelling",))
    changed = {}
    for name, text in TEXTS.items():
        found = [d for d in check(analyze(text, spellings)) if d.rule == "deprecated-spelling"]
        edits = [edit for d in found for fix in d.fixes for edit in fix.edits]
        # a corpus program has all its variants in one text, and some of those do not compile side by side
        if edits and compiles((clang,), text):
            changed[name] = fixing.apply(text.encode(), edits).decode()
    assert len(changed) >= 10
    assert [name for name, text in changed.items() if not compiles((clang, "-fopenmp-version=52"), text)] == []


@together("name", thinned(TEXTS, 36, of_rest=12))
def test_all_safe_fixes_together_come_to_an_end(name: str) -> None:
    data = before = TEXTS[name].encode()
    for _ in range(10):
        found = judge(data)
        chosen = fixing.choose(fixing.tried(found, found, data, judge)).get("example.c", [])
        if not chosen:
            break
        data = fixing.apply(data, chosen)
    assert not chosen
    assert not serious(judge(data)) - serious(judge(before))


@pytest.mark.parametrize("share", [4, pytest.param(1, marks=pytest.mark.exhaustive)], ids=["fourth", "all"])
@pytest.mark.thorough
def test_most_fixes_are_good(share: int) -> None:
    """What is tried out is still there: a trial that refuses everything would pass the other tests."""
    offered = refused = 0
    chosen = (text for name, text in TEXTS.items() if zlib.crc32(name.encode()) % share == 0)  # a new one moves none
    for text in chosen:
        found = judge(text.encode())
        mended = [d for d in found if d.fixes]
        offered += len(mended)
        refused += sum(not d.fixes for d in fixing.tried(mended, found, text.encode(), judge))
    assert refused < offered / 10


LEFT = """\
typedef struct { int n; double *x; } S;
void up(S *s) {
#pragma omp target enter data map(to: s[0:1]) map(alloc: s->x[0:s->n])
}
double f(double *x) {
    S s = { 10, x };
    up(&s);
    for (int i = 0; i < 10; i++) s.x[i] = i;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < s.n; i++) s.x[i] *= 2;
    double y = s.x[1];
#pragma omp target exit data map(release: s.x[0:s.n], s)
    return y;
}
"""


def test_a_fix_that_leaves_its_own_finding_is_none() -> None:
    """An update of the structure brings what its pointer leads to nowhere; `--fix` inserted it ten times."""
    found = judge(LEFT.encode())
    assert {d.rule for d in found} >= {"missing-update-to", "missing-update-from"}
    for diagnostic in fixing.tried(found, found, LEFT.encode(), judge):
        for fix in diagnostic.fixes:
            left = Counter((d.rule, d.message) for d in judge(fixing.apply(LEFT.encode(), fix.edits)))
            assert left[diagnostic.rule, diagnostic.message] == 0


WRITTEN = [
    # rule, text, what becomes of it; line ends and tabs stay what they are
    ("missing-update-from",
     "#define N 9\r\nint f(void) {\r\n\tint a[N] = {0}, sum = 0;\r\n\t#pragma omp target data map(tofrom: a)\r\n\t{\r\n"
     "\t\t#pragma omp target\r\n\t\tfor (int i = 0; i < N; i++) a[i] = i;\r\n"
     "\t\tfor (int i = 0; i < N; i++) {\r\n\t\t\tsum += a[i]; /* \u00e4 */\r\n\t\t}\r\n\t}\r\n\treturn sum;\r\n}\r\n",
     ("\t\tfor (int i = 0; i < N; i++) {\r\n",
      "\t\t#pragma omp target update from(a)\r\n\t\tfor (int i = 0; i < N; i++) {\r\n")),
    ("missing-update-to",
     "int f(int n, int *x) {\n  int sum = 0;\n  #pragma omp target data map(to: x[0:n])\n  {\n    x[0] = 5;\n"
     "    #pragma omp target map(tofrom: sum)\n    sum += x[0];\n  }\n  return sum;\n}\n",
     ("x[0] = 5;\n", "x[0] = 5;\n    #pragma omp target update to(x[0:1])\n")),
    ("unused-map",
     "void f(int n, int *x, int *y) {\n#pragma omp target map(to: y[0:n], \\\n    x[0:n]) // why\n  x[0] = 1;\n}\n",
     ("map(to: y[0:n], \\\n    x[0:n])", "map(to: x[0:n])")),
    ("missing-update-to",
     "#define N 9\nint f(int *x) {\n  int sum = 0;\n  #pragma omp target data map(to: x[0:N])\n  {\n    x[0] = 5;\n"
     "    #pragma omp target map(tofrom: sum)\n    sum += x[0];\n  }\n  return sum;\n}\n",
     ("x[0] = 5;\n", "x[0] = 5;\n    #pragma omp target update to(x[0:1])\n")),
    ("missing-update-from",
     "int f(void) {\n  int x[9] = {0};\n  #pragma omp target data map(to: x)\n  {\n"
     "    #pragma omp target\n    x[0] = 5;\n    #pragma omp target update to(x)\n  }\n  return x[0];\n}\n",
     ("update to(x)", "update from(x)")),
    ("section-too-short",
     "void f(int n, int *x) {\n#pragma omp target map(tofrom: x[0:n])\n"
     "  for (int i = 0; i < n; i++) x[i] = x[i + 1];\n}\n",
     ("[0:n]", "[0:n + 1]")),
    ("section-too-short",
     "void f(int n, int *x) {\n#pragma omp target map(tofrom: x[1:n-1])\n  for (int i = 0; i < n; i++) x[i] = 0;\n}\n",
     ("[1:n-1]", "[0:n]")),
    ("section-too-short",
     "#define N 8\nvoid f(int *x) {\n#pragma omp target map(tofrom: x[0:N - 1])\n"
     "  for (int i = 0; i < N; i++) x[i] = 0;\n}\n",
     ("[0:N - 1]", "[0:N]")),
    ("section-too-short",
     "struct m { int *x, *y; };\nvoid f(int n, int k, struct m *m) {\n"
     "#pragma omp target map(tofrom: m[k].x[1:n-1]) map(to: m[k].y[0:n])\n"
     "  for (int i = 0; i < n; i++) m[k].x[i] = m[k].y[i];\n}\n",
     ("x[1:n-1]", "x[0:n]")),
    ("section-too-short",
     "struct m { int *x, *y; };\nvoid f(int n, struct m m) {\n#pragma omp target map(from: m.x[0:n-1], m.y[0:n])\n"
     "  for (int i = 0; i < n; i++) m.x[i] = m.y[i] = 0;\n}\n",
     ("[0:n-1]", "[0:n]")),
    ("device-pointer-absent",
     "#define N 8\nvoid *malloc(unsigned long);\nvoid f(void) {\n  int *x8 = malloc(400);\n#pragma omp target\n"
     "  for (int i = 0; i < N; i++) x8[i] = 0;\n}\n",
     ("target", "target map(from: x8[0:N])")),
    ("unused-map",
     "#define N 9\nvoid f(int *x, int *y) {\n#pragma omp target map(to: y[0:N], x[0:N])\n  x[0] = 1;\n}\n",
     ("y[0:N], ", "")),
    ("conflicting-clauses", "void f(void) {\n#pragma omp single copyprivate(x) nowait\n  ;\n}\n", (" nowait", "")),
    ("device-pointer-absent",  # as the loop has it, not as many as the allocation is known to have
     "void *malloc(unsigned long);\nvoid f(void) {\n  int n = 9;\n  float *x = malloc(n * sizeof *x);\n"
     "#pragma omp target teams distribute parallel for\n  for (int i = 0; i < n; i++) x[i] = i;\n}\n",
     ("parallel for", "parallel for map(from: x[0:n])")),
    ("device-pointer-absent",
     "void *malloc(unsigned long);\nvoid f(int n) {\n  float *x = malloc(n * sizeof *x);\n"
     "#pragma omp target map(from: x)\n  for (int i = 0; i < n; i++) x[i] = i;\n}\n",
     ("from: x", "from: x[0:n]")),
    ("missing-reduction",
     "int f(int n) {\n  int s = 0;\n#pragma omp target teams distribute parallel for map(tofrom: s)\n"
     "  for (int i = 0; i < n; i++) s += i;\n  return s;\n}\n",
     ("map(tofrom: s)", "map(tofrom: s) reduction(+: s)")),
    ("missing-reduction",
     "int f(int n, int *x) {\n  int s = 0;\n#pragma omp parallel for default(none) shared(x, s, n)\n"
     "  for (int i = 0; i < n; i++) s += x[i];\n  return s;\n}\n",
     ("shared(x, s, n)", "shared(x, n) reduction(+: s)")),
    ("missing-reduction",
     "int f(int n, int *x) {\n  int s = 0;\n#pragma omp parallel for shared(s)\n"
     "  for (int i = 0; i < n; i++) {\n    if (x[i] > s) { s = x[i]; }\n  }\n  return s;\n}\n",
     ("shared(s)", "reduction(max: s)")),
    ("race-on-shared-variable",
     "void f(int n, int *x) {\n  int s;\n#pragma omp parallel for shared(s) schedule(static)\n"
     "  for (int i = 0; i < n; i++) { s = x[i] + 1; x[i] = s * s; }\n}\n",
     ("shared(s)", "private(s)")),
    ("section-too-short",
     "void f(int n, int *x) {\n#pragma omp target data map(tofrom: x[0:n-1])\n  {\n#pragma omp target\n"
     "    for (int i = 0; i < n; i++) x[i] = i;\n#pragma omp target\n"
     "    for (int i = 0; i <= n; i++) x[i]++;\n  }\n}\n",
     ("[0:n-1]", "[0:n + 1]")),
    ("section-too-short",
     "#define N 9\nvoid f(int *x) {\n#pragma omp target enter data map(to: x[1:N])\n#pragma omp target\n"
     "  for (int i = 0; i < N; i++) x[i] = i;\n#pragma omp target exit data map(delete: x[0:N])\n}\n",
     ("[1:N]", "[0:N]")),
    ("section-too-short",
     "void f(int n, int *x) {\n#pragma omp target data map(from: x[0:n-1])\n  {\n#pragma omp target\n"
     "    for (int i = 0; i < n; i++) x[i] = i;\n  }\n}\n",
     ("[0:n-1]", "[0:n]")),
    ("unknown-clause", "void f(int n, int *x) {\n#pragma omp target update map(to: x[0:n])\n}\n", ("map(to: ", "to(")),
    ("unknown-clause", "#define N 9\nvoid f(int *x) {\n#pragma omp target update map(x[0:N])\n}\n", ("map(", "from(")),
    ("unknown-clause",
     "void f(int n, int *x) {\n#pragma omp target enter data to(x[0:n])\n}\n", ("to(", "map(to: ")),
    ("missing-reduction",
     "void f(int n, int *x) {\n#pragma omp parallel for\n  for (int i = 0; i < n; i++)\n    x[i % 4] += i;\n}\n",
     ("    x[i", "    #pragma omp atomic\n    x[i")),
    ("missing-reduction",
     "void f(int n, int *x) {\n#pragma omp parallel for\n  for (int i = 0; i < n; i++)\n    *x = *x + i;\n}\n",
     ("    *x", "    #pragma omp atomic\n    *x")),
    ("race-through-index",
     "void f(int n, int *x, int *k) {\n#pragma omp parallel for\n  for (int i = 0; i < n; i++) {\n"
     "    x[k[i]]++;\n  }\n}\n",
     ("    x[", "    #pragma omp atomic\n    x[")),
    ("atomic-mixed-with-plain",
     "void f(int n, int *x, int y[9]) {\n#pragma omp parallel\n  {\n"
     "#pragma omp atomic read\n    n = y[0];\n    x[n]++;\n    y[0] = 1;\n  }\n}\n",
     ("    y[0]", "    #pragma omp atomic write\n    y[0]")),
    ("undeclared-device-variable",
     "static int most = 8; // why\r\nstatic int cut(int v) { return v > most ? most : v; }\r\n"
     "void f(int n, int *x) {\r\n#pragma omp target map(tofrom: x[0:n])\r\n"
     "  for (int i = 0; i < n; i++) x[i] = cut(x[i]);\r\n}\r\n",
     ("// why\r\n", "// why\r\n#pragma omp declare target(most)\r\n")),
    ("missing-update-from",
     "void *malloc(unsigned long);\nstruct m { int *x; };\nint f(void) {\n"
     "  int s;\n  struct m v, *m = &v;\n  m->x = malloc(9 * sizeof(int));\n"
     "#pragma omp target data map(to: m[0:1]) map(tofrom: m->x[0:9])\n  {\n"
     "#pragma omp target\n    for (int i = 0; i < 9; i++) m->x[i] = i;\n    s = m->x[0];\n  }\n  return s;\n}\n",
     ("    s = ", "    #pragma omp target update from(m->x[0:9])\n    s = ")),
    ("missing-update-from",
     "struct m { int x, *p; };\nint f(void) {\n  struct m m = {0};\n#pragma omp target data map(tofrom: m)\n  {\n"
     "#pragma omp target\n    m.x = 3;\n    m.x += 1;\n  }\n  return 0;\n}\n",
     ("    m.x +=", "    #pragma omp target update from(m.x)\n    m.x +=")),
    ("missing-update-from",
     "struct m { int x; };\nint f(int s) {\n  struct m m[9] = {{0}};\n#pragma omp target data map(tofrom: m)\n  {\n"
     "#pragma omp target\n    for (int i = 0; i < 9; i++) m[i].x = 3;\n    for (int i = 0; i < 9; i++) s += m[i].x;\n"
     "  }\n  return s;\n}\n",
     ("    for (int i = 0; i < 9; i++) s",
      "    #pragma omp target update from(m)\n    for (int i = 0; i < 9; i++) s")),
    ("missing-update-from",
     "static int sum(int *x, int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++) s += x[i];\n  return s;\n}\n"
     "int f(void) {\n  int x[9] = {0}, s;\n#pragma omp target data map(tofrom: x)\n  {\n"
     "#pragma omp target\n    for (int i = 0; i < 9; i++) x[i] = 3;\n    s = sum(x, 9);\n  }\n  return s;\n}\n",
     ("  for (int i = 0; i < n", "  #pragma omp target update from(x[0:n])\n  for (int i = 0; i < n")),
    ("listed-twice", "void f(int n) {\n#pragma omp parallel firstprivate(n, n)\n  n++;\n}\n", ("(n, n)", "(n)")),
]  # fmt: skip


@together(("rule", "text", "change"), WRITTEN, ids=[f"{w[0]}-{n}" for n, w in enumerate(WRITTEN)])
def test_only_what_is_wrong_is_changed(rule: str, text: str, change: tuple[str, str]) -> None:
    found = [d for d in judge(text.encode()) if d.rule == rule]
    (diagnostic,) = found
    changed = fixing.apply(text.encode(), diagnostic.fixes[0].edits).decode()
    assert changed == text.replace(*change)
    assert rule not in {d.rule for d in judge(changed.encode())}


NOT_OFFERED = {
    "the host's garbage would come back": """
void f(int n, int *x, int yes) {
#pragma omp target data map(from: x[0:n-1])
  if (yes) {
#pragma omp target
    for (int i = 0; i < n; i++) x[i] = i;
  }
}
""",
    "another member is filled": """
struct m { int *x, *y; };
void f(int n, struct m m) {
#pragma omp target map(from: m.x[0:n-1], m.y[0:n])
  for (int i = 0; i < n; i++) m.y[i] = m.x[i];
}
""",
    "the length is another one later": """
void f(int n, int *x) {
#pragma omp target enter data map(to: x[0:n-1])
  n *= 2;
#pragma omp target
  for (int i = 0; i < n; i++) x[i] = i;
#pragma omp target exit data map(delete: x[0:n])
}
""",
    "a place is kept beside the maximum": """
int f(int n, int *x) {
  int most = 0, at = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (x[i] > most) { most = x[i]; at = i; }
  return at;
}
""",
    "what is kept is not what is compared": """
int f(int n, int *x) {
  int at = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (x[i] > at) at = i;
  return at;
}
""",
    "there are two updates": """
void f(int n, int *x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    x[0] += i;
    x[0] += 2;
  }
}
""",
    "atomic does not take what is read again": """
void f(int n, int *x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[0] += x[0];
}
""",
    "data that enter do not come from a device": """
void f(int n, int *x) {
#pragma omp target enter data from(x[0:n])
}
""",
}


@pytest.mark.parametrize("why", NOT_OFFERED)
def test_what_would_be_no_better_is_not_offered(why: str) -> None:
    found = judge(NOT_OFFERED[why].encode())
    rules = {"section-too-short", "missing-reduction", "unknown-clause"}
    mended = [d for d in fixing.tried(found, found, NOT_OFFERED[why].encode(), judge) if d.rule in rules]
    assert all(not d.fixes for d in mended)


FIRST = [
    # rule, pragma, what becomes of it by the last of the fixes; gcc 12 takes no comma behind the name
    ("conflicting-clauses", "depobj(*d) destroy update(in)", "depobj(*d) update(in)"),
    ("conflicting-clauses", "task mergeable, detach(*e)", "task detach(*e)"),
    ("unused-map", "target map(to: y[0:n]), map(tofrom: x[0:n])", "target map(tofrom: x[0:n])"),
    ("unused-map", "target map(to: y[0:n]) // why", "target // why"),
]


@pytest.mark.parametrize(("rule", "pragma", "left"), FIRST)
def test_the_first_clause_leaves_nothing_behind(rule: str, pragma: str, left: str) -> None:
    text = f"void f(int n, int *x, int *y, int *d, long *e) {{\n#pragma omp {pragma}\n  *x = 1;\n}}\n"
    (diagnostic,) = [d for d in judge(text.encode()) if d.rule == rule]
    assert fixing.apply(text.encode(), diagnostic.fixes[-1].edits).decode() == text.replace(pragma, left)


IN_A_MACRO = """\
#define TARGET(list) _Pragma("omp target map(to: x[0:n], y[0:n])")
void f(int n, int *x, int *y) {
    TARGET(x)
    x[0] = 1;
}
"""


def test_what_a_macro_made_is_not_edited() -> None:
    found = [d for d in judge(IN_A_MACRO.encode()) if d.rule == "unused-map"]
    assert found
    assert not any(d.fixes for d in found)


def test_a_clause_beside_a_misspelt_directive_is_no_part_of_it() -> None:
    """What was hidden by the first mistake is fixed when that is: both are in the text that all fixes give."""
    data = b"void f(int n) {\n#pragma omp paralel for schedul(static)\n  for (int i = 0; i < n; i++);\n}\n"
    for _ in range(3):
        found = judge(data)
        data = fixing.apply(data, fixing.choose(fixing.tried(found, found, data, judge)).get("example.c", []))
    assert b"#pragma omp parallel for schedule(static)\n" in data


@pytest.mark.parametrize("clause", ["reducton(+: s)", "reduction(+ s)", "privat(s)"])
def test_no_clause_is_added_beside_one_that_was_misspelt(clause: str) -> None:
    loop = "  for (int i = 0; i < n; i++)\n    s += x[i];\n"
    text = f"double f(int n, double *x) {{\n  double s = 0;\n#pragma omp parallel for {clause}\n{loop}  return s;\n}}\n"
    (race,) = (d for d in judge(text.encode()) if d.rule == "missing-reduction")
    assert not race.fixes
    (race,) = (d for d in judge(text.replace(clause, "").encode()) if d.rule == "missing-reduction")
    assert race.fixes


def test_fixes_of_one_rule_are_tried_together() -> None:
    """However many there are; one that makes something worse is found among them."""
    names = [f"v{k}" for k in range(40)]
    lines = [f"    int {', '.join(f'{name} = 0' for name in names)};"]
    lines += [f"    #pragma omp target map(tofrom: {', '.join(names)})", "    { v1 = 1; }", "    return v1;"]
    text = "\n".join(["int main(void) {", *lines, "}\n"]).encode()
    found, trials = judge(text), list[bytes]()

    def counted(changed: bytes) -> list[Diagnostic]:
        trials.append(changed)
        wrong = [Diagnostic("r", "error", "m", found[0].where)] if b"v7," not in changed else []
        return judge(changed) + wrong

    mended = fixing.tried(found, found, text, counted)
    assert len(found) == 39
    assert ["v7" in d.message for d in mended if not d.fixes] == [True]
    assert len(trials) < 25
