"""Bundles: valid, deterministic, with line maps that hold; golden kernels; the host text stays the user's."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import jsonschema
import pytest
from named import preview, translate
from steps import steps
from thinned import thinned

from ompls.analysis.model.tu import TU
from ompls.translate.bundle import written
from ompls.translate.flags import FLAG_BITS
from ompls.translate.schema import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.c"))
PROGRAMS = sorted((ROOT / "tests/translate/programs").glob("*.c"))
GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("path", thinned(EXAMPLES + PROGRAMS, 9, of_rest=2), ids=lambda p: p.stem)
def test_manifest_is_valid_and_says_what_is_there(path: Path, load: Callable[[Path], TU]) -> None:
    bundle = translate([load(path)], ["cudasim", "host"])
    manifest = json.loads(bundle.files["manifest.json"])
    jsonschema.validate(manifest, SCHEMA)
    assert manifest == bundle.manifest
    hashes = {n: hashlib.sha256(d).hexdigest() for n, d in bundle.files.items() if n != "manifest.json"}
    assert manifest["sha256"] == hashes
    named = {u["host"] for u in manifest["units"]} | {h for u in manifest["units"] for h in u["headers"]}
    named |= {f for u in manifest["units"] for k in u["kernels"] for f in k["files"].values()}
    named |= {f for u in manifest["units"] for d in u.get("functions", ()) for f in d["files"].values()}
    included = {f for f, data in bundle.files.items() if data.startswith(b" #pragma GCC system_header\n")}
    assert named | included == set(hashes)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_output_is_deterministic(path: Path, load: Callable[[Path], TU]) -> None:
    assert translate([load(path)], ["cuda", "host"]).files == translate([load(path)], ["cuda", "host"]).files


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_everything_but_the_constructs_is_the_users_text(path: Path, load: Callable[[Path], TU]) -> None:
    host = translate([load(path)], ["host"]).files[f"host/{path.stem}.c"].decode()
    user = re.sub(r"[ \t]*#pragma omp (?:[^\n]*\\\n)*[^\n]*\n", "", path.read_text()).splitlines()
    ours = iter(host[host.index('#line 1 "examples/') :].splitlines())
    lost = [line for line in user if not any(x.startswith(line) for x in ours)]
    assert lost == [], "every line is there, in order, at most with a closing brace behind it"


@pytest.mark.parametrize(
    ("example", "device"),
    [("saxpy", "cuda"), ("master_worker", "cuda"), ("jacobi", "cuda"), ("declare_target", "host")],
)
def test_kernels_read_as_they_did(example: str, device: str, load: Callable[[Path], TU]) -> None:
    made = preview(load(ROOT / f"examples/{example}.c"), device)
    golden = GOLDEN / f"{example}.{made.extension}"
    if os.environ.get("OMPLS_UPDATE_GOLDEN"):
        golden.write_text(made.text)
    wanted = golden.read_text()
    assert made.text == wanted, "".join(difflib.unified_diff(wanted.splitlines(True), made.text.splitlines(True)))


# In the others every line of the region has a macro or a directive in it, or stands twice in the file.
@pytest.mark.parametrize("name", ["saxpy", "vector_add", "matmul", "declare_target", "master_worker", "dot_devices"])
def test_preview_lines_lead_to_their_source(name: str, load: Callable[[Path], TU]) -> None:
    path = ROOT / f"examples/{name}.c"
    made = preview(load(path), "cuda")
    text, source = made.text.splitlines(), path.read_text().splitlines()
    once = Counter(line.strip() for line in source)
    places = {line.strip(): n for n, line in enumerate(source, 1) if len(line.strip()) > 3 and once[line.strip()] == 1}
    verbatim = [(places[text[k - 1].strip()], n) for k, n in made.line_map if text[k - 1].strip() in places]
    assert verbatim, "some lines are the user's"
    assert all(place == n for place, n in verbatim)


def test_preview_takes_a_region_or_a_line(load: Callable[[Path], TU]) -> None:
    tu = load(ROOT / "examples/vector_add.c")
    whole = preview(tu, "cuda").text
    one, two = preview(tu, "cuda", "main_0"), preview(tu, "cuda", "main_1")
    assert whole == f"{one.text}\n{two.text}"
    line = tu.source[: tu.source.index(b"twice[i] = ")].count(b"\n") + 1
    assert preview(tu, "cuda", line).text == two.text
    assert preview(tu, "cuda", 1).text == ""


def test_a_preview_in_a_large_file_costs_what_the_file_is_larger(unit: Callable[[str], TU]) -> None:
    one = "void f{0}(float *x, int n)\n{{\n#pragma omp target map(x[0:n])\n    x[0] = n;\n}}\n"
    tu = unit("".join(one.format(k) for k in range(500)))
    few = unit("".join(one.format(k) for k in range(50)))
    assert "x[0] = n;" in preview(tu, "cuda", "f499_0").text
    taken = [steps(partial(preview, made, "cuda", "f49_0")).total() for made in (few, tu)]
    assert taken[1] < 20 * taken[0]


def test_unit_names_are_kept_apart(unit: Callable[[str], TU]) -> None:
    tu = unit("int main(void)\n{\n    int a = 0;\n#pragma omp target map(a)\n    a = 1;\n    return a;\n}\n")
    bundle = translate([tu, tu], ["host"])
    names = [k["name"] for u in bundle.manifest["units"] for k in u["kernels"]]
    assert [re.sub(r"_[0-9a-f]{6}_", "_", n) for n in names] == ["ompls_test_main_0", "ompls_test_2_main_0"]


def test_names_differ_between_files_of_one_name(load: Callable[[Path], TU], tmp_path: Path) -> None:
    text = """#pragma omp declare target
