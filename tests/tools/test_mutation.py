"""Mutants: one mistake each, in one line, and no mistakes in words that are no pragmas."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from together import together

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from mutants import function_at
from mutation import mutants

EDITS = [
    ("target map(tofrom: a[0:n])", "tofrom->alloc", "target map(alloc: a[0:n])"),
    ("target map(always, to: a)", "to->from", "target map(always, from: a)"),
    ("target map(a[i:n])", "tofrom->to", "target map(to: a[i:n])"),
    ("target map(to: a[i:n])", "later-section", "target map(to: a[(i)+1:(n)-1])"),
    ("target map(to: a[:n])", "later-section", "target map(to: a[(0)+1:(n)-1])"),
    ("target map(to: a[:2*n])", "half-section", "target map(to: a[:(2*n)/2])"),
    ("target map(to: f(a)[0:2]) private(x)", "drop-map", "target  private(x)"),
    ("target exit data map(from: a)", "from->release", "target exit data map(release: a)"),
    ("target update to(a) device(d)", "update-to->from", "target update from(a) device(d)"),
    ("target update to(a) device(d)", "other-device", "target update to(a) device(1)"),
    ("target update from(a)", "add-nowait", "target update from(a) nowait"),
    ("parallel for reduction(+: s)", "drop-reduction", "parallel for "),
    ("parallel for private(t)", "share-private", "parallel for shared(t)"),
    ("for collapse(2)", "deeper-collapse", "for collapse(3)"),
    ("task depend(inout: a)", "swap-depend", "task depend(in: a)"),
]


@together(("before", "kind", "after"), EDITS)
def test_a_pragma_is_edited(before: str, kind: str, after: str) -> None:
    text = "void f(void) {\n#pragma omp %s\n  g();\n}\n"
    found = [m for m in mutants(text % before) if m.kind == kind]
    assert text % after in [m.text for m in found]
    assert {(m.line, m.before) for m in found} == {(2, f"#pragma omp {before}")}


MOVES = [
    ("drop-atomic", "#pragma omp atomic\ns++;\n", "//\ns++;\n"),
    ("drop-enter", "#pragma omp target enter data \\\n map(to: a)\ng();\n", "//\\\n\ng();\n"),
    ("leave-critical", "#pragma omp critical\n{\ns++;\nt++;\n}\n", "s++;\n#pragma omp critical\n{\nt++;\n}\n"),
    (
        "free-before-exit",
        "#pragma omp target exit data map(from: p[0:n])\nfree(q);\nfree(p);\n",
        "free(p);\n#pragma omp target exit data map(from: p[0:n])\nfree(q);\n",
    ),
    ("host-alloc", "p = omp_target_alloc(n * sizeof(int), d);\n", "p = malloc(n * sizeof(int));\n"),
    ("drop-omp-target-free", "g();\nomp_target_free(p, d);\n", "g();\n\n"),
    (
        "drop-declare-target",
        "#pragma omp declare target\nint a;\n#pragma omp end declare target\n",
        "\nint a;\n\n",
    ),
    ("drop-declare-target", "int a;\n#pragma omp declare target enter(a)\n", "int a;\n\n"),
    (
        "twice-exit",
        "#pragma omp target exit data map(delete: a)\n",
        '_Pragma("omp target exit data map(delete: a)") _Pragma("omp target exit data map(delete: a)")\n',
    ),
]


@pytest.mark.parametrize(("kind", "before", "after"), MOVES)
def test_a_line_is_lost_or_moved(kind: str, before: str, after: str) -> None:
    assert after in [m.text for m in mutants(before) if m.kind == kind]


def test_only_pragmas_of_openmp_are_edited() -> None:
    assert mutants("// map(to: a)\n#pragma once\nint map(int reduction);\n") == []
    assert mutants("#pragma omp parallel\ng();\n") == []


def test_lines_keep_their_numbers() -> None:
    text = "#pragma omp target map(a[0:n]) \\\n  map(from: b \\\n[0:n])\n{ }\n#pragma omp taskwait\ng();\n"
    found = mutants(text)
    assert len(found) > 10
    assert {m.text.count("\n") for m in found} == {text.count("\n")}


def test_the_function_around_a_line() -> None:
    text = "int a;\nint f(void)\n{\n  a = 1;\n}\nint g(void)\n{\n  a = 2;\n}\n"
    assert list(function_at(text, 4)) == [1, 2, 3, 4, 5]
    assert list(function_at(text, 8)) == [6, 7, 8, 9]
