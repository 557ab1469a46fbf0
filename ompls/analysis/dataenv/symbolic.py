"""Integer polynomials over the variables of a C program, and the loops that give variables their ranges.

`poly_of` reads an expression as a polynomial, `compare` orders two of them, `loop_range` reads a canonical loop.
An atom is a `Symbol` (the value a variable has where the analysis starts, or a loop variable's) or an `Opaque`: a value
that is not a polynomial (`n / 2`, `s.n`, `idx[i]`) but is equal to itself.  Overflow is not looked at.

    i*C + j + 1   is   {i*C: 1, j: 1, (): 1}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ompls.analysis.dataenv.paths import root
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import INTEGERS
from ompls.analysis.model.ctype import CType, Enum, Integer

_LARGEST = 24  # terms of a polynomial; larger ones are given up
_DEEPEST = 40  # nesting of an expression


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is no polynomial, known by how it is made.

    op -- '/', '%', '[]' (an element of the array or pointer `base`), '.name', the name of a function, or CHANGED (what
          the variable `base` holds since the point in the order of evaluation that the argument numbers)
    base -- the variable it is loaded from, if any
    args -- the operands
    """

    op: str
    base: Symbol | None
    args: tuple[Poly, ...]


Atom = Symbol | Opaque
Monomial = frozenset[tuple[Atom, int]]  # atoms with their powers; empty: the constant term
_ONE: Monomial = frozenset()
Order = Literal["<", "<=", "==", ">=", ">", ""]


