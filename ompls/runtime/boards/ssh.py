"""A login on a board, with OpenSSH's own client: the user's configuration, keys and questions.

One login carries everything (ControlMaster): its own call is `watch` of board.sh, which ends what was started there
when we are gone; other calls go over its socket, in a private directory.  What the far shell gets as a command is
always the same line; what is to be done comes over standard input.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any, Callable, Optional, Sequence, Tuple, TypeVar

from ..errors import RuntimeProblem, one_line
from . import logins
from .registered import Board

COMMAND = 'exec sh -c \'IFS= read -r n && eval "$(head -c "$n")"\''
BOARD = Path(__file__).resolve().parent / "board.sh"
# Signs of life, as long as we live: from a process of its own, as a debugger may keep all of our threads for long.
_BEAT = 'while [ -e "/proc/$0/exe" ] && echo beat; do sleep 2 >/dev/null; done'
SILENCE = 15  # seconds without one after which a board ends what we started there
LOGIN = 120.0  # seconds for a login, with its questions
_LONGEST = 1 << 16  # bytes that a shell may write at its start
LOST = 255  # ssh's own code
_UNTRUE = "it is no board as we know them: look what runs there"
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


def words(function: str, mark: str, directory: str, arguments: Sequence[str]) -> bytes:
    """What a call begins with: the number of the bytes that follow, and these."""
    line = "set -- " + " ".join(map(shlex.quote, (function, mark, directory, *arguments))) + "\n"
    text = os.fsencode(line) + BOARD.read_bytes()
    return b"%d\n" % len(text) + text


class Call:
    """One function of board.sh, running there.  What it writes on standard output is read from `output`."""

    def __init__(self, process: "subprocess.Popen[bytes]", link: socket.socket, mark: str) -> None:
        self.process, self.link, self._mark = process, link, mark
        self.has_arrived = True  # all that was sent, as far as we know
        self.output = link.makefile("rb", buffering=0)

    def begun(self) -> bool:
        """Wait until the function says so; what shells wrote before it is skipped.  False: it ended before that."""
        seen = b""
        wanted = b"\n" + self._mark.encode() + b"\n"
        while len(seen) <= _LONGEST:
            try:
                more = self.link.recv(_LONGEST, socket.MSG_PEEK)  # what follows is for who reads the output
            except OSError:  # ssh ended, and had not read what we sent (ECONNRESET)
                more, self.has_arrived = b"", False
            at = (seen + more).find(wanted)
            taken = at + len(wanted) - len(seen) if at >= 0 else len(more)
            if taken == 0:
                return False
            seen += self.link.recv(taken)
            if at >= 0:
                return True
        return False

    def send(self, data: Any) -> None:
        """Raises OSError when nobody reads any more."""
        view = memoryview(data).cast("B")
        while len(view) > 0:
            view = view[self.link.send(view[: 1 << 20], socket.MSG_NOSIGNAL) :]

    def no_more(self) -> None:
        """What is read there ends here."""
        with contextlib.suppress(OSError):
            self.link.shutdown(socket.SHUT_WR)

    def ended(self, seconds: Optional[float] = None) -> int:
        """Its exit code.  Raises subprocess.TimeoutExpired."""
        code = self.process.wait(seconds)
        self.output.close()
        self.link.close()
        return LOST if code < 0 else code

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.ended()


class Connection:
    """A login on a board; a context manager.  It begins at once, and `ready` waits for it: we can work meanwhile.

    scratch -- a private directory
    """

    def __init__(self, board: Board, scratch: Path) -> None:
        self.board, self.mark = board, "ompls" + os.urandom(16).hex()
        self._socket = str(scratch / "s")
        self._errors = open(str(scratch / "ssh"), "w+b")  # noqa: SIM115 -- as long as the connection
        master = ["ControlMaster=yes", "ControlPath={}".format(self._socket), "ControlPersist=no"]
        login = self._session(master, self._errors, preexec_fn=_ignore_interrupt)
        self._watch = self._begin(login, ("watch", str(SILENCE)))
        self._is_ready = False
        self._beating: Optional["subprocess.Popen[bytes]"] = None
        self._closed = threading.Event()
        self._sending = threading.Lock()
        self._opening: Optional[threading.Thread] = None
        self._spare: Optional[Tuple["subprocess.Popen[bytes]", socket.socket]] = None
        self.has_started = False  # a program of the user's

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _session(
        self, options: Sequence[str], errors: Any, **how: Any
    ) -> "Tuple[subprocess.Popen[bytes], socket.socket]":
        """A far shell that waits for what is to be done, and our end of its standard streams.

        how -- arguments of subprocess.Popen
        """
        ours, theirs = socket.socketpair()  # and no pipes: a broken one would end a program by SIGPIPE
        command = ["ssh", "-T"]
        for option in (*options, *_OPTIONS):
            command += ["-o", option]
        command += ["--", self.board.address, COMMAND]
        try:
            process = subprocess.Popen(
                command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=errors,
                **how,
            )
        except OSError as error:
            ours.close()
            raise RuntimeProblem("ssh", error.strerror or str(error), "install OpenSSH's client") from error
        finally:
            theirs.close()
        return process, ours

    def _begin(self, session: "Tuple[subprocess.Popen[bytes], socket.socket]", call: Sequence[str]) -> Call:
        made = Call(*session, self.mark)
        try:
            made.send(words(call[0], self.mark, self.board.directory, call[1:]))
        except OSError:  # it says why it ended
            made.has_arrived = False
        return made

    def ready(self) -> "Connection":
        """Wait for the login.  Raises Lost."""
        if self._is_ready:
            return self
        timer = threading.Timer(LOGIN, self._watch.process.kill)
        timer.daemon = True
        timer.start()
        try:
            begun = self._watch.begun()
        finally:
            timer.cancel()
        if not begun:
            self.close()
            told, hint = _sentence(self._told()) or (self._told() or "ssh said nothing", self._hint())
            logins.keep(self.board, told)
            raise Lost("board '{}'".format(self.board.name), told, hint)
        self._is_ready = True
        logins.keep(self.board)
        self._beating = subprocess.Popen(
            ["/bin/sh", "-c", _BEAT, str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=self._watch.link.fileno(),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self

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
        lines = self._errors.read(_LONGEST).decode("utf-8", "replace").splitlines()
        told = [one_line(line) for line in lines if line.strip(" @\r\n")]
        return "; ".join(told[-6:])[:1000]

    def _hint(self) -> str:
        self._errors.seek(0)
        told = self._errors.read(_LONGEST).decode("utf-8", "replace")
        if "IDENTIFICATION HAS CHANGED" in told:
            return "if that is right, remove the old key: ssh-keygen -R HOST"
        if "Host key verification failed" in told:
            return "log in once by hand, and compare the key: ssh {}".format(self.board.address)
        if "Permission denied" in told:
            return "log in once by hand: ssh {}; a key in an agent, or SSH_ASKPASS, answers".format(self.board.address)
        return "try ssh {}".format(self.board.address)

    @property
    def alive(self) -> bool:
        return self._watch.process.poll() is None

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
        session = self._spare if errors is None else None
        if session is None:
            session = self._over_login(errors)
        else:
            self._spare = None
        return self._begin(session, (function, *arguments))

    def _over_login(self, errors: Any) -> "Tuple[subprocess.Popen[bytes], socket.socket]":
        """A session of the login's; here, too, one of its own: its ssh ends at a Ctrl-C even when told to ignore it."""
        options = ["ControlMaster=no", "ControlPath={}".format(self._socket), "ProxyCommand=false"]
        return self._session(options, errors, start_new_session=True)

    def ask(self, function: str, *arguments: str, data: Any = b"", most: int = 4096) -> bytes:
        """What a function writes, at most so many bytes; `data` follows its text.

        Raises Lost, and RuntimeProblem for what fails there, and for a longer answer.
        """
        with _Kept() as errors:
            call = self.call(function, *arguments, errors=errors)
            with contextlib.suppress(OSError):
                call.send(data)
            call.no_more()
            begun = call.begun()
            output = bytearray()
            while begun and (more := call.output.read(1 << 16)):
                output += more
                if len(output) > most:
                    call.kill()
                    why = "it answers more than was asked ({})".format(function)
                    raise RuntimeProblem("board '{}'".format(self.board.name), why, _UNTRUE)
            code = call.ended()
            if begun and code == 0:
                return bytes(output)
            said = errors.text()
        if not self.alive or code == LOST:
            raise self.lost(said)
        what, hint = _sentence(said) or (said or "it ended with {}".format(code), "")
        raise RuntimeProblem("board '{}'".format(self.board.name), what, hint)

    def untrue(self, function: str) -> RuntimeProblem:
        """The error of an answer that is none."""
        why = "it answers what cannot be ({})".format(function)
        return RuntimeProblem("board '{}'".format(self.board.name), why, _UNTRUE)

    def lost(self, said: str = "") -> Lost:
        """The error of a connection that ended."""
        why = "the connection was lost" + (": " + said if said else "")
        hint = "what ran there is ended; look at the network, and try again"
        made = Lost("board '{}'".format(self.board.name), why, hint)
        made.again = self._is_ready and not self.has_started
        return made

    def close(self) -> None:
        """Log out: what still runs there ends."""
        self._closed.set()
        if self._opening is not None:
            self._opening.join()
        if self._spare is not None:
            Call(*self._spare, self.mark).kill()
            self._spare = None
        if self._beating is not None:
            self._beating.kill()
            self._beating.wait()
        self._watch.no_more()
        try:
            self._watch.ended(5.0)
        except subprocess.TimeoutExpired:
            self._watch.kill()
        except ValueError:  # closed before
            pass


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
        lines = self._file.read(_LONGEST).decode("utf-8", "replace").splitlines()
        return "; ".join([one_line(line) for line in lines if line.strip()][-4:])[:1000]
