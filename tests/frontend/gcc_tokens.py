"""Our token stream and gcc's, for comparison."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ompls.analysis.syntax.lexer import DIGRAPHS, tokenize
from ompls.analysis.syntax.preprocess import Expanded, Preprocessor
from ompls.project.flags import version_flags
from ompls.project.workspace import Workspace

FIXTURES = Path(__file__).parent / "fixtures"
_MARKER = re.compile(r'# \d+ "((?:[^"\\]|\\.)*)"')


def tokens_of(text: str) -> list[str]:
    """The spellings in `text`; digraphs as what they stand for."""
    return [DIGRAPHS.get(token[1], token[1]) for token in tokenize(text)]


def gcc_tokens(path: Path, flags: Sequence[str] = ()) -> list[str]:
    """What `gcc -E -fopenmp` gives, without what comes from system headers."""
    result = subprocess.run(
        ["gcc", "-E", "-w", "-fopenmp", *version_flags("5.2"), *flags, str(path)], capture_output=True, check=False
    )
    lines, own = [], True
    for line in result.stdout.decode("latin-1").split("\n"):
        marker = _MARKER.match(line)
        if marker:
            own = not marker.group(1).startswith(("/usr", "<"))
        elif own:
            lines.append(line)
    # paths of headers are normalised here, so __FILE__ is too
    return tokens_of("\n".join(lines).replace("/./", "/"))


def expand(workspace: Workspace, path: Path, preprocessor: Preprocessor | None = None) -> Expanded:
    source = path.read_bytes()
    name = str(path)
    snapshot = workspace.snapshot(name, source, workspace.flags(name))
    return (preprocessor or Preprocessor()).run(name, source, snapshot)


def our_tokens(workspace: Workspace, path: Path) -> list[str]:
    return tokens_of(expand(workspace, path).text.decode("latin-1"))


def check_map(expanded: Expanded, texts: dict[str, bytes]) -> None:
    """The invariants of an expanded text and its map; `texts` are the originals by path."""
    assert len(expanded.text) == len(expanded.parse_text)
    at = 0
    for segment in expanded.map.segments:
        assert segment.x_start == at, "segments have no gaps"
        at = segment.x_end
        original = texts[segment.path]
        assert 0 <= segment.start <= segment.end <= len(original)
        if segment.kind == "verbatim":
            assert segment.end - segment.start == segment.x_end - segment.x_start
            ours = expanded.text[segment.x_start : segment.x_end]
            theirs = original[segment.start : segment.end].replace(b"\r", b"\n").replace(b"\0", b" ")
            same = [a == b or a in b" \n" for a, b in zip(ours.replace(b"\r", b"\n"), theirs, strict=True)]
            assert all(same), "verbatim bytes are the original's, or blank"
    assert at == len(expanded.text)
    end = 0
    for start, stop in expanded.pragmas:
        assert end <= start < stop <= len(expanded.text)
        assert expanded.text[start:].lstrip()[:1] in (b"#", b"%")
        line = expanded.text[expanded.text.rfind(b"\n", 0, start) + 1 : start]
        assert not line.strip() or b"*/" in line, "a pragma stands on a line of its own"
        assert not expanded.parse_text[start:stop].strip()
        end = stop
    for note in expanded.notes:
        assert 0 <= note.start <= note.end <= len(expanded.text), note
    for place in expanded.inactive:
        assert 0 <= place.start < place.end <= len(texts[place.path])
