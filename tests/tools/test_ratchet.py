"""Counts are held from above and from below."""

from __future__ import annotations

from pathlib import Path

import pytest
import ratchet


@pytest.fixture(autouse=True)
def numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratchet, "COUNTS", tmp_path / "counts.toml")
    ours = f'python = "{ratchet.PYTHON}"'
    ratchet.COUNTS.write_text(f'[a]\none = 100\n[b]\n{ours}\none = 100\n[c]\npython = "2.7"\none = 100\n')


@pytest.mark.parametrize("group", ["a", "b", "c"])
def test_a_count_that_grew_is_a_failure(group: str) -> None:
    ratchet.held(group, {"one": 103})
    with pytest.raises(AssertionError, match="3 % above: one"):
        ratchet.held(group, {"one": 104})


@pytest.mark.parametrize("group", ["a", "b"])
def test_a_number_that_is_much_too_high_is_a_failure(group: str) -> None:
    with pytest.warns(UserWarning, match="3 % below, lower the numbers: one"):
        ratchet.held(group, {"one": 91})
    with pytest.raises(AssertionError, match="10 % below, lower the numbers: one"):
        ratchet.held(group, {"one": 89})


def test_another_python_may_count_less() -> None:
    ratchet.held("c", {"one": 50})


def test_each_number_has_its_count() -> None:
    with pytest.raises(AssertionError, match="other names than in"):
        ratchet.held("a", {"one": 100, "two": 1})
