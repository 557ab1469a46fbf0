"""The abstract machine over whole programs: what is found across functions, and that what is kept is as good as new."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest
from together import together

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rules"))

from drawing import analyze, findings

from ompls.analysis.dataenv.faults import Event
from ompls.analysis.dataenv.machine.analysis import events_of_unit
from ompls.analysis.dataenv.machine.calls import Machine
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules.support.framework import unit_of
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

HEAD = "void *malloc(unsigned long); void free(void *); void other(void); int printf(const char *, ...);\n"


def events(text: str, analyzer: Analyzer | None = None) -> set[Event]:
    """The certain events of a program, hints about effects left out."""
    tu = (analyzer or Analyzer()).analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings())
    found = events_of_unit(unit_of(tu))
    return {e for name in found for e in found[name] if e.certainty == "certain"}


def kind_of(event: Event) -> str:
    """The name of its class: `too-short` of TooShort."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(event).__name__).lower()


def kinds(text: str) -> list[str]:
    return sorted(kind_of(e) for e in events(HEAD + text))


# (what main does with `int *x` of n = 100 elements that have values; what is certain)
PROGRAMS = [
    ("target map(to: x[0:n])\nfor (int i = 0; i < n; i++) x[i]++;", "", ["lost-result"]),
    ("target map(tofrom: x[0:n])\nfor (int i = 0; i < n; i++) x[i]++;", "", []),
    ("target map(tofrom: x[0:n/2])\nfor (int i = 0; i < n; i++) x[i]++;", "", ["lost-result", "too-short"]),
    ("target map(from: x[0:n])\nfor (int i = 0; i < n; i++) x[i]++;", "", ["garbage"]),
    ("target\nfor (int i = 0; i < n; i++) x[i]++;", "", ["absent-item"]),
    ("target enter data map(to: x[0:n])\n;", "free(x);", ["free-mapped"]),
    ("target enter data map(to: x[0:n])\n;", "free(x); free(x);", ["free-mapped"]),
    ("target exit data map(from: x[0:n])\n;", "", ["exit-absent"]),
    ("target update to(x[0:n])\n;", "", ["update-absent"]),
    ("target enter data map(to: x[0:n]) device(1)\n;", "", ["never-left"]),
    ("target data map(to: x[0:n]) device(1)\n{\n#pragma omp target device(2)\nx[0]++;\n}", "", ["absent-item"]),
    ("target data map(tofrom: x[0:n])\n{\n#pragma omp target\nx[0] = 1;\n}", "", []),
    ("target data map(tofrom: x[0:n])\n{\n#pragma omp target\nx[0] = 1;\nx[1] = x[0];\n}", "", ["host-stale"]),
    ("target data map(tofrom: x[0:n])\n{\nx[0] = 1;\n#pragma omp target\nx[1] = x[0];\n}", "", ["device-stale"]),
    ("target map(tofrom: x[0:n]) if(0)\nx[0]++;", "", []),
    ("target if(0)\nx[0]++;", "", []),
    ("target map(present, to: x[0:n])\nn = x[0];", "", ["present-fails"]),
]  # fmt: skip


