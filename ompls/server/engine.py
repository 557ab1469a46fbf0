"""One `Session` per open document: its analyzer, its header snapshot, its last result.

Two tiers.  *Live*: every edit is analysed at once with the header snapshot at hand.  *Full*: in the background, after a
pause, the snapshot is computed anew; when it differs the document is analysed again and whoever shows results is told.
Everything here runs on the event loop's thread; what takes time runs on threads of its own, on values (`work.py`).
A result belongs to a *stamp* of its session (text, snapshot, settings); one that comes late is dropped.

A document that takes longer than `PASS` is analysed in passes, each twice as long as the one before: a keystroke, or
another document, never waits for all of a huge one.  What one pass found is shown, with a note about the rest; the next
one starts from there, because the analyzer remembers.  A pass is analysis and rules together, so that what is found by
then is on the screen when it ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot
from ompls.analysis.text import LineIndex
from ompls.project.files import read_source
from ompls.project.projectfile import ProjectFiles
from ompls.project.workspace import Workspace
from ompls.server.documents import Document
from ompls.server.guard import logged
from ompls.server.settings import Layer, Settings, settings_of
from ompls.server.work import analyse, collect, judge_within, read_headers

log = logging.getLogger("ompls.server")

FIRST_SNAPSHOT_WAIT = 0.25  # seconds that a new document waits for its headers before it is analysed without them
PASS = 0.5  # seconds of the first pass over a text
FIRST = 0.35  # as PASS, for a document of which nothing has been shown
IDLE = 60.0  # seconds without a change before the garbage of large files is looked for
TURNS = 4  # of the event loop until those who waited for a unit have their answers
MOST_PASSES = 7  # after which a text is left as far as it was looked at: two minutes
PAUSE = 0.3  # seconds without an edit before the headers are looked at again

# And what looks like one: this runs at every key.
_DIRECTIVE = re.compile(rb"#(?![ \t]*pragma\b)(?:[^\n\\]|\\\r?\n|\\)*")


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of one state of a document."""

    stamp: int
    version: int
    tu: TU
    lines: LineIndex  # of tu.source
    diagnostics: list[Diagnostic]
    seconds: float
    complete: bool = True  # False: there was not enough time for all of it


@dataclass(eq=False)
class Session:
    document: Document
    analyzer: Analyzer = field(default_factory=Analyzer)
    snapshot: HeaderSnapshot | None = None
    stamp: int = 0
    passes: int = 0  # over the present text that did not get to its end
    result: Result | None = None
    unit: Result | None = None  # as `result`, but the rules have not spoken yet
    unit_waiters: list[asyncio.Future[None]] = field(default_factory=list)
    answer_first: bool = False  # one of them has somebody waiting who types
    closed: bool = False
    job: asyncio.Task[Result] | None = None
    headers_job: asyncio.Task[None] | None = None
    headers_due: float = 0.0
    directives: list[bytes] = field(default_factory=list)  # of the text that the snapshot was made for
    announce_job: asyncio.Task[None] | None = None
    settings: Settings = field(default_factory=Settings)  # the editor's and those of the document's project file


