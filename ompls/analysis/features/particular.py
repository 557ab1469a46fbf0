"""What only certain parentheses take: members of a structure, allocators, hints, directives' names, parameters of the
function that a directive is about, names of critical sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ompls.analysis.features.cursor import Cursor
from ompls.analysis.features.declared import declared
from ompls.analysis.features.listitems import Names
from ompls.analysis.features.scopes import expanded_offset
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Array, CType, FieldDecl, Function, Pointer, Record
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.spec import DIRECTIVES
from ompls.analysis.syntax.clause_expr import Token

_ALLOCATORS = {
    "default_mem": "the implementation's default memory", "large_cap_mem": "memory of large capacity",
    "const_mem": "memory that is only read", "high_bw_mem": "memory of high bandwidth",
    "low_lat_mem": "memory of low latency", "cgroup_mem": "memory that the contention group shares",
    "pteam_mem": "memory that the parallel team shares", "thread_mem": "memory of the thread alone",
}  # fmt: skip
_HINTS = {
    "none": "no hint", "uncontended": "threads seldom meet here", "contended": "threads often meet here",
    "nonspeculative": "do not speculate", "speculative": "speculate",
}  # fmt: skip
_DEVICES = {
    "omp_initial_device": "the host, as omp_get_initial_device() says", "omp_invalid_device": "no device: an error"
}  # fmt: skip
_NEAR = 2_000  # bytes
_OF_FUNCTIONS = frozenset(("uniform", "linear", "aligned"))
_MAPPED = re.compile(
    r"(?:\w+\s*:(?!:)\s*)?(?P<type>.*?[\s*])(?P<name>\w+)\s*\Z", re.S
)  # the argument of declare mapper


class Word(NamedTuple):
    """One proposal; `rank` sorts it among the others of its place."""

    text: str
    kind: Literal["keyword", "variable", "function", "constant", "member"]
    detail: str = ""
    what: str = ""
    rank: int = 0


def alone(tu: TU, cursor: Cursor, names: Names) -> list[Word] | None:
    """The words of a place where nothing else fits; None: it is no such place."""
    before = cursor.inner[-1].text if cursor.inner else ""
    if before in (".", "->"):
        return list(_members(tu, _base_type(tu, cursor, names)))
    if cursor.in_arguments:
        return _of_directive(tu, cursor)
    if cursor.owner in ("absent", "contains"):
        listed = {t.text for t in cursor.inner}
        fitting = (d for d in DIRECTIVES.values() if d.kind in ("block", "loop", "none", "separating"))
        return [Word(d.name, "keyword", "", d.summary) for d in fitting if d.name not in listed]
    if cursor.owner == "initializer":
        return [
            Word("omp_priv", "variable", "", "the private copy"),
            Word("omp_orig", "variable", "", "the original variable"),
        ]
    if cursor.before.name == "declare simd" and cursor.owner in _OF_FUNCTIONS and not cursor.colons():
        return list(_parameters(tu, cursor))
    return None


def besides(tu: TU, cursor: Cursor) -> Iterator[Word]:
    """The words that fit into a clause's parentheses beside names of the program."""
    version, owner = tu.settings.openmp, cursor.owner
    nested = cursor.nested[-1][1] if cursor.nested else ""
    if version >= "5.0" and (
        owner in ("allocator", "uses_allocators") or (owner == "allocate" and not cursor.colons())
    ):
        if nested in ("", "allocator"):
            yield from (Word(f"omp_{a}_alloc", "constant", "OpenMP 5.0", what) for a, what in _ALLOCATORS.items())
        elif nested == "memspace":
            yield from (Word(f"omp_{a}_space", "constant", "OpenMP 5.0") for a in list(_ALLOCATORS)[:5])
    elif version >= "5.0" and owner == "hint":
        yield from (Word(f"omp_sync_hint_{h}", "constant", "OpenMP 5.0", what) for h, what in _HINTS.items())
    elif version >= "5.2" and owner == "device" and not nested:
        yield from (Word(name, "constant", "OpenMP 5.2", what, 12) for name, what in _DEVICES.items())
    elif owner == "map" and cursor.before.name == "declare mapper" and not nested:
        mapped = _mapper(tu, cursor)
        if mapped is not None:
            name, kind = mapped
            yield Word(name, "variable", declared(tu, kind, name), "", 10)
            yield from (m._replace(text=f"{name}.{m.text}", kind="variable", rank=11) for m in _members(tu, kind))


# --- the parentheses of a directive


def _of_directive(tu: TU, cursor: Cursor) -> list[Word] | None:
    if cursor.before.name == "critical":
        return [Word(n, "keyword", "", "a critical section of this file") for n in _criticals(tu, cursor)]
    if cursor.before.name == "declare variant":
        own = (s for s in tu.symbols.own.values() if s.kind == "func" and not s.from_system_header)
        return [Word(s.name, "function", declared(tu, s.type, s.name)) for s in own]
    if cursor.before.name == "declare reduction" and len([t for t in cursor.inner if t.text == ":"]) >= 2:
        return [
            Word("omp_out", "variable", "", "takes the combined value"),
            Word("omp_in", "variable", "", "the value that comes in"),
        ]
    return None


