"""The server as a process: raw bytes over stdio and TCP, signals, clients that vanish, how it ends."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest
from thinned import thinned
from waiting import LIMIT, children, until

from .conftest import SERVER
from .test_editors import SAXPY


class Raw:
    """A client that sends what it likes."""

    def __init__(self, *command: str, stdin: Any = subprocess.PIPE) -> None:
        arguments = list(command) or SERVER
        self.process = subprocess.Popen(
            arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )

    def send(self, message: bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        if isinstance(message, dict):
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            message = b"Content-Length: %d\r\n\r\n" % len(body) + body
        self.process.stdin.write(message)

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            byte = self.process.stdout.read(1)
            assert byte, "the server has ended"
            header += byte
        length, body = int(header.split(b":")[1].split(b"\r")[0]), b""
        while len(body) < length:
            body += self.process.stdout.read(length - len(body)) or b""
        return dict(json.loads(body))

    def initialize(self, process: int | None = None) -> None:
        self.send({"id": 1, "method": "initialize", "params": {"processId": process, "capabilities": {}}})
        assert self.receive()["id"] == 1
        self.send({"method": "initialized", "params": {}})

    def ends(self, within: float = LIMIT) -> int:
        code = self.process.wait(within)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code


def test_shutdown_and_exit_end_it_well_and_exit_alone_does_not() -> None:
    for polite, code in ((True, 0), (False, 1)):
        raw = Raw()
        raw.initialize()
        if polite:
            raw.send({"id": 2, "method": "shutdown", "params": None})
            assert raw.receive()["id"] == 2
        raw.send({"method": "exit"})
        assert raw.ends() == code


def test_a_closed_input_ends_it() -> None:
    raw = Raw()
    raw.initialize()
    raw.process.stdin.close()  # type: ignore[union-attr]
    assert raw.ends() == 1


@pytest.mark.parametrize("how", thinned(["shut down", "left", "asked to end"], 3))
def test_who_leaves_before_a_price_is_known_does_not_wait_for_it(tmp_path: Path, how: str) -> None:
    """It was asked for while the server left, which took until the alarm."""
    (tmp_path / "a.c").write_text(SAXPY)
    raw = Raw()
    raw.initialize()
    uri = (tmp_path / "a.c").as_uri()
    document = {"uri": uri, "languageId": "c", "version": 1, "text": SAXPY}
    raw.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    raw.send({"id": 2, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": uri}}})
    while raw.receive().get("id") != 2:
        pass
    if how == "shut down":
        raw.send({"id": 3, "method": "shutdown"})
        raw.send({"method": "exit"})
    elif how == "left":
        raw.process.stdin.close()  # type: ignore[union-attr]
    else:
        raw.process.send_signal(signal.SIGTERM)
    raw.process.wait(LIMIT)
    assert b"did not leave by itself" not in raw.process.stderr.read()  # type: ignore[union-attr]
    raw.ends()


@pytest.mark.thorough
def test_garbage_between_messages_is_survived() -> None:
    raw = Raw()
    raw.initialize()
    raw.send(b"Content-Length: 9\r\n\r\n{not json")
    raw.send(b"hello?\r\n")
    answer = raw.receive()
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    raw.send({"id": 7, "method": "textDocument/hover", "params": {"textDocument": 3}})
    assert raw.receive()["error"]["code"] == -32602
    raw.send({"id": 8, "method": "ompls/serverStatus"})
    assert raw.receive()["id"] == 8
    raw.send({"method": "exit"})
    raw.ends()


@pytest.mark.parametrize("length", [200, 1 << 16, 300_000])
def test_a_line_without_an_end_takes_no_request_with_it(length: int) -> None:
    raw = Raw()
    raw.initialize()
    raw.send(b"x" * length)
    for number in (7, 8):
        raw.send({"id": number, "method": "ompls/serverStatus"})
        assert raw.receive()["id"] == number
    raw.send({"method": "exit"})
    assert raw.ends() == 1


def test_who_types_its_name_is_told_what_it_is() -> None:
    ours, theirs = os.openpty()
    raw = Raw(stdin=theirs)
    os.close(theirs)
    assert raw.process.stderr is not None
    assert b"an editor starts it" in (raw.process.stderr.readline() or b"")
    os.close(ours)  # the terminal is closed
    assert raw.ends() == 1


def test_a_signal_ends_it() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        raw = Raw()
        raw.initialize()
        raw.process.send_signal(number)
        assert raw.ends() == 128 + number


@pytest.mark.thorough
def test_a_signal_ends_it_that_waits_for_a_client() -> None:
    raw = Raw(sys.executable, "-m", "ompls", "serve", "--tcp", "0", stdin=subprocess.DEVNULL)
    assert raw.process.stderr is not None
    raw.process.stderr.readline()
    raw.process.send_signal(signal.SIGTERM)
    rest = raw.process.stderr.read()
    assert (raw.ends(), rest) == (128 + signal.SIGTERM, b"")


@pytest.mark.thorough
def test_a_second_signal_while_it_ends_changes_nothing() -> None:
    raw = Raw()
    raw.initialize()
    raw.send({"id": 2, "method": "ompls/devices"})
    child = started(raw)
    os.kill(child, signal.SIGSTOP)  # it does not end when it is asked to: the server waits, then kills it
    raw.process.send_signal(signal.SIGTERM)
    assert until(lambda: is_asked_to_end(child))
    raw.process.send_signal(signal.SIGTERM)
    assert raw.process.stderr is not None
    assert b"Traceback" not in raw.process.stderr.read()
    assert raw.ends() == 128 + signal.SIGTERM
    assert not Path(f"/proc/{child}").exists()


def started(raw: Raw) -> int:
    """The process that the server has started for a request."""

    def guardians() -> list[int]:
        return [n for n in children(raw.process.pid) if b"guardian" in Path(f"/proc/{n}/cmdline").read_bytes()]

    return until(guardians)[0]


def is_asked_to_end(process: int) -> bool:
    """Whether a signal waits for it that it was sent while it was stopped (proc(5), ShdPnd), or more was done."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return True
    pending = int(status.partition("ShdPnd:")[2].split()[0], 16)
    return bool(pending >> (signal.SIGTERM - 1) & 1)


