"""Equal sets and mappings as one object, in what is kept of calls: a large program calls thousands of functions with
much the same, and every set takes 200 bytes, an empty one too."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeVar, cast

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Shared:
    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def one(self, value: T) -> T:
        """An equal value, the sets in it shared: it may be a set, or a tuple of anything.

        Sets are only taken for each other when their members are of one class: a named tuple equals any other with the
        same values.
        """
        if isinstance(value, frozenset):
            members = cast("frozenset[Any]", value)
            key = type(next(iter(members), None)), members
            found = self._known.get(key)
            if found is None:
                found = self._known[key] = frozenset([self.one(member) for member in members])
            return cast(T, found)
        if type(value) is tuple:
            parts = cast("tuple[Any, ...]", value)
            return cast(T, tuple([self.one(part) for part in parts]))
        return value

    def same(self, value: tuple[T, ...]) -> tuple[T, ...]:
        """An equal tuple; for one kind of tuples only."""
        found: tuple[T, ...] = self._known.setdefault((tuple, value), value)
        return found

    def mapping(self, value: Mapping[K, V]) -> Mapping[K, V]:
        """An equal mapping that is never changed; its values are shared, too."""
        shared = {key: self.one(held) for key, held in value.items()}
        found: Mapping[K, V] = self._known.setdefault((dict, frozenset(shared.items())), shared)
        return found
