"""A bundle can be built with nothing but the commands that docs/bundle.md names."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from named import translate

from ompls.analysis.model.tu import TU
from ompls.devices.cudasim.module import ENGINE, LIBRARY

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("example", ["declare_target", "jacobi"])
def test_the_documented_commands_compile_a_bundle(example: str, load: Callable[[Path], TU], tmp_path: Path) -> None:
    made = translate([load(ROOT / f"examples/{example}.c")], ["host", "cudasim"])
    bundle = tmp_path / "bundle"
    for name, data in made.files.items():
        (bundle / name).parent.mkdir(parents=True, exist_ok=True)
        (bundle / name).write_bytes(data)
    (unit,) = json.loads((bundle / "manifest.json").read_text())["units"]
    host = ["gcc", "-fopenmp", "-O1", "-Wall", "-Wextra", "-Werror", "-iquote", unit["includes_from"] or ".", "-c"]
    subprocess.run([*host, bundle / unit["host"], "-o", "host.o"], cwd=tmp_path, check=True)
    kernels = [bundle / k["files"]["default"] for k in unit["kernels"]]
    subprocess.run(["gcc", "-fopenmp", "-fPIC", "-shared", *kernels, "-o", "kernels.so"], cwd=tmp_path, check=True)
    symbols = subprocess.run(["nm", "-D", "kernels.so"], cwd=tmp_path, check=True, capture_output=True, text=True)
    for kernel in unit["kernels"]:
        assert f" T {kernel['name']}\n" in symbols.stdout
        simulated = [
            "g++",
            "-std=c++17",
            "-fsyntax-only",
            "-x",
            "c++",
            "-include",
            ENGINE / "prelude.h",
        ]
        simulated += ["-I", LIBRARY, "-I", ENGINE]
        subprocess.run([*simulated, bundle / kernel["files"]["gpu"]], check=True)
