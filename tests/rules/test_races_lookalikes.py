"""Correct C as people write it, with its headers: nothing is said about races, not even a hint."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from test_races import RACES

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import check
from ompls.analysis.source import Settings
from ompls.project.workspace import Workspace

FILES = sorted((Path(__file__).parent / "lookalikes").glob("*.c"))


@pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])
def test_nothing_is_said_about_correct_programs(path: Path) -> None:
    text = path.read_bytes()
    workspace = Workspace([str(path.parent)], ("-fopenmp",))
    snapshot = workspace.snapshot(str(path), text, workspace.flags(str(path)))
    tu = Analyzer().analyze(str(path), text, snapshot, Settings(select=RACES))
    found = check(tu)
    assert [(text[: d.where.start].count(b"\n") + 1, d.rule, d.message) for d in found] == []


@pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])
def test_they_compile(path: Path) -> None:
    subprocess.run(["gcc", "-fopenmp", "-fsyntax-only", str(path)], check=True)
