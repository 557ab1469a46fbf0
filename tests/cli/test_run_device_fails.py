"""When a simulated device fails in the middle: what is said, with which exit code, and that nothing stays behind."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import ompls
from thinned import thinned
from waiting import LIMIT, until

ENDLESS = """\
#include <stdio.h>
int main(void)
{
    volatile int flag = 0;
    printf("before\\n");
    fflush(stdout);
#pragma omp target map(tofrom: flag)
    while (flag == 0) { }
    printf("after\\n");
    return 0;
}
"""
CONSTANT = """#include <stdio.h>
int main(void) {
    int x = 0;
#pragma omp target map(tofrom : x)
    { int *nowhere = 0;
      *nowhere = 7;
      x = 3; }
    printf("%d\\n", x);
    return 0;
}
"""
HUNGRY = """\
#include <stdlib.h>
int main(void)
{
    int n = 1 << 20;
    float *big = malloc(n * sizeof *big), *more = malloc(n * sizeof *more), few[10];
#pragma omp target data map(alloc: big[0:n], few)
    {
#pragma omp target enter data map(alloc: more[0:n])
    }
    return 0;
}
"""
# One of many deferred regions is wrong; the others are queued, run beside it, or wait for it.
QUEUED = """\
#include <stdio.h>
int main(void)
{
    static int a[64];
    int *null = 0;
    for (int i = 0; i < 200; i++) {
#pragma omp target nowait map(tofrom: a[i % 64 : 1]) depend(inout: a[i % 64]) firstprivate(i)
        { for (volatile int k = 0; k < 100000; k++); a[i % 64]++; }
        if (i == 50) {
#pragma omp target nowait is_device_ptr(null)
            null[5] = 1;
        }
    }
#pragma omp taskwait
    printf("not reached\\n");
    return 0;
}
"""


def _control_pages(process: int) -> set[str]:
    """The inodes of the pages that a program and its device processes share."""
    try:
        lines = Path(f"/proc/{process}/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    return {line.split()[4] for line in lines if "ompls-cudasim-control" in line}


def _devices(pages: set[str], program: int) -> list[int]:
    """Not the program, nor its child: that one starts the device and ends."""
    numbers = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [n for n in numbers if n != program and _control_pages(n) & pages and _parent(n) not in (-1, program)]


def _parent(process: int) -> int:
    """-1 when it is gone."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return -1


def _wait_for_device(program: int) -> tuple[set[str], int]:
    found = until(lambda: _devices(_control_pages(program), program))
    assert found, "no device process has been started"
    return _control_pages(program), found[0]


