"""The C files that a trace speaks of, as far as they are here.

A trace may be somebody else's, and the page may be passed on: nothing but C files is read, and what a link with such a
name leads to is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ompls.project.files import read_regular
from ompls.project.problem import FileProblem

_ENDINGS = (".c", ".h")
_MOST_BYTES = 1 << 20
_MOST_FILES = 20
_MOST_LINES = 3000  # of one file; further ones are left out
_AROUND = 12  # lines around each region, of a longer file


def sources(regions: Iterable[str], recorded: float) -> dict[str, dict[str, object]]:
    """By the file's name in the trace: its `lines` by their numbers, and a `note` where there is something to know.

    regions -- `file:line` of directives;  recorded -- when the run began, in seconds since 1970
    """
    lines: dict[str, set[int]] = {}
    for region in regions:
        name, _, line = region.rpartition(":")
        if name and line.isdigit() and len(line) < 9:
            lines.setdefault(name, set()).add(int(line))
    return {name: _source(name, numbers, recorded) for name, numbers in list(lines.items())[:_MOST_FILES]}


def _source(name: str, numbers: set[int], recorded: float) -> dict[str, object]:
    try:
        real = os.path.realpath(name, strict=True)
        changed = os.stat(real).st_mtime
    except (OSError, ValueError):
        return {"lines": {}, "note": "not found where the report was made"}
    try:
        if not real.endswith(_ENDINGS):
            raise FileProblem(name, "it is no C file", "")
        text = read_regular(real, _MOST_BYTES).decode("utf-8", "replace").removesuffix("\n").split("\n")
    except FileProblem:
        return {"lines": {}, "note": "not shown: it is no C file of at most 1 MiB"}
    shown = range(1, len(text) + 1)
    near = {n for number in numbers for n in range(number - _AROUND, number + _AROUND + 1)}
    chosen = shown if len(text) <= _MOST_LINES else sorted(near & set(shown))[:_MOST_LINES]
    made: dict[str, object] = {"lines": {n: text[n - 1].rstrip("\r") for n in chosen}}
    if changed > recorded:
        made["note"] = "changed since the run: lines may not be those that ran"
    return made
