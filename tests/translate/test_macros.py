"""The user's macros in kernels: written as they were where that is certain to mean the same, else expanded."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import pytest
from command import ompls
from named import preview, translate
from steps import steps
from thinned import thinned
from together import together

from ompls.analysis.model.tu import TU
from ompls.analysis.syntax.lexer import tokenize
from ompls.analysis.syntax.macros import Definition
from ompls.translate.macros import Macros, is_harmless
from ompls.translate.rewrite import NO_CODE

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*sorted((ROOT / "examples").glob("*.c")), *sorted((ROOT / "tests/translate/programs").rglob("*.c"))]
LIBRARIES = [*(ROOT / "ompls/devices/cuda/library").glob("*.cuh"), ROOT / "ompls/devices/cudasim/library/prelude.h"]
Unit = Callable[[str], TU]


def kernel(unit: Unit, head: str, body: str, device: str = "cuda", after: str = "") -> str:
    """The preview of a region with `body` in it."""
    region = f"#pragma omp target map(tofrom: x[0:100])\n{{\n{body}\n}}"
    made = preview(unit(f"{head}\nvoid f(int *x, int i, int j)\n{{\n{region}\n}}\n{after}\n"), device)
    assert not made.diagnostics
    return made.text


def defined(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#define") and "OMPLS_" not in line]


CERTAIN = {
    "object-like": ("#define N 8\n", "x[N] = 1;", ["#define N 8"]),
    "function-like": (
        "#define AT(i, j) ((i) * 10 + (j))\n",
        "x[AT(i, j - 1)] = 1;",
        ["#define AT(i, j) ((i) * 10 + (j))"],
    ),
    "in small letters": (
        "#define cell(i, j) ((i) * 10 + (j))\n",
        "x[cell(i, j)] = 1;",
        ["#define cell(i, j) ((i) * 10 + (j))"],
    ),
    "not closed": ("#define NEXT i + 1\n", "x[NEXT * 2] = NEXT;", ["#define NEXT i + 1"]),
    "of another one": (
        "#define ROWS 10\n#define COLS (2 * ROWS)\n#define UNUSED 3\n#define AT(i, j) ((i) * COLS + (j))\n",
        "x[AT(i, j)] = 1;",
        ["#define ROWS 10", "#define COLS (2 * ROWS)", "#define AT(i, j) ((i) * COLS + (j))"],
    ),
    "behind its use": ("#define A B\n#define B 3\n", "x[A] = 1;", ["#define A B", "#define B 3"]),
    "in an argument": (
        "#define TWICE(e) ((e) + (e))\n#define ONE 1\n",
        "x[TWICE(TWICE(ONE))] = 1;",
        ["#define TWICE(e) ((e) + (e))", "#define ONE 1"],
    ),
    "a statement": (
        "#define PUT(at, v) do { x[at] = (v); } while (0)\n",
        "PUT(i, 1);",
        ["#define PUT(at, v) do { x[at] = (v); } while (0)"],
    ),
    "a name of the language": ("#define INTEGER int\n", "INTEGER k = 1; x[k] = 1;", ["#define INTEGER int"]),
    "in a branch": ("#ifdef OTHER\n#define N 9\n#else\n#define N 8\n#endif\n", "x[N] = 1;", ["#define N 8"]),
}


@pytest.mark.parametrize("device", ["cuda", "host"])
@together("case", CERTAIN)
def test_it_is_written_where_that_is_certain(case: str, device: str, unit: Unit) -> None:
    head, body, wanted = CERTAIN[case]
    text = kernel(unit, head, body, device)
    assert defined(text) == wanted
    assert body.split("; ")[-1] in text


# What it expands to stays: (definitions, body, what stands in the kernel)
UNCERTAIN = {
    "an argument is rewritten": (
        "#define AT(p, i) (p)[(i)]\n",
        "int *p; p = (void *)x; AT(p, _Alignof(int)) = 1;",
        "(p)[(alignof(int))]",
    ),
    "what it makes is rewritten": (
        "#define PUT(v) p = (v)\n",
        "int *p; void *q = x; PUT(q); p[0] = 1;",
        "p = (int *)((q));",
    ),
    "a type is spelled otherwise": ("#define FLAG(v) ((_Bool)(v))\n", "x[0] = FLAG(i);", "((bool)(i))"),
    "its name is a word of C++": (
        "#define AS(t) ((t)template)\n",
        "int template = 1; x[0] = AS(int);",
        "((int)template_)",
    ),
    "its name is a word of the unit": ("struct s { int N; };\n#define N 8\n", "x[N] = 1;", "x[8] = 1;"),
    "its name is another thing later": ("#define N 8\n", "x[N] = 1;", "x[8] = 1;"),
    "its name is one of the library": ("#define rsqrt(v) ((v) + 1)\n", "x[0] = rsqrt(i);", "((i) + 1)"),
    "its name is one that CUDA has": (
        "#define min(a, b) ((a) < (b) ? (a) : (b))\n",
        "x[0] = min(i, j);",
        "((i) < (j) ? (i) : (j))",
    ),
    "its name is a common word": ("#define size 8\n", "x[size] = 1;", "x[8] = 1;"),
    "its name is one of headers": ("#define INT_MAX 8\n#define M_PI 3\n", "x[INT_MAX] = M_PI;", "x[8] = 3;"),
    "stringification": ('#define SAY(e) __builtin_printf(#e " %d\\n", (e))\n', "SAY(i);", '("i" " %d\\n", (i))'),
    "pasting": ("#define VAR(n) v##n\n", "int v1 = 2; x[0] = VAR(1);", "x[0] = v1;"),
    "variable arguments": ("#define ONE(a, ...) (a)\n", "x[0] = ONE(i, j);", "x[0] = (i);"),
    "the line": ("#define HERE (__LINE__)\n", "x[0] = HERE;", "x[0] = (7);"),
    "a counter": ("#define NEXT (__COUNTER__)\n", "x[0] = NEXT;", "x[0] = (0);"),
    "a cast of pointers": ("#define BYTES(p) ((char *)(p))\n", "BYTES(x)[0] = 1;", "((char *)(x))[0] = 1;"),
    "a comment in it": (
        "#define AT(i, j) ((i) * 10 + (j))\n",
        "x[AT(i, /* row */ j)] = 1;",
        "x[((i) * 10 + (j))] = 1;",
    ),
    "it names itself": ("#define i (i + 1)\n", "x[i] = 1;", "x[(i + 1)] = 1;"),
    "a system header's": (
        "#include <limits.h>\n#define BIG(v) ((v) + CHAR_BIT)\n",
        "x[BIG(1)] = 1;",
        "x[((1) + 8)] = 1;",
    ),
}


@together("case", UNCERTAIN)
def test_the_expansion_stays_where_it_is_not(case: str, unit: Unit) -> None:
    head, body, wanted = UNCERTAIN[case]
    text = kernel(unit, head, body, after="#undef N\nint N;" if case.endswith("later") else "")
    assert defined(text) == []
    assert wanted in text


def test_it_is_expanded_where_only_a_part_of_it_is_in_the_kernel(unit: Unit) -> None:
    head = (
        "#define BODY { x[1] = N; }\n#define N 8\nvoid f(int *x)\n{\n#pragma omp target map(tofrom: x[0:9])\nBODY\n}\n"
    )
    text = preview(unit(head), "cuda").text
    assert defined(text) == []
    assert "x[1] = 8;" in text


def test_pragmas_that_are_generated_have_no_macros_in_them(unit: Unit) -> None:
    head, body = "#define at(i) (i + 1)\n", "x[at(i)] = 1;"
    assert body in kernel(unit, head, body, "cuda")
    assert "x[(i + 1)] = 1;" in kernel(unit, head, body, "host")


def test_each_kernel_has_the_definition_that_counts_there(unit: Unit) -> None:
    region = "#pragma omp target map(tofrom: x[0:100])\n{\nx[N] = 1;\n}\n"
    tu = unit(f"#define N 8\nvoid f(int *x)\n{{\n{region}}}\n#undef N\n#define N (9)\nvoid g(int *x)\n{{\n{region}}}\n")
    assert defined(preview(tu, "cuda", "f_0").text) == ["#define N 8"]
    assert defined(preview(tu, "cuda", "g_0").text) == ["#define N (9)"]
    assert preview(tu, "cuda").text.count("x[N] = 1;") == 2


def test_a_file_has_one_definition_of_a_name(unit: Unit) -> None:
    call = "#pragma omp declare target\nint one(void) {{ return N; }}\n#pragma omp end declare target\n"
    head = f"#define N 8\n{call.format()}#undef N\n#define N (9)\n"
    text = kernel(unit, head, "x[N] = one();")
    assert defined(text) == ["#define N 8"]
    assert "return N;" in text
    assert "x[(9)] = one();" in text


@pytest.mark.parametrize("redefined", ["#define K(v) ((v) + 2)", '#pragma push_macro("K")\n#undef K\n#define K(v) v'])
def test_in_an_argument_nobody_says_which_definition_it_was(redefined: str, unit: Unit) -> None:
    after = f"#undef K\n{redefined}" if redefined.startswith("#define") else redefined
    text = kernel(unit, "#define K(v) ((v) + 1)\n#define AT(i) (10 * (i))\n", "x[AT(K(i))] = 1;", after=after)
    assert "x[(10 * (((i) + 1)))] = 1;" in text
    assert defined(text) == []


def test_macros_of_the_users_headers(load: Callable[[Path], TU], tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#define ROWS 10\n#define AT(i, j) ((i) * ROWS + (j))\n")
    (tmp_path / "test.c").write_text(
        '#include "sizes.h"\n#define LAST (ROWS - 1)\nvoid f(int *x)\n{\n'
        "#pragma omp target map(tofrom: x[0:100])\n{\nx[AT(LAST, 0)] = 1;\n}\n}\n"
    )
    text = preview(load(tmp_path / "test.c"), "cuda").text
    assert defined(text) == ["#define ROWS 10", "#define AT(i, j) ((i) * ROWS + (j))", "#define LAST (ROWS - 1)"]
    assert "x[AT(LAST, 0)] = 1;" in text


def test_what_is_given_on_the_command_line_stays_expanded(tmp_path: Path) -> None:
    (tmp_path / "test.c").write_text("void f(int *x)\n{\n#pragma omp target map(tofrom: x[0:9])\n{\nx[N] = 1;\n}\n}\n")
    done = ompls("preview", "--device", "cuda", tmp_path / "test.c", "-DN=7")
    assert "x[7] = 1;" in done.stdout
    assert defined(done.stdout) == []


def test_functions_for_other_units_take_theirs_back(unit: Unit) -> None:
    head = "#define N 8\n#pragma omp declare target\n"
    tu = unit(f"{head}int one(void) {{ return N; }}\n#pragma omp end declare target\n")
    (text,) = (data.decode() for name, data in translate([tu], ["cuda"]).files.items() if name.endswith(".cu"))
    assert text.index("#define N 8") < text.index("return N;") < text.index("#undef N")


@pytest.mark.thorough
def test_two_units_have_macros_of_one_name(tmp_path: Path) -> None:
    """A kernel has the function of the other unit in front of it."""
    declared = "#pragma omp declare target\nint one(int){}\n#pragma omp end declare target\n"
    (tmp_path / "a.c").write_text(f"#define N 8\n{declared.format(';')}int one(int i) {{ return i + N; }}\n")
    (tmp_path / "b.c").write_text(
        f"#define N 9\n{declared.format(';')}int main(void)\n{{\nint x[N];\n#pragma omp target map(from: x)\n"
        "for (int i = 0; i < N; i++)\nx[i] = one(i) + N;\nreturn x[0];\n}\n"
    )
    assert ompls("run", "--device", "cudasim", tmp_path / "a.c", tmp_path / "b.c").returncode == 17


@pytest.mark.parametrize("body", ["x[AT(i, {})] = 1;\n", "p = q; x[{}] = 1; "])
def test_what_they_cost_grows_with_the_kernel(body: str, unit: Unit) -> None:
    """Many invocations, and one that many edits cut."""

    def made(count: int) -> TU:
        text = "".join(body.format(k) for k in range(count))
        head, text = (f"#define ALL {text}\n", "ALL") if body.startswith("p") else ("", text)
        region = f"#pragma omp target map(tofrom: x[0:100])\n{{\nint *p; void *q = x;\n{text}\n}}"
        at = "#define AT(i, j) ((i) * 10 + (j))\n"
        return unit(f"{at}{head}void f(int *x, int i)\n{{\n{region}\n}}\n")

    few, many = (steps(partial(preview, made(count), "cuda")).total() for count in (30, 300))
    assert many < 15 * few


def test_an_invocation_on_several_lines_is_one_line(unit: Unit) -> None:
    text = kernel(unit, "#define AT(i, j) ((i) * 10 + (j))\n", "x[AT(i,\n     j)] = 1;")
    assert "x[AT(i, j)] = 1;" in text


def test_bounds_are_operands(unit: Unit) -> None:
    """Casts and signs are put in front of them: `N` may stand there where it is no sum."""
    loop = "#pragma omp target teams distribute parallel for num_teams(8) map(tofrom: x[0:n])\n"
    loop += "for (int k = 1; k < END; k += STEP)\nx[k] = 1;"
    text = preview(
        unit(f"#define END n + 1\n#define STEP (n / 10)\nvoid f(int *x, int n)\n{{\n{loop}\n}}\n"), "cuda"
    ).text
    assert "END" not in text
    assert "STEP" in text
    assert "n + 1" in text


def test_list_items_are_called_as_the_user_wrote_them(unit: Unit) -> None:
    """In the manifest, and in the host's half, from where traces have the names."""
    source = """#define ROWS 66
#define COLS 130
#define ITEM(a, n) a[0 : n]
void f(double *a, int n)
{
#pragma omp target data map(to: a[0:ROWS*COLS])
    {
#pragma omp target map(tofrom: ITEM(a, ROWS), a[ROWS:n + 0]) map(iterator(k = 0:ROWS), to: a[k * COLS:1])
        a[0] = 1;
#pragma omp target update from(a[ROWS:COLS])
    }
}
"""
    bundle = translate([unit(source)], ["cuda"])
    (made,) = bundle.manifest["units"]
    names = [m["name"] for m in made["kernels"][0]["maps"]]
    assert names == ["ITEM(a, ROWS)", "a[ROWS:n + 0]", "a[k * COLS:1]"]
    assert made["constructs"][0]["maps"][0]["name"] == "a[0:ROWS*COLS]"
    host = "".join(data.decode() for name, data in bundle.files.items() if name.startswith("host/"))
    assert all(f'"{name}"' in host for name in [*names, "a[0:ROWS*COLS]", "a[ROWS:COLS]"])


