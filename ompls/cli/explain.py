"""`ompls explain NAME`: the page of a rule or a device; of a group, the list of its rules.  Without a name, all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ompls.cli import options
from ompls.cli.problem import Problem

if TYPE_CHECKING:
    from ompls.runtime.boards.registered import Board

_MOST = 3  # names that are suggested
_WIDTH = 12  # of a device's name
_WORD = 4  # letters: any two shorter words are near


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "rule",
        metavar="NAME",
        nargs="?",
        help="the rule's id, a group's name, or that of a device; without it, all are listed",
    )


def run(arguments: argparse.Namespace) -> int:
    from ompls.analysis.rules import GROUPS, RULES, manual
    from ompls.project.devicepages import page
    from ompls.project.devices import registry

    name, known = arguments.rule, registry()
    if name is None or name in GROUPS:
        print("\n".join(_list([name] if name in GROUPS else list(GROUPS))))
        if name is None:
            print("\n".join(["devices:", *(f"  {d.name:{_WIDTH}}  {d.title}" for d in known.devices.values())]))
        return 0
    if name not in RULES and (name in known.devices or name in known.broken):
        print(page(options.devices(name)[0]).rstrip())
        return 0
    if name not in RULES and (board := _boards().get(name)) is not None:
        print(f"{name} is a board over SSH ({board.address}), with the device {board.device} inside:\n")
        print(page(options.devices(board.device)[0]).rstrip())
        return 0
    if name not in RULES:
        raise Problem(f"unknown rule '{name}': no rule, group or device has this name; {near(name)}")
    print(manual(name).rstrip())
    return 0


def _boards() -> Mapping[str, Board]:
    from ompls.runtime.boards.registered import boards
    from ompls.runtime.errors import RuntimeProblem

    try:
        return boards()
    except RuntimeProblem as error:
        raise Problem(str(error)) from error


def _list(groups: list[str]) -> Iterator[str]:
    from ompls.analysis.rules import RULES

    width = max(map(len, RULES))
    for group in groups:
        rules = sorted((rule for rule in RULES.values() if rule.group == group), key=lambda rule: rule.id)
        if len(groups) > 1 and rules:
            yield f"{group}:"
        for rule in rules:
            yield f"{'  ' if len(groups) > 1 else ''}{rule.id:{width}}  {rule.severity:7}  {rule.title}"


def near(name: str) -> str:
    """The next step of an error about an unknown rule: what it may have been, by its letters, else by its words."""
    from ompls.analysis.rules import near_ids
    from ompls.analysis.spec.near import near as nearest
    from ompls.project.devices import registry

    close = near_ids(name) or nearest(name, registry().devices) or _with_its_words(name)
    return f"did you mean {' or '.join(close)}?" if close else "'ompls explain' lists them"


def _with_its_words(name: str) -> list[str]:
    """Some rules and groups that have most of the words of `name`, or nearly."""
    from ompls.analysis.rules import GROUPS, RULES
    from ompls.analysis.spec.near import near as nearest

    names = {known: known.split("-") for known in (*RULES, *GROUPS)}
    words = {word for parts in names.values() for word in parts}
    typed = name.lower().replace("_", "-").split("-")
    meant = {
        w for word in typed for w in ([word] if word in words else nearest(word, words) if len(word) >= _WORD else ())
    }
    count = {known: len(meant.intersection(parts)) for known, parts in names.items()}
    return [known for known, found in count.items() if found and found == max(count.values())][:_MOST]
