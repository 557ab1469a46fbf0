"""`ompls` and its language server as processes that need not import anything: forks of one that did, for all tests.

Each has its own directory, environment and streams, and it ends as the script does.  Tests of the start itself, of
signals and of what is read while a command runs use `subprocess`.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path
from unittest import mock

import starts

from ompls.runtime.start import NOWHERE

ROOT = Path(__file__).resolve().parents[1]
OBJECTS = ROOT / ".cache/objects"  # what is built, by content: for all tests, and for the next run of them

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload([
    "ompls.__main__", "ompls.analysis.rules", "ompls.analysis.features", "ompls.analysis.model.builder",
    "ompls.project.workspace", "ompls.translate", "ompls.runtime.build", "ompls.runtime.launcher", "ompls.cli.cc",
    "ompls.cli.check", "ompls.cli.engine", "ompls.cli.pipeline", "ompls.cli.preview", "ompls.cli.report",
    "ompls.cli.run", "ompls.cli.translate", "ompls.server.__main__", "ompls.server.app", "ompls.server.checker",
    "ompls.server.manuals", "ompls.server.worker", "jsonschema", "encodings.ascii", "encodings.unicode_escape",
    "encodings.utf_8_sig", "tomllib", "ompls.cli.devices", "ompls.cli.refusals", "ompls.cli.gdb", "ompls.cli.here",
    "ompls.devices.cuda.module.gpu", "ompls.devices.cudasim.module", "ompls.devices.epiphany.module",
    "ompls.devices.host.module", "ompls.devices.mpinode.module.library", "ompls.devices.epiphany.target",
    "ompls.devices.remote.image", "ompls.project.targets", "ompls.runtime.hosted", "ompls.runtime.boards.board",
    "ompls.runtime.link", "ompls.runtime.section", "command", "warm",
])  # fmt: skip


def ready() -> None:
    """Start the one process, if it is not there: it belongs to the test that needs it first, but not to its cache."""
    where = {"PYTHONPATH": str(Path(__file__).parent), "OMPLS_CACHE_DIR": str(OBJECTS)}  # it finds `warm`
    with mock.patch.dict(os.environ, where):
        forkserver.ensure_running()


def ompls(
    *words: object,
    cwd: os.PathLike[str] | str | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float = 240,
) -> subprocess.CompletedProcess[str]:
    """Run the command; `env` as in `subprocess`: all of the environment.  Raises TimeoutExpired."""
    done = ompls_bytes(*words, cwd=cwd, env=env, stdin=stdin.encode(), timeout=timeout)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def ompls_bytes(
    *words: object,
    cwd: os.PathLike[str] | str | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 240,
) -> subprocess.CompletedProcess[bytes]:
    """The same, where what it prints is no UTF-8."""
    command = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in words]
    with tempfile.TemporaryDirectory(prefix="ompls-test-") as name:
        streams = [Path(name) / stream for stream in ("stdin", "stdout", "stderr")]
        streams[0].write_bytes(stdin)
        ready()
        place = (os.fspath(cwd or os.getcwd()), dict(os.environ if env is None else env))
        child = _processes.Process(target=_run, args=(starts.watched(), command, *place, streams))
        child.start()
        child.join(timeout)
        if child.exitcode is None:
            child.kill()
            child.join()
            raise subprocess.TimeoutExpired(command, timeout)
        said = [stream.read_bytes() for stream in streams[1:]]
        code = child.exitcode
        child.close()
    return subprocess.CompletedProcess(["ompls", *command], code, *said)


def refusal(done: subprocess.CompletedProcess[str], pattern: str) -> list[int]:
    """The numbers in the message of a command that had to refuse its program."""
    assert done.returncode == 125
    told = re.search(pattern, done.stderr)
    assert told, done.stderr
    return [int(number) for number in told.groups()]


def server(connection: socket.socket) -> BaseProcess:
    """A language server that has our end of `connection` for its standard input and output."""
    ready()
    child = _processes.Process(target=_serve, args=(starts.watched(), connection, dict(os.environ)))
    child.start()
    return child


def _run(counted: tuple[str, str], words: list[str], cwd: str, env: dict[str, str], streams: list[Path]) -> None:
    """In the new process."""
    starts.watch(*counted)
    flags = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)
    for number, (path, flag) in enumerate(zip(streams, flags, strict=True)):
        opened = os.open(path, flag, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    _become(["ompls", *words], cwd, env)
    from ompls.__main__ import main

    sys.exit(main())


def _serve(counted: tuple[str, str], connection: socket.socket, env: dict[str, str]) -> None:
    """In the new process, where `ompls serve` works, too."""
    starts.watch(*counted)
    nothing = os.open(os.devnull, os.O_WRONLY)
    for number, opened in enumerate((connection.fileno(), connection.fileno(), nothing)):
        os.dup2(opened, number)
    connection.close()
    os.close(nothing)
    _become(["ompls.server.__main__", "--stdio"], NOWHERE, env)
    from ompls.server.__main__ import main

    main()


def _become(words: list[str], cwd: str, env: dict[str, str]) -> None:
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 -- to the end
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(env)
    for directory in filter(None, env.get("LD_LIBRARY_PATH", "").split(":")):
        for library in Path(directory).glob("*.so.*"):  # the loader has read its variable already: by its own name
            ctypes.CDLL(str(library))  # it is found once it is there
    os.chdir(cwd)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = words