# The kernel files of a program mean what they would with everything expanded, says gcc's preprocessor.
@pytest.mark.parametrize("path", thinned(SOURCES, 30, of_rest=5), ids=lambda p: p.stem)
def test_the_tokens_are_the_same(path: Path, load: Callable[[Path], TU], monkeypatch: pytest.MonkeyPatch) -> None:
    tu = load(path)
    texts = []
    for _ in range(2):
        files = {n: d for device in ("cuda", "host") for n, d in translate([tu], [device]).files.items()}
        texts.append({n: _preprocessed(d) for n, d in files.items() if n.startswith(("kernels/", "functions/"))})
        monkeypatch.setattr(Macros, "_instead", lambda *_: "")
    assert texts[0] == texts[1]
    assert texts[0] or path.parent.name == "newer"  # not all devices can run these


@lru_cache(100)  # of most files there is one version
def _preprocessed(data: bytes) -> list[str]:
    text = re.sub(rb"^[ \t]*#[ \t]*(include|line|pragma).*$", b"", data, flags=re.M)
    command = ["gcc", "-E", "-P", "-undef", "-x", "c", "-"]
    done = subprocess.run(command, input=text, capture_output=True, check=True)
    return [t[1] for t in tokenize(done.stdout.decode("latin-1"))]


def test_no_macro_of_the_libraries_needs_a_name_that_may_be_the_users() -> None:
    """Those that stand in kernels or after them are expanded behind the user's definitions."""
    ours = [p for p in (ROOT / "ompls/translate").rglob("*") if p.suffix in (".py", ".j2")]
    used = set(re.findall(r"OMPLS_\w+", "".join(p.read_text() for p in ours))) | {"OMPLS_SIM_KERNEL"}
    found = set()
    for path in LIBRARIES:
        text = path.read_text().replace("\\\n", " ")
        for m in re.finditer(r"^[ \t]*#[ \t]*define (\w+)(?:\(([^)]*)\))?(.*)", text, re.M):
            if m[1] in used or not m[1].startswith("OMPLS_"):
                params = {p.strip() for p in (m[2] or "").split(",")}
                found |= set(re.findall(r"[A-Za-z_]\w*", re.sub(NO_CODE, "", m[3]))) - params
    assert [w for w in sorted(found) if is_harmless(Definition(w, None, "1"))] == []
    assert "ompls_sim_current" in found
