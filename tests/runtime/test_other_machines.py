"""The machine that programs are for: which devices can be built for another one, and whose types are refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from command import ompls
from handmade import saxpy_bundle

from ompls.runtime import errors
from ompls.runtime.build import build
from ompls.runtime.bundle import read_bundle
from ompls.runtime.devices import choose
from ompls.runtime.machine import HERE, Machine

ROOT = Path(__file__).resolve().parents[2]
SAXPY = ROOT / "examples/saxpy.c"


def _old_pythons() -> Iterator[Path]:
    on_path = shutil.which("python3.8")
    installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for python in ([Path(on_path)] if on_path else []) + sorted(installed.glob("3.8.*/bin/python3.8")):
        if subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0:
            yield python


@pytest.mark.thorough
def test_a_bundle_is_built_by_what_was_copied(tmp_path: Path) -> None:
    """To a board go the bundle, ompls/runtime and ompls/devices: Python 3.8 (where it is here) and gcc do the rest."""
    assert ompls("translate", "--device", "host", "-o", tmp_path / "here" / "bundle", SAXPY).returncode == 0
    there = tmp_path / "there"
    shutil.copytree(tmp_path / "here" / "bundle", there / "bundle")
    for part in ("runtime", "devices"):
        leave = shutil.ignore_patterns("__pycache__", "prepared")
        shutil.copytree(ROOT / "ompls" / part, there / "ompls" / part, ignore=leave)
    shutil.rmtree(tmp_path / "here")
    python = next(_old_pythons(), Path(sys.executable))
    env = {"PATH": os.environ["PATH"], "HOME": str(there), "OMPLS_CACHE_DIR": os.environ["OMPLS_CACHE_DIR"]}
    build_it = [python, "-S", "-m", "ompls.runtime", "build", "bundle", "--device", "host", "-o", "saxpy"]
    done = subprocess.run(build_it, cwd=there, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    run = subprocess.run(
        [there / "saxpy"], env={**env, "OMP_TARGET_OFFLOAD": "mandatory"}, capture_output=True, check=True
    )
    assert run.stdout.endswith(b"correct\n")


def _manifest(bundle: Path, **changed: Any) -> None:
    path = bundle / "manifest.json"
    data = json.loads(path.read_text())
    data["units"][0]["abi"] = {**data["units"][0]["abi"], **changed}
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("architecture", "macro", "value", "says"),
    [
        ("armhf", "__SIZEOF_LONG__", "4", "armhf, and is to be built for {here} (__SIZEOF_LONG__ is {long}, not 4)"),
        ("armhf", "__arm__", "1", "translate it again with --target-arch {here}, or build it with --target-arch armhf"),
        (
            "pdp11",
            "__pdp11__",
            "1",
            "pdp11, and is to be built for {here}; translate it again for {here}, with the same",
        ),
    ],
)
def test_a_bundle_for_other_types_is_refused(
    tmp_path: Path, architecture: str, macro: str, value: str, says: str
) -> None:
    bundle = tmp_path / "bundle"
    assert ompls("translate", "--device", "host", "-o", bundle, SAXPY).returncode == 0
    (unit,) = read_bundle(bundle).units
    macros = dict(unit.macros)
    assert unit.architecture == HERE.architecture
    assert macros["__SIZEOF_POINTER__"] == str(8 if sys.maxsize > 2**32 else 4)
    _manifest(bundle, architecture=architecture, macros={**macros, macro: value})
    with pytest.raises(errors.BundleError) as caught:
        build(bundle, "host", tmp_path / "program")
    assert says.format(here=HERE.architecture, long=macros["__SIZEOF_LONG__"]) in str(caught.value)
    assert not (tmp_path / "program").exists()


@pytest.mark.parametrize(
    ("spec", "machine", "asked", "says"),
    [
        ("auto", "aarch64", "", "which devices there are on another machine"),
        ("cuda", "aarch64", "", "set OMPLS_CUDA_ARCH"),
        ("cuda", "armhf", "sm_53", "CUDA has no armhf"),
        ("cudasim", "armhf", "", "cudasim does not know armhf"),
        ("host,cudasim,cuda", "aarch64", "sm_87,compute_87", ""),
        ("host", "armhf", "", ""),
    ],
)
def test_of_another_machine_nothing_is_asked_here(
    spec: str, machine: str, asked: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ompls.runtime.machine.HERE", Machine("x86_64"))  # wherever this runs
    monkeypatch.setenv("PATH", "")  # nothing is here, no compiler either
    monkeypatch.setenv("OMPLS_CUDA_ARCH", asked)
    if says:
        with pytest.raises(errors.DeviceUnavailable, match=says):
            choose(spec, Machine(machine, "their-"))
    else:
        assert [device.name for device, _ in choose(spec, Machine(machine, "their-"))] == spec.split(",")


def test_a_gpu_elsewhere_gets_the_native_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Python has here; who asks for pycuda's gets it."""
    monkeypatch.setenv("OMPLS_CUDA_ARCH", "sm_87")
    monkeypatch.setitem(sys.modules, "pycuda", ModuleType("pycuda"))
    monkeypatch.setitem(sys.modules, "pycuda.driver", ModuleType("pycuda.driver"))
    monkeypatch.setattr("ompls.devices.cuda.module.driver._libcuda", lambda: None)

    def hosted(machine: Machine) -> bool:
        ((device, _),) = choose("cuda", machine)
        return device.hosted

    monkeypatch.delenv("OMPLS_CUDA", raising=False)
    assert [hosted(HERE), hosted(Machine("aarch64", "their-"))] == [True, False]
    monkeypatch.setenv("OMPLS_CUDA", "pycuda")
    assert hosted(Machine("aarch64", "their-"))


def test_a_stub_for_another_machine_finds_python_and_the_package_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made by this machine's tools for one of another name, so that it can run here."""
    program = tmp_path / "program"
    other = Machine("another", "./tools/" if HERE.architecture == "another" else "")
    assert not other.here
    build(saxpy_bundle(tmp_path / "bundle"), "pyhost", program, machine=other)
    assert sys.executable.encode() not in program.read_bytes()
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    path = f"{python.parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "OMPLS_DEVICES": "pyhost", "OMP_TARGET_OFFLOAD": "mandatory"}
    hidden = {**env, "PYTHONNOUSERSITE": "1", "PYTHONPATH": str(tmp_path), "PYTHONHOME": sys.base_prefix}
    alone = subprocess.run([program], env=hidden, capture_output=True, text=True, check=False)
    assert (alone.returncode, "pip install ompls there, or set PYTHONPATH" in alone.stderr) == (125, True)
    found = {**hidden, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([program], env=found, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
