"""The worker of a document: passes over texts that take long, and what the live tier says before the full one."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from waiting import LIMIT

from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot
from ompls.project.workspace import Workspace
from ompls.server import messages, page
from ompls.server import worker as workers
from ompls.server.client import Client
from ompls.server.documents import Change
from ompls.server.frames import Frames, Received, frame
from ompls.server.messages import Context
from ompls.server.settings import Settings
from ompls.server.work import Deadline

FUNCTION = """\
int f%d(int n)
{
    int s = 0;
    #pragma omp target map(tofrom: s) nowiat
    for (int i = 0; i < n; i++) s += i;
    return s;
}
"""
Kind = TypeVar("Kind")


class Server:
    """The other end: what the worker says, in order."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._frames = Frames(connection)
        self.heard: list[Any] = []
        self._stamp = self._asked = 0
        self._kept: tuple[bytes, ...] | None = None
        self.again = 0  # answers that were what the one before them was, and not sent

    def next(self, kind: type[Kind]) -> Kind:
        """Wait for the next message of this kind."""
        while True:
            message = self._frames.next()
            assert message is not None, "the worker has ended"
            self.heard.append(message)
            if isinstance(message, messages.Answer):
                self.again += message.parts is None
                if message.parts is None or message.kept:
                    message.parts = self._kept = message.parts or self._kept
            if isinstance(message, kind):
                return message

    def last(self) -> messages.Fresh:
        """Wait until nothing follows for the present text, headers included."""
        number = self.ask("textDocument/diagnostic, with headers")
        while self.next(messages.Answer).number != number:
            pass
        return [m for m in self.heard if isinstance(m, messages.Fresh)][-1]

    def ask(self, method: str, params: Any = None) -> int:
        self._asked += 1
        self._frames.send(messages.Ask(self._asked, method, params))
        return self._asked

    def edit(self, change: Change) -> None:
        self._frames.send(self._edited(change))

    def _edited(self, change: Change) -> messages.Edited:
        self._stamp += 1
        return messages.Edited(self._stamp, self._stamp + 1, (change,))

    def edit_and_ask(self, change: Change, method: str, params: Any = None) -> None:
        """Both are there when the worker looks."""
        self._asked += 1
        self.connection.sendall(frame(self._edited(change)) + frame(messages.Ask(self._asked, method, params)))

    def results(self) -> list[messages.Fresh]:
        return [m for m in self.heard if isinstance(m, messages.Fresh)]


@contextmanager
def working(path: Path, text: str, context: Context | None = None, place: int | None = None) -> Iterator[Server]:
    """A worker on a thread of this process, for one document.  place -- on the page; without one it says all"""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=workers.main, args=(theirs,))
    thread.start()
    opening = messages.Open(
        path.as_uri(), str(path), 1, text.encode(), "utf-8", 0, context or Context(), Settings(), place=place
    )
    ours.sendall(frame(opening))
    try:
        yield Server(ours)
    finally:
        ours.shutdown(socket.SHUT_RDWR)
        thread.join(60)
        assert not thread.is_alive()
        ours.close()
        theirs.close()


def short_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PASS", 0.002)
    monkeypatch.setattr(workers, "FIRST", 0.002)
    monkeypatch.setattr(workers, "MOST_PASSES", 20)  # a busy machine gets little done in one


def test_a_long_text_is_analysed_in_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(FUNCTION % n for n in range(150))
    with working(tmp_path / "a.c", text) as server:
        at_once = server.last().items
    short_passes(monkeypatch)
    with working(tmp_path / "a.c", text) as server:
        final = server.last()
        assert final.complete
        assert final.items == at_once
        assert len(at_once) == 150
        partial = [r for r in server.results() if not r.complete]
        assert len(partial) >= 2
        for result in partial:
            assert {item for item in result.items if b"analysis-incomplete" not in item} <= set(at_once)  # type: ignore[operator]
        assert any(b"analysis-incomplete" in item for item in partial[-1].items)  # type: ignore[operator]


