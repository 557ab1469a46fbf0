"""What the machine noticed, and the rule for when it counts.

A check is made again each time the analysis comes to its place, with what may hold there.  Outside of conditions the
first visit decides: in a loop it is the first iteration, which really happens.  Under a condition the last visit does,
which knows what may hold in any iteration.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from ompls.analysis.dataenv.faults import Event, Risk
from ompls.analysis.dataenv.machine.values import Obj, Site
from ompls.analysis.dataenv.machine.watch import Watch
from ompls.analysis.model.ast import Symbol

Outcome = Literal["bad", "perhaps", "fine"]
Key = tuple[type[Event], Site, str]


@dataclass(slots=True)
class Recorder:
    """Collects the events of one walk."""

    certain: dict[Key, Event] = field(default_factory=dict)
    tentative: dict[Key, Event] = field(default_factory=dict)  # as of the last visit
    about: dict[Key, frozenset[Obj]] = field(default_factory=dict)
    # the program asks whether they are present: it knows that they may not be
    asked: set[Obj] = field(default_factory=set)
    handed: set[Obj] = field(default_factory=set)  # other code may have given these other values than they start with
    changes: int = 0  # of what the last visits said
    # by loop variable: objects of which each iteration looks at another piece
    members: dict[Symbol, set[Obj]] = field(default_factory=dict)
    log: list[tuple[str, tuple[object, ...]]] | None = None  # what was called, while a call is walked that is kept
    # by list item of `target enter data` and `target exit data`: (references before, after); None: not always known
    counts: dict[Site, set[tuple[int, int]] | None] = field(default_factory=dict)
    watch: Watch | None = None  # a place of which somebody wants to know what holds there

    def count(self, site: Site, before: int | None, after: int | None) -> None:
        """A list item came into a data environment, or left it."""
        if self.log is not None:
            self.log.append(("count", (site, before, after)))
        known = self.counts.setdefault(site, set())
        if before is None or after is None or known is None:
            self.counts[site] = None
        else:
            known.add((before, after))

    def judge(self, event: Event, outcome: Outcome, conditional: bool, about: frozenset[Obj] = frozenset()) -> None:
        """A check came out; `about` these objects."""
        if self.log is not None and (outcome != "fine" or conditional):
            self.log.append(("judge", (event, outcome, conditional, about)))
        key = (type(event), event.site, event.name)
        if about:
            self.about[key] = about
        if key in self.certain:
            return
        if outcome == "bad":
            if conditional:
                self.changes += key not in self.tentative
                self.tentative[key] = event
            else:
                self.certain[key] = event
                self.tentative.pop(key, None)
        elif outcome == "perhaps":
            self.tentative[key] = replace(event, certainty="possible")
        elif conditional and self.tentative.pop(key, None) is not None:
            self.changes += 1

    def risks(self, site: Site, what: str) -> None:
        """A transfer at `site` might overwrite newer values: OTHERS or THESE; '': not on this visit."""
        if what:
            self.judge(Risk(site, what, "possible"), "perhaps", False)

    def walks(self, loops: Iterable[Symbol], objs: Iterable[Obj]) -> None:
        """The pieces that these stand for are looked at one after the other."""
        symbols, found = tuple(loops), tuple(objs)
        if self.log is not None:
            self.log.append(("walks", (symbols, found)))
        for symbol in symbols:
            self.members.setdefault(symbol, set()).update(found)

    def hands(self, objs: Iterable[Obj]) -> None:
        """Other code gets the address of these."""
        found = tuple(objs)
        if self.log is not None:
            self.log.append(("hands", (found,)))
        self.handed.update(found)

    def asks(self, objs: Iterable[Obj]) -> None:
        """The program asks whether these are present."""
        found = tuple(objs)
        if self.log is not None:
            self.log.append(("asks", (found,)))
        self.asked.update(found)

    def events(self) -> list[Event]:
        found = {**self.tentative, **self.certain}
        return [event for key, event in found.items() if not self.about.get(key, frozenset()) & self.asked]
