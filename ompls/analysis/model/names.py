"""The file scope of a finished unit, as a dictionary that finds the headers' names too."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Any

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.headers import Headers


class Names(dict[str, Symbol]):
    """By name.  A look-up reads the header declarations it needs; iterating reads all of them."""

    def __init__(self, own: dict[str, Symbol], headers: Headers) -> None:
        super().__init__(own)
        self.headers = headers
        self._all = False

    def __missing__(self, name: str) -> Symbol:
        found = self.headers.name(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self.headers.name(name) is not None)

    def get(self, name: str, default: Any = None) -> Any:
        own = super().get(name)
        return own if own is not None else self.headers.name(name) or default

    def _fill(self) -> None:
        if not self._all:
            self._all = True
            for name in self.headers.all_names():
                found = self.headers.name(name)
                if found is not None:
                    self.setdefault(name, found)

    def __iter__(self) -> Iterator[str]:
        self._fill()
        return super().__iter__()

    def __len__(self) -> int:
        self._fill()
        return super().__len__()

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        self._fill()
        return KeysView(self)

    def values(self) -> ValuesView[Symbol]:  # type: ignore[override]
        self._fill()
        return ValuesView(self)

    def items(self) -> ItemsView[str, Symbol]:  # type: ignore[override]
        self._fill()
        return ItemsView(self)
