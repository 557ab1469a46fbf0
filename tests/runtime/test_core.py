"""The C core: data environments, errors and threads, in programs that run over a counting device (core/mock.c).

Every program is built plainly and with a sanitizer; what it prints must be the same.
"""

from __future__ import annotations

import os
import re

import pytest
from mocked import PROGRAMS, Program, program, run
from thinned import thinned

__all__ = ["program"]


@pytest.mark.parametrize(
    ("name", "sanitizer"),
    [
        pytest.param("api", "plain", marks=pytest.mark.thorough),
        pytest.param("api", "address", marks=pytest.mark.thorough),
        pytest.param("lists", "plain", marks=pytest.mark.thorough),
        ("lists", "address"),
        pytest.param("mapping", "plain", marks=pytest.mark.thorough),
        ("mapping", "address"),
        ("protocol", "address"),
        ("versions", "address"),
        pytest.param("versions", "thread", marks=pytest.mark.thorough),
        pytest.param("stress", "plain", marks=pytest.mark.thorough),
        ("stress", "address"),
        pytest.param("stress", "thread", marks=pytest.mark.thorough),
    ],
)
def test_programs(program: Program, name: str, sanitizer: str) -> None:
    done = run(program(name, sanitizer))
    assert (done.returncode, done.stderr) == (0, "")


# How the counting device works: at once, beside the host, with small list items gathered, and while a trace is written.
WAYS: dict[str, dict[str, str]] = {
    "at once": {},
    "ahead": {"MOCK_AHEAD": "1"},
    "gathered": {"MOCK_AHEAD": "1", "MOCK_GATHER": "64"},
    "sent": {"MOCK_AHEAD": "1", "MOCK_SENDS": "1"},
    "traced": {"OMPLS_TRACE": os.devnull},
}


@pytest.mark.parametrize(
    ("name", "sanitizer", "way"),
    [
        ("mapping", "address", "ahead"),
        ("protocol", "address", "ahead"),
        ("lists", "address", "ahead"),
        ("stress", "address", "ahead"),
        ("stress", "address", "sent"),
        pytest.param("stress", "thread", "sent", marks=pytest.mark.thorough),
        pytest.param("stress", "thread", "ahead", marks=pytest.mark.thorough),
        pytest.param("stress", "thread", "gathered", marks=pytest.mark.thorough),
        pytest.param("stress", "thread", "traced", marks=pytest.mark.thorough),
    ],
)
def test_programs_on_a_device_that_works_beside_the_host(program: Program, name: str, sanitizer: str, way: str) -> None:
    done = run(program(name, sanitizer), **WAYS[way])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sanitizer", thinned(["address", "thread"], 2))
@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("no kernel", "no kernel: the mock has no such kernel (it runs on the host)"),
        ("lost", "the cable is out (the host"),
    ],
)
def test_the_host_runs_regions_on_the_devices_data(
    program: Program, case: str, says: str, sanitizer: str, way: str
) -> None:
    done = run(program("fallback", sanitizer), case, **WAYS[way])
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    assert says in done.stderr
    mandatory = run(program("fallback", sanitizer), case, **WAYS[way], OMP_TARGET_OFFLOAD="mandatory")
    assert (mandatory.returncode, mandatory.stderr.count("\n")) == (125, 1), mandatory.stderr


def test_a_device_that_cannot_share_memory_is_none_for_a_program_that_requires_it(program: Program) -> None:
    why = "the program requires unified_shared_memory, and the device cannot use the host's memory"
    done = run(program("lists", "address"), "shared")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"device mock:0 cannot be opened: {why}" in done.stderr
    done = run(program("lists", "address"), "shared", OMP_TARGET_OFFLOAD="mandatory")
    assert done.returncode == 125
    assert why in done.stderr


def test_a_part_that_is_to_be_present_is_not_where_the_whole_is_new(program: Program) -> None:
    done = run(program("lists", "address"), "absent")
    assert done.returncode == 125
    assert "l.c:5: region on mock:0: 's.a' (4 bytes at" in done.stderr
    assert "is not present" in done.stderr


