"""The external declarations of a unit, in groups that are shared between the versions of a text.

A group lies between two places of the text where nothing is open.  What was read of it once is read of it for ever, as
long as what is declared before it is the same; so a version of the unit is a list of groups with their places, and an
edit makes few new ones.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from ompls.analysis.model.ast import FunctionDef, Symbol
from ompls.analysis.model.ctype import CType, RecordBody
from ompls.analysis.model.tu import Content, FileDirective, Item, SyntaxNote


@dataclass(slots=True, eq=False)
class Group:
    """What a stretch of the expanded text holds; offsets count in it.

    names … filled -- what it adds to the file scope, in order
    contents, functions -- what the items mean, and the definitions among them by name
    regions -- how many target regions are in them
    graphs -- whether there may be task graphs in them
    memo -- what readers keep with it, by reader
    """

    items: list[Item] = field(default_factory=list)
    directives: list[FileDirective] = field(default_factory=list)
    notes: list[SyntaxNote] = field(default_factory=list)
    names: dict[str, Symbol] = field(default_factory=dict)
    tags: dict[str, CType] = field(default_factory=dict)
    records: list[RecordBody] = field(default_factory=list)
    filled: list[RecordBody] = field(default_factory=list)
    contents: tuple[Content, ...] = ()
    functions: dict[str, Content] = field(default_factory=dict)
    regions: int = 0
    graphs: bool = False
    memo: dict[str, Any] = field(default_factory=dict, repr=False)

    def finish(self) -> None:
        """All of it was read."""
        self.contents = tuple([item.content for item in self.items])
        for content in self.contents:
            self.regions += len(content.regions)
            if content.directives and (b"depend" in content.text or b"taskgraph" in content.text):
                self.graphs = True
            if isinstance(content.node, FunctionDef):
                self.functions[content.node.symbol.name] = content


def _offset(group: tuple[int, Group]) -> int:
    return group[0]


class Items(Sequence[Item]):
    """All external declarations in order; made when they are asked for.

    groups -- (offset, group), in order
    """

    def __init__(self, groups: list[tuple[int, Group]]) -> None:
        self.groups = groups
        self._made: dict[int, list[Item]] = {}
        self._all: list[Item] | None = None

    def of(self, number: int) -> list[Item]:
        """The items of group `number`."""
        made = self._made.get(number)
        if made is None:
            x, group = self.groups[number]
            made = self._made[number] = [Item(x + i.start, x + i.end, i.content) for i in group.items]
        return made

    def between(self, first: int, last: int) -> Iterator[Item]:
        """The items of the groups that hold expanded offsets from `first` to `last`."""
        begin = bisect.bisect_right(self.groups, first, key=_offset)
        end = bisect.bisect_right(self.groups, last, key=_offset)
        for number in range(max(0, begin - 1), end):
            yield from self.of(number)

    def at(self, offset: int) -> Item | None:
        """The item that the expanded `offset` stands in."""
        number = bisect.bisect_right(self.groups, offset, key=_offset) - 1
        items = self.of(number) if number >= 0 else []
        place = bisect.bisect_right(items, offset, key=lambda item: item.start) - 1
        return items[place] if place >= 0 and offset < items[place].end else None

    def holding(self, content: Content) -> Item | None:
        """The (first) item that means `content`."""
        for number, (_, group) in enumerate(self.groups):
            if content in group.contents:
                return self.of(number)[group.contents.index(content)]
        return None

    def declaring(self, name: str) -> Item | None:
        """The last declaration of a variable of the file."""
        for number in reversed(range(len(self.groups))):
            if name in self.groups[number][1].names:
                for item in reversed(self.of(number)):
                    if any(d.symbol.name == name for d in getattr(item.content.node, "decls", ())):
                        return item
        return None

    def __iter__(self) -> Iterator[Item]:
        if self._all is None:  # whoever goes through all does so for many things, one after the other
            self._all = [item for number in range(len(self.groups)) for item in self.of(number)]
        return iter(self._all)

    def __len__(self) -> int:
        return sum(len(group.items) for _, group in self.groups)

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        return list(self)[at]
