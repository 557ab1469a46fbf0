"""The translation unit, built from a text and kept across its versions.

Every external declaration is analysed by a pure function of its own bytes and of what it looks up in the file scope.
`Analyzer` remembers the results: after an edit, only declarations with another text, or with another answer to one
of their look-ups, are analysed again.  What comes out does not depend on what was analysed before.
"""

from __future__ import annotations

import gc
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from ompls.analysis.dataenv import region_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.headers import headers_of
from ompls.analysis.model.memo import Memo
from ompls.analysis.model.names import Names
from ompls.analysis.model.omp import Directive, ListItem
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.sema import Sema
from ompls.analysis.model.tu import TU, Content, FileDirective, Item, Region, SyntaxNote
from ompls.analysis.source import Budget, HeaderSnapshot, Settings
from ompls.analysis.syntax.adapter import Adapter, External
from ompls.analysis.syntax.binding import is_omp
from ompls.analysis.syntax.declarators import copy_symbol
from ompls.analysis.syntax.externals import Piece, errors, externals
from ompls.analysis.syntax.preprocess import Expanded, Preprocessor
from ompls.analysis.syntax.reader import RedefinedRecordError
from ompls.analysis.syntax.tree import SyntaxTree

Range = tuple[int, int]


@dataclass(slots=True)
class _Unit:
    """The unit in the making."""

    tree: SyntaxTree
    root: Node
    file: FileScope
    expanded: Expanded
    settings: Settings
    implicit_int: bool
    items: list[Item] = field(default_factory=list)
    directives: list[FileDirective] = field(default_factory=list)
    notes: list[SyntaxNote] = field(default_factory=list)
    complete: bool = True


class Analyzer:
    """Analyses the successive versions of one text.  Not to be used by two threads at once.

    analysed -- the names of the external declarations that the last call really analysed ('' for one without a name)
    """

    def __init__(self) -> None:
        self._preprocessor = Preprocessor()
        self._tree = SyntaxTree()
        self.analysed: list[str] = []
        self._key: Hashable = None
        self._forget()

    def _forget(self) -> None:
        self._memo = Memo()
        self._interned: dict[object, Symbol] = {}
        self._targets: dict[tuple[Symbol, str], Symbol] = {}

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
        expanded = self._preprocessor.run(path, source, headers)
        declared = headers_of(_header_text(headers, expanded))
        key = (declared, settings, bool(headers.missing))
        if key != self._key:
            self._key = key
            self._forget()
        self.analysed = []
        root = self._tree.update(expanded.parse_text)
        while True:
            self._memo.next_version()
            file = FileScope(declared, self._interned)
            unit = _Unit(self._tree, root, file, expanded, settings, not headers.missing)
            try:
                self._build(unit, budget)
                break
            except RedefinedRecordError:
                self._forget()
        names, tags = Names(file.names, declared), {**declared.tags(), **file.tags}
        notes = [*expanded.notes, *unit.notes]
        return TU(
            path, source, expanded.text, expanded.map, settings, unit.items, unit.directives, names, tags, notes,
            list(expanded.inactive), unit.complete, headers.texts,
        )  # fmt: skip

    def _build(self, unit: _Unit, budget: Budget | None) -> None:
        pragmas = unit.expanded.pragmas
        at = 0
        for piece in externals(unit.tree, unit.root, unit.expanded.parse_text):
            if budget is not None and budget.expired():
                unit.complete = False
                unit.notes.append(SyntaxNote("budget", piece.start, len(unit.expanded.text), "no time left to go on"))
                return
            while at < len(pragmas) and pragmas[at][0] < piece.start:
                self._file_directive(unit, *pragmas[at])
                at += 1
            first = at
            while at < len(pragmas) and pragmas[at][0] < piece.end:
                at += 1
            self._item(unit, piece, pragmas[first:at])
        for start, end in pragmas[at:]:
            self._file_directive(unit, start, end)
        if unit.root.has_error and not any(note.kind == "parse" for note in unit.notes):
            # an unclosed brace: the grammar gave up on the whole rest, whose parts are fine one by one
            unit.notes += [SyntaxNote("parse", *e) for e in errors([unit.root], 1)]
        for body in unit.file.declared - unit.file.completed:
            if body.fields is not None:  # filled by a definition that is gone
                raise RedefinedRecordError

    # --- one external declaration

    def _item(self, unit: _Unit, piece: Piece, pragmas: Sequence[Range]) -> None:
        text = unit.expanded.text[piece.start : piece.end]
        broken = any(n.has_error for n in piece.nodes)
        parsed = unit.tree.text[piece.start : piece.end]  # differs where a pragma or an unknown spelling is masked
        key: tuple[Hashable, ...] = (text, parsed, unit.file.declare_target, unit.file.variant)
        if broken:  # the grammar's recovery looks beyond the item: what it made of the text belongs to the key
            key = (*key, *map(str, piece.nodes))
        entry = self._memo.find(unit.file, key)
        if entry is None:
            unit.file.begin_item()
            content, notes = _analyse(unit, piece, pragmas, text)
            entry = self._memo.add(unit.file, key, content, notes)
            self.analysed.append(content.node.symbol.name if isinstance(content.node, ast.FunctionDef) else "")
        assert isinstance(entry.result, Content)
        unit.items.append(Item(piece.start, piece.end, entry.result))
        unit.notes += [SyntaxNote("pragma", piece.start + s.start, piece.start + s.end, why) for s, why in entry.notes]
        if broken:
            unit.notes += [SyntaxNote("parse", *e) for e in errors(piece.nodes)]

    # --- directives at file scope

    def _file_directive(self, unit: _Unit, start: int, end: int) -> None:
        file, text = unit.file, unit.expanded.text[start:end]
        if not is_omp(text):
            return
        entry = self._memo.find(file, (text,))
        if entry is None:
            file.begin_item()
            adapter = Adapter(unit.expanded.text, start, file, Sema(file, unit.implicit_int), [(start, end)])
            read = adapter.next_directive(end)
            if read is None:
                return
            entry = self._memo.add(file, (text,), read, [])
        assert isinstance(entry.result, Directive)
        directive = entry.result
        unit.directives.append(FileDirective(start, end, directive))
        if directive.name in ("declare target", "begin declare target"):
            listed = declare_target_list(directive)
            for mode, item in listed:
                self._declare_target(file, mode, item)
            file.declare_target = file.declare_target or not listed
        elif directive.name == "end declare target":
            file.declare_target = False
        elif directive.name in ("begin declare variant", "end declare variant"):
            file.variant = directive.name.startswith("begin")

    def _declare_target(self, file: FileScope, mode: str, item: ListItem) -> None:
        """From here on the listed name is a `declare target` name: a new symbol, because the old one is shared."""
        old = file.peek(item.text)
        if old is None or old.declare_target == mode:
            return
        new = self._targets.get((old, mode))
        if new is None:
            new = copy_symbol(old)
            new.declare_target = mode  # type: ignore[assignment]
            new = self._targets[old, mode] = file.intern(new)
        file.names[item.text] = new


