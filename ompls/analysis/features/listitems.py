"""The names that fit at a cursor in a clause: list items with the section that the loops imply, and values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from ompls.analysis.dataenv.private import loop_variables
from ompls.analysis.dataenv.uses import uses
from ompls.analysis.features.cursor import Cursor
from ompls.analysis.features.declared import declared
from ompls.analysis.features.scopes import expanded_offset, item_at, statement_of, visible
from ompls.analysis.features.sections import Sections
from ompls.analysis.features.words import REDUCTIONS
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, CType, Enum, Function, Integer, Pointer
from ompls.analysis.model.tu import TU

# Clauses of which a variable can be in one only (5.2 §5.4: "must not appear in more than one"; the pairs that may are
# left out), and those whose list items are storage, not names.
_SHARING = frozenset(
    ("private", "firstprivate", "lastprivate", "shared", "reduction", "in_reduction", "linear", "induction",
     "is_device_ptr", "has_device_addr", "use_device_ptr", "use_device_addr", "copyin")
)  # fmt: skip
_ON_DEVICE = frozenset(("private", "firstprivate", "is_device_ptr", "has_device_addr"))
_STORAGE = frozenset(("map", "to", "from", "depend", "affinity"))
_SECTIONS = _STORAGE | REDUCTIONS  # in which a pointer alone says little
_POINTERS = frozenset(("is_device_ptr", "use_device_ptr", "aligned"))
_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+([^\r\n\\/]{1,200}?)[ \t]*(?=//|/\*|\r?$)", re.M)
_NUMERIC = re.compile(r"(?:[-+*%()\s]|<<|>>|(?:0[xX][\da-fA-F]+|\d+)[uUlL]*(?!\w)|[A-Za-z_]\w*(?!\w|\s*\())+")
_VARIABLES = ("var", "param")
_WITH_FUNCTIONS = (*_VARIABLES, "func")
_OF_FUNCTIONS = frozenset(("enter", "link"))  # clauses that list functions, too
_FILE_LEVEL = frozenset(("enter", "link", "local", "copyin"))


class Proposal(NamedTuple):
    text: str
    kind: Literal["variable", "function", "constant"]
    cursor: int  # where in `text` the cursor goes; -1: to the end
    detail: str  # its declaration
    rank: int  # 0: the construct uses it


class Names:
    """What is in scope at the pragma of a cursor."""

    def __init__(self, tu: TU, cursor: Cursor) -> None:
        self._tu, self._cursor = tu, cursor
        x = expanded_offset(tu, cursor.pragma.place)
        self._symbols = visible(tu, x)
        item = item_at(tu, x)
        stmt = statement_of(tu, item, cursor.pragma.place)
        body = stmt.body if stmt is not None else None
        self._stmt, self._body = stmt, body
        self._sections = Sections(tu, item, body) if item is not None and body is not None else None

    @cached_property
    def _written(self) -> set[Symbol]:
        """What the construct surely writes, but for its loops' counters."""
        counters = loop_variables(self._stmt.directive, self._body) if self._stmt is not None else []
        return {u.symbol for u in uses(self._body) if u.write and u.certain} - set(counters)

    def _named(self, *kinds: str) -> list[tuple[str, Symbol]]:
        """The names of these kinds, sorted: of a large file's functions a cursor in a clause seldom wants one."""
        return sorted((name, symbol) for name, symbol in self._symbols.items() if symbol.kind in kinds)

    def type_of(self, name: str) -> CType | None:
        """The type of a variable that is in scope."""
        symbol = self._symbols.get(name)
        return symbol.type if symbol is not None and symbol.kind in ("var", "param") else None

    def list_items(self, clause: str) -> Iterator[Proposal]:
        """Variables (for `enter` functions too) that the clause can list and that are not listed yet."""
        listed = self._listed(clause)
        for name, symbol in self._named(*(_WITH_FUNCTIONS if clause in _OF_FUNCTIONS else _VARIABLES)):
            if name in listed or not _fits(symbol, clause):
                continue
            text, at = self._as_item(symbol, clause)
            rank = self._rank(symbol)
            if clause in REDUCTIONS:  # a result is written
                rank = 0 if symbol in self._written else rank + 1
            yield Proposal(text, _kind(symbol), at, declared(self._tu, symbol.type, name), rank)

    def values(self) -> Iterator[Proposal]:
        """What can stand in an expression: variables, functions' parameters, constants; numbers of elements first."""
        for name, symbol in self._named(*_VARIABLES):
            rank = self._rank(symbol) + (0 if isinstance(symbol.type, (Integer, Enum)) else 1)
            yield Proposal(name, _kind(symbol), -1, declared(self._tu, symbol.type, name), rank)
        yield from self.constants()

    def constants(self) -> Iterator[Proposal]:
        """Constants of enumerations, and macros of the file that stand for integers."""
        for name, symbol in self._named("enumconst"):
            yield Proposal(name, "constant", -1, declared(self._tu, symbol.type, name), self._rank(symbol))
        macros: set[str] = set()
        for name, body in _MACRO.findall(self._tu.source[: self._cursor.pragma.place]):
            written = body.decode("utf-8", "replace")
            if _NUMERIC.fullmatch(written) and _parts(written) <= macros and name.decode() not in macros:
                macros.add(name.decode())
                yield Proposal(name.decode(), "constant", -1, f"#define {name.decode()} {written}", 1)

    def depth(self) -> int:
        """How many loops the construct's nest has, one directly in the other."""
        count, stmt = 0, self._body
        while isinstance(stmt, (ast.For, ast.Compound)):
            if isinstance(stmt, ast.For):
                count, stmt = count + 1, stmt.body
            elif len(stmt.items) == 1:
                stmt = stmt.items[0]
            else:
                break
        return count

    def _rank(self, symbol: Symbol) -> int:
        used = self._sections is not None and symbol in self._sections.used
        return 0 if used else 1 if symbol.level != "file" else 2

    def _as_item(self, symbol: Symbol, clause: str) -> tuple[str, int]:
        """The list item that most likely is meant."""
        name = symbol.name
        if clause not in _SECTIONS or not isinstance(symbol.type, Pointer) or self._cursor.following == "[":
            return name, -1
        section = self._sections.of(symbol) if self._sections is not None else None
        if section is not None:
            return name + section, -1
        return f"{name}[0:]", len(name) + 3

    def _listed(self, clause: str) -> set[str]:
        """Names of the directive's clauses that this one must not repeat."""
        start, end = self._cursor.word
        directive, listed = self._cursor.whole, set()
        for other in directive.clauses:
            if not _excludes(other.name, clause):
                continue
            for item in other.items:
                if item.span.end < start or item.span.start > end:
                    listed.update(re.findall(r"^\W*([A-Za-z_$]\w*)", item.text))
        if _excludes(clause, clause):  # an unclosed parenthesis hides its own items from the parser
            listed.update(self._cursor_items())
        return listed

    def _cursor_items(self) -> Iterator[str]:
        """The first names of the list items before the cursor in its own parentheses."""
        tokens, depth, fresh = self._cursor.inner, 0, True
        for token in tokens:
            if token.kind == "punct" and token.text in "([{":
                depth += 1
            elif token.kind == "punct" and token.text in ")]}":
                depth -= 1
            elif depth == 0 and token.text in (",", ":"):
                fresh = True
            elif fresh and token.kind == "name":
                yield token.text
                fresh = False


def _excludes(other: str, clause: str) -> bool:
    if clause == "map":
        return other == "map" or other in _ON_DEVICE
    if other == "map":
        return clause in _ON_DEVICE
    if {other, clause} == {"firstprivate", "lastprivate"}:
        return False
    if clause in _SHARING:
        return other in _SHARING
    return other == clause or {other, clause} == {"to", "from"}


def _fits(symbol: Symbol, clause: str) -> bool:
    if symbol.kind == "func":
        return isinstance(symbol.type, Function)
    if clause == "linear":
        return isinstance(symbol.type, (Integer, Pointer))
    if clause in _POINTERS:
        return isinstance(symbol.type, (Pointer, Array))
    return clause not in _FILE_LEVEL or symbol.level == "file" or symbol.storage == "static"


def _parts(text: str) -> set[str]:
    """The names in an expression; suffixes and digits of numbers are none."""
    return set(re.findall(r"(?<!\w)[A-Za-z_]\w*", text))


def _kind(symbol: Symbol) -> Literal["variable", "function", "constant"]:
    return "function" if symbol.kind == "func" else "constant" if symbol.kind == "enumconst" else "variable"
