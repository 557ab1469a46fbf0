"""Translation units for the tests of `translate`: of a text, or of a file with its headers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import Settings
from ompls.project.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def load() -> Callable[[Path], TU]:
    workspace = Workspace([str(ROOT)])

    def of_file(path: Path) -> TU:
        source, name = path.read_bytes(), str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
        snapshot = workspace.snapshot(str(path), source, workspace.flags(str(path)))
        return Analyzer().analyze(name, source, snapshot, Settings())

    return of_file


@pytest.fixture
def unit(load: Callable[[Path], TU], tmp_path: Path) -> Callable[[str], TU]:
    def of_text(text: str) -> TU:
        path = tmp_path / "test.c"
        path.write_text(text)
        return load(path)

    return of_text
