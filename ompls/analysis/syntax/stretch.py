"""Parts of the expanded text that later stages recognise from version to version.

Equal stretches of one `Stretches` are one object for as long as anybody holds it.  So what is computed from a stretch
is kept with it, and the expanded text of an edited file is nearly all made of stretches that are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakValueDictionary

Range = tuple[int, int]


class Stretch:
    """Whole lines of the expanded text; offsets count in it.

    text -- with its pragmas; pragmas -- where these are
    chunks -- of a stretch that holds whole external declarations: their places (see `split.py`)
    steps -- what it does to the state of the automaton that looks for them
    at_margin -- whether something stands in the first column of its first line
    """

    __slots__ = ("__weakref__", "at_margin", "chunks", "joins", "pragmas", "steps", "text")

    def __init__(self, text: bytes, pragmas: tuple[Range, ...]) -> None:
        self.text = text
        self.pragmas = pragmas
        self.at_margin = not (text[:1].isspace() or any(start == 0 for start, _ in pragmas))
        self.chunks: list[Range] | None = None
        self.steps: dict[Any, Any] = {}
        self.joins: dict[tuple[Stretch, ...], Stretch] = {}

    @property
    def parsed(self) -> bytes:
        """The text without its pragmas.  Not kept: what it is needed for is done once, and a file is made of these."""
        return without(self.text, self.pragmas)

    def parsed_chunks(self) -> list[bytes]:
        """That of each chunk."""
        parsed = self.parsed
        return [parsed[start:end] for start, end in self.chunks or ()]


class Stretches:
    """Makes equal stretches one object."""

    def __init__(self) -> None:
        self._known: WeakValueDictionary[tuple[bytes, tuple[Range, ...]], Stretch] = WeakValueDictionary()

    def get(self, text: bytes, pragmas: tuple[Range, ...]) -> Stretch:
        found = self._known.get((text, pragmas))
        if found is None:
            found = self._known[text, pragmas] = Stretch(text, pragmas)
        return found

    def join(self, parts: Sequence[Stretch]) -> Stretch:
        """The parts as one."""
        if len(parts) == 1:
            return parts[0]
        key = tuple(parts[1:])
        joins = parts[0].joins
        found = joins.get(key)
        if found is None:
            if len(joins) >= 4:
                joins.clear()
            pragmas, at = [], 0
            for part in parts:
                pragmas += [(at + start, at + end) for start, end in part.pragmas]
                at += len(part.text)
            found = joins[key] = self.get(b"".join([part.text for part in parts]), tuple(pragmas))
        return found


def without(text: bytes, ranges: Iterable[Range]) -> bytes:
    """`text` with blanks in `ranges`, line ends kept."""
    parts, at = [], 0
    for start, end in ranges:
        gone = text[start:end]
        parts.append(text[at:start])
        parts.append(b" " * len(gone) if gone.find(b"\n") < 0 else _blank(gone))  # `in` first makes an exception
        at = end
    parts.append(text[at:])
    return b"".join(parts) if at else text


def _blank(text: bytes) -> bytes:
    return bytes(c if c in b"\r\n" else 32 for c in text)
