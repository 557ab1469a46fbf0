"""Which functions are called in a group of declarations and by whom, and which words stand for something else there."""

from __future__ import annotations

import re
import sys

from ompls.analysis.model.items import Group
from ompls.analysis.model.tu import Content

# A word that is not called; strings and comments are skipped.
_WORD = re.compile(rb'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*|\b([A-Za-z_]\w*)\b(?!\s*\()', re.S)
_KEY = __name__
Mentions = tuple[frozenset[str], dict[str, tuple[Content, ...]]]


def mentions(group: Group) -> Mentions:
    """Words that stand for something else than a call, and the callers of each function; kept with the group."""
    kept: Mentions | None = group.memo.get(_KEY)
    if kept is None:
        graph: dict[str, list[Content]] = {}
        for content in group.contents:
            for symbol in content.calls:
                graph.setdefault(symbol.name, []).append(content)
        words = frozenset(map(sys.intern, " ".join(map(_words, group.contents)).split()))
        kept = group.memo[_KEY] = words, {name: tuple(found) for name, found in graph.items()}
    return kept


def _words(content: Content) -> str:
    """With blanks between them; kept with the text, and as short as that: there are thousands, of which some are
    equal."""
    words: str | None = content.memo.get("words")
    if words is None:
        words = b" ".join(sorted({w for w in _WORD.findall(content.text) if w})).decode()
        words = content.memo["words"] = sys.intern(words)
    return words
