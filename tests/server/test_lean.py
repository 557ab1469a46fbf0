"""The protocol's classes keep little, and still do what they did."""

from __future__ import annotations

import linecache
import subprocess
import sys

import attrs
import pytest
from lsprotocol import converters, types

from ompls.server.lean import forget_sources, without_texts

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


def test_what_the_classes_share_shows_them_as_attrs_does() -> None:
    with without_texts():

        @attrs.define
        class Place:
            line: int
            name: str = attrs.field(default="a")

    assert (repr(Place(3)).rpartition(".")[2], Place(3) == Place(3)) == ("Place(line=3, name='a')", True)


def test_threads_share_one_heap() -> None:
    """glibc aligns the heap of another thread to 64 MiB."""
    program = """if True:
        from pathlib import Path
        from threading import Thread
        from ompls.server.lean import use_one_heap
        use_one_heap()
        kept = []
        thread = Thread(target=lambda: kept.extend(bytes(5000) for _ in range(100)))
        thread.start()
        thread.join()
        unnamed = [line for line in Path("/proc/self/maps").read_text().splitlines() if len(line.split()) == 5]
        starts = [int(line.split("-")[0], 16) for line in unnamed]
        print(sum(start % (64 << 20) == 0 for start in starts))
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) == 0


def test_holes_in_the_heap_are_given_back() -> None:
    program = """if True:
        from pathlib import Path
        from ompls.server.lean import give_back
        def held():
            return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
        texts = [b"x" * 50_000 for _ in range(2_000)]
        last = texts[-1]
        del texts
        before = held()
        give_back()
        print(before - held())
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) > 50_000_000


@pytest.mark.thorough
def test_the_server_does_without_openssl() -> None:
    program = """if True:
        import sys
        from pathlib import Path
        from ompls.server.lean import without_openssl
        with without_openssl():
            import ompls.server.app
        print("libcrypto" in Path("/proc/self/maps").read_text())
        import hashlib, ssl
        print(hashlib.sha256(b"a").hexdigest()[:8], hashlib.sha1(b"a", usedforsecurity=False).hexdigest()[:8])
        print(ssl.create_default_context() is not None)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["False", "ca978112", "86f7e437", "True"]
