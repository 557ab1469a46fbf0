"""`ompls check`: diagnostics as text, JSON or SARIF.  Exit code 0, or 1 with findings at or above --fail-on, or 2."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from ompls.cli import formats, options
from ompls.cli.engine import analyze, diagnostics
from ompls.cli.places import Places
from ompls.cli.problem import Problem
from ompls.cli.terminal import Style, progress

if TYPE_CHECKING:
    from ompls.analysis.diagnostic import Diagnostic

_RANK = {"hint": 1, "warning": 2, "error": 3, "never": 4}


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser)
    options.add_device(parser, "cuda")
    parser.add_argument("--format", choices=("text", "json", "sarif"), default="text", help="of the output")
    parser.add_argument("--select", action="append", default=[], metavar="RULE", help="only these rules (comma list)")
    parser.add_argument("--ignore", action="append", default=[], metavar="RULE", help="not these rules (comma list)")
    parser.add_argument(
        "--fail-on",
        choices=tuple(_RANK),
        default="warning",
        help="lowest severity that makes the exit code 1 (default: warning)",
    )
    parser.add_argument("--fix", action="store_true", help="apply the safe quick fixes")


def run(arguments: argparse.Namespace) -> int:
    select, ignore = _rules(arguments.select), _rules(arguments.ignore)
    found, places, sources = _check(arguments, select, ignore)
    if arguments.fix:
        from ompls.analysis import fixing
        from ompls.cli import fixes

        count = fixes.write(fixing.choose(found), sources)
        print(f"ompls: {count} edit{'' if count == 1 else 's'} made", file=sys.stderr)
        found, places, _ = _check(arguments, select, ignore)
    _show(found, places, arguments.format)
    threshold = _RANK[arguments.fail_on]
    return 1 if any(_RANK[diagnostic.severity] >= threshold for diagnostic in found) else 0


def _check(
    arguments: argparse.Namespace, select: list[str], ignore: list[str]
) -> tuple[list[Diagnostic], Places, dict[str, bytes]]:
    found: list[Diagnostic] = []
    places, sources = Places(), {}
    device = options.device_class(arguments.device)
    with progress(f"checking {len(arguments.files)} file(s)"):
        for unit in analyze(arguments.files, arguments.flags, device, select=select, ignore=ignore):
            places.add(unit.tu.path, unit.tu.source)
            sources[unit.tu.path] = unit.tu.source
            found += diagnostics(unit)
    return list(dict.fromkeys(found)), places, sources  # of a header that two files include, each is reported once


def _show(found: list[Diagnostic], places: Places, form: str) -> None:
    if form == "json":
        print(json.dumps(formats.as_json(found, places), indent=2))
    elif form == "sarif":
        from ompls.analysis.rules import RULES
        from ompls.cli import sarif

        rules = {rule.id: (rule.title, rule.severity) for rule in RULES.values()}
        print(json.dumps(sarif.log(found, places, rules), indent=2))
    else:
        style = Style(sys.stdout)
        for diagnostic in found:
            print(formats.text(diagnostic, places, style))


def _rules(words: list[str]) -> list[str]:
    """The rule ids of repeated comma lists; an unknown one is an error, not a check that silently checks nothing."""
    from ompls.analysis.rules import RULES
    from ompls.cli.explain import near

    ids = [rule for word in words for rule in word.split(",") if rule]
    for rule in ids:
        if rule not in RULES:
            raise Problem(f"unknown rule '{rule}': no rule has this id; {near(rule)}")
    return ids
