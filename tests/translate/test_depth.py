"""What is long but flat: sums, ladders of `else if` and lists of any length mean what gcc says that they mean."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from named import preview, translate
from thinned import thinned

from ompls.analysis import notes
from ompls.analysis.features import hover, lenses, refactorings, references
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import check
from ompls.analysis.syntax.limits import MAX_CHAIN, MAX_DEPTH

LONG = 1200  # more than Python's recursion is deep


def row(operator: str, term: Callable[[int], str], n: int = LONG) -> str:
    return f" {operator} ".join(term(k) for k in range(n))


def _element(k: int) -> str:
    return f"a[{k % 10}]"


FLAT = {
    "sum": f"s = {row('+', _element)};",
    "differences": f"s = {row('-', lambda k: f'(x) * {k}')};",
    "casts": f"d = {row('+', lambda k: f'(double)a[{k % 10}] * {k}.5')}; s = d;",
    "enumerators": f"s = {row('+', lambda _: 'e')};",
    "complex": f"double _Complex z = {row('+', lambda k: f'{k} * c')}; s = __real__ z;",
    "pointer": f"v = (const char *)a; v = v + {row('+', lambda k: str(k % 2), 20)}; s = v != a;",
    "bytes": f"s = (const char *)({row('+', lambda k: 'v' if not k else str(k % 2))}) - (const char *)v;",
    "and": f"if ({row('&&', lambda k: f'x != {-k - 1}')}) s = 1;",
    "or": f"s = {row('||', lambda k: f'a[{k % 10}] == {-k - 1}')};",
    "bits": f"s = {row('^', lambda k: f'x << {k % 5}')};",
    "commas": f"{row(',', lambda k: f's += {k}')};",
    "ladder": " else ".join(f"if (x == {k - LONG + 3}) {{ s = {k}; }}" for k in range(LONG)) + " else s = 7;",
    "conditionals": f"s = {row(':', lambda k: f'x == {k - LONG + 3} ? {k}')} : 7;",
    "chosen pointer": f"v = {row(':', lambda k: f'x == {k - LONG + 3} ? a + {k % 10}')} : a; s = *(const int *)v;",
}
PROGRAM = """#include <stdio.h>
enum e {{ one = 1, big = 0xffffffff }};
#pragma omp declare target
static int called(int x, const int *a, double _Complex c, enum e e)
{{
    int s = 0;
    double d = 0;
    const void *v = a;
    {body}
    return s + (d > 1e30) + (v == &s) + (__imag__ c > 1e30) + (e == big);
}}
#pragma omp end declare target
int main(void)
{{
    int a[10] = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}}, s = 0, x = 2, there = 0;
    double d = 0;
    double _Complex c = 2;
    enum e e = one;
    const void *v = 0;
    for (int i = 0; i < 2; i++) {{ v = a; s = 0; {body} }}
    const int here = s, result = called(x, a, c, e);
    s = 0;
