"""What a document's worker does with its time: values in, values out.  Nothing here knows of messages or requests."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from ompls.analysis import features, fixing, notes
from ompls.analysis.diagnostic import Diagnostic, Edit
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import RULES, report
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot
from ompls.analysis.source import Settings as AnalysisSettings
from ompls.server.lean import give_back
from ompls.server.settings import Settings

_MANY_OBJECTS = 20_000
_NEVER = (1_000_000, 1_000_000)
_MOST_OBJECTS = 1_000_000  # kept without a look whether some of them are garbage
_LONG = 0.1  # seconds of an analysis that leaves holes in the heap: most of a large file is new
_ASKED_EVERY = 0.02  # seconds between two questions whether a budget is to end early
_TRIAL = 0.5  # seconds for the analysis of a text as it would be


class Deadline:
    """A budget (`analysis/source.py`) of so many seconds from the first question on.

    wanted, soon -- after so many seconds it also ends when `wanted` says that somebody needs what it is spent by
    clock        -- `time.thread_time`: of the processor's time, so that as much is done in it on a busy machine

    That clock is read by a call of the system; so it is asked only when as much time has passed as its answer can be.
    """

    def __init__(
        self,
        seconds: float,
        wanted: Callable[[], bool] | None = None,
        soon: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seconds = seconds
        self._end: float | None = None
        self._wanted, self._soon, self._clock = wanted, soon, clock
        self._asked = 0.0
        self._look = 0.0  # time.monotonic: before that there is nothing to ask
        self.interrupted = False  # it ended for that reason

    def expired(self) -> bool:
        passed = time.monotonic()
        if passed < self._look:
            return False
        now = self._clock()
        if self._end is None:
            self._end, self._asked = now + self.seconds, now + self._soon
        if self._wanted is not None and now >= self._asked and not self.interrupted:
            self._asked = now + _ASKED_EVERY
            self.interrupted = self._wanted()
        over = self.interrupted or now >= self._end
        if not over:
            self._look = passed + (self._end if self._wanted is None else min(self._end, self._asked)) - now
        return over


@contextmanager
def keeping() -> Iterator[None]:
    """For work whose results are kept.  Looking for cycles in all that is known of a large file takes a second, again
    and again; so only what is new is looked through, once, as it comes: rules leave as much garbage as they keep.
    What is left then is left alone until `collect`, or until it is twice as much as after that."""
    collecting, thresholds = gc.isenabled(), gc.get_threshold()
    gc.set_threshold(_MANY_OBJECTS, *_NEVER)
    gc.enable()
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        new, looks, _ = gc.get_count()
        if looks or new > _MANY_OBJECTS:
            _left.since += new + looks * _MANY_OBJECTS
            gc.freeze()
            if _left.since > _MOST_OBJECTS:  # else there is no need to visit them all for their number
                _left.since = 0
                if gc.get_freeze_count() > max(_MOST_OBJECTS, 2 * _left.objects):
                    collect()
        if not collecting:
            gc.disable()


def collect() -> None:
    """Find the garbage among all that was kept, when there is time for it."""
    if gc.get_freeze_count():
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _left.objects, _left.since = gc.get_freeze_count(), 0


@dataclass(slots=True)
class _Left:
    """How many objects the last look for garbage left; how many were made since those that are left were counted."""

    objects: int = 0
    since: int = 0


_left = _Left()


_SAMPLE = b"""\
double sum(int n, const double *x) {
    double s = 0;
    #pragma omp target teams distribute parallel for reduction(+: s) map(to: x[0:n]) map(tofrom: s)
    for (int i = 0; i < n; i++) s += x[i] * 2.0;
    return s;
}
"""


def prepare() -> None:
    """Make what is made at its first use, in the process that workers are forked from: the first document, half of
    whose time it takes, is shown sooner."""
    settings = Settings()
    meant = settings.for_analysis()
    judge(analyse(Analyzer(), "sample.c", _SAMPLE, EMPTY_SNAPSHOT, meant, Deadline(_TRIAL)), EMPTY_SNAPSHOT, settings)


def analyse(  # noqa: PLR0917 -- all but the time is what an analysis depends on
    analyzer: Analyzer, path: str, source: bytes, snapshot: HeaderSnapshot, settings: AnalysisSettings, budget: Deadline
) -> TU:
    """As long as the budget lasts; with `TU.complete` False there is more to do."""
    started = time.thread_time()
    with keeping():
        tu = analyzer.analyze(path, source, snapshot, settings, budget)
    if analyzer.forgot or time.thread_time() - started > _LONG:
        give_back()
    return tu


def judge(tu: TU, snapshot: HeaderSnapshot, settings: Settings) -> list[Diagnostic]:
    """What is to be said about a unit.

    What the front end noted is told only once the headers are known: without them every include is a missing one.
    """
    return judge_within(tu, snapshot, settings, None)[0]


def judge_within(
    tu: TU, snapshot: HeaderSnapshot, settings: Settings, budget: Deadline | None
) -> tuple[list[Diagnostic], bool]:
    """As `judge`, as long as the budget lasts; False: there is more to do."""
    if not settings.diagnostics.enable:
        return [], True
    noted = notes.diagnostics(tu) if snapshot is not EMPTY_SNAPSHOT and notes.is_c(tu) else []
    with keeping():
        said = report(tu, noted, budget)
    found = said.diagnostics if said.complete else [notes.unfinished(tu), *said.diagnostics]
    return settings.kept(found), said.complete


def refactor(
    analyzer: Analyzer, tu: TU, snapshot: HeaderSnapshot, settings: Settings, selection: tuple[int, int]
) -> list[features.Action]:
    """The refactorings for a selection; refused where something new is reported then.

    Hints on performance are no reason against one: maps in a loop are what the next refactoring hoists out of it.
    """
    offered = features.refactorings(tu, *selection)
    if not any(action.edits for action in offered):
        return offered
    before = _told(tu, snapshot, settings)
    trial = partial(_trial, analyzer, tu, snapshot, settings)
    kept = []
    for action in offered:
        problem = ""
        for edits in filter(None, (action.edits, action.otherwise)):
            after = trial(features.applied(tu.source, edits))
            new = _counted(after) - before if after is not None else None
            if new is not None and not new:
                kept.append(replace(action, edits=edits, otherwise=()))
                break
            rule, message = next(iter(new)) if new else ("", "finding out what it does takes too long")
            problem = problem or (f"`{rule}` would be reported then: {message}" if rule else message)
        else:
            kept.append(replace(action, edits=(), otherwise=(), refused=problem or action.refused))
    return kept


def fixable(
    analyzer: Analyzer, tu: TU, snapshot: HeaderSnapshot, settings: Settings, found: list[list[Diagnostic]]
) -> list[list[Edit]]:
    """For each of the groups `found`, the edits that fix all of it that is safe to fix.

    Together they must make nothing worse; else each fix is tried alone.
    """
    everything = judge(tu, snapshot, settings)
    trial = partial(_trial, analyzer, tu, snapshot, settings)
    chosen = []
    for group in found:
        edits = fixing.choose(group).get(tu.path, [])
        if edits and fixing.worse(group, edits, everything, tu.source, trial):
            edits = fixing.choose(fixing.tried(group, everything, tu.source, trial)).get(tu.path, [])
        chosen.append(edits)
    return chosen


def tried(
    analyzer: Analyzer, tu: TU, snapshot: HeaderSnapshot, settings: Settings, found: list[Diagnostic]
) -> list[Diagnostic]:
    """`found` with those fixes only that make nothing worse."""
    if not any(d.fixes for d in found):
        return found
    trial = partial(_trial, analyzer, tu, snapshot, settings)
    return fixing.tried(found, judge(tu, snapshot, settings), tu.source, trial)


def _trial(
    analyzer: Analyzer, tu: TU, snapshot: HeaderSnapshot, settings: Settings, text: bytes
) -> list[Diagnostic] | None:
    """What there would be to say about `text` in the place of `tu`; None when finding out takes too long."""
    after = analyzer.analyze(tu.path, text, snapshot, tu.settings, Deadline(_TRIAL))
    return judge(after, snapshot, settings) if after.complete else None


def _told(tu: TU, snapshot: HeaderSnapshot, settings: Settings) -> Counter[tuple[str, str]]:
    return _counted(judge(tu, snapshot, settings))


def _counted(found: list[Diagnostic]) -> Counter[tuple[str, str]]:
    """What is reported, hints on performance left out."""
    slow = {rule.id for rule in RULES.values() if rule.group == "performance"}
    return Counter((d.rule, d.message) for d in found if d.severity != "hint" or d.rule not in slow)
