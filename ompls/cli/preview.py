"""`ompls preview`: the generated kernels on stdout, as people read them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from ompls.cli import options
from ompls.cli.engine import Unit, analyze
from ompls.cli.places import Places
from ompls.cli.problem import Problem
from ompls.project.devices import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ompls.analysis.spec.devices import DeviceSpec
    from ompls.runtime.devices import Resources
    from ompls.runtime.errors import BuildFailed
    from ompls.runtime.refusal import Refusal
    from ompls.translate import Preview


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser, several=False)
    options.add_device(parser, DEFAULT)
    options.add_openmp(parser)
    options.add_machine(parser)
    parser.add_argument("--line", type=int, metavar="N", help="only the region that line N of the file belongs to")
    parser.add_argument("--explain", action="store_true", help="also what the host does for it, and the source between")
    parser.add_argument("--with-lines", action="store_true", help="also print the line map, as a line of JSON")
    told = "what kernels need of the device, or what travels to one that is elsewhere, on stderr"
    parser.add_argument("--resources", action="store_true", help=told)
    parser.add_argument("--json", action="store_true", help="with --resources: only these, by region, as JSON")
    parser.add_argument("--arch", default="", metavar="MODEL", help="the model for --resources (a GPU: sm_53)")


def run(arguments: argparse.Namespace) -> int:
    from ompls.cli import pipeline

    given = [name for name, value in (("--json", arguments.json), ("--arch", arguments.arch)) if value]
    if given and not arguments.resources:
        raise Problem(f"{given[0]} says nothing without --resources")
    devices = options.translatable(arguments.device)
    machine = options.machine(arguments.target_arch, arguments.tool_prefix)
    (unit,) = analyze(arguments.files, arguments.flags, arguments.openmp, arguments.database, machine)
    pipeline.admit([unit], arguments.flags)
    for device in {device.kernel_class: device for device in devices}.values():
        result = pipeline.made([unit], arguments.flags, partial(_shown, unit, device, arguments), devices)
        if not result.text:
            raise Problem(f"nothing to preview in {arguments.files[0]}: {_no_region(unit, arguments.line)}")
        alone = arguments.json and arguments.resources
        sys.stdout.write("" if alone else result.text)
        if arguments.with_lines and not alone:
            print(json.dumps({"lines": [list(pair) for pair in result.line_map]}))
    if arguments.resources:
        needs = _travels(unit, devices[0].name, arguments) if devices[0].inner else _resources(unit, arguments)
        if arguments.json:
            print(json.dumps(needs))
    return 0


def _shown(unit: Unit, device: DeviceSpec, arguments: argparse.Namespace) -> Preview:
    from ompls.project.targets import targets
    from ompls.translate import preview

    return preview(unit.tu, device, targets((device,)), arguments.line, explain=arguments.explain)


def _no_region(unit: Unit, line: int | None) -> str:
    """Why nothing is shown, and what could be."""
    from ompls.analysis.features import regions

    places = Places([unit])
    ranges = [places.range(region.whole) for region in regions(unit.tu) if region.whole.path == unit.tu.path]
    if line is None or not ranges:
        return "it has no target region; 'ompls check' may say why"
    lines = ", ".join(dict.fromkeys(f"{at.start_line}-{at.end_line}" for at in ranges))
    return f"no target region at line {line}; the regions are at lines {lines}"


def _travels(unit: Unit, name: str, arguments: argparse.Namespace) -> dict[str, object]:
    """Of a device that is elsewhere: messages, and bytes of what is mapped, of each region where that is certain."""
    from ompls.analysis.dataenv.traffic import REUSED, traffic
    from ompls.cli.trace import table

    found = {
        region.id: known
        for item in unit.tu.items
        for region in item.content.regions
        if (known := traffic(item.content, region, unit.tu.model)) is not None
    }
    if not arguments.json:
        rows = [(region, str(t.messages), f"{t.there:,}", f"{t.back:,}") for region, t in found.items()]
        text = table(("region", "messages", "bytes there", "bytes back"), rows)
        print(f"What travels to {name} and back each time, where lengths are constants:\n{text}", file=sys.stderr)
        if any(t.there >= REUSED for t in found.values()):
            print(
                f"Of several devices, what one has already ({REUSED:,} bytes or more) comes from there.",
                file=sys.stderr,
            )
    regions = {region: {"messages": t.messages, "bytes": t.bytes} for region, t in found.items()}
    return {"device": name, "target": "", "regions": regions}


def _resources(unit: Unit, arguments: argparse.Namespace) -> dict[str, object]:
    """Of whole kernel files: what the preview shows may be one region, or be shortened for reading.

    Where the device of the preview does not tell it, the first that does tells it of its own kernels.
    """
    from ompls.cli import pipeline
    from ompls.cli.trace import table
    from ompls.runtime.devices import able, named
    from ompls.runtime.errors import BuildFailed, DeviceUnavailable, RuntimeProblem, ToolMissing
    from ompls.runtime.refusal import Refusal

    able_ones = able("tells_resources")
    name = next((d.name for d in options.translatable(arguments.device) if d.name in able_ones), able_ones[0])
    bundle = pipeline.translated([unit], options.translatable(name), arguments.flags)
    kernels = {path: text for path, text in sorted(bundle.files.items()) if path.startswith("kernels/")}
    try:
        found = named(name)[0][0].resources(kernels, arguments.arch)
    except RuntimeProblem as error:
        if isinstance(error, BuildFailed):
            error = _at_the_region(error, name, kernels) or error
        if isinstance(error, Refusal):
            pipeline.refuse_no_c([unit], arguments.flags)
        if arguments.json and isinstance(error, (DeviceUnavailable, ToolMissing)):  # whatever the kernels are
            print(json.dumps({"device": name, "target": "", "regions": {}, "unable": str(error)}))
        raise Problem(str(error)) from error
    if arguments.json:
        regions = {k["name"]: k["region"] for u in bundle.manifest["units"] for k in u["kernels"]}
        return {"device": name, "target": found.target, "regions": _by_region(found, regions)}
    print(
        f"Resources of the kernels for {name} on {found.target}, a thread or a block:\n{table(found.head, found.rows)}",
        file=sys.stderr,
    )
    return {}


def _at_the_region(failure: BuildFailed, device: str, kernels: Mapping[str, bytes]) -> Refusal | None:
    """What a compiler said of a kernel file, at the user's line."""
    from ompls.runtime.refusal import begin_of, refusal

    made = {os.path.basename(path): begin_of(text) for path, text in kernels.items()}
    said = f"{failure.what}\n{failure.output}"
    whose = next((where for name, where in made.items() if name in said), "")
    return refusal(failure.output, f"the compiler for '{device}'", list(made), whose)


def _by_region(found: Resources, regions: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """What each region needs at most, of all its kernels."""
    made: dict[str, dict[str, float]] = {}
    for kernel, *cells in found.rows:
        needs = made.setdefault(regions.get(kernel, kernel), dict.fromkeys(found.head[1:], 0))
        for what, cell in zip(found.head[1:], cells, strict=True):
            needs[what] = max(needs[what], float(cell) if "." in cell else int(cell))
    return made
