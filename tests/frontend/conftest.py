from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the user's cache; the tests of a run share one."""
    directory = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(directory))
    return directory
