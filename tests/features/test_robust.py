"""No feature raises on any text and offset: snippets and examples cut anywhere, with the cursor anywhere.

Some cuts by default; all with OMPLS_EXHAUSTIVE=1.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from steps import steps
from thinned import thinned

from ompls.analysis import features
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

EXHAUSTIVE = os.environ.get("OMPLS_EXHAUSTIVE") == "1"
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.c"))
SNIPPET = (
    "#define N 9\n#pragma omp declare target enter(g)\nint g[N];\r\n"
    "void f(int n, float *x, struct s *p) {\n"
    "#pragma omp target teams \\\n  map(always, to: x[0:n], p->q[(n ? 1 : 2):N]) /* é */ if(target: n > '}') // end\n"
    "  for (int i = 0; i < n; i++) { x[i * n + i] = x[i + 1]; }\n"
    "  while (n--) {\n#pragma omp target map(x[:n])\n  x[n] = g[n];\n  x[0]++; }\n"
    "[[omp::directive(target exit data map(x))]];\n"
    '#pragma omp parallel for reduction(max: n) schedule(static, 4) message("a(b")\n  for (;;) ;\n}\n'
)


def ask_everything(tu: TU, offset: int) -> None:
    features.completions(tu, offset)
    features.signature(tu, offset)
    features.selections(tu, offset)
    features.definitions(tu, offset)
    features.references(tu, offset)
    features.rename(tu, offset, "other")
    features.hover(tu, offset)
    features.explain(tu, offset)
    features.environment(tu, offset)
    for action in features.refactorings(tu, offset, offset):
        assert (features.applied(tu.source, action.edits) == tu.source) == bool(action.refused)


def ask_the_file(tu: TU) -> None:
    features.tokens(tu.source)
    features.inlays(tu)
    features.counts(tu, 0, len(tu.source))
    features.inactive(tu)
    for fold in features.folds(tu):
        assert 0 <= fold.start <= fold.end <= len(tu.source)


@pytest.mark.parametrize("first", thinned(range(3), 3))
def test_every_cut_and_every_offset_of_a_snippet(first: int) -> None:
    data, analyzer = SNIPPET.encode(), Analyzer()
    for end in range(first, len(data) + 1, 3 if EXHAUSTIVE else 15):
        tu = analyzer.analyze("x.c", data[:end], EMPTY_SNAPSHOT, Settings())
        ask_the_file(tu)
        for offset in {end, max(0, end - 1), end // 2}:
            ask_everything(tu, offset)
    whole = analyzer.analyze("x.c", data, EMPTY_SNAPSHOT, Settings(openmp="6.0"))
    for offset in range(first - 1, len(data) + 3, 3):
        ask_everything(whole, offset)


@pytest.mark.parametrize("path", EXAMPLES, ids=[p.stem for p in EXAMPLES])
def test_every_offset_in_the_pragmas_of_an_example(path: Path) -> None:
    data = path.read_bytes()
    analyzer = Analyzer()
    tu = analyzer.analyze(str(path), data, EMPTY_SNAPSHOT, Settings())
    ask_the_file(tu)
    for pragma in features.pragmas(data):
        for offset in range(pragma.start, pragma.line_end + 1, 1 if EXHAUSTIVE else 7):
            ask_everything(tu, offset)
            if EXHAUSTIVE:
                cut = analyzer.analyze(str(path), data[:offset], EMPTY_SNAPSHOT, Settings())
                ask_everything(cut, offset)


@pytest.mark.parametrize("seed", range(3))
def test_deleted_doubled_and_strange_bytes(seed: int) -> None:
    rng, analyzer = random.Random(seed), Analyzer()
    strange = [
        b"\0", b"\xff", b"\r", b"\\\n", b"/*", b'"', b"'", b"(", b")", b"{", b"}", b":", "\u2028".encode(),
    ]  # fmt: skip
    for _ in range(150 if EXHAUSTIVE else 25):
        data = bytearray(SNIPPET.encode())
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = rng.choice(strange)
        tu = analyzer.analyze("x.c", bytes(data), EMPTY_SNAPSHOT, Settings())
        ask_the_file(tu)
        for _ in range(6):
            ask_everything(tu, rng.randrange(len(data) + 1))


@pytest.mark.thorough
def test_deep_nesting_and_long_lines() -> None:
    texts = [
        b"#pragma omp target map(to: " + b"(" * 5_000,
        b"#pragma omp target if(" + b"[" * 5_000 + b"x",
        b"void f(int x) {\n#pragma omp target map(" + b"x, " * 5_000 + b"x)\n;}",
        b"void f(int x) " + b"{" * 2_000 + b"\n#pragma omp target map(x",
        b"#pragma omp " + b"target " * 5_000,
    ]
    for text in texts:
        tu = Analyzer().analyze("x.c", text, EMPTY_SNAPSHOT, Settings())
        ask_the_file(tu)
        ask_everything(tu, len(text))
        ask_everything(tu, len(text) // 2)


def test_a_pragma_of_many_items_is_not_read_again() -> None:
    """Its clauses were, for each completion."""
    text = b"void f(int *a) {\n#pragma omp target map(" + b"a[0:1], " * 20_000 + b"a[1:1])\n;\n}"
    tu = Analyzer().analyze("x.c", text, EMPTY_SNAPSHOT, Settings())
    middle = len(text) // 2
    answers: list[object] = []

    def ask() -> None:
        answers.extend((features.completions(tu, middle), features.signature(tu, middle)))
        answers.append(features.refactorings(tu, middle, middle))

    assert steps(ask).total() < 1_000
    assert answers == [[], None, []]
