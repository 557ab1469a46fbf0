"""The lenses of a document: over target regions (look at the generated code, run the program), over task graphs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ompls.server.lenstexts import Offer, answer
from ompls.server.opened import Opened, Result


def lenses(opened: Opened, result: Result, known: Mapping[str, Mapping[str, str]]) -> list[bytes]:
    """Their JSON, to be joined.  Of a planned device there is no code to look at.

    known -- by region, where that is known: `prices`, what kernels need; `refused`, the devices of a run that cannot
             run it
    """
    settings, document, context = opened.settings, opened.document, opened.context
    name, title = settings.preview.device, f"Preview {settings.preview.device}"
    for device in result.tu.settings.devices[:1]:
        name = device.name
        title = "" if device.planned else f"Preview {device.language or name}"
    program = os.path.isabs(document.path) and not document.path.endswith(".h")
    run = settings.lens.run and context.trusted and program
    shown, on = title if settings.lens.preview and title else None, settings.run.device if run else None
    prices, refused = (tuple(known.get(what, {}).items()) for what in ("prices", "refused"))
    offer = Offer(document.uri, shown, name, on, prices, refused, settings.lens.graph)
    return answer(offer, result.tu, result.lines, context.client.encoding)
