"""What earlier versions of a text taught: analyses of external declarations, each with what it looked up."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.ctype import CType, RecordBody
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.tu import Content

KEEP_VERSIONS = 8  # how long the analysis of a text that is gone is remembered (undo, retyping)


@dataclass(slots=True)
class Entry:
    """One analysis: the answers it got from the file scope, its result, and what it declared there."""

    used_names: dict[str, Symbol | None]
    used_tags: dict[str, CType | None]
    used_records: dict[RecordBody, bool]  # whether its members were known, for each record that others declared
    new_names: list[Symbol]
    new_tags: list[tuple[str, CType]]
    new_records: list[RecordBody]
    filled: list[RecordBody]
    result: Content | Directive
    notes: list[tuple[Span, str]]
    version: int

    def holds(self, file: FileScope) -> bool:
        """Whether every look-up would have the same answer in `file` now."""
        for name, symbol in self.used_names.items():
            if file.peek(name) is not symbol:
                return False
        for body, known in self.used_records.items():
            if file.peek_members_known(body) is not known:
                return False
        return all(file.peek_tag(tag) is t for tag, t in self.used_tags.items())

    def replay(self, file: FileScope) -> None:
        """Make the declarations again."""
        for symbol in self.new_names:
            file.names[symbol.name] = symbol
        for tag, t in self.new_tags:
            file.tags[tag] = t
        file.declared.update(self.new_records)
        file.completed.update(self.filled)


class Memo:
    """The analyses of one text's last versions."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, list[Entry]] = {}
        self.version = 0

    def next_version(self) -> None:
        """Begin a version; forget what none of the last versions needed."""
        self.version += 1
        if self.version % KEEP_VERSIONS == 0:
            oldest = self.version - KEEP_VERSIONS
            kept = {k: [e for e in entries if e.version >= oldest] for k, entries in self._entries.items()}
            self._entries = {k: entries for k, entries in kept.items() if entries}

    def find(self, file: FileScope, key: Hashable) -> Entry | None:
        """The analysis under `key` that holds in `file`; its declarations are made."""
        for entry in self._entries.get(key, ()):
            if entry.holds(file):
                entry.version = self.version
                entry.replay(file)
                return entry
        return None

    def add(self, file: FileScope, key: Hashable, result: Content | Directive, notes: list[tuple[Span, str]]) -> Entry:
        """Remember the analysis that `file.begin_item()` began."""
        f = file
        used_records = {body: known for body, known in f.used_records.items() if body not in f.new_records}
        entry = Entry(
            f.used_names, f.used_tags, used_records, f.new_names, f.new_tags, f.new_records, f.filled, result, notes,
            self.version,
        )  # fmt: skip
        self._entries.setdefault(key, []).append(entry)
        return entry
