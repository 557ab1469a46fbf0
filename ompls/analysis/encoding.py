"""The user's text as `str` and back, without loss: a compiler takes any bytes in literals and comments as they are.

What is UTF-8 is decoded.  Any other byte becomes a lone surrogate (PEP 383, as Python has it for names of files), which
`encoded` makes the same byte again.  Neither JSON nor a message for people can have those: `well_formed` is for them.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def decoded(data: bytes) -> str:
    """The text of `data`, or of any piece of it: pieces side by side are the bytes that they were."""
    return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes of a text that `decoded` gave, or that was made from such."""
    return text.encode("utf-8", "surrogateescape")


def well_formed(text: str) -> str:
    """`text` for people, with U+FFFD for each byte that is no UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
