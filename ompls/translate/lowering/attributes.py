"""Attributes of types where every C++ compiler obeys them.

gcc takes those of a structure behind its brace, too, and in C23's spelling.  NVIDIA's compilers lose both, partly
without a word, so they are written as GNU's, and between keyword and tag.  What gcc ignores and others obey goes away:
an alignment of an enumeration, or in front of a structure without a declarator, and C23's behind a brace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Span
from ompls.analysis.syntax import attributes
from ompls.translate.definitions import Definition, definitions, quieted
from ompls.translate.lowering.edits import on_one_line
from ompls.translate.lowering.round import Round

_LIST = rb"\[\[[^][]*\]\]"
_NEWER = re.compile(rb"%s(?:\s*%s)*" % (_LIST, _LIST))
_OF_GNU = re.compile(r"(?:gnu|__gnu__)\s*::\s*(.*)", re.S)
_OF_LAYOUT = re.compile(r"(?:__)?(?:packed|aligned|mode|vector_size)(?:__)?(?!\w)")
_ATTRIBUTE = re.compile(rb"\b__attribute(?:__)?\b")


def lower(work: Round) -> None:
    for item in work.tu.items if work.target.on_device and not work.target.openmp else []:
        memo, text = item.content.memo, item.content.text
        if not memo.get(__name__) and (b"__attribute" in text or b"[[" in text):
            edits = list(_edits(text))
            memo[__name__] = not edits
            for edit in edits:
                work.replace(item, *edit)


Edit = tuple[tuple[Span, str], ...]


def _edits(text: bytes) -> Iterator[Edit]:
    quiet = quieted(text)
    found = list(definitions(quiet))
    for m in _NEWER.finditer(quiet):
        gnus = _gnus(text, quiet, Span(m.start(), m.end()))
        if any(map(_OF_LAYOUT.match, gnus)):
            ignored = any(not quiet[x.end : m.start()].strip() for x in found if x.end <= m.start())
            yield ((Span(m.start(), m.end()), "" if ignored else f"__attribute__(({', '.join(gnus)}))"),)
    for x in found:
        if x.kind == "enum":
            yield from _of_enumeration(text, x)
            continue
        if x.end < x.behind:
            said = on_one_line(decoded(text[x.end : x.behind])).strip()
            yield (Span(x.named, x.named), f" {said}"), (Span(x.end, x.behind), "")
        if quiet[x.behind :].lstrip()[:1] == b";":
            yield from _of_nobody(quiet, x)


def _gnus(text: bytes, quiet: bytes, lists: Span) -> list[str]:
    """GNU's of the attributes in C23's lists at `lists`, as GNU writes them."""
    parts: list[bytes] = []
    depth, start = 0, lists.start
    for at in range(lists.start, lists.end):
        c = quiet[at : at + 1]
        depth += (c == b"(") - (c == b")")
        if c in (b"[", b"]") or (c == b"," and not depth):
            parts.append(text[start:at])
            start = at + 1
    found = (_OF_GNU.fullmatch(on_one_line(decoded(part)).strip()) for part in parts)
    return [m[1] for m in found if m is not None]


def _of_enumeration(text: bytes, x: Definition) -> Iterator[Edit]:
    """Those of an enumeration, of which gcc obeys `packed`."""
    before, behind = text[x.named : x.opening], text[x.end : x.behind]
    said = attributes.in_text(before + behind)
    if attributes.changes_type(said) or not (behind or attributes.alignments(said)):
        return
    tag = f" {x.tag} " if x.tag else " "
    packed = " __attribute__((packed))" if attributes.is_packed(said) else ""
    yield (Span(x.named, x.opening), packed + tag), (Span(x.end, x.behind), "")


def _of_nobody(quiet: bytes, x: Definition) -> Iterator[Edit]:
    """Those in front of a structure that no declarator follows."""
    first = max(quiet.rfind(mark, 0, x.start) for mark in (b";", b"{", b"}")) + 1
    for m in _ATTRIBUTE.finditer(quiet, first, x.start):
        if (end := attributes.end_of_attributes(quiet, m.start())) > m.start():
            yield ((Span(m.start(), end), ""),)
            return