def test_a_keystroke_between_passes_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short_passes(monkeypatch)
    text = "".join(FUNCTION % n for n in range(150))
    with working(tmp_path / "a.c", text) as server:
        assert not server.next(messages.Fresh).complete
        server.edit(Change("int x;\n", (0, 0), (0, 0)))
        final = server.last()
        assert (final.version, final.complete, len(final.items)) == (2, True, 150)


LIVE = {
    "a header with a macro": "#include <limits.h>\nint f(void)\n{\n    int s = 0;\n    #pragma omp target\n"
    "    s = INT_MAX;\n    return s;\n}\n",
    "a header with a function": "#include <math.h>\nvoid f(double *x)\n{\n    #pragma omp target map(x[0:4])\n"
    "    x[0] = sqrt(x[1]) + unknown(x[2]);\n}\n",
    "a project header with the pragma": '#include "own.h"\nvoid f(int n)\n{\n    TARGET\n    n = own(n);\n'
    "    #pragma omp target paralel\n    n++;\n}\n",
    "a missing header": "#include <no_such.h>\nvoid f(int *p)\n{\n    thing_t t;\n    #pragma omp target nowiat\n"
    "    { p[0] = t.x; }\n}\n",
    "a type from a header": "#include <stddef.h>\n#include <stdint.h>\nsize_t f(uint8_t *p, size_t n)\n{\n"
    "    size_t s = 0;\n    #pragma omp target teams distribute parallel for\n"
    "    for (size_t i = 0; i < n; i++) s += p[i];\n    return s;\n}\n",
    "a declaration in a header": '#include "own.h"\nvoid f(int n)\n{\n    #pragma omp target\n    n = own(n);\n}\n',
}


@pytest.mark.parametrize("text", LIVE.values(), ids=LIVE)
def test_the_live_tier_warns_of_nothing_that_the_full_tier_takes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """What is said before the headers are known, other than hints, has the ids and ranges that it keeps."""
    (tmp_path / "own.h").write_text(
        '#define TARGET _Pragma("omp target map(tofrom: n)")\n#pragma omp declare target\nint own(int);\n'
        "#pragma omp end declare target\n"
    )
    monkeypatch.setattr(workers, "FIRST_SNAPSHOT_WAIT", 0.0)
    slow = Workspace.snapshot

    def late(*arguments: Any) -> HeaderSnapshot:
        blocked.wait(LIMIT)
        return slow(*arguments)

    blocked = threading.Event()
    monkeypatch.setattr(Workspace, "snapshot", late)
    with working(tmp_path / "a.c", text) as server:
        live = server.next(messages.Fresh)
        blocked.set()
        full = server.last()
        assert live is not full
        sure = {item for item in live.items if b'"severity":4' not in item}  # type: ignore[operator]
        assert sure <= set(full.items), sure - set(full.items)


def test_who_waits_for_a_unit_has_an_answer_before_the_rules_run(tmp_path: Path) -> None:
    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        server.last()
        server.heard.clear()
        server.edit_and_ask(Change(" ", (0, 0), (0, 0)), "textDocument/foldingRange")
        server.last()
    kinds = [getattr(m, "what", type(m).__name__) for m in server.heard]
    assert kinds.index("analysis") < kinds.index("Answer") < kinds.index("rules") < kinds.index("Fresh")


def test_lenses_that_were_told_once_wait_for_what_a_key_means(tmp_path: Path) -> None:
    """They stay where they are meanwhile, and there are many."""
    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        server.last()
        server.ask("textDocument/codeLens", {})
        before = server.next(messages.Answer)
        server.heard.clear()
        server.edit_and_ask(Change(" ", (0, 0), (0, 0)), "textDocument/codeLens", {})
        assert lenses(server.next(messages.Answer)) == lenses(before) > 0
    kinds = [type(message).__name__ for message in server.heard]
    assert kinds.index("Fresh") < kinds.index("Answer")


def test_lenses_that_stay_where_they_are_are_not_sent_again(tmp_path: Path) -> None:
    def asked(server: Server) -> list[int]:
        server.ask("textDocument/codeLens", {})
        return [lens["range"]["start"]["line"] for lens in json.loads(text_of(server.next(messages.Answer)))]

    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        server.last()
        before = asked(server)
        server.edit(Change(" ", (4, 0), (4, 0)))
        assert asked(server) == before
        assert server.again == 1
        server.edit(Change("\n", (0, 0), (0, 0)))
        assert asked(server) == [line + 1 for line in before]
        assert asked(server) == [line + 1 for line in before]
        assert server.again == 2


