"""A board with a GPU (the fake driver of tests/cuda), whose Python nobody needs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from waiting import until

from ompls.devices.cuda import module as cuda

from .conftest import Sshd

sys.path.append(str(Path(__file__).resolve().parents[1] / "cuda"))
import fake

ROOT = Path(__file__).resolve().parents[2]
FACTS = {"libcuda": "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1", "chip": "tegra210", "model": "a Nano"}


@pytest.fixture(scope="module")
def nano(board: Sshd, tmp_path_factory: pytest.TempPathFactory) -> Sshd:
    """Registered as `gpu`, with `cuda`; it has gcc, but no Python of ours."""
    driver, home = board.place / "driver", tmp_path_factory.mktemp("home")
    driver.mkdir()
    fake.build(driver)
    known = json.loads((Path(board.environment["XDG_CONFIG_HOME"]) / "ompls/remotes.json").read_text())
    (entry,) = known["remotes"]
    entry |= {"name": "gpu", "device": "cuda", "facts": {**entry["facts"], "python": "3.6.9", **FACTS}}
    (home / "ompls").mkdir()
    (home / "ompls/remotes.json").write_text(json.dumps(known))
    ours = {"XDG_CONFIG_HOME": str(home), "OMPLS_NVRTC": str(driver / "libnvrtc.so"), "OMPLS_CACHE_DIR": str(home)}
    return Sshd(board.place, {**board.environment, **ours})


def test_regions_run_on_its_gpu(nano: Sshd) -> None:
    """This machine has none, and the board is the only one that is asked."""
    words = ("run", "--device", "gpu", ROOT / "examples/saxpy.c")
    done = nano.ompls(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(", correct\n")
    assert "available (over SSH: board; a Nano, " in nano.ompls("devices").stdout
    many = Sshd(nano.place, {**nano.environment, "OMPLS_FAKE_GPUS": "0", "OMP_TARGET_OFFLOAD": "mandatory"})
    done = many.ompls(*words)  # the far side is told what the program's environment says
    assert done.returncode == 125
    assert "cuInit failed: no CUDA-capable device is detected" in done.stderr
    assert until(nano.is_clean)


@pytest.mark.thorough
def test_devices_have_its_gpus_in_turn(nano: Sshd) -> None:
    """One GPU serves two devices; of two each has one."""
    for gpus in ("1", "2"):
        other = Sshd(nano.place, {**nano.environment, "OMPLS_FAKE_GPUS": gpus, "OMP_TARGET_OFFLOAD": "mandatory"})
        done = other.ompls("run", "--device", "gpu:2", ROOT / "examples/dot_devices.c")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith(", correct\n")


@pytest.mark.thorough
def test_its_own_gcc_builds_the_far_side_where_ours_does_not_fit(nano: Sshd, tmp_path: Path) -> None:
    """As on JetPack 4.6, whose glibc is older than this machine's."""
    (tmp_path / "ompls").mkdir()
    known = json.loads((Path(nano.environment["XDG_CONFIG_HOME"]) / "ompls/remotes.json").read_text())
    known["remotes"][0]["facts"]["libc"] = "glibc 2.2"
    (tmp_path / "ompls/remotes.json").write_text(json.dumps(known))
    old = Sshd(nano.place, {**nano.environment, "XDG_CONFIG_HOME": str(tmp_path)})
    for _ in range(2):
        done = old.ompls("run", "--device", "gpu", ROOT / "examples/saxpy.c")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith(", correct\n")
    assert len([path for path in (nano.directory / "far").iterdir() if "@" in path.name]) == 1
    assert not list((nano.directory / "plans").iterdir())
    known["remotes"][0]["facts"]["gcc"] = ""
    (tmp_path / "ompls/remotes.json").write_text(json.dumps(known))
    done = old.ompls("run", "--device", "gpu", ROOT / "examples/saxpy.c")
    assert done.returncode == 125
    assert "and the board has 2.2" in done.stderr


def test_programs_run_there_without_python(nano: Sshd) -> None:
    done = nano.ompls("run", "--remote", "gpu", ROOT / "examples/jacobi.c")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(", correct\n")


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({**FACTS, "chip": "tegra234"}, [(87, "cubin")]),
        ({**FACTS, "chip": "", "gpu": "NVIDIA RTX A2000, 8.6, 535.183.01"}, [(86, "cubin")]),
        ({**FACTS, "chip": "tegra999"}, "set OMPLS_CUDA_ARCH"),
        ({**FACTS, "libcuda": ""}, "the board has no NVIDIA driver"),
    ],
)
def test_the_boards_facts_tell_its_gpu(facts: dict[str, str], found: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMPLS_CUDA_ARCH", raising=False)
    device = cuda.DEVICE.as_native(facts)
    assert isinstance(device, type(cuda.DEVICE))
    state = device.probe()
    if isinstance(found, str):
        assert not state.available
        assert found in state.reason + state.hint
    else:
        assert state.available
        assert device.architectures() == found


def test_a_device_in_python_is_refused_where_none_is(nano: Sshd) -> None:
    devices = ROOT / "tests/devices/folders"
    environment = {**nano.environment, "OMPLS_DEVICE_PATH": os.fspath(devices)}
    done = Sshd(nano.place, environment).ompls("run", "--remote", "gpu", "--device", "simt", ROOT / "examples/saxpy.c")
    assert done.returncode == 125
    assert "its module is written in Python" in done.stderr