@pytest.mark.parametrize(("directive", "after", "expected"), PROGRAMS, ids=[p[0][:50] for p in PROGRAMS])
@together("shape", ["inline", "parameter", "global"])
def test_the_same_in_main_in_a_callee_and_with_globals(
    directive: str, after: str, expected: list[str], shape: str
) -> None:
    work = f"#pragma omp {directive}\n"
    fill = "for (int i = 0; i < 100; i++) x[i] = i;"
    read = "for (int i = 0; i < 100; i++) if (x[i] != 2 * i) return 1;" if "free" not in after else ""
    allocate = "malloc(100 * sizeof(int))"
    if shape == "inline":
        text = f"int main(void) {{ int n = 100, *x = {allocate}; {fill}\n{work}{after} {read} return 0; }}"
    elif shape == "parameter":
        text = f"static void work(int *x, int n) {{\n{work}}}\nstatic int check(const int *x) {{ {read} return 0; }}\n"
        text += f"int main(void) {{ int *x = {allocate}; {fill} work(x, 100); {after} return check(x); }}"
    else:
        text = f"int *x, n = 100;\nvoid init(void) {{ {fill} }}\nvoid work(void) {{\n{work}}}\n"
        text += f"int check(void) {{ {read} return 0; }}\n"
        text += f"int main(void) {{ x = {allocate}; init(); work(); {after} return check(); }}"
    assert kinds(text) == expected, text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (flag) {IN} {USE} if (flag) {OUT}", []),
        ("if (flag) {IN} if (flag) {OUT} {USE}", ["absent-item"]),
        ("{IN} if (flag) {OUT} {USE} if (!flag) {OUT}", []),
        ("for (int k = 0; k < flag; k++) {IN} {USE}", ["never-left"]),
        ("{IN} goto out; {OUT} out: {USE}", ["never-left"]),
        ("{IN} other(); {USE} {OUT}", []),
        ("{IN} {IN} {OUT} {USE} {OUT}", []),
        ("{IN} {DELETE} {USE}", ["absent-item"]),
        ("while (flag--) {IN} {USE} {OUT}", ["never-left"]),
        ("while (flag--) {{IN} {USE} {OUT}}", []),
        ("switch (flag) {case 1:} {IN} {USE} {OUT}", []),
    ],
)
def test_paths(body: str, expected: list[str]) -> None:
    words = {
        "{IN}": "{\n#pragma omp target enter data map(to: x)\n}",
        "{OUT}": "{\n#pragma omp target exit data map(from: x)\n}",
        "{DELETE}": "{\n#pragma omp target exit data map(delete: x)\n}",
        "{USE}": "{\n#pragma omp target\n*p = 1;\n}",
    }
    for word, text in words.items():
        body = body.replace(word, text)
    assert kinds(f"int main(int c, char **v) {{ int flag = **v, x[4] = {{1}}, *p = x; {body} return 0; }}") == expected


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        ("omp_target_memcpy(d, x, 16, 0, 0, 0, h);", ["host-stale"]),  # x is read: its values are on the device
        ("omp_target_memcpy(x, d, 16, 0, 0, h, 0);", []),  # x is written
    ],
)
def test_a_copy_reads_its_source_and_writes_its_destination(copy: str, expected: list[str]) -> None:
    text = f"""
int omp_target_memcpy(void *, const void *, unsigned long, unsigned long, unsigned long, int, int);
int omp_get_initial_device(void);
void f(int *d) {{
    int x[4] = {{1}}, h = omp_get_initial_device();
    #pragma omp target data map(to: x)
    {{
        #pragma omp target
        x[0] = 2;
        {copy}
    }}
}}"""
    assert kinds(text) == expected


def test_a_loop_of_a_region_that_counts_with_a_global_writes_every_element() -> None:
    text = """
#pragma omp declare target
int a[100], i;
#pragma omp end declare target
int main(void) {
    for (i = 0; i < 100; i++) a[i] = 0;
    #pragma omp target update to(a)
    #pragma omp target
    for (i = 0; i < 100; i++) a[i] += i;
    return a[50];
}
"""
    assert kinds(text) == ["host-stale"]
    assert kinds(text.replace("return", "#pragma omp target update from(a)\nreturn")) == []


def test_a_return_that_a_missing_brace_puts_into_a_region_leaves_nothing_mapped() -> None:
    text = """
    static int total(int n, const int *y) { int sum = 0;
    #pragma omp target map(to: y[0:n]) map(tofrom: sum)
    for (int i = 0; i < n; i++) { sum += y[i];
    return sum; }%s
    int main(void) {
        int n = 100, *y = malloc(n * sizeof *y);
        for (int i = 0; i < n; i++) y[i] = i;
        n += total(n, y);
    #pragma omp target map(tofrom: y[0:100])
        for (int i = 0; i < 100; i++) y[i]++;
        printf("%%d", y[0] + n);
        free(y);
    }
    """
    assert kinds(text % " }") == []
    assert kinds(text % "") == []


