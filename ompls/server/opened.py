"""An open document as its worker knows it: its text, its settings, its last result; where things are for the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, Location
from ompls.analysis.text import LineIndex
from ompls.project.workspace import Workspace
from ompls.server.convert import Places, manual_uri, uri_of
from ompls.server.documents import Document
from ompls.server.messages import Context, Open, Overlay
from ompls.server.senttokens import SentTokens
from ompls.server.settings import Settings
from ompls.server.virtual import Target
from ompls.traces.measured import Measured


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of one state of the document.  `diagnostics` are None as long as the rules have not spoken."""

    stamp: int
    version: int
    tu: TU
    lines: LineIndex  # of tu.source
    diagnostics: list[Diagnostic] | None
    seconds: float
    complete: bool = True  # False: there was not enough time for all of it

    @property
    def found(self) -> list[Diagnostic]:
        return self.diagnostics or []


class Kernel(NamedTuple):
    """A preview's text, and its lines with the source's (both from 1)."""

    text: str
    line_map: tuple[tuple[int, int], ...]


class NotYet(Exception):
    """Raised by who makes an answer: it needs what the rules will have found."""


class Opened:
    def __init__(self, opened: Open) -> None:
        self.document = Document(opened.uri, opened.path, opened.version, opened.source, opened.encoding)
        self.stamp = opened.stamp
        self.settings: Settings = opened.settings
        self.meant = opened.settings.for_analysis()
        self.context: Context = opened.context
        self.analyzer = Analyzer()
        self.snapshot: HeaderSnapshot | None = None
        self.reading = False  # the headers, at the moment
        self.sent = SentTokens()
        self.kernels: dict[Target, Kernel] = {}  # the last that were made, by what they show
        self.measured: tuple[int, Measured] | None = None  # by a run of the text of this version
        self._uris: dict[str, str] = {opened.path: opened.uri}  # the client's own spelling for what it has open
        self._overlays: dict[str, bytes] = {}
        self.workspace = Workspace(opened.context.roots, opened.context.flags)

    @property
    def headers(self) -> HeaderSnapshot:
        return self.snapshot or EMPTY_SNAPSHOT

    @property
    def text(self) -> bytes:
        """What is analysed of the document."""
        return b"" if self.too_large else self.document.source

    @property
    def too_large(self) -> bool:
        return self.document.size > self.settings.diagnostics.max_file_size

    def configure(self, context: Context, settings: Settings) -> None:
        if (context.roots, context.flags) != (self.context.roots, self.context.flags):
            self.workspace = Workspace(context.roots, context.flags)
            for path, text in self._overlays.items():
                self.workspace.open(path, text)
        self.context, self.settings = context, settings
        self.look_for_devices()

    def look_for_devices(self) -> None:
        """What the settings mean for the analysis; devices are files, and nobody looks at these at each key."""
        self.meant = self.settings.for_analysis()

    def overlay(self, given: Overlay) -> None:
        """Another document is open in the editor, has changed there or is closed."""
        if given.text is None:
            self._uris.pop(given.path, None)
            self._overlays.pop(given.path, None)
            self.workspace.close(given.path)
        else:
            self._uris[given.path], self._overlays[given.path] = given.uri, given.text
            self.workspace.open(given.path, given.text)

    # --- where things are for the client -------------------------------------------------------------------------

    def uri(self, path: str) -> str:
        return self._uris.get(path) or uri_of(path)

    def places(self, result: Result) -> Places:
        return Places(result.tu.path, result.lines, self.context.client.encoding, self.uri, self.workspace.read)

    def offset(self, result: Result, position: Any) -> int:
        """The byte of a position of the protocol's."""
        return result.lines.offset(position.line, position.character, self.context.client.encoding)

    def manual_uri(self, rule: str) -> str | None:
        return manual_uri(rule, self.context.client.virtual_documents)


def included_at(result: Result, path: str) -> Location:
    """The main file's `#include` that brought the header in (else the file's start)."""
    for run in result.tu.map.runs:
        if run.path == path and run.included_at is not None:
            return run.included_at
    return Location(result.tu.path, 0, 0)
