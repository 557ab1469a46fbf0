"""The present tables of a run, worked out from its trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from ompls.traces import events, present

PROGRAM = """int main(void) {
  int n = 3, x[4] = {1, 2, 3, 4};
  #pragma omp target data map(tofrom: x[0:4])
  {
    #pragma omp target map(to: n) map(tofrom: x[1:2])
    x[1] = n;
  }
  return x[1] != 3;
}
"""


@pytest.mark.parametrize("device", ["cudasim", "host", "mpinode"])
def test_the_tables_of_a_run(process, tmp_path: Path, device: str) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    done = process(
        "run", "--device", device, "--trace", tmp_path / "t", "--trace-values", "4", tmp_path / "a.c", "--", "a b"
    )
    assert done.code == 0, done.err
    made = events.recorded(str(tmp_path / "t"))
    head, found = made.head, made.events
    assert [Path(head["program"]).name, *head["command"][1:]] == ["a", "a b"]
    rows = present.rows(found)
    launch = next(index for index, event in enumerate(found) if event["kind"] == "launch")
    kept = {
        row.section: (row.references, row.bytes, row.values, row.inward, row.region.rpartition(":")[2])
        for row in present.at(rows, launch)
    }
    assert kept == {"x[0:4]": (2, 16, "01000000", True, "3"), "n": (1, 4, "03000000", True, "5")}
    assert present.at(rows, len(found) - 1) == []
