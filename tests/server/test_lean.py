"""The protocol's classes keep little, and still do what they did."""

from __future__ import annotations

import linecache
import sys

from lsprotocol import converters, types

from ompls.server.lean import forget_sources

HOVER = {"textDocument": {"uri": "file:///a.c"}, "position": {"line": 1, "character": 2}}


def test_methods_keep_the_globals_that_they_use() -> None:
    forget_sources(types)
    classes = [c for c in vars(types).values() if hasattr(c, "__attrs_attrs__")]
    assert len(classes) > 400
    assert not [c for c in classes if len(c.__init__.__globals__) > 100 and c.__init__.__globals__ is not vars(types)]
    assert sum({id(g): sys.getsizeof(g) for c in classes if (g := c.__init__.__globals__)}.values()) < 1_500_000
    assert not [name for name in linecache.cache if name.startswith("<attrs generated")]


def test_classes_work_as_before() -> None:
    forget_sources(types)
    converter = converters.get_converter()
    made = converter.structure(HOVER, types.HoverParams)
    assert made == types.HoverParams(types.TextDocumentIdentifier("file:///a.c"), types.Position(1, 2))
    assert made.position < types.Position(2, 0)  # functools' own methods, which all such classes share
    assert converter.unstructure(made, types.HoverParams) == HOVER
    for cls in [c for c in vars(types).values() if hasattr(c, "__attrs_attrs__")]:
        if not [a for a in cls.__attrs_attrs__ if a.default is not None]:
            assert repr(cls()).startswith(cls.__name__)
            assert cls() == cls()
