"""What a refactoring offers."""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.diagnostic import Edit
from ompls.analysis.encoding import encoded


@dataclass(frozen=True, slots=True)
class Action:
    """`edits` of the main file, not overlapping, in order.  `kind` is the protocol's code action kind.

    otherwise -- other edits to the same end, for when something is reported after `edits` (): there are none
    left -- (name, why) of each variable that it leaves alone although it is about such variables
    refused -- why there are no `edits`, for people; "": there are some
    """

    title: str
    kind: str
    edits: tuple[Edit, ...]
    otherwise: tuple[Edit, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    refused: str = ""


def applied(source: bytes, edits: tuple[Edit, ...]) -> bytes:
    """`source` with the edits made."""
    for edit in sorted(edits, key=lambda e: (e.where.start, e.where.end), reverse=True):
        source = source[: edit.where.start] + encoded(edit.text) + source[edit.where.end :]
    return source
