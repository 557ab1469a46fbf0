"""From a bundle to a program: the build, its cache, and what it says when it cannot."""

from __future__ import annotations

import ast
import contextlib
import itertools
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from damage import DAMAGES
from handmade import RUNTIME, make_bundle, saxpy_bundle
from procs import Process, processes
from thinned import thinned
from together import together
from waiting import LIMIT

from ompls.runtime import errors, toolchain
from ompls.runtime.__main__ import main
from ompls.runtime.build import build, prepare
from ompls.runtime.devices import all_devices, choose
from ompls.runtime.link import joined


def output_of(program: Path, *args: str, **env: str) -> tuple[int, str, str]:
    done = subprocess.run([program, *args], env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("devices", ["host", "host:3", "host,host:2"])
def test_saxpy_runs(tmp_path: Path, devices: str) -> None:
    built = build(saxpy_bundle(tmp_path / "bundle"), devices, tmp_path / "prog")
    count = {"host": 1, "host:3": 3, "host,host:2": 3}[devices]
    out = output_of(built.program, "5000", OMPLS_DEVICES=built.devices, OMP_TARGET_OFFLOAD="mandatory")
    assert out == (0, f"0 wrong, {count} devices, initial 1\n", "")


def test_program_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The images are inside: bundle and cache may go, the program may move."""
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "cache"))
    build(saxpy_bundle(tmp_path / "bundle"), "host", tmp_path / "prog")
    shutil.rmtree(tmp_path / "bundle")
    shutil.rmtree(tmp_path / "cache")
    moved = (tmp_path / "prog").rename(tmp_path / "moved")
    assert output_of(moved, OMP_TARGET_OFFLOAD="mandatory") == (0, "0 wrong, 1 devices, initial 1\n", "")
    assert not stack_is_executable(moved.read_bytes())


def stack_is_executable(program: bytes) -> bool:
    """What its program header PT_GNU_STACK says: one object that does not ask for the contrary is enough."""
    (at,), (size, count) = struct.unpack_from("<Q", program, 32), struct.unpack_from("<HH", program, 54)
    headers = [struct.unpack_from("<II", program, at + number * size) for number in range(count)]
    return dict(headers)[0x6474E551] & 1 == 1


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that toolchains run from now on."""
    commands: list[list[str]] = []
    original = toolchain.Toolchain.run

    def record(self: toolchain.Toolchain, command: list[str], what: str, cwd: Path | None = None) -> bytes:
        commands.append(list(command))
        return original(self, command, what, cwd)

    monkeypatch.setattr(toolchain.Toolchain, "run", record)
    return commands


def test_second_build_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = saxpy_bundle(tmp_path / "bundle")
    first = build(bundle, "host").program
    commands = recorded(monkeypatch)
    assert build(bundle, "host").program == first
    assert [command for command in commands if "-E" not in command and "--version" not in command] == []
    # Another option, another program.
    assert build(bundle, "host", cflags=["-g"]).program != first


def test_a_header_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all sources that begin with it, side by side too; they find it compiled, and not twice."""
    header = tmp_path / "common.h"
    header.write_text("#pragma once\nstatic int twice(int x) { return 2 * x; }\n")
    jobs = []
    for name in ("one", "two", "three"):
        source = tmp_path / f"{name}.c"
        source.write_text(f'#include "common.h"\nint {name}(int x) {{ return twice(x) + sizeof "{name}"; }}\n')
        jobs.append(toolchain.Compile(source, ("-O1", "-I" + str(tmp_path)), "gcc", (source, header), "", "common.h"))
    commands = recorded(monkeypatch)
    with toolchain.Toolchain(tmp_path / "cache") as tools:
        tools.objects(jobs)
        compiles = [c for c in commands if "-c" in c]
        assert len([c for c in compiles if "c++-header" in c or "c-header" in c]) == 1
        assert len(compiles) == 4
        compiled = Path(compiles[-1][compiles[-1].index("-include") + 1])
        said = subprocess.run([*compiles[-1], "-H"], capture_output=True, text=True, check=True).stderr
        assert said.startswith(f"! {compiled}.gch\n")
        assert ". " + str(header) not in said


def test_sources_together_are_one_object_and_only_what_changed_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [tmp_path / "one.c", tmp_path / "two.c"]
    for source in sources:
        source.write_text(f"int {source.stem};\n")
    commands, made = recorded(monkeypatch), []
    for _ in range(3):
        with toolchain.Toolchain(tmp_path / "cache") as tools:
            made += tools.together([toolchain.Compile(source, depends=()) for source in sources], "joining")
        sources[1].write_text("int two = 2;\n")
    assert (made[0] != made[1], made[1] == made[2]) == (True, True)
    assert [len([c for c in commands if word in c]) for word in ("-c", "-r")] == [3, 2]


@pytest.mark.parametrize(
    ("text", "objects"), [("int x;\n", 1), ('#include "one.h"\n', 2), ('#incl\\\nude "one.h"\n', 2)]
)
def test_only_what_includes_something_is_preprocessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, objects: int
) -> None:
    """However it is written; then another header is another object."""
    header, source = tmp_path / "one.h", tmp_path / "x.c"
    source.write_text(text)
    commands = recorded(monkeypatch)
    made = set()
    for number in range(2):
        header.write_text(f"int y{number};\n")
        with toolchain.Toolchain(tmp_path / "cache") as tools:
            made.add(tools.object(toolchain.Compile(source)))
    assert len(made) == objects
    assert any("-E" in command for command in commands) == (objects == 2)


def test_what_is_made_of_a_unit_ahead_is_found_in_any_program(tmp_path: Path) -> None:
    one, other = (
        {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*.*")}
        for bundle in (saxpy_bundle(tmp_path / "one"), make_bundle(tmp_path / "other", "int other;\n", {}, {}))
    )
    (ahead,) = joined(tmp_path / "units", [one]).units
    assert joined(tmp_path / "units", [other, one]).units[1] == ahead


@pytest.mark.thorough
def test_what_all_programs_share_is_compiled_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """And who waits for it at a terminal is told."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    kinds = [all_devices()["host"]]
    stale = tmp_path / "prepared" / "ab" / f"{'c' * 62}.o"
    stale.parent.mkdir(parents=True)
    stale.touch()
    os.utime(stale, (1e9, 1e9))
    for said in ("ompls: compiling the runtime, once for all programs\n", ""):
        prepare(kinds, tmp_path / "prepared")
        assert capfd.readouterr().err == said
    assert not stale.exists()
    monkeypatch.setattr(toolchain, "PREPARED", tmp_path / "prepared")
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "empty"))
    commands = recorded(monkeypatch)
    build(saxpy_bundle(tmp_path / "bundle"), "host", tmp_path / "prog")
    compiled = [c[c.index("-c") + 1] for c in commands if "-c" in c]
    assert not [name for name in compiled if name.startswith(str(RUNTIME))]
    assert output_of(tmp_path / "prog")[0] == 0


