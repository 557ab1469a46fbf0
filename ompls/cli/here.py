"""The program runs on this machine: it is translated and built in a private directory."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ompls.cli import gdb, options, pipeline
from ompls.cli.engine import analyze
from ompls.cli.problem import Problem, Untranslatable, note
from ompls.cli.terminal import Style, progress
from ompls.runtime.folders import AUTO
from ompls.runtime.machine import HERE

if TYPE_CHECKING:
    from ompls.analysis.spec.devices import DeviceSpec
    from ompls.cli.engine import Unit
    from ompls.translate import Bundle

OUR_ERROR = 125
FOUND = 1  # the exit code of a program that ended well, but not before the checks


def run(arguments: argparse.Namespace, scratch: Path, record: Path | None) -> int:
    """The program's exit code; its trace is in `record`.  Raises Problem and RuntimeProblem."""
    found = scratch / "findings"
    machine = options.machine(HERE.architecture if arguments.target_arch else None, arguments.tool_prefix)
    if arguments.check is not None:
        _prepare_checks(arguments, found)
    debugger: list[str] = []
    if arguments.gdb:
        arguments.device = gdb.device(arguments.device)
        debugger = gdb.command(scratch)
        os.environ.setdefault("OMPLS_CUDASIM_CORES", "1")  # one thread of a kernel at a time
    name = os.path.basename(arguments.files[0])
    say = Style(sys.stderr) if arguments.verbose else None
    if say is not None:
        print(say("strong", f"ompls: building {name}…"), file=sys.stderr, flush=True)
    chosen = None if arguments.device == AUTO else pipeline.devices_here(arguments.device)
    with progress("translating and building") if say is None else nullcontext():
        units = list(analyze(arguments.files, arguments.flags, arguments.openmp, arguments.database, machine))
        bundle, devices = _translated(units, chosen, arguments)
        project_flags = dict.fromkeys(unit.flags for unit in units)
        flags = [flag for group in project_flags for flag in group]
        flags += [*(gdb.FLAGS if arguments.gdb else ()), *arguments.flags]
        pipeline.mark_for_debuggers(bundle, flags)
        output = scratch / Path(arguments.files[0]).stem
        built = pipeline.build(bundle, scratch, arguments.device, flags, output, units=units, machine=machine)
    if say is not None:
        where = ", ".join(device.name for device in devices)
        print(say("strong", f"ompls: running {name} on {where}"), file=sys.stderr, flush=True)
    code = pipeline.launch(
        built,
        arguments.program_arguments,
        timeout=arguments.timeout,
        record=record,
        content=arguments.profile,
        values=arguments.trace_values,
        debugger=debugger,
    )
    if found.exists():
        kinds = found.read_text(encoding="ascii").split()
        told = ", ".join(f"{kind} {kinds.count(kind)}" for kind in dict.fromkeys(kinds))
        print(f"ompls: the checks found {len(kinds)} ({told})", file=sys.stderr)
        code = code or FOUND
    return code


def _translated(
    units: list[Unit], chosen: tuple[DeviceSpec, ...] | None, arguments: argparse.Namespace
) -> tuple[Bundle, tuple[DeviceSpec, ...]]:
    """The bundle for the chosen devices; else for the first one here that can run the program, which is said when it is
    not the first one that there is.  Raises Problem and Refused."""
    if chosen is None:
        bundle, device, passed = pipeline.translated_for_any(units, pipeline.usable_here(), arguments.flags)
        arguments.device = device.name
        if passed:
            names, (_, why) = " and ".join(name for name, _ in passed), passed[0]
            note(f"running on {device.name}, as {names} cannot run it: {why}")
        return bundle, (device,)
    try:
        return pipeline.translated(units, chosen, arguments.flags), chosen
    except Untranslatable:
        others = pipeline.usable_here()
        able = next((device for device in others if pipeline.can_run(device, units, arguments.flags)), None)
        if able is not None:
            unchecked = "" if arguments.check is None else " without --check"
            note(f"{able.name} can run it{unchecked}: use '--device {able.name}'")
        raise


def _prepare_checks(arguments: argparse.Namespace, found: Path) -> None:
    """The image is built for checks, and the program does them: both learn of it from the environment."""
    if arguments.gdb:
        raise Problem("--gdb: not together with --check, which changes the kernels; leave one of them out", OUR_ERROR)
    from ompls.runtime.devices import able, named

    can = able("checks")
    if arguments.device == AUTO:
        arguments.device = can[0]
    asked = [name for name in arguments.check.split(",") if name not in ("", "all")]
    for device, _ in named(arguments.device):
        if device.name not in can:
            why = f"'{arguments.device}' cannot check kernels"
            raise Problem(f"--check: {why}; choose --device {' or '.join(can)}", OUR_ERROR)
        other = next((name for name in asked if name not in device.checks), None)
        if other is not None:
            why = f"'{device.name}' does not look for '{other}'"
            raise Problem(f"--check: {why}, but for {', '.join(device.checks)}", OUR_ERROR)
    os.environ["OMPLS_CHECK"] = arguments.check or "races,uninit,memory"
    os.environ["OMPLS_CHECK_RESULT"] = str(found)
