"""`ompls WORDS` in a child process that is told to stop when the server ends, and ends with all that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from ompls.project.devices import VARIABLE
from ompls.runtime import start
from ompls.server.params import is_word
from ompls.server.refusal import Refused, refuse
from ompls.server.terminal import Terminal

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

GRACE = 3.0  # seconds between asking a program to stop and killing it


class Commands:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._children: set[asyncio.subprocess.Process] = set()
        self._starting: set[asyncio.Task[asyncio.subprocess.Process]] = set()
        self._leaving = False

    async def said(self, command: list[str], directory: str, limit: float) -> tuple[int, bytes, bytes]:
        """Its exit code, output and errors.  Raises asyncio.TimeoutError after `limit` seconds."""
        child = await self.start(command, directory)
        try:
            output, errors = await asyncio.wait_for(child.communicate(), limit)
            return child.returncode or 0, output, errors
        finally:
            await self.stop(child)

    async def stop_all(self) -> None:
        """End all children; none is started any more."""
        self._leaving = True
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(self.stop(c) for c in list(self._children)))

    async def start(
        self, command: list[str], directory: str, terminal: Terminal | None = None
    ) -> asyncio.subprocess.Process:
        """Start `ompls COMMAND` in this directory; who is cancelled meanwhile has started nothing."""
        if self._leaving:
            raise refuse(f"ompls {command[0]}: the server is leaving")
        starting = asyncio.create_task(self._started(command, directory, terminal))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        try:
            return await asyncio.shield(starting)  # asyncio waits for ever where it is cancelled in this
        except asyncio.CancelledError:
            with contextlib.suppress(Refused):
                await self.stop(await starting)
            raise

    async def _started(
        self, command: list[str], directory: str, terminal: Terminal | None
    ) -> asyncio.subprocess.Process:
        end = terminal.theirs if terminal is not None else None
        try:
            child = await asyncio.create_subprocess_exec(
                *start.command("ompls.server.guardian", str(os.getpid()), directory, "ompls.cli", *command),
                stdin=asyncio.subprocess.DEVNULL if end is None else end,
                stdout=asyncio.subprocess.PIPE if end is None else end,
                stderr=asyncio.subprocess.PIPE if end is None else end,
                env={**self._environment(), **({"TERM": "xterm-256color"} if end is not None else {})},
                cwd=start.NOWHERE,
                start_new_session=True,
            )
        except OSError as error:
            raise refuse(f"ompls {command[0]}: cannot be started: {error.strerror}; try it in a terminal") from error
        except ValueError as error:  # a NUL in a setting, say
            wrong = next((ascii(word) for word in command if not is_word(word)), "the name of a directory")
            why = f"{wrong} is no argument that a program can have"
            raise refuse(f"ompls {command[0]}: cannot be started: {why}; correct it") from error
        self._children.add(child)
        return child

    async def stop(self, child: asyncio.subprocess.Process) -> None:
        """End the child with its process group; nothing of it is left when this returns."""
        self._children.discard(child)
        if child.returncode is not None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, number)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(child.wait(), GRACE)
                return

    def _environment(self) -> dict[str, str]:
        """Ours, but no code of devices is loaded from a folder that is open in the editor."""
        roots = [os.path.realpath(root) for root in self.server.roots]
        directories = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
        places = [(name, Path(os.path.realpath(name))) for name in directories]
        outside = [name for name, place in places if not any(map(place.is_relative_to, roots))]
        return {**os.environ, VARIABLE: os.pathsep.join(outside)}
