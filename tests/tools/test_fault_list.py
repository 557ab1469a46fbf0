"""The faults of `make faults` can be put into the code as it is, and what comes out of pytest is understood."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
from faults import (
    FIRST,
    LAYERS,
    ROOT,
    Fault,
    Verdict,
    compared,
    failed,
    read_faults,
    read_verdicts,
    summary,
    write_verdicts,
)


def test_fifty_faults_can_be_put_into_every_layer() -> None:
    faults = read_faults()
    assert len(faults) == 50
    assert {fault.layer for fault in faults} == set(LAYERS)
    for fault in faults:
        assert fault.says.endswith(".")
        made = fault.made_in((ROOT / fault.file).read_text(encoding="utf-8"))
        if fault.file.endswith(".py"):
            ast.parse(made)
        assert fault.tests(ROOT), fault.id


def test_a_fault_whose_place_is_gone_is_an_error() -> None:
    fault = dataclasses.replace(read_faults()[0], old="no such text")
    with pytest.raises(ValueError, match=f"'{fault.id}': its old text stands nowhere in {fault.file}"):
        fault.made_in("text")
    with pytest.raises(ValueError, match="2 times"):
        dataclasses.replace(fault, old="x").made_in("x x")


def test_every_fault_has_been_caught() -> None:
    """Else `make faults` would ask for less."""
    verdicts = read_verdicts(FIRST)
    assert list(verdicts) == [fault.id for fault in read_faults()]
    assert [name for name, verdict in verdicts.items() if not verdict.by] == []


@pytest.mark.thorough
def test_what_caught_a_fault_is_in_make_test() -> None:
    """Thinning it out must not lose what `make faults` counts."""
    wanted = {verdict.by for verdict in read_verdicts(FIRST).values()}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-m", "not thorough"]
    files = sorted({test.partition("::")[0] for test in wanted})
    done = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert sorted(wanted - set(done.stdout.splitlines())) == []


@pytest.mark.parametrize(
    ("line", "test"),
    [
        ("FAILED tests/a/test_b.py::test_c - assert 1 == 2", "tests/a/test_b.py::test_c"),
        ("FAILED tests/a/test_b.py::test_c[x - y] - E", "tests/a/test_b.py::test_c[x - y]"),
        ("FAILED tests/a/test_b.py::test_c[if(017 + 1)]", "tests/a/test_b.py::test_c[if(017 + 1)]"),
        ("ERROR tests/a/test_b.py - ImportError: no", "tests/a/test_b.py"),
        ("ERROR tests/a/test_b.py::test_c - E", "tests/a/test_b.py::test_c"),
        ("2 passed in 0.1s", ""),
    ],
)
def test_the_test_that_failed_is_found(line: str, test: str) -> None:
    assert failed(f"...\nFAILURES\n{line}\n1 failed") == test


def test_verdicts_are_kept_and_compared(tmp_path: Path) -> None:
    faults = [Fault(name, "Wrong.", "ompls/cli/run.py", "a", "b") for name in ("one", "two", "three")]
    caught, not_caught = Verdict('t.py::x["]', ("t.py",), False, 3), Verdict("", ("tests/cli",), True, 600)
    kept = tmp_path / "kept.toml"
    write_verdicts(kept, {"one": caught, "two": not_caught}, faults)
    assert read_verdicts(kept) == {"one": caught, "two": not_caught}
    assert "# [three] was not run yet" in kept.read_text()
    assert str(not_caught) == "NOT CAUGHT in time by tests/cli (600 s)"
    first = {"one": caught, "two": caught}
    assert compared({"one": caught, "two": not_caught, "three": caught}, first) == (1, 2)
    assert summary(faults, {"one": caught, "two": not_caught}, first).endswith("1 are caught: 50 %")
