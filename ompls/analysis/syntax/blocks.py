"""A text cut into blocks of whole lines that stay the same objects while they are not edited.

What is remembered with a block is found again without looking at its lines, so that an edit costs its block and one
comparison for each other one.  Where the cuts are depends on earlier versions of the text: nothing that is computed
may depend on it.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ompls.analysis.syntax.output import Passed

SIZE = 4096  # bytes that a block has at least, unless the text ends
LARGE = 130_000  # bytes of a text from where on blocks grow: an edit costs its block about as much as all others
# After the end of a function, before the next thing at the margin: there few things reach from block to block.
_GOOD = re.compile(r"\n\}[^\n]*\n(?:[^\S\n]*\n)*(?=[A-Za-z_/])")
_FAIR = re.compile(r"\n(?=[A-Za-z_/])")
# Up to the last directive that is no pragma: a block with one is read line by line at each key, so it ends there.
_DIRECTIVES = re.compile(r"(?:.*\n)?[ \t]*#(?![ \t]*pragma\b)[^\n]*(?<!\\)(?<!\\\r)\n", re.S)


class Block:
    """`text` is whole lines.  `passed` is what the preprocessor makes of it in an environment (None: it has to be read
    line by line)."""

    __slots__ = ("passed", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.passed: dict[int, Passed | None] = {}


class Blocks:
    """The blocks of the last version of one text."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []

    def cut(self, text: str) -> list[Block]:
        """The blocks of `text`, those of the last version where they did not change."""
        old, at, end = self._blocks, 0, len(text)
        size = SIZE * max(1, math.isqrt(4 * end // LARGE) // 2)
        first, last = 0, len(old)
        while first < last and old[first].text[-1] == "\n" and text.startswith(old[first].text, at):
            at += len(old[first].text)
            first += 1
        while last > first and end - len(old[last - 1].text) >= at and text.endswith(old[last - 1].text, at, end):
            end -= len(old[last - 1].text)
            last -= 1
        while last < len(old) and (0 < end - at < size // 4 or (end and text[end - 1] != "\n")):  # no crumbs
            end += len(old[last].text)
            last += 1
        self._blocks = [*old[:first], *_cut(text, at, end, size), *old[last:]]
        return self._blocks

    def keep_only(self, environments: frozenset[int]) -> None:
        """Forget what becomes of the blocks in other environments."""
        for block in self._blocks:
            if not block.passed.keys() <= environments:
                block.passed = {n: passed for n, passed in block.passed.items() if n in environments}


def _cut(text: str, at: int, end: int, size: int) -> list[Block]:
    made = []
    while at < end:
        stop = end if end - at < 2 * size else _end(text, at + size, end)
        if (directives := _DIRECTIVES.match(text, at, stop)) is not None:
            stop = directives.end()
        made.append(Block(text[at:stop]))
        at = stop
    return made


def _end(text: str, at: int, end: int) -> int:
    """Where a block that has to be longer than to `at` ends."""
    reach = min(end, at + 4 * SIZE)
    found = _GOOD.search(text, at, reach) or _FAIR.search(text, at, reach)
    if found is not None:
        return found.end()
    newline = text.find("\n", at, end)
    return end if newline < 0 else newline + 1
