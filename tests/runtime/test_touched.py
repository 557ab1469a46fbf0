"""What a fault in the program's own process says: memory of a device that the host touches, or in a kernel."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from command import ompls

SOURCE = Path(__file__).with_name("touched.c")
NULL = r"\(a null pointer: 'p'\), in kernel "
FAR = r"device address 0x\w+, memory of cudasim:0"
UNREACHABLE = r": the host cannot reach it; use the variable itself with `target update`"
MAPPED = r"is mapped as memory of the host, but its address 0x\w+ is memory of cudasim:0; map memory of the host"
ABSENT = r"'absent' .* not present: "
# (what is done, the device, the exit code, the text of the line that is named, what is said of it)
CASES = [
    ("null", "host", 125, "r = p[2]", rf"region on host:0 read address 0x8 {NULL}\w+ of the region"),
    ("null", "cudasim", 125, "r = p[2]", rf"region on cudasim:0 read address 0x8 {NULL}"),
    ("chain", "host", 125, "last.next->", r"region on host:0 read address 0x8 \(a null pointer\), in kernel "),
    ("team", "host", 125, "r = p[4]", rf"region on host:0 read address 0x10 {NULL}"),
    ("trap", "host", 125, "__builtin_trap", r"region on host:0 came to a trap: __builtin_trap\(\)[^\n]*, in kernel "),
    ("divide", "host", 125, "r = 7 / q", r"region on host:0 divided by zero[^\n]*, in kernel "),
    ("own-trap", "host", -signal.SIGILL, "", ""),
    ("own-divide", "host", -signal.SIGFPE, "", ""),
    ("outside", "host", -signal.SIGSEGV, "", ""),
    ("stack", "host", -signal.SIGSEGV, "", ""),
    ("exit-touch", "cudasim", 125, "tofrom : absent", rf"region on cudasim:0: {ABSENT}"),
    ("exit-launch", "cudasim", 125, "tofrom : absent", rf"region on cudasim:0: {ABSENT}"),
    ("exit-again", "host", 125, "tofrom : absent", rf"region on host:0: {ABSENT}"),
    ("exit-again", "cudasim", 125, "tofrom : absent", rf"region on cudasim:0: {ABSENT}"),
    ("exit-join", "host", 125, "tofrom : absent", rf"region on host:0: {ABSENT}[^\n]*\njoined"),
    ("exit-join", "cudasim", 125, "tofrom : absent", rf"region on cudasim:0: {ABSENT}[^\n]*\njoined"),
    ("alloc", "host", 0, "", ""),
    ("alloc", "cudasim", 125, "d[3] = 1", rf"the host wrote {FAR} \(of omp_target_alloc, .*\){UNREACHABLE}"),
    ("free", "cudasim", 125, "free(d)", rf"the host read {FAR} \(of omp_target_alloc, .*\){UNREACHABLE}"),
    ("copy", "cudasim", 125, "r = v[2]", rf"the host read {FAR} \('v' there, byte 8\){UNREACHABLE}"),
    ("handler-before", "cudasim", 7, "", ""),
    ("handler-after", "cudasim", 7, "", ""),
    ("mapped", "cudasim", 125, "map(tofrom : d[", rf"region on cudasim:0: 'd\[0:10\]' {MAPPED}"),
    ("mapped-copy", "cudasim", 125, "map(to : v) map(from", rf"region on cudasim:0: 'v' {MAPPED}"),
    ("neighbour", "cudasim", 125, "r = g[n]", r"region on cudasim:0 read device address 0x\w+ \(variable 'g\[0:n\]', "),
]  # fmt: skip
FIXED = ("copy",)  # of these also where the program was linked with -no-pie


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("touched")
    for words in (["-c", SOURCE, "-o", "it.o"], ["it.o", "-o", "program"], ["-no-pie", "it.o", "-o", "fixed"]):
        done = ompls("cc", "-g1", "-fopenmp", "-fopenmp-targets=host,cudasim", *words, cwd=made)
        assert (done.returncode, done.stderr) == (0, "")
    return made


@pytest.mark.parametrize(
    ("linked", "name", "device", "code", "text", "said"),
    [*(("program", *case) for case in CASES), *(("fixed", *case) for case in CASES if case[0] in FIXED)],
)
def test_the_variable_the_line_and_what_to_do(  # noqa: PLR0917 - one row of the table
    program: Path, linked: str, name: str, device: str, code: int, text: str, said: str
) -> None:
    lines = SOURCE.read_text().splitlines()
    environment = {**os.environ, "OMPLS_DEVICES": device}
    done = subprocess.run(
        [program / linked, name], capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert done.returncode == code, done.stderr
    line = next(k for k, of in enumerate(lines, 1) if text in of)
    expected = rf"\S*touched\.c:{line}: {said}[^\n]*\n" if said else ""
    assert re.fullmatch(expected, done.stderr), done.stderr
