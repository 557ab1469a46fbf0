"""Equal sets are one object, and stay what they are."""

from __future__ import annotations

from ompls.analysis.dataenv.machine.shared import Shared
from ompls.analysis.dataenv.machine.values import NULL, Target


def test_equal_sets_are_one_object() -> None:
    shared = Shared()
    first, second = frozenset((1, 2)), frozenset((2, 1))
    assert shared.one((first, "a"))[0] is shared.one((second, "b"))[0] == first
    assert shared.one(frozenset((first,))) is shared.one(frozenset((second,)))
    assert shared.mapping({"a": first}) is shared.mapping({"a": second})
    assert shared.mapping({"a": first}) == {"a": second}


def test_sets_of_other_classes_are_not_taken_for_each_other() -> None:
    shared = Shared()
    pairs, targets = frozenset({(NULL, None, frozenset())}), frozenset({Target(NULL, None)})
    assert pairs == targets
    assert type(next(iter(shared.one(pairs)))) is tuple
    assert type(next(iter(shared.one(targets)))) is Target
