"""One cache for all tests of the runtime, and no OpenMP settings of the machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DEVICES = Path(__file__).parent / "devices"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """A cache of our own, the test's devices, nothing of the caller's OpenMP."""
    for name in [name for name in os.environ if name.startswith(("OMP_", "OMPLS_", "GOMP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # it would change the order in which a program's lines come
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(cache))
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(DEVICES))
