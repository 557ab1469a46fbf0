"""The table of functions that a kernel may call says what the device library has."""

from __future__ import annotations

import re
from pathlib import Path

from ompls.analysis.spec.data_clauses import REDUCTIONS
from ompls.project.devices import registry
from ompls.translate.transformations.gpu.reductions import OPERATORS

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "ompls/devices/cuda/library"
# Parallel regions in a team's sequential code are there; what its own code says of them is not a routine of the API.
DEFINED = re.compile(r"^static __device__ .*?\b(omp_\w+)\(|^template .*?\b(omp_\w+)\(", re.M)


def test_every_routine_of_the_library_may_be_called_and_the_other_way_round() -> None:
    text = "\n".join(p.read_text() for p in sorted(LIBRARY.glob("*.cuh")))
    text = re.sub(r"(?m)^(template <[^\n]*>)\n", r"\1 ", text)
    defined = {a or b for a, b in DEFINED.findall(text)}
    callable_ = {name for name in registry().devices["cuda"].functions or () if name.startswith("omp_")}
    assert defined == callable_


def test_every_reduction_identifier_has_a_class_of_the_library() -> None:
    text = (LIBRARY / "ompls_atomic.cuh").read_text()
    with_identity = set(re.findall(r"^OMPLS_OPERATOR\((\w+), .*\) OMPLS_IDENTITY\(", text, re.M))
    assert set(OPERATORS) == set(REDUCTIONS)
    assert set(OPERATORS.values()) == with_identity


def test_what_kernels_call_stands_on_the_contract_page() -> None:
    """A name that the translator writes and the library defines; what only the library uses is its own affair."""
    name = re.compile(r"\b(?:ompls_[a-z0-9_]*[a-z0-9]|OMPLS_[A-Z_]*[A-Z])\b")
    translate = ROOT / "ompls/translate"
    texts = [*(translate / "transformations/gpu").glob("*.py"), *(translate / "templates").glob("*.cu.j2")]
    written = {x for path in texts for x in name.findall(path.read_text())}
    library = {x for path in LIBRARY.glob("*.cuh") for x in name.findall(path.read_text())}
    told = set(name.findall((LIBRARY / "ompls_device.cuh").read_text()))
    assert sorted((written & library) - told) == []
