"""docs/trace.md has the fields of each event, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path

MANUAL = Path(__file__).parents[2] / "docs" / "trace.md"
PROGRAM = """#include <stdlib.h>
void twice(int *x) {
  for (int round = 0; round < 2; round++) {
    #pragma omp taskgraph
    {
      #pragma omp task depend(inout: x[0])
      x[0]++;
    }
  }
}
int main(int argc, char **argv) {
  struct { int n, *p; } s = {8, malloc(8 * sizeof(int))};
  int x[8] = {7};
  #pragma omp target data map(to: x)
  {
    #pragma omp target update to(x)
    #pragma omp target teams distribute parallel for map(tofrom: x, s, s.p[0:8])
    for (int i = 0; i < 8; i++) s.p[i] = x[i]++;
  }
  twice(x);
  if (argc > 1) {
    #pragma omp target enter data map(to: x[0:4])
    #pragma omp target map(tofrom: x)
    x[0]++;
  }
  return 0;
}
"""
ALWAYS, MOSTLY, NEVER = {"t", "thread", "kind"}, {"device", "region"}, {"sync", "index", "end"}


def _manual() -> dict[str, set[str]]:
    """The own fields of each kind."""
    table = MANUAL.read_text("utf-8").partition("| kind | happens when")[2].partition("\n\n")[0]
    found: dict[str, set[str]] = {}
    for row in table.splitlines()[2:]:
        _, kinds, _, fields, _ = row.split("|")
        for kind in re.findall(r"`(\w+)`", kinds):
            found[kind] = set(re.findall(r"`([a-z]+)`", fields)) - {"to", "from"}
    return found


def test_the_manual_has_the_fields_of_each_event(process, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    seen: dict[str, set[str]] = {}
    for n, words in enumerate(([], ["wrong"])):
        trace = tmp_path / f"t{n}"
        process("run", "--device", "host", "--trace", trace, tmp_path / "a.c", "--", *words,
                env={"OMPLS_TRACE_CONTENT": "1"})  # fmt: skip
        for event in map(json.loads, trace.read_text("utf-8").splitlines()[1:]):
            assert set(event) >= ALWAYS
            seen.setdefault(event["kind"], set()).update(set(event) - ALWAYS - MOSTLY)
    manual = _manual()
    assert seen.pop("end") == manual["end"] == set()
    assert seen == {kind: fields for kind, fields in manual.items() if kind not in NEVER}
