"""`ompls report TRACE`: a recorded trace for people."""

from __future__ import annotations

import argparse
from pathlib import Path

from ompls.cli import output, profile, trace
from ompls.cli.problem import Problem
from ompls.traces.events import Event


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", help="a file that 'ompls run --trace' or OMPLS_TRACE wrote")
    parser.add_argument("--html", metavar="OUT", help="write one self-contained page with a timeline instead")


def run(arguments: argparse.Namespace) -> int:
    if arguments.html is not None:
        output.refuse(arguments.html, [arguments.trace])
    head, events = trace.recorded(arguments.trace)
    if arguments.html is None:
        print(shown(events))
        return 0
    from ompls.cli.page import page

    write(arguments.html, page(events, head, arguments.trace))
    return 0


def shown(events: list[Event]) -> str:
    """The tables of `report` and of `run --profile`."""
    return f"{profile.tables(profile.profile(events))}\n\n{trace.tables(trace.summarize(events))}"


def write(path: str, text: str) -> None:
    """Raises Problem when it cannot be written."""
    try:
        Path(path).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise Problem(f"cannot write {path}: {error.strerror}; choose another file") from error