def _criticals(tu: TU, cursor: Cursor) -> list[str]:
    """The names of the file's other critical sections."""
    found: dict[str, None] = {}
    for item in tu.items:
        for stmt in item.content.directives:
            directive = stmt.directive
            own = tu.locate(item, directive.span).start == cursor.pragma.place
            if directive.name == "critical" and directive.args and not own:
                found[directive.args[0].text] = None
    return list(found)


def _parameters(tu: TU, cursor: Cursor) -> Iterator[Word]:
    """The parameters of the function that is declared after the pragma."""
    x = expanded_offset(tu, cursor.pragma.line_end)
    item = next((i for i in tu.items.between(x, x + _NEAR) if i.start >= x), None)
    listed = {t.text for t in cursor.inner}
    inside = _header(tu, item).partition("(")[2].rpartition(")")[0] if item is not None else ""
    for parameter in re.split(r",(?![^()\[\]]*[)\]])", inside):
        named = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*\Z", parameter.strip())
        if named is not None and named[1] != "void" and named[1] not in listed:
            yield Word(named[1], "variable", parameter.strip())


def _header(tu: TU, item: Item) -> str:
    """The declaration of a function, without its body; empty for anything else, and when nobody reads so much."""
    node = item.content.node
    text = ""
    if isinstance(node, ast.FunctionDef):
        text = tu.text(item, node.header)
    elif isinstance(node, ast.Declaration) and node.decls and isinstance(node.decls[0].symbol.type, Function):
        text = item.content.text.decode("utf-8", "replace")
    return text if len(text) <= _NEAR else ""


# --- members


def _members(tu: TU, kind: CType | None) -> Iterator[Word]:
    """The members of a structure or union, those of anonymous ones in it too."""
    for field in _fields(tu, kind):
        if field.name:
            yield Word(field.name, "member", declared(tu, field.type, field.name))
        else:
            yield from _members(tu, field.type)


def _fields(tu: TU, kind: CType | None) -> tuple[FieldDecl, ...]:
    """In a function that is still being typed a structure may be known by its tag only."""
    if isinstance(kind, Record) and kind.body.fields is None:
        kind = tu.tags.get(kind.tag)
    return (kind.body.fields or ()) if isinstance(kind, Record) else ()


def _base_type(tu: TU, cursor: Cursor, names: Names) -> CType | None:
    """The type of what stands before the last `.` or `->`, a chain of members and subscripts."""
    chain: list[Token] = []
    depth, joined = 0, True  # joined: by a `.`, `->` or `[` behind it
    for token in reversed(cursor.inner[:-1]):
        if token.text in (")", "]"):
            depth += 1
        elif token.text in ("(", "["):
            depth -= 1
            if depth < 0 or (not depth and token.text == "("):
                break  # a cast, a call, or the beginning
            joined = True
        elif not depth and token.kind == "name" and joined:
            joined = False
        elif not depth and token.text in (".", "->"):
            joined = True
        elif not depth:
            break
        if not depth and token.text not in (".", "]"):
            chain.append(token)
    chain.reverse()
    if not chain or chain[0].kind != "name":
        return None
    kind = names.type_of(chain[0].text)
    mapped = _mapper(tu, cursor) if cursor.before.name == "declare mapper" else None
    if mapped is not None and mapped[0] == chain[0].text:
        kind = mapped[1]
    for token in chain[1:]:
        kind = _step(tu, kind, token)
    return _pointee(kind) if cursor.inner[-1].text == "->" else kind


def _step(tu: TU, kind: CType | None, token: Token) -> CType | None:
    if token.text in ("[", "->"):
        return _pointee(kind)
    return next((f.type for f in _fields(tu, kind) if f.name == token.text), None)


def _pointee(kind: CType | None) -> CType | None:
    return kind.to if isinstance(kind, Pointer) else kind.of if isinstance(kind, Array) else None


def _mapper(tu: TU, cursor: Cursor) -> tuple[str, CType] | None:
    """The variable of a `declare mapper(type name)` and its type, when the file declares it."""
    said = _MAPPED.match(cursor.whole.args[0].text) if cursor.whole.args else None
    if said is None:
        return None
    words = said["type"].split()
    if words and words[0] in ("struct", "union"):
        kind = tu.tags.get(words[-1])
    else:
        symbol = tu.symbols.get(words[-1]) if words else None
        kind = symbol.type if symbol is not None and symbol.kind == "typedef" else None
    return (said["name"], kind) if kind is not None and not isinstance(kind, Function) else None
