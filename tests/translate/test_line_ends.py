"""Where the user's lines end is nothing to a kernel: no statement is lost in a comment that was put before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from named import preview
from thinned import thinned

from ompls.analysis.model.tu import TU
from ompls.translate.lowering.edits import on_one_line, pragma
from ompls.translate.rewrite import NO_CODE, Chunk, joined

PROGRAMS = Path(__file__).parent / "programs"
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*\n?", re.M)
_NOTE = re.compile(r"//.*|/\*.*?\*/")
_OPERATOR = re.compile(r'_Pragma\("((?:\\.|[^"\\])*)"\)')
_TOKEN = re.compile(NO_CODE + r"|\.?\d(?:[eEpP][-+]|[\w.])*|\w+|\S", re.S)


def on_few_lines(text: str) -> str:
    """`text` with line ends around its preprocessor directives only; its pragmas are operators."""
    out, at = "", 0
    for m in _DIRECTIVE.finditer(text):
        out += on_one_line(text[at : m.start()])
        words = re.match(r"\s*#\s*pragma\s+(.*)", m.group().replace("\\\n", " "), re.S)
        if words is not None:
            out += pragma(_NOTE.sub(" ", words.group(1)))
        else:
            out += ("" if out.endswith("\n") or not out else "\n") + m.group()
        at = m.end()
    return out + on_one_line(text[at:])


def _tokens(text: str) -> Iterator[str]:
    """Without what tells of lines: comments, `#line`, numbers in names."""
    text = re.sub(r"^[ \t]*#(?:line)? \d+.*$", "", text, flags=re.M)
    text = re.sub(r"^[ \t]*#[ \t]*pragma ", "", text, flags=re.M)
    text = _OPERATOR.sub(lambda m: re.sub(r"\\(.)", r"\1", m.group(1)), text)
    for token in _TOKEN.findall(re.sub(r"(ompls_[a-z]+_)\d+\b", r"\1", text)):
        if not token.startswith(("//", "/*")):
            yield token


@pytest.mark.parametrize(
    ("path", "device"),
    thinned([(path, device) for path in sorted(PROGRAMS.rglob("*.c")) for device in ("host", "cuda")], 19, of_rest=4),
    ids=lambda value: value.stem if isinstance(value, Path) else None,
)
def test_a_kernel_is_the_same_when_all_stands_on_one_line(
    path: Path, device: str, load: Callable[[Path], TU], unit: Callable[[str], TU], tmp_path: Path
) -> None:
    text = re.sub(r"\bassert\(", "(void)(", path.read_text())  # it tells its line
    for header in PROGRAMS.glob("*.h"):
        (tmp_path / header.name).write_bytes(header.read_bytes())
    wide, narrow = preview(unit(on_few_lines(text)), device), preview(unit(text), device)
    assert not wide.diagnostics
    assert list(_tokens(wide.text)) == list(_tokens(narrow.text))


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["{", "+int i;  // why", " i = 1; }"], "{int i;  // why\n i = 1; }"),
        (["{", "+int i;  // why", "  \n i = 1; }"], "{int i;  // why  \n i = 1; }"),
        (["{", '+puts("//");', " i = 1; }"], '{puts("//"); i = 1; }'),
        (["{", "+// a \\\nb", " i = 1; }"], "{// a \\\nb\n i = 1; }"),
        (["{", "+// one", "+// two"], "{// one\n// two\n"),
        (["{\n", "+int i;", "#pragma omp for\nfor"], "{\nint i;\n#pragma omp for\nfor"),
        (["{\n", "+int i;\n  ", "#pragma omp for\nfor"], "{\nint i;\n  #pragma omp for\nfor"),
    ],
)
def test_what_is_put_in_swallows_nothing(pieces: list[str], text: str) -> None:
    assert joined([Chunk(p.lstrip("+"), 0, not p.startswith("+")) for p in pieces]) == text
