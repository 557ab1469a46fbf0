"""Fixtures of the tests of the device `cuda`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fake
import pytest


@pytest.fixture(scope="session")
def driver(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The directory of the fake driver and the fake compiler."""

    def make(directory: Path) -> None:
        directory.mkdir()
        fake.build(directory)

    return once("driver", make)


@pytest.fixture(scope="session", params=["native", "pycuda"])
def machine(request: pytest.FixtureRequest, driver: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a machine whose GPUs are fake, with either module; pycuda's skips when it is not built."""
    if request.param == "pycuda" and fake.why_not():
        pytest.skip(fake.why_not())
    return fake.environment(driver, tmp_path_factory.mktemp("cache"), request.param)
