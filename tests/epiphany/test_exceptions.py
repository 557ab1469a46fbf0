"""A core's first instructions: its exceptions go to the function that tells the program of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ompls.devices.epiphany.module import size
from ompls.runtime.toolchain import Toolchain

PREFIX = size.measure().prefix


@pytest.mark.skipif(PREFIX is None, reason="needs the chip's compiler (make epiphany-toolchain)")
def test_a_cores_exceptions_are_caught(tmp_path: Path) -> None:
    kernel, program = tmp_path / "k.c", tmp_path / "k.core"
    kernel.write_text("void k(void **p)\n{\n    **(int **)p = 1;\n}\n")
    with Toolchain() as tools:
        program.write_bytes(size.measure().of(tools, [("k", kernel)])["k"].program)
    told = subprocess.run(
        [f"{PREFIX}objdump", "-d", "-j", ".vectors", program], capture_output=True, text=True, check=True
    ).stdout
    places = [line.split()[0] for line in told.splitlines() if "\tb " in line]
    targets = [line.rpartition("<")[2] for line in told.splitlines() if "\tb " in line]
    assert places == ["0:", "4:", "8:"]
    assert targets[1] == targets[2] == "failed>"


# It reads from an odd address, and goes on to end with 7; who hears of exceptions ends with 42.  The timer may ring.
PROGRAM = """
    .text
    .global _chip_begin
_chip_begin:
    mov r0, #1
    movts ilatst, r0
    mov r0, #0xf8
    movts ilatst, r0
    movfs r0, ipend
    add r0, r0, #0
    bne end
    mov r1, #0x4001
    STATEMENT
    mov r0, #7
end:
    trap #3
    .global _abort
_abort:
    mov r0, #42
    trap #3
"""
ONE = ("--e-coreid", "0x808", "--e-cols", "1", "--e-rows", "1", "--e-first-core", "0x808")


@pytest.mark.skipif(
    shutil.which("epiphany-elf-run") is None, reason="needs the vendor's simulator and binutils on PATH"
)
@pytest.mark.parametrize(("statement", "code"), [("ldr r2, [r1]", 42), ("nop", 7)])
def test_a_core_hears_of_exceptions_and_of_nothing_else(tmp_path: Path, statement: str, code: int) -> None:
    def call(*words: object) -> None:
        subprocess.run(list(map(str, words)), cwd=tmp_path, check=True)

    (tmp_path / "k.s").write_text(PROGRAM.replace("STATEMENT", statement))
    flags = ("-U__USER_LABEL_PREFIX__", "-D__USER_LABEL_PREFIX__=_", f"-DSTACK={size.BLOCK - 16:#x}")
    call("gcc", "-E", "-P", *flags, size.LIBRARY / "start.S", "-o", "start.s")
    for name in ("start", "k"):
        call("epiphany-elf-as", f"{name}.s", "-o", f"{name}.o")
    place = f"--defsym=epi_variables={size.DATA:#x}"
    call("epiphany-elf-ld", "-T", size.LIBRARY / "ecore.ld", place, "-e", "__start", "start.o", "k.o", "-o", "x")
    done = subprocess.run(
        ["epiphany-elf-run", "--environment", "virtual", *ONE, tmp_path / "x"], timeout=60, check=False
    )
    assert done.returncode == code
