"""TOML, whose reader is imported with the first text: compiling its patterns takes longer than most texts."""

from __future__ import annotations

import sys
from typing import Any


def loads(text: str) -> dict[str, Any]:
    """The table.  Raises ValueError for what is no TOML, RecursionError for what nests too deep."""
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415 - see above
    else:
        import tomli as tomllib  # noqa: PLC0415 - see above
    table: dict[str, Any] = tomllib.loads(text)
    return table
