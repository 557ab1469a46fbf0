"""Whose fault it is that gcc refuses the host half of a unit: the user's text with what is made of its constructs.

gcc is asked about the user's own file.  What it refuses there is told in its words, about that file; what it refuses
only in what was made of it is a fault of ours, told at the user's line without gcc's words.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from ompls.cli.problem import Problem

# gcc with further words, on the user's file as it is: its exit code, and what it says.
Asked = Callable[..., tuple[int, str]]
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;]*[mK]|\]8;;[^\x1b\x07]*(?:\x1b\\|\x07))")  # colours, links
_BEGINS = re.compile(r"(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?P<kind>fatal error|error|sorry|warning|note)")


def tell(said: str, asked: Asked) -> None:
    """Write on stderr what gcc said of the host half, or of the user's own file.

    Raises Problem where the user's file is right.
    """
    from ompls.runtime.refusal import errors_in, refusal

    plain = _ESCAPES.sub("", said)
    code, _ = asked("-fno-openmp", "-w")
    if code != 0:  # no C: it stands as it was written in what was said
        sys.stderr.write(said)
        return
    code, words = asked("-foffload=disable")
    places = {(Path(e.file).name, e.line) for e in errors_in(plain)}
    own = "".join(text for place, text in _messages(words) if place in places) if code != 0 else ""
    if own:
        sys.stderr.write(own)
        return
    problem = refusal(plain, "gcc", (), "")
    if problem is None:  # not a word of a line
        sys.stderr.write(said)
        return
    raise Problem(str(problem))


def _messages(words: str) -> Iterator[tuple[tuple[str, int], str]]:
    """Place and text of each message, with the lines and the notes that belong to it."""
    place, text = ("", 0), ""
    for line in words.splitlines(keepends=True):
        m = _BEGINS.match(_ESCAPES.sub("", line))
        if m is not None and m["kind"] != "note":
            yield place, text
            place, text = (Path(m["file"]).name, int(m["line"])), ""
        text += line
    yield place, text
