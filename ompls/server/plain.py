"""What a client asks, as the worker of a document gets it: the same names, but none of the protocol's classes.

Importing these takes longer than all that is done with them, and what a worker imports has to be there before the first
document is shown.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from types import SimpleNamespace
from typing import Any

_ALREADY = frozenset((str, int, bool, type(None)))


def plain(value: Any) -> Any:
    """Objects become namespaces, enumerations their values."""
    if type(value) in _ALREADY:
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value] if isinstance(value, list) else tuple(map(plain, value))
    if (names := _names(type(value))) is None:  # type: ignore[arg-type] # mypy: a class is no Hashable
        return value
    return SimpleNamespace(**{name: plain(getattr(value, name)) for name in names})


@cache
def _names(kind: type) -> tuple[str, ...] | None:
    """The fields of a class of the protocol's."""
    fields = getattr(kind, "__attrs_attrs__", None)
    return None if fields is None else tuple([field.name for field in fields])
