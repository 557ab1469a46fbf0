"""Running the user's programs: `ompls/run`, `ompls/devices` and the command `ompls.run`.

A program runs in a child process (`ompls run …`), only because somebody asked for it, never in a workspace
that the editor does not trust.  Its output goes to the client as `ompls/runOutput` notifications while it runs; with a
`terminal` it runs in one, and what somebody types comes as `ompls/runInput`.
Cancelling the request stops the program and everything it started.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import itertools
import json
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ompls.project.devices import AUTO
from ompls.project.files import read_source
from ompls.project.problem import FileProblem
from ompls.project.words import words
from ompls.runtime import start
from ompls.server.convert import Json
from ompls.server.refusal import Refused, refuse
from ompls.server.runtraces import Trace
from ompls.server.terminal import INTERRUPT, Terminal

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

Sink = Callable[[str, str], None]  # of a program's output: the stream, the text
DEVICES_LIMIT = 20.0  # seconds for `ompls devices`


class RunFeature:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._numbers = itertools.count(1)
        self._terminals: dict[str, tuple[Terminal, asyncio.subprocess.Process]] = {}  # by the name of the run

    async def run(self, params: Json, sink: Sink | None = None) -> Json:
        """Translate, build and run a file.  `docs/lsp-extensions.md` has the fields.

        sink -- gets what the program says; without one the client does
        """
        uri = params.get("textDocument", {}).get("uri", "")
        path = self._saved_path(uri)
        settings = self.server.engine.given.settings_for(path)
        remote = params.get("remote")  # `auto` is the device of the board then
        device = str(params.get("device") or (AUTO if remote else settings.run.device))
        arguments = [str(a) for a in params.get("arguments") or settings.run.arguments]
        run = params.get("run") or f"run-{next(self._numbers)}"
        if run in self._terminals:
            raise refuse(f"ompls run: there is a run '{run}'; give this one another name")
        command = [*words("run", settings, device=device), *([f"--remote={remote}"] if remote else [])]
        with contextlib.ExitStack() as gone:
            trace = Trace.begin(self.server, uri) if params.get("trace") else None
            if trace is not None:
                gone.callback(trace.end)
                command += trace.options
            size = params.get("terminal")
            terminal = Terminal(size["columns"], size["rows"]) if size else None
            if terminal is not None:
                gone.callback(terminal.close)
                command.append("--verbose")
            command += [*self.server.engine.given.flags_for(path), path, "--", *arguments]
            started = time.monotonic()
            child = await self.server.commands.start(command, os.path.dirname(path), terminal)
            progress = partial(self.server.protocol.tell_progress, params.get("workDoneToken"))
            progress({"kind": "begin", "title": f"Running {os.path.basename(path)}", "cancellable": True})
            gone.callback(progress, {"kind": "end"})
            code, measured = await self._followed(child, run, sink or partial(self._output, run), terminal, trace)
        ended = {"run": run, "exitCode": code, "seconds": round(time.monotonic() - started, 3)}
        return ended if measured is None else ended | {"measured": measured}

    async def _followed(
        self,
        child: asyncio.subprocess.Process,
        run: str,
        sink: Sink,
        terminal: Terminal | None,
        trace: Trace | None,
    ) -> tuple[int, bool | None]:
        """Tell `sink` what the program says, to its end: the exit code, and whether it was measured."""
        try:
            if terminal is not None:
                self._terminals[run] = terminal, child
                await _stream(sink, "terminal", await terminal.open())
            else:
                outputs = (("stdout", child.stdout), ("stderr", child.stderr))
                await asyncio.gather(*(_stream(sink, name, stream) for name, stream in outputs))
            return await child.wait(), await trace.read() if trace is not None else None
        finally:
            await self.server.commands.stop(child)
            self._terminals.pop(run, None)

    def input(self, params: Json) -> None:
        """`ompls/runInput`: somebody types into the terminal of a run, or changes its size."""
        terminal, child = self._terminals.get(params["run"], (None, None))
        if terminal is None or child is None:
            return
        if (size := params.get("terminal")) is not None:
            terminal.resize(size["columns"], size["rows"])
        text = str(params.get("text") or "")
        terminal.write(text)
        if INTERRUPT in text and child.returncode is None:
            child.send_signal(signal.SIGINT)

    async def run_command(self, uri: str, device: str | None) -> Json | None:
        """The lens's command in a client that leaves it to us: the output goes to the log, the end to a message."""
        try:
            result = await self.run({"textDocument": {"uri": uri}, "device": device}, self._log)
        except Refused as problem:
            self.server.say("error", str(problem))
            return None
        kind: Any = "info" if result["exitCode"] == 0 else "warning"
        self.server.say(kind, f"ompls: the program ended with exit code {result['exitCode']}")
        return result

    async def devices(self) -> Any:
        """What `ompls devices --json` says."""
        errors = b""
        try:
            _, output, errors = await self.server.commands.said(["devices", "--json"], start.NOWHERE, DEVICES_LIMIT)
            return json.loads(output)
        except asyncio.TimeoutError:
            raise refuse(f"ompls devices: no answer within {DEVICES_LIMIT:.0f} s; try it in a terminal") from None
        except ValueError:
            reason = errors.decode("utf-8", "replace").strip() or "it said nothing that can be read"
            raise refuse(f"ompls devices: {reason}") from None

    # --- inside --------------------------------------------------------------------------------------------------

    def _saved_path(self, uri: str) -> str:
        """The file to run; refuses what is not on the disk as the user sees it."""
        if not self.server.trusted:
            raise refuse("ompls run: this workspace is not trusted; trust it to run its programs")
        session = self.server.session(uri)
        if session is None or not os.path.isabs(session.document.path):
            what = uri if uri.removeprefix("file://") else "a buffer without a name"
            absent = f"{what}: not an open C file on the disk; save it as one first"
            raise refuse(f"ompls run: {self.server.foreign.reason(uri) or absent}")
        path = session.document.path
        try:
            saved = read_source(path)
        except FileProblem as problem:
            raise refuse(f"ompls run: {path}: {problem.reason}; save the file first") from problem
        if saved.removeprefix(codecs.BOM_UTF8) != session.document.source.removeprefix(codecs.BOM_UTF8):
            raise refuse(f"ompls run: {path}: the editor has changes that are not saved; save the file first")
        return path

    def _output(self, run: str, stream: str, text: str) -> None:
        self.server.protocol.notify_raw("ompls/runOutput", {"run": run, "stream": stream, "text": text})

    def _log(self, _: str, text: str) -> None:
        self.server.protocol.notify_raw("window/logMessage", {"type": 4, "message": text.rstrip("\n")})


async def _stream(sink: Sink, name: str, stream: asyncio.StreamReader | None) -> None:
    assert stream is not None
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while chunk := await stream.read(1 << 16):
        if text := decoder.decode(chunk):
            sink(name, text)
        await asyncio.sleep(0.005)  # a program that prints without end must not keep the editor's requests waiting
    if text := decoder.decode(b"", final=True):
        sink(name, text)
