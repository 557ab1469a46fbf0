"""The open documents, each a `Session` with a worker process that analyses it.

Each document has a worker of its own (`worker.py`), so no document waits for another one, and an analysis can be ended
from outside, whatever it does: a worker that takes much longer than it said is killed.  The document gets a new one at
once.  What did not end twice in a row (the rules, or all of the analysis) is left out, with a note, until the text has
changed and nobody has typed for a while.

At most `MOST` workers are kept: a document that nobody has asked about for the longest time gives its worker up and
gets one again when it is needed.  Everything here runs on the event loop's thread and takes moments.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ompls.project.devices import of_settings, plans
from ompls.project.files import read_source
from ompls.project.projectfile import ProjectFiles
from ompls.server import messages
from ompls.server.documents import Change, Document
from ompls.server.guard import logged
from ompls.server.messages import Context
from ompls.server.nursery import MEMORY, Nursery
from ompls.server.plain import plain
from ompls.server.refusal import Refused, refuse
from ompls.server.session import Session, Worker
from ompls.server.settings import Layer, Settings, settings_of
from ompls.server.watch import Watch

log = logging.getLogger("ompls.server")

MOST = 12  # workers, but for the moments in which more of them have something to do
RESTING = 512 << 20  # bytes that workers with nothing to do may hold together
SIGN_OF_LIFE = 10.0  # seconds until a worker that had nothing to do says that it has begun
PAUSE = 0.3  # seconds without an edit before other documents are told of a text that they include
LONGEST_PAUSE = 2.0  # seconds after which they are told while somebody types
PATIENCE = 3.0  # seconds without an edit before what did not end is tried again; twice as long after each time
LONGEST_PATIENCE = 60.0


class Engine:
    """The sessions and their workers.

    on_result(session)  -- called for every fresh result, and when an analysis was ended
    on_headers(session) -- a look at headers or the project file made what was shown before outdated
    on_more(session)    -- what was answered of a part of it may be asked again
    on_problem(text)    -- something is wrong with the surroundings (no compiler, …); called once for each
    """

    def __init__(
        self,
        nursery: Nursery,
        on_result: Callable[[Session], None],
        on_headers: Callable[[Session], None],
        on_more: Callable[[Session], None],
        on_problem: Callable[[str], None],
    ) -> None:
        self.nursery = nursery
        self.sessions: dict[str, Session] = {}  # by URI
        self.context = Context()
        self._given: Layer = {}
        self._folders: Mapping[str, Layer] = {}  # what the editor says for each of the roots
        self._projects = ProjectFiles()
        self._on_result = on_result
        self._on_headers = on_headers
        self._on_more = on_more
        self._on_problem = on_problem
        self._problems: set[str] = set()
        self._numbers = itertools.count(1)
        self._watch = Watch(self.sessions.values, self._late)

    # --- what holds for all documents ----------------------------------------------------------------------------

    @property
    def roots(self) -> tuple[str, ...]:
        return self.context.roots

    def set_context(self, context: Context) -> None:
        """The client, the roots, whether the workspace is trusted."""
        if context != self.context:
            self.context = context
            self._renew()

    def configure(self, given: Layer, folders: Mapping[str, Layer]) -> bool:
        """New settings of the editor: every document is analysed again, with flags looked up anew.

        folders -- by root, of the documents in it; `given` holds elsewhere.
        False when there is nothing new.
        """
        if (given, folders) == (self._given, self._folders):
            return False
        self._given, self._folders = given, folders
        self._renew()
        return True

    def _renew(self) -> None:
        for session in self.sessions.values():
            self._configured(session)

    def _configured(self, session: Session) -> None:
        session.settings = self.settings_for(session.document.path)
        session.stamp += 1
        self._forgive(session)
        self._tell(session, messages.Configured(session.stamp, self._context(session), session.settings))

    def _context(self, session: Session) -> Context:
        path = session.document.path
        return replace(self.context, roots=self.roots_for(path), flags=self.flags_for(path))

    def roots_for(self, path: str) -> tuple[str, ...]:
        """All roots, first the one that the file is in: what is relative in its settings is meant from there."""
        own = _innermost(self.roots, path)
        return (own, *(root for root in self.roots if root != own)) if own else self.roots

    def flags_for(self, path: str) -> tuple[str, ...]:
        """The editor's, for that file."""
        flags: tuple[str, ...] = self._given_for(path).get("flags", ())
        return flags

    def _given_for(self, path: str) -> Layer:
        """The editor's settings of the innermost folder that the file is in."""
        own = _innermost(self._folders, path)
        return self._folders[own] if own else self._given

    def settings_for(self, path: str) -> Settings:
        """The editor's settings over those of the project file that is nearest to the file."""
        project = self._projects.of(path) if os.path.isabs(path) else None
        for problem in project.problems if project is not None else ():
            self._say(problem)
        given = self._given_for(path)
        settings = settings_of(given) if project is None else settings_of(project.layer, given)
        for plan in plans(of_settings(settings.preview.device)):
            self._say(plan)
        return settings

    def _say(self, problem: str) -> None:
        if problem not in self._problems:
            self._problems.add(problem)
            self._on_problem(problem)

    # --- the documents' life -------------------------------------------------------------------------------------

    def open(self, document: Document) -> Session:
        self.close(document.uri)
        session = Session(document, self.settings_for(document.path))
        self.sessions[document.uri] = session
        session.used = time.monotonic()
        self._start(session)
        self._say_of_size(session)
        self._text_changed(session)
        return session

    def changed(self, session: Session, version: int, changes: Iterable[Change]) -> None:
        """The client has edited the document."""
        made = tuple(changes)
        session.document.apply(version, list(made))
        session.stamp += 1
        session.used = time.monotonic()
        self._say_of_size(session)
        if session.left_out:
            self._try_again_later(session)
        self._tell(session, messages.Edited(session.stamp, version, made))
        self._text_changed(session)

    def close(self, uri: str) -> Session | None:
        session = self.sessions.pop(uri, None)
        if session is None:
            return None
        for timer in (session.again, session.told, session.typed):
            if timer is not None:
                timer.cancel()
        self._stop(session, "it was closed")
        self._tell_includers(session, None)
        return session

    def files_changed(self, paths: Iterable[str]) -> None:
        """Files were saved or changed on the disk: headers may differ, and what project files say.

        paths -- which ones, all that is known of it
        """
        changed = set(paths)
        for session in list(self.sessions.values()):
            if self.settings_for(session.document.path) != session.settings:
                self._configured(session)
                self._on_headers(session)
            elif session.worker is not None:
                self._tell(session, messages.Look())
            elif any(path in session.includes or not path.endswith(".c") for path in changed):
                self._start(session)

    def by_path(self, path: str) -> Session | None:
        return next((s for s in self.sessions.values() if s.document.path == path), None)

    def read(self, path: str) -> bytes:
        """The text of a file, or of the open document.  Raises FileProblem."""
        session = self.by_path(path)
        return session.document.source if session is not None else read_source(path)

    def shutdown(self) -> None:
        for uri in list(self.sessions):
            self.close(uri)
        self._watch.stop()
        self.nursery.close()

    def _say_of_size(self, session: Session) -> None:
        limit = session.settings.diagnostics.max_file_size
        if session.document.size > limit:
            path = session.document.path
            from ompls.analysis import notes  # noqa: PLC0415 - few files are

            self._say(f"{os.path.basename(path)}: {notes.too_large(path, limit).message}")

    # --- texts that other documents include ----------------------------------------------------------------------

    def _text_changed(self, changed: Session) -> None:
        """Documents that include this one will see its new text."""
        if len(self.sessions) < 2:
            return
        now = time.monotonic()
        if changed.told is None:
            changed.told_by = now + LONGEST_PAUSE
        else:
            changed.told.cancel()
        pause = min(PAUSE, changed.told_by - now)
        loop = asyncio.get_running_loop()
        changed.told = loop.call_later(pause, lambda: self._tell_includers(changed, changed.document.source))

    def _tell_includers(self, changed: Session, text: bytes | None) -> None:
        changed.told = None
        path = changed.document.path
        for session in self.sessions.values():
            wakes = path in session.includes or session.worker is not None
            if session is not changed and wakes and _concerns(session, path):
                self._tell(session, messages.Overlay(path, changed.document.uri, text))

    def _headers(self, session: Session, said: messages.Headers) -> None:
        new = said.paths - session.includes
        session.includes = said.paths
        for path in new:  # what an editor shows of it counts, not what is on the disk
            other = self.by_path(path)
            if other is not None and other is not session:
                self._tell(session, messages.Overlay(path, other.document.uri, other.document.source))
        for problem in said.problems:
            self._say(problem)
        if said.news:
            self._on_headers(session)

    # --- asking --------------------------------------------------------------------------------------------------

    async def ask(self, session: Session, method: str, params: Any) -> tuple[bytes, ...]:
        """The worker's answer to a request of the client's: the text of JSON, in parts.

        Raises Refused where there is none.
        """
        if session.left_out == "analysis":
            raise refuse(session.ended)
        session.used = time.monotonic()
        number = next(self._numbers)
        answer = session.asked[number] = asyncio.get_running_loop().create_future()
        try:
            self._tell(session, messages.Ask(number, method, plain(params)))
            parts: tuple[bytes, ...] = await answer
            return parts
        finally:
            session.asked.pop(number, None)
            if answer.cancelled() and session.worker is not None:
                session.worker.send(messages.Forget(number))

    async def known(self, session: Session, headers: bool = False) -> None:
        """Wait until `session.fresh` is about the document as it is; headers: and they have been looked at."""
        await self._until(session, "textDocument/diagnostic, with headers" if headers else "textDocument/diagnostic")

    async def finished(self, session: Session) -> None:
        """Wait until all is known of the document that will be."""
        await self._until(session, "textDocument/diagnostic, the last")

    async def _until(self, session: Session, method: str) -> None:
        if session.current and session.worker is None:
            return  # it has rested since
        while self.sessions.get(session.document.uri) is session and session.left_out != "analysis":
            try:
                await self.ask(session, method, None)
            except Refused as problem:
                log.info("%s: %s: asked again", session.document.uri, problem)  # there is a new worker
            else:
                return

    # --- workers -------------------------------------------------------------------------------------------------

    def _tell(self, session: Session, message: Any) -> None:
        """Send something to the session's worker; a new one is told what the document is instead."""
        if session.left_out == "analysis":
            return
        if session.worker is None:
            self._start(session)
            if not isinstance(message, messages.Ask):
                return
        assert session.worker is not None
        session.worker.send(message)
        if session.doing is None:
            self._watch.begins(session, "to begin", SIGN_OF_LIFE)

    def _start(self, session: Session) -> None:
        """A worker for the document as it is."""
        if session.left_out == "analysis":
            return
        self._make_room(1)
        worker = session.worker = Worker(self.nursery.fork("document"))
        document = session.document
        worker.send(
            messages.Open(
                document.uri, document.path, document.version, document.source, document.encoding, session.stamp,
                self._context(session), session.settings, rules=not session.left_out,
            )
        )  # fmt: skip
        for other in self.sessions.values():
            if other is not session and _concerns(session, path := other.document.path):
                worker.send(messages.Overlay(path, other.document.uri, other.document.source))
        listening = functools.partial(self._listen, session, worker)
        worker.listener = asyncio.create_task(logged(f"listening to {document.uri}", listening))
        self._watch.begins(session, "to begin", SIGN_OF_LIFE)

    def _stop(self, session: Session, why: str) -> None:
        worker, session.worker, session.doing = session.worker, None, None
        session.memory = session.process = 0
        if worker is not None:
            worker.end()
        asked, session.asked = session.asked, {}
        for answer in asked.values():
            if not answer.done():
                answer.set_exception(refuse(f"{os.path.basename(session.document.path)}: {why}"))

    def _make_room(self, coming: int) -> None:
        """Let workers rest that were not needed for the longest time, until there is room for so many more."""
        working = [s for s in self.sessions.values() if s.worker is not None]
        idle = sorted((s for s in working if not s.busy and not s.asked), key=lambda s: s.used)
        held, count = sum(s.memory for s in idle), len(working) + coming
        for session in idle[: len(idle) - 1 + coming]:  # the one that was needed last stays if it can
            if count <= MOST and held <= RESTING:
                return
            held -= session.memory
            count -= 1
            self._stop(session, "its worker rests")

    async def _listen(self, session: Session, worker: Worker) -> None:
        """Hear what a worker says until it has ended."""
        reason = "its process has ended"
        try:
            while True:
                message = await worker.receive()
                if isinstance(message, messages.Exhausted):
                    reason = f"it needs more than {MEMORY >> 20:,} MiB of memory"
                    break
                self._hear(session, message)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        if session.worker is worker:
            self._lost(session, reason)

    def _hear(self, session: Session, message: Any) -> None:
        if isinstance(message, messages.Began):
            session.process = message.process
        elif isinstance(message, messages.Busy):
            self._watch.begins(session, message.what, message.seconds)
        elif isinstance(message, messages.Idle):
            session.doing, session.memory = None, message.memory
            if session.asked or not session.current:  # it was told more since
                self._watch.begins(session, "to begin", SIGN_OF_LIFE)
            self._make_room(0)
        elif isinstance(message, messages.Headers):
            self._headers(session, message)
        elif isinstance(message, messages.More):
            self._on_more(session)
        elif isinstance(message, messages.Fresh):
            session.fresh = message
            if session.current and not session.left_out:
                session.patience, session.failed = 0.0, False
            if message.stamp == session.stamp:
                self._on_result(session)
        elif isinstance(message, (messages.Answer, messages.Failed)):
            self._answered(session, message)
        else:
            log.error("the worker of %s says what nobody knows: %r", session.document.uri, message)

    def _answered(self, session: Session, message: messages.Answer | messages.Failed) -> None:
        answer = session.asked.pop(message.number, None)
        if answer is None or answer.done():
            return
        if isinstance(message, messages.Answer):
            answer.set_result(message.parts)
        else:
            answer.set_exception(Refused(message.message, message.code))

    # --- what does not end ---------------------------------------------------------------------------------------

    def _late(self, late: list[tuple[Session, float]]) -> None:
        """End what takes much longer than it should."""
        if any(not session.process for session, _ in late):
            self.nursery.renew()  # it did not even fork
        for session, seconds in late:
            self._lost(session, f"no end after {seconds:.0f} s")

    def _lost(self, session: Session, reason: str) -> None:
        """The worker was ended, or has: a new one does what can be done without what did not end."""
        what = session.doing.what if session.doing is not None else ""
        log.warning("the worker of %s was ended (%s): %s", session.document.uri, what or "nothing to do", reason)
        self._stop(session, f"{what}: {reason}")
        if not what:
            return  # another one is started when it is needed
        if "/" not in what:  # else it was an answer, by the name of its method
            if session.failed:
                self._leave_out(session, what, reason)
            session.failed = True
        self._start(session)

    def _leave_out(self, session: Session, what: str, reason: str) -> None:
        session.left_out, missing = "analysis", "nothing is said about it"
        if what == "rules":
            session.left_out, missing = what, "what they find is not shown"
        name = os.path.basename(session.document.path)
        session.ended = f"{name}: {what}: {reason}; {missing} until the text has changed"
        self._on_result(session)
        session.patience = min(max(PATIENCE, 2 * session.patience), LONGEST_PATIENCE)

    def _try_again_later(self, session: Session) -> None:
        """What was left out is tried again when nobody has typed for a while."""
        if session.again is not None:
            session.again.cancel()
        session.again = asyncio.get_running_loop().call_later(session.patience, self._try_again, session)

    def _try_again(self, session: Session) -> None:
        self._forgive(session)
        self._start(session)

    def _forgive(self, session: Session) -> None:
        """What did not end may be tried again, by a new worker."""
        if session.again is not None:
            session.again.cancel()
        if session.left_out:
            self._stop(session, "it is tried again")
        session.again, session.failed = None, False
        session.left_out = session.ended = ""


def _innermost(roots: Iterable[str], path: str) -> str:
    """The folder that the file is in, the innermost of several; "" where it is in none."""
    return max((root for root in roots if path.startswith(root.rstrip("/") + "/")), key=len, default="")


def _concerns(session: Session, path: str) -> bool:
    """Whether the document may include what an editor has open as `path`: it does, or only editors know that file."""
    return path in session.includes or (os.path.isabs(path) and not os.path.exists(path))