class Engine:
    """The sessions, and the threads that work for them.

    on_result(session)  -- called for every fresh result
    on_headers(session) -- a look at headers or the project file made what was shown before outdated
    on_problem(text)    -- something is wrong with the surroundings (no compiler, …); called once for each
    """

    def __init__(
        self,
        on_result: Callable[[Session], None],
        on_headers: Callable[[Session], None],
        on_problem: Callable[[str], None],
    ) -> None:
        self.sessions: dict[str, Session] = {}  # by URI
        self.settings = Settings()
        self.workspace = Workspace([])
        self._given: Layer = {}
        self._projects = ProjectFiles()
        self._on_result = on_result
        self._on_headers = on_headers
        self._on_problem = on_problem
        self._problems: set[str] = set()
        self.roots: list[str] = []
        self._overlays: dict[str, bytes | None] = {}  # texts that the workspace has not been told yet (None: closed)
        self._analysis = ThreadPoolExecutor(1, "analysis")
        self._tidying: asyncio.TimerHandle | None = None
        self._io = ThreadPoolExecutor(1, "headers")

    def set_roots(self, roots: list[str]) -> None:
        self.roots = roots
        self._renew_workspace()

    def read(self, path: str) -> bytes:
        """The text of a file, or of the open document.  Raises FileProblem."""
        session = self.by_path(path)
        return session.document.source if session is not None else read_source(path)

    def _renew_workspace(self) -> None:
        self.workspace = Workspace(self.roots, self.settings.flags)
        for session in self.sessions.values():
            self._overlay(session.document.path, self._text(session.document))
            self._headers_later(session, 0.0)

    def _overlay(self, path: str, text: bytes | None) -> None:
        """Noted only: the workspace may be busy with a compiler for a while, and this thread must not wait for it."""
        if os.path.isabs(path):
            self._overlays[path] = text

    def _text(self, document: Document) -> bytes:
        """What is analysed of a document: nothing, when it is above the limit."""
        return document.source if document.size <= self.settings.diagnostics.max_file_size else b""

    # --- the documents' life -------------------------------------------------------------------------------------

    def open(self, document: Document) -> Session:
        self.close(document.uri)
        session = Session(document)
        self.sessions[document.uri] = session
        session.settings = self._settings_for(session)
        self._overlay(document.path, self._text(document))
        self._headers_later(session, 0.0)
        self.announce(session)
        self._touch_includers(session)
        return session

    def changed(self, session: Session) -> None:
        """The document's text is new."""
        text = self._text(session.document)
        self._overlay(session.document.path, text)
        self._outdated(session)
        self._touch_includers(session)

    def close(self, uri: str) -> Session | None:
        session = self.sessions.pop(uri, None)
        if session is None:
            return None
        session.closed = True
        self._overlay(session.document.path, None)
        for job in (session.headers_job, session.announce_job):
            if job is not None:
                job.cancel()
        self._touch_includers(session)
        return session

    def configure(self, given: Layer) -> bool:
        """New settings of the editor: every document is analysed again, with flags looked up anew.

        False when there is nothing new.
        """
        if given == self._given:
            return False
        self._given, self.settings = given, settings_of(given)
        self._renew_workspace()
        for session in self.sessions.values():
            session.settings = self._settings_for(session)
            self._outdated(session)
        return True

    def _settings_for(self, session: Session) -> Settings:
        return self.settings_for(session.document.path)

    def settings_for(self, path: str) -> Settings:
        """The editor's settings over those of the project file that is nearest to the file."""
        project = self._projects.of(path) if os.path.isabs(path) else None
        if project is None:
            return self.settings
        for problem in project.problems:
            self._tell(problem)
        return settings_of(project.layer, self._given)

    def files_changed(self) -> None:
        """Files were saved or changed on the disk: headers may differ, and what project files say."""
        for session in self.sessions.values():
            settings = self._settings_for(session)
            if settings != session.settings:
                session.settings = settings
                shown = session.result is not None
                self._outdated(session)
                if shown:
                    self._on_headers(session)
            self._headers_later(session, 0.0)

    def by_path(self, path: str) -> Session | None:
        return next((s for s in self.sessions.values() if s.document.path == path), None)

    def shutdown(self) -> None:
        for uri in list(self.sessions):
            self.close(uri)
        if self._tidying is not None:
            self._tidying.cancel()
        self._analysis.shutdown(wait=False, cancel_futures=True)
        self._io.shutdown(wait=False, cancel_futures=True)

    def _outdated(self, session: Session) -> None:
        """What is known of the document does not hold any more."""
        if self._tidying is not None:
            self._tidying.cancel()
        self._tidying = asyncio.get_running_loop().call_later(IDLE, collect)
        session.stamp += 1
        session.passes = 0
        self.announce(session)

    # --- results -------------------------------------------------------------------------------------------------

    async def result(self, session: Session) -> Result:
        """The result for the document as it is when this returns."""
        while True:
            if session.result is not None and session.result.stamp == session.stamp:
                return session.result
            if session.job is None or session.job.done():
                session.job = asyncio.create_task(self._analyse(session))
            await asyncio.shield(session.job)
            if session.closed:
                raise asyncio.CancelledError

    async def unit(self, session: Session, first: bool = False) -> Result:
        """As `result`, but without its diagnostics; these are not looked for before the answer is made if it is to
        come `first`: for those who type and wait."""
        while True:
            for known in (session.result, session.unit):
                if known is not None and known.stamp == session.stamp:
                    return known
            if session.job is None or session.job.done():
                session.job = asyncio.create_task(self._analyse(session))
            built = asyncio.get_running_loop().create_future()
            session.unit_waiters.append(built)
            session.answer_first |= first
            await asyncio.wait([session.job, built], return_when=asyncio.FIRST_COMPLETED)
            if session.job.done():
                session.job.result()  # raises what went wrong in it
            if session.closed:
                raise asyncio.CancelledError

    async def call(self, work: Callable[..., Any], *args: Any) -> Any:
        """Run `work` on the analysis thread (what reads a TU and takes more than a moment)."""
        return await asyncio.get_running_loop().run_in_executor(self._analysis, work, *args)

    def announce(self, session: Session) -> None:
        """Have `on_result` called as soon as the document's present state is analysed."""
        if session.announce_job is None or session.announce_job.done():
            work = logged(f"analysis of {session.document.uri}", self.result(session))
            session.announce_job = asyncio.create_task(work)

    async def full(self, session: Session) -> Result:
        """As `result`, but after the headers have been looked at."""
        if session.headers_job is not None and not session.headers_job.done():
            await asyncio.wait([session.headers_job])
        return await self.result(session)

    async def _analyse(self, session: Session) -> Result:
        if session.snapshot is None and session.headers_job is not None:
            await asyncio.wait([session.headers_job], timeout=FIRST_SNAPSHOT_WAIT)
        stamp, document = session.stamp, session.document
        snapshot = session.snapshot or EMPTY_SNAPSHOT
        text = self._text(document)
        lines = document.lines if text is document.source else LineIndex(text)
        work = partial(analyse, session.analyzer, document.path, text, snapshot, session.settings)
        version = document.version
        self._tell_of_size(document)
        started = time.perf_counter()
        budget = (FIRST if session.result is None else PASS) * 2**session.passes
        tu, spent = await self.call(_timed, work, budget)
        session.unit = Result(stamp, version, tu, lines, [], time.perf_counter() - started)
        waiting, session.unit_waiters = session.unit_waiters, []
        for built in waiting:
            if not built.done():
                built.set_result(None)
        if session.answer_first:  # else the rules' thread takes turns with this one, of 5 ms each
            session.answer_first = False
            for _ in range(TURNS):
                await asyncio.sleep(0)
        if not session.closed and _DIRECTIVE.findall(text) != session.directives:
            self._headers_later(session, PAUSE)
        left = max(budget - spent, budget / 4)  # an analysis that takes it all leaves time for what is said soon
        diagnostics, judged = await self.call(judge_within, tu, snapshot, session.settings, left)
        complete = tu.complete and judged
        result = Result(stamp, version, tu, lines, diagnostics, time.perf_counter() - started, complete)
        if stamp == session.stamp and not session.closed:
            session.result = result
            if not complete and session.passes < MOST_PASSES:  # the rest is another pass's, after whatever else waits
                session.stamp += 1
                session.passes += 1
                self.announce(session)
            self._on_result(session)
        return result

    def _tell_of_size(self, document: Document) -> None:
        limit = self.settings.diagnostics.max_file_size
        if document.size > limit:
            name = os.path.basename(document.path)
            why = f"it has more than {limit:,} bytes; raise ompls.diagnostics.maxFileSize to change that"
            self._tell(f"{name} is not analysed: {why}")

    def _tell(self, problem: str) -> None:
        if problem not in self._problems:
            self._problems.add(problem)
            self._on_problem(problem)

    # --- headers -------------------------------------------------------------------------------------------------

    def _headers_later(self, session: Session, pause: float) -> None:
        session.headers_due = time.monotonic() + pause
        if session.headers_job is None or session.headers_job.done():
            work = logged(f"reading the headers of {session.document.uri}", self._headers(session))
            session.headers_job = asyncio.create_task(work)

    async def _headers(self, session: Session) -> None:
        while (wait := session.headers_due - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        document = session.document
        text = self._text(document)
        session.directives = _DIRECTIVE.findall(text)
        overlays, self._overlays = self._overlays, {}
        workspace = self.workspace
        snapshot = await asyncio.get_running_loop().run_in_executor(
            self._io, read_headers, workspace, overlays, document.path, text
        )
        for problem in map(str, list(workspace.problems.values())):
            self._tell(problem)
        if session.closed:
            return
        previous, session.snapshot = session.snapshot, snapshot
        if previous is None or previous.key != snapshot.key:
            shown = session.result is not None
            self._outdated(session)
            if shown:
                self._on_headers(session)

    def _touch_includers(self, changed: Session) -> None:
        """Documents that include the changed one see its new text."""
        path = changed.document.path
        for session in self.sessions.values():
            if session is not changed and session.snapshot is not None:
                texts = session.snapshot.texts.values()
                if any(header == path for header, _ in texts):
                    self._headers_later(session, PAUSE)


def _timed(work: Callable[..., Any], *args: Any) -> tuple[Any, float]:
    """What `work` gives, and the seconds it took without the time that it waited for its turn."""
    started = time.perf_counter()
    return work(*args), time.perf_counter() - started
