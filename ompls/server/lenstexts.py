"""The lenses' JSON, kept in parts: a client asks for all at every key, and nearly all are as before.

A part is what a group of external declarations shows.  It is kept with the group, and again right when the text that
the group comes from is the same, wherever that stands now: then only the numbers of the lines are written anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ompls.analysis import features
from ompls.analysis.model.tu import TU
from ompls.analysis.text import Encoding, LineIndex

Span = tuple[int, int, int, int]  # line, column; end line, end column


@dataclass(frozen=True, slots=True)
class Offer:
    """What the lenses of a document offer.

    preview -- the title of the lens that shows the generated code; None: there is none
    device, run -- the devices to preview for and to run on; None for `run`: no lens runs the program
    """

    uri: str
    preview: str | None
    device: str
    run: str | None


class _Kept(NamedTuple):
    """A part's JSON, and what it was made from.

    line -- the one of the document where the part begins
    pattern, lines -- the JSON without the lines of its places, and these, counted from `line`
    """

    key: object
    text: bytes
    line: int
    pattern: str
    lines: tuple[int, ...]


def answer(offer: Offer, tu: TU, lines: LineIndex, encoding: Encoding) -> list[bytes]:
    """The JSON of all lenses over the regions of `tu`, to be joined; `lines` are those of its source."""
    texts = [b"["]
    for part in features.lens_parts(tu):
        if text := _part(part, offer, tu, lines, encoding):
            texts += (text, b",")
    return [*texts[:-1], b"]"] if len(texts) > 1 else [b"[]"]


def _part(part: features.LensPart, offer: Offer, tu: TU, lines: LineIndex, encoding: Encoding) -> bytes:
    shape = part.shape
    line = lines.line_of(shape.start)
    start = shape.start
    if tu.source[start - 1 : start] != b"\n":
        start = lines.line_span(line)[0]
    # The byte after it: whether a carriage return ends a line.
    key = (offer, encoding, shape.start - start, shape.parts, tu.source[start : shape.end + 1])
    kept: _Kept | None = part.memo.get(__name__)
    if kept is not None and kept.key == key and shape.path == tu.path:
        if kept.line != line:
            text = (kept.pattern % tuple([line + n for n in kept.lines])).encode()
            kept = part.memo[__name__] = kept._replace(text=text, line=line)
        return kept.text
    spans = [
        ((*lines.position(where.start, encoding), *lines.position(where.end, encoding)), region)
        for where, region in part.lenses()
    ]
    pattern, numbers = _pattern(offer, spans)
    text = (pattern % numbers).encode()
    part.memo[__name__] = _Kept(key, text, line, pattern, tuple([n - line for n in numbers]))
    return text


def _pattern(offer: Offer, places: Iterable[tuple[Span, str]]) -> tuple[str, tuple[int, ...]]:
    """The JSON of the lenses of these regions with `%d` for each line, and the lines."""
    texts: list[str] = []
    numbers: list[int] = []
    for (line, column, end_line, end_column), region in places:
        where = f'{{"start":{{"line":%d,"character":{column}}},"end":{{"line":%d,"character":{end_column}}}}}'
        for command in _commands(offer, region):
            texts.append(f'{{"range":{where},"command":{command.replace("%", "%%")}}}')
            numbers += (line, end_line)
    return ",".join(texts), tuple(numbers)


def _commands(offer: Offer, region: str) -> Iterator[str]:
    run = "Run" if offer.run is not None else None
    for title, command, device in ((offer.preview, "ompls.preview", offer.device), (run, "ompls.run", offer.run)):
        if title is not None:
            argument = {"uri": offer.uri, "region": region, "device": device}
            made = {"title": title, "command": command, "arguments": [argument]}
            yield json.dumps(made, separators=(",", ":"))
