"""What a client asks, as the worker of a document gets it: the same names, but none of the protocol's classes.

Importing these takes longer than all that is done with them, and what a worker imports has to be there before the first
document is shown.
"""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import Any


def plain(value: Any) -> Any:
    """Objects become namespaces, enumerations their values."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value] if isinstance(value, list) else tuple(map(plain, value))
    fields = getattr(type(value), "__attrs_attrs__", None)
    if fields is None:
        return value
    return SimpleNamespace(**{field.name: plain(getattr(value, field.name)) for field in fields})
