"""The command line: converts arguments, calls, converts results.  No logic of its own.

Every subcommand is one module with `configure(parser)` and `run(arguments) -> exit code`; only the one that is asked
for gets imported, so that `ompls check` does not pay for what `ompls run` needs.  The contract (names, formats, exit
codes) is docs/cli.md.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

from ompls.cli.problem import Problem, Refused, complain
from ompls.cli.terminal import UNWRITABLE, give_up, prepare_streams

COMMANDS = {
    "check": "find mistakes in target regions",
    "preview": "show the generated kernels",
    "graph": "show the static task graph of a region",
    "translate": "write a bundle: host code, kernels, manifest",
    "run": "translate, build and run a program",
    "remote": "keep boards that are reached over SSH, and run programs there",
    "cc": "compile and link with gcc's command line",
    "cache": "show or clear what is kept of earlier builds",
    "devices": "list the devices of this machine",
    "explain": "show the manual page of a rule",
    "report": "show a recorded trace",
    "serve": "start the language server",
    "editor": "install the plugin for Neovim",
    "completions": "print what completes the command line in a shell",
}


class _Parser(argparse.ArgumentParser):
    """argparse, with our one form of error message, and without abbreviations: a new option must not break a script."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise Problem(f"cannot understand the command line: {message}; see '{self.prog} --help'")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; the codes are listed in docs/cli.md."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = next((word for word in arguments if word in COMMANDS), None)
    our_error = {"run": 125, "cc": 1}.get(command or "", 2)
    if arguments[:2] == ["remote", "exec"]:
        our_error = 125  # the other codes are the program's
    prepare_streams()
    try:
        try:
            if arguments[:1] == ["cc"]:  # the rest is gcc's language
                return int(importlib.import_module("ompls.cli.cc").main(arguments[1:]))
            return _dispatch(arguments, command)
        finally:
            sys.stdout.flush()  # what cannot be written is noticed here, and not when nobody can handle it any more
    except Problem as problem:
        complain(problem)
        return problem.exit_code or our_error
    except Refused:
        return 125 if command == "run" else 1
    except KeyboardInterrupt as interrupt:
        return _ended_by(interrupt)
    except Exception as error:  # noqa: BLE001 -- our bug: shown whole, and with the exit code of our errors
        if isinstance(error.__cause__, KeyboardInterrupt):  # while Python was making a class (`__set_name__`)
            return _ended_by(error.__cause__)
        if isinstance(error, OSError) and error.errno in UNWRITABLE and error.filename is None:
            give_up(sys.stdout)
            if not isinstance(error, BrokenPipeError):  # `ompls check … | head` is not an error
                complain(Problem(f"cannot write the output: {error.strerror}; write it somewhere else"))
            return our_error
        sys.excepthook(type(error), error, error.__traceback__)  # prints it
        complain(Problem(f"{type(error).__name__}: a bug of ompls; please report it with the lines above"))
        return our_error


def _ended_by(interrupt: KeyboardInterrupt) -> int:
    """The exit code, as a shell says it of a signal: Ctrl-C's, or that of one which asks us to end (ending.py)."""
    return 128 + int(getattr(interrupt, "number", signal.SIGINT))


def _dispatch(arguments: list[str], command: str | None) -> int:
    parser, commands = parsers((command,) if command else ())
    first = arguments[0] if arguments else "-"
    if not first.startswith("-") and first not in COMMANDS:
        parser.error(f"there is no command '{first}'{_meant([first], COMMANDS)}")
    if command is None:
        parser.parse_args(arguments)  # prints help, the version or an error
        return 2
    arguments, flags, program_arguments = _take_foreign(arguments, command)
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        options = [name for action in commands[command]._actions for name in action.option_strings]
        words = [word.partition("=")[0] for word in unknown if word.startswith("--")]
        commands[command].error(f"unrecognized arguments: {' '.join(unknown)}{_meant(words, options)}")
    parsed.flags = flags
    parsed.program_arguments = program_arguments
    return int(importlib.import_module(f"ompls.cli.{command}").run(parsed))


def _meant(words: Collection[str], known: Collection[str]) -> str:
    """What was meant by the first of the words that is nearly a known one, for a message."""
    from ompls.analysis.spec.near import near

    found = next((close[0] for word in words if (close := near(word, known))), "")
    return f"; did you mean '{found}'?" if found else ""


def parsers(configured: Collection[str]) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser, and that of each command; only those that are named have their options."""
    from ompls import __version__

    parser = _Parser(prog="ompls", description="C with OpenMP target offloading: check, preview, translate, run.")
    parser.add_argument("--version", action="version", version=f"ompls {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for name, summary in COMMANDS.items():
        sub = subparsers.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name in configured:
            importlib.import_module(f"ompls.cli.{name}").configure(sub)
    return parser, dict(subparsers.choices)


def _take_foreign(arguments: list[str], command: str) -> tuple[list[str], list[str], list[str]]:
    """Take out what is not ours: the compiler's options and, for `run`, the program's arguments after `--`."""
    from ompls.cli.options import split_flags

    program: list[str] = []
    if command == "run" and "--" in arguments:
        at = arguments.index("--")
        arguments, program = arguments[:at], arguments[at + 1 :]
    if command == "run":  # alone it takes no value: the next word is a file
        arguments = ["--check=" if word == "--check" else word for word in arguments]
    if command in ("check", "graph", "preview", "translate", "run"):
        arguments, flags = split_flags(arguments)
        return arguments, flags, program
    return arguments, [], program
