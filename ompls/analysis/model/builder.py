"""The translation unit, built from a text and kept across its versions.

Every external declaration is analysed by a pure function of its own bytes and of what it looks up in the file scope.
`Analyzer` remembers the results: after an edit, only declarations with another text, or with another answer to one
of their look-ups, are analysed again.  What comes out does not depend on what was analysed before.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tree_sitter import Node

from ompls.analysis.dataenv import region_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.datamodel import of_macros
from ompls.analysis.model.headers import headers_of
from ompls.analysis.model.items import Group, Items
from ompls.analysis.model.memo import Entry, Memo
from ompls.analysis.model.names import Names
from ompls.analysis.model.omp import Directive, ListItem, declare_target_list
from ompls.analysis.model.pack import packed_after
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.sema import Sema
from ompls.analysis.model.tu import TU, Content, FileDirective, Item, Region, SyntaxNote
from ompls.analysis.source import Budget, HeaderSnapshot, Macro, Settings
from ompls.analysis.syntax.adapter import Adapter, External
from ompls.analysis.syntax.binding import is_omp
from ompls.analysis.syntax.declarators import copy_symbol
from ompls.analysis.syntax.externals import Chunks, Piece
from ompls.analysis.syntax.preprocess import Expanded, Preprocessor
from ompls.analysis.syntax.reader import RedefinedRecordError
from ompls.analysis.syntax.split import Splitter
from ompls.analysis.syntax.stretch import Stretch

Range = tuple[int, int]


@dataclass(slots=True)
class _Unit:
    """The unit in the making."""

    file: FileScope
    expanded: Expanded
    settings: Settings
    groups: list[tuple[int, Group]] = field(default_factory=list)
    directives: list[FileDirective] = field(default_factory=list)
    notes: list[SyntaxNote] = field(default_factory=list)
    complete: bool = True

    def add(self, x: int, group: Group) -> None:
        self.groups.append((x, group))
        if group.directives:
            self.directives += [FileDirective(x + d.start, x + d.end, d.directive) for d in group.directives]
        if group.notes:
            self.notes += [SyntaxNote(n.kind, x + n.start, x + n.end, n.message) for n in group.notes]


@dataclass(slots=True)
class _Reading:
    """A group in the making, and the entries that were used."""

    unit: _Unit
    stretch: Stretch
    group: Group = field(default_factory=Group)
    read: list[Entry] = field(default_factory=list)

    def use(self, entry: Entry) -> None:
        self.read.append(entry)
        group = self.group
        for symbol in entry.new_names:
            group.names[symbol.name] = symbol
        group.tags.update(entry.new_tags)
        group.records += entry.new_records
        group.filled += entry.filled


class _Chunk(NamedTuple):
    """A part of a stretch: its offset, its expanded text, and that without pragmas."""

    start: int
    text: bytes
    parsed: bytes


class Analyzer:
    """Analyses the successive versions of one text.  Not to be used by two threads at once.

    analysed -- the names of the external declarations that the last call really analysed ('' for one without a name)
    forgot -- whether the last call forgot what versions before left behind
    """

    def __init__(self) -> None:
        self._preprocessor = Preprocessor()
        self._splitter = Splitter()
        self._chunks = Chunks()
        self.analysed: list[str] = []
        self.forgot = False
        self._settings: Settings | None = None
        self._predefined: tuple[Macro, ...] = ()
        self._c23, self._model = False, of_macros({})  # what `_predefined` says
        self._forget()

    def _forget(self) -> None:
        self._memo = Memo()
        self._interned: dict[object, Symbol] = {}
        self._targets: dict[tuple[Symbol, str], Symbol] = {}
        self._kept: dict[str, Any] = {}

    def analyze(
        self, path: str, source: bytes, headers: HeaderSnapshot, settings: Settings, budget: Budget | None = None
    ) -> TU:
        """The unit that `source` means with these headers and settings.  Never raises on any text.

        When `budget` runs out, the unit has the items up to there and `complete` is False.
        """
        collecting = gc.isenabled()
        gc.disable()  # nearly all that is made here stays: looking for cycles in it costs a third of the time
        try:
            return self._analyze(path, source, headers, settings, budget)
        finally:
            if collecting:
                gc.enable()

    def _analyze(
        self, path: str, source: bytes, headers: HeaderSnapshot, settings: Settings, budget: Budget | None
    ) -> TU:
        expanded = self._preprocessor.run(path, source, headers, budget)
        headers_known = all(include.kind not in ("missing", "unknown") for include in expanded.includes)
        if settings != self._settings:
            self._settings = settings
            self._forget()
        if headers.predefined is not self._predefined:
            self._predefined, before = headers.predefined, (self._c23, self._model)
            bodies = {macro.name: macro.body for macro in headers.predefined}
            self._c23, self._model = _is_c23(bodies), of_macros(bodies)
            if (self._c23, self._model) != before:
                self._forget()
        declared = headers_of(_header_texts(headers, expanded), self._model)
        self.analysed, self.forgot = [], False
        stretches = self._splitter.groups(expanded.stretches, self._preprocessor.stretches)
        for strict in (True, True, False):  # once more helps, because nothing is shared then
            self.forgot |= self._memo.next_version(self._chunks)
            file = FileScope(declared, self._model, self._interned)
            file.strict, file.implicit_int, file.c23 = strict, headers_known, self._c23
            file.state = self._memo.start((declared, headers_known))
            unit = _Unit(file, expanded, settings)
            try:
                self._build(unit, stretches, budget)
                break
            except RedefinedRecordError:
                self._forget()
        names, tags = Names(file.names, declared), {**declared.tags(), **file.tags}
        notes = [*expanded.notes, *unit.notes]
        return TU(
            path, source, expanded.text, expanded.map, settings, Items(unit.groups), unit.directives, names, tags,
            notes, list(expanded.inactive), unit.complete, headers.texts, headers_known, headers, self._kept,
            self._model,
        )  # fmt: skip

    def _build(self, unit: _Unit, stretches: list[tuple[int, Stretch]], budget: Budget | None) -> None:
        for x, stretch in stretches:
            group = self._memo.find_group(unit.file, stretch)
            if group is None:
                group, read_to = self._group(unit, stretch, budget)
                if read_to is not None:
                    unit.add(x, group)
                    unit.complete = False
                    where = (x + read_to, len(unit.expanded.text))
                    unit.notes.append(SyntaxNote("budget", *where, "no time left to go on"))
                    return
            unit.add(x, group)
        for body in unit.file.declared - unit.file.completed:
            if body.fields is not None and unit.file.strict:  # filled by a definition that is gone
                raise RedefinedRecordError

    def _group(self, unit: _Unit, stretch: Stretch, budget: Budget | None) -> tuple[Group, int | None]:
        """What `stretch` holds; and, when there was no time for all of it, where the rest begins."""
        file = unit.file
        before = (stretch, file.state, file.between)
        reading = _Reading(unit, stretch)
        pragmas, count, without = stretch.pragmas, len(stretch.pragmas), stretch.parsed
        at = 0
        for begin, end in stretch.chunks or ():
            if budget is not None and budget.expired():
                reading.group.finish()
                return reading.group, begin
            parsed = without[begin:end]
            chunk = _Chunk(begin, stretch.text[begin:end], parsed)
            for number, piece in enumerate(self._chunks.pieces(parsed)):
                start, stop = begin + piece.start, begin + piece.end
                while at < count and pragmas[at][0] < start:
                    self._file_directive(reading, *pragmas[at])
                    at += 1
                first = at
                while at < count and pragmas[at][0] < stop:
                    at += 1
                self._item(reading, chunk, number, piece, pragmas[first:at])
                for a, b in pragmas[first:at]:
                    file.pack = packed_after(file.pack, stretch.text[a:b])
        for start, end in pragmas[at:]:
            self._file_directive(reading, start, end)
        reading.group.finish()
        self._memo.add_group(before, file, reading.group, reading.read)
        return reading.group, None

    # --- one external declaration

    def _item(self, reading: _Reading, chunk: _Chunk, number: int, piece: Piece, pragmas: Sequence[Range]) -> None:
        unit, group = reading.unit, reading.group
        file = unit.file
        # pragmas and unknown spellings are blanks for the grammar; its recovery looks at the whole chunk
        key = (chunk.text, chunk.parsed, piece.start, file.between)
        entry = self._memo.find(file, key)
        if entry is None:
            file.begin_item()
            content, notes = _analyse(unit, chunk, piece, self._chunks.nodes(chunk.parsed, number), pragmas)
            entry = self._memo.add(file, key, content, notes)
            self.analysed.append(content.node.symbol.name if isinstance(content.node, ast.FunctionDef) else "")
        assert isinstance(entry.result, Content)
        reading.use(entry)
        start = chunk.start + piece.start
        group.items.append(Item(start, chunk.start + piece.end, entry.result))
        if entry.notes:
            group.notes += [SyntaxNote(n.kind, start + n.start, start + n.end, n.message) for n in entry.notes]
        for a, b, message in piece.errors:
            group.notes.append(SyntaxNote("parse", chunk.start + a, chunk.start + b, message))

    # --- directives at file scope

    def _file_directive(self, reading: _Reading, start: int, end: int) -> None:
        unit, whole = reading.unit, reading.stretch.text
        file, text = unit.file, whole[start:end]
        if not is_omp(text):
            file.pack = packed_after(file.pack, text)
            return
        entry = self._memo.find(file, (text,))
        if entry is None:
            file.begin_item()
            adapter = Adapter(whole, start, file, Sema(file), [(start, end)])
            read = adapter.next_directive(end)
            if read is None:
                return
            read.undeclared = tuple(adapter.sema.undeclared)
            read.unknown_members = tuple(adapter.sema.unknown_members)
            entry = self._memo.add(file, (text,), read, [])
        assert isinstance(entry.result, Directive)
        reading.use(entry)
        directive = entry.result
        reading.group.directives.append(FileDirective(start, end, directive))
        if directive.name in ("declare target", "begin declare target"):
            listed = declare_target_list(directive)
            for mode, item in listed:
                self._declare_target(reading, mode, item)
            file.declare_target += not listed
        elif directive.name == "end declare target":
            file.declare_target = max(0, file.declare_target - 1)
        elif directive.name in ("begin declare variant", "end declare variant"):
            file.variant = directive.name.startswith("begin")

    def _declare_target(self, reading: _Reading, mode: str, item: ListItem) -> None:
        """From here on the listed name is a `declare target` name: a new symbol, because the old one is shared."""
        file = reading.unit.file
        old = file.peek(item.text)
        if old is None or old.declare_target == mode:
            return
        new = self._targets.get((old, mode))
        if new is None:
            new = copy_symbol(old)
            new.declare_target = mode  # type: ignore[assignment]
            new = self._targets[old, mode] = file.intern(new)
        file.names[item.text] = reading.group.names[item.text] = new


def _analyse(
    unit: _Unit, chunk: _Chunk, piece: Piece, nodes: Sequence[Node], pragmas: Sequence[Range]
) -> tuple[Content, list[SyntaxNote]]:
    """Read one external declaration and the data of its regions."""
    source = chunk.text[piece.shift :]  # nodes count in it
    base = chunk.start + piece.shift
    inside = [(a - base, b - base) for a, b in pragmas]
    sema = Sema(unit.file)
    adapter = Adapter(source, piece.start - piece.shift, unit.file, sema, inside)
    read = adapter.external(nodes[0])
    if len(nodes) > 1:
        parts: list[ast.Node] = [read.node, *(adapter.external(n).node for n in nodes[1:])]
        whole = ast.OtherStmt(Span(0, piece.end - piece.start), parts)
        calls, strangers = list(adapter.calls.values()), tuple(adapter.strangers)
        read = External(whole, read.directives, calls, read.tainted, read.notes, strangers)
    regions: list[Region] = []
    if isinstance(read.node, ast.FunctionDef):
        for stmt in read.directives:
            if stmt.directive.has("target"):
                tainted = any(t.start < stmt.span.end and t.end > stmt.span.start for t in read.tainted)
                regions.append(region_of(stmt, read.node, len(regions), unit.settings, tainted))
    text = chunk.text[piece.start : piece.end]
    found = tuple(read.directives), tuple(regions), tuple(read.calls)
    understood = bool(sema.undeclared or sema.unknown_members) and _is_understood(read.node, nodes)
    undeclared, unknown = (tuple(sema.undeclared), tuple(sema.unknown_members)) if understood else ((), ())
    records = (*unit.file.used_records, *unit.file.filled)
    content = Content(read.node, text, *found, read.strangers, bool(read.tainted), undeclared, unknown, records)
    return content, read.notes


def _is_understood(node: ast.Node, nodes: Sequence[Node]) -> bool:
    """Whether nothing in a declaration may declare what we do not see: text that is no C, a function in a function."""
    if any(part.has_error for part in nodes):
        return False
    return not any(isinstance(n, ast.OtherStmt) and not isinstance(n, ast.AsmStmt) for n in ast.nodes(node))


def _is_c23(bodies: dict[str, str]) -> bool:
    """Whether a compiler with these macros reads the text as C23 (which gcc 13 and newer know)."""
    gcc, standard = bodies.get("__GNUC__", ""), bodies.get("__STDC_VERSION__", "")
    return gcc.isdecimal() and int(gcc) >= 13 and standard > "201710L"


def _header_texts(headers: HeaderSnapshot, expanded: Expanded) -> list[str]:
    """The declarations of the system headers that the unit includes, in order."""
    included = dict.fromkeys(i.unit for i in expanded.includes if i.kind == "system")
    return [headers.system[name].text for name in included if name in headers.system]
