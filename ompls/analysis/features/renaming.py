"""Renaming a variable from a pragma or a construct's code, across clauses and code.

A name in the text that the model does not account for (in a macro, in an inactive branch, in a clause that is not
understood) makes a renaming impossible rather than incomplete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ompls.analysis.encoding import encoded
from ompls.analysis.features.navigation import (
    TAGGED,
    Target,
    directives_at,
    is_verbatim,
    names_of,
    occurrences,
    spelled,
    target_at,
    words_of,
)
from ompls.analysis.features.operators import directive_around
from ompls.analysis.features.pragmas import pragma_at
from ompls.analysis.features.scopes import expanded_offset, item_at, visible
from ompls.analysis.features.tokens import tokens, variables_of
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.tu import TU
from ompls.analysis.source import Location, Macro

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
_KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas
    _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local asm typeof""".split()  # noqa: SIM905
)
_MACRO = re.compile(rb"(?P<params>\([^()\n]*\))?(?P<text>(?:[^\\\n]|\\\r?\n|\\)*)")
_RECORD = re.compile(rb"\b(?:struct|union|enum)(?:[ \t\r\n]+\w+)?[ \t\r\n]*\Z")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something cannot be renamed: one sentence."""

    reason: str


def rename_at(tu: TU, offset: int) -> Target | Refusal | None:
    """What a renaming would rename; None outside of variables in pragmas and constructs."""
    target = target_at(tu, offset)
    if target is None:
        return None
    name, symbol = target.symbol.name, target.symbol
    if symbol.kind == "func":
        return Refusal(f"'{name}' is a function: only variables are renamed")
    if target.item is None and symbol.storage != "static":
        return Refusal(f"other files may use '{name}', which is not static: rename it with a C language server")
    places = _places(tu, target)
    return places if isinstance(places, Refusal) else target


def rename(tu: TU, offset: int, new: str) -> list[Location] | Refusal:
    """The places of the main file where the name under the cursor is to be replaced by `new`."""
    target = rename_at(tu, offset)
    if target is None:
        return Refusal("there is no variable of a pragma or of a construct's code here")
    if isinstance(target, Refusal):
        return target
    if not _IDENTIFIER.match(new) or new in _KEYWORDS:
        return Refusal(f"'{new}' is no name in C")
    places = _places(tu, target)
    if isinstance(places, Refusal) or new == target.symbol.name:
        return places
    start, end = _extent(tu, target)
    taken = next(words_of(tu.source, new, start, end), None) is not None
    taken = taken or any(_says(m, new) for w in places for m in _macros(tu, w))
    if taken or _is_macro(tu, new):
        return Refusal(f"'{new}' already means something here")
    if target.item is None and new in tu.symbols:
        return Refusal(f"'{new}' is already declared, in a header")
    return places


def _is_macro(tu: TU, name: str) -> bool:
    """Whether a name is a macro: of the text, of a header or of the compiler."""
    define = re.compile(rb"(?m)^[ \t]*#[ \t]*define[ \t]+" + encoded(name) + rb"\b")
    snapshot = tu.snapshot
    if any(define.search(text) for text in (tu.source, *(text for _, text in tu.headers.values()))):
        return True
    outside = (*snapshot.predefined, *(op for unit in snapshot.system.values() for op in unit.ops))
    # What expands to itself (glibc's `stdin`) changes nothing.
    return any(op.name == name and op.body.strip() != name for op in outside if isinstance(op, Macro))


# --- occurrences in the text, for renaming


def _places(tu: TU, target: Target) -> list[Location] | Refusal:
    """Every occurrence as the user wrote it, or why they are not all known."""
    name = target.symbol.name
    known: dict[int, Location] = {}
    for where, declares in occurrences(tu, target):
        if where.path != tu.path:
            return Refusal(f"'{name}' is {'declared' if declares else 'used'} in {where.path}")
        if is_verbatim(tu, where, name):
            known[where.start] = where
            continue
        arguments = _arguments(tu, target, where)
        if not arguments:
            line = tu.source.count(b"\n", 0, where.start) + 1
            return Refusal(f"'{name}' is used by a macro on line {line}")
        known.update((at.start, at) for at in arguments)
    if target.item is not None and not _declared(tu, target):
        return Refusal(f"the declaration of '{name}' is not understood")
    for at in words_of(tu.source, name, *_extent(tu, target)):
        if at in known:
            continue
        meaning = _meaning(tu, target, at)
        if isinstance(meaning, Refusal):
            return meaning
        if meaning:
            known[at] = Location(tu.path, at, at + len(encoded(name)))
    return [known[at] for at in sorted(known)]


def _arguments(tu: TU, target: Target, where: Location) -> list[Location]:
    """The words in a macro invocation that give it the variable; none when the macro itself may name it."""
    name, source = target.symbol.name, tu.source
    if any(_says(body, name) for body in _macros(tu, where)):
        return []
    if (found := spelled(tu, where, name)) != [where]:
        return found
    found = []
    for at in words_of(source, name, where.start, where.end):
        if not TAGGED.search(source[max(0, at - 200) : at]) and not _is_member(source, at):
            found.append(Location(tu.path, at, at + len(encoded(name))))
    return found


def _macros(tu: TU, where: Location) -> Iterator[re.Match[bytes]]:
    """The definitions of the user's macros that are expanded in `where`: `text`, and `params` if there are some."""
    seen: set[Location] = set()
    for segment in tu.map.segments:
        within = segment.start < where.end and segment.end > where.start
        if segment.kind == "expansion" and segment.path == where.path and within:
            seen |= {at for _, at in segment.stack if at is not None}
    for at in seen:
        text = tu.source if at.path == tu.path else next((t for p, t in tu.headers.values() if p == at.path), b"")
        match = _MACRO.match(text, at.end)
        if match is not None:
            yield match


