"""The suite again with the module under AddressSanitizer and UBSan, and the device process under UBSan."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SUITES = ("device_lib", "engine", "errors", "faults", "process")  # one test each, so that workers share them


@pytest.mark.thorough
@pytest.mark.timeout(900)
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize(
    ("tests", "may_be_none"),
    [("not thorough", False), pytest.param("thorough and not exhaustive", True, marks=pytest.mark.exhaustive)],
)
def test_the_suite_under_sanitizers(suite: str, tests: str, may_be_none: bool, tmp_path: Path) -> None:
    if os.environ.get("OMPLS_TEST_SANITIZE") == "1":
        pytest.skip("this is the run under sanitizers")
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    environment = {
        **os.environ,
        "OMPLS_TEST_SANITIZE": "1",
        "LD_PRELOAD": library.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0",  # Python itself leaks
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    # One is about `ompls run`, whose process is no other than in the run without sanitizers.
    elsewhere = "test_barriers_in_two_branches_of_a_program_are_told_by_its_lines"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", tests]
    command += ["-k", f"not {elsewhere}", f"--basetemp={tmp_path / 'inner'}", str(HERE / f"test_{suite}.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=HERE.parents[1])
    right = (pytest.ExitCode.OK, *([pytest.ExitCode.NO_TESTS_COLLECTED] if may_be_none else []))
    assert done.returncode in right, done.stdout[-8000:] + done.stderr[-8000:]