def declare_target_list(directive: Directive) -> list[tuple[str, ListItem]]:
    """('enter' or 'link', item) for each name that a `declare target` directive lists."""
    listed = [("enter", i) for i in directive.args]
    for clause in directive.all("to", "enter", "link", "local"):
        listed += [("link" if clause.name == "link" else "enter", i) for i in clause.items]
    return listed


def _analyse(
    unit: _Unit, piece: Piece, pragmas: Sequence[Range], text: bytes
) -> tuple[Content, list[tuple[Span, str]]]:
    """Read one external declaration and the data of its regions."""
    adapter = Adapter(unit.expanded.text, piece.start, unit.file, Sema(unit.file, unit.implicit_int), pragmas)
    read = adapter.external(piece.nodes[0])
    if len(piece.nodes) > 1:
        parts: list[ast.Node] = [read.node, *(adapter.external(n).node for n in piece.nodes[1:])]
        whole = ast.OtherStmt(Span(0, piece.end - piece.start), parts)
        read = External(whole, read.directives, list(adapter.calls.values()), read.tainted, read.notes)
    regions: list[Region] = []
    if isinstance(read.node, ast.FunctionDef):
        for stmt in read.directives:
            if stmt.directive.has("target"):
                tainted = any(t.start < stmt.span.end and t.end > stmt.span.start for t in read.tainted)
                regions.append(region_of(stmt, read.node, len(regions), unit.settings, tainted))
    return Content(read.node, text, read.directives, regions, read.calls, bool(read.tainted)), read.notes


def _header_text(headers: HeaderSnapshot, expanded: Expanded) -> bytes:
    """The declarations of the system headers that the unit includes, in order."""
    included = dict.fromkeys(i.operand for i in expanded.includes if i.kind == "system")
    units = [headers.system[name] for name in included if name in headers.system]
    return "\n".join(u.text for u in units).encode("utf-8", "replace")