def test_the_same_place_is_named_every_time() -> None:
    """Of several that it could be: cases are sets, which have another order in each analysis."""
    text = """
    int main(void) {
        int c[1024], wrong = 0;
        for (int size = 256; size <= 1024; size += 256) {
            for (int i = 0; i < size; i++) c[i] = -1;
    #pragma omp target enter data if(size > 512) map(to: size) map(to: c[0:size])
    #pragma omp target if(size > 512) map(to: c[0:size])
            for (int j = 0; j < size; j++) c[j] = j;
    #pragma omp target exit data if(size > 512) map(from: c[0:size])
            for (int i = 0; i < size; i++) if (c[i] != i) wrong++;
        }
        return wrong;
    }
    """
    source = (HEAD + text).encode()
    found = [events_of_unit(unit_of(Analyzer().analyze("x.c", source, EMPTY_SNAPSHOT, Settings()))) for _ in range(12)]
    assert found[0]
    assert all(set(f["main"]) == set(found[0]["main"]) for f in found)


@pytest.mark.thorough
def test_a_walk_that_takes_too_long_says_nothing() -> None:
    calls = "".join(f"void f{k}(int *x) {{ f{k - 1}(x); f{k - 1}(x + {k}); }}\n" for k in range(1, 11))
    text = HEAD + "void f0(int *x) {\n#pragma omp target\nfor (int i = 0; i < 9; i++) x[i] = i; }\n" + calls
    loops = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++) " for k in range(40))
    text += f"int main(int n, char **v) {{ int a[2000] = {{1}}; {loops} f10(a); return 0; }}\n"
    assert isinstance(events(text), set)


PROGRAM = (
    HEAD
    + """
int *a, *b, n = 64;
static void fill(int *p, int value) { for (int i = 0; i < n; i++) p[i] = value; }
static int *make(int value) { int *p = malloc(64 * sizeof(int)); fill(p, value); return p; }
static void upload(void) {
#pragma omp target enter data map(to: a[0:n]) map(alloc: b[0:n])
}
static void step(int k) {
#pragma omp target teams distribute parallel for
for (int i = 0; i < n; i++) b[i] = a[i] + k;
}
static void download(void) {
#pragma omp target exit data map(from: b[0:n]) map(delete: a[0:n])
}
static int sum(const int *p) { int all = 0; for (int i = 0; i < n; i++) all += p[i]; return all; }
int main(void) {
a = make(1);
b = make(0);
upload();
step(3);
for (int k = 0; k < 4; k++) step(k);
download();
int all = sum(b);
free(a);
free(b);
return all;
}
"""
)


def test_edits_of_a_program_give_what_a_fresh_analysis_gives() -> None:
    assert events(PROGRAM) == set()
    random_ = random.Random(5)
    lines = PROGRAM.splitlines(keepends=True)
    words = [
        ("from:", "to:"),
        ("to: ", "alloc: "),
        ("0:n", "0:n/2"),
        ("delete", "release"),
        ("b[i]", "a[i]"),
        ("4", "n"),
    ]
    analyzer = Analyzer()
    seen: set[str] = set()
    pragmas = [k for k, line in enumerate(lines) if line.startswith("#")]
    for turn in range(80):
        changed = list(lines)
        at = random_.choice(pragmas) if turn % 2 else random_.randrange(3, len(changed))
        line = changed[at]
        for old, new in random_.sample(words, 2):
            line = line.replace(old, new)
        changed[at] = random_.choice(("", line, line, "\n" + changed[at]))
        text = "".join(changed)
        found = events(text, analyzer)
        assert found == events(text), text
        seen |= {kind_of(e) for e in found}
    assert {"absent-item", "lost-result", "too-short", "free-mapped"} <= seen


