"""`ompls preview`: the generated kernels on stdout, as people read them."""

from __future__ import annotations

import argparse
import json
import sys

from ompls.cli import options
from ompls.cli.engine import Unit, analyze
from ompls.cli.problem import Problem


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser, several=False)
    options.add_device(parser, "cuda")
    parser.add_argument("--line", type=int, metavar="N", help="only the region that line N of the file belongs to")
    parser.add_argument("--with-lines", action="store_true", help="also print the line map, as a line of JSON")
    parser.add_argument("--resources", action="store_true", help="registers, shared memory and spills, on stderr")
    parser.add_argument("--arch", default="sm_53", metavar="sm_NN", help="GPU for --resources (default: sm_53)")


def run(arguments: argparse.Namespace) -> int:
    from ompls.cli.pipeline import show_diagnostics
    from ompls.translate import preview

    device = options.device_class(arguments.device)
    (unit,) = analyze(arguments.files, arguments.flags, device)
    result = preview(unit.tu, device, arguments.line)
    if result.diagnostics:
        show_diagnostics([unit], result.diagnostics)
        return 1
    if not result.text:
        where = f"line {arguments.line}" if arguments.line is not None else "the file"
        raise Problem(f"nothing to preview in {arguments.files[0]}: no target region at {where}; see 'ompls check'")
    sys.stdout.write(result.text)
    if arguments.with_lines:
        print(json.dumps({"lines": [list(pair) for pair in result.line_map]}))
    if arguments.resources:
        _resources(unit, arguments.arch)
    return 0


def _resources(unit: Unit, arch: str) -> None:
    """Of whole kernel files: what the preview shows may be one region, or be shortened for reading."""
    from ompls.cli import pipeline, resources

    print(resources.of_bundle(pipeline.translated([unit], ["cuda"]).files, arch), file=sys.stderr)
