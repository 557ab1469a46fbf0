"""`ompls preview`: the generated kernels on stdout, as people read them."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial

from ompls.cli import options
from ompls.cli.engine import Unit, analyze
from ompls.cli.places import Places
from ompls.cli.problem import Problem
from ompls.project.devices import DEFAULT


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser, several=False)
    options.add_device(parser, DEFAULT)
    options.add_openmp(parser)
    parser.add_argument("--line", type=int, metavar="N", help="only the region that line N of the file belongs to")
    parser.add_argument("--explain", action="store_true", help="also what the host does for it, and the source between")
    parser.add_argument("--with-lines", action="store_true", help="also print the line map, as a line of JSON")
    parser.add_argument("--resources", action="store_true", help="registers, shared memory and spills, on stderr")
    parser.add_argument("--arch", default="sm_53", metavar="sm_NN", help="GPU for --resources (default: sm_53)")


def run(arguments: argparse.Namespace) -> int:
    from ompls.cli import pipeline
    from ompls.translate import preview

    devices = options.translatable(arguments.device)
    (unit,) = analyze(arguments.files, arguments.flags, arguments.openmp, arguments.database)
    pipeline.admit([unit], arguments.flags)
    for device in {device.kernels: device for device in devices}.values():
        shown = partial(preview, unit.tu, device, arguments.line, explain=arguments.explain)
        result = pipeline.made([unit], arguments.flags, shown)
        if not result.text:
            raise Problem(f"nothing to preview in {arguments.files[0]}: {_no_region(unit, arguments.line)}")
        sys.stdout.write(result.text)
        if arguments.with_lines:
            print(json.dumps({"lines": [list(pair) for pair in result.line_map]}))
    if arguments.resources:
        _resources(unit, arguments)
    return 0


def _no_region(unit: Unit, line: int | None) -> str:
    """Why nothing is shown, and what could be."""
    from ompls.analysis.features import regions

    places = Places([unit])
    ranges = [places.range(region.whole) for region in regions(unit.tu) if region.whole.path == unit.tu.path]
    if line is None or not ranges:
        return "it has no target region; 'ompls check' may say why"
    lines = ", ".join(dict.fromkeys(f"{at.start_line}-{at.end_line}" for at in ranges))
    return f"no target region at line {line}; the regions are at lines {lines}"


def _resources(unit: Unit, arguments: argparse.Namespace) -> None:
    """Of whole kernel files: what the preview shows may be one region, or be shortened for reading."""
    from ompls.cli import pipeline, resources
    from ompls.translate import translate

    bundle = pipeline.made([unit], arguments.flags, lambda: translate([unit.tu], options.translatable("cuda")))
    print(resources.of_bundle(bundle.files, arguments.arch), file=sys.stderr)
