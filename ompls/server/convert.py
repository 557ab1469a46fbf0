"""From our values to the protocol's JSON: URIs, positions, ranges, diagnostics, edits.

The protocol's columns count in the encoding that was negotiated; ours are bytes.  `analysis/text.py` converts; this
module chooses the text to convert in: the analysed state of an open document, else the file.
Results are plain dictionaries, ready to be sent.
"""

from __future__ import annotations

import hashlib
import json
import os
import urllib.parse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import ompls
from ompls.analysis.diagnostic import Diagnostic, Edit
from ompls.analysis.encoding import well_formed
from ompls.analysis.noteids import IDS
from ompls.analysis.source import Location
from ompls.analysis.text import Encoding, LineIndex
from ompls.project.problem import FileProblem

Json = dict[str, Any]

MANUAL_SCHEME = "ompls-rule"
_SEVERITY = {"error": 1, "warning": 2, "hint": 4}


def parts_of(uri: str) -> urllib.parse.SplitResult:
    """All of them are empty where it is no URI."""
    try:
        return urllib.parse.urlsplit(uri)
    except ValueError:  # brackets with no address of a machine between them
        return urllib.parse.SplitResult("", "", "", "", "")


def path_of(uri: str) -> str:
    """The path that a document's URI stands for; what is no file, or has the NUL that no file's name has, is its own
    (made-up) path, which the system takes."""
    parts = parts_of(uri)
    path = urllib.parse.unquote(parts.path)
    if parts.scheme != "file" or "\0" in path + parts.netloc:
        return uri.replace("\0", "%00")
    return os.path.normpath(f"//{parts.netloc}{path}" if parts.netloc not in ("", "localhost") else path)


def uri_of(path: str) -> str:
    """The URI of a path (of `path_of`'s making, or of a file)."""
    return Path(path).as_uri() if os.path.isabs(path) else path


def manual_uri(rule: str, virtual: bool) -> str | None:
    """Where the rule's manual page can be read: a document of ours where the client shows `virtual` ones, else the
    site's page."""
    if virtual:
        return f"{MANUAL_SCHEME}:/{rule}.md"
    return f"{ompls.SITE}rules/{rule}/" if ompls.SITE else None


def json_of(value: Any) -> bytes:
    """`value` as JSON that every client reads: a byte of the user's text that is no UTF-8 is U+FFFD."""
    return well_formed(json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode()


def range_of(span: tuple[int, int, int, int]) -> Json:
    line, column, end_line, end_column = span
    return {"start": {"line": line, "character": column}, "end": {"line": end_line, "character": end_column}}


def incomplete(why: str) -> Json:
    """An analysis that did not come to its end, as a hint at the first line."""
    return {"range": range_of((0, 0, 1, 0)), "severity": 4, "code": IDS["budget"], "source": "ompls", "message": why}


def digest(items: Iterable[bytes]) -> str:
    """A resultId: the same for the same items, in this server or another one."""
    made = hashlib.sha1(usedforsecurity=False)
    for item in items:
        made.update(b"%d:" % len(item) + item)
    return made.hexdigest()[:16]


class Places:
    """Locations to URIs and ranges, for one analysis.

    main, lines -- path and LineIndex of the analysed text
    uri_of      -- path -> URI (the client's own spelling for what it has open)
    read        -- path -> bytes of any other file; a problem with it (FileProblem) shows as the file's first line
    """

    def __init__(
        self,
        main: str,
        lines: LineIndex,
        encoding: Encoding,
        uri_of: Callable[[str], str],
        read: Callable[[str], bytes],
    ) -> None:
        self._indexes: dict[str, LineIndex] = {main: lines}
        self._encoding: Encoding = encoding
        self._uri_of = uri_of
        self._read = read

    def span(self, where: Location) -> tuple[int, int, int, int]:
        """Line and column of its start and of its end."""
        index = self._index(where.path)
        line, column = index.position(where.start, self._encoding)
        inside = index.data[where.start : where.end]
        if inside.isascii() and b"\n" not in inside and b"\r" not in inside:
            return line, column, line, column + len(inside)
        return line, column, *index.position(where.end, self._encoding)

    def range(self, where: Location) -> Json:
        return range_of(self.span(where))

    def location(self, where: Location) -> Json:
        return {"uri": self._uri_of(where.path), "range": self.range(where)}

    def text_edit(self, edit: Edit) -> Json:
        return {"range": self.range(edit.where), "newText": edit.text}

    def diagnostic(self, diagnostic: Diagnostic, where: Location, manual: str | None) -> Json:
        """`where` is where to show it (not always where it is: see `diagnostics.py`)."""
        result: Json = {
            "range": self.range(where),
            "severity": _SEVERITY[diagnostic.severity],
            "code": diagnostic.rule,
            "source": "ompls",
            "message": diagnostic.message,
        }
        if manual is not None:
            result["codeDescription"] = {"href": manual}
        related = [{"location": self.location(r.where), "message": r.message} for r in diagnostic.related]
        if where != diagnostic.where:
            related.insert(0, {"location": self.location(diagnostic.where), "message": "here"})
        if related:
            result["relatedInformation"] = related
        return result

    def _index(self, path: str) -> LineIndex:
        index = self._indexes.get(path)
        if index is None:
            try:
                data = self._read(path)
            except FileProblem:
                data = b""
            index = self._indexes[path] = LineIndex(data)
        return index
