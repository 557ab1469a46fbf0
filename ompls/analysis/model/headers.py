"""The declarations of system headers, read when a name is asked for.

A header's text is parsed once per process and indexed by the names that its declarations may declare; a declaration is
read the first time that one of its names is looked up.  A unit that uses 20 names of <stdio.h> and <math.h> reads 20
declarations (and what they need), not 2,000.
"""

from __future__ import annotations

import bisect
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from tree_sitter import Node

from ompls.analysis.encoding import encoded
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.builtins import builtin_symbols
from ompls.analysis.model.ctype import CType, Integer
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.sema import Sema
from ompls.analysis.patterns import later
from ompls.analysis.syntax.adapter import Adapter
from ompls.analysis.syntax.binding import is_omp
from ompls.analysis.syntax.pragma import parse_directive
from ompls.analysis.syntax.tree import parse_once

# What may declare a name: it is followed by one of these.  Parameters and members match too; that costs a look only.
_NAME = later(rb"([A-Za-z_]\w*)\s*(?:[(;,\[=}]|\)\s*\()")
_TAG = later(rb"\b(?:struct|union|enum)\s+([A-Za-z_]\w*)\s*(\{)?")
# The names of <stdint.h> (and of what it includes) that have one size on every machine.
_EXACT = later(r"(?:__)?u?int(?:_least)?(?:8|16|32|64)_t|(?:__)?u?intmax_t|u_int(?:8|16|32|64)_t")
_PRAGMA = later(rb"^[ \t]*#(?:\\\r?\n|[^\n])*", re.M)


class _HeaderFile(FileScope):
    """The file scope of the headers: nothing depends on how it came about, so nothing is written down."""

    __slots__ = ("targets",)

    def __init__(self, outer: Headers) -> None:
        super().__init__(outer, outer.model)
        self.targets: set[str] = set()

    def lookup(self, name: str) -> Symbol | None:
        return self.peek(name)

    def lookup_tag(self, tag: str) -> CType | None:
        return self.peek_tag(tag)

    def intern(self, s: Symbol) -> Symbol:
        s.from_system_header, s.span = True, None
        if s.kind == "typedef" and isinstance(s.type, Integer) and _EXACT.fullmatch(s.name):
            s.type = replace(s.type, exact=True)
        if s.name in self.targets or self.declare_target:
            s.declare_target = "enter"
        key = (
            s.name, s.kind, s.type, s.storage, s.level, s.value, s.defined, s.inline, s.thread_local, s.declare_target,
        )  # fmt: skip
        return s if s.init is not None else _symbols.setdefault(key, s)


# Declarations of all headers that were read: one that says the same is the same symbol, whatever else is included, so
# that another `#include` does not make what uses it new.
_symbols: dict[object, Symbol] = {}


class _Text:
    """One header's text, parsed and indexed; shared by all units of the process whatever else they include.

    names -- for each name the numbers of the chunks that may declare it
    tags, mentioned -- those that define a tag, and those that name it only
    targets, covered -- what `declare target` lists, and the ranges between its `begin` and `end`
    """

    def __init__(self, declarations: str) -> None:
        self.source = text = encoded(declarations)
        self.targets: set[str] = set()
        self.covered: list[tuple[int, int]] = []
        blanked = _PRAGMA.sub(lambda m: b" " * (m.end() - m.start()), text) if b"#" in text else text
        if blanked is not text:
            self._pragmas(text)
        self.chunks: list[Node] = [n for n in parse_once(blanked).children if n.type != "comment"]
        self.names: dict[str, list[int]] = {}
        self.tags: dict[str, list[int]] = {}
        self.mentioned: dict[str, int] = {}
        self._index(blanked, [n.start_byte for n in self.chunks])

    def _pragmas(self, text: bytes) -> None:
        """Notes what `declare target` covers."""
        opened: list[int] = []
        for m in _PRAGMA.finditer(text):
            if not is_omp(m.group()):
                continue
            d = parse_directive(m.group())
            if d.name in ("declare target", "begin declare target"):
                listed = [
                    *d.args,
                    *(i for c in d.clauses if c.name in ("to", "enter", "link", "local") for i in c.items),
                ]
                self.targets.update(i.text for i in listed)
                if not listed:
                    opened.append(m.end())
            elif d.name == "end declare target" and opened:
                self.covered.append((opened.pop(), m.start()))

    def covers(self, chunk: Node) -> bool:
        """Whether it is between `begin declare target` and its end."""
        return any(a <= chunk.start_byte < b for a, b in self.covered)

    def _index(self, text: bytes, starts: list[int]) -> None:
        for m in _NAME.finditer(text):
            at = bisect.bisect_right(starts, m.start()) - 1
            if at >= 0:
                chunks = self.names.setdefault(m.group(1).decode(), [])
                if not chunks or chunks[-1] != at:
                    chunks.append(at)
        for m in _TAG.finditer(text):
            at = bisect.bisect_right(starts, m.start()) - 1
            if at >= 0 and m.group(2):
                self.tags.setdefault(m.group(1).decode(), []).append(at)
            elif at >= 0:
                self.mentioned.setdefault(m.group(1).decode(), at)


