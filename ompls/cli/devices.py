"""`ompls devices`: every known device, available or not, with the reason and the hint."""

from __future__ import annotations

import argparse
import os
import sys

from ompls.analysis.spec.devices import DeviceSpec
from ompls.cli.problem import Problem, warn
from ompls.project.devices import registry


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    parser.add_argument(
        "--prepare", action="store_true", help="compile now what all programs share, for the devices of this machine"
    )


def run(arguments: argparse.Namespace) -> int:
    from ompls.runtime.__main__ import list_devices

    if arguments.prepare:
        _prepare()
    known = registry()
    for problem in known.problems:
        warn(str(problem))
    others = [_other(d) for d in known.devices.values() if not (known.folders[d.name] / "module/__init__.py").is_file()]
    sys.stdout.write(list_devices(arguments.json, others, known.broken))
    return 0


def _other(device: DeviceSpec) -> dict[str, object]:
    """The entry of one that nothing runs."""
    reason = f"planned: {device.planned}" if device.planned else "its folder has no module/"
    entry = {"name": device.name, "available": False, "class": device.kernel_class, "description": device.title}
    return {**entry, "reason": reason, "hint": "until then it can be checked for"}


def _prepare() -> None:
    """The core and the parts of the devices: else the first compilation makes them, and takes longer.

    They become part of the installation, for all its users, where that can be written.
    """
    from ompls.runtime.build import prepare
    from ompls.runtime.devices import all_devices, state_of
    from ompls.runtime.errors import RuntimeProblem
    from ompls.runtime.toolchain import PREPARED, RUNTIME

    try:
        available = [device for device in all_devices().values() if state_of(device).available]
        prepare(available, PREPARED if os.access(RUNTIME, os.W_OK) else None)
    except RuntimeProblem as error:
        raise Problem(str(error)) from error
