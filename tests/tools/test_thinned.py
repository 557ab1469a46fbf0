"""Cases that are thinned out are all tried: by `make test`, the rest of `make test-all`, or `make exhaustive`."""

from __future__ import annotations

from thinned import thinned


def marks(case: object) -> set[str]:
    return {mark.name for mark in getattr(case, "marks", ())}


def test_every_case_is_somewhere() -> None:
    cases = thinned(range(12), 5, lambda case: case == 3, of_rest=2)
    assert [case for case in cases if not marks(case)] == [0, 3, 5, 10]
    rest = {case.values[0]: marks(case) for case in cases if marks(case)}
    assert [case for case, of in rest.items() if of == {"thorough"}] == [2, 4, 6, 8]
    assert [case for case, of in rest.items() if of == {"thorough", "exhaustive"}] == [1, 7, 9, 11]
    assert all(marks(case) <= {"thorough"} for case in thinned(range(12), 5))