class Poly:
    """An immutable polynomial with integer coefficients.  Equal polynomials are equal values (and hash alike)."""

    __slots__ = ("_hash", "_plain", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}
        self._hash: int | None = None
        self._plain: bool | None = None

    @staticmethod
    def of(value: int | Atom) -> Poly:
        """The polynomial of a number or an atom."""
        if isinstance(value, int):
            return Poly({_ONE: value})
        return Poly({frozenset(((value, 1),)): 1})

    def __add__(self, other: Poly | int) -> Poly:
        other = Poly.of(other) if isinstance(other, int) else other
        terms = dict(self.terms)
        for monomial, c in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + c
        return Poly(terms)

    def __neg__(self) -> Poly:
        return Poly({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly | int) -> Poly:
        return self + (-other)

    def __mul__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            return Poly({m: c * other for m, c in self.terms.items()})
        terms: dict[Monomial, int] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in other.terms.items():
                m = _times(m1, m2)
                terms[m] = terms.get(m, 0) + c1 * c2
        return Poly(terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

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

    def symbols(self) -> set[Symbol]:
        """Every variable its value depends on, those inside of opaque atoms and their bases included."""
        found: set[Symbol] = set()
        for atom in self.atoms():
            if isinstance(atom, Opaque):
                found.update(*(p.symbols() for p in atom.args))
                if atom.base is not None:
                    found.add(atom.base)
            else:
                found.add(atom)
        return found

    @property
    def plain(self) -> bool:
        """Whether it has no opaque atoms."""
        if self._plain is None:
            self._plain = not any(isinstance(a, Opaque) for m in self.terms for a, _ in m)
        return self._plain

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

    def newest(self) -> int:
        """The number of the last change of a variable that the value depends on; 0: none has changed."""
        if self.plain:
            return 0
        return max((o.args[0].offset for o in self.opaques() if o.op == CHANGED), default=0)

    def coefficient(self, atom: Atom) -> tuple[Poly, Poly] | None:
        """(c, rest) with self == c * atom + rest and neither containing `atom`; None when it is not linear in it."""
        inside: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            power = next((p for a, p in m if a == atom), 0)
            if power > 1:
                return None
            if power:
                inside[frozenset(x for x in m if x[0] != atom)] = c
            else:
                rest[m] = c
        found = Poly(inside), Poly(rest)
        if isinstance(atom, Symbol) and any(atom in p.symbols() for p in found):
            return None  # inside of an opaque atom
        return found

    def substitute(self, values: Mapping[Atom, Poly]) -> Poly:
        """With atoms replaced, also inside of opaque atoms."""
        if not values or not self.terms:
            return self
        total = Poly({})
        for m, c in self.terms.items():
            product = Poly({_ONE: c})
            for atom, power in m:
                value = values.get(atom)
                if value is None:
                    value = Poly.of(_inside(atom, values) if isinstance(atom, Opaque) else atom)
                for _ in range(power):
                    product = product * value
            total = total + product
        return total

    def divided(self, by: int) -> Poly | None:
        """The exact quotient; None when there is a remainder."""
        if by == 0 or any(c % by for c in self.terms.values()):
            return None
        return Poly({m: c // by for m, c in self.terms.items()})


CHANGED = "="  # an `Opaque.op`
ZERO, ONE = Poly({}), Poly.of(1)
Values = Mapping[Symbol, "Poly | None"]  # what variables hold; None: not known


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return frozenset(powers.items())


def _inside(atom: Opaque, values: Mapping[Atom, Poly]) -> Opaque:
    return Opaque(atom.op, atom.base, tuple([p.substitute(values) for p in atom.args]))


def _monomial_text(m: Monomial, c: int) -> str:
    names = sorted(a.name if isinstance(a, Symbol) else _opaque_text(a) for a, p in m for _ in range(p))
    return "*".join(names if c == 1 and names else [str(c), *names])


def _opaque_text(o: Opaque) -> str:
    base = o.base.name if o.base is not None else ""
    return f"{base}{o.op}({', '.join(map(repr, o.args))})"


# --- order


def sign(p: Poly, positive: Callable[[Atom], bool] | None = None) -> Order:
    """How `p` compares with 0 when all atoms (or those `positive` says) are at least 1; '' when that does not decide.

    n*m - n is '>=', n + 1 is '>', n - m is ''.
    """
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


def compare(a: Poly, b: Poly, positive: Callable[[Atom], bool] | None = None) -> Order:
    """How `a` compares with `b`: '<', '<=', '==', '>=', '>', or '' when it is not known.

    Named sizes are taken to be at least 1 (all atoms, or those that `positive` says): compare(n - 1, n) is '<',
    compare(n, n*m) is '<=', compare(n, 1) is '>='.
    """
    return sign(a - b, positive)


# --- from expressions


def is_integer(t: CType) -> bool:
    """Whether values of type `t` are integers whose value does not change by itself."""
    return isinstance(t, (Integer, Enum)) and not t.quals & {"volatile", "_Atomic"}


def poly_of(expr: Expr | None, values: Values | None = None, loads: bool = True, _depth: int = 0) -> Poly | None:
    """`expr` as a polynomial; None when it is none.

    values -- what variables hold; one that it does not mention is an atom, one with None makes the result None
    loads -- whether `s.n`, `idx[i]` may be opaque atoms (they change when memory is written)
    """
    if expr is None or _depth > _DEEPEST:
        return None
    constant = fold(expr)
    if constant is not None:
        return Poly.of(constant)
    values = {} if values is None else values
    match expr:
        case ast.Paren():
            return poly_of(expr.inner, values, loads, _depth + 1)
        case ast.Name():
            return _name(expr, values, loads, _depth)
        case ast.Unary(op="+" | "-"):
            inner = poly_of(expr.operand, values, loads, _depth + 1)
            return inner if inner is None or expr.op == "+" else -inner
        case ast.Binary(op="+" | "-" | "*" | "/" | "%" | "<<"):
            return _binary(expr, values, loads, _depth)
        case ast.Cast():
            wide = isinstance(expr.to, Enum) or (isinstance(expr.to, Integer) and INTEGERS[expr.to.kind][0] >= 4)
            return poly_of(expr.operand, values, loads, _depth + 1) if wide else None
        case ast.Index() | ast.Member() if loads and is_integer(expr.type):
            return _load(expr, values, _depth)
        case ast.Assign(op="="):
            return poly_of(expr.value, values, loads, _depth + 1)
        case ast.Call(
            function=ast.Name(
                name="omp_get_thread_num" | "omp_get_team_num" | "omp_get_num_threads" | "omp_get_num_teams" as name
            ),
            args=[],
        ):
            return Poly.of(Opaque(name, None, ()))
    return None


def _name(expr: ast.Name, values: Values, loads: bool, depth: int) -> Poly | None:
    symbol = expr.symbol
    if symbol is None or symbol.kind not in ("var", "param") or not is_integer(symbol.type):
        return None
    if symbol in values:
        return values[symbol]
    if "const" in symbol.type.quals and symbol.init is not None and (known := fold(symbol.init)) is not None:
        return Poly.of(known)
    return Poly.of(symbol)


def _binary(expr: ast.Binary, values: Values, loads: bool, depth: int) -> Poly | None:
    a = poly_of(expr.left, values, loads, depth + 1)
    b = poly_of(expr.right, values, loads, depth + 1) if a is not None else None
    if a is None or b is None:
        return None
    if expr.op == "+":
        return a + b
    if expr.op == "-":
        return a - b
    if expr.op == "*":
        return a * b if len(a.terms) * len(b.terms) <= _LARGEST else None
    known = b.constant
    if expr.op == "<<":
        return a * (1 << known) if known is not None and 0 <= known < 63 else None
    if expr.op == "/" and known is not None and (exact := a.divided(known)) is not None:
        return exact
    return Poly.of(Opaque(expr.op, None, (a, b))) if known != 0 else None


def _load(expr: Expr, values: Values, depth: int) -> Poly | None:
    """An integer in memory, as an opaque atom: its base, the way to it, and its subscripts."""
    base = root(expr)
    if base is None or (base in values and values[base] is None):
        return None
    way = ""
    args: list[Poly] = []
    at: Expr = expr
    while not isinstance(at, ast.Name):
        if isinstance(at, ast.Paren):
            at = at.inner
        elif isinstance(at, ast.Member):
            way = f".{at.field}{way}"
            at = at.base
        elif isinstance(at, ast.Index):
            index = poly_of(at.index, values, True, depth + 1)
            if index is None:
                return None
            way, args = f"[]{way}", [index, *args]
            at = at.base
        else:
            return None
    return Poly.of(Opaque(way, base, tuple(args)))


# --- loops


@dataclass(frozen=True, slots=True)
class LoopRange:
    """The values that a loop's variable takes in its body.

    symbol -- the variable; None: not canonical, nothing is known but `stmt`
    lower, upper -- the smallest and the largest value (inclusive), in terms of what is known before the loop and of
                    the variables of loops around it; None: not known
    step -- from one iteration to the next (signed); 0: not known
    stmt -- the loop
    exact -- whether the loop, when it runs at all, takes both values

    `for (i = n - 1; i >= 0; i--)` is (i, 0, n - 1, -1).
    """

    symbol: Symbol | None
    lower: Poly | None
    upper: Poly | None
    step: int
    stmt: ast.Stmt
    exact: bool = True

    @property
    def trips(self) -> Poly | None:
        """The number of iterations of a loop with step 1 or -1, or with constant bounds."""
        if self.lower is None or self.upper is None or not self.step:
            return None
        width = self.upper - self.lower
        if abs(self.step) == 1:
            return width + 1
        known = width.constant
        return None if known is None else Poly.of(max(0, known // abs(self.step) + 1))


def loop_range(stmt: ast.For, values: Values | None = None, before: Values | None = None) -> LoopRange | None:
    """The range of a canonical loop: `i < n`, `<=`, `>`, `>=`, `!=`; `i++`, `i += 2`, `i = i - 1`; None for others.

    values -- what variables hold in the loop; before -- what they hold where it starts (the same when left out).
    That the body leaves the variable alone is the caller's to know.
    """
    head = _start(stmt)
    if head is None:
        return None
    symbol, start = head
    step = _step(stmt.step, symbol, values)
    limit = _limit(stmt.condition, symbol)
    if step is None or step == 0 or limit is None:
        return None
    op, bound = limit
    if any(isinstance(n, ast.Name) and n.symbol is symbol for n in bound.walk()):
        return None
    if (op in ("<", "<=") and step < 0) or (op in (">", ">=") and step > 0) or (op == "!=" and abs(step) != 1):
        return None
    first, last = poly_of(start, values if before is None else before), poly_of(bound, values)
    if last is not None and op in ("<", ">", "!="):
        last = last + (-1 if step > 0 else 1)
    exact = True
    if abs(step) != 1:
        width = (last - first).constant if first is not None and last is not None else None
        exact = width is not None
        if width is not None and first is not None:
            last = first + abs(width) // abs(step) * step
    lower, upper = (first, last) if step > 0 else (last, first)
    return LoopRange(symbol, lower, upper, step, stmt, exact)


def _start(stmt: ast.For) -> tuple[Symbol, Expr] | None:
    if isinstance(stmt.init, ast.DeclStmt) and len(stmt.init.decls) == 1:
        decl = stmt.init.decls[0]
        return (decl.symbol, decl.init) if decl.init is not None and is_integer(decl.symbol.type) else None
    expr = _bare(stmt.init.expr) if isinstance(stmt.init, ast.ExprStmt) and stmt.init.expr is not None else None
    if isinstance(expr, ast.Assign) and expr.op == "=":
        target = _bare(expr.target)
        if isinstance(target, ast.Name) and target.symbol is not None and is_integer(target.symbol.type):
            return target.symbol, expr.value
    return None


def _is(expr: Expr, symbol: Symbol) -> bool:
    expr = _bare(expr)
    return isinstance(expr, ast.Name) and expr.symbol is symbol


def _step(expr: Expr | None, symbol: Symbol, values: Values | None) -> int | None:
    expr = _bare(expr) if expr is not None else None
    if isinstance(expr, ast.Unary) and expr.op in ("++", "--") and _is(expr.operand, symbol):
        return 1 if expr.op == "++" else -1
    if not isinstance(expr, ast.Assign) or not _is(expr.target, symbol):
        return None
    if expr.op in ("+=", "-="):
        step = poly_of(expr.value, values)
        known = step.constant if step is not None else None
        return known if known is None or expr.op == "+=" else -known
    if expr.op == "=":
        after = poly_of(expr.value)
        return (after - Poly.of(symbol)).constant if after is not None else None
    return None


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def _limit(expr: Expr | None, symbol: Symbol) -> tuple[str, Expr] | None:
    expr = _bare(expr) if expr is not None else None
    if not isinstance(expr, ast.Binary) or expr.op not in _MIRRORED:
        return None
    if _is(expr.left, symbol):
        return expr.op, expr.right
    return (_MIRRORED[expr.op], expr.left) if _is(expr.right, symbol) else None


def _bare(expr: Expr) -> Expr:
    while isinstance(expr, (ast.Paren, ast.Cast)):
        expr = expr.inner if isinstance(expr, ast.Paren) else expr.operand
    return expr


def range_over(p: Poly, loops: Iterable[LoopRange]) -> tuple[Poly, Poly] | None:
    """The smallest and the largest value of `p` over loops (outermost first); None when it is not monotonic in one.

    j + i*C over i = 0..R-1, j = 0..C-1 is (0, R*C - 1).  Bounds of inner loops may name outer variables.
    """
    loops = list(loops)
    low = high = p
    for loop in reversed(loops):
        symbol = loop.symbol
        if symbol is None or (symbol not in low.symbols() and symbol not in high.symbols()):
            continue
        if loop.lower is None or loop.upper is None:
            return None
        smallest = _eliminate(low, symbol, loop.lower, loop.upper, loops)
        largest = _eliminate(high, symbol, loop.upper, loop.lower, loops)
        if smallest is None or largest is None:
            return None
        low, high = smallest, largest
    return low, high


def _eliminate(p: Poly, symbol: Symbol, if_growing: Poly, if_falling: Poly, loops: list[LoopRange]) -> Poly | None:
    parts = p.coefficient(symbol)
    if parts is None:
        return None
    growth = sign_over(parts[0], loops)
    if not growth:
        return None
    return p.substitute({symbol: if_growing if growth in (">", ">=", "==") else if_falling})


def sign_over(p: Poly, loops: Iterable[LoopRange]) -> Order:
    """As `sign`, where the variables of `loops` are at least their lower bounds instead of 1."""
    if p.constant is not None:
        return sign(p)
    shifted: dict[Atom, Poly] = {}
    unknown: set[Atom] = set()
    for loop in loops:
        if loop.symbol is not None and loop.symbol in p.symbols():
            least = loop.lower.constant if loop.lower is not None else None
            if least is None:
                unknown.add(loop.symbol)
            else:
                shifted[loop.symbol] = Poly.of(loop.symbol) + (least - 1)
    return sign(p.substitute(shifted), lambda a: a not in unknown)