def test_a_key_is_two_messages_that_the_server_wakes_once_for(tmp_path: Path) -> None:
    """What is done for it is on the page."""
    place = page.take()
    assert place is not None
    with working(tmp_path / "a.c", FUNCTION % 1, place=place) as server:
        server.last()
        server.next(messages.Idle)
        assert page.read(place).what == ""
        server.heard.clear()
        server.edit(Change(" ", (0, 0), (0, 0)))
        select.select([server.connection], [], [])
        there = Received()
        there.add(server.connection.recv(1 << 16))
        assert [type(message) for message in there.values()] == [messages.Fresh, messages.Idle]
    page.give_back(place)


def test_what_a_worker_does_is_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*given: Any) -> Any:
        seen.append(page.read(place).what)
        return judge_within(*given)

    seen, place, judge_within = list[str](), page.take(), workers.judge_within
    monkeypatch.setattr(workers, "judge_within", slow)
    with working(tmp_path / "a.c", FUNCTION % 1, place=place) as server:
        server.last()
    assert set(seen) == {"rules"}
    page.give_back(place)


def test_colours_above_the_fold_come_before_all_of_a_long_text_is_analysed(tmp_path: Path) -> None:
    """And they are the same as later."""

    def asked(last: int) -> SimpleNamespace:
        places = SimpleNamespace(line=0, character=0), SimpleNamespace(line=last, character=0)
        return SimpleNamespace(range=SimpleNamespace(start=places[0], end=places[1]))

    text = "".join(FUNCTION % n for n in range(400))
    with working(tmp_path / "a.c", text) as server:
        folds = server.ask("textDocument/foldingRange")
        far = server.ask("textDocument/semanticTokens/range", asked(2000))
        near = server.ask("textDocument/semanticTokens/range", asked(60))
        answers = [server.next(messages.Answer) for _ in range(3)]
        assert [answer.number for answer in answers] == [near, far, folds]
        server.last()
        server.ask("textDocument/semanticTokens/range", asked(60))
        assert server.next(messages.Answer).parts == answers[0].parts


ASKS_AGAIN = Context(Client(refreshes_lenses=True))


def lenses(answer: messages.Answer) -> int:
    return len(json.loads(text_of(answer)))


def text_of(answer: messages.Answer) -> bytes:
    assert answer.parts is not None
    return b"".join(answer.parts)


