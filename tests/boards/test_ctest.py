"""CMake's cross-compiling emulator: what is built here `ctest` runs on the board."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import until

from .conftest import Sshd

PROJECT = """\
cmake_minimum_required(VERSION 3.13)
project(onboard C)
add_executable(where where.c)
enable_testing()
add_test(NAME right COMMAND where "a b" 0)
add_test(NAME wrong COMMAND where "a b" 3)
add_test(NAME here COMMAND ${CMAKE_COMMAND} -E true)
"""
TOOLCHAIN = """\
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ARCHITECTURE)
set(CMAKE_C_COMPILER PYTHON -m ompls cc OPTIONS -fopenmp -fopenmp-targets=host)
set(CMAKE_CROSSCOMPILING_EMULATOR PYTHON -m ompls remote exec BOARD)
"""
SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (int i = 0; i < 1000; i++) sum += i;
    printf("%s: %s, %d\\n", getenv("OMPLS_BOARD_RUN") ? "on the board" : "here", argc > 1 ? argv[1] : "", sum);
    return atoi(argv[2]);
}
"""


def run_ctest(board: Sshd, name: str, place: Path, options: str = "") -> None:
    """Build a project with `ompls cc`, and run its tests on the board."""
    if shutil.which("ctest") is None:
        pytest.skip("CMake is not installed: apt-get install cmake")
    words = {"ARCHITECTURE": os.uname().machine, "OPTIONS": options, "PYTHON": sys.executable, "BOARD": name}
    (place / "where.c").write_text(SOURCE)
    (place / "CMakeLists.txt").write_text(PROJECT)
    (place / "toolchain.cmake").write_text(re.sub("|".join(words), lambda found: words[found[0]], TOOLCHAIN))
    how = {"env": board.environment, "capture_output": True, "text": True, "timeout": 240}
    configure = ["cmake", "-S", place, "-B", place / "build", f"-DCMAKE_TOOLCHAIN_FILE={place}/toolchain.cmake"]
    for command in (configure, ["cmake", "--build", place / "build"]):
        done = subprocess.run(command, check=False, **how)  # type: ignore[call-overload]
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(["ctest", "-V"], cwd=place / "build", check=False, **how)  # type: ignore[call-overload]
    assert done.returncode == 8, done.stdout + done.stderr  # a test failed
    assert done.stdout.count("on the board: a b, 499500\n") == 2
    states = re.findall(r"Test +#\d: (\w+) \.+[ *]*(Passed|Failed)", done.stdout)
    assert dict(states) == {"right": "Passed", "wrong": "Failed", "here": "Passed"}
    assert until(board.is_clean)


@pytest.mark.thorough
def test_ctest_runs_on_the_board(board: Sshd, tmp_path: Path) -> None:
    run_ctest(board, "nano", tmp_path)
