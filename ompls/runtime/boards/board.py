"""What is done on a board: programs are kept there, built there, and run there with our standard streams."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Set

from ..errors import RuntimeProblem
from ..launcher import GRACE, TIMED_OUT
from .call import LOST, Call, write_all
from .signs import BEAT
from .ssh import Connection

PACKAGE = Path(__file__).resolve().parents[2]
_SENT = (".py", ".c", ".h", ".cpp", ".cuh", ".S", ".ld", ".toml", ".sh")  # what building needs
_FORWARDED = {signal.SIGINT: "INT", signal.SIGTERM: "TERM", signal.SIGHUP: "HUP"}
# What is ours of an environment, but for what means something here only.
_OURS = re.compile(r"(?:OMPLS|OMP|GOMP|CUDA)_[A-Z0-9_]+\Z")
_HERE_ONLY = (
    "OMPLS_CACHE_DIR",
    "OMPLS_DEVICES",
    "OMPLS_DEVICE_PATH",
    "OMPLS_TRACE",
    "OMPLS_HOSTFILE",
    "OMPLS_CHECK_RESULT",
)


_ARCHIVE = b"\x1f\x8b"  # how one begins
_LONGEST_TRACE = 1 << 30  # bytes: it is in our memory
_ABSENT = 127  # as `run` of board.sh ends where there is no such program


def digest(files: Mapping[str, bytes], *more: str) -> str:
    """A name for this content."""
    told = hashlib.sha256()
    for text in (*more, *(part for name in sorted(files) for part in (name, files[name]))):
        data = text if isinstance(text, bytes) else os.fsencode(text)
        told.update(b"%d " % len(data) + data)
    return told.hexdigest()[:32]


def runtime() -> Dict[str, bytes]:
    """The run time and the devices, as a board needs them to build: Python of 3.8 and C."""
    from ..toolchain import PREPARED  # noqa: PLC0415 -- a run of what is built there would wait for it

    files = {"ompls/__init__.py": b""}
    for part in ("runtime", "devices"):
        for path in sorted((PACKAGE / part).rglob("*")):
            if path.suffix in _SENT and PREPARED not in path.parents and path.is_file():
                files["ompls/" + path.relative_to(PACKAGE).as_posix()] = path.read_bytes()
    return files


class Kept:
    """What is on a board by its content's name, so that nothing is sent twice."""

    def __init__(self, connection: Connection, wanted: Sequence[str]) -> None:
        """`wanted` are names below the directory; what the board's tools are is put behind an @.  Raises Lost."""
        self._connection = connection
        most = 4096 + sum(len(name) + 100 for name in wanted)
        lines = connection.ask("have", *wanted, most=most).decode("utf-8", "replace").splitlines()
        self._stamp = lines.pop().partition(" ")[2] if lines and lines[-1].startswith("stamp ") else ""
        self._missing: Set[str] = set(lines)

    def full(self, name: str) -> str:
        """The name as it is there."""
        return name.replace("@", "@" + self._stamp)

    def lacks(self, name: str) -> bool:
        return name in self._missing

    def put_files(self, name: str, files: Mapping[str, bytes]) -> None:
        """As a directory.  Raises RuntimeProblem."""
        if self.lacks(name):
            data = archive(files)
            self._connection.ask("put", name, str(len(data)), "archive", data=data)


def put_file(connection: Connection, name: str, data: Any) -> None:
    """Raises RuntimeProblem."""
    connection.ask("put", name, str(len(data)), "file", data=data)


def archive(files: Mapping[str, bytes]) -> bytes:
    """As a board takes a directory; the same for the same files."""
    import gzip  # noqa: PLC0415 -- a second run sends nothing
    import io  # noqa: PLC0415
    import tarfile  # noqa: PLC0415

    made = io.BytesIO()
    packed = gzip.GzipFile(fileobj=made, mode="wb", compresslevel=1, mtime=0)
    with packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as members:
        for name, data in (*sorted(files.items()), (".whole", b"")):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o600
            members.addfile(member, io.BytesIO(data))
    return made.getvalue()