def test_what_speaks_of_no_device_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "run", lambda *_: pytest.fail("walked"))
    events("""void compare(int *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = i;
    other();
}
void component(int *target) { *target = 1; }
""")


def test_broken_programs_do_not_raise() -> None:
    random_ = random.Random(11)
    for _ in range(60):
        start = random_.randrange(len(PROGRAM))
        text = (
            PROGRAM[:start]
            + random_.choice(("", "(", "}", "*", "&x", "#pragma omp target map("))
            + PROGRAM[start + 3 :]
        )
        events(text)
        findings(text)


def test_reference_to_a_site_in_another_function() -> None:
    text = PROGRAM.replace("map(from: b[0:n])", "map(release: b[0:n])")
    (lost,) = [e for e in events(text) if kind_of(e) == "lost-result"]
    assert (lost.site.function, [s.function for s, _ in lost.related]) == ("download", ["step", "sum"])
    (shown,) = findings(text, "to-write-lost")
    places = [text.encode()[r.where.start : r.where.end] for r in shown.related]
    assert places == [b"b[i]", b"p[i]"]
    assert analyze(text).source == text.encode()


def test_an_array_of_variable_length_has_the_length_of_each_call() -> None:
    text = """
    static int f(int n) {
        int sq[n], s = 0;
        for (int i = 0; i < n; i++) sq[i] = i;
    #pragma omp target enter data map(to: sq)
    #pragma omp target map(tofrom: s)
        for (int i = 0; i < n; i++) s += sq[i];
    #pragma omp target exit data map(release: sq)
        return s;
    }
    int main(void) { int a = f(5), b = f(7); return a + b; }
    """
    assert not kinds(text)


def test_a_declare_target_variable_is_on_the_device_before_anything_has_come_by_it() -> None:
    text = """
    #pragma omp declare target
    int count[8];
    #pragma omp end declare target
    int main(void) {
    #pragma omp target
        for (int i = 0; i < 800; i++) count[0]++;
        return count[0];
    }
    """
    tu = Analyzer().analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings())
    found = {(kind_of(e), e.certainty) for events in events_of_unit(unit_of(tu)).values() for e in events}
    assert found == {("host-stale", "certain")}


def test_what_an_update_brings_is_all_that_the_device_has_of_a_copy_without_values() -> None:
    text = """
    int main(void) {{
        int n = 300, s = 0, *v = malloc(2 * n * sizeof *v);
        for (int i = 0; i < 2 * n; i++) v[i] = 1;
    #pragma omp target enter data map(alloc: v[0:2*n])
    #pragma omp target update to(v[0:n])
    {more}
    #pragma omp target map(tofrom: s)
        for (int i = 0; i < 2 * n; i++) s += v[i];
    #pragma omp target exit data map(delete: v[0:2*n])
        free(v);
        return s;
    }}
    """
    assert kinds(text.format(more="")) == ["garbage"]
    assert not kinds(text.format(more="#pragma omp target update to(v[n:n])"))


@pytest.mark.parametrize("read", ["memcmp(x, y, 400)", "fwrite(x, 4, 100, f)"])
def test_library_functions_that_read_a_block_see_old_values(read: str) -> None:
    text = f"""
    int memcmp(const void *, const void *, unsigned long);
    unsigned long fwrite(const void *, unsigned long, unsigned long, void *);
    int main(void) {{
        int *x = malloc(400), *y = malloc(400);
        void *f = 0;
        for (int i = 0; i < 100; i++) x[i] = y[i] = i;
    #pragma omp target data map(to: x[0:100])
        {{
    #pragma omp target
            for (int i = 0; i < 100; i++) x[i] = 2;
    #pragma omp target update from(x[0:50])
            if ({read}) return 1;
        }}
        return 0;
    }}
    """
    assert kinds(text) == ["host-stale"]
    assert not kinds(text.replace("0:50", "0:100"))


