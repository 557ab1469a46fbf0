"""`ompls cache`: it shows and deletes what is ours, and nothing else that lies there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests_cli_paths import EXAMPLES


def test_it_is_shown_and_cleared(ompls, process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(cache))
    assert ompls("cache").out == f"{cache}: 0 files, 0 B\n"
    for users in ("go/mine", "headers/x.json", "ab/notes.txt", "file"):
        (cache / users).parent.mkdir(parents=True, exist_ok=True)
        (cache / users).write_text("mine")
    users_files = {path for path in cache.rglob("*") if path.is_file()}
    assert process("run", "--device", "host", EXAMPLES / "saxpy.c").code == 0
    assert {path for path in cache.rglob("*") if path.is_file()} > users_files
    shown = ompls("cache", "show").out
    assert " 0 files" not in shown
    assert ompls("cache", "clear").out == shown.rstrip("\n") + " deleted\n"
    assert {path for path in cache.rglob("*") if path.is_file()} == users_files
    assert ompls("cache").out == f"{cache}: 0 files, 0 B\n"


def test_an_unknown_action_is_refused(ompls) -> None:
    done = ompls("cache", "drop")
    assert done.code == 2
    assert "invalid choice: 'drop'" in done.err