def test_lenses_that_are_asked_for_late_wait_for_no_more_than_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor that has just started asks for them when something of a long text has been shown already."""
    monkeypatch.setattr(workers, "PASS", 60.0)  # the second pass would take it all
    text = "".join(FUNCTION % n for n in range(1200))
    with working(tmp_path / "a.c", text, ASKS_AGAIN) as server:
        assert not server.next(messages.Fresh).complete
        server.heard.clear()
        server.ask("textDocument/codeLens", {})
        assert 0 < lenses(server.next(messages.Answer)) < 2 * 1200
        assert not server.results()
        assert "rules" not in [getattr(m, "what", "") for m in server.heard], "the analysis makes room"
        server.next(messages.More)
        server.ask("textDocument/codeLens", {})
        assert lenses(server.next(messages.Answer)) == 2 * 1200


def test_no_lens_goes_away_while_a_long_text_is_analysed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short_passes(monkeypatch)
    text = "".join(FUNCTION % n for n in range(400))
    seen = [0]
    with working(tmp_path / "a.c", text, ASKS_AGAIN) as server:
        while seen[-1] < 2 * 400:
            server.ask("textDocument/codeLens", {})
            seen.append(lenses(server.next(messages.Answer)))
    assert len(seen) > 3
    assert seen == sorted(seen)


def test_what_nobody_asks_for_again_waits_for_all_of_a_text_and_for_no_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_passes(monkeypatch)
    text = "".join(FUNCTION % n for n in range(400))
    with working(tmp_path / "a.c", text) as server:
        asked = [server.ask(f"textDocument/{method}") for method in ("documentSymbol", "foldingRange")]
        answers = [server.next(messages.Answer) for _ in asked]
        assert [answer.number for answer in answers] == asked
        assert not [result for result in server.results() if result.complete]
        symbols, folds = (json.loads(text_of(answer)) for answer in answers)
        assert (len(symbols), len(folds)) == (400, 800)


def test_a_pass_is_analysis_and_rules_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*given: Any) -> Any:
        clock[0] += 0.6 * given[-1].seconds
        return analyse(*given)

    analyse, clock = workers.analyse, [0.0]
    monkeypatch.setattr(workers, "analyse", slow)
    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=time.monotonic, thread_time=lambda: clock[0]))
    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        server.next(messages.Fresh)
    given = {m.what: m.seconds for m in server.heard if isinstance(m, messages.Busy)}
    assert given["rules"] == pytest.approx(0.4 * given["analysis"])


def test_a_pass_that_makes_room_goes_on_for_what_is_left_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else whoever asks often puts the first diagnostics off."""

    def interrupted(*given: Any) -> Any:
        clock[0] += 0.03
        tu, deadline = analyse(*given), given[-1]
        budgets.append(deadline.seconds)
        deadline.interrupted = len(budgets) < 3
        return replace(tu, complete=not deadline.interrupted)

    analyse, clock, budgets = workers.analyse, [0.0], []
    monkeypatch.setattr(workers, "analyse", interrupted)
    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=time.monotonic, thread_time=lambda: clock[0]))
    blocked = threading.Event()
    monkeypatch.setattr(Workspace, "snapshot", lambda *_: blocked.wait(LIMIT) and EMPTY_SNAPSHOT)
    monkeypatch.setattr(workers, "FIRST_SNAPSHOT_WAIT", 0.0)
    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        server.next(messages.Fresh)
        blocked.set()
    first, second, third = budgets[:3]
    assert (first - second, second - third) == pytest.approx((0.03, 0.03))


def test_a_pass_that_makes_room_at_its_end_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it found by then is what it would have found with the moment that is left."""

    def interrupted(*given: Any) -> Any:
        budget = given[-1].seconds
        clock[0] += budget - workers.SOON
        analysed.append(budget)
        given[-1].interrupted = True
        return replace(analyse(*given), complete=False)

    analyse, clock, analysed = workers.analyse, [0.0], []
    monkeypatch.setattr(workers, "analyse", interrupted)
    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=time.monotonic, thread_time=lambda: clock[0]))
    blocked = threading.Event()
    monkeypatch.setattr(Workspace, "snapshot", lambda *_: blocked.wait(LIMIT) and EMPTY_SNAPSHOT)
    monkeypatch.setattr(workers, "FIRST_SNAPSHOT_WAIT", 0.0)
    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        server.next(messages.Fresh)
        blocked.set()
    assert analysed.count(workers.FIRST) == 1


@pytest.mark.parametrize("in_sight_before", [True, False])
def test_all_colours_come_behind_the_first_diagnostics_where_those_in_sight_came_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_sight_before: bool
) -> None:
    monkeypatch.setattr(workers, "PASS", 60.0)  # the second pass would take it all
    asked = threading.Event()
    monkeypatch.setattr(Workspace, "snapshot", lambda *_: asked.wait(LIMIT) and EMPTY_SNAPSHOT)
    monkeypatch.setattr(workers, "FIRST_LOOK_WAIT", LIMIT)
    text = "".join(FUNCTION % n for n in range(1200))
    with working(tmp_path / "a.c", text, Context(Client(colours_sight=in_sight_before))) as server:
        colours = server.ask("textDocument/semanticTokens/full", SimpleNamespace())
        diagnostics = server.ask("textDocument/diagnostic")
        asked.set()
        answers = [server.next(messages.Answer).number for _ in range(2)]
    assert answers == ([diagnostics, colours] if in_sight_before else [colours, diagnostics])


def test_rules_that_make_room_go_on_for_what_is_left_of_their_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Any:
        clock[0] += 0.02
        found, deadline = judge_within(*given), given[-1]
        budgets.append(deadline.seconds)
        deadline.interrupted = len(budgets) < 3
        return found

    judge_within, clock, budgets = workers.judge_within, [0.0], []
    monkeypatch.setattr(workers, "judge_within", interrupted)
    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=time.monotonic, thread_time=lambda: clock[0]))
    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        server.next(messages.Fresh)
    first, second, third = budgets[:3]
    assert (first - second, second - third) == pytest.approx((0.02, 0.02))


def test_rules_that_make_room_at_the_end_of_their_pass_say_what_they_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever asks then puts the first diagnostics off."""

    def interrupted(*given: Any) -> Any:
        found, deadline = judge_within(*given), given[-1]
        clock[0] += deadline.seconds - workers.SOON / 2
        asked.append(deadline)
        deadline.interrupted = len(asked) < 3
        return found[0], len(asked) > 1

    judge_within, clock, asked = workers.judge_within, [0.0], list[Any]()
    monkeypatch.setattr(workers, "judge_within", interrupted)
    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=time.monotonic, thread_time=lambda: clock[0]))
    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        assert not server.next(messages.Fresh).complete, "the first time that they were asked"


