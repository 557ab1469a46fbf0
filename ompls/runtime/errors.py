"""The errors of the runtime that are not the user's code: each says what, why and the next step.

`str(error)` is one line `WHAT: WHY; NEXT STEP`, ready to be printed after `ompls: error: `.
"""

from __future__ import annotations

import re
from typing import List, Set, Tuple

_MESSAGE = re.compile(r"(.+?:\d+:)(?:\d+:)?( (?:fatal error|error|warning|note): .*)")


def one_line(text: str) -> str:
    """What others wrote, for a message: without what moves a terminal's cursor."""
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))


class RuntimeProblem(Exception):
    """Something in the environment keeps the runtime from going on."""

    def __init__(self, what: str, why: str, hint: str = "") -> None:
        super().__init__(what, why, hint)
        self.what, self.why, self.hint = what, why, hint

    def __str__(self) -> str:
        return "{}: {}{}".format(self.what, self.why, "; " + self.hint if self.hint else "")


class DeviceUnavailable(RuntimeProblem):
    """A device that is known but cannot be used here."""

    def __init__(self, device: str, reason: str, hint: str = "") -> None:
        super().__init__("device '{}' is not available".format(device), reason, hint)
        self.device, self.reason = device, reason


class BundleError(RuntimeProblem):
    """A bundle that is missing, damaged or made by another version."""


class ToolMissing(RuntimeProblem):
    """A compiler or tool of the system is not there."""


class BuildFailed(RuntimeProblem):
    """A compiler said no.  `output` is what it said, with the user's own lines, as `once` has it."""

    def __init__(self, what: str, output: str, status: int) -> None:
        super().__init__(what, "the compiler ended with status {}".format(status), "see its messages")
        self.output, self.status = once(output), status


class HostRefused(BuildFailed):
    """The host half of a unit, which is the user's text with what is made of its constructs; `source` is its name."""

    def __init__(self, source: str, failure: BuildFailed) -> None:
        super().__init__(failure.what, failure.output, failure.status)
        self.source = source


def once(said: str) -> str:
    """The messages of a compiler like gcc, without those that stand above for the same line: a clause stands at several
    places in the code that is made of it."""
    kept: List[str] = []
    seen: Set[Tuple[str, ...]] = set()
    again = False
    for line in said.splitlines(keepends=True):
        message = _MESSAGE.match(line)
        if message is not None:
            again = message.groups() in seen
            seen.add(message.groups())
        elif not line.startswith(" "):
            again = False
        kept += [] if again else [line]
    return "".join(kept)
