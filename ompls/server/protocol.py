"""pygls' protocol with seven differences.

* Document texts go to our own buffers (`documents.py`); pygls' would split lines at form feeds and copy the whole file.
* An edit is taken as it comes: to make the protocol's classes of it takes longer than all else that is done here.
* `initialize` announces what depends on the client (pull diagnostics, commands, `experimental.ompls`).
* A result that is already plain JSON (`Raw`) is sent as it is: converting 500 diagnostics from classes costs 30 ms.
* Errors reach the log, not the user's screen.
* What a client may show of a refusal, or of something under way, is harmless (`harmless.py`).
* Every request is answered, whatever is wrong with it, and with the code that the protocol has for that.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import threading
from collections.abc import Generator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from cattrs.gen import make_dict_structure_fn, override
from lsprotocol import converters, types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

from ompls.server.frames import pieces
from ompls.server.guard import answer_of
from ompls.server.harmless import harmless, harmless_line
from ompls.server.params import complaint, edit, key, text, whole
from ompls.server.refusal import Refused

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

log = logging.getLogger("ompls.server")


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
    made.register_structure_hook(str, text)
    made.register_structure_hook(int, whole)
    number = override(struct_hook=key)
    made.register_structure_hook(types.CancelParams, make_dict_structure_fn(types.CancelParams, made, id=number))
    cancelled = types.WorkDoneProgressCancelParams
    made.register_structure_hook(cancelled, make_dict_structure_fn(cancelled, made, token=number))
    return made


@dataclass(frozen=True, slots=True)
class Written:
    """A result that is the text of JSON already, in parts: one of megabytes is never in memory as a whole."""

    parts: list[bytes]


@dataclass(frozen=True, slots=True)
class Awaited:
    """A result that a worker will give, as `Written`: no task waits for it."""

    answer: asyncio.Future[tuple[bytes, ...]]


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
                for piece in pieces([b"Content-Length: %d\r\n\r\n" % sum(map(len, parts)), *parts]):
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
        elif error is None and isinstance(result, Awaited):
            self._request_futures[msg_id] = result.answer  # type: ignore[assignment] # for who cancels it
            result.answer.add_done_callback(partial(self._send_answer, msg_id))
        else:
            if error is not None:
                error.message = harmless(error.message)
            super()._send_response(msg_id, result, error)

    def _send_answer(self, msg_id: Any, answer: asyncio.Future[tuple[bytes, ...]]) -> None:
        """What a worker has answered, or why nobody does."""
        told: Any = answer
        problem = None if answer.cancelled() else answer.exception()
        if not answer.cancelled() and problem is None:
            self._request_futures.pop(msg_id, None)  # nobody has: it was cancelled too late
            self._send_response(msg_id, Written(list(answer.result())))
            return
        if isinstance(problem, Refused):
            told = Future()
            told.set_exception(answer_of(problem))
        self._send_handler_result(told, msg_id=msg_id)

    def notify_raw(self, method: str, params: Any) -> None:
        """Send a notification whose parameters are JSON already."""
        self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    def tell_progress(self, token: Any, value: dict[str, Any]) -> None:
        """Send `$/progress` to a client that has given a token for it; `value` is JSON already."""
        if token is not None:
            words = {name: harmless_line(value[name]) for name in ("title", "message") if name in value}
            self.notify_raw("$/progress", {"token": token, "value": {**value, **words}})

    def notify_written(self, method: str, params: Written) -> None:
        """The same with the text of JSON."""
        head = f'{{"jsonrpc":"{self.VERSION}","method":{json.dumps(method)},"params":'
        self._send_text([head.encode(), *params.parts, b"}"])

    # --- receiving -----------------------------------------------------------------------------------------------

    def receive(self, body: bytes) -> None:
        """A message from the client.  What is no request, nor part of our conversation, is logged and left."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            log.warning("a message is not JSON: %r", body[:200])
            self._refuse(None, JsonRpcParseError("the message is not JSON; is Content-Length its length in bytes?"))
            return
        number = data.get("id") if isinstance(data, dict) else None
        if isinstance(number, bool) or not isinstance(number, (int, str)):
            number = None
        try:
            problem = _malformed(data, number) or self._untimely(data)
            if problem is None and data.get("method") == types.TEXT_DOCUMENT_DID_CHANGE:
                self._edited(data)
            elif problem is None:
                self.handle_message(self.structure_message(data))
        except JsonRpcException as error:
            problem = error
        except Exception:
            log.exception("a message cannot be handled: %r", body[:200])
            problem = JsonRpcException("the message cannot be handled (details in the server's log)")
        if problem is not None:
            log.warning("%s: %r", problem, body[:200])
            self._refuse_message(data, number, problem)

    def _edited(self, data: dict[str, Any]) -> None:
        try:
            made = edit(data.get("params"))
        except (LookupError, TypeError, ValueError, ArithmeticError) as problem:
            self.structure_message(data)  # says what is wrong
            raise JsonRpcInvalidParams(f"{data['method']}: {complaint(problem)}") from problem
        self._server.did_change(*made)

    def handle_message(self, message: Any) -> None:
        """As pygls', which finds out what a message is by all names of its class, and takes longer for that than for
        anything else."""
        method = getattr(message, "method", None)
        if method is None:
            if self._asked(message.id) is None:
                log.warning("an answer to %r, which nobody has asked", message.id)
            else:
                super().handle_message(message)
        elif hasattr(message, "id"):
            contextvars.copy_context().run(self._handle_request, message.id, method, message.params)
        else:
            contextvars.copy_context().run(self._handle_notification, method, message.params)

    def _execute_handler(self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None) -> None:
        """As pygls', which makes a future with a lock for each answer, and finds out what a handler is each time."""
        if not hasattr(handler, "at_once"):
            super()._execute_handler(msg_id, handler, callback, args, kwargs)
            return
        try:
            result = handler(*args)
        except JsonRpcException as problem:
            told: Future[Any] = Future()
            told.set_exception(problem)
            callback(told)
        else:
            self._send_response(msg_id, result)

    def _untimely(self, data: dict[str, Any]) -> JsonRpcException | None:
        """Why a message does not belong here, in the order of the protocol: initialize, the work, shutdown, exit."""
        method = data.get("method")
        if method is None or method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest(f"{method}: the server was shut down; only exit may follow")
        if self._workspace is None and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized(f"{method}: the server waits for initialize")
        if self._workspace is not None and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("initialize: that was done already")
        return None

    def _refuse_message(self, data: Any, number: Any, problem: JsonRpcException) -> None:
        """Say what is wrong to whom it concerns: nobody waits for a notification, and we for a damaged answer."""
        fields = data if isinstance(data, dict) else {}
        if "method" in fields and "id" not in fields:
            return
        if "method" in fields or not ("result" in fields or "error" in fields):
            self._refuse(number, problem)
        elif future := self._asked(number):
            del self._request_futures[number]
            future.set_exception(problem)

    def _asked(self, number: Any) -> Future[Any] | None:
        """Our request of that number: a task is one of the client's, which is under way."""
        future = self._request_futures.get(number)
        return future if isinstance(future, Future) else None

    def _refuse(self, number: Any, problem: JsonRpcException) -> None:
        """Not through pygls' class for it, which knows no `null`: the id of what cannot be read."""
        error = {"code": problem.code, "message": harmless(problem.message)}
        self._send_data({"jsonrpc": self.VERSION, "id": number, "error": error})

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message as an object of its class.  Raises JsonRpcInvalidParams with where it is not one."""
        method = data.get("method")
        if method is None:
            return super().structure_message(data)
        fallback = JsonRPCRequestMessage if "id" in data else JsonRPCNotification
        # An editor's list of abilities is as long as it is: a number in place of a text in it is not our business.
        used = converters.get_converter() if method == types.INITIALIZE else self._converter
        try:
            return used.structure(data, self.get_message_type(method) or fallback)
        except Exception as problem:
            raise JsonRpcInvalidParams(f"{method}: {complaint(problem)}") from problem

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

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.did_close(params)


def _malformed(data: Any, number: Any) -> JsonRpcException | None:
    """What is wrong with a message as one of JSON-RPC 2.0.

    number -- its id, if it has one that can be
    """
    if isinstance(data, list):
        return JsonRpcInvalidRequest("the protocol has no batches: send one message at a time")
    if not isinstance(data, dict):
        return JsonRpcInvalidRequest("a message is an object")
    if data.get("jsonrpc") != Protocol.VERSION:
        return JsonRpcInvalidRequest(f'"jsonrpc" has to be "{Protocol.VERSION}"')
    if not isinstance(data.get("method", ""), str):
        return JsonRpcInvalidRequest('"method" has to be a string')
    if "method" not in data and not ("id" in data and ("result" in data or "error" in data)):
        return JsonRpcInvalidRequest('it has neither "method" nor "id" with "result" or "error"')
    if "id" in data and number is None and ("method" in data or data["id"] is not None):
        return JsonRpcInvalidRequest(f"{data.get('method', 'an answer')}: an id is a string or a whole number")
    if not isinstance(data.get("params"), (dict, list, type(None))) and data.get("method") != types.EXIT:
        return JsonRpcInvalidParams(f'{data["method"]}: "params" has to be an object or an array')
    return None
