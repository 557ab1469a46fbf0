"""The target part of OMPT: what a tool (core/tool.c) is told of a program (core/tooled.c)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from mocked import PROGRAMS, Program, program, run

from ompls.runtime.build import INCLUDE

__all__ = ["program"]

TOOL_STARTS = "tool: 2 devices, 1 1\ndevice 0 mock\nload 0 bytes 5\n"
TOOL_ENDS = "device 0 ends\ntool ends\n"


def copy(kind: int, operation: int, place: str) -> str:
    """Begin and end of a data operation: 1 alloc, 2 to the device, 3 from it, 4 delete."""
    sides = "from 0 to 2" if kind in (3, 4) else "from 2 to 0"
    size = 0 if kind == 4 else 4
    begin = f"data {kind} 1 op {operation} {sides} bytes {size} {place}\n"
    return begin + f"data {kind} 2 op {operation} {sides} bytes 4 {place}\n"


def submit(operation: int) -> str:
    return "".join(f"submit {scope} op {operation} data 42 teams 1\n" for scope in (1, 2))


def construct(kind: int, line: int, inside: str) -> str:
    return f"target {kind} 1 device 0 data 42 t.c:{line} -\n{inside}target {kind} 2 device 0 data 42 t.c:{line} -\n"


def expected() -> str:
    x3, x4 = "t.c:3 x", "t.c:4 x"
    return (
        TOOL_STARTS
        + construct(1, 3, copy(1, 1, x3) + copy(2, 2, x3) + submit(3) + copy(3, 4, x3) + copy(4, 5, x3))
        + construct(2, 4, copy(1, 6, x4) + copy(2, 7, x4))
        + construct(9, 3, submit(8))
        + construct(4, 4, copy(2, 9, x4) + copy(3, 10, x4))
        + construct(3, 4, copy(3, 11, x4) + copy(4, 12, x4))
        + construct(2, 4, copy(1, 13, x4) + copy(2, 14, x4))
        + construct(3, 4, copy(3, 15, x4) + copy(4, 16, x4))
        + TOOL_ENDS
    )


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("tool") / "tool.so"
    command = [
        "gcc",
        "-shared",
        "-fPIC",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-isystem",
        str(INCLUDE),
        str(PROGRAMS / "tool.c"),
        "-o",
        str(library),
    ]
    subprocess.run(command, check=True)
    return library


@pytest.mark.parametrize("sanitizer", ["plain", "address", pytest.param("thread", marks=pytest.mark.thorough)])
def test_a_tool_is_told_of_everything(program: Program, tool: Path, sanitizer: str) -> None:
    done = run(program("tooled", sanitizer), OMP_TOOL_LIBRARIES=f":{tool}")
    assert (done.returncode, done.stderr) == (0, expected())


def test_no_tool_is_wanted_or_none_is_there(program: Program, tool: Path) -> None:
    built = program("tooled", "plain")
    assert run(built).stderr == ""
    assert run(built, OMP_TOOL_LIBRARIES=str(tool), OMP_TOOL="disabled").stderr == ""
    done = run(built, OMP_TOOL_LIBRARIES="/nowhere.so")
    assert (done.returncode, re.sub(":.*", "", done.stderr)) == (0, "ompls\n")
