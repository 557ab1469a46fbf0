"""What is newer than gcc 12 is lowered as text: per target, on the same lines; what cannot be is a diagnostic."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from named import preview, translate
from thinned import thinned
from together import together

from ompls.analysis.model.ast import Stmt
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.translate.classes import CLASSES
from ompls.translate.loops import Nest
from ompls.translate.lowering import Lowered, nests
from ompls.translate.lowering import lower as lowered_for
from ompls.translate.target import HOST

HERE = Path(__file__).parent
NEWER = sorted((HERE / "programs/newer").glob("*.c"))
TARGETS = ("host", "default", "gpu")
FUNCTION = """#include <omp.h>
int g; int a[9]; typedef int number;
{before}
void f(int n, int *p)
{{
int x = 0;
{text}
}}
"""
LOOP = "for (int i = 0; i < 9; i++) a[i]++;"

# (directive before a loop, target, the directives in its place)
CHOSEN = [
    ("metadirective when(device={kind(gpu)}: parallel for) otherwise(simd)", "host", ["simd"]),
    ("metadirective when(device={kind(host)}: parallel for) otherwise(simd)", "host", ["parallel for"]),
    ("metadirective when(device={kind(gpu)}: parallel for) default(simd)", "gpu", ["parallel for"]),
    ("metadirective when(device={arch(nvptx)}: parallel for) otherwise(simd)", "default", ["simd"]),
    ("metadirective when(device={kind(cpu, nohost)}: parallel for) otherwise(simd)", "default", ["parallel for"]),
    ("metadirective when(device={arch(x86_64, aarch64)}: parallel for) otherwise(simd)", "host", ["simd"]),
    ("metadirective when(device={isa(no_such)}: parallel for) otherwise(simd)", "host", ["simd"]),
    ("metadirective when(implementation={vendor(llvm)}: parallel for) otherwise(simd)", "host", ["simd"]),
    ("metadirective when(implementation={vendor(gnu)}: parallel for) otherwise(simd)", "gpu", ["parallel for"]),
    ("metadirective when(construct={parallel}: for) otherwise(simd)", "host", ["simd"]),
    ("metadirective when(user={condition(1)}: for) when(user={condition(score(5): 1)}: simd)", "host", ["simd"]),
    ("metadirective when(user={condition(0)}: for)", "host", []),
    ("metadirective when(user={condition(sizeof(number) == 4)}: simd) otherwise(nothing)", "host", ["simd"]),
    ("metadirective when(implementation={unified_address}: for) otherwise(simd)", "host", ["simd"]),
    ("metadirective when(user={condition(n)}: simd) otherwise(parallel for)", "host", ["simd", "parallel for"]),
    ("metadirective when(user={condition(n)}: target) when(user={condition(0)}: teams)", "host", ["target"]),
    ("metadirective when(target_device={kind(gpu)}: target) otherwise(simd)", "host", ["simd", "target"]),
    ("metadirective when(target_device={arch(amdgcn)}: target) otherwise(simd)", "host", ["simd"]),
]  # fmt: skip


def lower(tu: TU, target: str) -> Lowered:
    return lowered_for(tu, CLASSES.get(target, HOST))


@together(("directive", "target", "wanted"), CHOSEN)
def test_the_directive_of_a_metadirective(
    directive: str, target: str, wanted: list[str], unit: Callable[[str], TU]
) -> None:
    text = f"#pragma omp target\n{{\n#pragma omp {directive}\n{LOOP}\n}}" if target != "host" else (
        f"#pragma omp {directive}\n{LOOP}"
    )  # fmt: skip
    lowered, problems = lower(unit(FUNCTION.format(before="", text=text)), target)
    assert not problems
    found = [s.directive.name for item in lowered.items for s in item.content.directives]
    # A copy for another branch of the `if` comes before the user's own text.
    assert sorted(found) == sorted(wanted + (["target"] if target != "host" else []))
    assert "metadirective" not in lowered.expanded.decode()


# (a clause or directive of a newer version, before a block, what gcc is told)
SPELLINGS = [
    ("parallel num_threads(strict: 4) safesync(2)", "omp parallel num_threads( 4)"),
    ("parallel num_threads(parallel: 4) message(\"no\")", "omp parallel num_threads(4)"),
    ("task depend(inoutset: x) threadset(omp_pool)", "omp task depend(inout: x)"),
    ("parallel single if(n) firstprivate(n) private(x)", "omp parallel if(n) firstprivate(n)|omp single private(x)"),
    ("target parallel masked map(to: x) filter(0)", "omp target parallel map(to: x)|omp masked filter(0)"),
    ("target taskloop grainsize(2) map(to: x)", "omp target map(to: x)|omp taskloop grainsize(2)"),
    ("target_data map(to: x)", "omp target data map(to: x)"),
    ("target shared(x, n) map(from: x)", "omp target map(tofrom: n) map(from: x)"),
    ("target default(none) map(from: x)", "omp target defaultmap(none) map(from: x)"),
    ("parallel for linear(x: step(2), val)", "omp parallel for linear(val(x): 2)"),
    ("parallel for linear(x: step(n))", "omp parallel for linear(x: n)"),
    ("assume no_openmp", ""),
    ("taskgraph graph_id(3)", "omp taskgroup"),
    ("taskgraph if(n > 3) graph_reset nogroup", ""),
    ("taskgraph graph_reset(n) nogroup(0)", "omp taskgroup"),
    ("taskgraph nogroup(n)", "omp taskgroup"),
    ("target replayable map(x)", "omp target map(x)"),
    ("task replayable(n) firstprivate(saved: n)", "omp task firstprivate( n)"),
    ("single nowait(n)", "omp single"),
    ("target teams firstprivate(teams: x)", "omp target teams firstprivate(x)"),
]  # fmt: skip


@together(("directive", "wanted"), SPELLINGS)
def test_a_newer_word_in_an_older_one(directive: str, wanted: str, unit: Callable[[str], TU]) -> None:
    body = LOOP if {"for", "taskloop"} & set(directive.split()) else "{ x++; }"
    lowered, problems = lower(unit(FUNCTION.format(before="", text=f"#pragma omp {directive}\n{body}")), "host")
    assert not problems
    found = re.findall(r"#pragma ([^\n]*)|_Pragma\(\"(.*?)\"\)", lowered.source.decode())
    assert "|".join("".join(pair) for pair in found) == wanted


# (before the function, in it, part of the message)
REFUSED = [
    ("", "#pragma omp metadirective when(user={condition(n)}: parallel) otherwise(task)\n{ l: if (n--) goto l; }",
     "a label"),
    ("", "#pragma omp metadirective when(user={condition(n)}: parallel) otherwise(task)\n{ static int s; s++; }",
     "a static variable"),
    ("", "#pragma omp metadirective when(user={condition(}: parallel)\n;", "could not be read"),
    ("", "#pragma omp begin metadirective when(user={condition(n)}: parallel)\nx++;", "no 'end metadirective'"),
    ("", "#pragma omp dispatch\nx++;", "no call of a function"),
    ("", "struct s { int x; }; static struct s v;\n#pragma omp declare target(v)\nx = v.x;", "its type is declared in"),
    ("void v(int);\n#pragma omp declare variant(v) match(user={condition(q)})\nvoid w(int q);", "", "constant nor"),
    ("", "#pragma omp parallel for induction(step(2), -: x)\n" + LOOP, "only + and *"),
    ("", "#pragma omp parallel for collapse(2) induction(step(2), +: x)\n" + LOOP, "one loop"),
    ("static int mine;\n#pragma omp groupprivate(mine)\n#pragma omp declare target\nint h(void) { return mine; }\n"
     "#pragma omp end declare target", "", "a device function uses it"),
    ("static int mine;\n#pragma omp groupprivate(mine)", "#pragma omp target teams distribute parallel for\n"
     "for (int i = 0; i < 9; i++) mine++;", "teams and parallel at once"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "text", "message"), REFUSED)
def test_what_cannot_be_lowered_is_a_diagnostic(
    before: str, text: str, message: str, unit: Callable[[str], TU]
) -> None:
    tu = unit(FUNCTION.format(before=before, text=text))
    bundle = translate([tu], ["cudasim"])
    assert bundle.files == {}
    assert message in bundle.diagnostics[0].message
    where = bundle.diagnostics[0].where
    assert tu.source[where.start : where.end].strip()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", thinned(NEWER, 3), ids=lambda p: p.stem)
def test_every_line_stays_where_it_is_and_most_as_they_are(path: Path, target: str, load: Callable[[Path], TU]) -> None:
    tu = load(path)
    lowered, problems = lower(tu, target)
    assert not problems
    before, after = tu.source.split(b"\n"), lowered.source.split(b"\n")
    assert len(before) == len(after)
    assert lower(lowered, target)[0] is lowered
    kept = sum(old == new for old, new in zip(before, after, strict=True))
    assert kept > len(before) / 2


def test_what_needs_nothing_is_the_same_unit(unit: Callable[[str], TU]) -> None:
    tu = unit(FUNCTION.format(before="", text="#pragma omp target parallel for\n" + LOOP))
    for target in TARGETS:
        assert lower(tu, target) == (tu, [])


def test_a_problem_behind_a_lowered_line_is_shown_where_it_stands(unit: Callable[[str], TU]) -> None:
    text = "#pragma omp metadirective when(user={condition(n)}: target)\n{ long double wide = 1;\n x = wide; }"
    tu = unit(FUNCTION.format(before="", text=text))
    (problem,) = translate([tu], ["cuda"]).diagnostics
    assert "long double" in problem.message
    assert tu.source.count(b"\n", 0, problem.where.start) == 7


def test_what_a_macro_makes_is_lowered_in_its_place(unit: Callable[[str], TU]) -> None:
    before = '#define P(c) _Pragma("omp metadirective when(user={condition(c)}: parallel) otherwise(nothing)")'
    tu = unit(FUNCTION.format(before=before, text="P(n > 2) { x++; }\nx--;"))
    lowered, problems = lower(tu, "host")
    assert not problems
    assert [s.directive.name for i in lowered.items for s in i.content.directives] == ["parallel"]
    assert len(lowered.source.split(b"\n")) == len(tu.source.split(b"\n"))


def test_functions_of_other_devices_vanish(unit: Callable[[str], TU]) -> None:
    before = (
        "int h(void) { return 1; }\n#pragma omp begin declare variant match(device={kind(gpu)})\n"
        "int h(void) { return 2; }\n#pragma omp end declare variant"
    )
    tu = unit(FUNCTION.format(before=before, text="#pragma omp target map(x)\nx = h();\nx += h();"))
    host, gpu = (lower(tu, target)[0].expanded.decode() for target in ("host", "gpu"))
    assert "return 2" not in host
    assert host.count("h()") == 2
    assert re.search(r"x = h__ompls_variant_0\(\);\nx \+= h\(\);", gpu)


def test_what_an_edit_leaves_alone_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the version of a text that a preview shows next, only the function that changed is."""
    seen: list[Stmt] = []
    original = nests.nest_of

    def count(directive: Directive, body: Stmt) -> Nest:
        seen.append(body)
        return original(directive, body)

    monkeypatch.setattr(nests, "nest_of", count)
    pragma = "#pragma omp target teams distribute parallel for collapse(2)"
    loops = "for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) a[i] += j;"
    text = "int a[9];\n" + "".join(f"void f{k}(void)\n{{\n{pragma}\n{loops}\n}}\n" for k in range(9))
    analyzer = Analyzer()
    for version, looked in ((text, 9), (text, 0), (text.replace("a[i] += j", "a[i] -= j", 1), 1)):
        tu = analyzer.analyze("x.c", version.encode(), EMPTY_SNAPSHOT, Settings())
        seen.clear()
        assert preview(tu, "cudasim", 4).diagnostics == ()
        assert len(seen) == 2 * looked, "for the host, and for the device"


def test_transformed_loops_read_as_if_somebody_had_written_them(unit: Callable[[str], TU]) -> None:
    head = (
        "static float a[64][64];\nvoid f(int n)\n{\n#pragma omp target teams distribute parallel for map(tofrom: a)\n"
    )
    loops = "for (int i = 0; i < {0}; i++)\n    for (int j = 0; j < {0}; j++)\n        a[i][j] += 1;\n}}\n"
    even = preview(unit(f"{head}#pragma omp tile sizes(4, 4)\n{loops.format(64)}"), "cuda", "f_0").text
    assert (
        """        int i_block = (int)ompls_at_i_block * 4;
        for (int j_block = 0; j_block < 64; j_block += 4)
            for (int i_in = 0; i_in < 4; i_in++)
                for (int j_in = 0; j_in < 4; j_in++) {
                    int i = i_block + i_in;
                    int j = j_block + j_in;
"""
        in even
    )
    odd = preview(unit(f"{head}#pragma omp tile sizes(4, 4)\n{loops.format('n')}"), "cuda", "f_0").text
    assert "long long" not in odd  # an int counts as far as `n`, and a block more in unsigned
    assert "if (i_block + i_in < (0 < n ? (unsigned int)n : 0)" in odd
