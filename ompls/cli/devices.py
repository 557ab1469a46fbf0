"""`ompls devices`: every known device, available or not, with the reason and the hint."""

from __future__ import annotations

import argparse
import sys


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from ompls.runtime.__main__ import list_devices

    sys.stdout.write(list_devices(arguments.json))
    return 0
