"""Which module of the device `cuda` a program gets, and what the native one needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fake
import pytest

from ompls.devices.cuda import module as cuda
from ompls.devices.cuda.module import driver as cuda_driver

ROOT = Path(__file__).resolve().parents[2]
SAXPY = ROOT / "examples/saxpy.c"


def built(machine: dict[str, str], output: Path) -> Path:
    """A program for `cuda`."""
    words = ["cc", "-fopenmp", "-fopenmp-targets=cuda", SAXPY, "-o", output]
    done = subprocess.run(
        [sys.executable, "-m", "ompls", *words], env=machine, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return output


def test_a_program_keeps_the_module_that_it_was_built_with(machine: dict[str, str], tmp_path: Path) -> None:
    program = built(machine, tmp_path / "program")
    hosted = machine["OMPLS_CUDA"] == "pycuda"
    assert (b"ompls_stub_devices" in program.read_bytes()) == hosted
    for said in ("native", "pycuda"):
        env = {**machine, "OMPLS_CUDA": said, "OMP_TARGET_OFFLOAD": "mandatory"}
        done = subprocess.run([program], env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("machine", ["native"], indirect=True)
def test_the_native_module_needs_no_python(machine: dict[str, str], tmp_path: Path) -> None:
    program = built(machine, tmp_path / "program")
    alone = {
        "LD_LIBRARY_PATH": machine["LD_LIBRARY_PATH"],
        "OMPLS_PYTHON": "/nowhere/python",
        "OMP_TARGET_OFFLOAD": "mandatory",
    }
    done = subprocess.run([program], env={**alone, "PATH": "/nowhere"}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    listed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True)
    assert "libcuda" not in listed.stdout  # it is found when it is there


@pytest.mark.thorough
def test_the_native_module_takes_the_names_of_cuda_10_2(tmp_path: Path) -> None:
    fake.build(tmp_path, old=True)
    fake.compiler(tmp_path / "libnvrtc.so", 1002)
    program = built(fake.environment(tmp_path, tmp_path / "cache", "native"), tmp_path / "program")
    env = {"LD_LIBRARY_PATH": str(tmp_path), "OMP_TARGET_OFFLOAD": "mandatory"}
    done = subprocess.run([program], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_pycuda_is_taken_where_it_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMPLS_CUDA", raising=False)
    monkeypatch.setattr(cuda_driver, "imported_pycuda", lambda: None)
    assert cuda.DEVICE.hosted
    assert cuda.DEVICE.native_sources() == []
    monkeypatch.undo()
    monkeypatch.setenv("OMPLS_CUDA", "native")
    assert not cuda.DEVICE.hosted
    assert "cuda.c" in [path.name for path in cuda.DEVICE.native_sources()]
    monkeypatch.setenv("OMPLS_CUDA", "pycuda")
    assert cuda.DEVICE.hosted
    assert not cuda.DEVICE.as_native().hosted


@pytest.mark.thorough
def test_nodes_of_a_cluster_have_gpus(driver: Path, tmp_path: Path) -> None:
    """Whatever programs get here: a far side has the native module."""
    pytest.importorskip("mpi4py")
    machine = fake.environment(driver, tmp_path, "")
    words = [sys.executable, "-m", "ompls", "run", "--device", "mpinode(cuda):2", ROOT / "examples/dot_devices.c"]
    env = {**machine, "OMP_TARGET_OFFLOAD": "mandatory", "OMPLS_FAKE_GPUS": "2"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(", correct\n")


def test_another_word_is_refused(driver: Path, tmp_path: Path) -> None:
    machine = fake.environment(driver, tmp_path, "cupy")
    words = [sys.executable, "-m", "ompls", "run", "--device", "cuda", SAXPY]
    done = subprocess.run(words, env=machine, capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert done.stderr == (
        "ompls: error: device 'cuda' is not available: OMPLS_CUDA: 'cupy' is none of its modules; "
        "set it to native or pycuda\n"
    )