AVAILABLE = {
    "*": "mock:0 mock:1 mock:2 ",
    "": "mock:0 mock:1 mock:2 ",
    "uid(mock:1)": "mock:1 ",
    "uid(mock:2),*": "mock:2 mock:0 mock:1 ",
    "*[1]": "mock:1 ",
    "*[1:]": "mock:1 mock:2 ",
    "*[:2]": "mock:0 mock:1 ",
    "kind(any)[2:5] , kind(nohost) [ : 1 ]": "mock:2 mock:0 ",
    "!uid(mock:0)": "mock:1 mock:2 ",
    "uid(mock:0) || uid(mock:2)": "mock:0 mock:2 ",
    "arch(mock) && !(uid(mock:0)||uid(mock:2))": "mock:1 ",
    "kind(gpu)": "",
    "vendor(nobody),isa(sm_90)": "",
}


@pytest.mark.parametrize("text", AVAILABLE)
def test_available_devices_are_chosen_and_ordered(program: Program, text: str) -> None:
    done = run(program("api", "address"), "devices", OMP_AVAILABLE_DEVICES=text, MOCK_DEVICES="3")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", AVAILABLE[text] + "\n")


@pytest.mark.parametrize("text", ["color(red)", "*,", "uid(", "uid()", "*[", "*[a]", "(uid(a)", "uid(a) &", "* *", "!"])
def test_available_devices_that_cannot_be_read(program: Program, text: str) -> None:
    done = run(program("api", "address"), "devices", OMP_AVAILABLE_DEVICES=text)
    assert (done.returncode, done.stdout) == (125, "")
    assert f"OMP_AVAILABLE_DEVICES: cannot read '{text}'" in done.stderr


@pytest.mark.thorough
def test_the_environment_is_displayed_with_our_devices(program: Program) -> None:
    at_start = run(program("api", "plain"), "devices", OMP_DISPLAY_ENV="true", OMP_AVAILABLE_DEVICES="*[1]")
    assert "OPENMP DISPLAY ENVIRONMENT BEGIN" in at_start.stderr  # libgomp's
    assert "[host] OMP_AVAILABLE_DEVICES = '*[1]'\n  [device 0] uid = 'mock:1'\n" in at_start.stderr
    asked = run(program("api", "plain"), "display")
    assert "  [device 0] uid = 'mock:0'\n  [device 1] uid = 'mock:1'\n" in asked.stderr
    assert "OMPLS_TRACE = ''" in asked.stderr
    assert run(program("api", "plain"), "devices").stderr == ""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_random_constructs_follow_the_model(program: Program, seed: int, way: str) -> None:
    done = run(program("model", "address"), str(seed), "3000", **WAYS[way])
    assert (done.returncode, done.stderr) == (0, "")


ERRORS = dict(line.split(": ", 1) for line in (PROGRAMS / "errors.txt").read_text().splitlines())


@pytest.mark.parametrize("case", ERRORS)
@pytest.mark.parametrize("sanitizer", thinned(["address", "plain"], 2))
def test_errors_name_everything(program: Program, case: str, sanitizer: str) -> None:
    done = run(program("errors", sanitizer), case)
    assert (done.returncode, done.stdout) == (125, "before\n" + ("present: 0\n" if case == "copy" else ""))
    assert re.sub("0x[0-9a-f]{6,}", "HEX", done.stderr) == ERRORS[case] + "\n"


