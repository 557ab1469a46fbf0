"""Fixtures of the tests of the device `cuda`."""

from __future__ import annotations

from pathlib import Path

import fake
import pytest


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a machine whose GPUs are fake; skips when pycuda is not built."""
    if fake.why_not():
        pytest.skip(fake.why_not())
    directory: Path = tmp_path_factory.mktemp("driver")
    fake.build(directory)
    return fake.environment(directory, tmp_path_factory.mktemp("cache"))
