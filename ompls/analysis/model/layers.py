"""The ordinary names of a file scope, in layers: what lies above hides what lies below.

An edited file is nearly all made of groups whose names are known; copying thousands of them at each key would cost more
than looking for the few that are asked for in one layer after the other.
"""

from __future__ import annotations

from ompls.analysis.model.ast import Symbol

_PROBES = 4  # as costly as copying a name


class Layers:
    """Names that are added one by one, or many at once as a layer of their own.

    Once nothing is added any more, it may be read by several threads.
    """

    __slots__ = ("_layers", "_probed", "_size")

    def __init__(self) -> None:
        self._layers: list[dict[str, Symbol]] = [{}]  # the last one is its own, the others do not change any more
        self._size = self._probed = 0  # names in the others; how often one of these was asked

    def get(self, name: str) -> Symbol | None:
        layers = self._layers
        found = layers[-1].get(name)
        if found is None and len(layers) > 1:
            self._probed += len(layers)
            if self._probed > _PROBES * self._size:
                return self.joined().get(name)
            for names in reversed(layers):
                found = names.get(name)
                if found is not None:
                    break
        return found

    def __setitem__(self, name: str, symbol: Symbol) -> None:
        self._layers[-1][name] = symbol

    def lay(self, names: dict[str, Symbol]) -> None:
        """Put `names`, which do not change any more, above what was added so far."""
        if names:
            own = self._layers[-1]
            if own:
                self._size += len(own)
                self._layers.append({})
            self._layers.insert(-1, names)
            self._size += len(names)

    def joined(self) -> dict[str, Symbol]:
        """All of them, in the order in which each came first; not to be changed."""
        if len(self._layers) > 1:
            whole: dict[str, Symbol] = {}
            for names in self._layers:
                whole.update(names)
            self._layers, self._size, self._probed = [whole], 0, 0
        return self._layers[-1]
