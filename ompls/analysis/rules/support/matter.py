"""What a declaration gives the rules to look at: most rules go through things that most declarations have none of.

A rule says what it goes through (`Rule.about`), and is not asked where there is none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ompls.analysis.rules.support.framework import About, Rule, Scene
from ompls.analysis.rules.support.noticed import SHARED_MEMORY, noticed
from ompls.analysis.rules.support.ordering.calls import clashes_of
from ompls.analysis.rules.support.races.pairs import races_of


def interested(rules: Iterable[Rule], scene: Scene) -> Iterator[Rule]:
    """Those of `rules` for which there is something in the declaration.  What none of them is about is not looked for."""
    known: dict[About, bool] = {"": True}
    for rule in rules:
        there = known.get(rule.about)
        if there is None:
            there = known[rule.about] = _THERE[rule.about](scene)
        if there:
            yield rule


def _has_regions(scene: Scene) -> bool:
    return scene.content is not None and bool(scene.content.regions)


def _has_events(scene: Scene) -> bool:
    content, unit = scene.content, scene.unit
    return content is not None and not unit.told.requires & SHARED_MEMORY and bool(noticed(content, unit))


def _has_races(scene: Scene) -> bool:
    return scene.content is not None and bool(races_of(scene.content, scene.unit))


_THERE: dict[About, Callable[[Scene], bool]] = {
    "directives": lambda scene: bool(scene.directives),
    "regions": _has_regions,
    "events": _has_events,
    "races": _has_races,
    "clashes": lambda scene: bool(clashes_of(scene)),
}
