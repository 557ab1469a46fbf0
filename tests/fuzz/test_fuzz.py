"""No text raises or hangs, whatever is asked about it: the fuzzer's corpus, mutilated fixtures, extreme texts."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from steps import steps
from thinned import thinned

from ompls.analysis import notes, rules
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

from . import target

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "corpus").iterdir())
FIXTURES = [*sorted(HERE.parent.glob("*/fixtures/*.c")), *sorted(HERE.parents[1].glob("examples/*.c"))]
RUNS = 120  # inputs, the corpus among them
EXHAUSTIVE = "OMPLS_EXHAUSTIVE" in os.environ
_TOKEN = re.compile(rb"\w+|\s+|.", re.S)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_corpus(path: Path) -> None:
    target.one(path.read_bytes())


def mutilated(text: bytes) -> Iterator[bytes]:
    """`text` cut at every offset, and with each token left out or doubled."""
    for end in range(len(text)):
        yield text[:end]
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        yield text[:start] + text[end:]
        yield text[:end] + text[start:]


@pytest.mark.parametrize("path", thinned(FIXTURES, 3), ids=lambda path: f"{path.parts[-2]}-{path.stem}")
def test_mutilated(path: Path) -> None:
    """All of them with OMPLS_EXHAUSTIVE, else a dozen."""
    texts = list(mutilated(path.read_bytes()))
    analyzer = Analyzer()
    for number, text in enumerate(texts if EXHAUSTIVE else texts[7 :: 1 + len(texts) // 12]):
        tu = analyzer.analyze("t.c", text, EMPTY_SNAPSHOT, Settings())
        if number % 4:
            rules.report(tu, notes.diagnostics(tu))
        else:
            target.look(tu, number)


ASSIGN = b"void f(int a) { "
EXTREME = {
    "empty": b"",
    "zeros": b"\0" * 300,
    "braces": b"void f(void) " + b"{" * 10_000 + b"}" * 10_000,
    "parentheses": b"int x = " + b"(" * 10_000 + b"1" + b")" * 10_000 + b";",
    "sum": b"int f(int a) {\n#pragma omp target\nreturn " + b"a + " * 20_000 + b"a; }",
    "assignments": ASSIGN + b"a = " * 5_000 + b"a; }",
    "else if": ASSIGN + b"if (a) a++; else " * 3_000 + b"a--; }",
    "calls": b"void f(void) { " + b"f(" * 5_000 + b")" * 5_000 + b"; }",
    "pragmas": b"void f(void) {\n" + b"#pragma omp target\n" * 1_000 + b";}",
    "one line of statements": ASSIGN + b"a += 1; " * 12_500 + b"}",
    "one line of pragmas": ASSIGN + b'_Pragma("omp parallel") a++; ' * 3_000 + b"}",
    "a clause of many items": b"void f(int *a) {\n#pragma omp target map(" + b"a[0:1], " * 12_000 + b"a[1:1])\n;\n}",
    "carriage returns": b"int a;\r#pragma omp target\rint b;\r" * 2_000,
    "crlf": b"void f(int *a) {\r\n#pragma omp target \\\r\n map(a[0:1])\r\na[0]++;\r\n}\r\n" * 300,
    "form feeds": "\x0cint a;\x0c\u2028#pragma omp barrier\n\x0b#pragma omp target\x0c\n".encode() * 2_000,
    "nested regions": b"void f(int a) {\n" + b"#pragma omp parallel\n{\n" * 400 + b"a++;" + b"}\n" * 400 + b"}",
    "nested loops": b"void f(int a, int n) {\n#pragma omp target\n"
    + b"".join(b"for (int i%d = 0; i%d < n; i%d++)\n" % (n, n, n) for n in range(300))
    + b"a++; }",
    "calls in a ring": b"".join(b"void f%d(int *);\n" % n for n in range(200))
    + b"".join(b"void f%d(int *a) { f%d(a); f%d(a); }\n" % (n, (n + 1) % 200, (n + 7) % 200) for n in range(200))
    + b"int main(void) { int a; f0(&a); }\n",
    "byte order mark": b"\xef\xbb\xbf#pragma omp target\nint \xef\xbb\xbf;",
}  # fmt: skip


@pytest.mark.parametrize("name", thinned(EXTREME, 5, of_rest=4))
@pytest.mark.thorough
def test_extreme_texts_take_few_steps(name: str) -> None:
    """Most take a million; what is exponential ends at the test's time limit."""

    def work() -> None:
        tu = Analyzer().analyze("t.c", EXTREME[name], EMPTY_SNAPSHOT, Settings())
        rules.report(tu, notes.diagnostics(tu))

    assert steps(work).total() < 20_000_000


@pytest.mark.thorough
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python")
def test_fuzzing_for_a_moment(tmp_path: Path) -> None:
    """The same inputs each time, as many on a slow machine as on a fast one; `make fuzz` tries new ones for longer."""
    seconds = os.environ.get("OMPLS_FUZZ_SECONDS")
    so_many = [f"-max_total_time={seconds}"] if seconds else ["-seed=1", f"-runs={RUNS}"]
    command = [sys.executable, str(HERE / "run.py"), *so_many, "-timeout=30", "-max_len=3000"]
    folders = [str(tmp_path), str(HERE / "corpus")]
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    run = subprocess.run(
        [*command, *folders], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-3000:]