@pytest.mark.parametrize(
    ("section", "expected"), [("x[o:chunk]", []), ("x[o:chunk / 2]", ["lost-result", "too-short"])]
)
def test_a_loop_goes_by_what_a_variable_holds(section: str, expected: list[str]) -> None:
    text = f"""
    int main(void) {{
        int n = 1024, chunk = 256, *x = malloc(n * sizeof *x);
        for (int i = 0; i < n; i++) x[i] = i;
        for (int o = 0; o < n; o += chunk) {{
    #pragma omp target map(tofrom: {section})
            for (int i = o; i < o + chunk; i++) x[i]++;
        }}
        int s = x[n - 1];
        free(x);
        return s;
    }}
    """
    assert kinds(text) == expected


def test_an_array_in_each_of_many_structures_is_written_as_a_whole() -> None:
    text = """
    typedef struct {{ float at[3], mass; }} body;
    int main(void) {{
        int n = 50;
        body *b = malloc(n * sizeof *b);
        for (int i = 0; i < n; i++) {{ b[i].mass = 1; for (int k = 0; k < 3; k++) b[i].at[k] = 1; }}
    #pragma omp target map(to: b[0:n])
        for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) b[i].at[k] += 1;
        float s = b[n - 1].{member};
        free(b);
        return s > 0;
    }}
    """
    assert kinds(text.format(member="at[1]")) == ["lost-result"]
    assert not kinds(text.format(member="mass"))


@pytest.mark.parametrize(("kind", "expected"), [("to", []), ("alloc", ["garbage"])])
def test_a_string_literal_is_storage(kind: str, expected: list[str]) -> None:
    text = f"""
    static int count(const char *text, const char *word) {{
        int hits = 0;
    #pragma omp target map({kind}: text[0:100]) map(to: word[0:3]) map(tofrom: hits)
        for (int i = 0; i < 100; i++) hits += text[i] == word[i % 3];
        return hits;
    }}
    int main(void) {{
        char text[100];
        for (int i = 0; i < 100; i++) text[i] = 'a';
        return count(text, "abc");
    }}
    """
    assert kinds(text) == expected


def test_a_string_literal_in_a_region_is_the_devices_own() -> None:
    text = """
    void *memcpy(void *, const void *, unsigned long);
    int main(void) {
        int found = 0;
    #pragma omp target map(tofrom: found)
        {
            const char *name = "text";
            char copy[4];
            memcpy(copy, "abc", 4);
            found = (name[0] == 't') + (copy[0] == 'a');
        }
        return found;
    }
    """
    assert not kinds(text)


@pytest.mark.parametrize(("kind", "expected"), [("tofrom", []), ("from", ["garbage"])])
def test_a_region_reads_through_the_device_address_what_nobody_has_sent(kind: str, expected: list[str]) -> None:
    text = f"""
    void fill(int *, int);
    static void twice(int *x, int n) {{
    #pragma omp target is_device_ptr(x)
        for (int i = 0; i < n; i++) x[i] *= 2;
    }}
    int main(void) {{
        int values[100], *x = values;
        for (int i = 0; i < 100; i++) x[i] = i;
    #pragma omp target data map({kind}: x[0:100])
    #pragma omp target data use_device_ptr(x)
        {{
            twice(x, 100);
        }}
        return x[1];
    }}
    """
    assert kinds(text) == expected
    assert not kinds(text.replace("twice(x, 100);", "fill(x, 100); twice(x, 100);"))  # the library has filled it


