"""The preprocessor's directives as they are written, and what looks like one, in comments too: no pragmas.

Who asks does so at every key, of the same text, so all of it is gone through once; by what object the text is, since
hashing or comparing it takes as long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_DIRECTIVE = re.compile(rb"#(?![ \t]*pragma\b)(?:[^\n\\]|\\\r?\n|\\)*")
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
        lines = tuple(_DIRECTIVE.findall(source))
        macros = last.macros if lines == last.lines else frozenset(_DEFINE.findall(b"\n".join(lines)))
        last = _last[0] = _Last(source, lines, macros)
    return last
