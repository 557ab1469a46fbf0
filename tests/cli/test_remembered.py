"""What a program is called on a board is known as long as nothing that decides it changes."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from damage import FORMS, rewritten

from ompls.cli import remembered
from ompls.cli.engine import analyze
from ompls.cli.problem import warn
from ompls.cli.remembered import Remembered
from ompls.runtime.boards.registered import Board

BOARD = Board("nano", "me@nano", facts={"gcc": "12.2.0"})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with a header in the second of two directories; nothing else of the machine may matter."""
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "cache"))
    place = tmp_path / "project"
    for name in ("first", "second"):
        (place / name).mkdir(parents=True)
    (place / "main.c").write_text('#include "n.h"\nint main(void) { return N; }\n')
    (place / "second/n.h").write_text("#define N 1\n")
    monkeypatch.chdir(place)
    monkeypatch.setattr(remembered, "_TICK", -60.0)  # nobody waits
    monkeypatch.setattr(remembered, "_ours", lambda place: iter(()))
    monkeypatch.delenv("OMPLS_DEVICE_PATH", raising=False)
    return place


def given(**others: object) -> argparse.Namespace:
    said: dict[str, object] = {"remote": "nano", "files": ["main.c"], "flags": ["-Ifirst", "-Isecond"], "openmp": None}
    return argparse.Namespace(**(said | {"database": None, "tool_prefix": None} | others))


def known(**others: object) -> str | None:
    return Remembered(given(**others), BOARD, "host").program


def keep(memory: Remembered | None = None) -> Remembered:
    arguments = given()
    memory = memory or Remembered(arguments, BOARD, "host")
    with memory.listening():
        units = list(analyze(arguments.files, arguments.flags))
    memory.keep("programs/x@/main", units[0].looked_for)
    return memory


def test_it_is_known_the_second_time(project: Path) -> None:
    assert keep().program is None
    assert known() == "programs/x@/main"


def _same_size_and_time(project: Path) -> None:
    header = project / "second/n.h"
    before = header.stat()
    header.write_text("#define N 2\n")
    os.utime(header, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replaced(project: Path) -> None:
    (project / "new").write_text((project / "main.c").read_text())
    (project / "new").rename(project / "main.c")


@pytest.mark.parametrize(
    "change",
    [
        _same_size_and_time,
        _replaced,
        lambda project: (project / "first/n.h").write_text("#define N 3\n"),
        lambda project: (project / "n.h").write_text("#define N 3\n"),
        lambda project: (project / ".ompls.toml").write_text('flags = ["-DX"]\n'),
        lambda project: (project.parent / "compile_flags.txt").write_text("-DX\n"),
        lambda project: (project / "build").mkdir() or (project / "build/compile_commands.json").write_text("[]"),
        lambda project: (project / "second/n.h").unlink(),
    ],
)
def test_it_is_not_known_when_a_file_changed(project: Path, change: Callable[[Path], object]) -> None:
    keep()
    change(project)
    assert known() is None


def test_it_is_not_known_for_another_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep()
    assert known(flags=["-Isecond", "-Ifirst"]) is None
    assert known(openmp="5.1") is None
    assert Remembered(given(), BOARD, "cudasim").program is None
    assert Remembered(given(), replace(BOARD, facts={"gcc": "13.1.0"}), "host").program is None
    monkeypatch.setenv("CPATH", str(project / "first"))
    assert known() is None
    monkeypatch.delenv("CPATH")
    assert known() is not None
    monkeypatch.setattr(remembered, "_ours", lambda place: iter([("ompls/new.py", 1, 1)]))  # another version of us
    assert known() is None


def test_headers_of_the_system_and_we_ourselves_decide(tmp_path: Path) -> None:
    file = tmp_path / "main.c"
    file.write_text("#include <stdio.h>\n")
    (unit,) = analyze([str(file)], [])
    assert any(path.endswith("/stdio.h") for path in unit.looked_for)
    assert remembered.__file__ in {path for path, _, _ in remembered._ours(Path(remembered.__file__).parents[1])}


def test_what_is_made_of_us_does_not_decide(tmp_path: Path) -> None:
    """Objects that are there for all programs are touched by every build that uses them."""
    for name in ("build.py", "prepared/b1/57.o", "__pycache__/build.pyc", "core/core.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert {Path(path).name for path, _, _ in remembered._ours(tmp_path)} == {"build.py", "core.h"}


def test_what_changes_meanwhile_is_not_remembered(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_TICK", 0.1)
    memory = Remembered(given(), BOARD, "host")
    (project / "second/n.h").write_text("#define N 2\n")
    keep(memory)
    assert known() is None
    time.sleep(0.2)
    keep()
    assert known() is not None


def test_what_was_said_will_be_said_again(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory = Remembered(given(), BOARD, "host")
    with memory.listening():
        warn("look at this")
    memory.keep("programs/x@/main", [])
    assert known() is None
    assert "look at this" in capsys.readouterr().err


def test_a_device_of_somebody_else_is_not_remembered(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(project))
    keep()
    assert known() is None


def test_an_entry_of_another_form_is_as_good_as_none(project: Path, tmp_path: Path) -> None:
    keep()
    (entry,) = (tmp_path / "cache").rglob("*" + remembered._SUFFIX)
    for form in FORMS:
        rewritten(entry, form)
        assert known() is None
