"""An edit is read without the protocol's classes, and means what they say."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types
from ratchet import held
from steps import steps
from together import together

from ompls.server.documents import Change, Document
from ompls.server.frames import frame
from ompls.server.messages import Edited
from ompls.server.params import edit
from ompls.server.protocol import Protocol, converter

CONVERTER = converter()


def params(*changes: Any, **document: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": "file:///a.c", "version": 2, **document}, "contentChanges": list(changes)}


def at(*places: Any, text: Any = "x") -> dict[str, Any]:
    start, end = [{"line": line, "character": column} for line, column in places]
    return {"range": {"start": start, "end": end}, "text": text}


def by_classes(given: Any) -> tuple[str, int, list[Change]]:
    read = CONVERTER.structure(given, types.DidChangeTextDocumentParams)
    changes = []
    for change in read.content_changes:
        ranged = isinstance(change, types.TextDocumentContentChangePartial)
        places = (change.range.start, change.range.end) if ranged else ()
        changes.append(Change(change.text, *[(place.line, place.character) for place in places]))
    return read.text_document.uri, read.text_document.version, changes


RIGHT = {
    "a key": params(at((1, 2), (1, 2))),
    "several, and the whole": params({"text": "all"}, at((1, 2), (3, 0), text=""), at((0, 0), (0, 0), text="é")),
    "nothing": params(),
    "numbers with a point": params(at((1.0, 2), (1, 4.0)), version=3.0),
    "the largest number": params(at((0, 0), (2**31 - 1, 2**31 - 1))),
    "a length that nobody needs": params({**at((1, 2), (1, 3)), "rangeLength": 1}),
}
WRONG = {
    "no parameters": None,
    "an array": [],
    "no document": {"contentChanges": []},
    "no version": params(version=None),
    "another URI": params(uri=5),
    "no changes": {"textDocument": {"uri": "a", "version": 1}},
    "changes that are none": {"textDocument": {"uri": "a", "version": 1}, "contentChanges": 5},
    "a text for changes": {"textDocument": {"uri": "a", "version": 1}, "contentChanges": "ab"},
    "a change that is none": params(7),
    "a change that is a text": params("text"),
    "another text": params({"text": 7}),
    "no text": params({}),
    "no range": params({"range": None, "text": ""}),
    "half a range": params({"range": {"start": {"line": 1, "character": 1}}, "text": ""}),
    "a negative line": params(at((-1, 0), (1, 0))),
    "a number that is too large": params(at((0, 0), (2**31, 0))),
    "a half": params(at((0.5, 0), (1, 0))),
    "no number": params(at((float("nan"), 0), (1, 0))),
    "without end": params(at((0, 0), (float("inf"), 0))),
    "a truth": params(at((True, 0), (1, 0))),
    "a number as text": params(at(("1", 0), (1, 0))),
}


@together("given", RIGHT)
def test_an_edit_means_what_the_classes_say(given: str) -> None:
    assert edit(RIGHT[given]) == by_classes(RIGHT[given])


@together("given", WRONG)
def test_what_the_classes_refuse_is_no_edit(given: str) -> None:
    with pytest.raises((LookupError, TypeError, ValueError, ArithmeticError)):
        edit(WRONG[given])
    with pytest.raises(Exception, match=r"."):  # one of many
        by_classes(WRONG[given])


def test_what_the_server_does_with_an_edit_takes_no_more_steps_than_it_did() -> None:
    document = Document("file:///a.c", "/a.c", 1, f"int x;{40 * ' '}\n" * 5000, "utf-16")
    sent: list[bytes] = []

    def change(uri: str, version: int, changes: list[Change]) -> None:
        document.apply(version, changes)
        sent.append(frame(Edited(version, version, tuple(changes))))

    server: Any = SimpleNamespace(name="", version="", did_change=change)
    protocol = Protocol(server, CONVERTER)
    protocol._workspace = server  # it was initialized
    message = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params(at((2500, 3), (2500, 4)))}
    body = json.dumps(message).encode()
    protocol.receive(body)
    assert document.lines
    counted = steps(lambda: protocol.receive(body)).total()
    assert sent[0] == sent[1]
    assert document.source.count(b"intx") == 1
    held("server-steps", {"edit": counted})
