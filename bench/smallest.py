"""`--smallest`, which every program of bench/ takes: it runs once, as small as it can, to show that it still works.

Its figures mean nothing then, so it keeps no goals.  tests/tools/test_bench.py runs all.  One that measures what
a machine may lack ends with `lacks`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from typing import NoReturn

LACKS = 77  # the exit code; automake's for a test that is skipped


def parser(description: str | None) -> argparse.ArgumentParser:
    """One with that option."""
    made = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    made.add_argument("--smallest", action="store_true", help="once, as small as it can: does it work at all?")
    return made


def lacks(what: str) -> NoReturn:
    """End: this machine has not what is measured."""
    print(what, file=sys.stderr)
    raise SystemExit(LACKS)


def needs(device: str) -> None:
    """End where that device is not available."""
    done = subprocess.run([sys.executable, "-m", "ompls", "devices"], capture_output=True, text=True, check=True)
    said = next((line for line in done.stdout.splitlines() if line.split()[0] == device), f"{device} is no device")
    if said.split()[1:2] != ["available"]:
        lacks(said)
