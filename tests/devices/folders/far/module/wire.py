"""Frames on a pipe: the length of a line of JSON, the length of the bytes behind it, both."""

from __future__ import annotations

import json
import struct
from typing import IO, Any

HEAD = struct.Struct("<IQ")


def send(pipe: IO[bytes], words: list[Any], data: bytes = b"") -> None:
    line = json.dumps(words).encode()
    pipe.write(HEAD.pack(len(line), len(data)) + line + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[list[Any], bytes]:
    """Raises EOFError when the other side has gone."""
    line, data = HEAD.unpack(_exactly(pipe, HEAD.size))
    return json.loads(_exactly(pipe, line)), _exactly(pipe, data)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    got = pipe.read(size)
    if len(got) != size:
        raise EOFError
    return got