@pytest.mark.thorough  # it waits until it is ended
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_when_the_client_does_not_read(tmp_path: Path, family: Any, number: int) -> None:
    raw = Raw()
    raw.initialize()
    document = {"uri": (tmp_path / "a.c").as_uri(), "languageId": "c", "version": 1, "text": SAXPY}
    raw.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    for request in range(2_000):
        raw.send({"id": request, "method": "ompls/serverStatus"})
    assert raw.process.stdout is not None
    waiting = 0
    while waiting != (waiting := unread(raw.process.stdout.fileno())) or waiting < 1 << 15:
        time.sleep(0.2)
    raw.process.send_signal(number)
    assert raw.process.wait(LIMIT) == 128 + number
    family.ends()
    assert b"did not leave by itself" in raw.process.stderr.read()  # type: ignore[union-attr]
    raw.ends()


def unread(descriptor: int) -> int:
    """Bytes in a pipe."""
    return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4), sys.byteorder)


@pytest.mark.thorough
def test_it_does_not_outlive_its_client() -> None:
    client = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
    raw = Raw()
    raw.initialize(process=client.pid)
    client.kill()
    client.wait()
    assert raw.ends() == 1


@pytest.mark.thorough
def test_a_client_of_another_container_is_not_waited_for() -> None:
    raw = Raw()
    raw.initialize(process=2**22 + 1)  # above the largest number a process can have
    raw.send({"id": 8, "method": "ompls/serverStatus"})
    assert raw.receive()["id"] == 8
    raw.process.kill()
    raw.ends()


def test_tcp_is_for_one_client_on_the_loopback() -> None:
    raw = Raw(sys.executable, "-m", "ompls", "serve", "--tcp", "0", stdin=subprocess.DEVNULL)
    assert raw.process.stderr is not None
    line = raw.process.stderr.readline().decode()
    host, port = line.split()[-1].split(":")
    assert host == "127.0.0.1"
    with socket.create_connection((host, int(port)), 5) as client:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
        client.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert b"Content-Length" in client.recv(1 << 16)
    assert raw.ends() == 1


def test_check_does_not_load_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(SAXPY)
    script = (
        "import sys; from ompls.cli import main; main(['check', 'a.c']);"
        "print([m for m in sys.modules if m.startswith(('pygls', 'lsprotocol', 'ompls.server'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.parametrize("how", thinned(["killed", "asked to end", "shut down", "left"], 4))
def test_no_compiler_outlives_it(tmp_path: Path, family: Any, how: str) -> None:
    """A header that only the compiler can find out about is a pipe: it waits, and so did the server's end."""
    (tmp_path / "compile_flags.txt").write_text("-isystem\nsys\n")
    (tmp_path / "sys").mkdir()
    (tmp_path / "sys" / "a.h").write_text("#define NAME(x) <x.h>\n#include NAME(pipe)\n")
    os.mkfifo(tmp_path / "sys" / "pipe.h")
    raw = Raw()
    raw.initialize()
    document = {"uri": (tmp_path / "main.c").as_uri(), "languageId": "c", "version": 1, "text": "#include <a.h>\n"}
    raw.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    family.waits_for("gcc", "cc1")
    if how == "shut down":
        raw.send({"id": 2, "method": "shutdown"})
        raw.send({"method": "exit"})
    elif how == "left":
        raw.process.stdin.close()  # type: ignore[union-attr]
    else:
        raw.process.send_signal(signal.SIGKILL if how == "killed" else signal.SIGTERM)
    raw.ends()
    family.ends()
