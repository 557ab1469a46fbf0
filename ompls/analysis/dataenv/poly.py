"""Integer polynomials over the variables of a C program, and their order.

An atom is a `Symbol` (the value a variable has where the analysis starts, or a loop variable's) or an `Opaque`: a value
that is not a polynomial (`n / 2`, `s.n`, `idx[i]`) but is equal to itself.  Overflow is not looked at.

    i*C + j + 1   is   {i*C: 1, j: 1, (): 1}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Literal

from ompls.analysis.model.ast import Symbol


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is no polynomial, known by how it is made.

    op -- '/', '%', '*' (where there are too many terms to write out), '[]' (an element of the array or pointer `base`),
          '.name', the name of a function, or CHANGED (what the variable `base` holds since the point in the order of
          evaluation that the argument numbers)
    base -- the variable it is loaded from, if any
    args -- the operands
    """

    op: str
    base: Symbol | None
    args: tuple[Poly, ...]


Atom = Symbol | Opaque
Monomial = frozenset[tuple[Atom, int]]  # atoms with their powers; empty: the constant term
_ONE: Monomial = frozenset()
MOST_ATOMS = 200  # in the arguments of an opaque one
MOST_PRODUCTS = 1024  # of terms, when two polynomials are multiplied
Order = Literal["<", "<=", "==", ">=", ">", ""]


