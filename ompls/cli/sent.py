"""What a board gets of a program, and what makes it there: it is built there where the board has gcc, else here."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ompls.cli import options, pipeline
from ompls.cli.engine import analyze
from ompls.cli.problem import Problem
from ompls.cli.terminal import progress
from ompls.project.devices import registry
from ompls.runtime.boards import board as there
from ompls.runtime.boards.needed import refuse_newer
from ompls.runtime.boards.plan import CannotPlan
from ompls.runtime.boards.ssh import Connection
from ompls.runtime.machine import architecture_of

if TYPE_CHECKING:
    from ompls.runtime.machine import Machine
    from ompls.translate import Bundle

OUR_ERROR = 125


Made = tuple[str, Callable[[], "int | None"]]  # as in Plan


class Plan(NamedTuple):
    """What a program is called on the board, what decided that (`Unit.looked_for`), and what makes it there."""

    program: str
    looked_for: frozenset[str]
    make: Callable[[], int | None]


def planned(arguments: argparse.Namespace, connection: Connection, scratch: Path, spec: str) -> Plan:
    """Translates.  Raises Problem and Refused."""
    board = connection.board
    machine = options.machine(architecture_of(board.facts.get("architecture", "")), arguments.tool_prefix)
    units = list(analyze(arguments.files, arguments.flags, arguments.openmp, arguments.database, machine))
    bundle = pipeline.translated(units, registry().chosen(spec), arguments.flags, board.openmp)
    flags = [flag for group in dict.fromkeys(unit.flags for unit in units) for flag in group]
    flags += arguments.flags
    pipeline.mark_for_debuggers(bundle, flags)
    _refuse_paths(flags)
    sending = _Sending(connection, scratch / Path(arguments.files[0]).stem, spec, flags, machine)
    program, make = sending.chosen(bundle)
    return Plan(program, frozenset().union(*(unit.looked_for for unit in units)), make)


def _refuse_paths(flags: list[str]) -> None:
    """What is linked with is on this machine."""
    wrong = next((flag for flag in flags if flag.startswith("-L")), None)
    if wrong is not None:
        raise Problem(
            f"{wrong}: --remote links on the board, which does not have that directory; leave it out", OUR_ERROR
        )


@dataclass(frozen=True)
class _Sending:
    """The ways to get a program onto a board.

    output -- where it is linked if that is done here; its name is the program's
    """

    connection: Connection
    output: Path
    spec: str
    flags: list[str]
    machine: Machine

    def chosen(self, bundle: Bundle) -> Made:
        """By what the board has."""
        facts = self.connection.board.facts
        has_gcc, has_python = bool(facts.get("gcc")), _has_python(facts)
        if has_gcc and has_python:
            return self._built_there(bundle)
        if has_gcc:
            with suppress(CannotPlan):
                return self._built_by_shell(bundle)
        return self._built_here(bundle)

    def _built_there(self, bundle: Bundle) -> Made:
        files = {str(path): data if isinstance(data, bytes) else data.encode() for path, data in bundle.files.items()}
        ours = there.runtime()
        runtime = f"runtime/{there.digest(ours)}"
        name = f"bundles/{there.digest(files)}"
        program = f"programs/{there.digest({}, runtime, name, self.spec, *self.flags)}@/{self.output.name}"

        def make() -> int:
            with progress("building there"):
                kept = there.Kept(self.connection, [runtime, name])
                kept.put_files(runtime, ours)
                kept.put_files(name, files)
                compiling, linking = pipeline.split_link_flags(self.flags)
                words = [f"--cflag={word}" for word in compiling] + [f"--ldflag={word}" for word in linking]
                words.insert(0, f"--device={self.spec}")
                code = there.build(self.connection, [runtime, name, kept.full(program), *words])
            return OUR_ERROR if code != 0 else 0

        return program, make

    def _built_by_shell(self, bundle: Bundle) -> Made:
        """By the board's gcc, whose commands are written down here."""
        facts, machine = self.connection.board.facts, self.machine
        files = pipeline.plan(bundle, self.output.parent, self.spec, self.flags, machine=machine, facts=facts)
        digest = there.digest(files)
        program = f"programs/{digest}@/{self.output.name}"

        def make() -> int:
            with progress("building there"):
                plan = f"plans/{digest}-{secrets.token_hex(4)}"  # it goes when it is done
                kept = there.Kept(self.connection, [plan])
                kept.put_files(plan, files)
                words = [plan, kept.full(program), kept.full("objects/@")]
                code = there.build_by_shell(self.connection, words)
            return OUR_ERROR if code != 0 else 0

        return program, make

    def _built_here(self, bundle: Bundle) -> Made:
        """It is linked, and sent."""
        board, output, machine = self.connection.board, self.output, self.machine
        pipeline.build(bundle, output.parent, self.spec, self.flags, output, machine=machine, facts=board.facts)
        refuse_newer(output, board.facts, output.name)
        data = output.read_bytes()
        program = f"programs/{there.digest({output.name: data})}/{output.name}"
        return program, partial(there.put_file, self.connection, program, data)


def _has_python(facts: Mapping[str, str]) -> bool:
    """Whether a board's Python runs our runtime."""
    return tuple(int(part) for part in facts.get("python", "").split(".") if part.isdigit()) >= (3, 8)
