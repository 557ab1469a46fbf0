"""`make peers` tells right programs from those that differ, that we refuse, and that are not its business."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools/peers.py"
PROGRAMS = {
    "right": """#include <stdio.h>
int main(void) {
    double sum = 0;
    #pragma omp target map(tofrom: sum)
    for (int i = 1; i < 4; i++) sum += 1.0 / i;
    printf("%.9f\\n", sum);
}""",
    # Says on which device it runs: what gcc's own execution prints is another number.
    "differs": """#include <omp.h>
#include <stdio.h>
int main(void) {
    int initial = 1;
    #pragma omp target map(from: initial)
    initial = omp_is_initial_device();
    printf("on the host: %d\\n", initial);
}""",
    "refused": """int main(void) {
    long double x = 0;
    #pragma omp target map(x)
    x += 1;
    return 0;
}""",
    "host": """int main(void) {
    int x = 0;
    #pragma omp target if(x)
    x = 1;
    return 0;
}""",
    "fails": "int main(void) {\n#pragma omp target\n;\nreturn 1; }",
    "no_target": "int main(void) { return 0; }",
}


@pytest.mark.thorough
def test_each_program_gets_its_verdict(tmp_path: Path) -> None:
    for name, text in PROGRAMS.items():
        (tmp_path / f"{name}.c").write_text(text)
    found = tmp_path / "found.json"
    command = [sys.executable, TOOL, tmp_path, "--device", "cudasim", "--jobs", "1", "--json", found]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    verdicts = {Path(o["file"]).stem: o["verdict"] for o in json.loads(found.read_text())}
    expected = {name: name for name in ("right", "differs", "refused", "host")}
    assert verdicts == expected, done.stdout + done.stderr
    assert "'on the host: 0' instead of 'on the host: 1'" in done.stdout
    assert done.returncode == 1
