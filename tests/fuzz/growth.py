"""How many steps it takes to do all that is done with a text: calls of functions, C's too, as cProfile counts them.

`python tests/fuzz/growth.py [NAME…]` prints, for each shape (all of them without names) at four sizes, what took most
CPU time and how it grew; `make fuzz` runs it on all.  A shape that has no end is stopped after a minute.
"""

from __future__ import annotations

import itertools
import signal
import sys
import time
from collections import Counter
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(folder) for folder in Path(__file__).resolve().parents[1:3]]

from named import preview, translate

from fuzz.shapes import BOUNDED, HEADERS, SHAPES
from ompls.analysis import features, notes, rules
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import HeaderSnapshot, Settings

PATH = "/p/t.c"
SNAPSHOT = HeaderSnapshot(
    "shapes",
    texts={f'"{name}"': (f"/p/{name}", text.encode()) for name, text in HEADERS.items()}
    | {'"/p/level.h"': ("/p/level.h", HEADERS["level.h"].encode())},
)
MOST = 2.9  # times as many steps more for twice as much more: n to the power of 1.5
LEAST = 100_000  # steps more, below which nothing is said
ENOUGH = 12_500_000  # steps for what grows up to a limit
LONGEST = 60  # seconds


def work(text: str, places: int = 1, whole: bool = False) -> None:
    """What the editor and the translator do with it; what is asked at a place, at so many.

    whole -- the bundle too, not just previews, and another version of the text
    """
    data = text.encode()
    analyzer = Analyzer()
    tu = analyzer.analyze(PATH, data, SNAPSHOT, Settings())
    rules.report(tu, notes.diagnostics(tu))
    features.tokens(tu.source, 0, len(data), tu)
    features.inlays(tu)
    features.folds(tu)
    features.lenses(tu)
    features.regions(tu)
    for k in range(places):
        offset = len(data) * (2 * k + 1) // (2 * places)
        features.hover(tu, offset)
        features.completions(tu, offset)
        features.signature(tu, offset)
        features.explain(tu, offset)
        features.selections(tu, offset)
        features.references(tu, offset)
        features.refactorings(tu, offset, offset)
    for device in ("cudasim", "host"):
        preview(tu, device, explain=True)
    if not whole:
        return
    translate([tu], ["cudasim", "host"])
    middle = len(data) // 2
    analyzer.analyze(PATH, data[:middle] + b" " + data[middle:], SNAPSHOT, Settings())


def growth(small: Counter[str], middle: Counter[str], large: Counter[str]) -> float:
    """How many times as many steps came on top from the second to the third as from the first to the second."""
    before, after = middle.total() - small.total(), large.total() - middle.total()
    return after / max(before, 1) if after > LEAST else 0


def main(names: list[str]) -> int:
    """The number of shapes whose time grows too fast, or that take too long."""
    bad = 0
    signal.signal(signal.SIGPROF, _stop)
    shapes = {**SHAPES, **BOUNDED}
    for name in names or shapes:
        size, make = shapes[name]
        times: list[float] = []
        try:
            for factor in (1, 2, 4, 8):
                text = make(size * factor)
                signal.setitimer(signal.ITIMER_PROF, LONGEST)
                started = time.process_time()
                work(text, 4, whole=True)
                times.append(time.process_time() - started)
                signal.setitimer(signal.ITIMER_PROF, 0)
        except TimeoutError:
            times.append(float("inf"))
        more = [b - a for a, b in itertools.pairwise(times)]
        fast = more[-1] > 1 and more[-1] > MOST * max(more[-2], 0.1)
        bad += fast or times[-1] > LONGEST
        print(f"{'!' if fast else ' '} {name:30}", *(f"{t:8.2f}" for t in times), flush=True)
    return bad


def _stop(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 100))
