"""Semantic tokens as differences: what was sent of a document last, and how the next list differs from it.

An edit moves the line of one token and leaves the rest as it is, since places count from the token before.
"""

from __future__ import annotations

import os
import time

from ompls.server.convert import Json

_SIZE = 5  # numbers of one token


class SentTokens:
    """The last list of a document, and the name that the client got with it."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[int] = []

    def keep(self, data: list[int]) -> str:
        """The name of the list that is sent now; no other worker gives the same."""
        self._name, self._data = f"{os.getpid()}.{time.monotonic_ns()}", data
        return self._name

    def known(self, name: str) -> list[int] | None:
        return self._data if name and name == self._name else None


def difference(old: list[int], new: list[int]) -> list[Json]:
    """The one edit, of whole tokens, that makes `new` of `old`; none when they are equal."""
    if old == new:
        return []
    start = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    start -= start % _SIZE
    most = min(len(old), len(new)) - start
    same = next((n for n, (a, b) in enumerate(zip(reversed(old), reversed(new), strict=False)) if a != b), most)
    same = min(same, most)
    same -= same % _SIZE
    return [{"start": start, "deleteCount": len(old) - start - same, "data": new[start : len(new) - same]}]
