"""Target regions that leave the data environment as they find it, seen at a glance: they need no walk.

    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++)            what is touched is named in a `map` clause from its beginning on, at least as
        y[i] += a * x[i];                  far as the loop goes, and what is written comes back

When the host's copies hold values and no device copies are known, nothing can be wrong in such a region, and all is as
before when it ends.  Most kernels are such.  False says nothing: what is less plain is walked.
"""

from __future__ import annotations

from ompls.analysis.dataenv.machine.facts import Facts, facts_of
from ompls.analysis.dataenv.symbolic import Poly, is_integer, loop_range
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span, Symbol
from ompls.analysis.model.ctype import Array, CType, Floating, Integer, Pointer
from ompls.analysis.model.tu import Content, Region, Variable
from ompls.analysis.spec.known import KNOWN

_CLAUSES = frozenset(("map", "private", "firstprivate", "reduction", "collapse", "schedule", "dist_schedule"))
_NODES = frozenset((
    ast.Compound, ast.ExprStmt, ast.DeclStmt, ast.VarDecl, ast.If, ast.For, ast.Name, ast.IntLiteral, ast.FloatLiteral,
    ast.CharLiteral, ast.Paren, ast.Unary, ast.Binary, ast.Assign, ast.Conditional, ast.Call, ast.Index, ast.Cast,
))  # fmt: skip
_FUNCTIONS = frozenset(name for name, row in KNOWN.items() if row.pure)
_KEY = __name__
_Ends = dict[Symbol, list[tuple[Span, Poly]]]  # by loop variable: what it stays below, in the body of each of its loops


def is_closed(region: Region, content: Content) -> bool:
    """Whether it is plain that the region touches only what it maps for that; kept with the declaration."""
    kept: tuple[bool, ...] | None = content.memo.get(_KEY)
    if kept is None:
        facts = facts_of(content)
        kept = content.memo[_KEY] = tuple([_looked_at(one, facts) for one in content.regions])
    return kept[region.ordinal]


def _looked_at(region: Region, facts: Facts) -> bool:
    directive, body = region.directive, region.stmt.body
    if body is None or region.tainted or not directive.known or not directive.decided:
        return False
    if any(c.name not in _CLAUSES or c.modifiers for c in directive.clauses):
        return False
    if any(not isinstance(arg, ast.IntLiteral) for c in directive.clauses for arg in c.args):
        return False
    nodes = list(body.walk())
    if {type(n) for n in nodes} - _NODES or not facts.calls_in(region.stmt) <= _FUNCTIONS:
        return False
    if any(isinstance(n, ast.Call) and not isinstance(n.function, ast.Name) for n in nodes):
        return False
    if any(isinstance(n, ast.Unary) and n.op in ("&", "*") for n in nodes):
        return False
    if any(isinstance(n, ast.VarDecl) and not _is_number(n.symbol) for n in nodes):
        return False
    ends = _ends([n for n in nodes if isinstance(n, ast.For)], facts)
    return all(_is_closed(variable, nodes, ends, facts) for variable in region.variables)


def _is_number(symbol: Symbol) -> bool:
    return isinstance(symbol.type, (Integer, Floating)) and symbol.storage not in ("static", "extern")


def _ends(loops: list[ast.For], facts: Facts) -> _Ends:
    """Of the loops that count from 0 in steps of 1 and leave their variable alone; [] where one is otherwise."""
    found: _Ends = {}
    for loop in loops:
        r = loop_range(loop)
        if r is None or r.symbol is None:
            continue
        plain = r.lower is not None and r.lower.constant == 0 and r.step == 1
        if not plain or r.upper is None or r.symbol in facts.written_in(loop.body) or found.get(r.symbol) == []:
            found[r.symbol] = []
        else:
            found.setdefault(r.symbol, []).append((loop.body.span, r.upper + 1))
    return found


def _is_closed(variable: Variable, nodes: list[ast.Node], ends: _Ends, facts: Facts) -> bool:
    """Whether the region does to the variable what its clause allows."""
    symbol, written = variable.symbol, bool(variable.writes or variable.writes_pointee)
    if variable.sharing in ("private", "firstprivate"):
        return isinstance(symbol.type, (Integer, Floating)) and (variable.sharing == "private" or not written)
    if variable.sharing != "mapped" or len(variable.maps) != 1:
        return False
    m, enough = variable.maps[0], ("tofrom",) if written else ("to", "tofrom")
    if m.item is None or m.clause is None or m.modifiers or m.map_type not in enough:
        return False
    expr, element = m.item.expr, symbol.type
    if isinstance(expr, ast.Section) or isinstance(symbol.type, Array):
        length = _length(expr, symbol.type, facts)
        if length is None or not _is_within(symbol, length, nodes, ends):
            return False
        if isinstance(symbol.type, (Pointer, Array)):
            element = symbol.type.to if isinstance(symbol.type, Pointer) else symbol.type.of
    elif not isinstance(expr, ast.Name):
        return False
    # what integers are is followed: after a write that is something else
    return isinstance(element, Floating) or (isinstance(element, Integer) and not written)


def _length(item: ast.Expr, t: CType, facts: Facts) -> Poly | None:
    """How many elements from the first on are listed: a number, or a variable that has one value all the time."""
    if isinstance(item, ast.Name) and isinstance(t, Array):
        return Poly.of(t.length) if t.length is not None else None
    if not isinstance(item, ast.Section) or not isinstance(item.base, ast.Name) or item.stride is not None:
        return None
    lower, length = item.lower, item.length
    if lower is not None and not (isinstance(lower, ast.IntLiteral) and lower.value == 0):
        return None
    if isinstance(length, ast.IntLiteral):
        return Poly.of(length.value)
    symbol = length.symbol if isinstance(length, ast.Name) else None
    if symbol is None or symbol.level == "file" or symbol.storage == "static" or not is_integer(symbol.type):
        return None
    changes = sum(s is symbol for _, s in facts.written)  # its declaration is one
    return Poly.of(symbol) if changes == (symbol.kind == "var") else None


def _is_within(symbol: Symbol, length: Poly, nodes: list[ast.Node], ends: _Ends) -> bool:
    """Whether the pointer is only subscripted, with variables of loops that end where its section does, or before."""
    uses = 0
    for n in nodes:
        if isinstance(n, ast.Name):
            uses += n.symbol is symbol
        elif isinstance(n, ast.Index) and isinstance(n.base, ast.Name) and n.base.symbol is symbol:
            at = n.index.symbol if isinstance(n.index, ast.Name) else None
            loops = ends.get(at, []) if at is not None else []
            inside = any(body.start <= n.span.start < body.end for body, _ in loops)
            if not inside or not all(_at_most(end, length) for _, end in loops):
                return False
            uses -= 1
    return uses == 0


def _at_most(end: Poly, length: Poly) -> bool:
    more = (length - end).constant
    return more is not None and more >= 0