def build(connection: Connection, words: Sequence[str], errors: Any = None) -> int:
    """Build there: what `build` of board.sh takes.  The exit code; the compiler's words come to our standard error."""
    return _made("build", connection, words, errors)


def build_by_shell(connection: Connection, words: Sequence[str], errors: Any = None) -> int:
    """The same by gcc and sh (plan.py): what `plan` of board.sh takes."""
    return _made("plan", connection, words, errors)


def _made(function: str, connection: Connection, words: Sequence[str], errors: Any) -> int:
    call = connection.call(function, *words, errors=errors)
    call.no_more()
    begun = call.begun()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
        while begun and (data := call.output.read(1 << 16)):
            write_all(2, data)
    code = call.ended()
    connection.wait_for(call.errors)
    if not connection.alive or code == LOST:
        raise connection.lost()
    return code


def settings(given: Mapping[str, str]) -> Dict[str, str]:
    """What of our environment a program there finds in its own."""
    return {name: text for name, text in given.items() if _OURS.match(name) and name not in _HERE_ONLY}


class _Signals:
    """While a program runs there, signals that ask us to end are its signals.

    A second Ctrl-C ends ssh here if the board has missed two signs of life; so does a request to end that it does not
    follow.

    ended_by -- the number of the signal for which we did that
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._old: Dict[int, Any] = {}
        self._is_interrupted = False
        self.ended_by: Optional[int] = None

    def __enter__(self) -> "_Signals":
        if threading.current_thread() is threading.main_thread():
            for number in _FORWARDED:
                self._old[number] = signal.signal(number, self._forward)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)

    def _forward(self, number: int, frame: Optional[FrameType]) -> None:
        connection = self._connection
        if number != signal.SIGINT:
            self._later(GRACE, connection.tell, "KILL")
            self._later(2 * GRACE, self._end, number)
        elif self._is_interrupted and connection.silent > 2 * BEAT:
            self._end(number)
            return
        self._is_interrupted = True
        self._later(0.0, connection.tell, _FORWARDED[signal.Signals(number)])  # a handler takes no lock

    @staticmethod
    def _later(seconds: float, work: Callable[[Any], None], given: object) -> None:
        timer = threading.Timer(seconds, work, (given,))
        timer.daemon = True
        timer.start()

    def _end(self, number: int) -> None:
        self.ended_by = number
        self._connection.cut()


def run(
    connection: Connection,
    program: str,
    make: Callable[[], Optional[int]],
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    timeout: Optional[float] = None,
) -> int:
    """Run a program there with our standard streams; its exit code as the shell there says it, 124 over its time.

    make -- called when the board does not have it; what it gives is the exit code, unless that is 0 or None
    Raises what `make` raises, and Lost when the connection ends before the program does.
    """
    code = run_kept(connection, program, arguments, environment, timeout=timeout)
    if code is None:
        code = make() or run_kept(connection, program, arguments, environment, timeout=timeout)
    if code is None:
        raise RuntimeProblem(os.path.basename(program), "the board does not have it any more", "try again")
    return code


def run_kept(
    connection: Connection,
    program: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    timeout: Optional[float] = None,
) -> Optional[int]:
    """The same of a program that the board has; None: it has it not, and nothing was run.  Raises Lost."""
    pairs = ["{}={}".format(*pair) for pair in sorted(environment.items())]
    words = ("lines" if os.isatty(1) else "whole", program, *pairs, "--", *arguments)
    call = connection.call("run", *words)
    connection.has_started = True  # as far as we know, until it says that there is none
    if not call.begun():
        code = call.ended()
        connection.wait_for(call.errors)
        if not connection.alive or code == LOST:
            connection.has_started = call.has_arrived
            raise connection.lost()
        connection.has_started = code != _ABSENT
        return code if connection.has_started else None
    with _Signals(connection) as signals:  # before it begins they end us
        output = _Output(call)
        _Input(call)
        try:
            code = call.process.wait(timeout)
        except subprocess.TimeoutExpired:
            connection.tell("KILL")
            call.kill()
            why = "still running after {:g} s: it was ended with all its processes; give it more with --timeout"
            sys.stderr.write("ompls: error: {}: {}\n".format(os.path.basename(program), why.format(timeout)))
            return TIMED_OUT
        connection.wait_for(output)
        connection.wait_for(call.errors)
    if signals.ended_by is not None:
        text = "ompls: board '{}' does not answer: the connection was ended here\n"
        sys.stderr.write(text.format(connection.board.name))
        return 128 + signals.ended_by
    if output.broken:
        return 128 + signal.SIGPIPE
    call.ended()
    return _told_code(connection, code)


def _told_code(connection: Connection, code: int) -> int:
    """The program's, of ssh's `code`.  Raises Lost."""
    if code == 128 + signal.SIGKILL and connection.ends_now():  # `watch` ended it
        raise connection.lost()
    if code < 0 or (code == LOST and not connection.alive):
        raise connection.lost()
    if code == LOST:  # ssh's own, or the program's
        told = connection.ask("code").strip()
        if not re.match(rb"[0-9]{0,3}\Z", told):
            raise connection.untrue("code")
        if int(told or LOST) != LOST:  # a full disk keeps nothing
            raise connection.lost()
    return code


def _far_side_of(connection: Connection, name: str, plan: bytes) -> str:
    """What it is called there, built if it was not."""
    place = "plans/{}-{}".format(digest({"far": plan}), os.urandom(4).hex())
    kept = Kept(connection, [name])
    full = kept.full(name)
    if kept.lacks(full):
        if sys.stderr.isatty():
            sys.stderr.write("ompls: building the far side on {}, once\n".format(connection.board.name))
        connection.ask("put", place, str(len(plan)), "archive", data=plan)
        if build_by_shell(connection, [place, full, kept.full("objects/@")]) != 0:
            raise RuntimeProblem("the far side", "the board's gcc could not build it", "see what it says above")
    return full


def serve(connection: Connection, image: bytes, environment: Mapping[str, str]) -> Call:
    """The far side of a device (ompls/devices/remote), running there; its standard streams are the line to it.

    image -- a program, or the `archive` of a plan by which the board builds it

    environment -- what it finds in its own

    Raises Lost, and RuntimeProblem when the board cannot keep it.
    """
    name = "far/" + digest({"far": image})
    if image.startswith(_ARCHIVE):
        name = _far_side_of(connection, name + "@", image)
    elif Kept(connection, [name]).lacks(name):
        put_file(connection, name, image)
    pairs = ["{}={}".format(*pair) for pair in sorted(environment.items())]
    call = connection.call("serve", name, *pairs)
    if not call.begun():
        call.ended()
        connection.wait_for(call.errors)
        raise connection.lost("the far side cannot be started")
    call.output.close()  # the line has the descriptor for itself
    return call


class _Output(threading.Thread):
    """What the program writes, to our standard output."""

    def __init__(self, call: Call) -> None:
        super().__init__(daemon=True)
        self._call = call
        self.broken = False
        sys.stdout.flush()
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while data := self._call.output.read(1 << 16):
                try:
                    write_all(1, data)
                except OSError:  # nobody reads: its next write ends it
                    self.broken = True
                    self._call.process.kill()
                    return


class _Input(threading.Thread):
    """Our standard input, to the program."""

    def __init__(self, call: Call) -> None:
        super().__init__(daemon=True)
        self._call = call
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(0, 1 << 16):
                self._call.send(data)
        self._call.no_more()


def trace(connection: Connection, record: Path) -> None:
    """The trace of the program that ran, into a file here; none when it wrote none.  Raises Lost, OSError."""
    size, _, data = connection.ask("get", most=_LONGEST_TRACE).partition(b"\n")
    if not size.strip().isdigit() or int(size) != len(data):
        raise connection.lost("its trace did not come whole")
    if data:
        record.write_bytes(data)


def facts(connection: Connection) -> Dict[str, str]:
    """What the board is, by name: `facts` of board.sh."""
    found = {}
    for line in connection.ask("facts", most=1 << 16).decode("utf-8", "replace").splitlines():
        name, _, text = line.partition(": ")
        if re.match(r"[a-z]+\Z", name):
            found[name] = "".join(c for c in text.strip() if c.isprintable())[:200]
    return found
