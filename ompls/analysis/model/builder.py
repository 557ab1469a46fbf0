"""The translation unit, built from a text and kept across its versions.

Every external declaration is analysed by a pure function of its own bytes and of what it looks up in the file scope.
`Analyzer` remembers the results: after an edit, only declarations with another text, or with another answer to one
of their look-ups, are analysed again.  What comes out does not depend on what was analysed before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from ompls.analysis.dataenv import region_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.ctype import CType, RecordBody
from ompls.analysis.model.headers import Headers, headers_of
from ompls.analysis.model.omp import Directive, ListItem
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.sema import Sema
from ompls.analysis.model.tu import TU, Content, FileDirective, Item, Region, SyntaxNote
from ompls.analysis.source import Budget, HeaderSnapshot, Settings
from ompls.analysis.syntax.adapter import Adapter, External, is_omp
from ompls.analysis.syntax.declarations import copy_symbol
from ompls.analysis.syntax.preprocess import Expanded, Preprocessor
from ompls.analysis.syntax.reader import RedefinedRecordError
from ompls.analysis.syntax.tree import SyntaxTree

_EXTERNAL = frozenset(("function_definition", "declaration", "type_definition"))
_KEEP_VERSIONS = 8  # how long the analysis of a text that is gone is remembered (undo, retyping)


@dataclass(slots=True)
class _Entry:
    """One remembered analysis: what it looked up, what came out, what it declared."""

    used_names: dict[str, Symbol | None]
    used_tags: dict[str, CType | None]
    new_names: list[Symbol]
    new_tags: list[tuple[str, CType]]
    new_records: list[RecordBody]
    filled: list[RecordBody]
    result: Content | Directive
    notes: list[tuple[Span, str]]
    version: int = 0


@dataclass(slots=True)
class _Unit:
    """The unit in the making."""

    file: FileScope
    expanded: Expanded
    settings: Settings
    implicit_int: bool
    items: list[Item] = field(default_factory=list)
    directives: list[FileDirective] = field(default_factory=list)
    notes: list[SyntaxNote] = field(default_factory=list)
    complete: bool = True


class Names(dict[str, Symbol]):
    """The file scope's names.  Looking up finds the headers' too; iterating reads all of them."""

    def __init__(self, own: dict[str, Symbol], headers: Headers) -> None:
        super().__init__(own)
        self._headers = headers
        self._all = False

    def __missing__(self, name: str) -> Symbol:
        found = self._headers.name(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self._headers.name(name) is not None)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def _fill(self) -> None:
        if not self._all:
            self._all = True
            for name in self._headers.all_names():
                found = self._headers.name(name)
                if found is not None:
                    self.setdefault(name, found)

    def __iter__(self) -> Iterator[str]:
        self._fill()
        return super().__iter__()

    def __len__(self) -> int:
        self._fill()
        return super().__len__()

    def keys(self) -> Any:
        self._fill()
        return super().keys()

    def values(self) -> Any:
        self._fill()
        return super().values()

    def items(self) -> Any:
        self._fill()
        return super().items()


class Analyzer:
    """Analyses the successive versions of one text.

    analysed -- names of the external declarations that the last call really analysed ('' for those without a name)
    """

    def __init__(self) -> None:
        self._preprocessor = Preprocessor()
        self._tree = SyntaxTree()
        self.analysed: list[str] = []
        self._version = 0
        self._key: tuple[object, ...] = ()
        self._forget()

    def _forget(self) -> None:
        self._memo: dict[tuple[object, ...], list[_Entry]] = {}
        self._interned: dict[object, Symbol] = {}
        self._targets: dict[tuple[Symbol, str], Symbol] = {}

    def analyze(
        self,
        path: str,
        source: bytes,
        headers: HeaderSnapshot,
        settings: Settings,
        budget: Budget | None = None,
    ) -> TU:
        """The unit that `source` means with these headers and settings.  Never raises on any text.

        When `budget` runs out, the unit has the items up to there and `complete` is False.
        """
        expanded = self._preprocessor.run(path, source, headers)
        declared = headers_of(_header_text(headers, expanded))
        key = (declared, settings, bool(headers.missing))
        if key != self._key:
            self._key = key
            self._forget()
        self._version += 1
        self.analysed = []
        root = self._tree.update(expanded.parse_text)
        unit: _Unit | None = None
        while unit is None:
            try:
                unit = self._build(root, expanded, declared, settings, not headers.missing, budget)
            except RedefinedRecordError:
                self._forget()
        self._prune()
        return TU(
            path,
            source,
            expanded.text,
            expanded.map,
            settings,
            unit.items,
            unit.directives,
            Names(unit.file.names, declared),
            {**declared.tags(), **unit.file.tags},
            [*expanded.notes, *unit.notes],
            list(expanded.inactive),
            unit.complete,
            headers.texts,
        )

    def _build(
        self,
        root: Node,
        expanded: Expanded,
        declared: Headers,
        settings: Settings,
        implicit_int: bool,
        budget: Budget | None,
    ) -> _Unit:
        unit = _Unit(FileScope(declared, self._interned), expanded, settings, implicit_int)
        pragmas = [(p[0], p[1]) for p in expanded.pragmas]
        at = 0
        for start, end, nodes in _externals(root):
            if budget is not None and budget.expired():
                unit.complete = False
                unit.notes.append(
                    SyntaxNote("budget", start, len(expanded.text), "the analysis stopped here: no time left")
                )
                break
            while at < len(pragmas) and pragmas[at][0] < start:
                self._file_directive(unit, *pragmas[at])
                at += 1
            first = at
            while at < len(pragmas) and pragmas[at][0] < end:
                at += 1
            self._item(unit, start, end, nodes, pragmas[first:at])
        for start, end in pragmas[at:] if unit.complete else ():
            self._file_directive(unit, start, end)
        for body in unit.file.declared - unit.file.completed:
            if body.fields is not None:  # filled by a definition that is gone
                raise RedefinedRecordError
        return unit

    # --- one external declaration

    def _item(self, unit: _Unit, start: int, end: int, nodes: list[Node], pragmas: list[tuple[int, int]]) -> None:
        text = unit.expanded.text[start:end]
        broken = any(n.has_error for n in nodes)
        key: tuple[object, ...] = (text, unit.file.declare_target)
        if broken:  # the grammar's recovery looks beyond the item: what it made of the text belongs to the key
            key = (*key, *(str(n) for n in nodes))
        entry = self._remembered(unit.file, key)
        if entry is None:
            unit.file.begin_item()
            content, notes = self._analyse(unit, start, end, nodes, pragmas, text)
            entry = self._remember(unit.file, key, content, notes)
            name = getattr(getattr(content.node, "symbol", None), "name", "")
            self.analysed.append(name)
        if isinstance(entry.result, Content):
            unit.items.append(Item(start, end, entry.result))
        unit.notes += [SyntaxNote("pragma", start + s.start, start + s.end, why) for s, why in entry.notes]
        if broken:
            unit.notes += [SyntaxNote("parse", n.start_byte, n.end_byte, _what(n)) for n in _errors(nodes)]

    def _analyse(
        self, unit: _Unit, start: int, end: int, nodes: list[Node], pragmas: list[tuple[int, int]], text: bytes
    ) -> tuple[Content, list[tuple[Span, str]]]:
        sema = Sema(unit.file, unit.implicit_int)
        adapter = Adapter(unit.expanded.text, start, unit.file, sema, pragmas)
        read = adapter.external(nodes[0])
        for extra in nodes[1:]:
            more = adapter.external(extra)
            read = External(
                ast.OtherStmt(Span(0, end - start), [read.node, more.node]),
                more.directives,
                more.calls,
                more.tainted,
                more.notes,
            )
        regions: list[Region] = []
        if isinstance(read.node, ast.FunctionDef):
            for stmt in read.directives:
                if stmt.directive.has("target"):
                    tainted = any(t.start < stmt.span.end and t.end > stmt.span.start for t in read.tainted)
                    regions.append(region_of(stmt, read.node, len(regions), unit.settings, tainted))
        return Content(read.node, text, read.directives, regions, read.calls, bool(read.tainted)), read.notes

    # --- directives at file scope

    def _file_directive(self, unit: _Unit, start: int, end: int) -> None:
        text = unit.expanded.text[start:end]
        if not is_omp(text):
            return
        key: tuple[object, ...] = (text, "directive")
        entry = self._remembered(unit.file, key)
        if entry is None:
            unit.file.begin_item()
            adapter = Adapter(unit.expanded.text, start, unit.file, Sema(unit.file, unit.implicit_int), [(start, end)])
            directive = adapter.next_directive(end)
            if directive is None:
                return
            entry = self._remember(unit.file, key, directive, [])
        if not isinstance(entry.result, Directive):
            return
        directive = entry.result
        unit.directives.append(FileDirective(start, end, directive))
        if directive.name in ("declare target", "begin declare target"):
            listed = [("enter", i) for i in directive.args]
            for clause in directive.all("to", "enter", "link"):
                listed += [("link" if clause.name == "link" else "enter", i) for i in clause.items]
            self._declare_target(unit.file, listed)
            if not listed:
                unit.file.declare_target = True
        elif directive.name == "end declare target":
            unit.file.declare_target = False

    def _declare_target(self, file: FileScope, listed: Iterable[tuple[str, ListItem]]) -> None:
        """From here on the listed names are `declare target` names: new symbols, the old ones are shared."""
        for mode, item in listed:
            old = file.peek(item.text)
            if old is None or old.declare_target == mode:
                continue
            new = self._targets.get((old, mode))
            if new is None:
                new = copy_symbol(old)
                new.declare_target = mode  # type: ignore[assignment]
                new = file.intern(new)
                self._targets[old, mode] = new
            file.names[item.text] = new

    # --- memory

    def _remembered(self, file: FileScope, key: tuple[object, ...]) -> _Entry | None:
        """The analysis under `key` whose every look-up would have the same answer now; its declarations are made."""
        for entry in self._memo.get(key, ()):
            if all(file.peek(n) is s for n, s in entry.used_names.items()) and all(
                file.peek_tag(n) is t for n, t in entry.used_tags.items()
            ):
                entry.version = self._version
                for symbol in entry.new_names:
                    file.names[symbol.name] = symbol
                for tag, t in entry.new_tags:
                    file.tags[tag] = t
                file.declared.update(entry.new_records)
                file.completed.update(entry.filled)
                return entry
        return None

    def _remember(
        self, file: FileScope, key: tuple[object, ...], result: Content | Directive, notes: list[tuple[Span, str]]
    ) -> _Entry:
        entry = _Entry(
            file.used_names,
            file.used_tags,
            file.new_names,
            file.new_tags,
            file.new_records,
            file.filled,
            result,
            notes,
            self._version,
        )
        self._memo.setdefault(key, []).append(entry)
        return entry

    def _prune(self) -> None:
        if self._version % _KEEP_VERSIONS:
            return
        oldest = self._version - _KEEP_VERSIONS
        kept = {k: [e for e in entries if e.version > oldest] for k, entries in self._memo.items()}
        self._memo = {k: entries for k, entries in kept.items() if entries}


def _header_text(headers: HeaderSnapshot, expanded: Expanded) -> bytes:
    """The declarations of the system headers that the unit includes, in order."""
    included = dict.fromkeys(i.operand for i in expanded.includes if i.kind == "system")
    units = [headers.system[name] for name in included if name in headers.system]
    return "\n".join(u.text for u in units).encode("utf-8", "replace")


def _externals(root: Node) -> Iterator[tuple[int, int, list[Node]]]:
    """The external declarations: (start, end, nodes).  Inside an error at file scope, what the grammar could complete
    is a declaration of its own, and what lies between is one broken piece."""
    for n in root.children:
        if n.type == "comment" or _empty(n):
            continue
        if n.type != "ERROR":
            yield n.start_byte, n.end_byte, [n]
            continue
        loose: list[Node] = []
        for c in n.children:
            if c.type in _EXTERNAL:
                if loose:
                    yield loose[0].start_byte, loose[-1].end_byte, loose
                    loose = []
                yield c.start_byte, c.end_byte, [c]
            elif c.type != "comment":
                loose.append(c)
        if loose:
            yield loose[0].start_byte, loose[-1].end_byte, loose


def _empty(n: Node) -> bool:
    return n.type == ";" or (n.type == "expression_statement" and not n.named_children)


def _errors(nodes: Iterable[Node], limit: int = 20) -> list[Node]:
    """The places where the grammar skipped or invented something."""
    out: list[Node] = []
    stack = list(reversed(list(nodes)))
    while stack and len(out) < limit:
        n = stack.pop()
        if n.is_error or n.is_missing:
            out.append(n)
        elif n.has_error:
            stack.extend(reversed(n.children))
    return out


def _what(n: Node) -> str:
    if n.is_missing:
        return f"expected '{n.type}'"
    return "syntax error"
