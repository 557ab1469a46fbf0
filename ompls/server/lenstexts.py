"""The lenses' JSON, kept for each document: a client asks for all at every key, and nearly all are as before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ompls.server.convert import Json, range_of

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


@dataclass(slots=True)
class LensTexts:
    """`texts` -- those of the last answer, by place and region."""

    offer: Offer | None = None
    texts: dict[tuple[Span, str], str] = field(default_factory=dict)

    def answer(self, offer: Offer, places: Iterable[tuple[Span, str]]) -> str:
        """The JSON of all lenses, for the regions (place of the directive, id) of a document."""
        known = self.texts if offer == self.offer else {}
        self.offer = offer
        self.texts = {place: known.get(place) or _text(offer, *place) for place in places}
        return f"[{','.join(filter(None, self.texts.values()))}]"


def _text(offer: Offer, span: Span, region: str) -> str:
    return ",".join(json.dumps(lens, separators=(",", ":")) for lens in _lenses(offer, span, region))


def _lenses(offer: Offer, span: Span, region: str) -> Iterator[Json]:
    run = "Run" if offer.run is not None else None
    for title, command, device in ((offer.preview, "ompls.preview", offer.device), (run, "ompls.run", offer.run)):
        if title is not None:
            argument = {"uri": offer.uri, "region": region, "device": device}
            yield {"range": range_of(span), "command": {"title": title, "command": command, "arguments": [argument]}}
