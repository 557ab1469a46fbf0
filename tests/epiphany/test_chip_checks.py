"""`run --check`: a board that is not kinder than the chip refuses what the order of its writes lets pass here."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import command
import pytest
from thinned import thinned

from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)
EXAMPLES = Path(__file__).resolve().parents[2] / "examples/epiphany"
PROGRAMS = [*sorted((Path(__file__).resolve().parent / "programs").glob("*.c")), EXAMPLES / "mesh.c"]

# In a team of two: what each of them does, and what they share.
TEXT = """\
#include <omp.h>
int main(void)
{
    int data = 0, flag = 0, seen = 0, bytes[4] = {0};
    char letters[8] = {0};
#pragma omp target map(tofrom: data, flag, seen, bytes, letters)
    {
        int *boxes[2] = {0};
#pragma omp parallel num_threads(2)
        {
            int me = omp_get_thread_num(), box[200], now = 0;
            boxes[me] = box;
#pragma omp barrier
            if (omp_get_num_threads() == 2 && me == 0) {
                FIRST;
            } else if (me == 1) {
                SECOND;
            }
            (void)now;
#pragma omp barrier
            if (me == 1) seen += box[1] * 0;
        }
    }
    (void)letters, (void)bytes;
    return 0;
}
"""
WRONG = {
    "a flag before its data": (
        "data = 7;\n*(volatile int *)&flag = 1",
        "while (*(volatile int *)&flag == 0)\n;\nseen = data",
        ("'data' (byte 0): core 1 reads what core 0 has written", 2),
    ),
    "an atomic flag before its data": (
        "data = 7;\n_Pragma(\"omp atomic write\")\nflag = 1",
        "do\n_Pragma(\"omp atomic read\")\nnow = flag;\nwhile (now == 0);\nseen = data",
        ("'data' (byte 0): core 1 reads what core 0 has written", 1),
    ),
    "a core that clears what its neighbour writes": (
        "boxes[1][2] = 5",
        "for (int i = 0; i < 4; i++) box[i] = 0",
        ("overwrites what core", 1),
    ),
    "the same by a function of the library": (
        "boxes[1][2] = 5",
        "__builtin_memset(box, 0, sizeof box)",
        ("overwrites what core", 1),
    ),
    "a write behind a read that nothing orders": (
        "seen = data;\n_Pragma(\"omp atomic write\")\nflag = 1",
        "do\n_Pragma(\"omp atomic read\")\nnow = flag;\nwhile (now == 0);\ndata = 7",
        ("'data' (byte 0): core 1 writes what core 0 reads", 1),
    ),
    "a sum without an atomic": ("bytes[2]++", "bytes[2]++", ("'bytes' (byte 8)", 2)),
}  # fmt: skip
RIGHT = {
    "a flush before the flag": (
        "data = 7;\n_Pragma(\"omp flush\")\n_Pragma(\"omp atomic write\")\nflag = 1",
        "do\n_Pragma(\"omp atomic read\")\nnow = flag;\nwhile (now == 0);\n_Pragma(\"omp flush\")\nseen = data",
    ),
    "a flag that releases": (
        "data = 7;\n_Pragma(\"omp atomic write release\")\nflag = 1",
        "do\n_Pragma(\"omp atomic read acquire\")\nnow = flag;\nwhile (now == 0);\nseen = data",
    ),
    "a critical section": (
        "_Pragma(\"omp critical\")\ndata++",
        "_Pragma(\"omp critical\")\ndata++",
    ),
    "a lock": (
        "static omp_lock_t l;\nomp_set_lock(&l);\ndata++;\nomp_unset_lock(&l)",
        "data += 0 * now",
    ),
    "a critical section with a name": (
        "_Pragma(\"omp critical(one)\")\ndata++",
        "_Pragma(\"omp critical(one)\")\ndata++",
    ),
    "the counters of a taskgroup": (
        "_Pragma(\"omp taskgroup\")\n_Pragma(\"omp task\")\ndata++",
        "(void)now",
    ),
    "a critical section in a region inside": (
        "_Pragma(\"omp parallel num_threads(2)\")\n_Pragma(\"omp critical\")\nboxes[1][3] = 5",
        "(void)now",
    ),
    "bytes beside each other": ("letters[0] = 1", "letters[1] = 2"),
    "what a barrier orders": (
        "boxes[1][2] = 5;\n_Pragma(\"omp flush\")",
        "seen = 1",
    ),
}  # fmt: skip


_BYTE = re.compile(r"(?<=\(byte )\d+(?=\))")


def _first_of_word(byte: re.Match[str]) -> str:
    """The first byte of a word may be read before the other core writes it, and the next one behind that."""
    return str(int(byte[0]) // 4 * 4)


def checked(program: Path, code: int) -> str:
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory", "OMPLS_EPIPHANY_DEADLINE": "50"}
    done = command.ompls("run", "--check", "--device", "epiphany", "--timeout", "60", "-lm", program, env=environment)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stderr if code else done.stderr + done.stdout


def made(directory: Path, first: str, second: str) -> Path:
    source = directory / "x.c"
    source.write_text(TEXT.replace("FIRST", first).replace("SECOND", second))
    return source


@pytest.mark.parametrize("what", thinned(WRONG, 2))
def test_what_need_not_have_arrived_is_found(what: str, tmp_path: Path) -> None:
    first, second, (message, number) = WRONG[what]
    source = made(tmp_path, first, second)
    how = "reads" if " writes what" in message else "has written"  # a word that is waited for may have both
    for _ in range(8):  # a read that has just begun when the other core writes is not seen: another run sees it
        told = checked(source, 1)
        assert message in _BYTE.sub(_first_of_word, told)
        found = re.findall(rf"x\.c:\d+: region on epiphany:0: error: data race on .* {how} at x\.c:\d+", told)
        if len(found) == number:
            break
    assert len(found) == number, told


@pytest.mark.parametrize("what", thinned(RIGHT, 3, of_rest=2))
def test_what_is_ordered_is_not(what: str, tmp_path: Path) -> None:
    assert checked(made(tmp_path, *RIGHT[what]), 0) == ""


@pytest.mark.parametrize("program", thinned(PROGRAMS, 7, of_rest=3), ids=lambda path: path.stem)
def test_the_run_time_orders_what_it_says(program: Path, tmp_path: Path) -> None:
    """Its own words are followed, too: nothing of it is read before it is there."""
    subprocess.run(["gcc", "-fopenmp", "-foffload=disable", "-w", program, "-o", tmp_path / "x", "-lm"], check=True)
    native = subprocess.run([tmp_path / "x"], capture_output=True, text=True, check=True).stdout
    assert checked(program, 0) == native


BARRIERS = """\
#include <omp.h>
int main(void)
{
    int cores = 0;
#pragma omp target map(from: cores)
#pragma omp parallel num_threads(16)
    {
        for (int i = 0; i < NUMBER; i++) {
#pragma omp barrier
        }
        if (omp_get_thread_num() == 0) cores = omp_get_num_threads();
    }
    return cores != 16;
}
"""


def counted(directory: Path, text: str) -> list[int]:
    """What a program's kernels wrote to other cores: all, and how many one after the other."""
    source = directory / "counted.c"
    source.write_text(text)
    environment = {**os.environ, "OMPLS_EPIPHANY_COUNT": "1", "OMPLS_EPIPHANY_DEADLINE": "50"}
    done = command.ompls("run", "--check", "--device", "epiphany", "--timeout", "60", source, env=environment)
    assert done.returncode == 0, done.stderr
    return [int(word) for word in re.findall(r"\d+", done.stderr)][:2]


def test_a_barrier_of_16_waits_for_four_writes(tmp_path: Path) -> None:
    """All that it takes is what a kernel with more barriers has more."""
    (all_few, long_few), (all_more, long_more) = (
        counted(tmp_path, BARRIERS.replace("NUMBER", str(number))) for number in (10, 30)
    )
    assert all_more - all_few == 20 * 64
    assert long_more - long_few <= 20 * 4


WAITING = """\
#include <omp.h>
int main(void)
{
    int sum = 0;
#pragma omp target map(tofrom: sum)
#pragma omp parallel num_threads(8)
    {
#pragma omp critical
        {
            sum++;
            for (volatile int i = 0; i < LENGTH; i++) continue;
        }
    }
    return sum != 8;
}
"""


def test_a_look_at_a_lock_that_is_held_writes_nothing(tmp_path: Path) -> None:
    """TESTSET leaves a word alone that is not zero, so to wait for long costs no more writes than not to wait."""
    short, long = (counted(tmp_path, WAITING.replace("LENGTH", length))[0] for length in ("1", "30000"))
    assert short == long
