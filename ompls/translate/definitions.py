"""Where structures, unions and enumerations are defined in C text, with the attributes that belong to each of them.

GNU's attributes of a type stand between the keyword and the tag, or right behind the brace; those behind a brace that
are C23's (`[[…]]`) belong to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.syntax.attributes import end_of_attributes
from ompls.translate.rewrite import NO_CODE

_QUIET = re.compile(encoded(NO_CODE), re.S)
_KEYWORD = re.compile(rb"\b(struct|union|enum)\b")
_OPENING = re.compile(rb"\s*([A-Za-z_]\w*)?\s*\{")
_BRACE = re.compile(rb"[{}]")


class Definition(NamedTuple):
    """Offsets in the text.

    start, named   -- of the keyword, and where its attributes begin (they end at the tag)
    opening, end   -- of the braces: of the first, and behind the last
    behind         -- where the attributes behind the braces end
    """

    kind: str
    tag: str
    start: int
    named: int
    opening: int
    end: int
    behind: int


def quieted(text: bytes) -> bytes:
    """`text` with blanks for comments and literals."""
    return _QUIET.sub(lambda m: b" " * len(m.group()), text)


def definitions(quiet: bytes, at: int = 0) -> Iterator[Definition]:
    """Those in a `quieted` text, outer ones before inner ones."""
    for m in _KEYWORD.finditer(quiet, at):
        opening = _OPENING.match(quiet, end_of_attributes(quiet, m.end()))
        if opening is not None:
            end = closing(quiet, opening.end() - 1)
            behind = end_of_attributes(quiet, end, newer=False)
            tag = decoded(opening[1] or b"")
            yield Definition(decoded(m[1]), tag, m.start(), m.end(), opening.end() - 1, end, behind)


def defined(text: str) -> list[Definition]:
    """Those in a text, by the offsets of its characters."""
    if not any(word in text for word in ("struct", "union", "enum")):
        return []
    return list(definitions(quieted(text.encode("latin-1", "replace"))))


def closing(quiet: bytes, opening: int) -> int:
    """The offset behind the brace that closes the one at `opening`."""
    depth = 0
    for m in _BRACE.finditer(quiet, opening):
        depth += 1 if m.group() == b"{" else -1
        if not depth:
            return m.end()
    return len(quiet)
