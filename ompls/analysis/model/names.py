"""The file scope of a finished unit, as a mapping that finds the headers' names too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.headers import Headers
from ompls.analysis.model.layers import Layers


class Names(Mapping[str, Symbol]):
    """By name.  A look-up reads the header declarations it needs; iterating reads all of them."""

    def __init__(self, own: Layers, headers: Headers) -> None:
        self._own = own
        self.headers = headers
        self._all: dict[str, Symbol] | None = None

    @property
    def own(self) -> Mapping[str, Symbol]:
        """Those that the unit itself declares."""
        return self._own.joined()

    def get(self, name: str, default: Any = None) -> Any:
        return self._own.get(name) or self.headers.name(name) or default

    def __getitem__(self, name: str) -> Symbol:
        found = self._own.get(name) or self.headers.name(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def on_device(self) -> Iterator[Symbol]:
        """Those with `declare target`; of the headers' declarations only those are read that may have it."""
        for name in dict.fromkeys((*self.own, *self.headers.maybe_on_device())):
            found = self.get(name)
            if found is not None and found.declare_target:
                yield found

    def _whole(self) -> dict[str, Symbol]:
        if self._all is None:
            self._all = dict(self.own)
            for name in self.headers.all_names():
                found = self.headers.name(name)
                if found is not None:
                    self._all.setdefault(name, found)
        return self._all

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())
