"""Errors of the command line: one line, `ompls: error: WHAT: WHY; NEXT STEP`, on stderr."""

from __future__ import annotations

import sys


class Problem(Exception):
    """The command cannot go on.  `text` is `WHAT: WHY; NEXT STEP`; exit code None means the command's usual one."""

    def __init__(self, text: str, exit_code: int | None = None) -> None:
        super().__init__(text)
        self.exit_code = exit_code


def complain(problem: BaseException) -> None:
    print(f"ompls: error: {_one_line(problem)}", file=sys.stderr)


def warn(text: str) -> None:
    print(f"ompls: warning: {' '.join(text.split())}", file=sys.stderr)


def _one_line(problem: BaseException) -> str:
    return " ".join(str(problem).split())
