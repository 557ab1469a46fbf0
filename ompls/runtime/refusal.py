"""What a compiler says of a file that was made of the user's text, as a problem at the user's line.

Whoever writes a program knows nothing of the files that are made of it: a message about one of these is told with the
line that it was made of (`#line` has it), and the compiler's own words are kept in a file.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, List, Optional, Sequence

from .cache import Cache, cache_directory
from .errors import RuntimeProblem
from .scratch import scratch

PACKAGE = Path(__file__).resolve().parents[1]
# gcc's and clang's "FILE:LINE:COLUMN: error: …", nvcc's and nvrtc's "FILE(LINE): error: …".
_ERROR = re.compile(
    r"^(?P<file>[^\s:(][^:(\n]*?)(?::(?P<line>\d+)(?::\d+)?|\((?P<at>\d+)\)): "
    r"(?:(?:fatal |catastrophic )?error(?: #\S+)?|sorry, unimplemented|internal compiler error): (?P<text>.*)$",
    re.MULTILINE,
)
# Any place: one from which our library was used, say.
_PLACE = re.compile(r"(?P<file>[^\s:(\"][^:(\n\"]*?)(?::(?P<line>\d+):|\((?P<at>\d+)\):)")
_USED_AT = re.compile(r"at line (?P<line>\d+) of (?P<file>\S+)(?P<at>)")  # nvcc: "detected during instantiation of …"
_LINE = re.compile(rb'^#line (?P<line>\d+) "(?P<file>[^"\n]*)"', re.MULTILINE)
# What a kernel or its library asserts is written for whoever reads it, and what we say of a compiler (cuda's image.py).
_ASSERTED = re.compile(r"(?:static assertion failed(?:: | with )\"?|(?=nvrtc [\d.]+ has no ))(?P<text>.*?)\"?$")


@dataclass(frozen=True)
class Said:
    """One error of a compiler: where, and its text."""

    file: str
    line: int
    text: str


class Refusal(RuntimeProblem):
    """A compiler does not take what was made of the user's text."""


def errors_in(output: str) -> List[Said]:
    return [Said(m["file"], int(m["line"] or m["at"]), m["text"]) for m in _ERROR.finditer(output)]


def refusal(output: str, compiler: str, made: Sequence[str], whose: str) -> Optional[Refusal]:
    """The problem that a compiler's `output` about a file of ours is; None: it says nothing of the user's lines.

    compiler -- what people call it
    made -- names of the files of ours, which are in nobody's sight
    whose -- FILE:LINE of the region that the file was made of; "" where it was made of more than one
    """
    found = errors_in(output)
    if not found:
        return None
    asserted = next((said for said in found if _ASSERTED.search(said.text)), None)
    first = asserted or found[0]
    where = next((place for place in _places(first, output) if _is_users(place.file, made)), None)
    at = "{}:{}".format(where.file, where.line) if where is not None else whose
    if not at:
        return None
    match = _ASSERTED.search(first.text)
    if match is not None:
        return Refusal(at, match["text"])
    why = "{} does not take what is made of this line".format(compiler)
    hint = "this is a fault of ompls, or more than it can do: write the line in another way, or choose another device"
    log = keep(output)
    return Refusal(at, why, "{}; {}".format(hint, "the compiler said: " + first.text if log is None else _in_log(log)))


def begin_of(made: bytes) -> str:
    """FILE:LINE of the first of the user's lines in a file that was made."""
    m = _LINE.search(made)
    return "" if m is None else "{}:{}".format(m["file"].decode("utf-8", "replace"), int(m["line"]))


def _in_log(log: Path) -> str:
    return "what the compiler said is in {}".format(log)


def _places(first: Said, output: str) -> Iterator[Said]:
    """That of the error, then those from which the code was used that it is in."""
    yield first
    behind = output[output.find(first.text) :]
    for pattern in (_USED_AT, _PLACE):
        for text in (behind, output):
            for m in pattern.finditer(text):
                yield Said(m["file"], int(m["line"] or m["at"]), "")


def _is_users(file: str, made: Sequence[str]) -> bool:
    path = Path(file)
    ours = path.name in made or file == "ompls_entries" or PACKAGE in path.parents
    return not ours and not file.startswith("<")


def keep(words: str) -> Optional[Path]:
    """Where the words are kept: the cache; None where nothing can be written there."""
    cache = Cache(cache_directory())
    if cache.problem() is not None:
        return None
    with scratch() as place:
        private = place / "words"
        private.write_text(words, encoding="utf-8")
        try:
            return cache.put(hashlib.sha256(private.read_bytes()).hexdigest(), ".log", private)
        except OSError:
            return None
