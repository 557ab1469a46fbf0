"""A device at the other end of a line: results, errors, output, and what a bad line does to them."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from command import ompls
from thinned import thinned
from waiting import LIMIT, until

from ompls.analysis.spec.near import near as near_names
from ompls.devices.remote.near import Line, Near

from .conftest import PROGRAMS, Built, disturbed, environment, far_side, left_behind, run

KINDS = ("delay", "drop", "reorder", "cut", "kill", "stop")
LINE = "pipe0"
# Each takes seconds of waiting: `make test-cluster` tries all.
SEEDS = range(126) if "OMPLS_EXHAUSTIVE" in os.environ else range(0, 126, 5)


@pytest.mark.parametrize("device", ["away", "away(cudasim)"])
def test_everything_is_as_on_the_host(built: Built, expected: str, device: str) -> None:
    done = run(built("everything", device))
    assert (done.returncode, done.stdout, done.stderr) == (7, expected, "")


@pytest.mark.parametrize("device", ["away", "away(cudasim)"])
def test_a_part_of_an_array_is_where_the_kernel_looks_for_it(built: Built, device: str) -> None:
    """The address of its first element lies before the memory that a handle is for."""
    half = [i % 7 for i in range(15000, 30000)]
    done = run(built("halves", device))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{sum(half)} {2 * sum(half[:100])}\n", "")


def test_large_items_lie_as_they_do_on_the_host(built: Built) -> None:
    """Within a line of the processor's cache: so it copies them a half faster."""
    done = run(built("alike", "away"), OMPLS_DEVICES="away:1", OMP_TARGET_OFFLOAD="mandatory")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 lie otherwise, 0 wrong\n", "")


def test_what_travels_is_what_is_told_before(built: Built, tmp_path: Path) -> None:
    """The second execution of each region of traffic.c sends what the preview says."""
    told = ompls("preview", "--device", "away", "--resources", "--json", PROGRAMS / "traffic.c", env=environment())
    regions = json.loads(told.stdout)["regions"]
    assert [tuple(regions[f"main_{k}"].values()) for k in range(4)] == [
        (6, 1600016), (2, 10624), (6, 160000), (2, 0),
    ]  # fmt: skip
    assert "main_4" not in regions
    counts = []
    for times in ("1", "2"):
        log = tmp_path / times
        command = f"{sys.executable} {Path(__file__).parent / 'counted.py'} {log}"
        assert run(built("traffic", "away"), times, AWAY_COMMAND=command).returncode == 0
        counts.append(len(log.read_text().splitlines()))
    of_main_4 = 2
    assert counts[1] - counts[0] == sum(r["messages"] for r in regions.values()) + of_main_4


def test_what_travelled_is_counted(built: Built, tmp_path: Path) -> None:
    """As something in between counts it."""
    command = f"{sys.executable} {Path(__file__).parent / 'counted.py'} {tmp_path / 'log'}"
    done = run(built("everything", "away"), AWAY_COMMAND=command, OMPLS_REMOTE_COUNT=str(tmp_path / "count"))
    assert done.returncode == 7
    lines = (tmp_path / "log").read_text().splitlines()
    ways = [[int(line[1:]) for line in lines if line.startswith(way)] for way in "+-"]
    name, *numbers = (tmp_path / "count").read_text().split()
    assert (name, [int(n) for n in numbers]) == ("away:0", [f(way) for way in ways for f in (len, sum)])


def test_two_far_sides_are_two_devices(built: Built, expected: str) -> None:
    done = run(built("everything", "away"), OMPLS_DEVICES="away:2")
    assert (done.returncode, done.stdout) == (7, 2 * expected)


