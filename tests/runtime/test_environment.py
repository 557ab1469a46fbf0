"""Every environment variable that ompls reads is in the table of docs/environment.md."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READ = re.compile(r'(?:getenv\(|limit_from\(|environ\.get\(|environ\[)"(OMP\w+)"')


def test_every_variable_is_documented() -> None:
    sources = [path for kind in ("*.c", "*.cpp", "*.h", "*.py") for path in (ROOT / "ompls").rglob(kind)]
    read = {name for path in sources for name in READ.findall(path.read_text(encoding="utf-8"))}
    assert {"OMPLS_DEVICES", "OMPLS_CUDASIM_MEMORY", "OMP_NUM_TEAMS"} < read
    documented = set(re.findall(r"`(OMP\w+)", (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")))
    assert read - documented == set()
