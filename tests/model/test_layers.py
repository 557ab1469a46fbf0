"""Names in layers: as one dictionary that is updated."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import INT
from ompls.analysis.model.layers import Layers

_NAMES = st.sampled_from("abcdefgh")


@given(st.lists(st.one_of(_NAMES, st.lists(_NAMES, max_size=4), st.tuples(_NAMES, st.integers(0, 40))), max_size=40))
def test_layers_are_one_dictionary(steps: list[str | list[str] | tuple[str, int]]) -> None:
    """A step adds a name, a layer, or asks for a name so many times."""
    layers, whole = Layers(), dict[str, Symbol]()
    for step in steps:
        if isinstance(step, str):
            layers[step] = whole[step] = _symbol(step)
        elif isinstance(step, list):
            names = {name: _symbol(name) for name in step}
            layers.lay(names)
            whole.update(names)
        else:
            name, times = step
            assert [layers.get(name) for _ in range(times)] == [whole.get(name)] * times
    assert list(layers.joined().items()) == list(whole.items())


def _symbol(name: str) -> Symbol:
    return Symbol(name, "var", INT, level="file")
