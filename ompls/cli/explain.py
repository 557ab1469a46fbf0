"""`ompls explain RULE`: the rule's manual page.  Without a rule, the list of them."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable

from ompls.cli.problem import Problem


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rule", metavar="RULE", nargs="?", help="the rule's id; without it, all are listed")


def run(arguments: argparse.Namespace) -> int:
    from ompls.analysis.rules import RULES, manual

    if arguments.rule is None:
        width = max(map(len, RULES))
        for rule in sorted(RULES):
            print(f"{rule:{width}}  {RULES[rule].title}")
        return 0
    if arguments.rule not in RULES:
        raise Problem(f"unknown rule '{arguments.rule}': no rule has this id; {near(arguments.rule, RULES)}")
    print(manual(arguments.rule).rstrip())
    return 0


def near(name: str, known: Iterable[str]) -> str:
    """The next step of an error about an unknown name: what it may have been."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else "'ompls explain' lists them"