class Poly:
    """An immutable polynomial with integer coefficients.  Equal polynomials are equal values (and hash alike)."""

    __slots__ = ("_hash", "_plain", "_symbols", "_weight", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}
        self._hash: int | None = None
        self._plain: bool | None = None
        self._symbols: frozenset[Symbol] | None = None
        self._weight: int | None = None

    @staticmethod
    def of(value: int | Atom) -> Poly:
        """The polynomial of a number or an atom."""
        if isinstance(value, int):
            return _NUMBERS.get(value) or _made({_ONE: value})
        return _of_symbol(value) if isinstance(value, Symbol) else _made({frozenset(((value, 1),)): 1})

    def __add__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            other = Poly.of(other)
        if not other.terms or not self.terms:
            return self if not other.terms else other
        terms = self.terms.copy()
        for monomial, c in other.terms.items():
            total = terms.get(monomial, 0) + c
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return _made(terms)

    def __neg__(self) -> Poly:
        return _made({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            other = Poly.of(other)
        if not other.terms:
            return self
        terms = self.terms.copy()
        for monomial, c in other.terms.items():
            total = terms.get(monomial, 0) - c
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return _made(terms)

    def __mul__(self, other: Poly | int) -> Poly:
        known = other if isinstance(other, int) else other.constant
        if known is not None:
            return self if known == 1 else _made({m: c * known for m, c in self.terms.items()} if known else {})
        assert isinstance(other, Poly)
        if len(self.terms) * len(other.terms) > MOST_PRODUCTS:
            return _product((self, other))
        terms: dict[Monomial, int] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in other.terms.items():
                m = _times(m1, m2)
                terms[m] = terms.get(m, 0) + c1 * c2
        return Poly(terms)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Poly) and self.terms == other.terms)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __repr__(self) -> str:
        return " + ".join(sorted(_monomial_text(m, c) for m, c in self.terms.items())) or "0"

    @property
    def constant(self) -> int | None:
        """The number, when it is one."""
        if not self.terms:
            return 0
        return self.terms.get(_ONE) if len(self.terms) == 1 else None

    @property
    def offset(self) -> int:
        """The constant term."""
        return self.terms.get(_ONE, 0)

    def atoms(self) -> set[Atom]:
        """Its atoms, not those inside of opaque ones."""
        return {a for m in self.terms for a, _ in m}

    def symbols(self) -> frozenset[Symbol]:
        """Every variable its value depends on, those inside of opaque atoms and their bases included."""
        if self._symbols is None:
            found: set[Symbol] = set()
            for m in self.terms:
                for atom, _ in m:
                    if isinstance(atom, Opaque):
                        found.update(*(p.symbols() for p in atom.args))
                        if atom.base is not None:
                            found.add(atom.base)
                    else:
                        found.add(atom)
            self._symbols = frozenset(found)
        return self._symbols

    @property
    def plain(self) -> bool:
        """Whether it has no opaque atoms."""
        if self._plain is None:
            self._plain = not any(isinstance(a, Opaque) for m in self.terms for a, _ in m)
        return self._plain

    @property
    def weight(self) -> int:
        """How many atoms it takes to write it out, those inside of opaque ones included."""
        if self._weight is None:
            args = (p for m in self.terms for a, _ in m if isinstance(a, Opaque) for p in a.args)
            self._weight = sum(map(len, self.terms)) + (0 if self.plain else sum(p.weight for p in args))
        return self._weight

    def opaques(self) -> set[Opaque]:
        """Its opaque atoms, those inside of others included."""
        found: set[Opaque] = set()
        if self.plain:
            return found
        for atom in self.atoms():
            if isinstance(atom, Opaque):
                found.add(atom)
                found.update(*(p.opaques() for p in atom.args))
        return found

    def coefficient(self, atom: Atom) -> tuple[Poly, Poly] | None:
        """(c, rest) with self == c * atom + rest and neither containing `atom`; None when it is not linear in it."""
        if isinstance(atom, Symbol) and atom not in self.symbols():
            return ZERO, self
        inside: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            for a, power in m:
                if a == atom:
                    if power > 1:
                        return None
                    inside[m - {(a, 1)}] = c
                    break
            else:
                rest[m] = c
        found = _made(inside), _made(rest)
        if isinstance(atom, Symbol) and not self.plain and any(atom in p.symbols() for p in found):
            return None  # inside of an opaque atom
        return found

    def substitute(self, values: Mapping[Atom, Poly]) -> Poly:
        """With atoms replaced, also inside of opaque atoms."""
        if not values or not self.terms:
            return self
        total = Poly({})
        for m, c in self.terms.items():
            factors: list[Poly] = []
            for atom, power in m:
                value = values.get(atom)
                if value is None:
                    value = _inside(atom, values) if isinstance(atom, Opaque) else Poly.of(atom)
                factors += [value] * power
            if prod([len(value.terms) for value in factors]) > MOST_PRODUCTS:
                product = _product(factors) * c  # twenty sizes plus 1 each: a million terms
            else:
                product = Poly({_ONE: c})
                for value in factors:
                    product = product * value
            total = total + product
        return total

    def divided(self, by: int) -> Poly | None:
        """The exact quotient; None when there is a remainder."""
        if by == 0 or any(c % by for c in self.terms.values()):
            return None
        return Poly({m: c // by for m, c in self.terms.items()})


def _made(terms: dict[Monomial, int]) -> Poly:
    """As `Poly`, of terms that no one else holds and of which none is zero: most work here is arithmetic."""
    made = Poly.__new__(Poly)
    made.terms = terms
    made._hash = made._plain = made._symbols = made._weight = None
    return made


@lru_cache(1024)
def _of_symbol(symbol: Symbol) -> Poly:
    """The same again for a variable that was asked for lately: it knows its hash and what it depends on."""
    return _made({frozenset(((symbol, 1),)): 1})


CHANGED = "="  # an `Opaque.op`
_NUMBERS: dict[int, Poly] = {n: Poly({_ONE: n}) for n in range(-2, 257)}
ZERO, ONE = Poly.of(0), Poly.of(1)


def opaque(op: str, base: Symbol | None, args: tuple[Poly, ...]) -> Poly | None:
    """A value that is no polynomial; None where it takes too long to write it out, as when each of forty variables is
    half of the one before plus a third of it."""
    return Poly.of(Opaque(op, base, args)) if sum(p.weight for p in args) <= MOST_ATOMS else None


def _product(factors: Sequence[Poly]) -> Poly:
    """What has too many terms to be written out, as a value of its own: the same for the same factors."""
    return Poly.of(Opaque("*", None, tuple(sorted(factors, key=hash))))


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return frozenset(powers.items())


def _inside(atom: Opaque, values: Mapping[Atom, Poly]) -> Poly:
    args = tuple([p.substitute(values) for p in atom.args])
    if atom.op == "/" and len(args) == 2:
        x, by = (p.constant for p in args)
        if x is not None and by is not None and x >= 0 < by:
            return Poly.of(x // by)
    return Poly.of(Opaque(atom.op, atom.base, args))


def _monomial_text(m: Monomial, c: int) -> str:
    names = sorted(a.name if isinstance(a, Symbol) else _opaque_text(a) for a, p in m for _ in range(p))
    return "*".join(names if c == 1 and names else [str(c), *names])


def _opaque_text(o: Opaque) -> str:
    if o.op == "*":
        return f"product of {len(o.args)} factors"
    base = o.base.name if o.base is not None else ""
    return f"{base}{o.op}({', '.join(map(repr, o.args))})"


# --- order


def sign(p: Poly, positive: Callable[[Atom], bool] | None = None) -> Order:
    """How `p` compares with 0 when all atoms (or those `positive` says) are at least 1; '' when that does not decide.

    n*m - n is '>=', n + 1 is '>', n - m is '', n - n/2 is '>'.
    """
    found = _plain_sign(p, positive)
    return found if found or p.plain else _sign_by_quotient(p, positive)


def _plain_sign(p: Poly, positive: Callable[[Atom], bool] | None) -> Order:
    if positive is not None and not all(positive(a) for a in p.atoms()):
        return ""
    if not p.terms:
        return "=="
    # With every atom as 1 + (something >= 0), coefficients of one sign decide.
    if any(m for m in p.terms):
        p = p.substitute({a: Poly.of(a) + 1 for a in p.atoms()})
    rest = [c for m, c in p.terms.items() if m]
    if all(c >= 0 for c in rest) and p.offset >= 0:
        return ">" if p.offset > 0 else ">="
    if all(c <= 0 for c in rest) and p.offset <= 0:
        return "<" if p.offset < 0 else "<="
    return ""


def _sign_by_quotient(p: Poly, positive: Callable[[Atom], bool] | None) -> Order:
    """The sign of c*(x / k) + rest, by k times that: for no negative x, k*(x / k) is at least x - k + 1, at most x."""
    for atom in sorted((a for a in p.atoms() if isinstance(a, Opaque) and a.op == "/"), key=_opaque_text):
        parts, (x, by) = p.coefficient(atom), atom.args
        c, k = parts[0].constant if parts is not None else None, by.constant
        if parts is None or c is None or k is None or k < 2 or sign(x, positive) not in (">", ">=", "=="):
            continue
        rest, bounds = parts[1] * k, ((x - (k - 1)) * c, x * c)
        least, most = bounds if c > 0 else bounds[::-1]
        below, above = sign(rest + least, positive), sign(rest + most, positive)
        if below in (">", ">=", "=="):
            return ">" if below == ">" else ">="
        if above in ("<", "<=", "=="):
            return "<" if above == "<" else "<="
    return ""


def compare(a: Poly, b: Poly, positive: Callable[[Atom], bool] | None = None) -> Order:
    """How `a` compares with `b`: '<', '<=', '==', '>=', '>', or '' when it is not known.

    Named sizes are taken to be at least 1 (all atoms, or those that `positive` says): compare(n - 1, n) is '<',
    compare(n, n*m) is '<=', compare(n, 1) is '>='.
    """
    return sign(a - b, positive)
