"""A setting that cannot be followed is told, not passed over."""

from __future__ import annotations

import os
from pathlib import Path

import command
import pytest
import sources

from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)
TEXT = "int main(void)\n{\n    int a = 0;\n#pragma omp target map(tofrom: a)\n    a++;\n    return a != 1;\n}\n"


def says(words: tuple[str, ...], **settings: str) -> tuple[int, str]:
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory", **settings}
    done = command.ompls(*words, "--device", "epiphany", sources.kept(TEXT), env=environment)
    return done.returncode, done.stderr


@pytest.mark.parametrize("seconds", ["abc", "5s", "-1", "nan"])
def test_a_deadline_is_a_number(seconds: str) -> None:
    code, told = says(("run",), OMPLS_EPIPHANY_DEADLINE=seconds)
    assert code == 125
    assert f"OMPLS_EPIPHANY_DEADLINE={seconds} is no number of seconds; say seconds, or leave it out" in told


@pytest.mark.parametrize("seconds", ["", "0", "7.5"])
def test_others_are_taken(seconds: str) -> None:
    assert says(("run",), OMPLS_EPIPHANY_DEADLINE=seconds) == (0, "")


def test_a_library_that_is_not_there_is_no_board(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.so")
    done = command.ompls("devices", env={**os.environ, "OMPLS_EPIPHANY_HAL": missing})
    assert f"epiphany   not available: OMPLS_EPIPHANY_HAL={missing}: there is no such file" in done.stdout


def test_a_model_of_core_is_refused() -> None:
    code, told = says(("preview", "--resources", "--arch", "foo"))
    assert code == 2
    assert "all its cores are of one model, not 'foo'; leave out --arch" in told
