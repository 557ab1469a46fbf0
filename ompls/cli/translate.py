"""`ompls translate`: writes a bundle."""

from __future__ import annotations

import argparse

from ompls.cli import bundles, options, pipeline
from ompls.cli.engine import analyze
from ompls.cli.terminal import progress
from ompls.project.devices import DEFAULT


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser)
    options.add_device(parser, DEFAULT)
    options.add_openmp(parser)
    options.add_machine(parser)
    parser.add_argument("-o", dest="output", metavar="DIR", required=True, help="the bundle's directory")


def run(arguments: argparse.Namespace) -> int:
    devices = options.translatable(arguments.device)
    machine = options.machine(arguments.target_arch, arguments.tool_prefix)
    with progress("translating"):
        units = list(analyze(arguments.files, arguments.flags, arguments.openmp, arguments.database, machine))
        bundle = pipeline.translated(units, devices, arguments.flags)
    bundles.write(bundle.files, arguments.output)
    return 0
