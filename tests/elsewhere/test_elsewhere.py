"""Programs for another machine, made here and run here under qemu: `make test-elsewhere`, no part of `make test`.

Every example verifies its own result; OMPLS_INFO says that its regions ran on the device `host`, and not in place.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import ompls

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [*sorted((ROOT / "examples").glob("*.c")), Path(__file__).with_name("types.c")]
# Of those of tests/translate, which say what is wrong: about layouts, sizes, addresses, locks and lists.
VERIFYING = (
    "data",
    "device_addresses",
    "initializers",
    "locks",
    "members",
    "pointers_to_globals",
    "target_in_reduction",
)
LAUNCHES = 16  # of OMPLS_INFO


@dataclass(frozen=True)
class Machine:
    """One that qemu knows; `libraries` are Debian's for its cross compiler, `header` is what `file` would read."""

    architecture: str
    emulator: str
    libraries: str
    header: bytes

    def run(self, program: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "QEMU_LD_PREFIX": self.libraries, **environment}
        return subprocess.run(
            [self.emulator, program], env=env, capture_output=True, text=True, timeout=240, check=False
        )


MACHINES = [
    Machine("aarch64", "qemu-aarch64", "/usr/aarch64-linux-gnu", b"\x7fELF\2\1\1"),
    Machine("armhf", "qemu-arm", "/usr/arm-linux-gnueabihf", b"\x7fELF\1\1\1"),
]
everywhere = pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.architecture)


def _built(program: Path, machine: Machine, done: subprocess.CompletedProcess[str]) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert program.read_bytes().startswith(machine.header)


def _is_right(program: Path, machine: Machine) -> None:
    done = machine.run(program, OMPLS_DEVICES="host", OMP_TARGET_OFFLOAD="mandatory", OMPLS_INFO=str(LAUNCHES))
    assert done.returncode == 0, done
    assert "launch" in done.stderr
    assert "correct" in done.stdout or program.name == "master_worker", done.stdout


@everywhere
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_a_bundle_is_built_for_it_and_runs(source: Path, machine: Machine, tmp_path: Path) -> None:
    bundle, program = tmp_path / "bundle", tmp_path / source.stem
    of = ("--target-arch", machine.architecture)
    assert ompls("translate", *of, "--device", "host", "-o", bundle, source).returncode == 0
    command = [sys.executable, "-m", "ompls.runtime", "build", bundle, *of, "--device", "host", "-o", program]
    _built(program, machine, subprocess.run(command, capture_output=True, text=True, check=False))
    _is_right(program, machine)


@everywhere
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_cc_makes_it_and_it_runs(source: Path, machine: Machine, tmp_path: Path) -> None:
    program, unit = tmp_path / source.stem, tmp_path / "unit.o"
    cc = ("cc", "--target-arch", machine.architecture, "-fopenmp", "-fopenmp-targets=host")
    assert ompls(*cc, "-O2", "-c", source, "-o", unit).returncode == 0
    _built(program, machine, ompls(*cc, unit, "-lm", "-o", program))
    _is_right(program, machine)


@everywhere
@pytest.mark.parametrize("name", VERIFYING)
def test_layouts_are_those_of_the_machine(name: str, machine: Machine, tmp_path: Path) -> None:
    source, program = ROOT / f"tests/translate/programs/{name}.c", tmp_path / name
    cc = ("cc", "--target-arch", machine.architecture, "-w", "-fopenmp", "-fopenmp-targets=host")
    _built(program, machine, ompls(*cc, source, "-lm", "-o", program))
    done = machine.run(program, OMPLS_DEVICES="host", OMP_TARGET_OFFLOAD="mandatory")
    if (machine.architecture, name) == ("armhf", "pointers_to_globals"):
        # FIXME: the model has the layouts of 64-bit machines: the places of pointers in variables are wrong.
        assert (done.returncode, "pointers in a structure: 4, not 10" in done.stdout) == (1, True)
        return
    assert (done.returncode, done.stdout) == (0, "")


