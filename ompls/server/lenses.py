"""The lenses over the target regions of a document: look at the generated code, run the program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ompls.analysis import features
from ompls.server.lenstexts import Offer

if TYPE_CHECKING:
    from ompls.analysis.model.tu import TU
    from ompls.server.convert import Places
    from ompls.server.engine import Session


def lenses(session: Session, tu: TU, places: Places, trusted: bool) -> str:
    """Their JSON; `trusted`: the editor lets programs of this workspace run."""
    settings, document = session.settings, session.document
    device = settings.preview.device
    title = "Preview CUDA" if device in ("cuda", "cudasim") else f"Preview {device}"
    run = settings.lens.run and trusted and os.path.isabs(document.path)
    offer = Offer(document.uri, title if settings.lens.preview else None, device, settings.run.device if run else None)
    mine = ((places.span(where), region) for where, region in features.lenses(tu) if where.path == document.path)
    return session.lenses.answer(offer, mine)
