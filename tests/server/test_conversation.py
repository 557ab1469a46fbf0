"""The conversation itself: what is no request, what comes at the wrong time, what has wrong parameters.

Every request is answered, with the code that JSON-RPC 2.0 and the protocol have for it; every notification that cannot
be understood is logged and left; and the server works on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from thinned import thinned

from .test_process import Raw

PARSE, REQUEST, METHOD, PARAMS, EARLY = -32700, -32600, -32601, -32602, -32002
AT = {"line": 0, "character": 0}
OPEN = {"textDocument": {"uri": "file:///nowhere/a.c"}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    """One for all: it must be well after each, and nothing may have surprised it."""
    raw = Raw()
    raw.initialize()
    yield raw
    raw.send({"id": "end", "method": "shutdown"})
    assert raw.receive() == {"jsonrpc": "2.0", "id": "end", "result": None}
    raw.send({"method": "exit"})
    assert raw.process.stderr is not None
    log = raw.process.stderr.read().decode()
    assert raw.ends() == 0
    assert "Traceback" not in log


def answer(raw: Raw, message: Any) -> dict[str, Any]:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    raw.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    return raw.receive()


def is_well(raw: Raw) -> None:
    raw.send({"id": "well?", "method": "ompls/serverStatus"})
    assert raw.receive()["id"] == "well?", "and nothing else was answered"


def hover(**changed: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {**OPEN, "position": AT}, **changed}


@pytest.mark.parametrize(
    ("message", "code", "number"),
    [
        (b"{not json", PARSE, None),
        (b"\xff\xfe", PARSE, None),
        (b"[" * 100_000, PARSE, None),
        ([hover(), hover(id=2)], REQUEST, None),
        ([], REQUEST, None),
        (7, REQUEST, None),
        (None, REQUEST, None),
        ({"jsonrpc": "2.0"}, REQUEST, None),
        ({"jsonrpc": "2.0", "id": 3}, REQUEST, 3),
        ({"id": 4, "method": "textDocument/hover", "params": {}}, REQUEST, 4),
        (hover(jsonrpc="1.0"), REQUEST, 1),
        (hover(jsonrpc=2.0), REQUEST, 1),
        (hover(method=5), REQUEST, 1),
        (hover(id=None), REQUEST, None),
        (hover(id=[1]), REQUEST, None),
        (hover(id={"a": 1}), REQUEST, None),
        (hover(id=True), REQUEST, None),
        (hover(method="textDocument/nonsense"), METHOD, 1),
        (hover(method="$/nonsense"), METHOD, 1),
        (hover(method=""), METHOD, 1),
        (hover(method="initialize", params={"capabilities": {}}), REQUEST, 1),
        (hover(params={"jsonrpc": "2.0", "id": 9, "method": "exit"}), PARAMS, 1),
    ],
)
def test_what_is_no_request_of_ours(server: Raw, message: Any, code: int, number: Any) -> None:
    got = answer(server, message)
    assert (got["jsonrpc"], got["id"], got["error"]["code"]) == ("2.0", number, code)
    is_plain(got["error"])
    is_well(server)


def is_plain(error: dict[str, Any]) -> None:
    """A sentence for people: no Python."""
    assert error["message"]
    for word in ("Traceback", "NoneType", "Error:", "object has no", "positional", "' object", "_", "(", "class"):
        assert word not in error["message"], error["message"]
    assert not error.get("data")


WRONG = {
    "textDocument/hover": [
        None, 5, "x", [], {}, {"textDocument": 3}, {"textDocument": {"uri": 3}, "position": AT},
        {**OPEN, "position": [0, 0]}, {**OPEN, "position": {"line": "0", "character": 0}},
        {**OPEN, "position": {"line": -1, "character": 0}}, {**OPEN, "position": {"line": 0.5, "character": 0}},
        {**OPEN, "position": {"line": True, "character": 0}}, {"textDocument": {"uri": None}, "position": AT},
    ],
    "textDocument/codeAction": [{**OPEN, "range": {"start": AT, "end": AT}}, {**OPEN, "range": AT, "context": {}}],
    "textDocument/diagnostic": [{}, {**OPEN, "previousResultId": 7}],
    "textDocument/rename": [{**OPEN, "position": AT, "newName": 5}],
    "workspace/textDocumentContent": [{}, {"uri": {}}],
    "workspace/diagnostic": [{}, {"previousResultIds": [{"uri": 1}]}],
    "workspace/executeCommand": [
        None, {"command": 7}, {"command": "ompls.nonsense"}, {"command": "ompls.preview"},
        {"command": "ompls.preview", "arguments": 5}, {"command": "ompls.preview", "arguments": []},
        {"command": "ompls.preview", "arguments": [5]}, {"command": "ompls.preview", "arguments": [{}]},
        {"command": "ompls.run", "arguments": [{"uri": 1}]}, {"command": "ompls.run", "arguments": [{}, {}]},
        {"command": "ompls.whyNoAnswer", "arguments": [{"uri": "a", "position": 1}]},
    ],
    "ompls/preview": [
        None, [], {}, {"textDocument": []}, {"textDocument": {}}, {"textDocument": {"uri": []}},
        {**OPEN, "region": 5}, {**OPEN, "position": {"line": "x", "character": 0}}, {**OPEN, "explain": "yes"},
        {**OPEN, "device": ["cuda"]},
    ],
    "ompls/run": [
        None, [], {"textDocument": "x"}, {**OPEN, "arguments": "x"}, {**OPEN, "arguments": [5]}, {**OPEN, "run": 1},
        {**OPEN, "device": 1},
    ],
    "ompls/whyNoAnswer": [None, {}, {"textDocument": None}, {**OPEN, "position": 5}],
}  # fmt: skip


@pytest.mark.parametrize(("method", "params"), [(m, p) for m, several in WRONG.items() for p in several])
def test_wrong_parameters(server: Raw, method: str, params: Any) -> None:
    error = answer(server, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})["error"]
    assert error["code"] == PARAMS
    is_plain(error)
    is_well(server)


def test_wrong_parameters_are_named(server: Raw) -> None:
    wrong = {**OPEN, "position": {"line": 0}, "textDocument": {"uri": 3}}
    error = answer(server, hover(params=wrong))["error"]
    assert error["message"] == (
        "textDocument/hover: params.textDocument.uri: expected a string; params.position.character is missing"
    )
    error = answer(server, hover(method="ompls/run", params={**OPEN, "arguments": ["a", 5]}))["error"]
    assert error["message"] == "params.arguments[1]: expected a string"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didOpen", None), ("textDocument/didOpen", {}), ("textDocument/didOpen", OPEN),
        ("textDocument/didChange", {**OPEN, "contentChanges": 5}), ("textDocument/didClose", []),
        ("textDocument/didChange", {"textDocument": {"uri": "a", "version": 1}, "contentChanges": [{"text": 7}]}),
        ("textDocument/didSave", {"textDocument": 5}), ("workspace/didChangeWatchedFiles", {"changes": [{"uri": 5}]}),
        ("workspace/didChangeWorkspaceFolders", {}), ("workspace/didChangeConfiguration", 5),
        ("workspace/didChangeConfiguration", {"settings": [1]}), ("$/cancelRequest", {}), ("$/cancelRequest", None),
        ("$/cancelRequest", {"id": [1]}), ("$/cancelRequest", {"id": []}), ("$/cancelRequest", {"id": None}),
        ("$/setTrace", {"value": 5}), ("$/nonsense", {}), ("nonsense", 3),
        ("window/workDoneProgress/cancel", {"token": {}}), ("window/workDoneProgress/cancel", {"token": 1.5}),
        ("textDocument/hover", {}),
    ],
)  # fmt: skip
def test_wrong_notifications_are_left(server: Raw, method: str, params: Any) -> None:
    server.send({"method": method, "params": params})
    is_well(server)


@pytest.mark.parametrize(
    "answer_",
    [
        {"id": "nobody asked", "result": 5}, {"id": 17, "error": {"code": 1, "message": "x"}}, {"id": 17, "error": 5},
        {"id": [], "result": None}, {"id": None, "error": None}, {"result": 5, "id": "well?"},
    ],
)  # fmt: skip
def test_answers_that_nobody_waits_for(server: Raw, answer_: dict[str, Any]) -> None:
    server.send(answer_)
    is_well(server)


def test_answers_with_the_number_of_a_request_that_runs(server: Raw) -> None:
    wide = {"jsonrpc": "2.0", "method": "workspace/diagnostic", "params": {"previousResultIds": []}}
    assert answer(server, {**wide, "id": "first"})["id"] == "first"
    server.send({**wide, "id": "held"})  # until there is news
    server.send({"id": "held", "error": 5})
    server.send({"id": "held", "result": None})
    is_well(server)


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: %d\r\n\r\n", b"Content-Length:%d\r\n\r\n", b"Content-Length: %d\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: nonsense\r\n\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: -5\r\n\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: 99999999999999999999\r\n\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: 0\r\n\r\nContent-Length: %d\r\n\r\n",
        b"\r\n\r\nhello?\r\nContent-Length: %d\r\n\r\n",
        b"x" * 200_000 + b"\r\nContent-Length: %d\r\n\r\n",
    ],
)  # fmt: skip
def test_headers(server: Raw, header: bytes) -> None:
    body = json.dumps(hover(id="h")).encode()
    server.send(header % len(body) + body)
    assert server.receive() == {"jsonrpc": "2.0", "id": "h", "result": None}
    is_well(server)


def test_a_wrong_length_costs_its_message_only(server: Raw) -> None:
    body = json.dumps(hover(id="h")).encode()
    server.send(b"Content-Length: %d\r\n\r\n" % (len(body) - 3) + body)
    assert server.receive()["error"]["code"] == PARSE
    is_well(server)


def test_the_order_of_things() -> None:
    raw = Raw()
    raw.send(hover())
    assert raw.receive()["error"]["code"] == EARLY
    raw.send({"method": "textDocument/didOpen", "params": {}})
    raw.initialize()
    raw.send({"id": 2, "method": "shutdown"})
    assert raw.receive()["id"] == 2
    late = ("textDocument/hover", "shutdown", "initialize", "ompls/serverStatus", "nonsense")
    for number, method in enumerate(late, 3):
        raw.send({"id": number, "method": method, "params": {}})
        answered = raw.receive()
        assert (answered["id"], answered["error"]["code"]) == (number, REQUEST)
        is_plain(answered["error"])
    raw.send({"method": "textDocument/didOpen", "params": {}})
    raw.send({"method": "exit"})
    assert raw.ends() == 0


@pytest.mark.parametrize(
    ("params", "polite", "code"),
    thinned([(params, *end) for params in (None, {}, [], 5) for end in ((True, 0), (False, 1))], 8, of_rest=3),
)
def test_exit_takes_anything(params: Any, polite: bool, code: int) -> None:
    raw = Raw()
    raw.initialize()
    if polite:
        raw.send({"id": 2, "method": "shutdown"})
        assert raw.receive()["id"] == 2
    raw.send({"method": "exit", "params": params})
    assert raw.ends() == code
