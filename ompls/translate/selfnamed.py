"""Macros that expand to their own name, where expanded text is put back into the source.

The preprocessor leaves such a name alone once; in text that is put back it would be expanded again, and silently mean
something else.  That is a Problem; everywhere else they do as they did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.source import Segment
from ompls.translate.problem import Problem


def self_named(tu: TU) -> list[tuple[Segment, str]]:
    """What such macros made, with their names."""
    return list(_found(tu))


def _found(tu: TU) -> Iterator[tuple[Segment, str]]:
    texts = {**dict(tu.headers.values()), tu.path: tu.source}
    for s in tu.map.segments:
        if s.kind != "expansion":
            continue
        text = decoded(tu.expanded[s.x_start : s.x_end]).strip()
        called = b"(" in texts.get(s.path, b"")[s.start : s.end]
        for name, _ in s.stack:
            if text != name and _named(name, called).search(text):
                yield s, name


def refuse_self_named(
    tu: TU, made: list[tuple[Segment, str]], item: Item, stmt: DirectiveStmt, *, copied: bool
) -> None:
    """Raises Problem for the first of `made` in the text of `stmt` that is put back.

    copied -- its body is written anew, too, as it is where a macro made the directive
    """
    first = item.start + stmt.directive.span.start
    copied = copied or tu.map.at(first).kind == "expansion"
    last = item.start + (stmt.span.end if copied else stmt.directive.span.end)
    for segment, name in made:
        if segment.x_start < last and first < segment.x_end:
            why = "its expansion has its own name in it, and would be expanded again: give one of them another name"
            raise Problem(None, f"the macro '{name}' here", why)


@cache
def _named(name: str, called: bool) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}\b" + (r"\s*\(" if called else ""))
