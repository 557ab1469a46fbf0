"""Cases that are thinned out are all tried: by `make test`, the rest of `make test-all`, or `make exhaustive`."""

from __future__ import annotations

import pytest
import thinned as module
from thinned import thinned


def marks(case: object) -> set[str]:
    return {mark.name for mark in getattr(case, "marks", ())}


@pytest.fixture(autouse=True)
def all_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_left_out", set())


def test_every_case_is_somewhere() -> None:
    cases = thinned(range(12), 5, lambda case: case == 3, of_rest=2)
    assert [case for case in cases if not marks(case)] == [0, 3, 5, 10]
    rest = {case.values[0]: marks(case) for case in cases if marks(case)}
    assert [case for case, of in rest.items() if of == {"thorough"}] == [2, 4, 6, 8]
    assert [case for case, of in rest.items() if of == {"thorough", "exhaustive"}] == [1, 7, 9, 11]
    assert all(marks(case) <= {"thorough"} for case in thinned(range(12), 5))


@pytest.mark.parametrize(
    ("expression", "made"),
    [
        ("not thorough", [0, 5, 10]),
        ("thorough and not exhaustive", [0, 2, 4, 5, 6, 8, 10]),
        ("exhaustive", list(range(12))),
        ("machine_code or not thorough", list(range(12))),
        ("not (thorough and not exhaustive)", list(range(12))),
    ],
)
def test_what_a_run_leaves_out_is_not_made(expression: str, made: list[int]) -> None:
    module.leave_out(expression)
    assert [case.values[0] if marks(case) else case for case in thinned(range(12), 5, of_rest=2)] == made
