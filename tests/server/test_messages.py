"""What is sent comes in pieces, so that a message of megabytes is never in memory twice."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ompls.server.frames import _PIECE, pieces
from ompls.server.protocol import Awaited, Protocol, converter
from ompls.server.refusal import Refused


def test_pieces_are_the_message_and_none_is_much_longer_than_a_part() -> None:
    chance = random.Random(1)
    for longest in (10, 9_000, 400_000):
        parts = [bytes([n % 256]) * chance.randrange(longest) for n in range(200)]
        made = list(pieces(parts))
        assert b"".join(made) == b"".join(parts)
        assert all(len(piece) <= max(_PIECE, longest) for piece in made)
        assert len(made) <= 1 + 2 * sum(map(len, parts)) // _PIECE


def test_a_short_message_is_written_at_once_and_a_long_part_is_not_copied() -> None:
    long = b"x" * (2 * _PIECE)
    assert list(pieces([b"head", b"body"])) == [b"headbody"]
    assert [piece is long for piece in pieces([b"head", long, b"}"])] == [False, True, False]


def sent_of(happens: Callable[[Protocol, asyncio.Future[tuple[bytes, ...]]], object]) -> Any:
    """What the client gets of request 1, which a worker was asked, when this happens."""
    sent = bytearray()

    async def serve() -> None:
        server: Any = SimpleNamespace(name="", version="", _report_server_error=lambda *_: None)
        protocol = Protocol(server, converter())
        protocol.set_writer(SimpleNamespace(write=sent.extend))  # type: ignore[arg-type]
        answer: asyncio.Future[tuple[bytes, ...]] = asyncio.get_running_loop().create_future()
        protocol._send_response(1, Awaited(answer))
        happens(protocol, answer)
        await asyncio.sleep(0)

    asyncio.run(serve())
    return json.loads(sent.partition(b"\r\n\r\n")[2])


def test_a_request_that_a_worker_was_asked_is_answered_once() -> None:
    answers = {"jsonrpc": "2.0", "id": 1, "result": [1, 2]}
    assert sent_of(lambda _, answer: answer.set_result((b"[1,", b"2]"))) == answers
    refused = sent_of(lambda _, answer: answer.set_exception(Refused("it has ended", -32803)))
    assert refused["error"] == {"code": -32803, "message": "it has ended"}
    cancelled = sent_of(lambda protocol, _: protocol._handle_cancel_notification(1))
    assert cancelled["error"]["code"] == -32800

    def too_late(protocol: Protocol, answer: asyncio.Future[tuple[bytes, ...]]) -> None:
        answer.set_result((b"[1,2]",))
        protocol._handle_cancel_notification(1)

    assert sent_of(too_late) == answers
