"""The process that analyses one open document and answers what is asked of it: a loop that hears what is new, then does
what is most urgent.

Two tiers.  *Live*: every edit is analysed at once with the header snapshot at hand.  *Full*: after a pause the snapshot
is computed anew, on a thread, since a compiler runs for it; when it differs the document is analysed again.

A document that takes longer than `PASS` is analysed in passes, each twice as long as the one before: a keystroke never
waits for all of a huge one.  What one pass found is shown, with a note about the rest; the next one starts from there,
because the analyzer remembers.  A pass is analysis and rules together, so that what is found by then is on the screen
when it ends.  It makes room for who can be answered before that.

Of a long document its beginning is looked at before all else, for the lenses above the fold; the client asks again when
all of it is known.  Until it has had all lenses once, it gets those that are known; from then on they come behind the
diagnostics, which somebody who types looks at.

Before something begins, the server is told what it is and how long it should take; if it does not end, the server ends
this process (`workers.py`) and no other document waits for it.
"""

from __future__ import annotations

import json
import logging
import os
import select
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from socket import socket
from typing import Any

from ompls.analysis import features, notes
from ompls.analysis.source import HeaderSnapshot
from ompls.analysis.text import LineIndex
from ompls.server import messages, page
from ompls.server.answers import METHODS
from ompls.server.convert import json_of
from ompls.server.frames import Frames, frame, pieces
from ompls.server.lean import resident
from ompls.server.opened import NotYet, Opened, Result, included_at
from ompls.server.refusal import Refused, failed
from ompls.server.work import Deadline, analyse, collect, judge_within

log = logging.getLogger("ompls.server")

FIRST_SNAPSHOT_WAIT = 0.25  # seconds that a new document waits for its headers before it is analysed without them
FIRST_LOOK_WAIT = 0.1  # the same before its beginning is looked at: with what is kept of the compiler they take 5 ms
PASS = 0.5  # seconds of the processor's time for the first pass over a text
FIRST = 0.12  # as PASS, for a document of which nothing has been shown; the look at a long one has half of it more
LOOK = 1 << 13  # bytes of a long one that are looked at before all others: what is above the fold
IDLE = 60.0  # seconds without a change before the garbage of large files is looked for
MOST_PASSES = 7  # after which a text is left as far as it was looked at: two minutes
PAUSE = 0.3  # seconds without an edit before the headers are looked at again
HEADERS = 30.0  # seconds that the compiler and we may take for them
ANSWER = 5.0  # seconds that an answer should take at most
SOON = 0.05  # seconds after which work makes room for who can be answered before it is done
KEY = 0.25  # seconds that rules go on for a text that has changed: less, and they say nothing while somebody types


def main(connection: socket) -> None:
    """Work for the server at the other end of `connection` until it goes away."""
    last_words = frame(messages.Exhausted())  # there will be no memory to make them
    server = Frames(connection)
    try:
        opening = server.next()
        if opening is not None:
            Worker(server, opening).run()
    except MemoryError:
        connection.sendall(last_words)
    except ConnectionError:
        return


