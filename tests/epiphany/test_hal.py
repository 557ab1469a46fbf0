"""A real board through the SDK's library: what is asked of it, in which order, and what is said where it fails.

The library is one of the tests' own (fake_hal.c): nothing here was tried on a board.  Where the chip's compiler is not
there, this machine's takes its place: what it makes is loaded, and not run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import command
import pytest
import sources

from ompls.devices.epiphany.module import size
from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)
HERE = Path(__file__).resolve().parent

TEXT = """\
#include <stdio.h>
int main(void)
{
    int a = 40, b = 1;
    for (int i = 0; i < 2; i++) {
#pragma omp target map(tofrom: a)
        a++;
    }
#pragma omp target map(tofrom: b)
    b++;
    printf("%d %d\\n", a, b);
    return 0;
}
"""


FLAGS = "-m32 -msse2 -mfpmath=sse -malign-double -fno-pie -fleading-underscore"
COMPILER = f"""\
#!/bin/sh
case "$*" in
*-print-prog-name=cc1*) echo "${{0%/*}}/cc1"; exit ;;
*start.S*) cp "${{0%/*}}/start.s" "$0.$$.s" ;;
esac
for word; do
    shift
    case $word in
    -l* | *-group) ;;
    *start.S) set -- "$@" "$0.$$.s" ;;
    *) set -- "$@" "$word" ;;
    esac
done
exec gcc {FLAGS} -no-pie "$@"
"""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> str:
    """PATH with a compiler for the chip."""
    path = os.environ["PATH"]
    if size.measure().prefix is not None:
        return path
    place = tmp_path_factory.mktemp("tools")
    for name, text in (
        ("start.s", '.section .vectors, "ax"\n.globl __start\n__start: ret\n.section .note.GNU-stack, ""\n'),
        ("epiphany-elf-gcc", COMPILER),
        ("cc1", f'#!/bin/sh\nexec "$(gcc -print-prog-name=cc1)" {FLAGS} "$@"\n'),
    ):
        (place / name).write_text(text)
        (place / name).chmod(0o700)
    return f"{place}:{path}"


@pytest.fixture(scope="module")
def library(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    words = ["gcc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-pthread"]
    return once("libe-hal.so", lambda made: subprocess.run([*words, HERE / "fake_hal.c", "-o", made], check=True))


def run(
    library: Path, tools: str, directory: Path, how: str = "", text: str = TEXT
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """What the program says, and the calls of the library."""
    log = directory / "log"
    environment = {
        **os.environ, "PATH": tools, "OMPLS_EPIPHANY_HAL": str(library), "FAKE_HAL": how, "FAKE_HAL_LOG": str(log),
        "OMP_TARGET_OFFLOAD": "mandatory", "OMPLS_EPIPHANY_DEADLINE": "2" if how == "hang" else "50",
    }  # fmt: skip
    done = command.ompls("run", "--device", "epiphany", "--timeout", "60", sources.kept(text), env=environment)
    return done, log.read_text().split() if log.exists() else []


def test_kernels_run_on_the_board(library: Path, tools: str, tmp_path: Path) -> None:
    """A core gets a kernel's program once, and another one after a reset; what was opened is closed."""
    done, calls = run(library, tools, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "42 2\n", "")
    assert calls[:4] == ["e_init", "e_reset_system", "e_alloc", "e_open"]
    assert calls[-2:] == ["e_free", "e_finalize"]
    assert (calls.count("e_open"), calls.count("e_close")) == (16, 16)
    assert calls.count("e_start") == 2
    assert calls[calls.index("e_start") + 1 :].count("e_reset_group") == 1 + 16


TWO_KERNELS = """\
#include <unistd.h>
int main(void)
{
    int a = 0, b = 0;
#pragma omp target map(tofrom: a) nowait
    a++;
    usleep(100000);
#pragma omp target map(tofrom: b) nowait
    b++;
#pragma omp taskwait
    return a + b - 2;
}
"""


def test_no_core_of_a_team_is_taken_before_all_have_left(library: Path, tools: str, tmp_path: Path) -> None:
    """The first of two kernels has all cores; the second one gets one, anew, when nobody touches its memory."""
    done, calls = run(library, tools, tmp_path, "team", TWO_KERNELS)
    assert (done.returncode, done.stderr) == (0, "")
    assert "too_early" not in calls
    assert calls.count("e_start") >= 16


@pytest.mark.parametrize("call", ["e_init", "e_reset_system", "e_alloc", "e_open", "e_write"])
def test_a_board_that_is_not_there_is_told(library: Path, tools: str, tmp_path: Path, call: str) -> None:
    done, calls = run(library, tools, tmp_path, call)
    assert done.returncode == 125
    assert f"{library}: {call}; see whether the board is there" in done.stderr
    assert calls[-1] == "e_finalize"


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("fault", "core 0 has failed, or could not be started"),
        ("e_start", "core 0 has failed, or could not be started"),
        ("hang", "did not end within 2 seconds; its cores were reset"),
    ],
)
def test_a_core_that_fails_is_told_and_reset(library: Path, tools: str, tmp_path: Path, how: str, why: str) -> None:
    done, calls = run(library, tools, tmp_path, how)
    assert done.returncode == 125
    assert why in done.stderr
    assert "emulated" not in done.stderr
    assert "e_reset_group" in calls[calls.index("e_start") :]


def test_a_library_without_the_calls_is_refused(tools: str, tmp_path: Path) -> None:
    other = tmp_path / "libother.so"
    subprocess.run(["gcc", "-shared", "-o", other, "-x", "c", os.devnull], check=True)
    done, _ = run(other, tools, tmp_path)
    assert f"{other} has no e_init" in done.stderr
    done, _ = run(tmp_path / "none.so", tools, tmp_path)
    assert "let OMPLS_EPIPHANY_HAL name the SDK's libe-hal.so" in done.stderr


VARIABLES = """\
#include <omp.h>
#pragma omp declare target
int all = 7;
#pragma omp end declare target
int main(void)
{
    int a = 0, b = 0;
#pragma omp target map(tofrom: a)
    {
        static int n = 4111;
#pragma omp critical(one)
        a += n++;
    }
#pragma omp target map(tofrom: b)
    {
        static int n = 4222;
        b += n++ + omp_get_device_num() + all;
    }
#pragma omp target update from(all)
    return a + b - 2 + all - 7;
}
"""


def test_kernels_have_variables(library: Path, tools: str, tmp_path: Path) -> None:
    """Each its own, behind the words that they share, with their first values."""
    done, calls = run(library, tools, tmp_path, "variables", VARIABLES)
    assert (done.returncode, done.stderr) == (0, "")
    assert {"variable=4111", "variable=4222"} <= set(calls)


def test_without_the_chips_compiler_there_is_nothing_to_load(library: Path, tmp_path: Path) -> None:
    places = [x for x in os.environ["PATH"].split(os.pathsep) if not os.access(f"{x}/epiphany-elf-gcc", os.X_OK)]
    done, _ = run(library, os.pathsep.join(places), tmp_path)
    assert done.returncode == 125
    assert "was built without the chip's compiler" in done.stderr
