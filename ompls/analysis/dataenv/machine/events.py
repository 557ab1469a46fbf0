"""What the machine noticed, and the rule for when it counts.

A check is made again each time the analysis comes to its place, with what may hold there.  Outside of conditions the
first visit decides: in a loop it is the first iteration, which really happens.  Under a condition the last visit does,
which knows what may hold in any iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ompls.analysis.dataenv.machine.values import Site

Certainty = Literal["certain", "possible"]
Outcome = Literal["bad", "perhaps", "fine"]


class Event(NamedTuple):
    """Something that is wrong at `site`.

    kind -- what; a rule of the mapping group selects it
    name -- of the variable or the list item, as people know it
    certainty -- 'certain': on every path that comes here; 'possible': on some
    related -- further places and what is to be seen there
    detail -- what else the message needs: a map type, …
    """

    kind: str
    site: Site
    name: str
    certainty: Certainty
    related: tuple[tuple[Site, str], ...] = ()
    detail: str = ""


@dataclass(slots=True)
class Recorder:
    """Collects the events of one walk."""

    certain: dict[tuple[str, Site, str], Event] = field(default_factory=dict)
    tentative: dict[tuple[str, Site, str], Event] = field(default_factory=dict)  # as of the last visit

    def judge(self, event: Event, outcome: Outcome, conditional: bool) -> None:
        """A check came out."""
        key = (event.kind, event.site, event.name)
        if key in self.certain:
            return
        if outcome == "bad":
            if conditional:
                self.tentative[key] = event
            else:
                self.certain[key] = event
                self.tentative.pop(key, None)
        elif outcome == "perhaps":
            self.tentative[key] = event._replace(certainty="possible")
        elif conditional:
            self.tentative.pop(key, None)

    def events(self) -> list[Event]:
        return [*self.certain.values(), *self.tentative.values()]
