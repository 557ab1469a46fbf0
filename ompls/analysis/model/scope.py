"""Names in force at a point of the unit: ordinary names and tags, in nested scopes (C11 §6.2.1, §6.2.3).

The file scope writes down what an external declaration looked up in it (`used_names`, `used_tags`): these symbols,
with the declaration's own text, are the key of its analysis.
"""

from __future__ import annotations

from typing import Protocol

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import CType, Record, RecordBody
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layers import Layers
from ompls.analysis.model.pack import NATURAL, Pack


class Outer(Protocol):
    """What the file scope falls back on: the system headers' declarations."""

    def name(self, name: str) -> Symbol | None: ...
    def tag(self, tag: str) -> CType | None: ...


class FileScope:
    """The file scope of one unit while it is being built."""

    __slots__ = (
        "_between", "c23", "completed", "declare_target", "declared", "filled", "implicit_int", "interned", "model",
        "names",
        "new_names", "new_records", "new_tags", "outer", "pack", "state", "strict", "tags", "used_implicit_int",
        "used_names", "used_records", "used_tags", "variant",
    )  # fmt: skip

    parent = None

    def __init__(self, outer: Outer, model: DataModel, interned: dict[object, Symbol] | None = None) -> None:
        self.outer = outer
        self.model = model
        self.state = 0  # see Memo: a number for everything that was declared so far
        self.c23 = False  # `true`, `false` and `nullptr` are keywords
        self.strict = True  # a record that gets other members than an earlier version gave it is an error
        self.declare_target = 0  # between how many `begin declare target` and their ends
        self.variant = False  # between `begin declare variant` and its end
        self.pack = NATURAL  # what `#pragma pack` says
        self._between = (0, False, NATURAL)
        # a call of an undeclared function gives int (C90, and gcc with a warning); False where a header is missing,
        # because then nothing is known
        self.implicit_int = True
        self.used_implicit_int: bool | None = None  # what the item at hand was told about it
        self.interned: dict[object, Symbol] = {} if interned is None else interned
        self.names = Layers()
        self.tags: dict[str, CType] = {}
        self.used_names: dict[str, Symbol | None] = {}
        self.used_tags: dict[str, CType | None] = {}
        self.used_records: dict[RecordBody, bool] = {}
        self.new_names: list[Symbol] = []
        self.new_tags: list[tuple[str, CType]] = []
        self.filled: list[RecordBody] = []  # by the item at hand
        self.new_records: list[RecordBody] = []
        self.declared: set[RecordBody] = set()  # in this version of the unit
        self.completed: set[RecordBody] = set()

    @property
    def between(self) -> tuple[int, bool, Pack]:
        """What the directives above say to all that follows: with the state, all that an analysis depends on."""
        value = (self.declare_target, self.variant, self.pack)
        if value != self._between:
            self._between = value
        return self._between  # the same object for nearly all declarations

    @between.setter
    def between(self, value: tuple[int, bool, Pack]) -> None:
        self.declare_target, self.variant, self.pack = value

    def begin_item(self) -> None:
        self.used_names, self.used_tags, self.used_records = {}, {}, {}
        self.used_implicit_int = None
        self.new_names, self.new_tags, self.filled, self.new_records = [], [], [], []

    def calls_give_int(self) -> bool:
        """Whether a call of an undeclared function gives int; the answer is written down."""
        self.used_implicit_int = self.implicit_int
        return self.implicit_int

    def lookup(self, name: str) -> Symbol | None:
        if name in self.used_names:
            return self.names.get(name) or self.used_names[name]
        found = self.peek(name)
        self.used_names[name] = found
        return found

    def peek(self, name: str) -> Symbol | None:
        """As `lookup`, without writing it down."""
        return self.names.get(name) or self.outer.name(name)

    def lookup_tag(self, tag: str) -> CType | None:
        found = self.peek_tag(tag)
        self.used_tags.setdefault(tag, found)
        return found

    def peek_tag(self, tag: str) -> CType | None:
        return self.tags.get(tag) or self.outer.tag(tag)

    def own(self, name: str) -> Symbol | None:
        return self.lookup(name)

    def own_tag(self, tag: str) -> CType | None:
        return self.lookup_tag(tag)

    def declare(self, symbol: Symbol) -> None:
        self.lookup(symbol.name)
        self.names[symbol.name] = symbol
        self.new_names.append(symbol)

    def declare_tag(self, tag: str, t: CType) -> None:
        self.lookup_tag(tag)
        self.tags[tag] = t
        self.new_tags.append((tag, t))

    def declare_record(self, body: RecordBody) -> None:
        """Note a record that is incomplete until `fill`."""
        self.new_records.append(body)
        self.declared.add(body)

    def fill(self, record: Record) -> None:
        """Note that `record`'s members are known from here on."""
        self.filled.append(record.body)
        self.completed.add(record.body)

    def members_known(self, body: RecordBody) -> bool:
        """Whether the record is complete here; the answer is written down."""
        known = self.peek_members_known(body)
        self.used_records.setdefault(body, known)
        return known

    def peek_members_known(self, body: RecordBody) -> bool:
        """As `members_known`, without writing it down.  An earlier version of the text may have filled it already."""
        return body.fields is not None and (body in self.completed or body not in self.declared)

    def intern(self, s: Symbol) -> Symbol:
        """An earlier symbol that says the same as `s`, else `s`: what depends on an unchanged name stays valid."""
        if s.init is not None:
            return s
        key = (
            s.name, s.kind, s.type, s.storage, s.level, s.span, s.value, s.defined, s.inline, s.thread_local,
            s.declare_target,
        )  # fmt: skip
        return self.interned.setdefault(key, s)


class Scope:
    """A block's (or a prototype's) scope."""

    __slots__ = ("names", "parent", "tags")

    def __init__(self, parent: Scope | FileScope) -> None:
        self.parent = parent
        self.names: dict[str, Symbol] = {}
        self.tags: dict[str, CType] = {}

    def lookup(self, name: str) -> Symbol | None:
        scope: Scope | FileScope = self
        while isinstance(scope, Scope):
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return scope.lookup(name)

    def lookup_tag(self, tag: str) -> CType | None:
        scope: Scope | FileScope = self
        while isinstance(scope, Scope):
            found = scope.tags.get(tag)
            if found is not None:
                return found
            scope = scope.parent
        return scope.lookup_tag(tag)

    def own(self, name: str) -> Symbol | None:
        return self.names.get(name)

    def own_tag(self, tag: str) -> CType | None:
        return self.tags.get(tag)

    def declare(self, symbol: Symbol) -> None:
        self.names[symbol.name] = symbol

    def declare_tag(self, tag: str, t: CType) -> None:
        self.tags[tag] = t
