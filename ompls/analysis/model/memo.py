"""What earlier versions of a text taught: analyses of external declarations, each with what it looked up."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import CType, RecordBody
from ompls.analysis.model.items import Group
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.pack import Pack
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.tu import Content, SyntaxNote
from ompls.analysis.syntax.externals import Chunks
from ompls.analysis.syntax.stretch import Stretch

KEEP_VERSIONS = 8  # how long the analysis of a text that is gone is remembered at least (undo, retyping)
KEEP_LARGE = 2  # the same where an edit changes most of a large file: each version takes as much room as the file does
_MOST_STATES = 32  # of one entry
FEW_GROUPS = 40  # made since it was last looked what can be forgotten: not worth a look at all that is known
MUCH_TEXT = 160_000  # bytes that one version reads anew: these are worth it
_NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(slots=True, eq=False)
class Entry:
    """One analysis: the answers it got from the file scope, its result, and what it declared there."""

    used_names: tuple[tuple[str, ...], tuple[Symbol | None, ...]]  # less than a dictionary takes
    used_tags: Mapping[str, CType | None]
    used_implicit_int: bool | None  # whether calls of undeclared functions give int; None: it did not ask
    used_records: Mapping[RecordBody, bool]  # whether its members were known, for each record that others declared
    new_names: tuple[Symbol, ...]
    new_tags: tuple[tuple[str, CType], ...]
    new_records: tuple[RecordBody, ...]
    filled: tuple[RecordBody, ...]
    result: Content | Directive
    notes: Sequence[SyntaxNote]
    version: int
    effect: int = 0  # equal when the same is declared
    # States in which it holds, with the states it leads to; the first by itself, because most hold in no other.
    state: int = 0
    leads_to: int = 0
    after: dict[int, int] | None = None

    def holds(self, file: FileScope) -> bool:
        """Whether every look-up would have the same answer in `file` now."""
        if self.used_implicit_int not in (None, file.implicit_int):
            return False
        for name, symbol in zip(*self.used_names, strict=True):
            if file.peek(name) is not symbol:
                return False
        for body, known in self.used_records.items():
            if file.peek_members_known(body) is not known:
                return False
        return all(file.peek_tag(tag) is t for tag, t in self.used_tags.items())

    @property
    def declared(self) -> Hashable:
        """Equal where the effect is the same.  A directive's is its own: what it does to the names that it lists
        follows from the state."""
        if isinstance(self.result, Content):
            return self.new_names, self.new_tags, self.new_records, self.filled
        return self

    def after_state(self, state: int) -> int | None:
        """The state that it is known to lead to from `state`, in which it holds then."""
        if state == self.state:
            return self.leads_to
        return self.after.get(state) if self.after is not None else None

    def leads(self, state: int, to: int) -> None:
        """Remember that it holds in `state` and where that leads to."""
        if not self.state:
            self.state, self.leads_to = state, to
        elif self.after is None or len(self.after) > _MOST_STATES:
            self.after = {state: to}
        else:
            self.after[state] = to

    def keep_only(self, steps: Collection[tuple[int, int]]) -> None:
        """Forget the states from which no step is among these; a step is a state and an effect."""
        after = {s: to for s, to in self.after.items() if (s, self.effect) in steps} if self.after else {}
        if (self.state, self.effect) not in steps:
            self.state, self.leads_to = after.popitem() if after else (0, 0)
        self.after = after or None

    def replay(self, file: FileScope) -> None:
        """Make the declarations again."""
        for symbol in self.new_names:
            file.names[symbol.name] = symbol
        if self.new_tags or self.new_records or self.filled:
            file.tags.update(self.new_tags)
            file.declared.update(self.new_records)
            file.completed.update(self.filled)


@dataclass(slots=True, eq=False)
class _Kept:
    """A group that was read in some state of the file scope, and what it leaves behind."""

    group: Group
    entries: list[Entry]
    after: tuple[int, tuple[int, bool, Pack]]
    version: int


_Before = tuple[Stretch, int, tuple[int, bool, Pack]]  # a stretch, and the state of the file scope before it


class Memo:
    """The analyses of one text's last versions.

    The file scope has a *state*, a number that is found by following a chain: from the state before, by what was
    declared.  An entry that held in a state holds in it for ever, so that after an edit that declares nothing new,
    all other declarations are found without asking again.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, tuple[Entry, ...]] = {}
        self._groups: dict[_Before, _Kept] = {}
        self._effects: dict[Hashable, int] = {}
        self._states: dict[tuple[int, int], int] = {}
        self._starts: dict[Hashable, int] = {}
        self._numbers = itertools.count(1)  # of states and effects; never used twice
        self.version = 0
        self._looked = 0  # the version when it was looked what can be forgotten
        self._made = 0  # groups since then
        self._read = 0  # bytes of the groups that were made in this version
        self._large = 0  # versions to come in which it is looked, because one made many

    def next_version(self, chunks: Chunks) -> bool:
        """Begin a version; now and then (True) forget what none of the last versions needed."""
        if self._read >= MUCH_TEXT:
            self._large = KEEP_LARGE + 1
        self.version += 1
        self._read = 0
        large, self._large = self._large > 0, max(0, self._large - 1)
        if not large and (self.version < self._looked + KEEP_VERSIONS or self._made < FEW_GROUPS):
            return False
        self._looked, self._made = self.version, 0
        self._forget(self.version - (KEEP_LARGE if large else KEEP_VERSIONS), chunks)
        return True

    def _forget(self, oldest: int, chunks: Chunks) -> None:
        """Forget what no version from `oldest` on needed."""
        self._groups = {key: kept for key, kept in self._groups.items() if kept.version >= oldest}
        for kept in self._groups.values():
            for entry in kept.entries:
                entry.version = max(entry.version, kept.version)
        chunks.keep_only({text for stretch, _, _ in self._groups for text in stretch.parsed_chunks()})
        for key, entries in self._entries.items():
            if any(entry.version < oldest for entry in entries):
                self._entries[key] = tuple([entry for entry in entries if entry.version >= oldest])
        self._entries = {key: entries for key, entries in self._entries.items() if entries}
        states = self._states_in_use()
        self._states = {step: after for step, after in self._states.items() if step in states}
        known = [entry for entries in self._entries.values() for entry in entries]
        effects = {entry.effect for entry in known}
        self._effects = {declared: effect for declared, effect in self._effects.items() if effect in effects}
        for entry in known:
            entry.keep_only(states)

    def _states_in_use(self) -> set[tuple[int, int]]:
        """The steps that lead through the groups."""
        states: set[tuple[int, int]] = set()
        for (_, before, _), kept in self._groups.items():
            state = before
            for entry in kept.entries:
                after = entry.after_state(state)
                if after is None:
                    break
                states.add((state, entry.effect))
                state = after
        return states

    def start(self, around: Hashable) -> int:
        """The state at the top of a unit with these surroundings (headers, …): what holds there is looked up again
        when they change, and holds or does not."""
        found = self._starts.get(around)
        if found is None:
            if len(self._starts) >= KEEP_VERSIONS:
                self._starts.clear()
            found = self._starts[around] = next(self._numbers)
        return found

    def find_group(self, file: FileScope, stretch: Stretch) -> Group | None:
        """What `stretch` holds where `file` has got to; its declarations are made."""
        between = file.between
        kept = self._groups.get((stretch, file.state, between))
        if kept is None:
            return None
        kept.version = self.version
        file.state, after = kept.after
        if after is not between:
            file.between = after
        group = kept.group
        file.names.lay(group.names)
        if group.tags or group.records or group.filled:
            file.tags.update(group.tags)
            file.declared.update(group.records)
            file.completed.update(group.filled)
        return group

    def add_group(self, before: _Before, file: FileScope, group: Group, read: list[Entry]) -> None:
        """Remember what was read after `before`."""
        self._made += 1
        self._read += len(before[0].text)
        self._groups[before] = _Kept(group, read, (file.state, file.between), self.version)

    def find(self, file: FileScope, key: Hashable) -> Entry | None:
        """The analysis under `key` that holds in `file`; its declarations are made."""
        state = file.state
        for entry in self._entries.get(key, ()):
            after = entry.after_state(state)
            if after is None and entry.holds(file):
                after = self._follow(entry, state)
            if after is not None:
                entry.version = self.version
                entry.replay(file)
                file.state = after
                return entry
        return None

    def _follow(self, entry: Entry, state: int) -> int:
        after = self._states.get((state, entry.effect))
        if after is None:
            after = self._states[state, entry.effect] = next(self._numbers)
        entry.leads(state, after)
        return after

    def add(self, file: FileScope, key: Hashable, result: Content | Directive, notes: list[SyntaxNote]) -> Entry:
        """Remember the analysis that `file.begin_item()` began."""
        f = file
        used_records = {body: known for body, known in f.used_records.items() if body not in f.new_records}
        new = (tuple(f.new_names), tuple(f.new_tags), tuple(f.new_records), tuple(f.filled))
        # most looked up and declared little, and there are thousands of them
        names, tags = (tuple(f.used_names), tuple(f.used_names.values())), f.used_tags or _NOTHING
        entry = Entry(
            names, tags, f.used_implicit_int, used_records or _NOTHING, *new, result, notes or (), self.version
        )
        entry.effect = self._effects.setdefault(entry.declared, next(self._numbers))
        file.state = self._follow(entry, file.state)
        self._entries[key] = (*self._entries.get(key, ()), entry)
        return entry
