"""The client's messages out of what arrives, wherever it is cut (ompls/server/transport.py)."""

from __future__ import annotations

import pytest
from together import together

from ompls.server.transport import Conversation

SAID = b"Content-Length: 3\r\n\r\n{1}"


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@together(
    ("arrived", "bodies"),
    [
        (SAID + b"content-length:2\nContent-Type: x\n\n\r\n" + SAID, [b"{1}", b"\r\n", b"{1}"]),
        (b"nonsense\r\n\r\n" + SAID + b"too long" + SAID, [b"{1}", b"{1}"]),
        (b"x" * 900 + SAID, [b"{1}"]),
        (SAID + b"Content-Length: 5\r\n\r\n{2}", [b"{1}"]),
    ],
    ids=["headers", "between", "longer than a header", "not whole"],
)
def test_bodies_are_the_same_wherever_what_arrives_is_cut(arrived: bytes, bodies: list[bytes], size: int) -> None:
    said: list[bytes] = []
    conversation = Conversation(lambda writer: None, said.append, lambda: None)
    for start in range(0, len(arrived), size):
        conversation.data_received(arrived[start : start + size])
    assert said == bodies
