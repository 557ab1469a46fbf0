"""The open documents, each a `Session` with a worker process that analyses it.

Each document has a worker of its own (`worker.py`), so no document waits for another one, and an analysis can be ended
from outside, whatever it does (`workers.py`).  Everything here runs on the event loop's thread and takes moments.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ompls.project.files import read_source
from ompls.server import messages
from ompls.server.documents import Change, Document
from ompls.server.given import Given
from ompls.server.messages import Context
from ompls.server.nursery import Nursery
from ompls.server.plain import plain
from ompls.server.refusal import Lost, Refused, refuse
from ompls.server.session import Question, Session
from ompls.server.settings import Layer
from ompls.server.workers import Workers

log = logging.getLogger("ompls.server")

PAUSE = 0.3  # seconds without an edit before other documents are told of a text that they include
LONGEST_PAUSE = 2.0  # seconds after which they are told while somebody types


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
        self.sessions: dict[str, Session] = {}  # by URI
        self.given = Given(on_problem)
        self.workers = Workers(nursery, self.sessions, self._opening, self._said, on_result, on_lost=self._lost)
        self._on_result = on_result
        self._on_headers = on_headers
        self._on_more = on_more
        self._numbers = itertools.count(1)

    # --- what holds for all documents ----------------------------------------------------------------------------

    def set_context(self, context: Context) -> None:
        """The client, the roots, whether the workspace is trusted."""
        if self.given.set_context(context):
            self._renew()

    def configure(self, given: Layer, folders: Mapping[str, Layer]) -> bool:
        """New settings of the editor: every document is analysed again, with flags looked up anew.

        folders -- by root, of the documents in it; `given` holds elsewhere.
        False when there is nothing new.
        """
        news = self.given.configure(given, folders)
        if news:
            self._renew()
        return news

    def _renew(self) -> None:
        for session in self.sessions.values():
            self._configured(session)

    def _configured(self, session: Session) -> None:
        path = session.document.path
        session.settings = self.given.settings_for(path)
        session.stamp += 1
        self.workers.recovery.forgive(session)
        configured = messages.Configured(session.stamp, self.given.context_for(path), session.settings)
        self.workers.tell(session, configured)

    # --- the documents' life -------------------------------------------------------------------------------------

    def open(self, document: Document) -> Session:
        self.close(document.uri)
        session = Session(document, self.given.settings_for(document.path))
        self.sessions[document.uri] = session
        session.used = time.monotonic()
        self.workers.start(session)
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
        self.workers.recovery.edited(session)
        self.workers.tell(session, messages.Edited(session.stamp, version, made))
        self._text_changed(session)

    def close(self, uri: str) -> Session | None:
        session = self.sessions.pop(uri, None)
        if session is None:
            return None
        for timer in (session.again, session.told, session.typed):
            if timer is not None:
                timer.cancel()
        self.workers.stop(session, "it was closed")
        self._tell_includers(session, None)
        return session

    def files_changed(self, paths: Iterable[str]) -> None:
        """Files were saved or changed on the disk: headers may differ, and what project files say.

        paths -- which ones, all that is known of it
        """
        changed = set(paths)
        for session in list(self.sessions.values()):
            if self.given.settings_for(session.document.path) != session.settings:
                self._configured(session)
                self._on_headers(session)
            elif session.worker is not None:
                self.workers.tell(session, messages.Look())
            elif any(path in session.includes or not path.endswith(".c") for path in changed):
                self.workers.start(session)

    def by_path(self, path: str) -> Session | None:
        return next((s for s in self.sessions.values() if s.document.path == path), None)

    def read(self, path: str) -> bytes:
        """The text of a file, or of the open document.  Raises FileProblem."""
        session = self.by_path(path)
        return session.document.source if session is not None else read_source(path)

    def shutdown(self) -> None:
        for uri in list(self.sessions):
            self.close(uri)
        self.workers.shutdown()

    def _say_of_size(self, session: Session) -> None:
        limit = session.settings.diagnostics.max_file_size
        if session.document.size > limit:
            path = session.document.path
            from ompls.analysis import notes  # noqa: PLC0415 - few files are

            self.given.say(f"{os.path.basename(path)}: {notes.too_large(path, limit).message}")

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
                self.workers.tell(session, messages.Overlay(path, changed.document.uri, text))

    def _headers(self, session: Session, said: messages.Headers) -> None:
        new = said.paths - session.includes
        session.includes = said.paths
        for path in new:  # what an editor shows of it counts, not what is on the disk
            other = self.by_path(path)
            if other is not None and other is not session:
                self.workers.tell(session, messages.Overlay(path, other.document.uri, other.document.source))
        for problem in said.problems:
            self.given.say(problem)
        others = session.headers not in ("", said.key)  # a new worker does not know what the one before it had
        session.headers = said.key
        if said.news or others:
            self._on_headers(session)

    # --- asking --------------------------------------------------------------------------------------------------

    def ask(self, session: Session, method: str, params: Any) -> asyncio.Future[tuple[bytes, ...]]:
        """The worker's answer to a request of the client's: the text of JSON, in parts; Refused where there is none.

        A worker that ends meanwhile is replaced, and the new one is asked, once.
        """
        answer: asyncio.Future[tuple[bytes, ...]] = asyncio.get_running_loop().create_future()
        question = Question(method, plain(params), answer)
        answer.add_done_callback(lambda answer: self._forget(session, question) if answer.cancelled() else None)
        self._put(session, question)
        return answer

    def _put(self, session: Session, question: Question) -> None:
        if session.left_out == "analysis":
            question.answer.set_exception(refuse(session.ended))
            return
        session.used = time.monotonic()
        number = next(self._numbers)
        session.asked[number] = question
        try:
            self.workers.tell(session, messages.Ask(number, question.method, question.params))
        except BaseException:
            session.asked.pop(number, None)
            raise

    def _lost(self, session: Session, question: Question, lost: Lost) -> None:
        """A worker has ended that was asked this."""
        if question.again or lost.hung == question.method:
            self._refuse(question, lost)
        else:
            question.again = True
            asyncio.get_running_loop().call_soon(self._put_again, session, question, lost)

    def _put_again(self, session: Session, question: Question, lost: Lost) -> None:
        if self.sessions.get(session.document.uri) is not session:
            self._refuse(question, lost)
        elif not question.answer.done():
            log.info("%s: %s: asked again", question.method, lost)
            try:
                self._put(session, question)
            except OSError as problem:  # there is no worker
                question.answer.set_exception(problem)

    def _refuse(self, question: Question, lost: Lost) -> None:
        if not question.answer.done():
            question.answer.set_exception(lost)

    def _forget(self, session: Session, question: Question) -> None:
        """Nobody waits for the answer any more."""
        for number in [number for number, asked in session.asked.items() if asked is question]:
            del session.asked[number]
            if session.worker is not None:
                session.worker.send(messages.Forget(number))

    async def known(self, session: Session, headers: bool = False) -> None:
        """Wait until `session.fresh` is about the document as it is; headers: and they have been looked at."""
        await self._until(session, "textDocument/diagnostic, with headers" if headers else "textDocument/diagnostic")

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

    def _opening(self, session: Session) -> list[Any]:
        """What a worker has to know of the document as it is."""
        document = session.document
        opened = messages.Open(
            document.uri, document.path, document.version, document.source, document.encoding, session.stamp,
            self.given.context_for(document.path), session.settings, rules=not session.left_out,
            place=session.worker.child.place if session.worker is not None else None,
        )  # fmt: skip
        others = [other.document for other in self.sessions.values() if other is not session]
        overlays = [messages.Overlay(d.path, d.uri, d.source) for d in others if _concerns(session, d.path)]
        return [opened, *overlays]

    def _said(self, session: Session, message: Any) -> None:
        if isinstance(message, messages.Headers):
            self._headers(session, message)
        elif isinstance(message, messages.More):
            self._on_more(session)
        elif isinstance(message, messages.Fresh):
            session.fresh = message
            if session.current and not session.left_out:
                session.patience, session.failed = 0.0, False
            if message.stamp == session.stamp:
                self._on_result(session)
        else:
            log.error("the worker of %s says what nobody knows: %r", session.document.uri, message)


def _concerns(session: Session, path: str) -> bool:
    """Whether the document may include what an editor has open as `path`: it does, or only editors know that file."""
    return path in session.includes or (os.path.isabs(path) and not os.path.exists(path))