def _wait_for_kernel(program: int) -> tuple[set[str], int]:
    """The same once the kernel of ENDLESS runs: a device that is lost before is replaced by the host, for ever here."""
    pages, device = _wait_for_device(program)
    ticks = os.sysconf("SC_CLK_TCK")
    assert until(lambda: _processor_time(device) > ticks // 2), "no kernel runs"  # to start takes less
    return pages, device


def _processor_time(process: int) -> int:
    """In ticks; 0 when it is gone."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11])
    except OSError:
        return 0


def _build(tmp_path: Path, text: str) -> Path:
    source = tmp_path / "program.c"
    source.write_text(text)
    ompls("cc", "-fopenmp", "-fopenmp-targets=cudasim", source, "-o", "program", cwd=tmp_path).check_returncode()
    return tmp_path / "program"


def _start(tmp_path: Path, text: str, **env: str) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([_build(tmp_path, text)], text=True, cwd=tmp_path, env={**os.environ, **env}, **pipes)


@pytest.mark.thorough
def test_a_killed_device_ends_the_program_with_the_region(tmp_path: Path) -> None:
    program = _start(tmp_path, ENDLESS)
    _, device = _wait_for_kernel(program.pid)
    os.kill(device, signal.SIGKILL)
    out, err = program.communicate(timeout=LIMIT)
    assert (program.returncode, out) == (125, "before\n")
    assert re.match(
        r"\S*program.c:7: region on cudasim:0: the kernel failed: the device process was killed: .*; see", err
    )


PAUSED = """\
#include <stdio.h>
int main(void)
{
    int x = 1, n = 1 << 20;
    static int y[1 << 20];
#pragma omp target data map(tofrom: x)
    {
#pragma omp target map(tofrom: x)
        x += 10;
        printf("ready\\n");
        fflush(stdout);
        getchar();
#pragma omp target enter data map(to: y[0:n])
#pragma omp target map(tofrom: x)
        x *= 2;
#pragma omp target map(tofrom: x, y[0:n])
        x += 100, y[n - 1] = x;
#pragma omp target exit data map(from: y[0:n])
#pragma omp target map(tofrom: x) nowait
        x++;
#pragma omp taskwait
    }
    printf("%d %d\\n", x, y[n - 1]);
    return 0;
}
"""


LOST = [(how, policy) for how in (signal.SIGKILL, signal.SIGSTOP) for policy in ("default", "mandatory")]


@pytest.mark.parametrize(("how", "policy"), thinned(LOST, 4))
def test_a_device_that_is_lost_between_two_regions(tmp_path: Path, how: signal.Signals, policy: str) -> None:
    """Its memory is still there: the host goes on with that, unless only a device will do."""
    program = _start(tmp_path, PAUSED, OMP_TARGET_OFFLOAD=policy)
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    pages, device = _wait_for_device(program.pid)
    os.kill(device, how)
    out, err = program.communicate("\n", timeout=LIMIT)
    where = r"\S*program.c:14: region on cudasim:0: the "
    why = r"the device process was (killed: by a signal, or|stopped by a signal and)"
    if policy == "default":
        assert (program.returncode, out) == (0, "123 122\n")
        assert re.match(rf"ompls: warning: {where}device is lost: {why}", err)
    else:
        assert (program.returncode, out) == (125, "")
        assert re.match(rf"{where}kernel failed: {why}.*; see", err)
    assert (err.count("\n"), _devices(pages, program.pid)) == (1, [])


@pytest.mark.thorough
def test_a_device_that_is_stopped_in_a_kernel_ends_the_program(tmp_path: Path) -> None:
    program = _start(tmp_path, ENDLESS)
    pages, device = _wait_for_kernel(program.pid)
    os.kill(device, signal.SIGSTOP)
    out, err = program.communicate(timeout=LIMIT)
    assert (program.returncode, out) == (125, "before\n")
    assert re.match(r"\S*program.c:7: region on cudasim:0: the kernel failed: the device process was stopped", err)
    assert _devices(pages, program.pid) == []


@pytest.mark.thorough  # it takes the time that it is about
def test_a_device_that_goes_on_and_one_that_is_debugged_are_not_lost(tmp_path: Path) -> None:
    """The debugger ends the kernel: however slow the machine is, it still runs when the debugger comes."""
    loop = "while (flag == 0) { }"
    text = ENDLESS.replace(loop, f'{{ printf("%p\\n", (void *)&flag); {loop} }}')
    text = text.replace('printf("before', 'setbuf(stdout, 0);\n    printf("before')
    program = _start(tmp_path, text)
    _, device = _wait_for_kernel(program.pid)
    assert program.stdout is not None
    assert program.stdout.readline() == "before\n"
    flag = int(program.stdout.readline(), 16)
    for _ in range(3):
        os.kill(device, signal.SIGSTOP)
        time.sleep(0.3)
        os.kill(device, signal.SIGCONT)
        time.sleep(0.1)
    libc = ctypes.CDLL(None, use_errno=True)
    attach, detach = 16, 17  # <sys/ptrace.h>
    if libc.ptrace(attach, device, None, None) != 0:
        why_not = os.strerror(ctypes.get_errno())
        assert program.poll() is None
        program.kill()
        program.communicate(timeout=60)
        pytest.skip(f"ptrace: {why_not}: only that it goes on was tried")
    time.sleep(2.5)
    assert Path(f"/proc/{device}/stat").read_text().rpartition(")")[2].split()[0] == "t"
    with open(f"/proc/{device}/mem", "r+b", buffering=0) as memory:  # who debugs may write there
        memory.seek(flag)
        memory.write(b"\1")
    assert libc.ptrace(detach, device, None, None) == 0
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out, err) == (0, "after\n", "")


def test_the_deferred_region_that_loses_the_device_is_named_not_one_that_finds_it_lost(tmp_path: Path) -> None:
    program = _build(tmp_path, QUEUED)
    for _ in range(4):
        done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (125, "")
        assert re.fullmatch(
            r"\S*program.c:11: region on cudasim:0 wrote address 0x14 \(a null pointer: 'null'\), in kernel \w+ of the "
            r"region at \S*program.c:10\n",
            done.stderr,
        )


def test_a_constant_null_pointer_is_a_fault_as_any_other(process, tmp_path: Path) -> None:
    """As it is undefined, a compiler may leave out all that comes behind it."""
    path = tmp_path / "constant.c"
    path.write_text(CONSTANT)
    done = process("run", "--device", "cudasim", path)
    assert (done.code, done.out) == (125, "")
    assert re.match(r"\S*\bconstant\.c:6: region on cudasim:0 wrote address 0 \(a null pointer\)", done.err)


def test_a_program_that_is_ended_leaves_no_device(tmp_path: Path) -> None:
    program = subprocess.Popen([_build(tmp_path, ENDLESS)], stdout=subprocess.DEVNULL, cwd=tmp_path)
    pages, _ = _wait_for_device(program.pid)
    program.send_signal(signal.SIGTERM)
    assert program.wait(LIMIT) == -signal.SIGTERM
    assert until(lambda: not _devices(pages, program.pid))


def test_out_of_memory_says_what_holds_it(process, tmp_path: Path) -> None:
    path = tmp_path / "hungry.c"
    path.write_text(HUNGRY)
    done = process("run", "--device", "cudasim", path, env={"OMPLS_CUDASIM_MEMORY": "7"})
    assert done.code == 125
    assert re.match(
        r"\S*\bhungry\.c:8: region on cudasim:0: no device memory for 'more\[0:n\]' \(4194304 bytes\): out of "
        r"device memory: .* of 7340032 in use; mapped now: 'big\[0:n\]' 4194304 bytes, 'few' 40 bytes; map less",
        done.err,
    )
