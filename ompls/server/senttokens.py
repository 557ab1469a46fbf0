"""Semantic tokens as differences: what was sent of each document last, and how the next list differs from it.

An edit moves the line of one token and leaves the rest as it is, since places count from the token before.
"""

from __future__ import annotations

import itertools
import weakref

from ompls.server.convert import Json
from ompls.server.engine import Session

_SIZE = 5  # numbers of one token


class SentTokens:
    """The last list of each open document, by the name that the client got with it."""

    def __init__(self) -> None:
        self._lists: weakref.WeakKeyDictionary[Session, tuple[str, list[int]]] = weakref.WeakKeyDictionary()
        self._numbers = itertools.count(1)

    def keep(self, session: Session, data: list[int]) -> str:
        """The name of the list that is sent now."""
        name = str(next(self._numbers))
        self._lists[session] = (name, data)
        return name

    def known(self, session: Session, name: str) -> list[int] | None:
        kept = self._lists.get(session)
        return kept[1] if kept is not None and kept[0] == name else None


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
