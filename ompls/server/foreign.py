"""Open documents that are not C: nothing in them is checked, and one that uses OpenMP is told so, once.

By the flags that the project has for it and by the name (`project/language.py`), else by what the editor calls the
document.  Editors call each `.h` C++, or none: of a header that word counts only where the project around it is not C.
So they call each `.c` C, also where it is compiled as C++.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from ompls.analysis.noteids import IDS
from ompls.server.convert import path_of, range_of
from ompls.server.documents import Change, Document
from ompls.server.protocol import Written

if TYPE_CHECKING:
    from ompls.project.language import Languages
    from ompls.server.app import OmplsServer

# The languages of the protocol, and what clients call them besides.
_CALLED = {"cpp": "C++", "c++": "C++", "objective-cpp": "C++", "cuda": "CUDA C++", "cuda-cpp": "CUDA C++"}
_PRAGMA = re.compile(
    rb"^[ \t]*(?:\#[ \t]*pragma[ \t]+omp\b|[!c*]\$omp\b)[^\r\n]*"
    rb'|\b_Pragma[ \t]*\([ \t]*"[ \t]*omp\b|\[\[[ \t]*omp[ \t]*::',
    re.MULTILINE | re.IGNORECASE,
)


_Around = tuple[tuple[str, ...], tuple[str, ...]]  # roots and flags
_MOST = 16  # of them


def _of_workspace(roots: tuple[str, ...], flags: tuple[str, ...]) -> Languages:
    from ompls.project.language import Languages  # noqa: PLC0415 - `initialize` is answered without
    from ompls.project.sourceflags import SourceFlags  # noqa: PLC0415

    return Languages(SourceFlags(roots, flags))


class ForeignFeature:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._known: dict[_Around, Languages] = {}
        self._open: dict[str, tuple[Document, str]] = {}  # by URI: the document and its language
        self._published: dict[str, bytes] = {}

    def language(self, path: str, called: str) -> str:
        """The language of a document that is not C; "" of one that is, or that nobody knows to be something else."""
        name = _CALLED.get(called.lower(), "Fortran" if called.lower().startswith("fortran") else "")
        if called == "c" and not path.endswith(".c"):
            return ""
        if path.endswith(".h"):
            return name and self._languages(path).of_header(path)
        return self._languages(path).of_source(path) or ("" if path.endswith(".c") else name)

    def _languages(self, path: str) -> Languages:
        """Of the workspace with the settings that the file has now."""
        engine = self.server.engine
        around = engine.given.roots_for(path), engine.given.flags_for(path)
        if around not in self._known:
            if len(self._known) == _MOST:
                self._known.clear()
            self._known[around] = _of_workspace(*around)
        return self._known[around]

    def prepare(self) -> None:
        """Import what the first document needs: `initialize` does not wait for it."""
        _of_workspace((), ())

    def opened(self, document: Document, language: str) -> None:
        self._open[document.uri] = document, language
        self._publish(document)

    def changed(self, uri: str, version: int, changes: list[Change]) -> None:
        if uri in self._open:
            document, _ = self._open[uri]
            document.apply(version, changes)
            self._publish(document)

    def closed(self, uri: str) -> None:
        if self._open.pop(uri, None) is not None and self._published.pop(uri, b""):
            self.server.protocol.notify_raw("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})

    def configured(self) -> None:
        for document, _ in self._open.values():
            self._publish(document)

    def reason(self, uri: str) -> str:
        """Why nothing is known of a document; "" when it is none of these."""
        if uri not in self._open:
            return ""
        return f"{os.path.basename(path_of(uri))} is {self._open[uri][1]}; ompls understands C"

    def items(self, uri: str) -> bytes:
        """What is shown in the document: the JSON of its diagnostics."""
        document, _ = self._open.get(uri, (None, ""))
        found = _PRAGMA.search(document.source) if document is not None else None
        if document is None or found is None or not self._wanted(document.path):
            return b""
        start, end = (document.lines.position(at, document.encoding) for at in found.span())
        message = f"{self.reason(uri)}. Nothing was checked, so silence does not mean that it is correct"
        shown = {"range": range_of((*start, *end)), "severity": 3, "code": IDS["foreign"], "source": "ompls"}
        return json.dumps({**shown, "message": message}).encode()

    def _wanted(self, path: str) -> bool:
        wanted = self.server.engine.given.settings_for(path).diagnostics
        return wanted.enable and IDS["foreign"] not in wanted.ignore

    def _publish(self, document: Document) -> None:
        """To clients that do not pull, when there is something new."""
        if self.server.client.pulls:
            return
        uri, items = document.uri, self.items(document.uri)
        if self._published.get(uri, b"") != items:
            self._published[uri] = items
            head = f'{{"uri":{json.dumps(uri)},"version":{document.version},"diagnostics":['
            self.server.protocol.notify_written(
                "textDocument/publishDiagnostics", Written([head.encode(), items, b"]}"])
            )
