"""What ssh says of a node that cannot be reached stands below the error that says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command import ompls
from waiting import LIMIT

from .conftest import an_sshd

PROGRAM = Path(__file__).parents[1] / "remote/programs/few.c"
AS_ROOT = {f"{name}_ALLOW_RUN_AS_ROOT{end}": "1" for name in ("OMPI", "PRTE") for end in ("", "_CONFIRM")}


@pytest.mark.parametrize(("offload", "code"), [("default", 0), ("mandatory", 125)])
def test_a_refused_login_is_told_below_our_line(tmp_path: Path, offload: str, code: int) -> None:
    program = tmp_path / "few"
    assert ompls("cc", "-fopenmp", "-fopenmp-targets=mpinode", "-o", program, PROGRAM).returncode == 0
    (tmp_path / "hosts").write_text("board\n")
    with an_sshd(tmp_path) as board:
        (tmp_path / "key.pub").write_text("")  # nobody may log in any more
        more = {"OMPLS_HOSTFILE": str(tmp_path / "hosts"), "OMP_TARGET_OFFLOAD": offload, **AS_ROOT}
        environment = {**board.environment, **more}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
    ours, *others = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (code, "" if code else "on the host\n")
    assert "cannot be opened: mpinode:0: board: " in ours
    assert all(line.startswith("    ") for line in others)
    assert any("Permission denied" in line for line in others)