def test_the_beginning_of_a_long_text_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its headers: what is kept of the compiler is there sooner than a look without them."""
    looks = []

    def noted(*given: Any) -> Any:
        looks.append(given[3].key) if len(given[2]) <= workers.LOOK else None
        return analyse(*given)

    analyse = workers.analyse
    monkeypatch.setattr(workers, "analyse", noted)
    monkeypatch.setattr(workers, "FIRST_LOOK_WAIT", LIMIT)
    with working(tmp_path / "a.c", "#include <stddef.h>\n" + "".join(FUNCTION % n for n in range(200))) as server:
        server.next(messages.Fresh)
    assert len(looks) == 1
    assert looks[0] != EMPTY_SNAPSHOT.key


def test_the_first_pass_over_a_long_text_is_about_what_is_in_sight(tmp_path: Path) -> None:
    """An editor that starts needs the processors itself.  (Seconds of theirs, not of the clock.)"""
    with working(tmp_path / "a.c", "".join(FUNCTION % n for n in range(1200))) as server:
        first = server.next(messages.Fresh)
    passes = [m for m in server.heard if isinstance(m, messages.Busy) and m.what in {"analysis", "rules"}]
    assert not first.complete
    assert [m.what for m in passes][-2:] == ["analysis", "rules"]
    assert sum(m.seconds for m in passes[-3:]) <= 2 * workers.FIRST


def test_what_was_analysed_whole_is_not_analysed_again_for_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: list[HeaderSnapshot] = []  # the headers of each analysis that came to its end
    passes: list[bool] = []

    def noted(*given: Any) -> Any:
        found = analyse(*given)
        whole.extend([given[3]] if found.complete else [])
        return found

    def unfinished(*given: Any) -> Any:
        found, judged = judge_within(*given)
        passes.append(judged)
        return found, judged and len(passes) > 3

    analyse, judge_within = workers.analyse, workers.judge_within
    monkeypatch.setattr(workers, "analyse", noted)
    monkeypatch.setattr(workers, "judge_within", unfinished)
    with working(tmp_path / "a.c", FUNCTION % 1) as server:
        final = server.last()
    assert final.complete
    assert len(passes) >= 4
    assert len(whole) == len(set(map(id, whole)))


def test_a_budget_ends_early_for_who_waits() -> None:
    asked: list[bool] = []

    def wanted() -> bool:
        asked.append(True)
        return len(asked) > 1

    budget = Deadline(60.0, wanted)
    while not budget.expired():
        assert not budget.interrupted
    assert budget.interrupted
    assert len(asked) == 2
    assert budget.expired()  # from then on
    assert not Deadline(60.0, wanted, soon=30.0).expired()


def test_a_budget_asks_for_the_processors_time_when_it_can_be_over() -> None:
    asked: list[int] = []

    def clock() -> float:
        asked.append(1)
        return 0.0

    budget = Deadline(600.0, clock=clock)
    assert not any(budget.expired() for _ in range(1000))
    assert len(asked) == 1
    assert Deadline(0.0, clock=clock).expired()
