"""`ompls remote`: boards that are reached over SSH (docs/remote.md)."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from ompls.cli.ending import tidy_end
from ompls.cli.problem import Problem
from ompls.cli.terminal import progress
from ompls.project.files import read_regular
from ompls.project.problem import EnvironmentProblem
from ompls.runtime.boards import registered
from ompls.runtime.boards.registered import Board
from ompls.runtime.errors import RuntimeProblem, one_line

OUR_ERROR = 125
_LARGEST = 2 << 30  # bytes of a program


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="log in on a board, look what it has, and give it a name")
    add.add_argument("name", metavar="NAME", help="what it is called here")
    add.add_argument("address", metavar="ADDRESS", help="user@host, an alias of ~/.ssh/config, or ssh://user@host:port")
    add.add_argument("--device", default=registered.INNER, metavar="D", help="what computes there (default: host)")
    add.add_argument(
        "--dir",
        default=registered.DIRECTORY,
        metavar="DIR",
        help="for our files there, under its home (default: .ompls)",
    )
    actions.add_parser("list", help="the boards").add_argument("--json", action="store_true", help="as one JSON object")
    test = actions.add_parser("test", help="log in, and say what the board has and what it lacks")
    test.add_argument("name", metavar="NAME")
    remove = actions.add_parser("remove", help="forget a board")
    remove.add_argument("name", metavar="NAME")
    remove.add_argument("--purge", action="store_true", help="remove our files there first")
    run_it = actions.add_parser("exec", help="run a finished program there, as CMake's cross-compiling emulator does")
    run_it.add_argument("name", metavar="NAME")
    run_it.add_argument("program", metavar="PROGRAM")
    run_it.add_argument("words", metavar="ARGUMENT", nargs=argparse.REMAINDER)


def run(arguments: argparse.Namespace) -> int:
    """0; of `test`, 1 when something is missing; of `exec`, the program's, or 125."""
    failure = OUR_ERROR if arguments.action == "exec" else 2
    try:
        with tidy_end():
            return _ACTIONS[arguments.action](arguments)
    except (RuntimeProblem, EnvironmentProblem, OSError) as error:
        raise Problem(str(error), failure) from error


def _add(arguments: argparse.Namespace) -> int:
    from ompls.project.devices import registry

    board = Board(arguments.name, arguments.address, arguments.device, arguments.dir)
    if board.name.lower() in map(str.lower, registry().devices):
        raise Problem(f"cannot add {board.name}: a device has that name; choose another one")
    known = registered.boards()
    _refuse_known(board, known)
    if board.device in known:
        raise Problem(f"cannot add {board.name}: {board.device} is a board, not a device inside; name another --device")
    registry().one(board.device)
    facts = _asked(board)

    def added(known: dict[str, Board]) -> dict[str, Board]:
        _refuse_known(board, known)
        return {**known, board.name: replace(board, facts=facts)}

    registered.change(added)
    return _show(board, facts, 0)


def _refuse_known(board: Board, known: Mapping[str, Board]) -> None:
    """Editors write a board's name in lower case in the addresses of its previews."""
    if board.name in known:
        raise Problem(f"cannot add {board.name}: there is a board of that name; remove it first")
    same = next((name for name in known if name.lower() == board.name.lower()), None)
    if same is not None:
        raise Problem(
            f"cannot add {board.name}: there is a board {same}, and editors do not tell them apart; choose another name"
        )


def _list(arguments: argparse.Namespace) -> int:
    known = registered.boards().values()
    if arguments.json:
        entries = [
            {"name": b.name, "address": b.address, "device": b.device, "directory": b.directory, "facts": dict(b.facts)}
            for b in known
        ]
        print(json.dumps({"remotes": entries}, indent=2))
        return 0
    for board in known:
        what = ", ".join(
            filter(None, (board.facts.get("model") or board.facts.get("system"), board.facts.get("architecture")))
        )
        print(f"{board.name:12s} {board.address}, device {board.device}" + (f" ({what})" if what else ""))
    if not known:
        print("There are no boards; add one: ompls remote add NAME user@host", file=sys.stderr)
    return 0


def _test(arguments: argparse.Namespace) -> int:
    board = registered.one(arguments.name)
    facts = _asked(board)
    asked = replace(board, facts=facts)
    registered.change(lambda known: {**known, board.name: asked} if known.get(board.name) else known)
    return _show(board, facts, 1)


