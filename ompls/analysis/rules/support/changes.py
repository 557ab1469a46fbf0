"""Which names mean something else than in the version before.

What was found out about a declaration holds as long as the names that it depends on mean what they did.  To ask all of
them, for all declarations of a large file at every key, costs more than the edit; so it is worked out once for a
version which names can have changed, from the groups of declarations (`model/items.py`) that it does not share with the
version before.  What holds is the same either way: this only saves the question.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import islice
from operator import is_not
from typing import NamedTuple

from ompls.analysis.model.items import Group
from ompls.analysis.rules.support.mentions import mentions

_MOST = 32  # steps that are remembered


class Changes:
    """The versions of one text, numbered in the order in which they were looked at; one object for all of them."""

    def __init__(self) -> None:
        self.version = 0
        self._groups: tuple[Group, ...] = ()
        self._around: object = None
        self._steps: deque[frozenset[str] | None] = deque(maxlen=_MOST)  # the last one leads to `version`
        self._between: dict[int, frozenset[str] | None] = {}  # from these to `version`

    def step(self, groups: tuple[Group, ...], around: object) -> None:
        """This version is looked at now; `around`: what the meaning of all names depends on besides the groups.  None:
        something that cannot be compared."""
        same = around is not None and around is self._around
        if same and groups == self._groups:
            return
        self._steps.append(_changed(self._groups, groups) if same else None)
        self._groups, self._around = groups, around
        self._between = {}
        self.version += 1

    def since(self, version: int) -> frozenset[str] | None:
        """The names that may mean something else than in an earlier version; None: any of them."""
        if version not in self._between:
            steps = list(islice(reversed(self._steps), self.version - version))
            known = [step for step in steps if step is not None]
            whole = len(known) == self.version - version
            self._between[version] = frozenset().union(*known) if whole else None
        return self._between[version]


class Mark(NamedTuple):
    """A version of one text."""

    changes: Changes
    version: int


def _changed(before: tuple[Group, ...], now: tuple[Group, ...]) -> frozenset[str]:
    """Names that are declared, defined, called or written otherwise in the groups that differ."""
    first, least = _same(before, now), min(len(before), len(now))
    last = min(_same(before[::-1], now[::-1]), least - first)
    gone, new = before[first : len(before) - last], now[first : len(now) - last]
    found: set[str] = set()
    for kind in ("functions", "names"):
        found |= _differing(_merged(gone, kind), _merged(new, kind))
    found |= _differing(_callers(gone), _callers(new))
    words = [frozenset[str]().union(*[mentions(group)[0] for group in groups]) for groups in (gone, new)]
    return frozenset(found | (words[0] ^ words[1]))


def _same(before: tuple[Group, ...], now: tuple[Group, ...]) -> int:
    """With how many of the same groups both begin."""
    differ = map(is_not, before, now)
    return next((at for at, other in enumerate(differ) if other), min(len(before), len(now)))


def _merged(groups: Iterable[Group], kind: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for group in groups:
        found.update(getattr(group, kind))
    return found


def _callers(groups: Iterable[Group]) -> dict[str, object]:
    found: dict[str, tuple[object, ...]] = {}
    for group in groups:
        for name, callers in mentions(group)[1].items():
            found[name] = (*found.get(name, ()), *callers)
    return dict(found)


def _differing(before: dict[str, object], now: dict[str, object]) -> set[str]:
    """By identity, or by equality of tuples of what is compared by identity."""
    return {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}
