"""The kept JSON of lenses is what would be made anew."""

from __future__ import annotations

import json

from ompls.server.lenstexts import LensTexts, Offer, Span

_OFFER = Offer("file:///a.c", "Preview CUDA", "cuda", "host")


def _places(*lines: int) -> list[tuple[Span, str]]:
    return [((line, 4, line, 30), f"f_{number}") for number, line in enumerate(lines)]


def test_what_moved_is_made_anew_and_what_stayed_is_kept() -> None:
    texts = LensTexts()
    texts.answer(_OFFER, _places(1, 5, 9))
    before = dict(texts.texts)
    moved = texts.answer(_OFFER, _places(1, 6, 10))
    assert moved == LensTexts().answer(_OFFER, _places(1, 6, 10))
    assert [lens["range"]["start"]["line"] for lens in json.loads(moved)] == [1, 1, 6, 6, 10, 10]
    first = ((1, 4, 1, 30), "f_0")
    assert texts.texts[first] is before[first]
    assert len(texts.texts) == 3, "what is not shown any more is forgotten"


def test_another_offer_makes_all_anew() -> None:
    texts = LensTexts()
    texts.answer(_OFFER, _places(1))
    (lens,) = json.loads(texts.answer(Offer("file:///a.c", "Preview host", "host", None), _places(1)))
    argument = {"uri": "file:///a.c", "region": "f_0", "device": "host"}
    assert lens["command"] == {"title": "Preview host", "command": "ompls.preview", "arguments": [argument]}
    assert texts.answer(Offer("file:///a.c", None, "host", None), _places(1)) == "[]"
