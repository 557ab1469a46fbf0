"""The examples of task graphs: right where they run, and as large as they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import ompls

from ompls.analysis.features.taskgraphs import summary, task_graphs
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/graphs"
SIZES = {"cholesky": "35 tasks, 13 levels", "saxpy": "64 tasks, 1 level"}


@pytest.mark.parametrize("name", SIZES)
def test_the_graph(name: str) -> None:
    source = (EXAMPLES / f"{name}.c").read_bytes()
    (graph,) = task_graphs(Analyzer().analyze("a.c", source, EMPTY_SNAPSHOT, Settings()))
    assert graph.reason is None
    assert summary(graph.shape) == SIZES[name]


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("cholesky", "host"),
        *(pytest.param(*row, marks=pytest.mark.thorough) for row in (("cholesky", "cudasim"), ("saxpy", "cudasim"))),
    ],
)
def test_it_is_right(name: str, device: str) -> None:
    done = ompls("run", "--device", device, EXAMPLES / f"{name}.c", "-lm")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{name}: ")
    assert done.stdout.endswith(", correct\n")
