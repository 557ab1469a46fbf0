"""The server in a real Emacs with eglot (Emacs 29, or 28 with the package eglot), where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .test_editors import MISTAKE

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("emacs.el")
EMACS = shutil.which("emacs")


def has_eglot() -> bool:
    if EMACS is None:
        return False
    load = "(progn (package-initialize) (require 'eglot))"
    return subprocess.run([EMACS, "--batch", "--eval", load], capture_output=True, check=False).returncode == 0


def test_emacs_shows_and_repairs_a_mistake(tmp_path: Path) -> None:
    if not has_eglot():  # which takes a second, so it is not asked of whoever collects tests
        pytest.skip("no Emacs with eglot: apt-get install emacs-nox elpa-eglot")
    path = tmp_path / "a.c"
    path.write_text(MISTAKE)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "OMPLS": str(Path(sys.executable).with_name("ompls")),
        "PYTHONPATH": str(ROOT),
    }
    assert EMACS is not None
    done = subprocess.run(
        [EMACS, "--batch", "--eval", "(package-initialize)", "-l", str(SCRIPT), str(path)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    print(done.stderr)
    assert done.stdout.split("\n")[:-1] == [
        "server ompls",
        "under the mistake: tarrget teams distribute parallel for",
        "repaired: #pragma omp target teams distribute parallel for map(to : x[0:n]) map(tofrom : y[0:n])",
        "diagnostics: none",
        "hover: how it is mapped",
        "data environment: device 0, which runs here",
    ]