@pytest.mark.parametrize("names", thinned(["away(cudasim),cudasim,host,away", "host,away", "away,host"], 2))
def test_devices_are_numbered_as_they_were_named(built: Built, names: str) -> None:
    """Wherever they are, and in whatever language their modules are: at the link, or when the program runs."""
    backwards = ",".join(reversed(names.split(",")))
    for more in ({}, {"OMPLS_DEVICES": backwards}):
        done = run(built("order", names), OMP_TARGET_OFFLOAD="mandatory", **more)
        asked = more.get("OMPLS_DEVICES", names).split(",")
        numbered = "".join(f"{name}:0 " for name in asked) + f"{len(asked)}\n"
        assert (done.returncode, done.stdout, done.stderr) == (0, numbered, "")
    done = run(built("order", "away,host"), OMPLS_DEVICES="host,away:2")
    assert (done.stdout, done.stderr) == ("host:0 away:0 away:1 3\n", "")


MISSPELT = ["awy", "yaaw", "aawy", "hots", "host1", "h", "a", "away(cudasm)", "awey(cudasmi)", "nothing", "cudasi"]


@pytest.mark.parametrize("name", [*MISSPELT, "x" * 70])
def test_a_misspelt_device_is_told_with_the_one_that_is_meant(built: Built, name: str) -> None:
    """As `ompls check --device` tells it; also those in Python, which are in no program that does not want them."""
    names = "away(cudasim),cudasim,host,away"
    done = run(built("order", names), OMPLS_DEVICES=name)
    meant = [f"did you mean '{near}'?" for near in near_names(name, names.split(","))]
    step = (*meant, "build it with that device or choose another")[0]
    told = f"this program has no device '{name}' that can be used (it has: {names.replace(',', ', ')}); {step}\n"
    assert (done.returncode, done.stderr) == (125, f"ompls: error: OMPLS_DEVICES: {told}")


@pytest.mark.parametrize("seed", thinned(SEEDS, 5, of_rest=4))
def test_a_bad_line_is_told_or_does_not_matter(built: Built, expected: str, seed: int) -> None:
    """No hang, no wrong result, nothing left behind."""
    kind, mark = KINDS[seed % len(KINDS)], f"bad{seed}-{os.getpid()}"
    program = built("everything", "away")
    done = run(program, AWAY_COMMAND=disturbed(seed, kind), AWAY_MARK=mark)
    if kind == "delay":
        assert (done.returncode, done.stdout) == (7, expected), done.stderr
    elif done.returncode == 7:  # it ended before the fault came, or at its very end
        assert done.stdout == expected
    else:
        assert done.returncode == 125, done.stderr
        assert expected.startswith(done.stdout)
        assert LINE in done.stderr
    assert until(lambda: not left_behind(mark))


PEERS = "210 cells\n200000 crossed\n"


@pytest.mark.parametrize("device", ["away", "away(cudasim)"])
def test_devices_copy_to_each_other_without_the_host(built: Built, device: str) -> None:
    for size in ("1", "9000", "20000000"):
        done = run(built("peers", device), size, OMPLS_DEVICES=f"{device}:3")
        assert (done.returncode, done.stdout, done.stderr) == (7, PEERS, "")


def test_bytes_between_devices_are_not_the_hosts(built: Built, tmp_path: Path) -> None:
    """However many are copied, the program sends and gets those of the first device once."""
    size, travelled = 3 << 20, []
    for rounds in (1, 5):
        log = tmp_path / str(rounds)
        command = f"{sys.executable} {Path(__file__).parent / 'counted.py'} {log}"
        done = run(built("peers", "away"), str(size), str(rounds), AWAY_COMMAND=command, OMPLS_DEVICES="away:2")
        assert (done.returncode, done.stdout, done.stderr) == (7, PEERS, "")
        travelled.append([abs(int(line)) for line in log.read_text().splitlines()])
    assert size * 2 < sum(travelled[0]) < size * 2 + 9 * 100000 < size * 3
    copies, extra = 4 * (2 + 1) + 4 * 8 * 2, sum(travelled[1]) - sum(travelled[0])
    assert len(travelled[1]) - len(travelled[0]) < 7 * copies
    assert extra < 7 * copies * 300


@pytest.mark.parametrize("devices", thinned([1, 2, 5], 2))
def test_an_array_is_dealt_out_with_borders(built: Built, devices: int) -> None:
    done = run(built("parts", "away"), "3", OMPLS_DEVICES=f"away:{devices}", OMP_TARGET_OFFLOAD="mandatory")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{devices} parts, 0 wrong\n", "")


