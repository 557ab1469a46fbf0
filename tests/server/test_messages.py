"""What is sent comes in pieces, so that a message of megabytes is never in memory twice."""

from __future__ import annotations

import random

from ompls.server.frames import _PIECE, pieces


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