static int counter;
#pragma omp end declare target
void f(void)
{
#pragma omp target
    counter++;
}
"""
    names, symbols = set(), set()
    for directory in ("one", "two"):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / "same.c").write_text(text)
        (unit,) = translate([load(tmp_path / directory / "same.c")], ["host"]).manifest["units"]
        names |= {k["name"] for k in unit["kernels"]}
        symbols |= {g["symbol"] for g in unit["globals"]}
    assert len(names) == len(symbols) == 2, "bundles that are made apart can be linked together"


def test_what_is_copied_comes_before_what_is_only_allocated(unit: Callable[[str], TU]) -> None:
    tu = unit("void f(void)\n{\n    int x = 1;\n#pragma omp target map(alloc: x) map(to: x)\n    x = 2;\n}\n")
    host = translate([tu], ["host"]).files["host/test.inc/ompls.h"].decode()
    flags = [int(number) for number in re.findall(r'\{"x", (\d+), \d+\}', host)]
    assert [f & FLAG_BITS["TO"] for f in flags] == [FLAG_BITS["TO"], 0]


def test_what_only_map_clauses_call_stays_on_the_host(unit: Callable[[str], TU]) -> None:
    text = "static int calls;\nstatic int first(void) { return calls++; }\nvoid f(int *a)\n{\n"
    tu = unit(f"{text}#pragma omp target map(tofrom: a[first():4])\na[0] = 1;\n}}\n")
    bundle = translate([tu], ["cuda", "host"])
    assert [d.message for d in bundle.diagnostics] == []
    assert not any(b"first(" in data for name, data in bundle.files.items() if name.startswith("kernels/"))


def test_the_next_preview_of_a_lowered_unit_costs_what_changed(unit: Callable[[str], TU]) -> None:
    loop = "#pragma omp {1}\nfor (int i = 0; i < 8; i++) a[i]++;"
    one = f"void f{{0}}(int *a)\n{{{{\n#pragma omp target map(a[0:8])\n{loop}\n}}}}\n"
    text = "".join(one.format(k, "simd") for k in range(200)) + one.format("_newer", "tile sizes(2)")
    taken = []
    for edit in ("a[i]++", "a[i] += 1", "a[i] += 2"):
        tu = unit(text.replace("a[i]++", edit, 1))
        taken.append(steps(partial(preview, tu, "cuda", "f_newer_0")).total())
        assert "ompls_test" in preview(tu, "cuda", "f_newer_0").text
    assert max(taken[1:]) < taken[0] / 2


def test_the_manifest_is_written_as_json_does() -> None:
    value = {'a\n"é': [[1, 2], (3, -4), [], {}], "b": {"c": True, "d": None, "e": 1.5, "f": "\\\x01\udcff"}, "g": ()}
    assert written(value) == json.dumps(value, indent=2, ensure_ascii=False)


KINDS = """
int first(int n, float *p, float *q)
{
    float v[n];
    #pragma omp target is_device_ptr(p) map(tofrom: q[0:n], v)
    for (int i = 0; i < n; i++) q[i] += p[i] + sizeof v;
    #pragma omp target
    n = 1;
    return n;
}
"""


def test_what_a_kernel_is_does_not_depend_on_where_its_source_lies(load: Callable[[Path], TU], tmp_path: Path) -> None:
    def kernels(place: str, text: str) -> list[dict[str, object]]:
        (tmp_path / place).mkdir()
        (tmp_path / place / "k.c").write_text(text)
        return list(translate([load(tmp_path / place / "k.c")], ["cudasim", "host"]).manifest["units"][0]["kernels"])

    here, there = kernels("here", KINDS), kernels("there", "\n" + KINDS)
    assert [k["id"] for k in here] == [k["id"] for k in there]
    assert {k["name"] for k in here}.isdisjoint(k["name"] for k in there)
    assert [str(k["id"]).rpartition("_")[0] for k in here] == ["first_0", "first_1"]
    params = {p["name"]: p["kind"] for p in here[0]["params"]}  # type: ignore[attr-defined]
    assert params == {"n": "value", "p": "pointer", "q": "address", "v": "address", "ompls_n_v": "size"}
    changed = kernels("changed", KINDS.replace("float *p", "double *p"))
    assert [a["id"] == b["id"] for a, b in zip(here, changed, strict=True)] == [False, True]