@everywhere
def test_what_is_analysed_is_what_its_headers_say(machine: Machine, tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(
        f"#ifndef __{'arm' if machine.architecture == 'armhf' else 'aarch64'}__\n#error headers of another machine\n"
        "#endif\n#include <stdio.h>\n#include <math.h>\nint main(void) {\n    int x = 0;\n"
        "    #pragma omp target map(tofrom: x)\n    x = 1;\n    return !x;\n}\n"
    )
    assert ompls("check", source).returncode == 1
    assert ompls("check", "--target-arch", machine.architecture, "--fail-on", "hint", source).stdout == ""
    shown = ompls("preview", "--target-arch", machine.architecture, "--device", "host", source)
    assert (shown.returncode, shown.stderr) == (0, "")


@everywhere
def test_its_bundle_is_refused_here_and_the_other_way_round(machine: Machine, tmp_path: Path) -> None:
    saxpy, program = PROGRAMS[-2], tmp_path / "program"
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    of = ("--target-arch", machine.architecture)
    assert ompls("translate", *of, "--device", "host", "-o", theirs, saxpy).returncode == 0
    assert ompls("translate", "--device", "host", "-o", ours, saxpy).returncode == 0
    build = [sys.executable, "-m", "ompls.runtime", "build", "--device", "host", "-o", program]
    for words in ([theirs], [ours, *of]):
        done = subprocess.run([*build, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 125, done
        assert f"translate it again with --target-arch {'x86_64' if words == [theirs] else of[1]}" in done.stderr
        assert "__LDBL_MANT_DIG__ is" in done.stderr
    assert not program.exists()


def test_cudasim_is_built_where_its_engine_can_switch_threads(tmp_path: Path) -> None:
    """It is not run: its process is an executable of the other machine, which qemu-user starts through binfmt only."""
    saxpy, program = ROOT / "examples/saxpy.c", tmp_path / "saxpy"
    aarch64, armhf = (("cc", "--target-arch", m.architecture, "-fopenmp", "-fopenmp-targets=cudasim") for m in MACHINES)
    _built(program, MACHINES[0], ompls(*aarch64, saxpy, "-o", program))
    executables = re.findall(
        rb"\x7fELF\x02\x01.{10}\x02\x00\xb7\x00", program.read_bytes(), re.S
    )  # ET_EXEC of EM_AARCH64
    assert len(executables) == 1  # the device process: the program itself may lie anywhere
    done = ompls(*armhf, saxpy, "-o", program)
    assert (done.returncode, "cudasim does not know armhf" in done.stderr) == (1, True)


def test_a_program_for_cuda_needs_no_python_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_CUDA_ARCH", "sm_87")
    monkeypatch.delenv("OMPLS_CUDA", raising=False)
    program, machine = tmp_path / "saxpy", MACHINES[0]
    cc = ("cc", "--target-arch", "aarch64", "-fopenmp", "-fopenmp-targets=cuda")
    _built(program, machine, ompls(*cc, ROOT / "examples/saxpy.c", "-o", program))
    assert b"libcuda.so.1" in program.read_bytes()
    for devices in ("", "cuda"):
        done = machine.run(program, OMPLS_DEVICES=devices)
        assert done.stdout.endswith("correct\n")  # no driver is there: the regions run in place


def test_a_program_for_cuda_knows_no_interpreter_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With pycuda's module its stub takes python3 from PATH, and the package that this one knows."""
    monkeypatch.setenv("OMPLS_CUDA_ARCH", "sm_87,compute_87")
    monkeypatch.setenv("OMPLS_CUDA", "pycuda")
    program, machine = tmp_path / "saxpy", MACHINES[0]
    cc = ("cc", "--target-arch", "aarch64", "-fopenmp", "-fopenmp-targets=cuda")
    _built(program, machine, ompls(*cc, ROOT / "examples/saxpy.c", "-o", program))
    content = program.read_bytes()
    assert sys.executable.encode() not in content
    assert b".target sm_87" in content
    assert machine.run(program).stdout.endswith("correct\n")  # no driver is there: the regions run in place
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\n[ "$1" = -c ] && shift 2\nshift\necho "$1 $2" "$(pwd)"\n')
    python.chmod(0o755)
    path = f"{python.parent}:{os.environ['PATH']}"
    started = machine.run(program, OMPLS_DEVICES="cuda", PATH=path)
    assert started.stdout == "ompls.runtime.__main__ host-program /\n"
    alone = machine.run(program, OMPLS_DEVICES="cuda", PATH=f"{Path(sys.base_prefix) / 'bin'}:{os.environ['PATH']}")
    assert (alone.returncode, "set PYTHONPATH" in alone.stderr) == (125, True)


def test_a_prefix_with_a_directory_is_meant_from_here(tmp_path: Path) -> None:
    """Tools of a folder, as a vendor's SDK has them."""
    for tool in ("gcc", "g++", "objcopy"):
        found = shutil.which(f"aarch64-linux-gnu-{tool}")
        assert found is not None
        (tmp_path / f"their-{tool}").symlink_to(found)
    saxpy = ROOT / "examples/saxpy.c"
    cc = ("cc", "--target-arch=aarch64", "--tool-prefix=./their-", "-fopenmp", "-fopenmp-targets=host")
    assert ompls(*cc, saxpy, "-o", "saxpy", cwd=tmp_path).returncode == 0
    _is_right(tmp_path / "saxpy", MACHINES[0])
