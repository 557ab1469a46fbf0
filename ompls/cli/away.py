"""`ompls run --remote NAME`: the whole program on a board, built there where it has gcc, else here."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ompls.cli import options, pipeline
from ompls.cli.engine import analyze
from ompls.cli.problem import Problem
from ompls.cli.terminal import progress
from ompls.project.devices import AUTO, registry
from ompls.runtime.boards import board as there
from ompls.runtime.boards import registered
from ompls.runtime.boards.needed import refuse_newer
from ompls.runtime.boards.plan import CannotPlan
from ompls.runtime.boards.registered import Board
from ompls.runtime.boards.ssh import Connection
from ompls.runtime.machine import architecture_of

if TYPE_CHECKING:
    from ompls.translate import Bundle

OUR_ERROR = 125


def run(arguments: argparse.Namespace, scratch: Path, record: Path | None) -> int:
    """The program's exit code; its trace is in `record`.  Raises Problem and RuntimeProblem."""
    for option, given in (("--gdb", arguments.gdb), ("--check", arguments.check is not None)):
        if given:
            raise Problem(f"{option}: not together with --remote; run the program here", OUR_ERROR)
    if arguments.target_arch is not None:
        raise Problem("--target-arch: not together with --remote, which knows the board's; leave it out", OUR_ERROR)
    board = registered.one(arguments.remote)
    spec = board.device if arguments.device == AUTO else arguments.device
    options.translatable(spec)
    with Connection(board, scratch) as connection:
        connection.open_ahead()  # we translate meanwhile
        with progress(f"translating, and logging in on {board.address}"):
            program, make = _planned(arguments, connection, scratch, spec)
        environment = {**there.settings(os.environ), "OMPLS_DEVICES": spec}
        if record is not None:
            environment["OMPLS_TRACE"] = "trace"  # the board knows where
        if arguments.profile:
            environment["OMPLS_TRACE_CONTENT"] = "1"
        if arguments.trace_values:
            environment["OMPLS_TRACE_VALUES"] = str(arguments.trace_values)
        if arguments.verbose:
            name = os.path.basename(program)
            print(f"ompls: running {name} on {board.name} ({spec})", file=sys.stderr, flush=True)
        words = arguments.program_arguments
        code = there.run(connection, program, make, words, environment, timeout=arguments.timeout)
        if record is not None and connection.alive:
            there.trace(connection, record)
        return code


def _planned(
    arguments: argparse.Namespace, connection: Connection, scratch: Path, spec: str
) -> tuple[str, Callable[[], int | None]]:
    """What the program is called on the board, and what makes it there."""
    board = connection.board
    machine = options.machine(architecture_of(board.facts.get("architecture", "")), arguments.tool_prefix)
    units = list(analyze(arguments.files, arguments.flags, arguments.openmp, arguments.database, machine))
    bundle = pipeline.translated(units, registry().chosen(spec), arguments.flags)
    flags = [flag for group in dict.fromkeys(unit.flags for unit in units) for flag in group]
    flags += arguments.flags
    pipeline.mark_for_debuggers(bundle, flags)
    _refuse_paths(flags)
    name = Path(arguments.files[0]).stem
    if board.facts.get("gcc") and not _has_python(board):
        with suppress(CannotPlan):
            return _built_by_shell(connection, bundle, scratch / name, spec, flags)
    if not board.facts.get("gcc") or not _has_python(board):
        return _built_here(connection, bundle, scratch / name, spec, flags)
    files = {str(path): data if isinstance(data, bytes) else data.encode() for path, data in bundle.files.items()}
    return _built_there(connection, files, spec, flags, name)


def _has_python(board: Board) -> bool:
    return tuple(int(part) for part in board.facts.get("python", "").split(".") if part.isdigit()) >= (3, 8)


def _refuse_paths(flags: list[str]) -> None:
    """What is linked with is on this machine."""
    wrong = next((flag for flag in flags if flag.startswith("-L")), None)
    if wrong is not None:
        raise Problem(
            f"{wrong}: --remote links on the board, which does not have that directory; leave it out", OUR_ERROR
        )


def _built_there(
    connection: Connection, files: dict[str, bytes], spec: str, flags: list[str], name: str
) -> tuple[str, Callable[[], int | None]]:
    ours = there.runtime()
    runtime = f"runtime/{there.digest(ours)}"
    bundle = f"bundles/{there.digest(files)}"
    program = f"programs/{there.digest({}, runtime, bundle, spec, *flags)}@/{name}"

    def make() -> int:
        with progress("building there"):
            kept = there.Kept(connection, [runtime, bundle])
            kept.put_files(runtime, ours)
            kept.put_files(bundle, files)
            compiling, linking = pipeline.split_link_flags(flags)
            words = [f"--cflag={word}" for word in compiling] + [f"--ldflag={word}" for word in linking]
            code = there.build(connection, [runtime, bundle, kept.full(program), f"--device={spec}", *words])
        return OUR_ERROR if code != 0 else 0

    return program, make


def _built_by_shell(
    connection: Connection, bundle: Bundle, output: Path, spec: str, flags: list[str]
) -> tuple[str, Callable[[], int | None]]:
    """By the board's gcc, whose commands are written down here."""
    board, name = connection.board, output.name
    machine = options.machine(architecture_of(board.facts.get("architecture", "")), None)
    files = pipeline.plan(bundle, output.parent, spec, flags, machine=machine, facts=board.facts)
    digest = there.digest(files)
    program = f"programs/{digest}@/{name}"

    def make() -> int:
        with progress("building there"):
            plan = f"plans/{digest}-{secrets.token_hex(4)}"  # it goes when it is done
            kept = there.Kept(connection, [plan])
            kept.put_files(plan, files)
            code = there.build_by_shell(connection, [plan, kept.full(program), kept.full("objects/@")])
        return OUR_ERROR if code != 0 else 0

    return program, make


def _built_here(
    connection: Connection, bundle: Bundle, output: Path, spec: str, flags: list[str]
) -> tuple[str, Callable[[], int | None]]:
    """It is linked as `output`, and sent."""
    board = connection.board
    machine = options.machine(architecture_of(board.facts.get("architecture", "")), None)
    name = output.name
    pipeline.build(bundle, output.parent, spec, flags, output, machine=machine, facts=board.facts)
    refuse_newer(output, board.facts, name)
    data = output.read_bytes()
    program = f"programs/{there.digest({name: data})}/{name}"
    return program, partial(there.put_file, connection, program, data)