def _says(macro: re.Match[bytes], name: str) -> bool:
    """Whether a macro's text has the name as a word that is no parameter."""
    params = macro["params"] or b""
    if next(words_of(params, name, 0, len(params)), None) is not None:
        return False
    return next(words_of(macro["text"], name, 0, len(macro["text"])), None) is not None


def _declared(tu: TU, target: Target) -> bool:
    return any(declares for _, declares in occurrences(tu, target))


def _meaning(tu: TU, target: Target, at: int) -> bool | Refusal:
    """Whether a word of the text that the model does not list is the variable all the same (in a type, for one)."""
    name, source = target.symbol.name, tu.source
    line = source.count(b"\n", 0, at) + 1
    if any(i.path == tu.path and i.start <= at < i.end for i in tu.inactive):
        return Refusal(f"'{name}' is also named in an inactive branch, on line {line}")
    pragma = pragma_at(source, at)
    if pragma is not None:
        said = next((kind for start, _, kind in tokens(source, pragma.start, pragma.end) if start == at), None)
        if said != "variable":
            if b"metadirective" not in source[pragma.start : pragma.end]:
                return False
            return Refusal(f"a metadirective names '{name}' on line {line}, where it is not understood")
        elsewhere = next((t for t in _all_names(tu, pragma.start) if t == at), None)
        return False if elsewhere is not None else Refusal(f"a clause with '{name}' on line {line} is not understood")
    around = directive_around(source, at)
    if around is not None and at not in variables_of(*around):
        return False  # a word of OpenMP
    if re.match(rb"[ \t]*(?:#|%:)", source[source.rfind(b"\n", 0, at) + 1 :][:200]):
        return Refusal(f"'{name}' is named in a preprocessor line, line {line}")
    if TAGGED.search(source[max(0, at - 200) : at]) or _is_member(source, at):
        return False
    x = expanded_offset(tu, at)
    return visible(tu, x).get(name) is target.symbol and not _names_something(tu, x)


def _is_member(source: bytes, at: int) -> bool:
    """Whether a word is declared between the braces of a structure, union or enumeration."""
    depth = 0
    for place in range(at - 1, max(-1, at - 4000), -1):
        char = source[place]
        if char == 0x7D:  # }
            depth += 1
        elif char == 0x7B:  # {
            if not depth:
                return _RECORD.search(source[max(0, place - 200) : place]) is not None
            depth -= 1
    return False


def _all_names(tu: TU, start: int) -> Iterator[int]:
    """Where the names of a pragma that the model knows stand."""
    for place, directive in directives_at(tu, expanded_offset(tu, start)):
        for name in names_of(directive):
            if name.symbol is not None:
                yield tu.locate(place, name.span).start


def _names_something(tu: TU, x: int) -> bool:
    """Whether a node of the model that is another thing's name stands at expanded offset `x`."""
    item = item_at(tu, x)
    if item is None:
        return False
    at = x - item.start
    for node in item.content.node.walk():
        if isinstance(node, ast.Name) and node.span.start == at:
            return True
        if isinstance(node, ast.VarDecl) and node.name_span.start == at:
            return True
        if isinstance(node, ast.Labeled) and node.span.start == at:
            return True
    return False


def _extent(tu: TU, target: Target) -> tuple[int, int]:
    """The bytes of the main file in which the name can be the variable's."""
    if target.item is None:
        return 0, len(tu.source)
    where = tu.locate(target.item, Span(0, target.item.end - target.item.start))
    return where.start, where.end
