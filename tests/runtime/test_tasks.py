"""Deferred device constructs: `nowait` and `depend` in serial code, in teams, in several threads, at the end.

core/tasks.c runs over the counting device; its kernels sleep, so that what should overlap can be told by the clock.
"""

from __future__ import annotations

import pytest
from mocked import Program, program, run
from thinned import thinned

__all__ = ["program"]

SERIAL = ["overlap", "kinds", "objects", "groups", "data", "values", "threads", "routines", "cancel"]


@pytest.mark.parametrize(
    ("case", "sanitizer"), thinned([(case, way) for case in (*SERIAL, "team") for way in ("plain", "address")], 2)
)
def test_tasks_overlap_and_wait(program: Program, case: str, sanitizer: str) -> None:
    done = run(program("tasks", sanitizer), case)
    assert (done.returncode, done.stderr) == (0, "")


SENT = {"MOCK_AHEAD": "1", "MOCK_SENDS": "1"}
LATER = ["sent", "groups", "data", "values", "threads", "memory"]


@pytest.mark.parametrize(
    ("case", "sanitizer"), thinned([(case, way) for case in LATER for way in ("address", "thread")], 5)
)
def test_regions_that_are_sent_need_no_worker(program: Program, case: str, sanitizer: str) -> None:
    done = run(program("tasks", sanitizer), case, OMPLS_TASK_MEMORY="1", **SENT)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("sanitizer", thinned(["address", "plain", "thread"], 3))
def test_what_is_deferred_holds_a_bounded_amount_of_memory(program: Program, sanitizer: str) -> None:
    done = run(program("tasks", sanitizer), "memory", OMPLS_TASK_MEMORY="1")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
@pytest.mark.parametrize("case", ["kinds", "values", "threads"])
def test_tasks_have_no_races(program: Program, case: str) -> None:
    done = run(program("tasks", "thread"), case)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("way", [{}, SENT])
@pytest.mark.parametrize("how", ["exit", "leave"])
def test_the_end_of_the_program_waits_for_what_is_in_flight(program: Program, how: str, way: dict[str, str]) -> None:
    """`leave`: the main thread calls pthread_exit, so the program ends with its last thread."""
    done = run(program("tasks", "plain"), how, **way)
    assert (done.returncode, done.stdout, done.stderr) == (0, "at exit: 42\n", "")


@pytest.mark.parametrize("case", ["error", "late-error"])
@pytest.mark.parametrize("sanitizer", ["plain", "address"])
def test_an_error_in_a_task_names_its_construct(program: Program, case: str, sanitizer: str) -> None:
    done = run(program("tasks", sanitizer), case)
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr == "tasks.c:7: region on mock:0: the kernel failed: the cable is out; ask the test\n"
