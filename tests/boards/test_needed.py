"""Which C library a program is said to need."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ompls.runtime.boards.needed import newest_libc, refuse_newer, refuse_other
from ompls.runtime.errors import RuntimeProblem

TEXT = '#include <stdio.h>\nconst char *said = "GLIBC_9.9";\nint main(void) { return puts(said) < 0; }\n'


def compiled(output: Path, text: str, *flags: str) -> Path:
    """A program of that text."""
    subprocess.run(["gcc", "-x", "c", "-", "-x", "none", *flags, "-o", output], input=text, text=True, check=True)
    return output


def told(program: Path) -> tuple[int, ...]:
    """As binutils read it."""
    done = subprocess.run(["readelf", "-W", "-V", program], capture_output=True, text=True, check=True)
    needs = done.stdout.partition(".gnu.version_r")[2]
    found = [tuple(map(int, text.split("."))) for text in re.findall(r"Name: GLIBC_([0-9.]+)\s", needs)]
    return max(found)


def test_what_the_loader_asks_for_counts_and_no_text(tmp_path: Path) -> None:
    program = compiled(tmp_path / "program", TEXT)
    assert newest_libc(program) == told(program) > ()
    refuse_newer(program, {"libc": "glibc " + ".".join(map(str, told(program)))}, "it")
    with pytest.raises(RuntimeProblem, match=r"it needs glibc [0-9.]+, and the board has 2\.1"):
        refuse_newer(program, {"libc": "glibc 2.1"}, "it")


def test_programs_of_32_bits_are_read(tmp_path: Path) -> None:
    """Without the C library of that size, which is seldom there: what it needs is said by a script of versions."""
    (tmp_path / "map").write_text("GLIBC_2.7 { global: answer; };\n")
    flags = ("-m32", "-shared", "-nostdlib", "-ffreestanding", "-fPIC")
    library = tmp_path / "liba.so"
    compiled(library, "int answer(void) { return 1; }", *flags, f"-Wl,--version-script={tmp_path}/map")
    using = compiled(tmp_path / "using.so", "int answer(void); int f(void) { return answer(); }", *flags, str(library))
    assert newest_libc(using) == (2, 7)


def test_what_is_inside_counts_too(tmp_path: Path) -> None:
    inner = compiled(tmp_path / "inner", TEXT)
    around = f'__asm__(".section .rodata\\n.incbin \\"{inner}\\"\\n.previous"); int f(void) {{ return 0; }}'
    outer = compiled(tmp_path / "outer.so", around, "-shared", "-nostdlib", "-fPIC")
    assert newest_libc(outer) == told(inner)
    assert newest_libc(compiled(tmp_path / "none.so", "int f(void) { return 0; }", "-shared", "-nostdlib")) == ()


def test_damaged_files_need_nothing_or_what_can_be_read(tmp_path: Path) -> None:
    whole, part = compiled(tmp_path / "program", TEXT).read_bytes(), tmp_path / "part"
    for length in [*range(0, 1200, 7), *range(1200, len(whole), 509)]:
        part.write_bytes(whole[:length])
        newest_libc(part)
    for at in range(0, 1200, 3):
        part.write_bytes(whole[:at] + bytes([255 - whole[at]]) + whole[at + 1 :])
        newest_libc(part)


@pytest.mark.parametrize(
    ("kind", "board", "fits"),
    [
        (183, "aarch64", True),
        (183, "x86_64", False),
        (62, "aarch64", False),
        (40, "armv7l", True),
        (40, "aarch64", True),  # in its 32-bit mode
        (243, "aarch64", True),  # who knows
        (62, "", True),
    ],
)
def test_a_program_for_another_machine_is_refused(kind: int, board: str, fits: bool, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF\2\1\1" + bytes(11) + kind.to_bytes(2, "little") + bytes(40))
    facts = {"architecture": board}
    if fits:
        refuse_other(program, facts, "program")
        return
    with pytest.raises(RuntimeProblem, match=f"and the board is {board}; build it with --target-arch {board}"):
        refuse_other(program, facts, "program")
