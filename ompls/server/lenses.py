"""The lenses over the target regions of a document: look at the generated code, run the program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ompls.server.lenstexts import Offer, answer

if TYPE_CHECKING:
    from ompls.analysis.text import Encoding
    from ompls.server.engine import Result, Session


def lenses(session: Session, result: Result, encoding: Encoding, trusted: bool) -> list[bytes]:
    """Their JSON, to be joined; `trusted`: the editor lets programs of this workspace run."""
    settings, document = session.settings, session.document
    device = settings.preview.device
    title = "Preview CUDA" if device in ("cuda", "cudasim") else f"Preview {device}"
    run = settings.lens.run and trusted and os.path.isabs(document.path)
    offer = Offer(document.uri, title if settings.lens.preview else None, device, settings.run.device if run else None)
    return answer(offer, result.tu, result.lines, encoding)
