"""From a bundle to a program: the build, its cache, and what it says when it cannot."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from handmade import RUNTIME, make_bundle, saxpy_bundle

from ompls.runtime import errors, toolchain
from ompls.runtime.__main__ import main
from ompls.runtime.build import build
from ompls.runtime.devices import all_devices, choose


def output_of(program: Path, *args: str, **env: str) -> tuple[int, str, str]:
    done = subprocess.run([program, *args], env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("devices", ["host", "host:3", "host,host:2"])
def test_saxpy_runs(tmp_path: Path, devices: str) -> None:
    built = build(saxpy_bundle(tmp_path / "bundle"), devices, tmp_path / "prog")
    count = {"host": 1, "host:3": 3, "host,host:2": 3}[devices]
    out = output_of(built.program, "5000", OMPLS_DEVICES=built.devices, OMP_TARGET_OFFLOAD="mandatory")
    assert out == (0, f"0 wrong, {count} devices, initial 1\n", "")


def test_program_stands_alone(tmp_path: Path) -> None:
    """The images are inside: bundle and cache may go, the program may move."""
    os.environ["OMPLS_CACHE_DIR"] = str(tmp_path / "cache")
    build(saxpy_bundle(tmp_path / "bundle"), "host", tmp_path / "prog")
    shutil.rmtree(tmp_path / "bundle")
    shutil.rmtree(tmp_path / "cache")
    moved = (tmp_path / "prog").rename(tmp_path / "moved")
    assert output_of(moved, OMP_TARGET_OFFLOAD="mandatory") == (0, "0 wrong, 1 devices, initial 1\n", "")


def test_second_build_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = saxpy_bundle(tmp_path / "bundle")
    first = build(bundle, "host").program
    commands: list[list[str]] = []
    original = toolchain.Toolchain.run

    def record(self: toolchain.Toolchain, command: list[str], what: str, cwd: Path | None = None) -> bytes:
        commands.append(list(command))
        return original(self, command, what, cwd)

    monkeypatch.setattr(toolchain.Toolchain, "run", record)
    assert build(bundle, "host").program == first
    assert [command for command in commands if "-E" not in command and "--version" not in command] == []
    # Another option, another program.
    assert build(bundle, "host", cflags=["-g"]).program != first


def test_users_errors_are_gccs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bundle = make_bundle(tmp_path / "bundle", "int main(void) {\n  return missing;\n}\n", {}, {})
    with pytest.raises(errors.BuildFailed) as caught:
        build(bundle, "host")
    assert "prog.c:2:10: error: ‘missing’ undeclared" in caught.value.output or "prog.c:2:10" in caught.value.output
    assert str(caught.value).startswith("compiling prog.c: ")
    assert main(["run", str(bundle), "--device", "host"]) == 125
    said = capfd.readouterr().err
    assert "prog.c:2:10: error:" in said
    assert said.endswith("ompls: error: compiling prog.c: the compiler ended with status 1; see its messages\n")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (
            lambda d: (d / "manifest.json").unlink(),
            "manifest.json: No such file or directory; give a directory made by",
        ),
        (lambda d: (d / "manifest.json").write_text("{"), "manifest.json: not JSON"),
        (
            lambda d: (d / "manifest.json").write_text('{"ompls_bundle": 99}'),
            "not a bundle of format 1; translate again",
        ),
        (lambda d: (d / "manifest.json").write_text('{"ompls_bundle": 1}'), "incomplete ('units'); translate again"),
        (lambda d: (d / "host/prog.c").write_text("int main;"), "host/prog.c: it was changed after it was translated"),
        (lambda d: (d / "host/prog.c").unlink(), "host/prog.c: No such file or directory; translate again"),
    ],
)
def test_damaged_bundles(tmp_path: Path, damage: object, says: str) -> None:
    bundle = saxpy_bundle(tmp_path / "bundle")
    assert callable(damage)
    damage(bundle)
    with pytest.raises(errors.BundleError) as caught:
        build(bundle, "host")
    assert says in str(caught.value)


def test_bundle_without_the_devices_class(tmp_path: Path) -> None:
    bundle = saxpy_bundle(tmp_path / "bundle")
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["units"][0]["kernels"][0]["files"] = {"gpu": "kernels/gpu/k.cu"}
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(
        errors.BundleError, match=r"holds no kernels for 'host' \(class default\); translate again with --device host"
    ):
        build(bundle, "host")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("gpu", "device 'gpu' is not available: there is no such device; choose one of: "),
        ("host:0", "'0' is not a number of devices; write NAME or NAME:NUMBER"),
        ("host:x", "'x' is not a number of devices"),
    ],
)
def test_unknown_devices(spec: str, says: str) -> None:
    with pytest.raises(errors.DeviceUnavailable) as caught:
        choose(spec)
    assert says in str(caught.value)


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = saxpy_bundle(tmp_path / "bundle")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(errors.DeviceUnavailable, match="gcc is not on PATH; apt-get install build-essential"):
        build(bundle, "host")
    with (
        toolchain.Toolchain() as tools,
        pytest.raises(errors.ToolMissing, match="gcc: not found on PATH; install it: apt-get"),
    ):
        tools.version("gcc")
    state = all_devices()["host"].probe()
    assert (state.available, state.reason) == (False, "gcc is not on PATH")


def test_unwritable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "file" / "cache"))
    built = build(saxpy_bundle(tmp_path / "bundle"), "host", tmp_path / "prog")
    assert (
        f"warning: cannot write the cache {tmp_path}/file/cache: Not a directory; using a temporary"
        in capfd.readouterr().err
    )
    assert output_of(built.program)[0] == 0
    with pytest.raises(errors.BundleError, match="the cache cannot be written and no output file is given"):
        build(tmp_path / "bundle", "host")


def test_devices_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--json"]) == 0
    listed = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["devices"]}
    assert listed["host"]["available"] is True
    assert listed["pyhost"]["class"] == "default"
    assert main(["devices"]) == 0
    assert "host       available" in capsys.readouterr().out


RUNTIME_FILES = sorted(p for p in RUNTIME.rglob("*.py"))


@pytest.mark.parametrize("path", RUNTIME_FILES, ids=lambda path: path.name)
def test_runtime_stands_alone(path: Path) -> None:
    """Python 3.8's grammar, and no import from outside the standard library (tests/… run on newer Pythons only)."""
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level <= 2
            names = [node.module or ""] if node.level == 0 else []
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_runtime_is_copied_and_runs(tmp_path: Path) -> None:
    """Only ompls/runtime, on a machine without the rest of the project."""
    copied = tmp_path / "elsewhere" / "ompls"
    shutil.copytree(RUNTIME, copied / "runtime")
    (copied / "__init__.py").write_text("")
    command = [
        sys.executable,
        "-S",
        "-m",
        "ompls.runtime",
        "run",
        str(saxpy_bundle(tmp_path / "bundle")),
        "--device",
        "host",
    ]
    done = subprocess.run(command, cwd=copied.parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 wrong, 1 devices, initial 1\n"), done.stderr