BUFFERS = """
typedef void step_t(float *, float *, int);
void step(float *in, float *out, int n) {{
    #pragma omp target map(present, alloc: in[0:n], out[0:n])
    for (int i = 0; i < n; i++) out[i] = in[i] + 1;
}}
void back(float *in, float *out, int n) {{ step(out, in, n); }}
int main(int argc, char **argv) {{
    int n = 50, steps = {steps}, now = 0;
    float *a = malloc(n * 4), *b = malloc(n * 4), *both[] = {{a, b}};
    step_t *table[] = {{step, back}};
    for (int i = 0; i < n; i++) a[i] = b[i] = i;
    #pragma omp target data map({a}: a[0:n]) map({b}: b[0:n])
    for (int t = 0; t < steps; t++) {{ {body} }}
    printf("%g %g", a[3], b[3]);
    free(a);
    free(b);
    return 0;
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        "float *in = t % 2 ? b : a, *out = t % 2 ? a : b; step(in, out, n);",
        "if (t % 2 == 0) step(a, b, n); else step(b, a, n);",
        "step(both[now], both[1 - now], n); now = !now;",
        "step(both[t & 1], both[(t + 1) & 1], n);",
        "table[t % 2](a, b, n);",
        "if (now) { step(b, a, n); now = 0; } else { step(a, b, n); now = 1; }",
    ],
)
@pytest.mark.parametrize("steps", ["100", "4", "argc"])
def test_buffers_that_take_turns(body: str, steps: str) -> None:
    def found(a: str, b: str) -> list[str]:
        return [k for k in kinds(BUFFERS.format(body=body, steps=steps, a=a, b=b)) if k != "garbage-if-new"]

    assert found("tofrom", "tofrom") == []
    assert found("tofrom", "from") == []
    assert found("tofrom", "to") == ["lost-result"]
    assert "garbage" in found("from", "tofrom")


@pytest.mark.parametrize(("mapped", "expected"), [("0:n", []), ("0:n - 1", ["too-short"]), ("0:m", ["too-short"])])
def test_a_run_without_arguments(mapped: str, expected: list[str]) -> None:
    text = """int atoi(const char *);
    int main(int argc, char **argv) {
        int n = 100, m = 60, sum = 0, *x;
        if (argc > 2) { n = atoi(argv[1]); m = atoi(argv[2]); }
        x = malloc(n * sizeof *x);
        for (int i = 0; i < n; i++) x[i] = i;
        #pragma omp target map(to: x[MAPPED]) map(tofrom: sum)
        for (int i = 0; i < n; i++) sum += x[i];
        free(x);
        return sum;
    }"""
    assert kinds(text.replace("MAPPED", mapped)) == expected


def test_a_table_of_buffers_is_mapped_in_a_loop() -> None:
    text = """struct set { float *x, *y, *z; };
    int main(void) {
        struct set s = {malloc(400), malloc(400), malloc(400)};
        float **all[] = {&s.x, &s.y, &s.z}, *x = s.x, *z = s.z;
        for (int i = 0; i < 100; i++) s.x[i] = s.y[i] = s.z[i] = i;
        for (int k = 0; k < ENTERED; k++) {
            #pragma omp target enter data map(to: (*all[k])[:100])
        }
        #pragma omp target
        for (int i = 0; i < 100; i++) z[i] += x[i];
        for (int k = 0; k < ENTERED; k++) {
            #pragma omp target exit data map(KIND: (*all[k])[:100])
        }
        return s.z[5];
    }"""
    assert kinds(text.replace("ENTERED", "3").replace("KIND", "from")) == []
    assert kinds(text.replace("ENTERED", "3").replace("KIND", "delete")) == ["lost-result"]
    assert kinds(text.replace("ENTERED", "2").replace("KIND", "from")) == ["absent-item"]


def test_the_complement_of_an_unsigned_number_is_not_negative() -> None:
    text = """int main(void) {
        unsigned one = 1;
        int *x = malloc(40);
        if (~one < 1) return 1;
        #pragma omp target enter data map(alloc: x[0:10])
        #pragma omp target
        x[0] = 1;
        if (~one > 5) {
            #pragma omp target exit data map(from: x[0:10])
        }
        return x[0];
    }"""
    assert kinds(text) == []


ATTACH = """struct field { double *values; int n; };
static void at(double **place, double *v) { *place = v; }
static void one(struct field *all, int k, double *v) { all[k].values = v; }
static void both(struct field *all, double *v) { one(all, 0, v); one(all, 1, v); }
int main(void) {
    struct field a[2], *first = a;
    double *v = calloc(10, sizeof(double));
    a[0].values = a[1].values = v;
    #pragma omp target enter data map(to: v[0:10], a)
    #pragma omp target
    { BODY; }
    #pragma omp target
    a[0].values[0] += 1;
    #pragma omp target exit data map(from: v[0:10]) map(release: a)
    return v[0];
}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a[0].n = 1", ["unattached"]),
        ("a[0].values = v", []),
        ("struct field b = {v, 10}; a[0] = b", []),
        ("struct field b = {v, 10}; memcpy(&a[0], &b, sizeof b)", []),
        ("at(&a[0].values, v)", []),
        ("double **place = &first->values; *place = v", []),
        ("both(a, v)", []),
    ],
)
def test_what_a_region_gives_a_pointer_member_to(body: str, expected: list[str]) -> None:
    assert kinds(ATTACH.replace("BODY", body)) == expected


