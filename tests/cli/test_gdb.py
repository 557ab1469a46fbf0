"""`ompls run --gdb`, and programs built with -g: gdb stops in kernels and shows the user's lines and variables."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import until

if TYPE_CHECKING:
    from conftest import Done

needs_gdb = pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed: apt-get install gdb")

PROGRAM = """\
#include <signal.h>
#include <stdio.h>
static double scale(double x, int by)
{
    double scaled = x * by;
    return scaled;
}

int main(int argc, char **argv)
{
    int n = 8, factor = argc + 2;
    double a[8], b[8];
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp target teams distribute parallel for map(to: a) map(from: b[0:n])
    for (int i = 0; i < n; i++) {
        double twice = 2 * a[i];
        b[i] = scale(twice, factor);
    }
    printf("%g\\n", b[7]);
    if (argc > 2) raise(SIGKILL);
    return 0;
}
"""
# Gives the program's output last: stdio is flushed when it ends.
COMMANDS = """\
break program.c:17 if i == 3
run
backtrace 1
print i
print n
print factor
print twice
print a[3]
info source
break scale
continue
print by
delete
break program.c:19
continue
print b[3]
continue
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In a directory with a file for gdb that nobody asks for, though the user trusts all directories."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".gdbinit").write_text("shell touch was-loaded\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gdbinit").write_text("add-auto-load-safe-path /\n")
    path = tmp_path / "program.c"
    path.write_text(PROGRAM)
    return path


def values(said: str) -> list[str]:
    return re.findall(r"\$\d+ = (\S+)", said)


@needs_gdb
@pytest.mark.parametrize("device", ["cudasim", "host"])
@pytest.mark.thorough
def test_gdb_stops_in_a_kernel_with_the_users_variables(
    device: str, program: Path, process: Callable[..., Done], tmp_path: Path
) -> None:
    plain = {"OMP_NUM_THREADS": "1", "HOME": str(tmp_path / "home"), "DEBUGINFOD_URLS": ""}
    done = process("run", "--gdb", "--device", device, "program.c", "--", "x", env=plain, stdin=COMMANDS)
    assert values(done.out) == ["3", "8", "4", "6", "3", "4", "24"], done.out + done.err
    assert re.search(r"program\.c:17\n17\s+b\[i\] = scale\(twice, factor\);", done.out)
    assert f"Located in {program}\n" in done.out
    assert "\n56\n" in done.out
    assert not (tmp_path / "was-loaded").exists()


@needs_gdb
def test_a_program_of_cc_keeps_its_image_in_a_file_as_long_as_it_runs(
    program: Path, process: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is compiled in another directory than it is linked in, and linked without -g, as gcc allows."""
    source, temporary = tmp_path / "source", tmp_path / "temporary"
    source.mkdir()
    temporary.mkdir()
    program.rename(source / "program.c")
    monkeypatch.chdir(source)
    assert process("cc", "-g", "-fopenmp", "-fopenmp-targets=cudasim", "-c", "program.c", "-o", "program.o").code == 0
    monkeypatch.chdir(tmp_path)
    assert process("cc", "-fopenmp", "-fopenmp-targets=cudasim", "source/program.o", "-o", "program").code == 0
    monkeypatch.setenv("TMPDIR", str(temporary))
    words = ["set breakpoint pending on", "set follow-fork-mode child", "break program.c:17", "run", "print a[7]"]
    words += ["info source", "info inferiors"]
    command = ["gdb", "-nx", "-batch", *(x for word in words for x in ("-ex", word)), "./program"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout
    assert values(said) == ["7"], said
    assert f"Located in {source}/program.c\n" in said
    assert f"{temporary}/ompls-g_" in said
    for left in temporary.iterdir():  # gdb has killed its processes: a later build removes it
        shutil.rmtree(left)
    assert subprocess.run(["./program"], check=True, capture_output=True, timeout=60).stdout == b"42\n"
    assert list(temporary.iterdir()) == []
    killed = subprocess.run(["./program", "x", "y"], check=False, capture_output=True, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert until(lambda: not list(temporary.iterdir())), "the device process removes its image at the end"


def test_what_gdb_cannot_do_is_said(
    program: Path, ompls: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = ompls("run", "--gdb", "--device", "host,cuda:2", program)
    assert done.code == 125
    assert "gdb cannot stop in kernels of 'cuda'; choose one of cudasim, host" in done.err
    done = ompls("run", "--gdb", "--check", program)
    assert (done.code, "leave one of them out" in done.err) == (125, True)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = ompls("run", "--gdb", program)
    assert done.code == 125
    assert "it is not installed; install it: apt-get install gdb" in done.err