def test_without_devices_the_parts_are_one(built: Built) -> None:
    done = run(built("parts", "away"), "3", OMP_TARGET_OFFLOAD="disabled")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 parts, 0 wrong\n", "")


def test_borders_and_what_all_devices_have_is_not_sent_by_the_host(built: Built, tmp_path: Path) -> None:
    travelled = []
    for times, devices in ((1, 4), (9, 4), (1, 2)):
        log = tmp_path / f"{times}-{devices}"
        command = f"{sys.executable} {Path(__file__).parent / 'counted.py'} {log}"
        more = {"AWAY_COMMAND": command, "OMPLS_DEVICES": f"away:{devices}"}
        assert run(built("parts", "away"), str(times), **more).returncode == 0
        travelled.append(sum(abs(int(line)) for line in log.read_text().splitlines()))
    borders, table = 3 * 2 * 2 * 1500 * 4, 3000 * 4
    once, more, fewer = travelled
    assert more - once < 8 * borders / 10
    assert once - fewer < 2 * 2 * 2 * 1500 * 4 + 2 * table  # the borders at the start, and no table


def test_devices_that_cannot_meet_copy_through_the_host(built: Built) -> None:
    """Each is in a network of its own, where the socket of the other one is not."""
    alone = "unshare --net"
    if subprocess.run([*alone.split(), "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("only root gives a process a network of its own here (unshare)")
    more = {"OMPLS_DEVICES": "away:3", "OMPLS_REMOTE_TIMEOUT": "2"}  # so long each waits for the other
    done = run(built("peers", "away"), "9000", AWAY_COMMAND=alone, **more)
    assert (done.returncode, done.stdout, done.stderr) == (7, PEERS, "")


@pytest.mark.parametrize("seed", thinned(SEEDS, 5, of_rest=4))
def test_a_bad_line_while_devices_copy_to_each_other(built: Built, seed: int) -> None:
    """No hang, no wrong result, nothing left behind."""
    kind, mark = KINDS[seed % len(KINDS)], f"peers{seed}-{os.getpid()}"
    more = {"OMPLS_DEVICES": "away:3", "OMP_TARGET_OFFLOAD": "mandatory"}
    done = run(built("peers", "away"), "70000", "4", AWAY_COMMAND=disturbed(seed, kind), AWAY_MARK=mark, **more)
    if kind == "delay":
        assert (done.returncode, done.stdout) == (7, PEERS), done.stderr
    elif done.returncode == 7:  # it ended before the fault came, or at its very end
        assert done.stdout == PEERS
    else:  # the program was told, or it was ended, or both by different threads
        assert done.returncode in (1, 125), (done.stdout, done.stderr)
        printed = re.sub("(a copy failed|a device is not there)\n", "", done.stdout)
        assert PEERS.startswith(printed)
        assert printed != done.stdout or "pipe" in done.stderr
    assert until(lambda: not left_behind(mark))


FAULTS = [
    ("read", "read host address", "variable 'pointer', not mapped", "r = p[3];"),
    ("write", "wrote host address", "variable 'pointer', not mapped", "pointer[5] = 7;"),
    ("null", "read address 0x8 (a null pointer)", "", "r = ((int *)(size_t)zero)[2];"),
    ("beyond", "device address", "bytes past the", "r = array[n + 20000];"),
    ("divide", "an integer was divided by zero", "", ""),
    ("abort", "the kernel called abort()", "", ""),
    ("freed", "read host address", "variable 'again', not mapped", "if (again[n / 2] == 0) abort();"),
    ("team", "host address", "variable 'pointer', not mapped", "pointer[i] = i;"),
]


@pytest.mark.parametrize(("what", "told", "more", "code"), FAULTS)
def test_a_fault_of_a_kernel_is_told_with_line_variable_and_machine(
    built: Built, what: str, told: str, more: str, code: str
) -> None:
    done = run(built("faults", "away"), what)
    assert done.returncode == 125, (done.stdout, done.stderr)
    assert done.stdout == "before\nin the kernel\n"
    assert told in done.stderr
    assert more in done.stderr
    assert f"region on away:0 ({LINE})" in done.stderr
    lines = (PROGRAMS / "faults.c").read_text().splitlines()
    assert not code or f"faults.c:{[code in line for line in lines].index(True) + 1}: region" in done.stderr


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_a_far_side_that_dies_or_hangs_in_a_kernel_is_an_error(built: Built, sign: signal.Signals) -> None:
    """One that died is not waited for as one that is silent."""
    patience = "2" if sign == signal.SIGSTOP else str(10 * LIMIT)
    mark = f"dies{sign}-{os.getpid()}"
    process = subprocess.Popen(
        [built("endless", "away")],
        env=environment(AWAY_MARK=mark, OMPLS_REMOTE_TIMEOUT=patience),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.kill(far_side(process.pid, mark), sign)
    _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 125
    assert ("it gives no sign of life for 2 s" in err) == (sign == signal.SIGSTOP)
    assert f"endless.c:7: region on away:0 ({LINE})" in err
    assert until(lambda: not left_behind(mark))


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_far_side_ends_with_its_program(built: Built, sign: signal.Signals) -> None:
    mark = f"ends{sign}-{os.getpid()}"
    process = subprocess.Popen([built("endless", "away")], env=environment(AWAY_MARK=mark), stdout=subprocess.DEVNULL)
    far_side(process.pid, mark)
    process.send_signal(sign)
    process.wait(LIMIT)
    assert until(lambda: not left_behind(mark))


def test_a_program_that_does_not_start_there_is_told(built: Built) -> None:
    done = run(built("everything", "away"), AWAY_COMMAND="/bin/false", OMP_TARGET_OFFLOAD="mandatory")
    assert done.returncode == 125
    assert "pipe0" in done.stderr


@pytest.mark.parametrize("name", ["OMPLS_REMOTE_TIMEOUT", "OMPLS_REMOTE_WAIT", "OMPLS_REMOTE_REUSE"])
def test_a_setting_that_is_none_is_told(built: Built, name: str) -> None:
    done = run(built("everything", "away"), OMP_TARGET_OFFLOAD="mandatory", **{name: "soon"})
    assert done.returncode == 125
    assert f"{name} is 'soon'" in done.stderr


CLOSED = re.compile(r"ompls: warning: \S+late\.c:\d+: the devices are closed already .*\n")


@pytest.mark.parametrize("devices", thinned(["away:3", "away:1", "cudasim:2", "host:2"], 2))
def test_threads_that_use_devices_while_the_program_ends_do_not_matter(built: Built, devices: str) -> None:
    """They crashed: an address of a device that was closed was taken for one of the host."""
    mark = f"late{devices}-{os.getpid()}"
    for _ in range(4):
        done = run(built("late", devices.partition(":")[0]), OMPLS_DEVICES=devices, AWAY_MARK=mark)
        assert (done.returncode, done.stdout, CLOSED.sub("", done.stderr)) == (9, "ending\n", "")
    assert until(lambda: not left_behind(mark))


def test_a_program_ends_though_a_thread_waits_for_a_kernel_that_does_not(built: Built) -> None:
    mark = f"late-{os.getpid()}"
    done = run(built("late", "away"), "endless", AWAY_MARK=mark)
    assert (done.returncode, done.stdout, done.stderr) == (9, "ending\n", "")
    assert until(lambda: not left_behind(mark))


def test_what_kernels_print_is_no_part_of_the_line(built: Built) -> None:
    done = run(built("faults", "away"), "print")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "before\nin the kernel\n" + "".join(f"line {i}\n" for i in range(20000)) + "after\n"
    assert done.stderr == ""


def test_a_module_lives_as_long_as_the_program_that_has_its_table() -> None:
    """The collector took it now and then: its functions refer to it, and nothing else did."""

    class Program:
        def ompls_near_add(self, table: object) -> None:
            pass

    module = Near("away", "cpu", lambda wanted: wanted, lambda index, image: Line())
    module.add(Program())  # type: ignore[arg-type]
    lives = weakref.ref(module)
    del module
    gc.collect()
    assert lives() is not None
