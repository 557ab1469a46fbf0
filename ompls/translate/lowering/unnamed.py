"""Structures, unions and enumerations that only a variable or a member names: they get a tag, for C++.

C++ wants to say a type that is converted to, passed to a kernel or declared apart from its variable.  A typedef gives
its type a name in C++, too; what declares nothing, as a list of constants does, needs none.  A type that is defined
where a function says what it returns stands in front of the function in every kernel, which declares functions first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.model.ast import FunctionDef, Span
from ompls.analysis.model.tu import Item
from ompls.translate.ctext import words
from ompls.translate.lowering.round import Round
from ompls.translate.rewrite import NO_CODE

_QUIET = re.compile(encoded(NO_CODE), re.S)
_ATTRIBUTE = rb"__attribute(?:__)?\s*\(\(.*?\)\)"
_DEFINITION = re.compile(rb"\b(struct|union|enum)\b(?:\s*%s)*\s*([A-Za-z_]\w*)?\s*\{" % _ATTRIBUTE, re.S)
_DECLARATOR = re.compile(
    rb"(?:\s|%s|\b(?:const|volatile|static|extern|typedef)\b)*([*(\s]*)([A-Za-z_]\w*)(\s*[,;])?" % _ATTRIBUTE, re.S
)


def lower(work: Round) -> None:
    given: set[str] = set()
    for item in work.tu.items if work.target.on_device else []:
        memo, known = item.content.memo, f"{__name__} {work.target.openmp}"
        if not memo.get(known):
            memo[known] = not _named(work, item, given)


def _named(work: Round, item: Item, given: set[str]) -> bool:
    """Give the types in an item their tags; whether there was something to do."""
    text, node, found = item.content.text, item.content.node, False
    header = node.header.end if isinstance(node, FunctionDef) else 0
    for kind, tag, span, of in _definitions(text):
        returned = span.start < header
        if not returned and (tag or not of or work.target.openmp):
            continue
        found = True
        name = tag or _fresh(work, of or kind, given)
        if not returned:
            at = text.index(b"{", span.start)
            work.replace(item, (Span(at, at), f"{name} "))
        else:
            body = decoded(text[text.index(b"{", span.start) : span.end])
            work.replace(item, (Span(0, 0), f"{kind} {name} {body}; "), (span, f"{kind} {name}"))
    return found


def _definitions(text: bytes) -> Iterator[tuple[str, str, Span, str]]:
    """(kind, tag, where it stands, what names it instead of a tag) of the types that are defined in a text.

    Not of what an expression defines, as `(struct { int a; }){1}` does.
    """
    if not any(word in text for word in (b"struct", b"union", b"enum")):
        return
    quiet = _QUIET.sub(lambda m: b" " * len(m.group()), text)
    behind = 0  # the last expression
    for m in _DEFINITION.finditer(quiet):
        end = _closing(quiet, m.end() - 1)
        if quiet[end:].lstrip()[:1] == b")":
            behind = max(behind, end)
        elif m.start() >= behind:
            yield decoded(m[1]), decoded(m[2] or b""), Span(m.start(), end), _namesake(quiet, m.start(), end)


def _namesake(quiet: bytes, start: int, end: int) -> str:
    """The variable, member or function whose type it is; '' where there is none, or where a typedef names it."""
    m = _DECLARATOR.match(quiet, end)
    before = max(quiet.rfind(mark, 0, start) for mark in (b";", b"{", b"}")) + 1
    typedef = re.search(rb"\btypedef\b", quiet[before:start])
    if m is None or (typedef and not m[1].strip() and m[3]):
        return ""
    return decoded(m[2])


def _closing(quiet: bytes, opening: int) -> int:
    """The offset behind the brace that closes the one at `opening`."""
    depth = 0
    for m in re.finditer(rb"[{}]", quiet[opening:]):
        depth += 1 if m.group() == b"{" else -1
        if not depth:
            return opening + m.end()
    return len(quiet)


def _fresh(work: Round, of: str, given: set[str]) -> str:
    """A tag that nothing else in the unit is called, nor anything that was `given` a tag in this pass."""
    name = f"{of}_type"
    while name in given or name in words(decoded(work.tu.expanded)):
        name += "_"
    given.add(name)
    return name
