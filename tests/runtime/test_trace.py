"""What a program tells about its offloading: OMPLS_TRACE as JSON lines, OMPLS_INFO as text."""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from handmade import SAXPY_HOST, SAXPY_KERNEL, SAXPY_PARAMS, make_bundle

from ompls.runtime.build import build

ODD_NAME = SAXPY_HOST.replace('"saxpy.c"', r'"a \"b\"\\c\t.c"')


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    directory = tmp_path_factory.mktemp("trace")
    bundle = make_bundle(directory / "bundle", ODD_NAME, {"saxpy_0": SAXPY_KERNEL}, {"saxpy_0": SAXPY_PARAMS})
    return build(bundle, "host", directory / "prog").program


def run(program: Path, **env: str) -> str:
    done = subprocess.run([program, "100"], env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 wrong, 1 devices, initial 1\n")
    return done.stderr


def events(program: Path, file: Path) -> list[dict[str, Any]]:
    assert run(program, OMPLS_TRACE=str(file)) == ""
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_events(program: Path, tmp_path: Path) -> None:
    head, *found = events(program, tmp_path / "trace")
    assert head["ompls_trace"] == 1
    assert head["program"].endswith("prog")
    assert head["command"] == [str(program), "100"]
    assert not [e for e in found if "content" in e]
    kinds = [(e["kind"], e.get("var", "")[:1], e.get("direction", "")) for e in found]
    assert kinds == [
        ("device_open", "", ""),
        ("alloc", "x", ""),
        ("copy", "x", "to"),
        ("map_enter", "x", ""),
        ("alloc", "y", ""),
        ("copy", "y", "to"),
        ("map_enter", "y", ""),
        ("launch", "", ""),
        ("copy", "y", "from"),
        ("free", "y", ""),
        ("map_exit", "y", ""),
        ("free", "x", ""),
        ("map_exit", "x", ""),
        ("locks", "", ""),
        ("end", "", ""),
    ]
    assert set(found.pop()) == {"t", "thread", "kind"}
    assert [e["t"] for e in found] == sorted(e["t"] for e in found)
    locks = found.pop()
    assert locks["acquisitions"] > 0 == locks["contended"]
    assert {(e["device"], e["region"], e["thread"]) for e in found} == {
        ("host:0", 'a "b"\\c\t.c:9', found[0]["thread"])
    }
    assert [e["bytes"] for e in found if e["kind"] == "copy"] == [400, 400, 400]
    assert [e["refcount"] for e in found if "refcount" in e] == [1, 1, 0, 0]
    launch = next(e for e in found if e["kind"] == "launch")
    assert launch["message"] == "saxpy_0"
    assert launch["duration"] > 0
    assert launch["grid"][0] * launch["block"][0] >= 100


def test_contents_are_told_apart_when_that_is_asked_for(program: Path, tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        assert run(program, OMPLS_TRACE=str(tmp_path / name), OMPLS_TRACE_CONTENT="1") == ""
        lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        found.append([e["content"] for e in lines[1:] if e["kind"] == "copy"])
    assert found[0] == found[1]
    assert len(set(found[0])) == 3  # x, y before and y after


def test_the_first_bytes_of_items_are_kept_when_that_is_asked_for(program: Path, tmp_path: Path) -> None:
    assert run(program, OMPLS_TRACE=str(tmp_path / "t"), OMPLS_TRACE_VALUES="8") == ""
    found = [json.loads(line) for line in (tmp_path / "t").read_text().splitlines()]
    kept = [
        (e["kind"], e["var"][0], struct.unpack("=2f", bytes.fromhex(e["values"])))
        for e in found
        if "values" in e and "y" in e["var"]
    ]
    before, after = kept[0][2], kept[-1][2]
    assert before != after
    assert kept == [
        ("copy", "y", before),
        ("map_enter", "y", before),
        ("copy", "y", after),
        ("map_exit", "y", after),
    ]
    assert {e["kind"] for e in found if "values" in e} == {"copy", "map_enter", "map_exit"}


FORK = SAXPY_HOST.replace(
    "int main(",
    """
#include <sys/wait.h>
#include <unistd.h>
static void fork_once(void) {
    float x[2] = {1, 2}, y[2] = {0, 0};
    int status;
    saxpy(2, 1, x, y);
    pid_t child = fork();
    if (child == 0) {
        saxpy(2, 1, x, y);
        exit(y[1] == 4 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    if (status != 0) abort();
}
int main(""",
).replace("wrong = 0;", "wrong = 0;\n    fork_once();", 1)


def test_children_of_fork_leave_devices_and_trace_alone(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "bundle", FORK, {"saxpy_0": SAXPY_KERNEL}, {"saxpy_0": SAXPY_PARAMS})
    found = events(build(bundle, "host", tmp_path / "prog").program, tmp_path / "trace")
    assert [e["kind"] for e in found if e.get("kind") in ("device_open", "launch")] == [
        "device_open",
        "launch",
        "launch",
    ]
    assert [line for line in found if "ompls_trace" in line] == found[:1]


THREADS = SAXPY_HOST.replace(
    "int main(",
    """
#include <pthread.h>
static void *work(void *unused) {
    float x[2] = {1, 2}, y[2] = {0, 0};
    for (int i = 0; i < 300; i++) saxpy(2, 1, x, y);
    return unused;
}
static void work_at_once(void) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
}
int main(""",
).replace("wrong = 0;", "wrong = 0;\n    work_at_once();", 1)


ENDS = ["abort();", "_Exit(4);", "raise(SIGKILL);", "*(volatile int *)8 = 1;"]


@pytest.mark.parametrize("how", ENDS)
def test_a_program_that_is_ended_leaves_what_it_has_done(tmp_path: Path, how: str) -> None:
    includes = "#include <signal.h>\n#include <stdlib.h>\n"
    ended = f"int main(void) {{ float x[2] = {{1, 2}}, y[2] = {{0, 0}}; saxpy(2, 1, x, y); {how} }}\nint unused("
    source = includes + SAXPY_HOST.replace("int main(", ended)
    bundle = make_bundle(tmp_path / "bundle", source, {"saxpy_0": SAXPY_KERNEL}, {"saxpy_0": SAXPY_PARAMS})
    program, file = build(bundle, "host", tmp_path / "prog").program, tmp_path / "trace"
    done = subprocess.run([program], env={**os.environ, "OMPLS_TRACE": str(file)}, capture_output=True, check=False)
    assert done.returncode != 0
    kinds = [json.loads(line).get("kind", "") for line in file.read_text().splitlines()]
    assert kinds.count("launch") == 1
    assert kinds.count("copy") == 3
    assert kinds[-1] == "map_exit"


@pytest.mark.thorough
def test_threads_lose_nothing_in_a_ring_that_is_smaller_than_all(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "bundle", THREADS, {"saxpy_0": SAXPY_KERNEL}, {"saxpy_0": SAXPY_PARAMS})
    file = tmp_path / "trace"
    _, *found = events(build(bundle, "host", tmp_path / "prog").program, file)
    assert file.stat().st_size > 1 << 20
    of_thread: dict[int, list[str]] = {}
    for event in found:
        if event["kind"] not in ("device_open", "locks", "index", "end"):
            of_thread.setdefault(event["thread"], []).append(event["kind"])
    once, *rest = sorted(of_thread.values(), key=len)  # the first thread's, after the others
    assert [kinds == once * 300 for kinds in rest] == [True] * 8


def test_a_long_trace_ends_with_an_index(tmp_path: Path) -> None:
    """Threads at once: the sums are those of the events, and each event is where the index says."""
    bundle = make_bundle(tmp_path / "bundle", THREADS, {"saxpy_0": SAXPY_KERNEL}, {"saxpy_0": SAXPY_PARAMS})
    file = tmp_path / "trace"
    _, *found, index, end = events(build(bundle, "host", tmp_path / "prog").program, file)
    assert (index["kind"], end["kind"]) == ("index", "end")
    assert (index["events"], index["left_out"]) == (len(found), 0)
    sums: dict[tuple[object, ...], list[int]] = {}
    for event in found:
        own = sums.setdefault(_alike(event), [0, 0])
        own[0] += 1
        own[1] += event.get("duration", 0)
    assert {_alike(s): [s["count"], s["duration"]] for s in index["sums"]} == sums
    text, where = file.read_bytes(), {piece: (begin, end) for piece, begin, end in index["lines"]}
    at = text.index(b"\n") + 1
    began: dict[int, int] = {}
    for event in found:
        piece = (event["t"] - index["base"]) // index["width"] if event["t"] > index["base"] else 0
        begin, end = where[piece]
        assert begin <= at < end
        began[piece] = began.get(piece, 0) + 1
        at = text.index(b"\n", at) + 1
    counted: dict[int, int] = {}
    for lane in index["lanes"]:
        for piece, count, _, _ in lane["pieces"]:
            counted[piece] = counted.get(piece, 0) + count
    assert {piece: count for piece, count in counted.items() if count} == began
    assert [json.loads(text[offset:].split(b"\n", 1)[0])["kind"] for offset in index["notable"]] == ["locks"]
    busy = {lane["way"]: sum(b for _, _, b, _ in lane["pieces"]) for lane in index["lanes"]}
    assert busy["kernels"] == sum(e["duration"] for e in found if e["kind"] == "launch")
    assert len(index["lines"]) <= 1024


def _alike(event: dict[str, Any]) -> tuple[object, ...]:
    texts = [event.get(key) for key in ("kind", "device", "region", "var", "direction")]
    return (*texts, event.get("bytes") or 0)


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        ("0", set()),
        ("1", {"argument"}),
        ("8", {"map_enter", "map_exit"}),
        ("16", {"launch"}),
        ("32", {"copy"}),
        ("0x30", {"launch", "copy"}),
        ("2", set()),
    ],
)
def test_info(program: Path, bits: str, words: set[str]) -> None:
    lines = run(program, OMPLS_INFO=bits).splitlines()
    assert {line.split(": ")[3].split()[0] for line in lines} == words
    assert all(line.startswith('ompls: a "b"\\c\t.c:9: host:0: ') for line in lines)


def test_a_program_that_another_one_starts_leaves_its_trace_alone(program: Path, tmp_path: Path) -> None:
    """They have the same OMPLS_TRACE: after `exec`, in `system`, or side by side."""
    file = tmp_path / "trace"
    file.write_text("{}\n")
    with file.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        said = run(program, OMPLS_TRACE=str(file))
    assert said == (
        f"ompls: warning: cannot write the trace {file}: another program writes it; "
        "give this one a file of its own (OMPLS_TRACE)\n"
    )
    assert file.read_text() == "{}\n"
    assert events(program, file)[0]["ompls_trace"] == 1


def test_a_trace_that_cannot_be_written(program: Path, tmp_path: Path) -> None:
    said = run(program, OMPLS_TRACE=str(tmp_path / "no" / "trace"))
    assert said == f"ompls: warning: cannot write the trace {tmp_path}/no/trace: No such file or directory\n"


def test_a_trace_on_a_full_disk_says_that_it_ends(program: Path) -> None:
    said = run(program, OMPLS_TRACE="/dev/full")
    assert said == "ompls: warning: the trace /dev/full ends here: No space left on device\n"
