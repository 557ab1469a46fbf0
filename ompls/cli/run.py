"""`ompls run`: translate, build, run, on this machine (here.py) or on a board (away.py).  stdin, stdout, stderr and
the exit code are the program's own.

A second run on a board translates nothing: what that needs is imported by who does it.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path

from ompls.cli import options, output
from ompls.cli.ending import tidy_end
from ompls.cli.problem import Problem
from ompls.runtime.folders import AUTO
from ompls.runtime.machine import HERE

OUR_ERROR = 125
MOST_VALUES = 1024  # as core/trace.c has it
CHECKS = ("races", "uninit", "memory", "coalescing", "banks", "all")


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser)
    options.add_device(parser, os.environ.get("OMPLS_DEVICES") or AUTO)
    options.add_openmp(parser)
    options.add_machine(parser)
    parser.add_argument("--remote", metavar="NAME", help="run it on that board (see 'ompls remote')")
    parser.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="end the program after that time")
    parser.add_argument("--trace", metavar="FILE", help="record a trace (see 'ompls report')")
    parser.add_argument(
        "--trace-format", choices=("json", "chrome"), default="json", help="our JSON lines, or for Chrome and Perfetto"
    )
    parser.add_argument(
        "--trace-values",
        type=_values,
        default=0,
        metavar="N",
        help="with --trace: it keeps the first N bytes of each item that is mapped or copied (at most 1024)",
    )
    parser.add_argument(
        "--check",
        type=_checks,
        metavar="[LIST]",
        help="on cudasim: report races,uninit,memory (the default) or also coalescing,banks; on epiphany: races; exit "
        "code 1 when it did",
    )
    parser.add_argument(
        "--gdb", action="store_true", help="build with -g and start gdb on the program (docs/debugging.md)"
    )
    parser.add_argument("--verbose", action="store_true", help="say what is done, and on which device, on stderr")
    parser.add_argument("--profile", action="store_true", help="show what was launched and transferred, on stderr")


def run(arguments: argparse.Namespace) -> int:
    """The program's exit code, 128+signal, 124 over the time, or 125 when it could not be run."""
    from ompls.runtime.errors import RuntimeProblem
    from ompls.runtime.scratch import scratch

    try:
        with tidy_end(), scratch() as directory:
            return _run(arguments, directory)
    except RuntimeProblem as error:
        raise Problem(str(error), OUR_ERROR) from error


def _run(arguments: argparse.Namespace, scratch: Path) -> int:
    other = arguments.target_arch
    if other not in (None, HERE.architecture):
        instead = f"build it with 'ompls cc --target-arch {other}', and run it there"
        raise Problem(f"cannot run a program for {other}: this machine is {HERE.architecture}; {instead}", OUR_ERROR)
    if arguments.trace:
        output.refuse(arguments.trace, arguments.files)
    elif arguments.trace_values:
        raise Problem("--trace-values: there is no trace that could keep them; say --trace FILE, too", OUR_ERROR)
    record = _record(arguments, scratch)
    if arguments.remote:
        from ompls.cli import away

        code = away.run(arguments, scratch, record)
    else:
        from ompls.cli import here

        code = here.run(arguments, scratch, record)
    _tell(arguments, record)
    return code


def _record(arguments: argparse.Namespace, scratch: Path) -> Path | None:
    """Where the trace goes: at once where it is wanted, or where it is read and converted; None: there is none."""
    if arguments.trace and arguments.trace_format == "json":
        return Path(arguments.trace)
    return scratch / "trace.jsonl" if arguments.trace or arguments.profile else None


def _tell(arguments: argparse.Namespace, record: Path | None) -> None:
    """Show and convert what was recorded."""
    if arguments.profile and record is not None:
        sys.stdout.flush()
        print(_profile(record), file=sys.stderr)
    if arguments.trace and arguments.trace_format != "json" and record is not None and record.exists():
        from ompls.cli import trace
        from ompls.cli.chrome import chrome

        output.write(arguments.trace, chrome(trace.recorded(os.fspath(record)).events))


def _checks(word: str) -> str:
    """The list as it was given; '': those that are usual."""
    for name in word.split(",") if word else ():
        if name not in CHECKS:
            raise argparse.ArgumentTypeError(f"there is no check '{name}': choose from {','.join(CHECKS)}")
    return word


def _values(word: str) -> int:
    if word.isdecimal() and int(word) <= MOST_VALUES:
        return int(word)
    raise argparse.ArgumentTypeError(f"'{word}' is not a number of bytes up to {MOST_VALUES}")


def _profile(record: Path) -> str:
    if not record.exists():
        return "No trace was written: the program ended before its first offload."
    from ompls.cli import report

    return report.profiled(os.fspath(record))


def _seconds(word: str) -> float:
    with suppress(ValueError):
        if 0 < (seconds := float(word)) < 1e9:
            return seconds
    raise argparse.ArgumentTypeError(f"'{word}' is not a number of seconds above 0")
