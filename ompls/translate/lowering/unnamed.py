"""Structures, unions and enumerations that only a variable or a member names: they get a tag, for C++.

C++ wants to say a type that is converted to, passed to a kernel or declared apart from its variable.  A typedef gives
its type a name in C++, too; what declares nothing, as a list of constants does, needs none.  A type that is defined
where a block declares a variable, or where a function says what it returns, stands in front of that: kernels declare
functions first, and variables anew where threads share them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Compound, DeclStmt, FunctionDef, Span, nodes
from ompls.analysis.model.tu import Item
from ompls.translate.ctext import words
from ompls.translate.definitions import Definition, definitions, quieted
from ompls.translate.lowering.edits import on_one_line
from ompls.translate.lowering.round import Round

_IN_AN_EXPRESSION = re.compile(rb"\s*\)")
_ATTRIBUTE = rb"__attribute(?:__)?\s*\(\(.*?\)\)"
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
    for x, of in definitions_in(text):
        returned = x.start < header
        if not returned and (x.tag or not of or work.target.openmp):
            continue
        found = True
        name = x.tag or fresh(work, of or x.kind, given)
        at = x.opening
        if returned:
            said = decoded(text[x.start : at]) + ("" if x.tag else f" {name} ") + decoded(text[at : x.behind])
            work.replace(item, (Span(0, 0), f"{on_one_line(said)}; "), (Span(x.start, x.behind), f"{x.kind} {name}"))
        else:
            work.replace(item, (Span(at, at), f"{name} "))
    return found or (not work.target.openmp and _apart(work, item))


def _apart(work: Round, item: Item) -> bool:
    """`struct s { int a; } x;` of blocks as `struct s { int a; }; struct s x;`; whether there was one."""
    found, text = False, item.content.text
    function = item.content.node
    if not isinstance(function, FunctionDef) or b"{" not in text or next(definitions_in(text), None) is None:
        return False
    for block in (n for n in nodes(function) if isinstance(n, Compound)):
        for n in block.items:
            if not isinstance(n, DeclStmt) or all(d.symbol.kind == "typedef" for d in n.decls):
                continue
            for x, _ in definitions_in(text[n.specifiers.start : n.specifiers.end]):
                start, end = n.specifiers.start + x.start, n.specifiers.start + x.behind
                definition = on_one_line(decoded(text[start:end]))
                at = n.span.start
                work.replace(item, (Span(at, at), f"{definition}; "), (Span(start, end), f"{x.kind} {x.tag}"))
                found = True
                break
    return found


def definitions_in(text: bytes) -> Iterator[tuple[Definition, str]]:
    """The types that are defined in a text, and what names each instead of a tag.

    Not those in expressions: `(struct { int a; }){1}`.
    """
    if not any(word in text for word in (b"struct", b"union", b"enum")):
        return
    quiet = quieted(text)
    beyond = 0  # the last expression
    for x in definitions(quiet):
        if _IN_AN_EXPRESSION.match(quiet, x.end):
            beyond = max(beyond, x.end)
        elif x.start >= beyond:
            yield x, _namesake(quiet, x.start, x.behind)


def _namesake(quiet: bytes, start: int, end: int) -> str:
    """The variable, member or function whose type it is; '' where there is none, or where a typedef names it."""
    m = _DECLARATOR.match(quiet, end)
    before = max(quiet.rfind(mark, 0, start) for mark in (b";", b"{", b"}")) + 1
    typedef = re.search(rb"\btypedef\b", quiet[before:start])
    if m is None or (typedef and not m[1].strip() and m[3]):
        return ""
    return decoded(m[2])


def fresh(work: Round, of: str, given: set[str]) -> str:
    """A tag that nothing else in the unit is called, nor anything that was `given` a tag in this pass."""
    name = f"{of}_type"
    while name in given or name in words(decoded(work.tu.expanded)):
        name += "_"
    given.add(name)
    return name
