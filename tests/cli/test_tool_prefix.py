"""--target-arch and --tool-prefix: what is refused, and that the compilers which are named do all of the work.

Programs for really another machine are in tests/elsewhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import command
import pytest

from ompls.runtime import machine
from ompls.runtime.errors import RuntimeProblem
from ompls.runtime.machine import HERE, chosen

OTHER = next(name for name in ("aarch64", "x86_64") if name != HERE.architecture)
SOURCE = """#ifndef THEIRS
#error headers of another compiler
#endif
int main(void) {
    int x = THEIRS;
    #pragma omp target map(tofrom: x)
    x++;
    return x - 42;
}
"""


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["check", "--target-arch", "abacus", "x.c"], 2, "'abacus'"),
        (["preview", "--target-arch=abacus", "x.c"], 2, "'abacus'"),
        (["cc", "--target-arch", "abacus", "-c", "x.c"], 1, "choose aarch64, armhf, x86_64"),
        (["cc", "--target-arch"], 1, "--target-arch needs a value"),
        (["check", "--tool-prefix=-x", "x.c"], 2, "begins with '-'"),
        (["cc", "--tool-prefix=-x", "-c", "x.c"], 1, "begins with '-'"),
        (["translate", "-o", "b", "--target-arch", "armhf", "--tool-prefix", "no-such-", "x.c"], 2, "no-such-gcc"),
        (["translate", "-o", "b", "--target-arch", "armhf", "--tool-prefix", "./no/such-", "x.c"], 2, "no/such-gcc"),
        (["preview", "--target-arch", OTHER, "--tool-prefix", "", "x.c"], 2, f"not for {OTHER}"),
        (["run", "--target-arch", OTHER, "x.c"], 125, f"this machine is {HERE.architecture}; build it with 'ompls cc"),
    ],
)
def test_what_cannot_be_is_one_line_of_error(ompls, words: list[str], code: int, text: str) -> None:
    done = ompls(*words)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert done.err.startswith("ompls: error: ")
    assert text in done.err


@pytest.mark.parametrize("prefix", ["{here}/", "./", "./sdk/../", "sdk/their-"])
def test_a_directory_keeps_its_slash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, prefix: str) -> None:
    _compiler(tmp_path / "gcc", f"echo {HERE.architecture}-linux-gnu")
    _compiler(tmp_path / "sdk/their-gcc", f"echo {HERE.architecture}-linux-gnu")
    monkeypatch.chdir(tmp_path)
    given = prefix.format(here=tmp_path)
    assert chosen("", given).tool("gcc") == str(tmp_path / ("sdk/their-gcc" if "their" in given else "gcc"))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo abacus-linux; sleep 70 &", "it makes code for abacus-linux, not for"),
        ("while :; do echo abacus; done", "it makes code for abacus, not for"),
        ("printf 'abacus\\033[2J\\n'", "it makes code for abacus\ufffd[2J, not for"),
        ("exec sleep 1000", "it took longer than 1 s to say what it makes code for"),
        ("exit 1", "it makes code for no machine that it names, not for"),
    ],
)
def test_a_compiler_that_does_not_say_what_it_is_for_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, why: str
) -> None:
    _compiler(tmp_path / "x-gcc", script)
    monkeypatch.setattr(machine, "_SECONDS", 1.0)
    with pytest.raises(RuntimeProblem) as told:
        chosen(OTHER, f"{tmp_path}/x-")
    assert why in str(told.value)


def _compiler(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_a_missing_cross_compiler_is_named_with_its_package(ompls, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = ompls("check", "--target-arch", "armhf", "x.c")
    assert (done.code, done.out) == (2, "")
    if HERE.architecture != "armhf":
        assert "arm-linux-gnueabihf-gcc: " in done.err
        assert "apt-get install gcc-arm-linux-gnueabihf" in done.err


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options that name tools of a folder, whose gcc defines THEIRS; those of PATH fail."""
    for tool in ("gcc", "g++", "objcopy"):
        real = shutil.which(tool)
        defined = "" if tool == "objcopy" else "-DTHEIRS=41"
        for name, text in ((f"sdk/their-{tool}", f'exec {real} {defined} "$@"'), (f"bin/{tool}", "exit 1")):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / name).chmod(0o755)
    (tmp_path / "x.c").write_text(SOURCE)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return ["--tool-prefix", "./sdk/their-"]


def _works(*words: object) -> str:
    done = command.ompls(*words)
    assert (done.returncode, done.stderr) == (0, ""), words
    return done.stdout


@pytest.mark.thorough
def test_all_of_the_work_is_done_by_the_tools_that_are_named(theirs: list[str], tmp_path: Path) -> None:
    _works("check", *theirs, "--quiet", "x.c")
    assert "x" in _works("preview", *theirs, "--device", "host", "x.c")
    _works("translate", *theirs, "--target-arch", HERE.architecture, "--device", "host", "-o", "bundle", "x.c")
    build = [sys.executable, "-m", "ompls.runtime", "build", "bundle", *theirs, "--device", "host", "-o", "built"]
    subprocess.run(build, check=True)
    _works("cc", *theirs, "-fopenmp", "-fopenmp-targets=host", "x.c", "-o", "compiled")
    _works("run", *theirs, "--device", "host", "x.c")
    for program in ("built", "compiled"):
        mandatory = {**os.environ, "OMPLS_DEVICES": "host", "OMP_TARGET_OFFLOAD": "mandatory"}
        assert subprocess.run([tmp_path / program], env=mandatory, check=False).returncode == 0


def test_a_file_without_regions_needs_no_device(theirs: list[str], tmp_path: Path) -> None:
    """`auto` says nothing of another machine; there is nothing to choose a device for."""
    (tmp_path / "plain.c").write_text("int f(int x) {\n    #pragma omp parallel\n    x++;\n    return x;\n}\n")
    gcc = tmp_path / "sdk/their-gcc"
    gcc.write_text(gcc.read_text().replace("\n", f'\n[ "$1" = -dumpmachine ] && exec echo {OTHER}-linux-gnu\n', 1))
    other = ("cc", "--target-arch", OTHER, *theirs, "-fopenmp", "-c")
    _works(*other, "plain.c")
    assert "name them" in command.ompls(*other, "x.c").stderr


def test_what_one_compiler_said_of_headers_is_not_taken_for_anothers(
    theirs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = ("check", "--quiet", "--format", "json", "x.c")
    _works(*checked, *theirs)
    monkeypatch.setenv("PATH", os.environ["PATH"].partition(":")[2])
    done = command.ompls(*checked)
    assert (done.returncode, json.loads(done.stdout)["diagnostics"] != []) == (1, True)
    _works(*checked, *theirs)


@pytest.mark.parametrize("form", [["--sysroot", "root"], ["--sysroot=./root"]])
def test_headers_of_a_sysroot_are_the_compilers(
    form: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As SDKs for boards have them: the text that is analysed is the text that is compiled."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "root/usr/include").mkdir(parents=True)
    (tmp_path / "root/usr/include/board.h").write_text("#define CORES 4\n")
    (tmp_path / "x.c").write_text(
        "#include <board.h>\nvoid f(int *x) {\n    #pragma omp target map(x[0:CORES])\n    x[CORES - 1] = 0;\n}\n"
    )
    assert command.ompls("check", "--fail-on", "hint", "x.c").returncode == 1
    _works("check", *form, "--quiet", "--fail-on", "hint", "x.c")
    _works("cc", *form, "-fopenmp", "-fopenmp-targets=host", "-c", "x.c")
