"""The lenses over the target regions of a document: look at the generated code, run the program."""

from __future__ import annotations

import os

from ompls.project.devices import of_settings
from ompls.server.lenstexts import Offer, answer
from ompls.server.opened import Opened, Result


def lenses(opened: Opened, result: Result) -> list[bytes]:
    """Their JSON, to be joined."""
    settings, document, context = opened.settings, opened.document, opened.context
    known = of_settings(settings.preview.device)
    device = known[0].name if known else settings.preview.device
    title = f"Preview {(known[0].language if known else '') or device}"
    run = settings.lens.run and context.trusted and os.path.isabs(document.path)
    shown, on = title if settings.lens.preview else None, settings.run.device if run else None
    offer = Offer(document.uri, shown, device, on)
    return answer(offer, result.tu, result.lines, context.client.encoding)
