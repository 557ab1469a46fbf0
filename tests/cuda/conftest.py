"""Fixtures of the tests of the device `cuda`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fake
import pytest

Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def driver(once: Once) -> Path:
    """The directory of the fake driver and the fake compiler."""

    def make(directory: Path) -> None:
        directory.mkdir()
        fake.build(directory)

    return once("driver", make)


@pytest.fixture(scope="session", params=["native", "pycuda"])
def machine(request: pytest.FixtureRequest, driver: Path, once: Once) -> dict[str, str]:
    """The environment of a machine whose GPUs are fake, with either module; pycuda's skips when it is not built.

    What fake compilers made is nobody else's, and all workers have it.
    """
    if request.param == "pycuda" and fake.why_not():
        pytest.skip(fake.why_not())
    return fake.environment(driver, once(f"cache-{request.param}", Path.mkdir), request.param)
