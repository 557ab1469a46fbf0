"""A core serves one start once, though its next look at the slot may overtake its own write to it (posted.c)."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from ompls.devices.epiphany.module import size

POSTED = Path(__file__).resolve().parent / "posted.c"


@pytest.mark.skipif(
    platform.machine() != "x86_64", reason="posted.c steps through accesses by this processor's trap flag"
)
def test_a_short_kernel_runs_once(tmp_path: Path) -> None:
    words = ["gcc", "-std=gnu17", "-O1", "-w", "-pthread", "-fno-omit-frame-pointer", f"-I{size.LIBRARY}"]
    subprocess.run([*words, POSTED, "-o", tmp_path / "posted"], check=True)
    assert subprocess.run([tmp_path / "posted"], timeout=60, check=False).returncode == 1
