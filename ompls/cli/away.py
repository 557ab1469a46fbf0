"""`ompls run --remote NAME`: the whole program on a board.

What is sent the first time says sent.py; the second time nothing is, and nothing is translated (remembered.py).
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ompls.cli.problem import Problem
from ompls.cli.remembered import Remembered
from ompls.cli.terminal import progress
from ompls.runtime.boards import board as there
from ompls.runtime.boards import registered
from ompls.runtime.boards.ssh import Connection, logged_in
from ompls.runtime.folders import AUTO

OUR_ERROR = 125


@dataclass(frozen=True)
class _Run:
    """A run, before there is a connection.

    device -- what computes there
    record -- where its trace goes; None: it has none
    """

    arguments: argparse.Namespace
    scratch: Path
    device: str
    record: Path | None

    def on(self, connection: Connection, memory: Remembered) -> int:
        """The exit code."""
        words, timeout = self.arguments.program_arguments, self.arguments.timeout
        if memory.program is not None:
            self._tell(connection, memory.program)
            code = there.run_kept(connection, memory.program, words, self._environment(), timeout=timeout)
            if code is not None:
                return code
        from ompls.cli.sent import planned

        with progress(f"translating, and logging in on {connection.board.address}"), memory.listening():
            program, looked_for, make = planned(self.arguments, connection, self.scratch, self.device)
        memory.keep(program, looked_for)
        if memory.program is None:
            self._tell(connection, program)
        return there.run(connection, program, make, words, self._environment(), timeout=timeout)

    def _environment(self) -> dict[str, str]:
        """What the program finds in its own."""
        found = {**there.settings(os.environ), "OMPLS_DEVICES": self.device}
        if self.record is not None:
            found["OMPLS_TRACE"] = "trace"  # the board knows where
        if self.arguments.profile:
            found["OMPLS_TRACE_CONTENT"] = "1"
        if self.arguments.trace_values:
            found["OMPLS_TRACE_VALUES"] = str(self.arguments.trace_values)
        return found

    def _tell(self, connection: Connection, program: str) -> None:
        if self.arguments.verbose:
            name = os.path.basename(program)
            print(f"ompls: running {name} on {connection.board.name} ({self.device})", file=sys.stderr, flush=True)


def run(arguments: argparse.Namespace, scratch: Path, record: Path | None) -> int:
    """The program's exit code; its trace is in `record`.  Raises Problem and RuntimeProblem."""
    for option, given in (("--gdb", arguments.gdb), ("--check", arguments.check is not None)):
        if given:
            raise Problem(f"{option}: not together with --remote; run the program here", OUR_ERROR)
    if arguments.target_arch is not None:
        raise Problem("--target-arch: not together with --remote, which knows the board's; leave it out", OUR_ERROR)
    board = registered.one(arguments.remote)
    device = board.device if arguments.device == AUTO else arguments.device
    memory = Remembered(arguments, board, device)
    if memory.program is None:
        from ompls.cli import options

        options.translatable(device)

    def work(connection: Connection) -> int:
        connection.open_ahead()  # we translate meanwhile
        code = _Run(arguments, scratch, device, record).on(connection, memory)
        if record is not None and connection.alive:
            there.trace(connection, record)
        return code

    return logged_in(board, scratch, work)
