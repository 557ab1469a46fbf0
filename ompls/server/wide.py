"""`workspace/diagnostic`: the C files of the workspace that are not open, checked one by one in the background.

A process of its own does it (`checker.py`), with low priority, so that no keystroke waits.  Answers go out as they
come (partial results) for clients that want that; a request that has nothing new to tell is held until there is.
A check that is cut off is made again; a file of which none comes to its end has a hint that says so.
Above `ompls.diagnostics.workspaceFiles` files nothing is checked that is not open.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.source import Location
from ompls.analysis.text import LineIndex
from ompls.project.files import read_source
from ompls.project.globs import matches
from ompls.project.problem import FileProblem
from ompls.project.units import parts_of
from ompls.server.convert import Json, Places, digest, incomplete, manual_uri, path_of, uri_of
from ompls.server.messages import SECONDS, Order
from ompls.server.session import Worker

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

log = logging.getLogger("ompls.server")
LIMIT = 2 * SECONDS  # until the checker is ended that does not answer
_LOOKS = 40  # whether it has, in that time
TRIES = 2  # for a file of which the checker dies, or does not answer; then a hint says so until something has changed
_PAUSE = 0.5  # seconds between a change and the next look: a checkout changes many files


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in a file.  `key` -- the state of the file and of what it depends on."""

    key: object
    id: str
    items: list[Json]


@dataclass(eq=False)
class _Pull:
    """One request: what the client has already, and what it is to get."""

    previous: dict[str, str]
    token: Any
    items: list[Json] = field(default_factory=list)
    sent: int = 0