def test_run_check_is_compiled_ahead_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = all_devices()["cudasim"]
    made: list[bool] = []
    module = sys.modules[type(device).__module__]
    monkeypatch.setattr(module, "build_image", lambda tools, files, checked=False: made.append(checked))
    with toolchain.Toolchain(tmp_path / "cache") as tools:
        device.prepare(tools)
    assert made == [False, True]


@pytest.mark.parametrize("wrapped", [None, "ccache", "gcc-12"])
def test_only_a_compiler_that_is_certain_is_not_asked_for_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrapped: str | None
) -> None:
    """Links are followed to the file of one version; a cache of that name, or a script, may start another one."""
    real, linked = tmp_path / (wrapped or "x86_64-linux-gnu-gcc-12"), tmp_path / "bin" / "gcc"
    real.write_bytes(b"#!/bin/sh\n" if wrapped == "gcc-12" else Path("/bin/true").read_bytes())
    real.chmod(0o755)
    linked.parent.mkdir()
    linked.symlink_to(real)
    monkeypatch.setenv("PATH", f"{linked.parent}:{os.environ['PATH']}")
    commands = recorded(monkeypatch)
    told = set()
    for time_of_change in (1000, 2000):
        os.utime(real, (time_of_change, time_of_change))
        with toolchain.Toolchain(tmp_path / "cache") as tools:
            told.add(tools.version("gcc"))
    assert (len(told), len(commands)) == ((2, 0) if wrapped is None else (1, 2))