NO_DEVICE = (
    "ompls: error: OMPLS_DEVICES: this program has no device 'cuda' that can be used (it has: mock); "
    "build it with that device"
)
UNAVAILABLE = "the cable is out; ask the test"
NO_KERNEL = "the mock has no such kernel"
# case, environment, exit code, stdout after "before", how stderr begins
POLICIES: list[tuple[str, dict[str, str], int, str, str]] = [
    ("", {}, 0, "ran on a device: 1 of 2\n", ""),
    ("", {"OMP_TARGET_OFFLOAD": "disabled"}, 0, "ran on a device: 0 of 0\n", ""),
    ("", {"OMP_TARGET_OFFLOAD": "mandatory"}, 0, "ran on a device: 1 of 2\n", ""),
    ("", {"OMPLS_DEVICES": "mock:1"}, 0, "ran on a device: 1 of 1\n", ""),
    ("", {"OMPLS_DEVICES": "mock:1,mock"}, 0, "ran on a device: 1 of 2\n", ""),
    (
        "",
        {"OMPLS_DEVICES": "mock,mock:1"},
        0,
        "ran on a device: 1 of 2\n",
        "ompls: warning: only 2 of 3 'mock' devices",
    ),
    ("fork", {}, 0, "ran on a device: 1, in a child: 0\n", ""),
    (
        "fork",
        {"OMP_TARGET_OFFLOAD": "mandatory"},
        0,
        "ran on a device: 1, in a child: 125\n",
        "bad.c:20: region on mock:0: OMP_",
    ),
    ("", {"OMPLS_DEVICES": "mock:5"}, 0, "ran on a device: 1 of 2\n", "ompls: warning: only 2 of 5 'mock' devices"),
    ("", {"OMPLS_DEVICES": "cuda"}, 125, "", NO_DEVICE),
    (
        "",
        {"OMPLS_DEVICES": "mock:x"},
        125,
        "",
        "ompls: error: OMPLS_DEVICES: 'x' is not a number of devices; write NAME",
    ),
    ("open", {}, 0, "ran on a device: 0\n" * 2, f"ompls: warning: device mock:0 cannot be opened: {UNAVAILABLE}"),
    ("open", {"OMP_TARGET_OFFLOAD": "MANDATORY"}, 125, "", "bad.c:20: region on mock:0: the device cannot be opened"),
    (
        "no-kernel",
        {},
        0,
        "ran on a device: 0 of 2\n",
        f"ompls: warning: bad.c:20: region on mock:0: no kernel: {NO_KERNEL}",
    ),
    ("no-kernel", {"OMP_TARGET_OFFLOAD": "mandatory"}, 125, "", "bad.c:20: region on mock:0: the region has no kernel"),
    ("number", {}, 0, "", "ompls: warning: bad.c:10: there is no device 7: the program has 2, from 0 on (the"),
    ("default-number", {}, 0, "", "ompls: warning: bad.c:10: there is no device 9, the default device: the program"),
    ("number", {"OMP_TARGET_OFFLOAD": "disabled"}, 0, "", ""),
    (
        "narrow",
        {"MOCK_NARROW": "1"},
        125,
        "",
        "bad.c:14: region on mock:0: the pointer of 'pointer[0:8]' is mapped, and pointers have 4 bytes on the",
    ),
    ("narrow", {}, 0, "", ""),
    (
        "",
        {"MOCK_FOREIGN": "1"},
        0,
        "ran on a device: 0 of 2\n",
        "ompls: warning: device mock:0 cannot be opened: its byte order is not this machine's, and data are copied as",
    ),
    (
        "",
        {"MOCK_LACKS": "attach"},
        0,
        "ran on a device: 0 of 0\n",
        "ompls: warning: device module 'mock' has no function att",
    ),
    (
        "",
        {"MOCK_LACKS": "mark", "MOCK_AHEAD": "1"},
        0,
        "ran on a device: 0 of 0\n",
        "ompls: warning: device module 'mock' has no function start_in, start_out, mark and follow, of which",
    ),
    ("left-behind", {}, 0, "", "ompls: warning: bad.c:20: a child of fork has no devices: what is mapped stays with"),
    ("number", {"OMP_TARGET_OFFLOAD": "mandatory"}, 125, "", "bad.c:10: region: OMP_TARGET_OFFLOAD is mandatory, but"),
]


@pytest.mark.parametrize("policy", POLICIES)
def test_what_runs_where(program: Program, policy: tuple[str, dict[str, str], int, str, str]) -> None:
    case, env, code, out, err = policy
    done = run(program("errors", "plain"), case, **env)
    assert (done.returncode, done.stdout) == (code, "before\n" + out)
    assert (done.stderr.count("\n"), done.stderr[: len(err)]) == (1 if err else 0, err)


def test_table_is_shown_on_failure(program: Program) -> None:
    done = run(program("errors", "plain"), "overlap", OMPLS_INFO="4")
    assert re.search(
        r"present on mock:0: 1 list items\nompls:   0x\w+ +24 bytes -> 0x\w+  count 1  x\[2:6\]\n", done.stderr
    )