class WorkspaceDiagnostics:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._reports: dict[str, Report] = {}  # by path
        self._generation = 0  # of everything but the files' own texts
        self._included: frozenset[str] = frozenset()  # real paths, of files that others include
        self._changed = asyncio.Event()
        self._one = asyncio.Lock()
        self._checker: Worker | None = None
        self._answered = False
        self._too_many = 0

    # --- from the server -----------------------------------------------------------------------------------------

    def changed(self, uris: list[str] | None = None) -> None:
        """Something is new on the disk or in the settings.  uris -- the files, when that is all that is."""
        if uris is None or not uris or not all(uri.endswith(".c") for uri in uris):
            self._generation += 1
        self._changed.set()

    def stop(self) -> None:
        checker, self._checker = self._checker, None
        if checker is not None:
            checker.end()

    # --- from the client -----------------------------------------------------------------------------------------

    async def pull(self, params: Any) -> Json:
        known = {p.uri: p.value for p in params.previous_result_ids}
        pull = _Pull(known, params.partial_result_token)
        async with self._one:
            while True:
                self._changed.clear()
                await self._round(pull, params.work_done_token)
                if pull.items or pull.sent or not self._answered:
                    self._answered = True
                    return {"items": pull.items}
                await self._changed.wait()
                await asyncio.sleep(_PAUSE)

    async def _round(self, pull: _Pull, work_done: Any) -> None:
        paths = await self._files()
        for uri in pull.previous.keys() - {uri_of(path) for path in paths}:
            if self.server.session(uri) is None:
                self._tell(pull, uri, None)
        due = [path for path in paths if self.server.engine.by_path(path) is None]
        stale = [path for path in due if self._is_stale(path)]
        for path in due:
            if path not in stale:
                self._tell(pull, uri_of(path), self._reports[path])
        if not stale:
            return
        progress = partial(self.server.protocol.tell_progress, work_done)
        progress({"kind": "begin", "title": "ompls: checking the workspace", "percentage": 0})
        try:
            for number, path in enumerate(stale):
                message = {"message": os.path.basename(path), "percentage": 100 * number // len(stale)}
                progress({"kind": "report", **message})
                await self._check(path)
                self._tell(pull, uri_of(path), self._reports[path])
        finally:
            progress({"kind": "end"})

    def _tell(self, pull: _Pull, uri: str, report: Report | None) -> None:
        """Say what is in a file unless the client knows it; None: it is gone."""
        number, items = (report.id, report.items) if report is not None else ("", [])
        if pull.previous.get(uri, "") == number:
            return
        pull.previous[uri] = number
        full = {"uri": uri, "version": None, "kind": "full", "resultId": number, "items": items}
        if pull.token is None:
            pull.items.append(full)
        else:
            pull.sent += 1
            self.server.protocol.tell_progress(pull.token, {"items": [full]})

    # --- files ---------------------------------------------------------------------------------------------------

    async def _files(self) -> list[str]:
        """The C files below the roots, in order; none when they are too many."""
        engine = self.server.engine
        wanted = {root: engine.given.settings_for(os.path.join(root, "x.c")).diagnostics for root in engine.given.roots}
        limit = max([its.workspace_files for its in wanted.values()], default=0)
        if limit <= 0:
            return []
        roots = [(root, its.exclude) for root, its in wanted.items() if its.workspace_files > 0]
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(None, _below, roots, 20 * limit)
        if len(found) > limit:
            self._tell_of_size(len(found), limit)
            return []
        self._included = await loop.run_in_executor(None, parts_of, found)
        return found

    def _tell_of_size(self, count: int, limit: int) -> None:
        if not self._too_many:
            why = f"the workspace has {count} or more C files, above ompls.diagnostics.workspaceFiles ({limit})"
            log.info("%s: only open files are checked", why)
        self._too_many = count

    def _key(self, path: str) -> object:
        try:
            status = os.stat(path)
        except OSError:
            return None
        settings = self.server.engine.given.settings_for(path)
        return (status.st_mtime_ns, status.st_size, self._generation, settings, self._is_included(path))

    def _is_included(self, path: str) -> bool:
        return os.path.realpath(path) in self._included

    def _is_stale(self, path: str) -> bool:
        report = self._reports.get(path)
        return report is None or report.key != self._key(path)

    # --- checking ------------------------------------------------------------------------------------------------

    async def _check(self, path: str) -> None:
        engine = self.server.engine
        key, settings = self._key(path), engine.given.settings_for(path)
        items = await self._found(Order(path, engine.given.roots_for(path), settings, self._is_included(path)))
        number = digest(json.dumps(item, sort_keys=True).encode() for item in items)
        self._reports[path] = Report(key, number if items else "", items)

    async def _found(self, order: Order) -> list[Json]:
        """What the checker finds; a hint where it dies of the file, or does not come to an end, at every try."""
        why = ""
        for _ in range(TRIES):
            try:
                return self._items(order.path, await self._ask(order))
            except ConnectionError:
                why = "its process has ended"
            except asyncio.TimeoutError:
                why = f"no end after {LIMIT:.0f} s"
            log.warning("%s: the check was ended: %s", order.path, why)
        log.warning("%s: not checked until it has changed", order.path)
        name = os.path.basename(order.path)
        return [incomplete(f"{name}: the check of the file: {why}; nothing is said about it until it has changed")]

    async def _ask(self, order: Order) -> list[Diagnostic]:
        """What the checker finds.  Raises ConnectionError or TimeoutError; it is gone then."""
        if self._checker is None:
            self._checker = Worker(self.server.engine.workers.nursery.fork("check"))
        try:
            self._checker.send(order)
            found: list[Diagnostic] = await _within(self._checker.receive(), LIMIT)
        except BaseException:
            self.stop()  # half an answer may be on its way
            raise
        return found

    def _items(self, path: str, found: list[Diagnostic]) -> list[Json]:
        """As the document's own diagnostics; what is in a header is shown at the file's first line."""
        try:
            source = read_source(path)
        except FileProblem:
            return []
        server = self.server
        places = Places(path, LineIndex(source), server.client.encoding, server.uri, server.engine.read)
        first = Location(path, 0, 0)
        virtual = server.client.virtual_documents
        return [
            places.diagnostic(d, d.where if d.where.path == path else first, manual_uri(d.rule, virtual)) for d in found
        ]


async def _within(work: Coroutine[Any, Any, Any], seconds: float) -> Any:
    """As asyncio.wait_for; but time in which this process is stopped does not count."""
    task = asyncio.create_task(work)
    try:
        for _ in range(_LOOKS):
            if (await asyncio.wait({task}, timeout=seconds / _LOOKS))[0]:
                return task.result()
        raise asyncio.TimeoutError
    finally:
        task.cancel()


def _below(roots: list[tuple[str, tuple[str, ...]]], most: int) -> list[str]:
    """The C files in the folders `roots`, each with what is left out below it; about so many at most."""
    found: list[str] = []
    for root, globs in roots:
        for parent, folders, files in os.walk(root):
            folders[:] = sorted(f for f in folders if not f.startswith(".") and not _any(globs, parent, f))
            found += [os.path.join(parent, f) for f in sorted(files) if f.endswith(".c")]
            if len(found) > most:
                break
        found = [path for path in found if not _any(globs, "", path)]
    return list(dict.fromkeys(found))


def uris_of(params: Any) -> list[str]:
    """The files that a notification about files names."""
    document = getattr(params, "text_document", None)
    named = [document.uri] if document is not None else [c.uri for c in getattr(params, "changes", None) or ()]
    return [uri_of(path_of(uri)) for uri in named]


def _any(globs: tuple[str, ...], parent: str, name: str) -> bool:
    return any(matches(glob, os.path.join(parent, name)) for glob in globs)
