"""Errors of the command line: one line, `ompls: error: WHAT: WHY; NEXT STEP`, on stderr."""

from __future__ import annotations

import sys

from ompls.cli.terminal import give_up, harmless


class Problem(Exception):
    """The command cannot go on.  `text` is `WHAT: WHY; NEXT STEP`; exit code None means the command's usual one."""

    def __init__(self, text: str, exit_code: int | None = None) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class Refused(Exception):
    """The user's text cannot be translated, and stderr has been told why; the text is for those who read no stderr."""


class Untranslatable(Refused):
    """It is C, but not for the chosen devices: others may be able to run it."""


def read_stdin() -> bytes:
    """All of it.  Raises Problem when the shell has closed it."""
    if sys.stdin is None:
        raise Problem("cannot read the standard input: it is closed; name a file, or give the text with a pipe")
    return sys.stdin.buffer.read()


def complain(problem: BaseException) -> None:
    _say("error", str(problem))


def warn(text: str) -> None:
    _say("warning", text)


def note(text: str) -> None:
    """What is no problem: what was done."""
    _say("", text)


def _say(kind: str, text: str) -> None:
    try:
        print(f"ompls: {kind and f'{kind}: '}{harmless(' '.join(text.split()))}", file=sys.stderr)
    except OSError:  # a full disk, a closed pipe: the exit code still tells
        give_up(sys.stderr)
