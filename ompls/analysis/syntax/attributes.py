"""Attributes that change the size or the alignment of a type.

The grammar does not see attributes (`mask.py`): they are found in the text, and belong to the declaration, or to the
structure, union or enumeration, that they stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ompls.analysis.patterns import later
from ompls.analysis.syntax.mask import closing, without_comments
from ompls.analysis.syntax.reader import words

_ONE = later(rb"\b(?:__attribute(?:__)?|_Alignas|alignas|__declspec)\s*\(|\[\[")
_OF_TYPE = later(rb"\s*(?:__attribute(?:__)?\s*\(|\[\[)")
_OF_GNU = later(rb"\s*__attribute(?:__)?\s*\(")
_LITERAL = later(rb'"(?:[^"\\\n]|\\.)*"')
_PACKED = later(rb"(?<!\w)(?:__packed__|packed)(?!\w)")
_ALIGNED = later(rb"(?<!\w)(?:__aligned__|aligned)(?!\w)\s*(\()?")
# Those that make another type of it, or lay it out by other rules than those of `layout.py`
_OTHER_TYPE = later(
    rb"(?<!\w)(?:__)?(?:mode|vector_size|ext_vector_type|ms_struct|gcc_struct|scalar_storage_order"
    rb"|warn_if_not_aligned|neon_vector_type|altivec|designated_bit_width)(?:__)?(?!\w)"
)
_INSIDE = words(
    "struct_specifier union_specifier enum_specifier type_identifier macro_type_specifier type_descriptor"
    " parameter_declaration parameter_list compound_statement argument_list initializer_list"
)
_FAR = 1000  # bytes in front of a declaration that are looked at
_WITHOUT_END = words("type_descriptor parameter_declaration")  # what follows the last word is theirs, too
_TAGS = words("struct_specifier union_specifier enum_specifier")


def of_declaration(n: Node, source: bytes) -> list[tuple[int, bytes]]:
    """The attributes and `_Alignas` of a declaration, a member, a parameter or a type name, and where each stands; not
    those of types and parameters that are declared in it."""
    begin, end = n.start_byte, n.end_byte
    if (last := _last_before(source, begin)) >= 0 and source[last] in b")]/":  # the parser saw blanks there
        previous = n.prev_sibling
        begin = previous.end_byte if previous is not None else begin if n.parent and n.parent.parent else 0
    if n.type == "function_definition" and (body := n.child_by_field_name("body")) is not None:
        end = body.start_byte
    elif n.type in _WITHOUT_END:
        end = end_of_attributes(source, end)
    if not _ONE.search(source, begin, end):
        return []
    text = without_comments(source[begin:end])
    found = ((begin + a, text[a:b]) for a, b in _each(text))
    return [(at, _LITERAL.sub(b'""', said)) for at, said in found if not _is_inside(n, source, at)]


def of_part(said: list[tuple[int, bytes]], first: int, commas: list[int], number: int) -> list[bytes]:
    """Of those of a declaration the ones of a declarator; what stands in front of the `first` is for all of them."""
    begin, end = ([0, *commas][number], [*commas, None][number])
    return [text for at, text in said if at < first or (begin <= at and (end is None or at < end))]


def of_type(n: Node, body: Node, source: bytes) -> bytes:
    """The attributes of a structure, a union or an enumeration that is defined at `n`: before and behind its braces."""
    text = without_comments(source[n.start_byte : body.start_byte])
    found = [text[a:b] for a, b in _each(text)]
    found.append(source[body.end_byte : end_of_attributes(source, body.end_byte, newer=False)])
    return _LITERAL.sub(b'""', b" ".join(found))


def begin_of_declaration(text: bytes, at: int) -> int:
    """Where the attributes begin in front of the declaration at `at`, which the parser does not see; else `at`."""
    for m in _ONE.finditer(text, max(0, at - _FAR), at):
        end = end_of_attributes(text, m.start())
        if end <= at and not text[end:at].strip():
            return m.start()
    return at


def in_text(text: bytes) -> bytes:
    """All attributes in a text, whatever they belong to."""
    text = without_comments(text)
    return _LITERAL.sub(b'""', b" ".join(text[a:b] for a, b in _each(text)))


def changes_type(attributes: bytes) -> bool:
    """Whether one of them makes a type of another size, which is not followed."""
    return bool(_OTHER_TYPE.search(attributes))


def is_packed(attributes: bytes) -> bool:
    return bool(_PACKED.search(attributes))


def alignments(attributes: bytes) -> list[bytes | None]:
    """What stands in the parentheses of each `aligned`; None: there are none."""
    found: list[bytes | None] = []
    for m in _ALIGNED.finditer(attributes):
        end = closing(attributes, m.end()) if m[1] else -1
        found.append(attributes[m.end() : end - 1].strip() if end > 0 else None)
    return found


def _each(text: bytes) -> Iterator[tuple[int, int]]:
    """(begin, end) of the attributes in `text`."""
    for m in _ONE.finditer(text):
        end = _end(text, m)
        if end > m.end():
            yield m.start(), end


def _end(text: bytes, m: re.Match[bytes]) -> int:
    """Where the attribute ends that begins with `m`; less than `m.end()` where it does not."""
    return text.find(b"]]", m.end()) + 2 if m.group().endswith(b"[") else closing(text, m.end())


def end_of_attributes(text: bytes, at: int, *, newer: bool = True) -> int:
    """Where the attributes end that stand one behind the other from `at` on; `newer`: also those of C23."""
    one = _OF_TYPE if newer else _OF_GNU
    while (m := one.match(text, at)) is not None:
        end = _end(text, m)
        if end <= m.end():
            break
        at = end
    return at


def _last_before(text: bytes, at: int) -> int:
    """Where the last byte before `at` is that is no white space; -1: nowhere."""
    at -= 1
    while at >= 0 and text[at] in b" \t\r\n\f\v":
        at -= 1
    return at


def _is_inside(n: Node, source: bytes, at: int) -> bool:
    """Whether the attribute at `at` belongs to something that stands in declaration `n`."""
    if not n.start_byte <= at < n.end_byte:
        return False
    found = n.descendant_for_byte_range(at, at)
    while found is not None and found != n:
        if found.type in _INSIDE and found.start_byte <= at < found.end_byte:
            return True
        found = found.parent
    bodies = (c.child_by_field_name("body") for c in n.children if c.type in _TAGS)
    return any(b is not None and b.end_byte <= at < end_of_attributes(source, b.end_byte) for b in bodies)