@pytest.mark.thorough
def test_where_a_bundle_lies_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ompls run` writes it to a temporary directory."""
    with toolchain.Toolchain(tmp_path / "cache") as tools:
        build(saxpy_bundle(tmp_path / "here"), "host", tmp_path / "prog", tools=tools)
    commands = recorded(monkeypatch)
    with toolchain.Toolchain(tmp_path / "cache") as tools:
        build(saxpy_bundle(tmp_path / "there"), "host", tmp_path / "prog", tools=tools)
    assert [c for c in commands if "-E" not in c and "--version" not in c] == []


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
        (
            lambda d: (d / "manifest.json").write_text('{"ompls_bundle": 1, "units": []}'),
            "it holds no program; translate",
        ),
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
    monkeypatch.delenv("OMPLS_DEVICE_PATH")  # the tests' own device needs no compiler
    with pytest.raises(
        errors.DeviceUnavailable,
        match=r"no device can be used .*cudasim: g\+\+ is not on PATH; host, epiphany, mpinode: gcc",
    ):
        choose("auto")


@pytest.mark.thorough
def test_unwritable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "file" / "cache"))
    built = build(saxpy_bundle(tmp_path / "bundle"), "host", tmp_path / "prog")
    assert (
        f"warning: cannot use the cache {tmp_path}/file/cache: Not a directory; nothing is kept"
        in capfd.readouterr().err
    )
    assert output_of(built.program)[0] == 0
    with pytest.raises(errors.BundleError, match="the cache cannot be written and no output file is given"):
        build(tmp_path / "bundle", "host")


NAP = f"4244.{os.getpid()}"  # seconds: tells our processes from those of a test run beside this one


def slow_compilers() -> list[Process]:
    return [p for p in processes() if f"sleep {NAP}" in p.command]


def slow_gcc(directory: Path) -> Path:
    """A PATH with a compiler whose driver starts another process and waits for it, as gcc's does."""
    directory.mkdir()
    for name in ("gcc", "g++"):
        (directory / name).write_text(f"#!/bin/sh\nsleep {NAP}\n")
        (directory / name).chmod(0o755)
    return directory


def test_a_compiler_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = slow_gcc(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{path}:{os.environ['PATH']}")
    monkeypatch.setenv("OMPLS_COMPILE_TIMEOUT", "0.3")
    with pytest.raises(
        errors.RuntimeProblem, match=r"gcc was still running after 0\.3 s; .* raise OMPLS_COMPILE_TIMEOUT"
    ):
        build(saxpy_bundle(tmp_path / "bundle"), "host")
    assert not slow_compilers()


def test_ctrl_c_while_building(tmp_path: Path) -> None:
    """The terminal's signal reaches everybody; nobody shows a traceback."""
    env = {**os.environ, "PATH": f"{slow_gcc(tmp_path / 'bin')}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "ompls.runtime", "run", str(saxpy_bundle(tmp_path / "bundle")), "--device", "host"]
    child = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not slow_compilers():
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=LIMIT)
    assert (child.returncode, said) == (130, "")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bin", "bundle"]


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for almost nothing."""
    directory = tmp_path / "tiny"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", str(directory)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can mount a file system")
    yield directory
    subprocess.run(["umount", "-l", str(directory)], check=True)


@pytest.mark.thorough
def test_a_full_disk(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """For the cache: said once, and the program is built.  For the program: an error, and nothing half written.  For
    temporary files: those of the compilers lie where ours do, on another disk."""
    bundle = saxpy_bundle(tmp_path / "bundle")
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tiny))
    built = build(bundle, "host", tmp_path / "prog")
    assert output_of(built.program)[0] == 0
    assert capfd.readouterr().err == f"ompls: warning: cannot write the cache {tiny}: No space left on device\n"
    with pytest.raises(errors.BundleError, match="the cache takes no more and no output file is given"):
        build(bundle, "host")
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "cache"))
    before = set(tiny.iterdir())
    with pytest.raises(
        errors.RuntimeProblem, match=r"cannot write .*/prog: No space left on device; choose another file"
    ):
        build(bundle, "host", tiny / "prog")
    assert set(tiny.iterdir()) == before
    with contextlib.suppress(OSError), open(tiny / "rest", "wb", buffering=0) as rest:
        while True:  # until there is no room
            rest.write(bytes(512))
    monkeypatch.setenv("TMPDIR", str(tiny))
    monkeypatch.setattr("tempfile.tempdir", None)
    bundle = make_bundle(tmp_path / "other", "int main(void) { return 7; }", {}, {})
    assert output_of(build(bundle, "host", tmp_path / "other.out").program)[0] == 7


def test_no_place_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(errors.RuntimeProblem, match=r"cannot make a temporary directory: No such .* or set TMPDIR"):
        build(saxpy_bundle(tmp_path / "bundle"), "host", tmp_path / "prog")


def test_the_program_may_run_while_it_is_built_again(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "bundle", "int main(void) { return getchar() == 'x' ? 5 : 6; }", {}, {})
    program = build(bundle, "host", tmp_path / "prog", ["-include", "stdio.h"]).program
    with subprocess.Popen([program], stdin=subprocess.PIPE) as running:
        assert build(bundle, "host", tmp_path / "prog", ["-include", "stdio.h"]).program == program
        running.communicate(b"x")
    assert running.returncode == 5


@pytest.mark.parametrize("output", ["/dev/null", "missing/prog", "."])
def test_outputs_that_cannot_be(tmp_path: Path, output: str) -> None:
    with pytest.raises(errors.RuntimeProblem, match=r"cannot write .*; choose another file"):
        build(saxpy_bundle(tmp_path / "bundle"), "host", tmp_path / output)
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize(
    ("name", "device"), thinned(itertools.product(("$HOME `x` %s {y}'\"\\z", "n\udcff"), ("host", "pyhost")), 4)
)
def test_odd_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, device: str) -> None:
    odd = tmp_path / name
    odd.mkdir()
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(odd / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    built = build(saxpy_bundle(odd / "bundle"), device, odd / "-prog")
    out = output_of(built.program, OMPLS_DEVICES=built.devices)
    # The device's own line comes first or last: C's output is written when the program ends.
    assert (out[0], min(out[1].splitlines()), out[2]) == (0, "0 wrong, 1 devices, initial 1", "")


def test_the_cache_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently used go first, but nothing of the last hour."""
    monkeypatch.setenv("OMPLS_CACHE_SIZE", "2")

    def make(size: int) -> Callable[[Path], object]:
        return lambda path: path.write_bytes(bytes(size))

    with toolchain.Toolchain(tmp_path / "cache") as tools:
        old = [tools.cached([b"%d" % n], ".x", make(900_000)) for n in range(3)]
    assert all(path.exists() for path in old)  # they are new
    for age, path in enumerate(old):
        os.utime(path, (time.time() - 90_000 + age,) * 2)
    with toolchain.Toolchain(tmp_path / "cache") as tools:
        assert tools.cached([b"0"], ".x", make(1)) == old[0]  # used again
        new = tools.cached([b"new"], ".x", make(900_000))
    assert [path.exists() for path in (*old, new)] == [True, False, False, True]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("which", ["", ".sum"])
def test_what_was_damaged_in_the_cache_is_made_again(tmp_path: Path, damage: str, which: str) -> None:
    made: list[Path] = []

    def make(path: Path) -> None:
        path.write_bytes(b"content")
        made.append(path)

    def cached(suffix: str) -> Path:
        with toolchain.Toolchain(tmp_path / "cache") as tools:
            return tools.cached([b"key"], suffix, make)

    for suffix in ("", ".o", ".h.gch"):
        made.clear()
        place = cached(suffix)
        DAMAGES[damage](place.with_name(place.name + which))
        for _ in range(2):
            assert cached(suffix) == place
            assert place.is_file()
            assert not place.is_symlink()
            assert place.read_bytes() == b"content"
        assert len(made) == 2


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_was_damaged_in_the_installation_is_made_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(toolchain, "PREPARED", tmp_path / "prepared")

    def cached(place: Path | None) -> Path:
        with toolchain.Toolchain(place) as tools:
            return tools.cached([b"key"], ".o", lambda path: (path.write_bytes(b"content"), None)[1])

    prepared = cached(tmp_path / "prepared")
    assert cached(None) == prepared
    DAMAGES[damage](prepared)
    assert cached(None).parent.parent == tmp_path / "cache"


def test_devices_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--json"]) == 0
    listed = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["devices"]}
    assert listed["host"]["available"] is True
    assert listed["pyhost"]["class"] == "default"
    assert main(["devices"]) == 0
    assert "host       available" in capsys.readouterr().out


DEVICES = RUNTIME.parent / "devices"
RUNTIME_FILES = sorted((*RUNTIME.rglob("*.py"), *DEVICES.glob("*/module/*.py"), *DEVICES.glob("remote/*.py")))


@together("path", RUNTIME_FILES, ids=lambda path: path.name)
def test_runtime_stands_alone(path: Path) -> None:
    """Python 3.8's grammar, and no import from outside the standard library (tests/… run on newer Pythons only)."""
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level <= 2
            names = [node.module or ""] if node.level == 0 else []
        for name in names:
            if (path.parent.name, path.name, name) == ("remote", "mpi.py", "mpi4py"):
                continue  # a node that runs it has that
            own = name.startswith(
                ("ompls.runtime", "ompls.devices.remote", f"ompls.devices.{path.parent.parent.name}.module")
            )
            assert own or name.split(".")[0] in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_runtime_is_copied_and_runs(tmp_path: Path) -> None:
    """With the modules of the devices, on a machine without the rest of the project."""
    copied = tmp_path / "elsewhere" / "ompls"
    shutil.copytree(RUNTIME, copied / "runtime")
    shutil.copytree(RUNTIME.parent / "devices", copied / "devices")
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


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed (apt: gdb)")
def test_a_debugger_opens_the_images_of_the_program(tmp_path: Path) -> None:
    """By their paths: with /proc/self in them it would open files of its own, and wait for ever."""
    built = build(saxpy_bundle(tmp_path / "bundle"), "host", tmp_path / "prog")
    command = ["gdb", "-q", "-batch", "-ex", "run", str(built.program)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert "0 wrong, 1 devices, initial 1" in done.stdout


def test_a_file_whose_language_gcc_does_not_know_is_told(tmp_path: Path) -> None:
    source = tmp_path / "kernel.lng"
    source.write_text("int x;\n")
    with toolchain.Toolchain(tmp_path / "cache") as tools:
        with pytest.raises(errors.RuntimeProblem, match=r"the language of a file .\.lng.; compile it with -x"):
            tools.object(toolchain.Compile(source, depends=()))
        assert tools.object(toolchain.Compile(source, ("-x", "c"), depends=())).is_file()
