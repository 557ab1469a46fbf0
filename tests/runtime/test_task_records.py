"""Task graphs that are recorded and replayed (core/graph*.c): over the counting device, under the sanitizers."""

from __future__ import annotations

import pytest
from mocked import Program, program, run

__all__ = ["program"]

# libgomp is not built for the thread sanitizer, so what threads of a team do it cannot judge.
SERIAL = ["host", "targets", "both", "clauses", "before", "recursion", "threads"]


CASES = [("address", [*SERIAL, "team", "outside"]), ("plain", ["threads", "team"]), ("thread", SERIAL)]


@pytest.mark.parametrize(("sanitizer", "cases"), CASES)
def test_a_replay_has_the_results_of_the_programs_order(program: Program, sanitizer: str, cases: list[str]) -> None:
    done = run(program("graphs", sanitizer), *cases)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("way", [{"MOCK_ALL": "1"}, {"MOCK_AHEAD": "1", "MOCK_SENDS": "1"}])
def test_a_device_that_does_one_thing_after_the_other_is_waited_for_once(program: Program, way: dict[str, str]) -> None:
    done = run(program("graphs", "address"), "one", "targets", "both", "threads", "team", **way)
    assert (done.returncode, done.stderr) == (0, "")


NEXT = "; a `taskgraph` that is not the same each time needs `graph_reset`, or a `graph_id` for each form\n"
DIFFERENT = {
    "other-task": "task 1 of the graph is not what was recorded: it was the task of graphs.c:5, "
    "and is the task of graphs.c:6",
    "other-value": "task 0 of the graph is not what was recorded: it was the task of graphs.c:5, "
    "and is the task of graphs.c:5 with other values",
}


def test_what_is_recorded_again_is_compared(program: Program) -> None:
    done = run(program("graphs", "address"), "checked", OMPLS_GRAPH_CHECK="1")
    assert (done.returncode, done.stderr) == (0, "")
    for case, what in DIFFERENT.items():
        done = run(program("graphs", "address"), case, OMPLS_GRAPH_CHECK="1")
        assert (done.returncode, done.stderr) == (125, f"graphs.c:3: region: {what}{NEXT}")


def test_an_error_in_a_replay_names_its_construct(program: Program) -> None:
    for way in ({}, {"MOCK_ALL": "1"}, {"MOCK_AHEAD": "1", "MOCK_SENDS": "1"}):
        done = run(program("graphs", "plain"), "error", **way)
        assert done.returncode == 125
        assert done.stderr == "graphs.c:7: region on mock:0: the kernel failed: the cable is out; ask the test\n"
