"""What a declaration gives the rules to look at: most rules go through things that most declarations have none of.

A rule says what it goes through (`Rule.about`), and is not asked where there is none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ompls.analysis.rules.support.framework import About, Rule, Scene
from ompls.analysis.rules.support.noticed import SHARED_MEMORY, noticed
from ompls.analysis.rules.support.ordering.calls import clashes_of
from ompls.analysis.rules.support.races.pairs import races_of


def interested(rules: tuple[Rule, ...], scene: Scene) -> tuple[Rule, ...]:
    """Those of `rules` for which there is something in the declaration.  What none of them is about is not looked for."""
    return _about(rules, frozenset([about for about in _abouts(rules) if _THERE[about](scene)]))


@lru_cache(maxsize=64)
def _abouts(rules: tuple[Rule, ...]) -> tuple[About, ...]:
    return tuple(dict.fromkeys(rule.about for rule in rules))


@lru_cache(maxsize=256)
def _about(rules: tuple[Rule, ...], there: frozenset[About]) -> tuple[Rule, ...]:
    """In their order: few sorts of declarations are all that there are."""
    return tuple([rule for rule in rules if rule.about in there])


def _has_regions(scene: Scene) -> bool:
    return scene.content is not None and bool(scene.content.regions)


def _has_events(scene: Scene) -> bool:
    content, unit = scene.content, scene.unit
    return content is not None and not unit.told.requires & SHARED_MEMORY and bool(noticed(content, unit))


def _has_races(scene: Scene) -> bool:
    return scene.content is not None and bool(races_of(scene.content, scene.unit))


_THERE: dict[About, Callable[[Scene], bool]] = {
    "": lambda _: True,
    "directives": lambda scene: bool(scene.directives),
    "regions": _has_regions,
    "events": _has_events,
    "races": _has_races,
    "clashes": lambda scene: bool(clashes_of(scene)),
}
