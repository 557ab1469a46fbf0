"""`ompls cache`: it shows and deletes what is ours, and nothing else that lies there."""

from __future__ import annotations

import itertools
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from damage import DAMAGES
from tests_cli_paths import EXAMPLES
from waiting import until

from ompls.project.cache import DiskCache
from ompls.project.compiler import Preprocessed
from ompls.runtime import cache
from ompls.runtime.toolchain import Toolchain


def test_it_is_shown_and_cleared(ompls, process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "cache"
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(place))
    assert ompls("cache").out == f"{place}: 0 files, 0 B\n"
    for users in ("go/mine", "headers/x.json", "ab/notes.txt", "file"):
        (place / users).parent.mkdir(parents=True, exist_ok=True)
        (place / users).write_text("mine")
    users_files = {path for path in place.rglob("*") if path.is_file()}
    assert process("run", "--device", "host", EXAMPLES / "saxpy.c").code == 0
    assert {path for path in place.rglob("*") if path.is_file()} > users_files
    shown = ompls("cache", "show").out
    assert " 0 files" not in shown
    assert ompls("cache", "clear").out == shown.rstrip("\n") + " deleted\n"
    assert {path for path in place.rglob("*") if path.is_file()} == users_files
    assert ompls("cache").out == f"{place}: 0 files, 0 B\n"


@pytest.mark.parametrize("first", range(0, len(DAMAGES), 2))
@pytest.mark.thorough
def test_what_was_damaged_there_is_made_again(process, tmp_path: Path, first: int) -> None:
    """Each file in another way; then all of it can be used, and be cleared."""
    env = {"OMPLS_CACHE_DIR": str(tmp_path / "cache")}
    command = ("run", "--device", "cudasim", EXAMPLES / "saxpy.c")
    right = process(*command, env=env)
    assert (right.code, right.err) == (0, "")
    kept = sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.suffix != ".sum")
    assert {path.suffix for path in kept} >= {"", ".o", ".cu"}
    ways = itertools.islice(itertools.cycle(DAMAGES.values()), first, None)
    for path, damage in zip(kept, ways, strict=False):
        damage(path)
    assert process(*command, env=env) == right
    (tmp_path / "cache" / "ab" / ("c" * 62) / "directory").mkdir(parents=True)
    process("cache", "clear", env=env)
    assert not [path for path in (tmp_path / "cache").rglob("*") if len(path.name) > 2]


def test_what_cannot_be_deleted_is_told(ompls, process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str) -> None:
        raise PermissionError(path)

    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "cache"))
    assert process("check", "--quiet", EXAMPLES / "saxpy.c").code == 0
    monkeypatch.setattr(cache, "_clear", refused)
    done = ompls("cache", "clear")
    assert (done.code, done.out) == (1, "")
    assert "files are still there" in done.err


def test_it_is_cleared_when_no_build_is_at_work_with_it(tmp_path: Path) -> None:
    env = {**os.environ, "OMPLS_CACHE_DIR": str(tmp_path / "cache")}
    with Toolchain(tmp_path / "cache") as tools:
        made = tools.scratch / "made"
        made.touch()
        kept = cache.Cache(tmp_path / "cache").put("ab" * 32, "", made)
        clear = subprocess.Popen(
            [sys.executable, "-m", "ompls", "cache", "clear"], env=env, stdout=subprocess.PIPE, text=True
        )
        waits = re.compile(rf"-> FLOCK .*:{(tmp_path / 'cache').stat().st_ino} ")
        assert until(lambda: waits.search(Path("/proc/locks").read_text()))
        assert kept.exists()
    assert clear.communicate(timeout=60)[0].endswith(" deleted\n")
    assert not kept.exists()


def test_an_unknown_action_is_refused(ompls) -> None:
    done = ompls("cache", "drop")
    assert done.code == 2
    assert "invalid choice: 'drop'" in done.err


def test_what_a_killed_process_was_storing_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lies in the directory, under a name of ours, and nowhere else."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(os, "replace", lambda *_: os._exit(9))
        DiskCache(tmp_path / "kept").store("ab" * 32, Preprocessed((), {}, [], [], [], []))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert list((tmp_path / "tmp").iterdir()) == []
    assert len(cache.Cache(tmp_path / "kept").sizes()) == 1
    cache.Cache(tmp_path / "kept").drop(math.inf)
    assert [path for path in (tmp_path / "kept").rglob("*") if path.is_file()] == []
