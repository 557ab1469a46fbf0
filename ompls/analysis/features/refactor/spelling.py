"""Polynomials written as C, in the words of the program: `N` where a macro or a bound says `N`, not its value.

Only what means the same in front of a construct is written; anything else has no spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ompls.analysis.dataenv.symbolic import Atom, Opaque, Poly, poly_of
from ompls.analysis.encoding import decoded
from ompls.analysis.features.scopes import visible
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol, walk_all
from ompls.analysis.model.ctype import Pointer, Record
from ompls.analysis.model.tu import TU, Item

_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?:(?P<sign>[+-])\s*(?P<more>\d{1,3}))?")


class Speller:
    """Spells polynomials for a place in front of `stmt`."""

    def __init__(self, tu: TU, item: Item, stmt: Node) -> None:
        self._tu, self._item = tu, item
        self._visible = visible(tu, item.start + stmt.span.start)
        self._words: dict[Poly, str] = {}
        for bound in _bounds(item, stmt):
            self._learn(bound)

    def names(self, symbol: Symbol) -> bool:
        """Whether the name of `symbol` means it there."""
        seen = self._visible.get(symbol.name)
        if seen is None:  # declared in a system header
            return symbol.level == "file"
        return seen is symbol or (seen.level == symbol.level == "file")

    def section(self, name: str, lower: Poly, length: Poly) -> str | None:
        """`name[lower:length]`."""
        low, many = (_unwrapped(self.text(p)) for p in (lower, length))
        return f"{name}[{low}:{many}]" if low is not None and many is not None else None

    def text(self, p: Poly) -> str | None:
        """`p` as a C expression; None when something in it has no name there."""
        if p in self._words:
            return self._words[p]
        constant = p.constant
        if constant is not None:
            return self._product(constant) or str(constant)
        return self._sum(p)

    # --- words of the program

    def _learn(self, bound: Expr) -> None:
        """A bound that the user wrote as a single name has that name where its value is needed."""
        value = poly_of(bound)
        if value is None or value.constant is None:
            return
        where = self._tu.locate(self._item, bound.span)
        written = self._tu.source[where.start : where.end] if where.path == self._tu.path else b""
        text = decoded(written)
        named = _NAMED.fullmatch(text)  # `N`, or `N - 1`
        if named is None:
            return
        more = int(f"{named['sign']}{named['more']}") if named["sign"] else 0
        if value.constant - more > 1:
            self._words.setdefault(value - more, named["name"])

    def _product(self, value: int) -> str | None:
        """`N * M`, `N - 1` of a constant that the program writes so."""
        known = {p.constant: word for p, word in self._words.items() if p.constant}
        for factor, word in known.items():
            other = known.get(value // factor) if value % factor == 0 else None
            if other is not None:
                return f"{word} * {other}"
        for more in (-1, 1, -2, 2):
            if value - more in known:
                return f"{known[value - more]} {'+' if more > 0 else '-'} {abs(more)}"
        return None

    # --- expressions

    def _sum(self, p: Poly) -> str | None:
        """Positive terms first, the constant last."""
        terms = sorted(p.terms.items(), key=lambda t: (t[1] < 0, not t[0], _order(t[0])))
        text = ""
        for monomial, coefficient in terms:
            term = self._term(monomial, abs(coefficient))
            if term is None:
                return None
            if not text:
                text = term if coefficient > 0 else f"-{term}"
            else:
                text += f" {'+' if coefficient > 0 else '-'} {term}"
        return text

    def _term(self, monomial: frozenset[tuple[Atom, int]], coefficient: int) -> str | None:
        factors: list[str] = []
        if coefficient != 1 or not monomial:
            factors.append(self._words.get(Poly.of(coefficient), str(coefficient)))
        for atom, power in sorted(monomial, key=lambda a: _name(a[0])):
            text = self._opaque(atom) if isinstance(atom, Opaque) else self._symbol(atom)
            if text is None:
                return None
            factors += [text] * power
        return " * ".join(factors)

    def _symbol(self, symbol: Symbol) -> str | None:
        return symbol.name if self.names(symbol) else None

    def _opaque(self, atom: Opaque) -> str | None:
        """A quotient, or a member of a structure."""
        if atom.base is None and atom.op in ("/", "%") and len(atom.args) == 2:
            left, right = (self.text(arg) for arg in atom.args)
            return f"({_grouped(left)} {atom.op} {_grouped(right)})" if left is not None and right is not None else None
        base = self._symbol(atom.base) if atom.base is not None else None
        if base is None or atom.base is None or not atom.op.startswith(".") or "[" in atom.op or atom.op.count(".") > 1:
            return None
        kind = atom.base.type
        if isinstance(kind, Pointer) and isinstance(kind.to, Record):
            return f"{base}->{atom.op[1:]}"
        return f"{base}{atom.op}" if isinstance(kind, Record) else None


def _bounds(item: Item, stmt: Node) -> Iterator[Expr]:
    """Bounds of loops in `stmt`, and lengths of arrays in the declaration around it."""
    for node in walk_all(stmt):
        if isinstance(node, ast.For) and isinstance(node.condition, ast.Binary):
            yield from (node.condition.left, node.condition.right)
            if isinstance(node.init, ast.ExprStmt) and isinstance(node.init.expr, ast.Assign):
                yield node.init.expr.value
    for node in walk_all(item.content.node):
        if isinstance(node, ast.VarDecl):
            yield from node.dims


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, Symbol) else repr(atom.op)


def _order(monomial: frozenset[tuple[Atom, int]]) -> str:
    return "*".join(sorted(_name(a) for a, _ in monomial))


def _unwrapped(text: str | None) -> str | None:
    """Without parentheses around all of it."""
    inner = text[1:-1] if text is not None and text.startswith("(") and text.endswith(")") else None
    return inner if inner is not None and "(" not in inner and ")" not in inner else text


def _grouped(text: str | None) -> str:
    return f"({text})" if text is not None and " " in text else str(text)
