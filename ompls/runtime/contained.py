"""A command in a session of its own, with limits, that ends with all it has started when we do, however we end.

A compiler is a driver that starts the compiler proper.  What is done to the driver alone (a limit from outside, a kill,
the kernel's parent-death signal) misses the one that works.  So a shell sets the limits before anything else runs, and
starts a watcher beside the command: it reads from a pipe whose other end is ours alone.  When that is closed, by us or
because we are gone, the watcher kills the group that it is in itself, so that no number can be somebody else's by then.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import select
import shutil
import signal
import subprocess
import time
from threading import Lock
from typing import Any, Callable, Iterator, List, Optional, Sequence

GRACE = 2.0  # seconds in which a compiler that is asked to end removes its temporary files

# Files for dependencies (GCC manual, "Environment Variables Affecting GCC").
_NOTES = ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")

# SIGTERM is the command's: the shell waits for it, then ends the watcher, so that nothing is left to whom orphans go.
_SCRIPT = """trap : TERM
(trap "" TERM; read -r _; kill -KILL 0) <"/dev/fd/$1" >/dev/null 2>&1 &
shift
"$@"
code=$?
{ kill -KILL $!; wait; } 2>/dev/null
exit $code
"""


class Contained:
    """A running command; use as a context manager: whoever leaves the block early leaves nothing of it.

    A command that ends by itself may leave processes on purpose, as a compiler cache leaves its server.

    seconds -- processor time; memory, written -- bytes; each for every process, 0: no limit.  Never a core file.
    noted -- gcc may write down which files it reads where the environment names a file for that: they are the user's
    Further arguments are subprocess.Popen's.  Raises OSError when there is no such command.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        seconds: int = 0,
        memory: int = 0,
        written: int = 0,
        noted: bool = False,
        **streams: Any,
    ) -> None:
        if shutil.which(command[0]) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
        script = "".join(_ulimits(seconds, memory, written)) + _SCRIPT
        self._closing = Lock()
        reading, writing = os.pipe()
        self._line: Optional[int] = writing
        try:
            shell = ["/bin/sh", "-c", script, "ompls", str(reading), *command]
            streams.update(pass_fds=(reading,), start_new_session=True)
            if not noted:
                environment = streams.get("env") or os.environ
                streams["env"] = {k: v for k, v in environment.items() if k not in _NOTES}
            self.process: subprocess.Popen[bytes] = subprocess.Popen(shell, **streams)
        except BaseException:
            os.close(writing)
            raise
        finally:
            os.close(reading)

    def __enter__(self) -> Contained:
        return self

    def __exit__(self, *_: object) -> None:
        process = self.process
        if process.poll() is None:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.wait(GRACE)
        if process.returncode is None:
            self._signal(signal.SIGKILL)
        self.kill()
        with process:  # closes its streams and waits
            pass

    def _signal(self, number: int) -> None:
        """To the whole group; only while nobody has waited for the process, so that the number is its own."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Kill the command and all that it has started.  Any thread may do that at any time."""
        with self._closing:
            line, self._line = self._line, None
        if line is not None:
            os.close(line)

    def wait(self, timeout: float = math.inf) -> int:
        """The exit code, 128 + N when signal N ended it.  Raises subprocess.TimeoutExpired."""
        deadline = time.monotonic() + timeout
        with _sleeper(self.process.pid) as sleep:
            while self.process.poll() is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise subprocess.TimeoutExpired(self.process.args, timeout)
                sleep(min(left, 1e6))  # poll's milliseconds are an int
        return self.process.returncode


@contextlib.contextmanager
def _sleeper(pid: int) -> Iterator[Callable[[float], object]]:
    """A function that sleeps for some seconds, or until the process `pid` ends."""
    try:
        descriptor = os.pidfd_open(pid)  # type: ignore[attr-defined,unused-ignore]
    except (OSError, AttributeError):  # not Linux, or one from before 5.3
        yield lambda seconds: time.sleep(min(seconds, 0.01))
        return
    try:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        yield lambda seconds: ended.poll(seconds * 1000)
    finally:
        os.close(descriptor)


def _ulimits(seconds: int, memory: int, written: int) -> List[str]:
    """Commands that set the limits.  One that the system does not know, or that is lower already, stays as it is."""
    wanted = [("c", 0)]
    wanted += [(name, size) for name, size in (("t", seconds), ("v", memory >> 10), ("f", written >> 9)) if size]
    return ["ulimit -{} {} 2>/dev/null\n".format(name, size) for name, size in wanted]


def asked_for_notes() -> bool:
    """Whether the environment names a file in which gcc writes which files it reads."""
    return any(os.environ.get(name) for name in _NOTES)
