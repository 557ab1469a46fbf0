"""Fixes of certain mistakes, applied and run: each mistake fails on a device before, and is right after.

The two programs are built once before and once after; a mistake is a function of the first, a region of the second.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from command import ompls

MISTAKES = Path(__file__).with_name("mistakes")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`before` and `after`, executables of the mistakes; their C files beside them."""
    where = tmp_path_factory.mktemp("fixed")
    text = (MISTAKES / "fixed.c").read_text()
    for name in ("before", "after"):
        (where / f"{name}.c").write_text(text)
    fixed = ompls("check", "--select", "mapping,sharing,declare-target", "--fix", "--unsafe-fixes", where / "after.c")
    assert fixed.returncode == 0, fixed.stdout  # nothing is left
    for name in ("before", "after"):
        words = ("-w", "-fopenmp", "-fopenmp-targets=cudasim", "-o", where / name, where / f"{name}.c")
        ompls("cc", *words).check_returncode()
    return where


def results(program: Path) -> list[int]:
    # With one thread a task of the host waits until somebody waits for it.
    environ = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory", "OMP_NUM_THREADS": "1"}
    ran = lambda *words: subprocess.run([program, *words], env=environ, capture_output=True, check=False).returncode  # noqa: E731
    return [ran(str(number)) for number in range(ran())]


def test_each_mistake_fails_before_and_is_right_after_its_fix(built: Path) -> None:
    names = re.findall(r"^int (\w+)\(void\)$", (MISTAKES / "fixed.c").read_text(), re.MULTILINE)
    before, after = results(built / "before"), results(built / "after")
    assert len(before) == len(names)
    assert [name for name, code in zip(names, before, strict=True) if code == 0] == []
    assert [name for name, code in zip(names, after, strict=True) if code != 0] == []


def test_each_race_is_found_by_a_run_before_and_none_after(tmp_path: Path) -> None:
    path = tmp_path / "races.c"
    path.write_text((MISTAKES / "races.c").read_text())
    before = ompls("run", "--check", "--device", "cudasim", path)
    assert len(re.findall(r"error: data race", before.stderr)) == 7
    fixed = ompls("check", "--select", "sharing,mapping", "--fix", "--unsafe-fixes", path)
    assert "edits made" in fixed.stderr + fixed.stdout
    after = ompls("run", "--check", "--device", "cudasim", path)
    assert (after.returncode, after.stdout) == (0, "32 2016 2 4 1 3\n"), after.stderr


def test_an_atomic_of_the_wrong_form_is_compiled_after_its_fix(tmp_path: Path) -> None:
    path = tmp_path / "forms.c"
    path.write_text((MISTAKES / "forms.c").read_text())
    fixed = ompls("check", "--fix", path)
    assert (fixed.returncode, "2 edits made" in fixed.stderr + fixed.stdout) == (0, True)
    assert ompls("run", "--device", "host", path).stdout == "7 4\n"


def test_only_those_fixes_are_unsafe_that_may_change_more_than_the_mistake() -> None:
    """Nothing can rely on what a race, an absent item or freed storage did; a copy may overwrite what is newer."""
    said = ompls("check", MISTAKES / "fixed.c", MISTAKES / "races.c").stdout
    assert set(re.findall(r"unsafe fix: (\w+)", said)) == {"Add", "Change", "Insert", "Make", "Map"}
    assert len(re.findall(r"unsafe fix: ", said)) == 8
    assert set(re.findall(r"unsafe fix: Insert `#pragma omp ([a-z ]+)", said)) == {
        "target update from",
        "target update to",
    }
