"""`ompls report TRACE`: a recorded trace for people."""

from __future__ import annotations

import argparse

from ompls.cli import trace


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", help="a file that 'ompls run --trace' or OMPLS_TRACE wrote")


def run(arguments: argparse.Namespace) -> int:
    print(trace.tables(trace.summarize(trace.read(arguments.trace))))
    return 0
