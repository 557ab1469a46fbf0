"""Regions wherever C allows a statement, under any names, in any file: the program prints what it does without us.

`contexts.c` has form feeds and U+2028 in comments; it is also read with CRLF and with a byte order mark.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from command import ompls
from thinned import thinned

HERE = Path(__file__).parent


def _plain(text: bytes) -> bytes:
    return text


def _crlf(text: bytes) -> bytes:
    return text.replace(b"\n", b"\r\n")


def _bom(text: bytes) -> bytes:
    return b"\xef\xbb\xbf" + text


@pytest.mark.parametrize(
    ("written", "device"), thinned([(_plain, "cudasim"), (_plain, "host"), (_crlf, "cudasim"), (_bom, "host")], 4)
)
@pytest.mark.thorough
def test_prints_the_same_on_a_device(written: object, device: str, tmp_path: Path) -> None:
    assert callable(written)
    source = tmp_path / "contexts.c"
    source.write_bytes(written((HERE / "contexts.c").read_bytes()))
    shutil.copy(HERE / "contexts.h", tmp_path)
    gcc = ["gcc", "-w", "-fopenmp", "-foffload=disable", source, "-o", tmp_path / "program"]
    subprocess.run(gcc, check=True)
    expected = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True, timeout=60).stdout
    assert expected.startswith("teams 1")
    done = ompls("run", "--timeout", "60", "--device", device, source)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected
