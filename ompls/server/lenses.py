"""The lenses over the target regions of a document: look at the generated code, run the program."""

from __future__ import annotations

import os

from ompls.server.lenstexts import Offer, answer
from ompls.server.opened import Opened, Result


def lenses(opened: Opened, result: Result) -> list[bytes]:
    """Their JSON, to be joined."""
    settings, document, context = opened.settings, opened.document, opened.context
    device = settings.preview.device
    title = "Preview CUDA" if device in ("cuda", "cudasim") else f"Preview {device}"
    run = settings.lens.run and context.trusted and os.path.isabs(document.path)
    offer = Offer(document.uri, title if settings.lens.preview else None, device, settings.run.device if run else None)
    return answer(offer, result.tu, result.lines, context.client.encoding)
