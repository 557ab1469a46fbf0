"""The lenses' JSON, kept in parts: a client asks for all at every key, and nearly all are as before.

A part is what a group of external declarations shows.  It is kept with the group, and again right when the text that
the group comes from is the same, wherever that stands now: then only the numbers of the lines are written anew.  The
JSON of a large file is megabytes, so nothing else is kept of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as quoted
from typing import NamedTuple

from ompls.analysis import features
from ompls.analysis.model.tu import TU
from ompls.analysis.text import Encoding, LineIndex
from ompls.server.virtual import GRAPH

_LINE = b'"line":'
Span = tuple[int, int, int, int]  # line, column; end line, end column


@dataclass(frozen=True, slots=True)
class Offer:
    """What the lenses of a document offer.

    preview -- the title of the lens that shows the generated code; None: there is none
    device, run -- the devices to preview for and to run on; None for `run`: no lens runs the program
    prices -- (region, what its kernel needs), for the title
    refused -- (region, the devices of a run that cannot run it)
    graph -- whether task graphs have a lens
    """

    uri: str
    preview: str | None
    device: str
    run: str | None
    prices: tuple[tuple[str, str], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    graph: bool = False


class _Kept(NamedTuple):
    """A part's JSON, what it was made from, and the line of the document where the part begins."""

    key: object
    text: bytes
    line: int


def answer(offer: Offer, tu: TU, lines: LineIndex, encoding: Encoding) -> list[bytes]:
    """The JSON of all lenses over the regions of `tu`, to be joined; `lines` are those of its source."""
    texts = [b"["]
    for part in features.lens_parts(tu):
        if text := _part(part, offer, tu, lines, encoding):
            texts += (text, b",")
    for place, said in features.graph_lenses(tu) if offer.graph else ():
        spot = (*lines.position(place.start, encoding),) * 2
        title = f"Task graph: {said}" if said else "Task graph"
        texts += (_lens(spot, offer.uri, place.id, (title, "ompls.preview", GRAPH)).encode(), b",")
    return [*texts[:-1], b"]"] if len(texts) > 1 else [b"[]"]


def _part(part: features.LensPart, offer: Offer, tu: TU, lines: LineIndex, encoding: Encoding) -> bytes:
    shape = part.shape
    line = lines.line_of(shape.start)
    start = shape.start
    if tu.source[start - 1 : start] != b"\n":
        start = lines.line_span(line)[0]
    # The byte after it: whether a carriage return ends a line.
    key = (offer, encoding, shape.start - start, shape.parts, tu.source[start : shape.end + 1])
    kept: _Kept | None = part.group.memo.get(__name__)
    if kept is not None and kept.key == key and shape.path == tu.path:
        if kept.line != line:
            kept = part.group.memo[__name__] = _Kept(key, _moved(kept.text, line - kept.line), line)
        return kept.text
    places = (
        ((*lines.position(where.start, encoding), *lines.position(where.end, encoding)), region)
        for where, region in part.lenses()
    )
    text = ",".join(_lenses(offer, places)).encode()
    part.group.memo[__name__] = _Kept(key, text, line)
    return text


def _moved(text: bytes, distance: int) -> bytes:
    """The JSON of lenses that stand so many lines further down.  In no string of it is there a quote before a colon."""
    head, *tails = text.split(_LINE)
    moved = [_LINE + b"%d%s" % (int(tail[: (end := tail.index(b","))]) + distance, tail[end:]) for tail in tails]
    return b"".join([head, *moved])


def _lenses(offer: Offer, places: Iterable[tuple[Span, str]]) -> Iterator[str]:
    """The JSON of each lens over these regions; it is written here, as a key makes dozens anew."""
    for where, region in places:
        for command in _commands(offer, region):
            yield _lens(where, offer.uri, region, command)


def _lens(where: Span, uri: str, region: str, does: tuple[str, str, str]) -> str:
    title, command, device = does
    line, column, end_line, end_column = where
    start, end = f'{{"line":{line},"character":{column}}}', f'{{"line":{end_line},"character":{end_column}}}'
    argument = f'{{"uri":{quoted(uri)},"region":{quoted(region)},"device":{quoted(device)}}}'
    said = f'{{"title":{quoted(title)},"command":"{command}","arguments":[{argument}]}}'
    return f'{{"range":{{"start":{start},"end":{end}}},"command":{said}}}'


def _commands(offer: Offer, region: str) -> Iterator[tuple[str, str, str]]:
    """Title, command and device of the lenses over a region."""
    refused = dict(offer.refused).get(region)
    run = None if offer.run is None else f"Run (cannot run on {refused})" if refused else "Run"
    price = dict(offer.prices).get(region)
    preview = f"{offer.preview} ({price})" if offer.preview is not None and price else offer.preview
    for title, command, device in ((preview, "ompls.preview", offer.device), (run, "ompls.run", offer.run)):
        if title is not None and device is not None:
            yield title, command, device
