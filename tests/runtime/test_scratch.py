"""Temporary directories: private, removed at the end, and by the next process where there was no end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ompls.runtime import scratch

HOLD = "from ompls.runtime.scratch import scratch\nwith scratch() as path:\n  print(path, flush=True)\n  input()\n"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(scratch.tempfile, "tempdir", None)


def old(path: Path) -> None:
    """It was made an hour ago."""
    lock = path / scratch.LOCK
    then = lock.stat().st_mtime - 3600
    os.utime(lock, (then, then))


def holder() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_it_is_private_and_goes_at_the_end(tmp_path: Path) -> None:
    with scratch.scratch() as path:
        assert path.parent == tmp_path
        assert path.stat().st_mode & 0o777 == 0o700
        (path / "deep").mkdir()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    process, left = holder()
    old(left)
    with scratch.scratch() as path:
        assert sorted(tmp_path.iterdir()) == sorted([left, path]), "its process lives"
    process.kill()
    process.communicate()
    assert left.exists()
    with scratch.scratch() as path:
        assert list(tmp_path.iterdir()) == [path]


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    """A young directory may be one that is not locked yet; one without our file is the user's."""
    process, young = holder()
    process.kill()
    process.communicate()
    users = tmp_path / "ompls-work"
    users.mkdir(mode=0o700)
    for name, mode, note in (
        ("ompls-note", 0o700, ""),
        ("ompls-abcdefgh", 0o755, ""),
        ("ompls-notebook", 0o700, "mine"),
    ):
        (tmp_path / name).mkdir(mode=mode)
        (tmp_path / name / scratch.LOCK).write_text(note)
        (tmp_path / name / "thesis.tex").touch()
        old(tmp_path / name)
    (tmp_path / "ompls-12345678").mkdir(mode=0o700)
    os.mkfifo(tmp_path / "ompls-12345678" / scratch.LOCK)
    old(tmp_path / "ompls-12345678")
    (tmp_path / "ompls-file").touch()
    (tmp_path / "ompls-link").symlink_to(users)
    before = sorted(tmp_path.iterdir())
    with scratch.scratch():
        pass
    assert sorted(tmp_path.iterdir()) == before
    assert len(list(tmp_path.glob("*/thesis.tex"))) == 3
    assert young.exists()
