"""The alarm that keeps commands awake is nobody else's (that it wakes: tests/cli/test_interrupted.py).

And the end after a Ctrl-C is ours, wherever Python was.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Each prints the seconds to the next alarm; pytest's own alarm is not in the way in a process of its own.
BEGIN = """
import os, signal
from ompls.runtime import start
from ompls.runtime.awake import awake
def left(*_): print(signal.getitimer(signal.ITIMER_REAL)[0] // 1, signal.getsignal(signal.SIGALRM) is signal.SIG_DFL)
"""
USES = {
    "a limit of somebody's": ("signal.alarm(1000)\nwith awake(): left()\nleft()", "999.0 True\n" * 2),
    "ours": ("with awake(): left()\nleft()", "0.0 False\n0.0 True\n"),
    "who replaces us": (
        "os.execv = lambda *_: print(signal.getitimer(signal.ITIMER_REAL))\nwith awake(): start.become('main')",
        "(0.0, 0.0)\n",
    ),
}


@pytest.mark.parametrize("use", USES)
def test_the_alarm_is_ours_alone(use: str) -> None:
    code, expected = USES[use]
    done = subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (expected, "")


HANDLED = """
import sys
from ompls.runtime.awake import awake
try:
    with awake():
        exec("import signal; signal.raise_signal(signal.SIGINT)")
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_a_ctrl_c_in_a_text_that_python_executes_is_handled(tmp_path: Path) -> None:
    (tmp_path / "handled.py").write_text(HANDLED)  # a module: only after `python -m` does Python end itself
    done = subprocess.run([sys.executable, "-m", "handled"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
