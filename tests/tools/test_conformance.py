"""The conformance runner counts right: on a suite of three files whose outcome is known."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

GOOD = """\
#include <stdio.h>
#include "ompvv.h"
int main(void)
{
    int n = 1;
    PROBE
    #pragma omp target map(tofrom: n)
    n++;
    printf("[OMPVV_RESULT: good.c] Test passed on the %s.\\n", "device");
    return n - 2;
}
"""
WRONG = GOOD.replace("return n - 2;", "return 1;")
FAILED = "[OMPVV_RESULT: many.c] Test failed on the device."
MANY_WRONG = GOOD.replace("return n - 2;", f'printf("{FAILED}\\n"); return 8192;')
NO_REGION = GOOD.replace("    PROBE\n", "").replace("target map(tofrom: n)", "target data map(to: n)")
NOT_OURS = "int main(void)\n{\n    #pragma omp parallel\n    { }\n    return 0;\n}\n"
HEADER = '#define PROBE _Pragma("omp target map(tofrom: n)") { n += 0; }\n'


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "ompvv").mkdir()
    (tmp_path / "ompvv/ompvv.h").write_text(HEADER)
    for version in ("4.5", "5.0"):
        (tmp_path / "tests" / version).mkdir(parents=True)
    (tmp_path / "tests/4.5/good.c").write_text(GOOD)
    (tmp_path / "tests/4.5/wrong.c").write_text(WRONG)
    (tmp_path / "tests/4.5/many_wrong.c").write_text(MANY_WRONG)
    (tmp_path / "tests/4.5/on_the_host.c").write_text(GOOD.replace('"device"', '"host"'))
    (tmp_path / "tests/4.5/host_only.c").write_text(NOT_OURS)
    (tmp_path / "tests/5.0/no_region.c").write_text(NO_REGION)
    return tmp_path


@pytest.mark.thorough
def test_the_table_and_the_reasons(suite: Path, tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "tools/conformance.py", suite, "--versions", "4.5,5.0", "--device", "host"]
    command += ["--list-failures", "--json", tmp_path / "out.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.startswith(" ")}
    assert rows["4.5"][1:3] == ["4", "8/8"]
    assert rows["5.0"][1:3] == ["1", "0/0"]
    assert rows["all"][1:3] == ["5", "8/8"]
    assert "tests/4.5/wrong.c: exit code 1" in done.stdout
    assert f"many_wrong.c: exit code 0: {FAILED}" in done.stdout
    assert "on_the_host.c: exit code 0: [OMPVV_RESULT: good.c] Test passed on the host." in done.stdout
    assert "tests/5.0/no_region.c: no region ran on the device" in done.stdout
    stages = {
        Path(entry["file"]).stem: entry["stages"]
        for group in json.loads((tmp_path / "out.json").read_text())["versions"].values()
        for entry in group
    }
    everything = {"regions": True, "clean": True, "translated": True, "compiled": True}
    assert stages == {
        "good": {**everything, "passed": True},
        "wrong": {**everything, "passed": False},
        "many_wrong": {**everything, "passed": False},
        "on_the_host": {**everything, "passed": False},
        "no_region": {**everything, "passed": False},
    }


@pytest.mark.thorough
def test_a_library_more_devices_and_markdown(suite: Path) -> None:
    (suite / "ompvv/libompvv.h").write_text("int of_library(void);\n")
    (suite / "ompvv/libompvv.c").write_text(
        '#include "libompvv.h"\nint of_library(void)\n{\n    int a = 0;\n'
        "#pragma omp target map(from : a)\n    a = 3;\n    return a;\n}\n"
    )
    text = '#include <omp.h>\n#include "libompvv.h"\nint main(void)\n{\n    int x = 0;\n'
    text += "#pragma omp target map(x) device(0)\n    x = 3;\n"
    (suite / "tests/4.5/uses_library.c").write_text(text + "    return x != of_library();\n}\n")
    (suite / "tests/4.5/two_devices.c").write_text(text + "    return omp_get_num_devices() < 2 ? 101 : 0;\n}\n")
    command = [sys.executable, ROOT / "tools/conformance.py", suite, "--versions", "4.5", "--device", "host"]
    done = subprocess.run([*command, "--markdown"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[3].split(" | ")[-1] == "3 |"
    assert [line.split(" | ")[0] for line in lines if "`" in line] == [
        "| `4.5/many_wrong.c`", "| `4.5/on_the_host.c`", "| `4.5/wrong.c`",
    ]  # fmt: skip


def test_what_is_no_suite_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "tools/conformance.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no directory 'tests'" in done.stderr
