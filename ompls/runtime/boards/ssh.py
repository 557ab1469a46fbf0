"""A login on a board, with OpenSSH's own client: the user's configuration, keys and questions.

One login carries everything (ControlMaster): its own call is `watch` of board.sh, which ends what was started there
when we are gone; other calls go over its socket, in a private directory.  What the far shell gets as a command is
always the same line; what is to be done comes over standard input.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any, Callable, Optional, Sequence, Tuple, TypeVar

from ..errors import RuntimeProblem, one_line
from . import logins
from .call import LONGEST, LOST, UNTRUE, Call, Errors, is_ready
from .registered import Board
from .signs import SILENCE, Signs, is_stopped

COMMAND = 'exec sh -c \'IFS= read -r n && eval "$(head -c "$n")"\''
LOGIN = 120.0  # seconds for a login, with its questions
_LOOK = 0.05  # seconds between looks
PARTING = 5.0  # seconds for the board to end what still runs there
_FAILED = "ompls: error: "  # as `fail` of board.sh begins
Result = TypeVar("Result")
_OPTIONS = (
    "ForwardAgent=no",
    "ForwardX11=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "RequestTTY=no",
    "EscapeChar=none",
    "StdinNull=no",
    "ForkAfterAuthentication=no",
    "SessionType=default",
    "RemoteCommand=none",
    "ServerAliveInterval=3",
    "ServerAliveCountMax=4",
    "ConnectTimeout=20",
)


class Lost(RuntimeProblem):
    """The board cannot be reached, or not any more."""

    again = False  # whether another login may help: there was one, and nothing of the user's had begun


def _ignore_interrupt() -> None:
    """Ctrl-C is for the program there; what asks for a password at the terminal handles it itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Connection:
    """A login on a board; a context manager.  It begins at once, and `ready` waits for it: we can work meanwhile.

    scratch -- a private directory
    """

    def __init__(self, board: Board, scratch: Path) -> None:
        self.board, self.mark = board, "ompls" + os.urandom(16).hex()
        self._socket = str(scratch / "s")
        self._errors = open(str(scratch / "ssh"), "w+b")  # noqa: SIM115 -- as long as the connection
        master = ["ControlMaster=yes", "ControlPath={}".format(self._socket), "ControlPersist=no"]
        self._is_ready = self.is_cut = False
        self._closed = threading.Event()
        self._sending = threading.Lock()
        self._opening: Optional[threading.Thread] = None
        self._spare: Optional[Call] = None
        self.has_started = False  # a program of the user's
        self._watch = self._session(master, self._errors, preexec_fn=_ignore_interrupt)
        try:
            self._watch.begin(board.directory, "watch", [str(SILENCE)])
            self._signs = Signs(self._watch, self.cut)
        except BaseException:  # nobody else can end it
            self._watch.kill()
            raise

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _session(self, options: Sequence[str], errors: Any, **how: Any) -> Call:
        """A far shell that waits for what is to be done.

        errors -- a file for its standard error; None: it is ours
        how -- arguments of subprocess.Popen
        """
        ours, theirs = socket.socketpair()  # and no pipes: a broken one would end a program by SIGPIPE
        command = ["ssh", "-T"]
        for option in (*options, *_OPTIONS):
            command += ["-o", option]
        command += ["--", self.board.address, COMMAND]
        told = Errors(self.mark) if errors is None else None
        try:
            process = subprocess.Popen(
                command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=errors if told is None else told.sink,
                **how,
            )
        except OSError as error:
            ours.close()
            raise RuntimeProblem("ssh", error.strerror or str(error), "install OpenSSH's client") from error
        finally:
            theirs.close()
            if told is not None:
                os.close(told.sink)
                told.start()  # it ends when nobody can write any more
        return Call(process, ours, self.mark, self.board, told)

    def ready(self) -> "Connection":
        """Wait for the login, at most LOGIN seconds, and then for the board's answer.  Raises Lost."""
        if self._is_ready:
            return self
        late = self._login()
        told, hint = "", ""
        try:
            begun = self._watch.begun()
        except RuntimeProblem as problem:
            begun, told, hint = False, problem.why, problem.hint
        if not begun:
            self.close()
            if not told:
                told, hint = _sentence(self._told()) or (late or self._told() or self._ended(), self._hint())
            logins.keep(self.board, told)
            raise Lost("board '{}'".format(self.board.name), told, hint)
        self._is_ready = True
        logins.keep(self.board)
        self._signs.start()
        return self

    def _login(self) -> str:
        """Until ssh has logged in, or has ended; why we have ended it."""
        end, stopped = time.monotonic() + LOGIN, 0
        while self.alive and not os.path.exists(self._socket) and not is_ready(self._watch.link, select.POLLIN, _LOOK):
            stopped = stopped + 1 if is_stopped(self._watch.process) else 0
            if stopped * _LOOK > SILENCE or time.monotonic() > end:
                self.cut()
                return "ssh was stopped for {} s".format(SILENCE) if stopped else "no login within {:g} s".format(LOGIN)
        return ""

    def _ended(self) -> str:
        """What is known of a login whose ssh has ended without a word."""
        code = self._watch.process.returncode
        if code == LOST or code < 0:
            return "ssh said nothing, and ended " + ("with 255" if code == LOST else "by signal {}".format(-code))
        return "its shell ended with {} before it did what it was asked; look what it does at its start".format(code)

    def open_ahead(self) -> None:
        """Once we are logged in start a shell for the next call that has our standard error, in the background."""

        def opened() -> None:
            while not os.path.exists(self._socket):
                if self._closed.wait(0.02) or not self.alive:
                    return
            with contextlib.suppress(RuntimeProblem):  # who calls hears of it
                self._spare = self._over_login(None)

        self._opening = threading.Thread(target=opened, daemon=True)
        self._opening.start()

    def tell(self, word: str) -> None:
        """Say a word to `watch`: a signal for the program."""
        with self._sending, contextlib.suppress(OSError):
            self._watch.send(word.encode() + b"\n")

    def _told(self) -> str:
        """What ssh and the board said of the login, the last lines."""
        self._errors.seek(0)
        lines = self._errors.read(LONGEST).decode("utf-8", "replace").splitlines()
        told = [one_line(line) for line in lines if line.strip(" @\r\n")]
        return "; ".join(told[-6:])[:1000]

    def _hint(self) -> str:
        self._errors.seek(0)
        told = self._errors.read(LONGEST).decode("utf-8", "replace")
        if "IDENTIFICATION HAS CHANGED" in told:
            return "if that is right, remove the old key: ssh-keygen -R HOST"
        if "Host key verification failed" in told:
            return "log in once by hand, and compare the key: ssh {}".format(self.board.address)
        if "Permission denied" in told:
            return "log in once by hand: ssh {}; a key in an agent, or SSH_ASKPASS, answers".format(self.board.address)
        return "try ssh {}".format(self.board.address)

    @property
    def alive(self) -> bool:
        return not self.is_cut and self._watch.process.poll() is None

    @property
    def silent(self) -> int:
        """Seconds in which nothing was heard of the board."""
        return self._signs.silent

    def cut(self) -> None:
        """End ssh here, however much of it hangs.  Signal handlers may do that."""
        self.is_cut = True
        for process in (*self._signs.calls, self._watch.process):
            with contextlib.suppress(OSError):
                process.kill()

    def ends_now(self) -> bool:
        """Whether the login has ended, or does so in this second."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._watch.process.wait(1.0)
        return not self.alive

    def call(self, function: str, *arguments: str, errors: Any = None) -> Call:
        """Start a function of board.sh over the login.  Its standard error is ours without `errors`.  Raises Lost."""
        self.ready()
        if self._opening is not None:
            self._opening.join()
        if not self.alive:  # before ssh says so in its own words
            raise self.lost()
        call = self._spare if errors is None else None
        if call is None:
            call = self._over_login(errors)
        else:
            self._spare = None
        call.begin(self.board.directory, function, arguments)
        return call

    def _over_login(self, errors: Any) -> Call:
        """A session of the login's; here, too, one of its own: its ssh ends at a Ctrl-C even when told to ignore it."""
        options = ["ControlMaster=no", "ControlPath={}".format(self._socket), "ProxyCommand=false"]
        call = self._session(options, errors, start_new_session=True)
        self._signs.follow(call)
        return call

    def ask(self, function: str, *arguments: str, data: Any = b"", most: int = 4096) -> bytes:
        """What a function writes, at most so many bytes; `data` follows its text.

        Raises Lost, and RuntimeProblem for what fails there, for an answer that does not come, and for a longer one.
        """
        with _Kept() as errors:
            call = self.call(function, *arguments, errors=errors)
            call.give(data)
            begun = call.begun()
            output = call.read(most) if begun else b""
            code = call.ended()
            if begun and code == 0:
                return output
            said = errors.text()
        if not self.alive or code == LOST:
            raise self.lost(said)
        what, hint = _sentence(said) or (said or "it ended with {}".format(code), "")
        raise RuntimeProblem("board '{}'".format(self.board.name), what, hint)

    def wait_for(self, thread: Optional[threading.Thread]) -> None:
        """Until it has passed on all that came; a second, once ssh was cut: then nobody may read what it writes."""
        while thread is not None and thread.is_alive() and not self.is_cut:
            thread.join(0.2)
        if thread is not None:
            thread.join(1.0)

    def untrue(self, function: str) -> RuntimeProblem:
        """The error of an answer that is none."""
        why = "it answers what cannot be ({})".format(function)
        return RuntimeProblem("board '{}'".format(self.board.name), why, UNTRUE)

    def lost(self, said: str = "") -> Lost:
        """The error of a connection that ended."""
        if self.is_cut:
            said = "nothing was heard of it for {} s".format(SILENCE)
        why = "the connection was lost" + (": " + said if said else "")
        hint = "what ran there is ended; look at the network, and try again"
        made = Lost("board '{}'".format(self.board.name), why, hint)
        made.again = self._is_ready and not self.has_started
        return made

    def close(self) -> None:
        """Log out: what still runs there ends."""
        self._closed.set()
        if self._opening is not None and self._opening.is_alive():  # a Ctrl-C may come before it has begun
            self._opening.join()
        self._signs.end()
        for process in self._signs.calls:  # that nobody waits for any more
            process.kill()
            process.wait()
        self._watch.no_more()
        self._watch.ended(PARTING if self._is_ready else 0.0)


