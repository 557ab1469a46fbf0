"""What tests share is made once, whole, and where it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sources

Once = Callable[[str, Callable[[Path], object]], Path]


def test_it_is_made_once_and_after_a_failure_again(once: Once) -> None:
    made: list[Path] = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_text(str(len(made)))
        if len(made) == 1:
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        once("shared", make)
    assert [once("shared", make).read_text() for _ in range(3)] == ["2"] * 3
    assert len(made) == 2


def test_a_text_has_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PLACE", tmp_path)
    one, again, other = (sources.kept(text) for text in ("int x;\n", "int x;\n", "int y;\n"))
    assert one == again != other
    assert (one.read_text(), one.name) == ("int x;\n", "x.c")
