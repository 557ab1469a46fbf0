"""`ompls serve`: becomes the language server.

It replaces this process instead of importing the server: the two are siblings that know nothing of each other, and
the editor's pipe, signals and exit code are then the server's own.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys

from ompls.cli.problem import Problem
from ompls.runtime import start


def configure(parser: argparse.ArgumentParser) -> None:
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--stdio", action="store_true", help="talk over stdin and stdout (default)")
    way.add_argument("--tcp", metavar="PORT", type=_port, help="listen on this port of the loopback interface")


def run(arguments: argparse.Namespace) -> int:
    if importlib.util.find_spec("pygls") is None:
        raise Problem("cannot start the server: the package pygls is not installed; run 'pip install pygls'")
    words = ["--tcp", str(arguments.tcp)] if arguments.tcp is not None else ["--stdio"]
    sys.stdout.flush()
    return start.become("ompls.server.__main__", *words)


def _port(word: str) -> int:
    if not (word.isdecimal() and int(word) < 1 << 16):
        raise argparse.ArgumentTypeError(f"'{word}' is not a port; ports are 1 to 65535, and 0 means any free one")
    return int(word)
