"""What can be wrong with the surroundings: a file that cannot be read, a tool that is not there.

Both are exceptions with the three parts every message of ompls has: WHAT: WHY; NEXT STEP.
"""

from __future__ import annotations


def shown(value: object) -> str:
    """What somebody gave instead of something else, for a message."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of thousands of digits
        return "a number of too many digits"
    return text if len(text) <= 60 else text[:57] + "..."


class EnvironmentProblem(Exception):
    """The machine lacks something.  `what` is affected, `reason` says why, `hint` is the next step."""

    def __init__(self, what: str, reason: str, hint: str) -> None:
        super().__init__(f"{what}: {reason}; {hint}")
        self.what = what
        self.reason = reason
        self.hint = hint


class FileProblem(EnvironmentProblem):
    """A file that cannot be read as C source; `what` is its path."""
