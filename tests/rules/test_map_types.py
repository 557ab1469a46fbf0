"""Every data directive with every map type, also those that it may not have, of present and of absent data: what is
wrong is reported, and nothing raises."""

from __future__ import annotations

import pytest
from together import together

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import check
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

TYPES = ("", "to: ", "from: ", "tofrom: ", "alloc: ", "storage: ", "release: ", "delete: ", "always, to: ", "present: ")
REFUSED = {
    "target enter data": ("from: ", "release: ", "delete: "),
    "target exit data": ("to: ", "alloc: ", "always, to: "),
    "target data": ("release: ", "delete: "),
    "target": ("release: ", "delete: "),
}


@pytest.mark.parametrize("present", [False, True])
@pytest.mark.parametrize("kind", TYPES)
@together("directive", list(REFUSED))
def test_every_map_type(directive: str, kind: str, present: bool) -> None:
    around = "#pragma omp target data map(a)\n" if present else ""
    text = f"int main(void) {{\nint a[9] = {{0}};\n{around}{{\n#pragma omp {directive} map({kind}a)\n;\n}}\n}}\n"
    found = check(Analyzer().analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings(openmp="6.0")))
    assert any(d.rule == "map-type" for d in found if d.severity == "error") == (kind in REFUSED[directive])