def _remove(arguments: argparse.Namespace) -> int:
    from ompls.runtime.boards.ssh import Connection
    from ompls.runtime.scratch import scratch

    board = registered.one(arguments.name)
    if arguments.purge:
        with scratch() as directory, Connection(board, directory) as connection:
            kept = connection.ask("purge").decode("utf-8", "replace").strip()
        if kept:
            print(f"ompls: left {one_line(kept)} on {board.name}: what is in it is not ours", file=sys.stderr)
    registered.change(lambda known: {name: other for name, other in known.items() if name != board.name})
    return 0


def _exec(arguments: argparse.Namespace) -> int:
    from ompls.runtime.boards import board as there
    from ompls.runtime.boards.needed import refuse_newer, refuse_other
    from ompls.runtime.boards.ssh import Connection, logged_in
    from ompls.runtime.scratch import scratch

    board = registered.one(arguments.name)
    path = Path(arguments.program)
    data = read_regular(str(path), _LARGEST, "name a program that is linked")
    if not data.startswith(b"\x7fELF"):
        raise Problem(f"cannot run {path}: it is no program for Linux; name one that is linked", OUR_ERROR)
    refuse_other(path, board.facts, str(path))
    refuse_newer(path, board.facts, str(path))
    name = f"programs/{there.digest({path.name: data})}/{path.name}"
    environment = there.settings(os.environ)
    if os.environ.get("OMPLS_DEVICES"):
        environment["OMPLS_DEVICES"] = os.environ["OMPLS_DEVICES"]

    def work(connection: Connection) -> int:
        put = partial(there.put_file, connection, name, data)
        return there.run(connection, name, put, arguments.words, environment)

    with scratch() as directory:
        return logged_in(board, directory, work)


_ACTIONS = {"add": _add, "list": _list, "test": _test, "remove": _remove, "exec": _exec}


def _asked(board: Board) -> dict[str, str]:
    from ompls.runtime.boards import board as there
    from ompls.runtime.boards.ssh import Connection
    from ompls.runtime.scratch import scratch

    with progress(f"logging in on {board.address}"), scratch() as directory, Connection(board, directory) as connection:
        return there.facts(connection.ready())


def _show(board: Board, facts: Mapping[str, str], lacking: int) -> int:
    """What a board has, and each lack with the next step; `lacking` is the exit code when there is one."""
    for name, text in facts.items():
        if text:
            print(f"{name:12s} {_readable(name, text)}")
    lacks = [*_lacks(board, facts)]
    for lack in lacks:
        print(f"ompls: warning: {one_line(lack)}", file=sys.stderr)
    return lacking if lacks else 0


_MEANT = {"cuda": "the toolkit's nvcc; the driver is libcuda"}


def _readable(name: str, text: str) -> str:
    if name in _MEANT:
        return f"{text} ({_MEANT[name]})"
    if name in ("memory", "disk", "used") and text.isdigit():
        kibibytes = int(text)
        return f"{kibibytes / 1048576:.1f} GiB" if kibibytes >= 1048576 else f"{kibibytes / 1024:.1f} MiB"
    return text


def _lacks(board: Board, facts: Mapping[str, str]) -> list[str]:
    from ompls.runtime.devices import named

    found = []
    python = tuple(int(part) for part in facts.get("python", "").split(".") if part.isdigit())
    if not facts.get("gcc"):
        found.append(f"{board.name} has no gcc: programs are built here and sent; on it, type: apt-get install gcc")
    if python < (3, 8):
        has = f"has Python {facts['python']}" if facts.get("python") else "has no Python"
        found.append(f"{board.name} {has}: without 3.8 programs for some devices are built here and sent")
    if facts.get("disk", "").isdigit() and int(facts["disk"]) < 100 * 1024:
        found.append(f"{board.name} has less than 100 MiB left in {board.directory}: free some space there")
    for device, _ in named(board.device):
        library = device.needs_library
        if library is not None and os.path.basename(facts.get("libcuda", "")) != library:
            found.append(f"{board.name} has no {library}, which {device.name} needs: install the driver on it")
    if facts.get("jetpack") and "video" not in facts.get("groups", "").split():
        found.append(f"you are not in the group video of {board.name}: on it, type: sudo usermod -aG video $USER")
    return found
