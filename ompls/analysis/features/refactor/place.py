"""Pragmas on lines of their own, before and after statements of the main file."""

from __future__ import annotations

from ompls.analysis.diagnostic import Edit
from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Node
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.source import Location


class Writer:
    """Collects insertions.  `failed`: one of the statements is not written in the main file, or shares its line."""

    def __init__(self, tu: TU, item: Item) -> None:
        self._tu, self._item = tu, item
        self.edits: list[Edit] = []
        self.failed = False
        self._newline = "\r\n" if b"\r\n" in tu.source[:500] else "\n"

    def locate(self, node: Node) -> Location | None:
        """Where the user wrote `node`; None when a macro made a part of its edges."""
        x_start, x_end = self._item.start + node.span.start, self._item.start + node.span.end
        first, last = self._tu.map.at(x_start), self._tu.map.at(x_end - 1)
        where = self._tu.locate(self._item, node.span)
        written = first.kind == last.kind == "verbatim" and where.path == self._tu.path
        return where if written else None

    def before(self, node: Node, pragma: str) -> None:
        where, source = self.locate(node), self._tu.source
        line = source.rfind(b"\n", 0, where.start) + 1 if where is not None else 0
        if where is None or source[line : where.start].strip():
            self.failed = True
            return
        self._insert(line, f"{self._indent(where.start)}{pragma}{self._newline}")

    def after(self, node: Node, pragma: str) -> None:
        where, source = self.locate(node), self._tu.source
        if where is None:
            self.failed = True
            return
        end = source.find(b"\n", where.end)
        end = end if end >= 0 else len(source)
        rest = source[where.end : end].strip()
        if rest and not rest.startswith(b"//") and not (rest.startswith(b"/*") and rest.endswith(b"*/")):
            self.failed = True
            return
        end -= source[end - 1 : end] == b"\r"
        self._insert(end, f"{self._newline}{self._indent(where.start)}{pragma}")

    def _indent(self, offset: int) -> str:
        source = self._tu.source
        line = source[source.rfind(b"\n", 0, offset) + 1 : offset]
        return decoded(line[: len(line) - len(line.lstrip())])

    def _insert(self, at: int, text: str) -> None:
        self.edits.append(Edit(Location(self._tu.path, at, at), text))
