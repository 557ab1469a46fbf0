"""Hover on what makes a directive without being one: a macro with `_Pragma` in it, where it is used and where it is
defined, and the word `_Pragma` itself.  It says which directive that is, and what the directive and its clauses do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ompls.analysis.encoding import decoded
from ompls.analysis.features.mentions import macro_text
from ompls.analysis.features.navigation import directives_at, word_at
from ompls.analysis.features.operators import directive_around
from ompls.analysis.features.pragmas import in_comment
from ompls.analysis.features.scopes import expanded_offset, item_at
from ompls.analysis.model.tu import TU
from ompls.analysis.spec import CLAUSES, DIRECTIVES
from ompls.analysis.syntax.pragma import parse_directive

_MOST = 4  # directives that are explained
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.M)
_OPENED = re.compile(rb'\b_Pragma\s*\(\s*"')


def made_text(tu: TU, offset: int) -> str | None:
    """Markdown about the directives that the word at byte `offset` of the main file makes; None when it makes none."""
    start, end = word_at(tu.source, offset)
    word = tu.source[start:end]
    if not word or in_comment(tu.source[tu.source.rfind(b"\n", 0, start) + 1 : start]):
        return None
    if word == b"_Pragma":
        opened = _OPENED.match(tu.source, start)
        return _explained(_written(tu.source, [opened.end()])) if opened is not None else None
    definition = next((m for m in _around(tu.source, start) if m.start(1) == start), None)
    if definition is not None:
        inside = (m.end() for m in _OPENED.finditer(tu.source, definition.start(2), definition.end(2)))
        return _explained(_written(tu.source, inside))
    texts = []
    x = expanded_offset(tu, offset)
    item = item_at(tu, x)
    here = list(directives_at(tu, x))
    if item is not None and here:  # a macro may make several
        here = [(item, s.directive) for s in item.content.directives]
    for place, directive in here:
        where = tu.locate(place, directive.span)
        if where.path == tu.path and where.start == start and word != b"#":
            first = place.start + directive.span.start
            texts.append(tu.expanded[first : place.start + directive.span.end])
    explained = _explained(texts)
    defined = macro_text(tu, word, offset) if explained is not None else None
    return f"{defined}\n\n{explained}" if defined is not None else explained


def _around(source: bytes, at: int) -> Iterable[re.Match[bytes]]:
    return _DEFINE.finditer(source, source.rfind(b"\n", 0, at) + 1, at + 1_000)


def _written(source: bytes, places: Iterable[int]) -> list[bytes]:
    """The texts of the `_Pragma`s that the places are in, as pragma lines."""
    found = [directive_around(source, at) for at in places]
    return [text[p.start : p.line_end] for text, p in (f for f in found if f is not None)]


def _explained(texts: list[bytes]) -> str | None:
    parts = []
    for text in texts[:_MOST]:
        directive = parse_directive(text, 0)
        line = " ".join(decoded(text).replace("\\\n", " ").split())
        line = line if line.startswith("#") else f"#pragma {line}"
        spec = DIRECTIVES.get(directive.name)
        clauses = dict.fromkeys(c.name for c in directive.clauses if c.name in CLAUSES)
        parts.append(f"```c\n{line}\n```")
        parts += [f"**{spec.name}**: {spec.summary}"] if spec is not None else []
        parts += ["\n".join(f"* `{name}`: {CLAUSES[name].summary}" for name in clauses)] if clauses else []
    return "\n\n".join(parts) or None
