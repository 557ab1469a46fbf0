"""Running a built program: its streams are ours, its end is ours, ours is its end, and nothing of it stays behind.

Exit codes: the program's own, 128 + N when signal N ended it, 124 when it ran over its time.  The program stays in our
process group, so the terminal treats it as it would without us.  We are the subreaper of what it starts: when its time
is over, everything that descends from it is killed, however it detached itself.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set

from .errors import RuntimeProblem
from .processes import children, end_with, kill_all

if TYPE_CHECKING:
    from .build import Built

TIMED_OUT = 124
GRACE = 3.0  # seconds between a forwarded request to end and the kill
PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER = 36, 37


def environment(
    built: Built,
    base: Optional[Mapping[str, str]] = None,
    trace: Optional[Path] = None,
    content: bool = False,
    values: int = 0,
) -> Dict[str, str]:
    """The environment of the program: which devices it has, where its trace goes, which tells contents apart or not.

    values -- how many bytes of each item the trace keeps
    """
    from .devices import named  # noqa: PLC0415 -- programs on boards are waited for, too, without any device of ours

    env = dict(os.environ if base is None else base)
    env["OMPLS_DEVICES"] = built.devices
    for device, _ in named(built.devices):
        for name, value in device.environment(env).items():
            env.setdefault(name, value)
    if trace is not None:
        env["OMPLS_TRACE"] = str(trace)
    if content:
        env["OMPLS_TRACE_CONTENT"] = "1"
    if values:
        env["OMPLS_TRACE_VALUES"] = str(values)
    return env


def command(built: Built, args: Sequence[str] = ()) -> List[str]:
    """The command line that runs a built program."""
    return [str(built.program.resolve()), *args]


@contextmanager
def _subreaper() -> Iterator[None]:
    """What the program leaves is our child until it has run; later orphans are not ours again, if they were not."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    before = ctypes.c_int()
    prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


def _terminal_signals_both() -> bool:
    """Whether Ctrl-C reaches the program without our help."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


class _Forwarding:
    """While the program runs, signals that ask us to end are the program's.  In force before the program starts."""

    def __init__(self, keep: Set[int]) -> None:
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._keep = keep
        self._old: Dict[int, Any] = {}
        self._early: List[int] = []
        self.asked = False  # somebody wants us to end

    def __enter__(self) -> _Forwarding:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                self._old[number] = signal.signal(number, self._forward)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)

    def attach(self, process: subprocess.Popen[bytes]) -> None:
        """The program runs: it gets what came meanwhile."""
        self._process = process
        for number in self._early:
            process.send_signal(number)

    def _kill(self) -> None:
        if self._process is not None:
            kill_all(self._keep, self._process.pid)

    def _forward(self, number: int, frame: Optional[FrameType]) -> None:
        self.asked = True
        if number != signal.SIGINT:
            timer = threading.Timer(GRACE, self._kill)
            timer.daemon = True
            timer.start()
        elif _terminal_signals_both():
            return
        if self._process is None:
            self._early.append(number)
        elif self._process.poll() is None:
            self._process.send_signal(number)


def _hint(error: OSError) -> str:
    """What to do about a program that cannot be started."""
    if error.errno == errno.E2BIG:
        return "give it less: arguments and environment together are limited"
    if error.errno == errno.EACCES:
        return "look whether its directory is mounted noexec (TMPDIR, OMPLS_CACHE_DIR), or build it again"
    return "build it again"


def run(
    built: Built,
    args: Sequence[str] = (),
    timeout: Optional[float] = None,
    env: Optional[Mapping[str, str]] = None,
    debugger: Sequence[str] = (),
) -> int:
    """Run a program, maybe under a debugger, and return its exit code (see the head of this file).

    timeout -- in seconds.  debugger -- the command line to which the program's is added.

    Raises RuntimeProblem when the program cannot be started.
    """
    before = set(children().get(os.getpid(), set()))
    with _subreaper(), _Forwarding(before) as forwarding:
        try:
            process = subprocess.Popen(
                [*debugger, *command(built, args)],
                env=dict(environment(built) if env is None else env),
                preexec_fn=functools.partial(end_with, os.getpid()),  # noqa: PLW1509 -- it makes system calls only
            )
        except OSError as error:
            raise RuntimeProblem(str(built.program), error.strerror or str(error), _hint(error)) from error
        forwarding.attach(process)
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            kill_all(before, process.pid)
            process.wait()
            _say(
                "{}: still running after {:g} s: it was ended with all its processes; give it more with --timeout",
                built,
                timeout,
            )
            return TIMED_OUT
        if forwarding.asked:
            kill_all(before, process.pid)
    if status >= 0:
        return status
    names = {int(known): known.name for known in signal.Signals}
    _say("{}: ended by signal {} ({})", built, -status, names.get(-status, "a real-time signal"))
    return 128 - status


def _say(text: str, built: Built, *rest: object) -> None:
    sys.stderr.write("ompls: error: " + text.format(built.program.name, *rest) + "\n")