#pragma omp target map(from : there) map(tofrom : s) firstprivate(d)
    {{
        const void *v = a;
        {body}
        there = called(x, a, c, e);
    }}
    printf("%d %d %d %d\\n", here, result, s, there);
    return s != here || there != result;
}}
"""


def program(body: str) -> str:
    return PROGRAM.format(body=body)


@pytest.mark.parametrize("name", thinned(FLAT, 20, of_rest=10))
@pytest.mark.thorough
def test_long_rows_are_right_on_devices(name: str, tmp_path: Path) -> None:
    source, plain = tmp_path / "long.c", tmp_path / "plain"
    source.write_text(program(FLAT[name]))
    gcc = str(shutil.which("gcc"))
    subprocess.run([gcc, "-fopenmp", "-foffload=disable", "-o", plain, source], check=True)
    wanted = subprocess.run([plain], capture_output=True, text=True, check=False)
    assert wanted.returncode == 0
    env = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory"}
    for device in ("host", "cudasim"):
        done = ompls("run", "--timeout", "60", "--device", device, source, env=env)
        assert (done.returncode, done.stdout, done.stderr) == (0, wanted.stdout, "")


@pytest.mark.parametrize("name", thinned(FLAT, 6, of_rest=2))
def test_long_rows_are_looked_at(name: str, unit: Callable[[str], TU]) -> None:
    tu = unit(program(FLAT[name]))
    assert not any(item.content.tainted for item in tu.items)
    assert not [d for d in check(tu) if d.severity in ("error", "warning")]
    assert lenses(tu)
    for m in re.finditer(r"\b(?:there|called|s|if)\b", tu.source.decode()):
        if m.start() % 40 == 0:
            hover(tu, m.start())
            references(tu, m.start())
            refactorings(tu, m.start(), m.end())
    for device in ("host", "cuda"):
        assert not preview(tu, device, explain=True).diagnostics


CLAUSES = f"""void f(int n, int *a)
{{
#pragma omp target teams distribute parallel for num_teams({row("+", lambda _: "1")}) if({row("&&", lambda _: "n")}) \\
    map(tofrom : a[0:{row("+", lambda _: "n")}])
    for (int i = 0; i < {row("+", lambda _: "n")}; i++)
        a[i] = i;
}}
"""


@pytest.mark.thorough
def test_clauses_may_be_long(unit: Callable[[str], TU]) -> None:
    tu = unit(CLAUSES)
    assert not check(tu)
    assert not translate([tu], ["host", "cuda"]).diagnostics


PROMISED = {  # by C17 §5.2.4.1
    "parentheses": f"s = {'(' * 63}x{'+ 1)' * 63};",
    "blocks": f"{'if (s == x - 2) {' * 127}s = 1;{'}' * 127}",
    "conditions": f"{'for (int i = 0; i < 1; i++) ' * 127}s++;",
}


@pytest.mark.parametrize("name", PROMISED)
def test_what_c_promises_is_not_too_deep(name: str, unit: Callable[[str], TU]) -> None:
    tu = unit(program(PROMISED[name]))
    assert not any(item.content.tainted for item in tu.items)
    assert not [d for d in check(tu) if d.severity in ("error", "warning")]
    for device in ("host", "cuda"):
        assert not translate([tu], [device]).diagnostics


def test_directives_in_a_row_are_not_too_deep(unit: Callable[[str], TU]) -> None:
    tu = unit("void f(int *x)\n{\n#pragma omp target\n" + "#pragma omp parallel\n" * 30 + "x[0] = 1;\n}\n")
    for device in ("host", "cuda"):
        assert not translate([tu], [device]).diagnostics


DEEP = {
    "parentheses": (f"s = {'(' * MAX_DEPTH}x{')' * MAX_DEPTH};", f"nested more than {MAX_DEPTH} levels deep"),
    "blocks": (f"{'{' * MAX_DEPTH}s = 1;{'}' * MAX_DEPTH}", f"nested more than {MAX_DEPTH} levels deep"),
    "calls": (f"s = {'called(' * MAX_DEPTH}x{', a, c, e)' * MAX_DEPTH};", f"nested more than {MAX_DEPTH} levels deep"),
    "comparisons": (f"s = {row('==', _element, MAX_DEPTH + 1)};", f"nested more than {MAX_DEPTH} levels deep"),
    "sum": (f"s = {row('+', _element, MAX_CHAIN + 2)};", f"more than {MAX_CHAIN} parts in a row"),
    "ladder": (f"{'if (x) s++; else ' * (MAX_CHAIN + 1)} s = 1;", f"more than {MAX_CHAIN} parts in a row"),
    "commas": (f"{row(',', lambda _: 's++', MAX_CHAIN + 2)};", f"more than {MAX_CHAIN} parts in a row"),
}


@pytest.mark.parametrize(("device", "name"), thinned([(d, name) for d in ("host", "cuda") for name in DEEP], 2))
def test_what_is_too_deep_names_the_limit(name: str, device: str, unit: Callable[[str], TU]) -> None:
    body, limit = DEEP[name]
    in_region = unit(program(body))
    in_function = unit(program("s = x;").replace("int s = 0;\n    double", f"int s = 0;\n    {body}\n    double", 1))
    for tu in (in_region, in_function):
        assert not [d for d in check(tu) if d.severity in ("error", "warning")]
        found = translate([tu], [device]).diagnostics
        assert found
        assert all(limit in d.message for d in found)


def test_constructs_that_nest_too_deep_are_said_once(unit: Callable[[str], TU]) -> None:
    nest = "#pragma omp parallel\n{\n" * 400 + "x[0] = 1;\n" + "}\n" * 400
    tu = unit(f"void f(int *x)\n{{\n{nest}{nest}}}\n")
    (said,) = notes.diagnostics(tu)
    assert (said.rule, said.severity) == ("analysis-incomplete", "hint")
    assert f"more than {MAX_DEPTH} levels" in said.message
