"""The adapter, part one: specifiers, records and enums to C types."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from tree_sitter import Node

from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.model import ast
from ompls.analysis.model.builtins import builtin_types
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import qualify
from ompls.analysis.model.ctype import (
    INT,
    UNKNOWN,
    UNSIGNED,
    VOID,
    CType,
    Enum,
    FieldDecl,
    Floating,
    Integer,
    Record,
    RecordBody,
    innermost,
)
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import alignof
from ompls.analysis.patterns import later
from ompls.analysis.syntax import attributes
from ompls.analysis.syntax.externals import errors
from ompls.analysis.syntax.limits import MAX_DEPTH
from ompls.analysis.syntax.reader import Reader, RedefinedRecordError, named, words
from ompls.analysis.syntax.tree import parse_once

_uids = itertools.count(1)
_PLAIN: dict[str, CType] = {
    "void": VOID, "int": INT, "float": Floating("float"), "double": Floating("double"),
}  # fmt: skip
_TYPE_NODES = words(
    "primitive_type sized_type_specifier type_identifier struct_specifier union_specifier enum_specifier"
    " macro_type_specifier"
)
_NARROW = ("signed char", "unsigned char", "short", "unsigned short")
_STORAGE = frozenset(("extern", "static", "auto", "register"))
_THREAD = frozenset(("__thread", "_Thread_local", "thread_local"))
_ALIGNAS = later(rb"\b(?:_Alignas|alignas)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_TYPE_NAME = later(r"[A-Za-z_][\w\s*]*")
DECLARATORS = words(
    "identifier field_identifier type_identifier primitive_type pointer_declarator array_declarator"
    " function_declarator parenthesized_declarator init_declarator attributed_declarator abstract_pointer_declarator"
    " abstract_array_declarator abstract_function_declarator abstract_parenthesized_declarator"
)


@dataclass
class Specifiers:
    """What stands before the declarators."""

    type: CType = UNKNOWN
    storage: str = ""
    inline: bool = False
    thread_local: bool = False
    auto: bool = False  # GNU __auto_type: the type is the initialiser's
    last: int = 0  # end of the specifiers
    said: list[tuple[int, bytes]] = field(default_factory=list)  # the declaration's own attributes, and where


_COMMENT = later(r"//(?:\\\r?\n|[^\n])*|/\*.*?\*/", re.S)


@lru_cache(maxsize=1024)
def arithmetic_type(text: str, model: DataModel) -> CType:
    """The type of a list of words such as `unsigned long int` in any order; UNKNOWN when it is none."""
    words = [w.strip("_") if w.startswith("__") and w != "__int128" else w for w in text.split()]
    count = {w: words.count(w) for w in words}
    longs = count.pop("long", 0)
    unsigned, signed = count.pop("unsigned", 0), count.pop("signed", 0)
    short = count.pop("short", 0)
    complex_ = bool(count.pop("_Complex", 0) + count.pop("complex", 0))
    rest = [w for w in count if w not in ("const", "volatile")]
    base = rest[0] if rest else ("double" if complex_ and not (longs or short or unsigned or signed) else "int")
    if complex_ and base not in ("double", "float"):
        return UNKNOWN  # GNU C's complex integers
    if len(rest) > 1:
        if "int" not in rest:
            return UNKNOWN
        base = next(w for w in rest if w != "int")
    if base in ("double", "float"):
        return Floating("long double" if longs else base, complex_)  # type: ignore[arg-type]
    if base == "char":
        return model.integer("unsigned char" if unsigned else "signed char" if signed else "char")
    if base not in ("int", "__int128"):
        return UNKNOWN
    kind = "short" if short else "long long" if longs > 1 else "long" if longs else base
    return model.integer(f"unsigned {kind}" if unsigned else kind)


class SpecifierReader(Reader):
    """What stands before the declarators, and type names."""

    # --- specifiers

    def specifiers(self, n: Node) -> Specifiers:
        """Read the specifiers among the children of a declaration."""
        out = Specifiers(last=n.start_byte)
        quals: set[str] = set()
        for c in n.children:
            kind = c.type
            if kind in _TYPE_NODES and out.type is UNKNOWN and not out.auto:
                if kind == "type_identifier" and self.source[c.start_byte : c.end_byte] == b"__auto_type":
                    out.auto = True
                else:
                    out.type = self.specified(c)
                    if out.type is UNKNOWN:
                        self.taint(c)
                        out.last = c.end_byte
                        break
            elif kind == "storage_class_specifier":
                word = self.text(c)
                if word in _STORAGE:
                    out.storage = word
                elif word in _THREAD:
                    out.thread_local = True
                elif "inline" in word:
                    out.inline = True
            elif kind == "type_qualifier":
                word = self.text(c).strip("_")
                if word in ("const", "volatile", "restrict", "Atomic"):
                    quals.add("_Atomic" if word == "Atomic" else word)
            elif kind not in ("attribute_specifier", "attribute_declaration", "comment", "typedef", "__extension__"):
                break
            out.last = c.end_byte
        out.type = qualify(out.type, frozenset(quals))
        out.said = attributes.of_declaration(n, self.source)
        if any(attributes.changes_type(text) for _, text in out.said):
            out.type = UNKNOWN
        return out

    def specified(self, n: Node) -> CType:
        """The type one type-specifier node names."""
        kind = n.type
        if kind in ("struct_specifier", "union_specifier"):
            return self.record(n)
        if kind == "enum_specifier":
            return self.enum(n)
        text = self.text(n)
        if kind == "primitive_type":
            known = _PLAIN.get(text)
            if known is not None:
                return known
        elif kind == "sized_type_specifier":
            return arithmetic_type(_COMMENT.sub(" ", text) if "/" in text else text, self.sema.model)
        elif kind == "macro_type_specifier":
            return self.type_of(n, text)
        if text.startswith(("typeof", "__typeof")):
            return self.type_of(n, text)
        if "omplex" in text:
            return arithmetic_type(text, self.sema.model)
        symbol = self.sema.scope.lookup(text)
        if symbol is not None and symbol.kind == "typedef":
            return symbol.type
        if symbol is None:
            return builtin_types(self.sema.model).get(text, arithmetic_type(text, self.sema.model))
        return UNKNOWN

    def type_of(self, n: Node, text: str) -> CType:
        """`typeof(expression or type)`: the inside is parsed on its own."""
        open_at = text.find("(")
        if open_at < 0:
            return UNKNOWN
        inner = text[open_at + 1 : -1]
        of = self.parsed_alone(inner, n.start_byte + self.shift + open_at + 1)
        return of if of is not None else UNKNOWN

    def parsed_alone(self, text: str, at: int) -> CType | None:
        """The type of a type name or expression that stands at item offset `at`; None when it is neither."""
        e = self.alone(b"int _ = sizeof(", text, at)
        return e.of if isinstance(e, ast.SizeOf) else None

    def alone(self, head: bytes, text: str, at: int) -> ast.Expr | None:
        """The value in the declaration that `head` begins and `text` ends; None when it is none."""
        if self.depth > MAX_DEPTH:
            return None
        source = head + encoded(text) + b");"
        root = parse_once(source)
        if root.has_error or not root.children:
            return None
        declared = root.children[0].child_by_field_name("declarator")
        value = declared.child_by_field_name("value") if declared is not None else None
        if value is None:
            return None
        saved = self.source, self.shift
        self.source, self.shift = source, at - len(head)
        self.depth += 1
        try:
            return self.expr(value)
        finally:
            self.source, self.shift = saved
            self.depth -= 1

    def type_name(self, n: Node) -> CType:
        """A type_descriptor: specifiers and an abstract declarator."""
        spec = self.specifiers(n)
        declarator = n.child_by_field_name("declarator")
        t = spec.type if declarator is None else self.declarator(declarator, spec.type).type
        align = self.alignment(b" ".join(text for _, text in spec.said))
        return t if align is None else aligned(t, 0)  # gcc obeys it now and then

    # --- records and enums

    def record(self, n: Node) -> CType:
        kind = "struct" if n.type == "struct_specifier" else "union"
        tag_node, body = n.child_by_field_name("name"), n.child_by_field_name("body")
        tag = self.text(tag_node) if tag_node is not None else ""
        scope = self.sema.scope
        found: CType | None = None
        if tag:
            found = scope.own_tag(tag) if body is not None else scope.lookup_tag(tag)
        if not (isinstance(found, Record) and found.kind == kind):
            found = None
        if body is None and found is not None:
            return found
        if found is None or self.sema.members_known(found) or (body is not None and found.body in self.defining):
            found = Record(kind, tag, next(_uids), RecordBody())  # type: ignore[arg-type]
            self.file.declare_record(found.body)
            if tag:
                scope.declare_tag(tag, found)
        if body is not None and self.depth < MAX_DEPTH:
            self.depth += 1
            self.defining.append(found.body)
            self.fill(found, n, body)
            self.defining.pop()
            self.depth -= 1
        return found

    def fill(self, record: Record, n: Node, body: Node) -> None:
        """Read the members of `record`."""
        members: list[FieldDecl] = []
        misread = body.has_error and bool(errors([body], 1))
        whole = not misread
        for declaration in body.named_children:
            if declaration.type == "field_declaration":
                declared = [self._without_itself(f) for f in self.members(declaration)]
                if _is_misread_width(declaration):
                    declared = [replace(f, type=UNKNOWN) for f in declared]
                members += declared
                whole = whole and all(map(_is_understood, declared)) and bool(declared)
            else:
                whole = whole and declaration.type == "comment"
        said = attributes.of_type(n, body, self.source)
        packed = attributes.is_packed(said)
        align = 0 if attributes.changes_type(said) else self.alignment(said)
        old = record.body
        made = tuple(members), packed, align, self.file.pack[-1][1], whole
        if old.fields is None or (old.fields, old.packed, old.align, old.pack, old.whole) != made:
            if self.file.strict and old.fields is not None:
                raise RedefinedRecordError
            old.fill(*made)
        held_records = [t for f in members if isinstance(t := innermost(f.type), Record)]
        old.unfinished = any(t.body.unfinished or not self.sema.members_known(t) for t in held_records)
        old.span = (n.start_byte + self.shift, n.end_byte + self.shift)
        self.file.fill(record)
        if misread:
            self.taint(body)

    def _without_itself(self, member: FieldDecl) -> FieldDecl:
        """A member whose type is not complete before the record is (C11 §6.7.2.1) is not understood: it has no end."""
        waiting, seen = [member.type], set[RecordBody]()
        while waiting:
            t = innermost(waiting.pop())
            if isinstance(t, Record) and t.body not in seen:
                if t.body in self.defining:
                    return replace(member, type=UNKNOWN)
                seen.add(t.body)
                waiting += [f.type for f in t.body.fields or ()] if t.body.unfinished else []
        return member

    def members(self, n: Node) -> list[FieldDecl]:
        """The members that one field_declaration declares."""
        spec = self.specifiers(n)
        base, after = spec.type, self._after(n)
        commas = [c.start_byte for c in n.children if c.type == ","] if spec.said else []
        first = next((c.start_byte for c in n.children if _is_declarator(c, after)), n.end_byte)
        out: list[FieldDecl] = []
        anonymous = True
        for c in n.children:
            if not _is_declarator(c, after):
                continue
            anonymous = False
            number = sum(comma < c.start_byte for comma in commas)
            said = b" ".join(attributes.of_part(spec.said, first, commas, number)) if spec.said else b""
            own = self.alignment(said), attributes.is_packed(said), _ALIGNAS.search(said) is not None
            if c.type in DECLARATORS:
                d = self.declarator(c, base)
                out.append(FieldDecl(d.name, d.type, None, *own))
                continue
            width = named(c)
            bits = fold(self.expr(width[0])) if width else None
            if out:
                out[-1] = replace(out[-1], bits=bits)
            else:
                out.append(FieldDecl("", base, bits, *own))
        if not anonymous or not isinstance(base, Record):
            return out
        said = b" ".join(text for _, text in spec.said if b"lignas(" in text)  # gcc ignores other attributes here
        return [FieldDecl("", base, None, self.alignment(said), alignas=bool(said))]

    def alignment(self, said: bytes) -> int | None:
        """What the attributes and `_Alignas` of one declaration say (C11 §6.7.5), in bytes; 0 where that is unclear.

        Of several `aligned` compilers take the last or the greatest, as it comes.
        """
        found = {
            self.sema.model.biggest if word is None else self._constant(word) for word in attributes.alignments(said)
        }
        if len(found) > 1:
            return 0
        for m in _ALIGNAS.finditer(said):
            word = decoded(m.group(1)).strip()
            symbol = self.sema.scope.lookup(word)
            is_type = _TYPE_NAME.fullmatch(word) and (symbol is None or symbol.kind == "typedef")
            t = self.parsed_alone(word, 0) if is_type else None
            found.add((alignof(t, self.sema.model) or 0) if t is not None else self._constant(m.group(1)))
        return (max(found) if all(found) else 0) if found else None

    def _constant(self, said: bytes) -> int:
        """The value of an expression in an attribute; 0: it is not known."""
        text = decoded(said).strip()
        if text.isdigit():
            return int(text)
        value = self.alone(b"int _ = (", text, 0)
        return (fold(value) if value is not None else None) or 0

    @staticmethod
    def _after(n: Node) -> int:
        t = n.child_by_field_name("type")
        return t.end_byte if t is not None else n.start_byte

    def enum(self, n: Node) -> CType:
        tag_node, body = n.child_by_field_name("name"), n.child_by_field_name("body")
        tag = self.text(tag_node) if tag_node is not None else ""
        scope = self.sema.scope
        if body is None:
            found = scope.lookup_tag(tag) if tag else None
            return found if isinstance(found, Enum) else Enum(tag, next(_uids), UNSIGNED)
        model, value, low, high = self.sema.model, -1, 0, 0
        widest = "long" if model.long == 8 else "long long"
        for c in body.named_children:
            if c.type != "enumerator":
                continue
            name, given = c.child_by_field_name("name"), c.child_by_field_name("value")
            folded = fold(self.expr(given)) if given is not None else None
            value = folded if folded is not None else value + 1
            low, high = min(low, value), max(high, value)
            if name is None:
                continue
            t = INT if -(1 << 31) <= value < 1 << 31 else UNSIGNED if 0 < value < 1 << 32 else model.integer(widest)
            self.declare(ast.Symbol(self.text(name), "enumconst", t, span=self.span(name), value=value, defined=True))
        wide = high >= 1 << (31 if low < 0 else 32) or low < -(1 << 31)
        kind = widest if wide else "int"
        said = attributes.of_type(n, body, self.source)
        strange = attributes.changes_type(said) or n.child_by_field_name("underlying_type") is not None
        underlying = model.integer(kind if low < 0 else f"unsigned {kind}")
        if attributes.is_packed(said):
            underlying = next(filter(lambda t: _holds(t, low, high), map(model.integer, _NARROW)), underlying)
        made = Enum(tag, next(_uids), underlying, align=0 if strange else None)
        if tag:
            scope.declare_tag(tag, made)
        return made


def _is_declarator(c: Node, after: int) -> bool:
    """Of a member, or the width of a bit-field."""
    if c.type in DECLARATORS:
        return c.start_byte >= after
    return c.type == "bitfield_clause" or (c.is_error and c.child_count == 2 and c.children[0].type == ":")


def _is_misread_width(n: Node) -> bool:
    """Of a bit-field `enum e : 0` without a name: the parser takes the colon as that of C23's type of an enumeration.

    It reads the width, or the member behind it, as something else: how the structure lies in memory is not known.
    """
    t = n.child_by_field_name("type")
    if t is None or t.type != "enum_specifier" or not n.has_error:
        return False
    return t.has_error or any(c.is_error and c.child_count == 1 and c.children[0].type == ":" for c in n.children)


def _is_understood(f: FieldDecl) -> bool:
    """Whether it is known which names the member gives: its own, none of a bit-field, those inside of a structure."""
    inner = f.type.body if isinstance(f.type, Record) else None
    return bool(f.name) or f.bits is not None or (inner is not None and inner.whole and inner.fields is not None)


def _holds(t: Integer, low: int, high: int) -> bool:
    """Whether an enumeration that gcc packs has this type; the unsigned one, where no value is below zero."""
    bits = 8 * t.size
    return t.signed == (low < 0) and -(1 << (bits - 1)) * t.signed <= low and high < 1 << (bits - t.signed)


def aligned(t: CType, align: int | None) -> CType:
    """`t` with the alignment that a typedef or a type name gives it; None: as it is."""
    return t if align is None else replace(t, align=align)
