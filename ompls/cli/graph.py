"""`ompls graph`: the static task graph of a region, or why there is none."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ompls.cli import options
from ompls.cli.engine import analyze
from ompls.cli.places import Places, shown
from ompls.cli.problem import Problem

if TYPE_CHECKING:
    from ompls.analysis.features.taskgraphs import TaskGraph

FORMATS = ("text", "dot", "json", "svg")


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser, several=False)
    options.add_openmp(parser)
    options.add_machine(parser)
    parser.add_argument("--line", type=int, metavar="N", help="only the graph that line N of the file belongs to")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how it is written (default: text)")


def run(arguments: argparse.Namespace) -> int:
    from ompls.analysis.features.taskgraphs import task_graphs
    from ompls.cli.graphforms import FORMS

    machine = options.machine(arguments.target_arch, arguments.tool_prefix)
    (unit,) = analyze(arguments.files, arguments.flags, arguments.openmp, arguments.database, machine)
    places = Places([unit])
    found = [g for g in task_graphs(unit.tu) if g.where.path == unit.tu.path]
    name = arguments.files[0]
    if not found:
        raise Problem(
            f"no task graph in {name}: there is no `taskgraph`, and no `task` or `target nowait` with `depend`"
        )
    chosen = [g for g in found if arguments.line is None or _holds(places, g, arguments.line)]
    if not chosen:
        lines = ", ".join(f"{places.range(g.where).start_line}" for g in found)
        raise Problem(f"no task graph at line {arguments.line} of {name}: there are some at {lines}")
    if arguments.line is not None:  # the smallest around it
        chosen = [min(chosen, key=lambda g: g.whole.end - g.whole.start)]
    if arguments.format == "svg" and len([g for g in chosen if g.reason is None]) > 1:
        raise Problem(f"an SVG shows one graph, and {name} has {len(chosen)}: choose one with --line")
    sys.stdout.write(FORMS[arguments.format](chosen, places))
    refused = [g.reason for g in chosen if g.reason is not None]
    for where, why in refused:
        at = places.range(where)
        print(f"{shown(where.path)}:{at.start_line}:{at.start_column}: not static: {why}", file=sys.stderr)
    return 1 if refused else 0


def _holds(places: Places, graph: TaskGraph, line: int) -> bool:
    first, last = places.range(graph.where).start_line, places.range(graph.whole).end_line
    return min(first, places.range(graph.whole).start_line) <= line <= last
