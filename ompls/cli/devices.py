"""`ompls devices`: every known device, available or not, with the reason and the hint."""

from __future__ import annotations

import argparse
import os
import sys

from ompls.cli.problem import Problem


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    parser.add_argument(
        "--prepare", action="store_true", help="compile now what all programs share, for the devices of this machine"
    )


def run(arguments: argparse.Namespace) -> int:
    from ompls.runtime.__main__ import list_devices

    if arguments.prepare:
        _prepare()
    sys.stdout.write(list_devices(arguments.json))
    return 0


def _prepare() -> None:
    """The core and the parts of the devices: else the first compilation makes them, and takes longer.

    They become part of the installation, for all its users, where that can be written.
    """
    from ompls.runtime.build import prepare
    from ompls.runtime.devices import all_devices
    from ompls.runtime.errors import RuntimeProblem
    from ompls.runtime.toolchain import PREPARED, RUNTIME

    try:
        available = [device for device in all_devices().values() if device.probe().available]
        prepare(available, PREPARED if os.access(RUNTIME, os.W_OK) else None)
    except RuntimeProblem as error:
        raise Problem(str(error)) from error
