"""`ompls report TRACE`: a recorded trace for people."""

from __future__ import annotations

import argparse

from ompls.cli import output, trace, views
from ompls.cli.problem import Problem


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", help="a file that 'ompls run --trace' or OMPLS_TRACE wrote")
    parser.add_argument("--html", metavar="OUT", help="write one self-contained page with a time axis instead")
    parser.add_argument(
        "--between",
        metavar=("FROM", "TO"),
        nargs=2,
        type=_time,
        help="a part of the run: times since its first event, like 12ms or 1.5s",
    )
    parser.add_argument("--all", action="store_true", help="read all events of a long trace, not only its index")


def _time(text: str) -> int:
    try:
        return views.time(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(arguments: argparse.Namespace) -> int:
    if arguments.html is not None:
        output.refuse(arguments.html, [arguments.trace])
    between = tuple(arguments.between) if arguments.between else None
    if between is not None and between[0] > between[1]:
        raise Problem("--between: the part ends before it begins; say the earlier time first")
    shown = views.view(arguments.trace, between, arguments.all)
    if arguments.html is None:
        print(views.text(shown))
        return 0
    from ompls.cli.page import page

    output.write(arguments.html, page(shown, arguments.trace))
    return 0


def profiled(path: str) -> str:
    """The tables of `run --profile`: all events of a trace.  Raises Problem."""
    return views.text(views.of_events(trace.recorded(path), 0))
