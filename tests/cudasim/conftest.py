"""The module and the images of the hand-written kernels, built once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sim


@pytest.fixture(scope="session")
def module(tmp_path_factory: pytest.TempPathFactory) -> sim.Module:
    return sim.load_module(tmp_path_factory.mktemp("module"))


@pytest.fixture
def opened(module: sim.Module) -> Iterator[Callable[..., sim.Device]]:
    """Opens devices on kernel files; closes them at the end."""
    devices: list[sim.Device] = []

    def open_device(*names: str, index: int = 0) -> sim.Device:
        files = [sim.KERNELS / name if isinstance(name, str) else name for name in names]
        devices.append(sim.Device(module, index, sim.build(*files)))
        devices[-1].files = files
        return devices[-1]

    yield open_device
    for device in devices:
        device.close()


@pytest.fixture
def inline(opened: Callable[..., sim.Device], tmp_path: Path) -> Callable[[str], sim.Device]:
    """Opens a device on a kernel file given as text."""

    def open_text(text: str, name: str = "inline.cu") -> sim.Device:
        path = tmp_path / name
        path.write_text(text)
        return opened(path)

    return open_text
