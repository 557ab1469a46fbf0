"""`python -m ompls.runtime`: build and run bundles, list devices.  Needs this package and the system's gcc only."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Collection, Dict, List, Optional, Sequence

from . import hosted
from .devices import Device, all_devices, on_boards, state_of
from .errors import BuildFailed, DeviceUnavailable, RuntimeProblem

if TYPE_CHECKING:
    import argparse

OUR_ERROR = 125


def _parser() -> argparse.ArgumentParser:
    import argparse  # noqa: PLC0415 -- a program that is hosted does without

    from .machine import ARCHITECTURES  # noqa: PLC0415

    parser = argparse.ArgumentParser(prog="python -m ompls.runtime", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("build", "build a bundle"),
        ("run", "build a bundle and run it; the program's arguments follow --"),
    ):
        one = commands.add_parser(name, help=text)
        one.add_argument("bundle", type=Path)
        one.add_argument(
            "--device", default=os.environ.get("OMPLS_DEVICES") or "auto", help="NAME[:N][,NAME[:N]...] or auto"
        )
        one.add_argument(
            "--cflag", action="append", default=[], metavar="FLAG", help="for the compiler, as --cflag=-O3"
        )
        one.add_argument(
            "--ldflag", action="append", default=[], metavar="FLAG", help="for the linker, as --ldflag=-lm"
        )
    only_build = commands.choices["build"]
    only_build.add_argument("-o", dest="output", type=Path, required=True)
    only_build.add_argument("--target-arch", default="", metavar="ARCH", help=", ".join(ARCHITECTURES))
    only_build.add_argument("--tool-prefix", metavar="PREFIX", help="how the names of its gcc, g++ and objcopy begin")
    run = commands.choices["run"]
    run.add_argument("--timeout", type=float)
    run.add_argument("--trace", type=Path)
    commands.add_parser("devices", help="every known device").add_argument("--json", action="store_true")
    commands.add_parser("host-program", help="for the stub: PROGRAM.so DEVICES NAME ARGS")
    return parser


def list_devices(as_json: bool, further: Sequence[Dict[str, object]] = (), but: Collection[str] = ()) -> str:
    """Every known device, with the reason and the hint when it cannot be used here; text or JSON.

    further -- entries of devices that have no module
    but -- the names of those that are left out
    """
    entries: List[Dict[str, object]] = []
    there = _boards()
    for device in [*(d for name, d in all_devices().items() if name not in but), *there]:
        state = state_of(device)
        entries.append(
            {
                "name": device.name,
                "available": state.available,
                "class": _class(device),
                "description": state.description,
                "reason": state.reason,
                "hint": state.hint,
                **(_of_board(device) if device in there else {}),
            }
        )
    entries += further
    if as_json:
        return json.dumps({"devices": entries}, indent=2) + "\n"
    return "".join(map(_line, entries))


def _class(device: Device) -> str:
    """Of one that may have nothing inside that can be used: "" then."""
    try:
        return device.kernel_class
    except DeviceUnavailable:
        return ""


def _boards() -> List[Device]:
    try:
        return on_boards()
    except RuntimeProblem as error:
        sys.stderr.write("ompls: warning: {}\n".format(error))
        return []


def _of_board(device: Device) -> Dict[str, object]:
    """How the last login went, as programs ask."""
    login = getattr(device, "login", None)
    state = "untried" if login is None else "failed" if login.problem else "reached"
    return {"board": True, "login": state}


def _line(entry: Dict[str, object]) -> str:
    why = "; ".join(str(entry[key]) for key in ("reason", "hint") if entry[key])
    text = "available" if entry["available"] else "not available: " + why
    description = " ({})".format(entry["description"]) if entry["description"] else ""
    return "{:10s} {}{}\n".format(entry["name"], text, description)


def _perform(arguments: List[str], program_arguments: Sequence[str]) -> int:
    if arguments[:1] == ["host-program"] and len(arguments) > 3:  # what follows is the program's: nothing to parse
        return hosted.run_program(arguments[1], arguments[2], arguments[3:])
    from .awake import awake  # noqa: PLC0415 -- a hosted program has none of it, and would wait for it

    with awake():
        return _perform_ours(arguments, program_arguments)


def _perform_ours(arguments: List[str], program_arguments: Sequence[str]) -> int:
    from . import launcher  # noqa: PLC0415 -- half of all imports; each hosted program would wait for them
    from .build import build  # noqa: PLC0415
    from .bundle import read_bundle  # noqa: PLC0415
    from .machine import chosen  # noqa: PLC0415
    from .scratch import scratch  # noqa: PLC0415

    options = _parser().parse_args(arguments)
    if options.command == "devices":
        sys.stdout.write(list_devices(options.json))
    elif options.command == "build":
        machine = chosen(options.target_arch, options.tool_prefix)
        build(options.bundle, options.device, options.output, options.cflag, options.ldflag, machine=machine)
    elif options.command == "run":
        with scratch() as directory:
            program = directory / Path(read_bundle(options.bundle).units[0].source).stem
            built = build(options.bundle, options.device, program, options.cflag, options.ldflag)
            return launcher.run(
                built, program_arguments, options.timeout, launcher.environment(built, trace=options.trace)
            )
    return 0


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run one command; returns its exit code (125: the runtime could not do it)."""
    arguments: List[str] = list(sys.argv[1:] if argv is None else argv)
    program_arguments: List[str] = []
    if arguments[:1] == ["run"] and "--" in arguments:
        cut = arguments.index("--")
        arguments, program_arguments = arguments[:cut], arguments[cut + 1 :]
    try:
        return _perform(arguments, program_arguments)
    except BuildFailed as error:
        sys.stderr.write(error.output)
        sys.stderr.write("ompls: error: {}\n".format(error))
    except RuntimeProblem as error:
        sys.stderr.write("ompls: error: {}\n".format(error))
    except KeyboardInterrupt:
        return 130  # as the shell says it of SIGINT
    return OUR_ERROR


if __name__ == "__main__":
    sys.exit(main())
