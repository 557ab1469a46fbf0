"""pygls' protocol with four differences.

* Document texts go to our own buffers (`documents.py`); pygls' would split lines at form feeds and copy the whole file.
* `initialize` announces what depends on the client (pull diagnostics, commands, `experimental.ompls`).
* A result that is already plain JSON (`Raw`) is sent as it is: converting 500 diagnostics from classes costs 30 ms.
* Errors reach the log, not the user's screen.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import converters, types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

log = logging.getLogger("ompls.server")

_PIECE = 1 << 18  # bytes; what is written at once of a long message


@dataclass(frozen=True, slots=True)
class Raw:
    """A result that is JSON already: dictionaries, lists, texts, numbers."""

    value: Any


def converter() -> Any:
    """lsprotocol's converter; what it has no class for (our own methods, LSPAny) stays dictionaries and lists."""
    made = converters.get_converter()

    def plain(message: dict[str, Any], kind: type[Any]) -> Any:
        names = kind.__annotations__
        return kind(**{name: message.get(name) for name in names})

    for kind in (JsonRPCRequestMessage, JsonRPCResponseMessage, JsonRPCNotification):
        made.register_structure_hook(kind, plain)
    return made


@dataclass(frozen=True, slots=True)
class Written:
    """A result that is the text of JSON already, in parts: one of megabytes is never in memory as a whole."""

    parts: list[bytes]


class Protocol(LanguageServerProtocol):
    _server: OmplsServer

    def __init__(self, server: OmplsServer, converter: Any) -> None:
        super().__init__(server, converter)
        self._writing = threading.Lock()

    # --- sending -------------------------------------------------------------------------------------------------

    def _send_data(self, data: Any) -> None:
        self._send_text([json.dumps(data, default=self._serialize_message, separators=(",", ":")).encode()])

    def _send_text(self, parts: list[bytes]) -> None:
        try:
            with self._writing:
                if self.writer is None:
                    log.error("nothing to send to: %.200s", parts[0])
                    return
                for piece in _pieces([b"Content-Length: %d\r\n\r\n" % sum(map(len, parts)), *parts]):
                    self.writer.write(piece)
        except (BrokenPipeError, ConnectionError, ValueError) as problem:  # ValueError: the stream is closed
            log.warning("the client does not read any more (%s)", problem)

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if error is None and isinstance(result, Raw):
            self._result_types.pop(msg_id, None)
            self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "result": result.value})
        elif error is None and isinstance(result, Written):
            self._result_types.pop(msg_id, None)
            head = f'{{"jsonrpc":"{self.VERSION}","id":{json.dumps(msg_id)},"result":'
            self._send_text([head.encode(), *result.parts, b"}"])
        else:
            super()._send_response(msg_id, result, error)

    def notify_raw(self, method: str, params: Any) -> None:
        """Send a notification whose parameters are JSON already."""
        self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    def notify_written(self, method: str, params: Written) -> None:
        """The same with the text of JSON."""
        head = f'{{"jsonrpc":"{self.VERSION}","method":{json.dumps(method)},"params":'
        self._send_text([head.encode(), *params.parts, b"}"])

    # --- receiving -----------------------------------------------------------------------------------------------

    def structure_message(self, data: dict[str, Any]) -> Any:
        """As pygls', but a request that cannot be decoded is answered: its sender would wait for ever."""
        try:
            return super().structure_message(data)
        except JsonRpcException as problem:
            log.warning("a message cannot be decoded: %.200s", data)
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=problem.to_response_error())
            return JsonRPCNotification(method="$/undecodable", jsonrpc=self.VERSION, params=None)

    # --- the life of the connection ------------------------------------------------------------------------------

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        result: types.InitializeResult = yield from super().lsp_initialize(params)
        self._server.adapt(params, result.capabilities)
        return result

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # type: ignore[override]
        self._server.exit(0 if self._shutdown else 1)

    # --- documents -----------------------------------------------------------------------------------------------

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._server.did_open(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._server.did_change(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.did_close(params)


def _pieces(parts: list[bytes]) -> Iterator[bytes]:
    """The parts joined to pieces of about this size; a larger part is a piece of its own, and not copied."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        if held and size + len(part) > _PIECE:
            yield b"".join(held)
            held, size = [], 0
        held.append(part)
        size += len(part)
    yield b"".join(held)
