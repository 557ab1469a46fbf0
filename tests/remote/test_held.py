"""What a device elsewhere has already comes from there, as long as it is the same, and never otherwise."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command import ompls
from thinned import thinned
from waiting import until

from .conftest import PROGRAMS, Built, disturbed, environment, left_behind, run

KINDS = ("delay", "drop", "reorder", "cut", "kill", "stop")
SEEDS = range(60) if "OMPLS_EXHAUSTIVE" in os.environ else range(0, 60, 5)
MIB = 1 << 20
DATA = 2 * MIB  # of programs/held.c
# What is done, and how often the program sends the data to how many devices, and gets them.
WAYS = [
    ("all", 2, 1, 0),
    ("all", 4, 1, 0),
    ("all", 8, 1, 0),
    ("twice", 4, 1, 0),
    ("host writes", 4, 4, 0),
    ("kernel writes", 3, 3, 0),
    ("chain", 3, 1, 6),
    ("chain, host writes", 3, 6, 6),
    ("update", 3, 1, 9),
    ("sections", 3, 1, 0),
]


def travelled(count: Path) -> tuple[float, float]:
    """How often the data went there, and back, and less than a tenth of it besides."""
    lines = [line.split() for line in count.read_text().splitlines()]
    return tuple(sum(int(line[place]) for line in lines) / DATA for place in (2, 4))  # type: ignore[return-value]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]} {way[1]}")
def test_what_one_device_has_another_one_gets_from_it(
    built: Built, tmp_path: Path, way: tuple[str, int, int, int]
) -> None:
    """It is the same however the program, a kernel or a neighbour changes it in between."""
    what, devices, there, back = way
    more = {"OMPLS_DEVICES": f"away:{devices}", "OMP_TARGET_OFFLOAD": "mandatory"}
    done = run(built("held", "away"), what, OMPLS_REMOTE_COUNT=str(tmp_path / "count"), **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{what}: 0 wrong\n", "")
    sent, got = travelled(tmp_path / "count")
    assert there <= sent < there + 0.1
    assert back <= got < back + 0.1


@pytest.mark.parametrize("device", ["away", "away(cudasim)"])
def test_threads_that_share_devices_get_what_is_theirs(built: Built, device: str) -> None:
    done = run(built("held", device), "threads", OMPLS_DEVICES=f"{device}:3", OMP_TARGET_OFFLOAD="mandatory")
    assert (done.returncode, done.stdout, done.stderr) == (0, "threads: 0 wrong\n", "")


@pytest.mark.parametrize("what", ["all", "chain", "update", "sections"])
def test_memory_of_a_device_inside_serves_as_well(built: Built, tmp_path: Path, what: str) -> None:
    """Its addresses are handles, and what is compared is copied out of it."""
    more = {"OMPLS_DEVICES": "away(cudasim):2", "OMPLS_REMOTE_COUNT": str(tmp_path / "count")}
    done = run(built("held", "away(cudasim)"), what, **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{what}: 0 wrong\n", "")
    assert 1 <= travelled(tmp_path / "count")[0] < 1.1


def test_reuse_can_be_refused(built: Built, tmp_path: Path) -> None:
    more = {"OMPLS_DEVICES": "away:3", "OMPLS_REMOTE_COUNT": str(tmp_path / "count")}
    done = run(built("held", "away"), "all", OMPLS_REMOTE_REUSE="no", **more)
    assert (done.returncode, done.stdout) == (0, "all: 0 wrong\n")
    assert 3 <= travelled(tmp_path / "count")[0] < 3.1


def test_what_is_kept_for_others_is_freed_when_memory_is_short(built: Built) -> None:
    """Of 128 MiB, 4 are kept in the meantime, and 125 are needed at once."""
    program, more = built("held", "away(cudasim)"), {"OMPLS_CUDASIM_MEMORY": "128", "OMP_TARGET_OFFLOAD": "mandatory"}
    done = run(program, "memory", OMPLS_DEVICES="away(cudasim):2", **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, "memory: 0 wrong\n", "")


def test_the_preview_says_that_it_may_come_from_elsewhere() -> None:
    sentence = "Of several devices, what one has already (1,048,576 bytes or more) comes from there."
    for program, said in (("held", 1), ("few", 0)):
        done = ompls("preview", "--device", "away", "--resources", PROGRAMS / f"{program}.c", env=environment())
        assert (done.returncode, done.stderr.count(sentence)) == (0, said)


def test_one_device_alone_is_sent_everything(built: Built, tmp_path: Path) -> None:
    done = run(built("held", "away"), "twice", OMPLS_DEVICES="away:1", OMPLS_REMOTE_COUNT=str(tmp_path / "count"))
    assert (done.returncode, done.stdout) == (0, "twice: 0 wrong\n")
    assert 2 <= travelled(tmp_path / "count")[0] < 2.1


@pytest.mark.parametrize("seed", thinned(SEEDS, 5, of_rest=3))
def test_a_bad_line_does_not_make_it_wrong(built: Built, seed: int) -> None:
    """No hang, no wrong result, nothing left behind, whichever of the devices has the fault."""
    kind, mark = KINDS[seed % len(KINDS)], f"held{seed}-{os.getpid()}"
    more = {"OMPLS_DEVICES": "away:3", "OMP_TARGET_OFFLOAD": "mandatory"}
    what = ("all", "update", "chain")[seed // len(KINDS) % 3]
    done = run(built("held", "away"), what, AWAY_COMMAND=disturbed(seed, kind), AWAY_MARK=mark, **more)
    if kind == "delay" or done.returncode == 0:
        assert (done.returncode, done.stdout) == (0, f"{what}: 0 wrong\n"), done.stderr
    else:
        assert (done.returncode, done.stdout) == (125, ""), done.stderr
        assert "pipe" in done.stderr
    assert until(lambda: not left_behind(mark))
