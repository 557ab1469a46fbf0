"""Cases that are tried in one test: each is tried, and each that fails is named."""

from __future__ import annotations

import pytest
from together import MOST, together


def groups(test: object) -> dict[str, list[tuple[str, object]]]:
    """What pytest is given: the cases of each test, by its id."""
    (mark,) = test.pytestmark  # type: ignore[attr-defined]
    return {group.id: group.values[0] for group in mark.args[1]}


def test_all_are_tried_and_those_that_fail_are_named() -> None:
    tried = []

    @together("first, second", [(1, 1), (2, 3), (3, 3), (4, 5)], ids=["a", "b", "c", "d"])
    def equal(first: int, second: int, more: str) -> None:
        tried.append((first, more))
        if first == 4:
            with pytest.raises(ValueError, match="no"):
                int("1")
        assert first == second

    (cases,) = groups(equal).values()
    with pytest.raises(pytest.fail.Exception) as failed:
        equal(cases, more="x")
    assert tried == [(1, "x"), (2, "x"), (3, "x"), (4, "x")]
    first, *told = str(failed.value).splitlines()
    assert first == "2 of 4 cases fail"
    assert [line.partition(": line ")[0] for line in told if ": line " in line] == ["b", "d"]
    assert "assert 2 == 3" in str(failed.value)
    assert "DID NOT RAISE" in str(failed.value)


def test_what_is_left_for_later_is_another_test() -> None:
    @together("word", ["one", pytest.param("two", marks=pytest.mark.thorough, id="second")], ids=len)
    def some(word: str) -> None: ...

    assert groups(some) == {"0": [("3", ("one",))], "thorough-0": [("second", ("two",))]}


def test_many_are_several_tests() -> None:
    @together("number", range(MOST + 2))
    def some(number: int) -> None: ...

    parts = groups(some)
    assert [len(part) for part in parts.values()] == [MOST // 2 + 1] * 2
    assert {values for part in parts.values() for _, values in part} == {(number,) for number in range(MOST + 2)}
