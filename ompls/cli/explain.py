"""`ompls explain RULE`: the rule's manual page.  Without a rule, the list of them."""

from __future__ import annotations

import argparse

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
        raise Problem(f"unknown rule '{arguments.rule}': no rule has this id; {near(arguments.rule)}")
    print(manual(arguments.rule).rstrip())
    return 0


def near(name: str) -> str:
    """The next step of an error about an unknown rule: what it may have been."""
    from ompls.analysis.rules import near_ids

    close = near_ids(name)
    return f"did you mean {' or '.join(close)}?" if close else "'ompls explain' lists them"