class Worker:
    def __init__(self, server: Frames, opening: messages.Open) -> None:
        self._server = server
        self.opened = Opened(opening)
        self._rules = opening.rules
        self._place = opening.place
        self._unit: Result | None = None  # the last analysis
        self._look: Result | None = None  # of the document's beginning, before all else
        self._partly = False  # somebody was told of a part, and will ask again
        self._wholly = False  # somebody was told of all lenses: they stay where they are while it is analysed again
        self._said: Result | None = None  # the last one with its diagnostics: what the server was told
        self._result: Result | None = None  # the same, if no other pass follows
        self._shown = False  # anything of the document
        self._passes = 0  # over the present text that did not get to its end
        self._spent = 0.0  # seconds of a pass that made room for somebody
        self._asked: list[messages.Ask] = []
        self._later: set[int] = set()  # of these, those that need the rules' result after all
        self._kept: tuple[bytes, ...] = ()  # the last answer in parts: the server keeps it, too
        self._doing = ""  # what the server was told
        self._statm = os.open("/proc/self/statm", os.O_RDONLY)
        self._memory = resident(self._statm)  # it was forked with that
        self._io = ThreadPoolExecutor(1, "headers")
        self._headers: Future[HeaderSnapshot] | None = None  # being read
        self._headers_due: float | None = None
        self._changed_at = time.monotonic()
        self._tidy = True  # nothing was analysed since garbage was looked for
        self._directives: tuple[bytes, ...] = ()  # of the text that the snapshot was made for
        self._woken, self._waker = os.pipe()

    # --- the loop ------------------------------------------------------------------------------------------------

    def run(self) -> None:
        self._server.send(messages.Began(os.getpid()))
        self._read_headers()
        while self._hear():
            if not self._do_most_urgent():
                self._rest()
        self._io.shutdown()
        os.close(self._statm)

    def _do_most_urgent(self) -> bool:
        """False: there is nothing to do before something is heard, or due."""
        if (ready := self._answerable()) is not None:
            self._answer(*ready)
        elif self._headers is not None and self._headers.done():
            self._take_headers(self._headers)
        elif self._headers is None and self._headers_due is not None and self._headers_due <= time.monotonic():
            self._read_headers()
        elif self._known(self._unit) is None:
            self._analyse()
        elif self._known(self._result) is None:
            self._judge()
        elif not self._tidy and time.monotonic() > self._changed_at + IDLE:
            self._tidy = True
            collect()
        else:
            return False
        return True

    def _rest(self) -> None:
        if self._headers is not None:
            self._begin("headers", HEADERS)
        elif self._doing:
            self._doing = ""
            if self._place is not None:
                page.write(self._place, "", 0.0)
            self._server.send(messages.Idle(resident(self._statm) - self._memory))
        due = [] if self._tidy else [self._changed_at + IDLE]
        if self._headers is None and self._headers_due is not None:
            due.append(self._headers_due)
        self._wait(max(0.0, min(due) - time.monotonic()) if due else None)

    def _wait(self, seconds: float | None) -> None:
        self._server.flush()
        sources: list[Any] = [self._server, self._woken]
        if self._woken in select.select(sources, [], [], seconds)[0]:
            os.read(self._woken, 1)

    def _begin(self, what: str, seconds: float) -> None:
        if what != self._doing or what != "headers":
            if self._place is not None:
                page.write(self._place, what, seconds)
            if self._place is None or not self._doing:  # it was told nothing, so nobody watches it
                self._server.hold(messages.Busy(what, seconds))
            self._doing = what
            self._server.flush()

    # --- what the server says ------------------------------------------------------------------------------------

    def _hear(self) -> bool:
        """Take in what has arrived; False: the server is gone."""
        for message in self._server.arrived():
            self._doing = self._doing or "listening"  # whoever tells something hears when it is done
            self._take(message)
        return not self._server.ended

    def _take(self, message: Any) -> None:
        if isinstance(message, messages.Edited):
            self.opened.document.apply(message.version, list(message.changes))
            self._outdated(message.stamp)
        elif isinstance(message, messages.Ask):
            self._asked.append(message)
        elif isinstance(message, messages.Forget):
            self._asked = [asked for asked in self._asked if asked.number != message.number]
        elif isinstance(message, messages.Overlay):
            self.opened.overlay(message)
            self._headers_later(0.0)
        elif isinstance(message, messages.Look):
            self.opened.look_for_devices()
            self._headers_later(0.0)
        elif isinstance(message, messages.Configured):
            self.opened.configure(message.context, message.settings)
            self._outdated(message.stamp)
            self._headers_later(0.0)

    def _outdated(self, stamp: int) -> None:
        """What is known of the document does not hold any more."""
        self.opened.stamp = stamp
        self._look = self._unit = self._said = self._result = None
        self._passes, self._spent = 0, 0.0
        self._changed_at = time.monotonic()

    def _deadline(self, seconds: float, patience: float) -> Deadline:
        """A budget of the processor's time.  It ends early when somebody can be answered; and, after so many seconds,
        when the text has changed."""
        began = time.monotonic()

        def wanted() -> bool:
            self._hear()
            edited = self._changed_at > began and time.monotonic() > began + patience
            return edited or self._answerable() is not None

        return Deadline(seconds, wanted, SOON, time.thread_time)

    # --- results -------------------------------------------------------------------------------------------------

    def _known(self, result: Result | None) -> Result | None:
        """`result` if it is one of the text as it is."""
        return result if result is not None and result.stamp == self.opened.stamp else None

    @property
    def _budget(self) -> float:
        """Seconds of the next pass."""
        return (FIRST if not self._shown and not self._passes else PASS) * float(2**self._passes)

    def _analyse(self) -> None:
        opened = self.opened
        text, stamp, document = opened.text, opened.stamp, opened.document
        look, budget = self._known(self._look), self._budget
        looks = look is None and not self._shown and not self._passes and len(text) > 2 * LOOK
        if opened.snapshot is None and self._headers is not None and not self._headers.done():
            patience = self._changed_at + (FIRST_LOOK_WAIT if looks else FIRST_SNAPSHOT_WAIT)
            self._wait(max(0.0, patience - time.monotonic()))
            if time.monotonic() < patience:
                return  # it was told something, or has the headers
        if looks:
            text = text[: text.rfind(b"\n", 0, LOOK) + 1]
        if looks or look is not None:
            budget /= 2  # then there is time for the rules on it
        lines = document.lines if text is document.source else LineIndex(text)
        budget = max(budget - self._spent, SOON)
        deadline = Deadline(budget, clock=time.thread_time) if looks else self._deadline(budget, PASS)
        self._begin("analysis", budget)
        started = time.thread_time()
        tu = analyse(opened.analyzer, document.path, text, opened.headers, opened.meant, deadline)
        self._tidy = False
        seconds = time.thread_time() - started
        if deadline.interrupted and not tu.complete and budget - seconds > SOON:
            self._spent += seconds
            return  # what is analysed is remembered: it goes on from there
        result = Result(stamp, document.version, tu, lines, None, seconds, tu.complete)
        if looks:
            self._look = result
            return
        self._unit, self._spent = result, 0.0
        if tu.complete:
            self._tell_of_all()
        if features.directive_lines(text) != self._directives:
            self._headers_later(PAUSE)

    def _tell_of_all(self) -> None:
        if self._partly:
            self._partly = False
            self._server.send(messages.More())

    def _judge(self) -> None:
        unit, opened = self._unit, self.opened
        assert unit is not None
        if not self._rules or opened.too_large:
            options = opened.settings.diagnostics
            shown = opened.too_large and options.enable
            found = [notes.too_large(opened.document.path, options.max_file_size)] if shown else []
            self._say(replace(unit, diagnostics=opened.settings.kept(found), complete=False), last=True)
            return
        # An analysis that takes it all leaves time for what is said soon.
        left = max(self._budget - unit.seconds, self._budget / 4)
        deadline = self._deadline(left, KEY)
        self._begin("rules", left)
        started = time.thread_time()
        diagnostics, judged = judge_within(unit.tu, opened.headers, opened.settings, deadline)
        took = time.thread_time() - started
        seconds = unit.seconds + took
        if self._known(unit) is None:
            return  # somebody has typed
        if deadline.interrupted and left - took > SOON:
            self._unit = replace(unit, seconds=seconds)  # what was found is remembered: they go on from there
            return
        complete = unit.complete and judged
        last = complete or self._passes >= MOST_PASSES
        self._say(replace(unit, diagnostics=diagnostics, seconds=seconds, complete=complete), last)

    def _say(self, result: Result, last: bool) -> None:
        """This is what is known now; if it is not the last word another pass follows, after whatever else waits."""
        self._said = result
        self._shown = True
        tu, places = result.tu, self.opened.places(result)
        inactive = json.dumps([places.range(where) for where in features.inactive(tu)]).encode()
        items, regions = tuple(self._items(result)), features.lens_count(tu)
        said = messages.Fresh(
            result.stamp, result.version, items, inactive, regions, result.complete, result.seconds, last
        )
        self._server.hold(said)
        if last:
            self._tell_of_all()
            self._unit = self._result = result
        else:
            self._passes += 1
            unit = self._unit  # where it is whole only the rules go on
            self._unit = replace(unit, seconds=0.0) if unit is not None and unit.complete else None

    def _items(self, result: Result) -> list[bytes | messages.Elsewhere]:
        """The diagnostics as JSON; what is in a header is shown there if the client has it open, else where it is
        included."""
        opened, places = self.opened, self.opened.places(result)
        items: list[bytes | messages.Elsewhere] = []
        for diagnostic in result.found:
            where, manual = diagnostic.where, opened.manual_uri(diagnostic.rule)
            item = json_of(places.diagnostic(diagnostic, where, manual))
            if where.path == opened.document.path:
                items.append(item)
            else:
                here = json_of(places.diagnostic(diagnostic, included_at(result, where.path), manual))
                items.append(messages.Elsewhere(where.path, item, here))
        return items

    # --- answers -------------------------------------------------------------------------------------------------

    def _answerable(self) -> tuple[messages.Ask, Result] | None:
        """The most urgent request that can be answered now: what is in sight, then as they came, all colours last."""
        later = None
        for asked in sorted(self._asked, key=lambda asked: METHODS[asked.method].needs == "colours"):
            needs = "result" if asked.number in self._later else METHODS[asked.method].needs
            known = self._known(self._enough(needs, asked.params))
            if known is not None and needs in {"first", "sight"}:
                return asked, known
            if known is not None and later is None:
                later = asked, known
        return later

    def _enough(self, needs: str, params: Any) -> Result | None:
        """What suffices for an answer."""
        if needs == "sight":
            return self._in_sight(params)
        if needs == "colours":
            waits = not self._shown and self.opened.context.client.colours_sight
            return None if waits else self._known(self._unit) or self._said
        if needs == "first" and self._wholly and not self._partly:
            return self._said if self._said is not None and self._said.tu.complete else self._result
        if needs in {"first", "whole"} and self._unit is not None and self._unit.complete:
            return self._unit
        if needs == "first":
            return self._part() or self._result
        if needs == "full" and (self._headers is not None or self._headers_due is not None):
            return None
        return {"unit": self._unit, "some": self._said}.get(needs, self._result)

    def _part(self) -> Result | None:
        """What is known of the text, where a client asks again when told, and was never told of all."""
        if self._wholly or not self.opened.context.client.refreshes_lenses:
            return None
        parts = [part for part in map(self._known, (self._unit, self._said, self._look)) if part is not None]
        most = max(parts, key=lambda part: features.lens_count(part.tu), default=None)
        return most if most is not None and features.lens_count(most.tu) else None

    def _in_sight(self, params: Any) -> Result | None:
        """All of the text, or its beginning if the range that is asked about is in that."""
        look = self._known(self._look)
        inside = look is not None and params.range.end.line < len(look.lines) - 1
        return look if inside and self._known(self._unit) is None else self._unit

    def _answer(self, asked: messages.Ask, known: Result) -> None:
        self._begin(asked.method, ANSWER)
        reply: messages.Answer | messages.Failed
        try:
            reply = self._reply(asked, known)
            whole = known is not self._look and known.tu.complete
            if METHODS[asked.method].needs == "first":
                self._partly, self._wholly = self._partly or not whole, self._wholly or whole
        except NotYet:
            self._later.add(asked.number)
            return
        except Refused as refused:
            reply = messages.Failed(asked.number, refused.code, refused.message)
        except Exception as problem:
            log.exception("%s failed on %s", asked.method, self.opened.document.uri)
            fault = failed(asked.method, problem)
            reply = messages.Failed(asked.number, fault.code, fault.message)
        self._asked.remove(asked)
        self._later.discard(asked.number)
        self._server.hold(reply)  # until something else begins, or nothing is left to do

    def _reply(self, asked: messages.Ask, known: Result) -> messages.Answer:
        """What is made in parts is large, and mostly what it was the last time: then the server is told only that."""
        method = METHODS[asked.method]
        text = method.text(self.opened, known, asked.params)
        if method.parts is None:
            return messages.Answer(asked.number, text)
        if text == self._kept:
            return messages.Answer(asked.number, None)
        self._kept = text
        return messages.Answer(asked.number, tuple(pieces(text)), kept=True)

    # --- headers -------------------------------------------------------------------------------------------------

    def _headers_later(self, pause: float) -> None:
        self._headers_due = time.monotonic() + pause

    def _read_headers(self) -> None:
        self._headers_due = None
        opened = self.opened
        text, path = opened.text, opened.document.path
        self._directives = features.directive_lines(text)
        opened.reading = True
        version = opened.settings.openmp_version
        self._headers = self._io.submit(
            lambda: opened.workspace.snapshot(path, text, opened.workspace.flags(path), version)
        )
        self._headers.add_done_callback(lambda _: os.write(self._waker, b"."))

    def _take_headers(self, done: Future[HeaderSnapshot]) -> None:
        opened = self.opened
        self._headers, opened.reading = None, False
        snapshot, previous = done.result(), opened.snapshot
        opened.snapshot = snapshot
        news = previous is None or previous.key != snapshot.key
        if news:
            self._outdated(opened.stamp)
        paths = frozenset(path for path, _ in snapshot.texts.values())
        problems = tuple(map(str, opened.workspace.problems.values()))
        self._server.send(messages.Headers(snapshot.key, paths, problems, news and self._shown))
