"""The preprocessor's directives as they are written, and what looks like one, in comments too: no pragmas.

Who asks does so at every key, of the same text, so it is gone through once, and only where it has changed; by what
object the text is, since hashing it takes as long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ompls.analysis.changed import changed

_DIRECTIVE = re.compile(rb"#(?![ \t]*pragma\b)(?:[^\n\\]|\\\r?\n|\\)*")
_CONTINUED = re.compile(rb"\\\r?\n\Z")
_END = re.compile(rb"[^\\\r]\r?\n")  # of a logical line
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)")


@dataclass(slots=True)
class _Last:
    """A text, what was found in it, and the macros of that."""

    text: bytes = b""
    lines: tuple[bytes, ...] = ()
    macros: frozenset[bytes] = frozenset()


_last = [_Last()]


def directive_lines(source: bytes) -> tuple[bytes, ...]:
    """They, with their continuation lines."""
    return _of(source).lines


def defined_macros(source: bytes) -> frozenset[bytes]:
    """The names that a `#define` gives a meaning."""
    return _of(source).macros


def _of(source: bytes) -> _Last:
    last = _last[0]
    if last.text is not source:
        lines = last.lines if _same(last.text, source) else tuple(_DIRECTIVE.findall(source))
        macros = last.macros if lines == last.lines else frozenset(_DEFINE.findall(b"\n".join(lines)))
        last = _last[0] = _Last(source, lines, macros)
    return last


def _same(old: bytes, new: bytes) -> bool:
    """Whether the lines that differ, with those that they continue, hold the same directives."""
    before, after = changed(old, new)
    start = new.rfind(b"\n", 0, before) + 1
    while start and _CONTINUED.search(new, max(0, start - 3), start):
        start = new.rfind(b"\n", 0, start - 1) + 1
    end = _END.search(new, len(new) - after)
    left = len(new) - end.end() if end is not None else 0
    return _DIRECTIVE.findall(old, start, len(old) - left) == _DIRECTIVE.findall(new, start, len(new) - left)