def _sentence(said: str) -> Optional[Tuple[str, str]]:
    """What `fail` of board.sh says, and the next step; None: it said nothing, others did."""
    what, _, hint = said.rpartition(_FAILED)[2].partition(": ")
    return (what, hint) if _FAILED in said else None


def logged_in(board: Board, scratch: Path, work: Callable[[Connection], Result]) -> Result:
    """What `work` does with a login; with another one if it was lost before a program began, once.

    Raises what `work` raises.
    """
    try:
        with Connection(board, scratch) as connection:
            return work(connection)
    except Lost as lost:
        if not lost.again:
            raise
        text = "ompls: the connection to '{}' was lost; logging in again\n"
        sys.stderr.write(text.format(board.name))
    place = scratch / "again"  # the first login's socket may be there
    place.mkdir(mode=0o700)
    with Connection(board, place) as connection:
        return work(connection)


class _Kept:
    """A file for what is written on standard error."""

    def __enter__(self) -> "_Kept":
        self._file: IO[bytes] = tempfile.TemporaryFile()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def fileno(self) -> int:
        return self._file.fileno()

    def text(self) -> str:
        """The last lines."""
        self._file.seek(0)
        lines = self._file.read(LONGEST).decode("utf-8", "replace").splitlines()
        return "; ".join([one_line(line) for line in lines if line.strip()][-4:])[:1000]