@pytest.mark.parametrize(
    ("unless", "expected"),
    [
        ("", ["maps-null"]),
        ("if (argc < 2) printf(v[0]);", ["maps-null"]),
        ("if (argc < 2) usage(v[0]);", []),
        ("if (argc < 2) errx(1, v[0]);", []),
        ("if (argc < 2) { printf(v[0]); exit(1); }", []),
    ],
)
def test_a_run_without_arguments_may_end_at_once(unless: str, expected: list[str]) -> None:
    text = f"""int atoi(const char *);
    void usage(char *), errx(int, char *, ...);
    int main(int argc, char **v) {{
        int n = 10, *x = 0;
        {unless}
        if (argc > 1) {{ n = atoi(v[1]); x = malloc(n * sizeof *x); }}
        #pragma omp target map(from: x[0:n])
        for (int i = 0; i < n; i++) x[i] = i;
        return x[0];
    }}"""
    assert kinds(text) == expected


# What a loop stores in an array at places that are not told apart, each of its elements may hold.
STORED_IN_A_LOOP = [
    "struct level { int n; double *u; };\nstatic struct level at[4];\n"
    "int main(void) {\nfor (int k = 0; k < 4; k++) { at[k].n = 9; at[k].u = malloc(72); }\ndouble *u = at[3].u;\n"
    "#pragma omp target map(from: u[0:9])\nfor (int i = 0; i < 9; i++) u[i] = i;\nreturn u[2] != 2;\n}\n",
    "static double *at[4];\n"
    "int main(void) {\nif (at[1]) return 1;\nfor (int k = 0; k < 4; k++) at[k] = malloc(72);\ndouble *u = at[1];\n"
    "#pragma omp target map(from: u[0:9])\nfor (int i = 0; i < 9; i++) u[i] = i;\nreturn u[2] != 2;\n}\n",
    "static int count[40];\n"
    "int main(void) {\ndouble *u = malloc(320);\nfor (int k = 0; k < 40; k++) count[k] = k;\n"
    "#pragma omp target enter data map(alloc: u[0:count[30]])\n#pragma omp target\n"
    "for (int i = 0; i < 8; i++) u[i] = i;\n#pragma omp target exit data map(from: u[0:count[30]])\n"
    "return u[2] != 2;\n}\n",
    "int main(void) {\nint count[40];\ncount[5] = 2;\ndouble *u = malloc(320);\n"
    "for (int k = 0; k < 40; k++) count[k] = 30;\n#pragma omp target map(from: u[0:count[5]])\n"
    "for (int i = 0; i < 30; i++) u[i] = i;\nreturn u[20] != 20;\n}\n",
]


