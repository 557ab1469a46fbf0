"""What becomes of a document whose worker was ended.

It gets a new one at once.  What did not end twice in a row (the rules, or all of the analysis) is left out, with a
note, until the text has changed and nobody has typed for a while.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable

from ompls.server.harmless import harmless_line
from ompls.server.session import Session

log = logging.getLogger("ompls.server")

PATIENCE = 3.0  # seconds without an edit before what did not end is tried again; twice as long after each time
LONGEST_PATIENCE = 60.0


class Recovery:
    """start(session)           -- a worker for the document as it is
    stop(session, why, hung) -- end the one that it has; what did not come to an end, else ""
    on_result(session)       -- the user is told that something is left out
    """

    def __init__(
        self,
        start: Callable[[Session], None],
        stop: Callable[[Session, str, str], None],
        on_result: Callable[[Session], None],
    ) -> None:
        self._start = start
        self._stop = stop
        self._on_result = on_result

    def lost(self, session: Session, reason: str, hung: bool = False) -> None:
        """The worker was ended (hung: for what it did), or has: a new one does what can be done without that."""
        doing = session.look()
        what = doing.what if doing is not None else ""
        never_began = hung and not session.process  # nobody forked it: no fault of the document's
        log.warning("the worker of %s was ended (%s): %s", session.document.uri, what or "nothing to do", reason)
        self._stop(session, f"{what}: {reason}", what if hung else "")
        if not what:
            return  # another one is started when it is needed
        if "/" not in what and not never_began:  # with "/" it was an answer, by the name of its method
            if session.failed:
                self._leave_out(session, what, reason)
            session.failed = True
        self._start(session)

    def _leave_out(self, session: Session, what: str, reason: str) -> None:
        session.left_out, missing = "analysis", "nothing is said about it"
        if what == "rules":
            session.left_out, missing = what, "what they find is not shown"
        name = os.path.basename(session.document.path)
        session.ended = harmless_line(f"{name}: {what}: {reason}; {missing} until the text has changed")
        self._on_result(session)
        session.patience = min(max(PATIENCE, 2 * session.patience), LONGEST_PATIENCE)

    def edited(self, session: Session) -> None:
        """What was left out is tried again when nobody has typed for a while."""
        if not session.left_out:
            return
        if session.again is not None:
            session.again.cancel()
        session.again = asyncio.get_running_loop().call_later(session.patience, self._try_again, session)

    def _try_again(self, session: Session) -> None:
        self.forgive(session)
        self._start(session)

    def forgive(self, session: Session) -> None:
        """What did not end may be tried again, by a new worker."""
        if session.again is not None:
            session.again.cancel()
        if session.left_out:
            self._stop(session, "it is tried again", "")
        session.again, session.failed = None, False
        session.left_out = session.ended = ""
