"""A board as a device: the program is here, its regions are there (`ompls remote add`, docs/remote.md).

The far side is a program in the board's directory, by its hash, whose standard streams are a call over the login.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, Mapping, Optional

from ompls.devices.remote.device import Remote
from ompls.devices.remote.image import build_image
from ompls.devices.remote.near import Line, Near, Unreachable
from ompls.devices.remote.streams import Streams
from ompls.runtime.boards import board as there
from ompls.runtime.boards.call import Call
from ompls.runtime.boards.logins import Login, last
from ompls.runtime.boards.needed import refuse_newer
from ompls.runtime.boards.plan import planned
from ompls.runtime.boards.registered import Board
from ompls.runtime.boards.ssh import Connection, Lost
from ompls.runtime.devices import Availability, ImageJob
from ompls.runtime.errors import DeviceUnavailable, RuntimeProblem
from ompls.runtime.machine import Machine, architecture_of
from ompls.runtime.scratch import scratch


class OnBoard(Streams):
    """A far side there, with a login of its own.  Raises RuntimeProblem and Unreachable."""

    def __init__(self, board: Board, image: bytes) -> None:
        with contextlib.ExitStack() as opened:
            try:
                call = self._call(board, image, opened)
            except Lost as lost:
                opened.close()
                if not lost.again:
                    raise
                call = self._call(board, image, opened)
            super().__init__(board.name, call.process, call.link)
            self._errors = call.errors
            self._login = opened.pop_all()

    @staticmethod
    def _call(board: Board, image: bytes, opened: contextlib.ExitStack) -> Call:
        """On a login that ends with `opened`."""
        connection = opened.enter_context(Connection(board, opened.enter_context(scratch())))
        return there.serve(connection, image, there.settings(os.environ))

    def end(self, lost: bool) -> None:
        super().end(lost)
        self._login.close()  # what still runs there ends
        if self._errors is not None:
            self._errors.join(1.0)


class BoardDevice(Remote):
    """A board at build time."""

    starts_far = True

    def __init__(self, board: Board) -> None:
        super().__init__(board.device)
        self._board = board

    @property
    def name(self) -> str:
        return self._board.name

    @property
    def login(self) -> Optional[Login]:
        """The last one, if any."""
        return last(self._board)

    @property
    def facts(self) -> Mapping[str, str]:
        return self._board.facts

    def make_near(self) -> Near:
        return Near(self.name, self.kind, lambda wanted: wanted or 1, self._start)

    def _start(self, index: int, image: Any) -> Line:
        try:
            return OnBoard(self._board, bytes(image))
        except RuntimeProblem as error:
            raise Unreachable(error.why, hint=error.hint) from error

    def probe(self) -> Availability:
        """Nobody logs in for that."""
        state = super().probe()
        facts = self._board.facts
        told = ", ".join(filter(None, (facts.get("model"), facts.get("architecture"), facts.get("gpu"))))
        parts = ("over SSH: " + self._board.address, told, self.login.told if self.login else "not tried yet")
        text = "; ".join(filter(None, parts))
        return Availability(True, description=text) if state.available else state

    def build_image(self, job: ImageJob) -> Path:
        self._refuse_other(job.tools.machine)
        image = build_image(self.inner(), job, program=True)
        try:
            refuse_newer(image, self._board.facts, "the far side for '{}'".format(self.name))
        except RuntimeProblem:
            if not self._board.facts.get("gcc"):
                raise
            return self._plan(job)
        return image

    def _plan(self, job: ImageJob) -> Path:
        """By which the board builds it with gcc and sh.  Raises CannotPlan."""
        files = planned(
            job.tools.machine,
            None,
            lambda tools: build_image(self.inner(), job._replace(tools=tools), program=True),
            self._board.facts,
        )
        data = there.archive(files)
        return job.tools.cached([b"plan", data], ".far", lambda made: (made.write_bytes(data), None)[1])

    def _refuse_other(self, machine: Machine) -> None:
        """The program and its regions share their data."""
        board = architecture_of(self._board.facts.get("architecture", ""))
        if board != machine.architecture:
            why = "it is a machine of another kind ({}) than the program's ({})".format(board, machine.architecture)
            hint = "run the whole program there: ompls run --remote " + self.name
            raise DeviceUnavailable(self.name, why, hint)