@pytest.mark.parametrize("text", STORED_IN_A_LOOP)
def test_what_a_loop_has_stored_hides_what_an_element_held(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    "number",
    [
        "unsigned n = -1",
        "unsigned char n = ~1u",
        "unsigned n; n = -1",
        "unsigned n = 0; n--",
        "unsigned n = 0; n -= 1",
        "long n = (unsigned char)-1",
        "struct { unsigned char n; } s = {-1}; int n = s.n",
        "static const unsigned n = -1",
        "_Bool b = 6; int n = b * 6",
    ],
)
def test_numbers_take_the_type_of_what_they_are_stored_in(number: str) -> None:
    text = """int main(void) {
        NUMBER;
        int *x = malloc(40);
        if (n > 5) {
            #pragma omp target enter data map(alloc: x[0:10])
        }
        #pragma omp target
        x[0] = 1;
        if (n > 5) {
            #pragma omp target exit data map(from: x[0:10])
        }
        return x[0];
    }"""
    assert kinds(text.replace("NUMBER", number)) == []


LIBRARY = """
typedef unsigned long size_t; typedef struct stream FILE; extern FILE *in;
void *memset(void *, int, size_t); char *strcpy(char *, const char *); int printf(const char *, ...);
int sprintf(char *, const char *, ...); size_t fread(void *, size_t, size_t, FILE *); char *fgets(char *, int, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *); size_t strlen(const char *);
int sscanf(const char *, const char *, ...);
int MPI_Send(const void *, int, int, int, int, int); int MPI_Recv(void *, int, int, int, int, int, int *);
static char a[64]; static int k;
int main(void) {
    int s = 0;
    #pragma omp target enter data map(to: a)
"""
READ = "\n#pragma omp target map(tofrom: s)\nfor (int i = 0; i < 64; i++) s += a[i];\n"
WROTE = "\n#pragma omp target\nfor (int i = 0; i < 64; i++) a[i] = i;\n"
TO, FROM = "\n#pragma omp target update to(a)\n", "\n#pragma omp target update from(a)\n"
CALLS = [
    # what the host writes, a region does not see
    *[(f"{call}{READ}", ["device-stale"]) for call in (
        "memset(a, 1, 64);", 'strcpy(a, "abc");', 'sprintf(a, "%d", k);', "fread(a, 1, 64, in);", "fgets(a, 64, in);",
        "MPI_Recv(a, 64, 0, 0, 0, 0, &k);",
    )],
    *[(f"{call}{TO}{READ}", []) for call in ('sprintf(a, "%d", k);', "fread(a, 1, 64, in);", "fgets(a, 64, in);")],
    (f'printf("%s", a); s = strlen(a); sscanf(a, "%d", &k);{READ}', []),  # they only read it
    (f"fread(a, 1, 0, in);{READ}", []),
    # what a region has written, the host does not see
    *[(f"{WROTE}{call}", ["host-stale"]) for call in (
        "fwrite(a, 1, 64, in);", "s = strlen(a);", "MPI_Send(a, 64, 0, 0, 0, 0);", 'sscanf(a, "%d", &k);',
    )],
    (f"{WROTE}{FROM}fwrite(a, 1, 64, in); MPI_Send(a, 64, 0, 0, 0, 0);", []),
    (f'{WROTE}printf("%p", a);', []),  # the address, not what is there
    (f"{WROTE}fgets(a, 64, in); s = a[9];", []),
]  # fmt: skip


@together(("body", "expected"), CALLS, ids=[" ".join(b.split())[:80] for b, _ in CALLS])
def test_library_functions_touch_what_their_arguments_point_to(body: str, expected: list[str]) -> None:
    text = f"{LIBRARY}{body}\n#pragma omp target exit data map(delete: a)\nreturn s;\n}}\n"
    assert sorted(kind_of(e) for e in events(text) if kind_of(e) != "lost-result") == expected