class Headers:
    """The file-scope names and tags that the texts of a unit's system headers declare."""

    def __init__(self, texts: Sequence[str], model: DataModel) -> None:
        self.model = model
        self._builtin = builtin_symbols(model)
        self._lock = threading.RLock()
        self._file = _HeaderFile(self)
        self._texts = [_text_of(text) for text in texts]
        self._file.targets.update(*(t.targets for t in self._texts))
        self._asked: set[str] = set()  # names, and tags behind a blank
        self._read: set[tuple[int, int]] = set()  # chunks, by the text's number and their own

    def name(self, name: str) -> Symbol | None:
        """The symbol that the headers (or the compiler itself) declare under `name`."""
        if name not in self._asked:
            self._load(name, [(n, chunk) for n, text in enumerate(self._texts) for chunk in text.names.get(name, ())])
        return self._file.names.get(name) or self._builtin.get(name)

    def tag(self, tag: str) -> CType | None:
        """The struct, union or enum type that the headers declare under `tag`."""
        asked, texts = f" {tag}", list(enumerate(self._texts))
        if asked not in self._asked:
            found = [(n, chunk) for n, text in texts for chunk in text.tags.get(tag, ())]
            self._load(asked, found or [(n, text.mentioned[tag]) for n, text in texts if tag in text.mentioned])
        return self._file.tags.get(tag)

    def all_names(self) -> Iterator[str]:
        """Every name the headers declare; reads all of them."""
        self._load("", [(n, chunk) for n, text in enumerate(self._texts) for chunk in range(len(text.chunks))])
        yield from list(self._file.names.joined())

    def maybe_on_device(self) -> list[str]:
        """The names that the headers' `declare target` lists or encloses, and perhaps others."""
        found = set(self._file.targets)
        for text in self._texts:
            covered = {n for n, chunk in enumerate(text.chunks) if text.covers(chunk)} if text.covered else set()
            found.update(name for name, chunks in text.names.items() if not covered.isdisjoint(chunks))
        return sorted(found)

    def tags(self) -> dict[str, CType]:
        """The tags that were asked for so far."""
        return self._file.tags

    def _load(self, asked: str, found: list[tuple[int, int]]) -> None:
        """Read these chunks, for who `asked`."""
        if not found:
            return
        with self._lock:
            self._asked.add(asked)  # first: reading them may ask for it again
            for number, chunk in found:
                if (number, chunk) not in self._read:
                    self._read.add((number, chunk))
                    self._read_chunk(self._texts[number], chunk)

    def _read_chunk(self, text: _Text, chunk: int) -> None:
        node = text.chunks[chunk]
        saved = self._file.declare_target
        self._file.declare_target = int(text.covers(node))
        reader = Adapter(text.source, node.start_byte, self._file, Sema(self._file))
        reader.bodies = False
        reader.external(node)
        self._file.declare_target = saved


_text_of = lru_cache(256)(_Text)
_cache: OrderedDict[tuple[DataModel, tuple[str, ...]], Headers] = OrderedDict()
_cache_lock = threading.Lock()


def headers_of(texts: Sequence[str], model: DataModel) -> Headers:
    """The declarations of these texts, one after another, shared by all units of the process that include the same and
    have the same data model."""
    key = (model, tuple(texts))
    with _cache_lock:
        found = _cache.get(key)
        if found is None:
            found = _cache[key] = Headers(key[1], model)
            if len(_cache) > 32:
                _cache.popitem(last=False)
        _cache.move_to_end(key)
        return found
