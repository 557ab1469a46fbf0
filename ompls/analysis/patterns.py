"""Patterns that are compiled when they are first used.

A check of one file uses half of all that there are; to compile them was a quarter of the calls that it takes.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("finditer", "findall", "fullmatch", "match", "search", "split", "sub")


class Later:
    """As `re.Pattern`.  Once it is compiled, its methods are the pattern's own: using it costs nothing more."""

    __slots__ = ("_flags", "_source", *_METHODS)

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        """Of what is not there yet."""
        return getattr(self.compile(), name)

    def compile(self) -> re.Pattern[Any]:
        made = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(made, method))
        return made


def later(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern `source`.  What is wrong with it is raised when it is used."""
    return cast("re.Pattern[AnyStr]", Later(source, flags))
