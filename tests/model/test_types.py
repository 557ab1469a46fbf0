"""Every expression has the type that gcc gives it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from together import together

from ompls.analysis.model import ast
from ompls.analysis.model.datamodel import LP64

from .oracle import judge
from .support import EXAMPLES, FIXTURES, analyze, analyze_file, header_text

SOURCES = [*sorted(FIXTURES.glob("*.c")), *sorted(EXAMPLES.glob("*.c"))]


@together("path", SOURCES, ids=lambda p: p.name)
def test_types_are_gccs(path: Path) -> None:
    verdict = judge(analyze_file(path), header_text(path))
    assert not verdict.failed
    assert verdict.wrong == []
    assert verdict.untyped == []
    assert verdict.asked > 50


def test_the_judge_sees_a_wrong_type() -> None:
    tu = analyze("int main(void) { int x = 1; x + 1; return x; }")
    sums = [n for n in tu.items[0].content.node.walk() if isinstance(n, ast.Binary)]
    sums[0].type = LP64.integer("long")
    assert judge(tu, "").wrong == ["x + 1 : long"]


@pytest.mark.skipif("OMPLS_VV" not in os.environ, reason="OMPLS_VV names no checkout of the OpenMP validation suite")
def test_validation_suite() -> None:
    root = Path(os.environ["OMPLS_VV"])
    headers = (str(root / "ompvv"),)
    asked = untyped = regions = without = 0
    for path in sorted((root / "tests").rglob("*.c")):
        if b"target" not in path.read_bytes():
            continue
        tu = analyze_file(path, headers)
        verdict = judge(tu, header_text(path, headers))
        assert verdict.wrong == [], path
        asked += verdict.asked
        untyped += len(verdict.untyped)
        found = sum(len(i.content.regions) for i in tu.items)
        regions += found
        without += not found
    print(f"{asked} expressions, {untyped} without a type, {regions} regions, {without} files without one")
    assert untyped <= asked // 1000
    assert regions > 800
