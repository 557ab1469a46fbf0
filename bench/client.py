"""The smallest language client that can be timed: blocking, one thread."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import tempfile
from pathlib import Path
from typing import Any

Json = dict[str, Any]
_LENGTH = b"content-length:"
_LIMIT = 60  # seconds that no answer takes
PUBLISH = "textDocument/publishDiagnostics"


class Client:
    def __init__(self, command: list[str]) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 -- as long as we ask the server
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr)
        self._unread = bytearray()
        self.number = 0
        self._waiting: set[int] = set()  # requests whose answers nobody has read

    def send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin is not None
        try:
            self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.server.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def receive(self) -> Json:
        while (end := self._unread.find(b"\r\n\r\n")) < 0:
            self._read()
        (length,) = (int(line[15:]) for line in self._unread[:end].lower().split(b"\r\n") if line[:15] == _LENGTH)
        begin = end + 4
        while len(self._unread) < begin + length:
            self._read()
        message = json.loads(self._unread[begin : begin + length])
        del self._unread[: begin + length]
        return message  # type: ignore[no-any-return]

    def _read(self) -> None:
        """What there is, or what comes next."""
        assert self.server.stdout is not None
        if not select.select([self.server.stdout], [], [], _LIMIT)[0]:
            raise self._problem(f"the server has said nothing for {_LIMIT} s")
        found = os.read(self.server.stdout.fileno(), 1 << 16)
        if not found:
            raise self._ended()
        self._unread += found

    def _ended(self) -> RuntimeError:
        try:
            return self._problem(f"the server has ended with exit code {self.server.wait(10)}")
        except subprocess.TimeoutExpired:
            return self._problem("the server has closed its output, and runs on")

    def _problem(self, what: str) -> RuntimeError:
        """`what`, with what the server has said on stderr (read without moving the place where it writes)."""
        said = os.pread(self._stderr.fileno(), 1 << 16, 0).decode("utf-8", "replace").strip()
        return RuntimeError(f"{what}; stderr: {said or 'nothing'}")

    def notify(self, method: str, params: Json) -> None:
        self.send({"method": method, "params": params})

    def request(self, method: str, params: Json | None) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result", message.get("error"))
            self._serve(message)

    def ask(self, method: str, params: Json) -> None:
        """A request whose answer `answered` waits for."""
        self.number += 1
        self._waiting.add(self.number)
        self.send({"id": self.number, "method": method, "params": params})

    def answered(self) -> None:
        """Read until every `ask` has its answer."""
        while self._waiting:
            self._serve(self.receive())

    def published(self, version: int) -> Json:
        while True:
            message = self.receive()
            if message.get("method") == PUBLISH and message["params"].get("version") == version:
                return message["params"]  # type: ignore[no-any-return]
            self._serve(message)

    def _serve(self, message: Json) -> None:
        """Answer what the server asks, with nothing."""
        if "id" in message and "method" in message:
            self.send({"id": message["id"], "result": None})
        elif "id" in message:
            self._waiting.discard(message["id"])

    def initialize(self, capabilities: Json) -> None:
        self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities})
        self.notify("initialized", {})

    def open(self, uri: str, text: str) -> None:
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}},
        )

    def type(  # noqa: PLR0917 -- a place and what is typed there
        self, uri: str, version: int, line: int, column: int, text: str, gone: int = 0
    ) -> None:
        """Write `text` for the `gone` characters at a place."""
        place, end = {"line": line, "character": column}, {"line": line, "character": column + gone}
        change = {"range": {"start": place, "end": end}, "text": text}
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def delete_line(self, uri: str, version: int, line: int) -> None:
        gone = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
        document = {"uri": uri, "version": version}
        self.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"range": gone, "text": ""}]}
        )

    def cpu(self, children: bool = True) -> float:
        """Seconds of processor time that the server and its children have used (Linux; else 0): what a busy machine
        does not change.  Of children that have ended nothing is known."""
        used = 0
        for process in self._processes() if children else [self.server.pid]:
            for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
                with contextlib.suppress(OSError):
                    used += int(path.read_text().split()[0])
        return used / 1e9

    def memory(self) -> float:
        """Bytes that the server and its children hold; what they share counts once (Linux; else 0)."""
        held = 0
        for process in self._processes():
            with contextlib.suppress(OSError):
                lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
                held += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return float(held)

    def _processes(self) -> list[int]:
        """The server, its children and theirs."""
        found = [self.server.pid]
        for process in found:
            for path in Path(f"/proc/{process}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    found += map(int, path.read_text().split())
        return found

    def stop(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", {})
        try:
            self.server.wait(10)
        except subprocess.TimeoutExpired:
            raise self._problem("the server does not end") from None
