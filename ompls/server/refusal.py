"""How a request is refused, for a reason that its sender should read.

Workers refuse, too, and do without the libraries of the protocol: `guard.py` makes an answer of it.
"""

from __future__ import annotations

REQUEST_FAILED = -32803
INTERNAL_ERROR = -32603


class Refused(Exception):
    """code -- of the protocol's errors"""

    def __init__(self, message: str, code: int = REQUEST_FAILED) -> None:
        super().__init__(message)
        self.message, self.code = message, code


class Lost(Refused):
    """Nobody will answer: the worker was ended, or has.  Another one may.

    hung -- what it was ended for because that did not come to an end; "": it was not
    """

    def __init__(self, message: str, hung: str = "") -> None:
        super().__init__(message)
        self.hung = hung


def failed(method: str, problem: Exception) -> Refused:
    """A fault of ours that was logged."""
    return Refused(f"{method}: {type(problem).__name__}: {problem} (details in the server's log)", INTERNAL_ERROR)


def refuse(message: str) -> Refused:
    return Refused(message)
