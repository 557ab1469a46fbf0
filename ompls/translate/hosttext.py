"""The host file as text: the user's own with includes of what is generated.

What is generated for a directive is a file of its own beside the host file, included where the directive was.  It is a
system header, so no warning of the user's is about it (`#pragma GCC system_header` is for included files only, and gcc
looks through macros of such headers).  What stays of the user's text keeps its line and column.
"""

from __future__ import annotations

import os.path
import re
from functools import cached_property

from ompls.analysis.encoding import decoded
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.analysis.syntax.quoted import line_directive
from ompls.translate.clauses import Fallback
from ompls.translate.ctext import words
from ompls.translate.original import Edits, blanks
from ompls.translate.output import Places
from ompls.translate.rewrite import without_comments

_ODD = re.compile(r"[^\w.+-]|[\ud800-\udfff]", re.A)  # an include's operand knows no escapes
_SYSTEM = " #pragma GCC system_header\n"  # indented as -Wtraditional wants it
_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)(["<][^">\n]+[">])', re.M)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\[ \t\r]*\n|[^\n])*)", re.M)


class HostText:
    """The files of one unit, `host/NAME.c` and what it includes."""

    def __init__(self, name: str, tu: TU, places: Places) -> None:
        self.name, self.tu, self.places = name, tu, places
        self.edits = Edits(tu, places.presumed)
        self.copies = self._headers()
        self._generated: dict[str, str] = {}

    def files(self, prologue: str, epilogue: str) -> dict[str, str]:
        """All of them, by path in the bundle."""
        main = self._path(self.tu.path)
        before = self._include(self.tu.path, "ompls", prologue)
        after = self._include(self.tu.path, "ompls_end", epilogue)
        out = {path: _SYSTEM + text for path, text in self._generated.items()}
        for path, text in self.edits.apply(self.places.texts).items():
            if path == self.tu.path or path in self.copies:
                bare = text.removeprefix("\ufeff")  # gcc takes a byte order mark at the very beginning only
                out[self._path(path)] = line_directive(1, path) + self._to_copies(bare, path)
        out[main] = f"{before}{out[main]}\n{after}"
        return out

    def put(
        self, place: Item | FileDirective, d: Directive, name: str, made: str, pragma: Fallback | None = None
    ) -> None:
        """Let what is `made`, and the pragma, stand for the directive."""
        start, end = place.start + d.span.start, place.start + d.span.end
        path, first = self.places.line(place, d.span.start)
        lines = self.places.line(place, d.span.end - 1)[1] - first
        before, _ = self.places.split(*self.edits.start(start))
        shown, number = self.places.presumed(path, first)
        tests = "".join(f"#ifdef {macro}\n#endif\n" for macro in self._macros(start, end))
        include = self._include(path, name, f"{tests}{line_directive(number, shown)}{made}\n")
        include = f"\n{include}" if before else include
        if pragma is not None and self._is_written(place, d):
            self.edits.replace(start, start + 1, f"{include}{line_directive(number, shown)}{blanks(before)}#")
            self._adapt(place, pragma)
        else:
            margin = blanks(before) or " "
            text = margin + pragma.line(self.tu, place.start) if pragma is not None else ""
            self.edits.replace(start, end, include + line_directive(number + lines, shown) + text)

    def close(self, x: int, text: str) -> None:
        """Put `text` behind a statement; what follows on its line keeps its place."""
        path, at = self.edits.end(x)
        before, after = self.places.split(path, at)
        if self.edits.is_written(x) and without_comments(after).strip():
            shown, number = self.places.presumed(path, self.places.line_of(path, at))
            text += f"\n{line_directive(number, shown)}{blanks(before)}"
        self.edits.insert_after(x, text)

    def _is_written(self, place: Item | FileDirective, d: Directive) -> bool:
        """Whether the directive is a `#pragma` of the user's whose clauses are not parts of macros."""
        start = place.start + d.span.start
        spans = [d.name_span, *(c.span for c in d.clauses)]
        borders = [place.start + x for span in spans for x in (span.start, span.end)]
        verbatim = self.tu.map.at(start).kind == "verbatim" and self.tu.expanded[start : start + 1] == b"#"
        return verbatim and all(map(self.edits.is_written, borders))

    def _adapt(self, place: Item | FileDirective, pragma: Fallback) -> None:
        """Make the user's pragma the other one: what stays is where it was, what is new comes behind it."""
        d = pragma.directive
        start, at = place.start + d.name_span.start, place.start + d.name_span.end
        same = decoded(self.tu.expanded[start:at]) == d.name
        if same and len(pragma.kept) == len(d.clauses) and not pragma.added:
            return
        if not same:
            self.edits.replace(start, at, d.name)
        for c in pragma.kept:
            self.edits.blank(at, place.start + c.span.start)
            at = place.start + c.span.end
        last = max([at, *(place.start + c.span.end for c in d.clauses)])
        self.edits.blank(at, last)
        self.edits.insert_after(last, "".join(f" {clause}" for clause in pragma.added))

    # --- macros and headers

    def _macros(self, x: int, end: int) -> list[str]:
        """The user's macros that made parts of [x, end): when these are written out, a test is their only use."""
        found: set[str] = set()
        todo: set[str] = set()
        while x < end:
            segment = self.tu.map.at(x)
            if segment.kind == "expansion":
                todo |= words(decoded(self.places.texts.get(segment.path, b"")[segment.start : segment.end]))
            x = max(segment.x_end, x + 1)
        while todo:
            name = todo.pop()
            if name in self._definitions and name not in found:
                found.add(name)
                todo |= self._definitions[name]
        return sorted(found)

    @cached_property
    def _definitions(self) -> dict[str, frozenset[str]]:
        """The user's macros and the words of what they stand for."""
        defined = (m for text in self.places.texts.values() for m in _DEFINE.finditer(decoded(text)))
        return {m[1]: words(m[2]) for m in defined}

    def _path(self, path: str) -> str:
        """Where one of the user's files is in the bundle."""
        return self.copies.get(path, f"host/{self.name}.c")

    def _include(self, path: str, name: str, text: str) -> str:
        """An `#include` in the user's file `path` of a new file with the generated `text`."""
        file = f"host/{self.name}.inc/{name}.h"
        self._generated[file] = text
        return f'#include "{file.removeprefix(os.path.dirname(self._path(path)) + "/")}"\n'

    def _headers(self) -> dict[str, str]:
        """The user's headers and where their copies are in the bundle."""
        used = {run.path for run in self.tu.map.runs}
        paths = sorted({path for path, _ in self.tu.headers.values()} | (used - {self.tu.path}))
        return {
            p: f"host/{self.name}.inc/{k}_{_ODD.sub('_', os.path.basename(p))}"
            for k, p in enumerate(paths)
            if p in self.places.texts and p != self.tu.path
        }

    def _to_copies(self, text: str, path: str) -> str:
        """`#include`s of project headers lead to their copies in the bundle."""
        here = os.path.dirname(self._path(path))

        def to_copy(m: re.Match[str]) -> str:
            operand = m.group(2)
            found = self.tu.headers.get(operand) or self.tu.headers.get(operand[1:-1])
            if found is None or found[0] not in self.copies:
                near = os.path.normpath(os.path.join(os.path.dirname(path), operand[1:-1]))
                found = (near, b"") if near in self.copies else None
            if found is None:
                return m.group()
            return f'{m.group(1)}"{os.path.relpath(self.copies[found[0]], here)}"'

        return _INCLUDE.sub(to_copy, text)
