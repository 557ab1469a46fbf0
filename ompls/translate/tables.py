"""Tables of functions and strings: variables that lead to what each kernel file has of its own.

The address of a function, or of a string literal, is another one on a device than on the host, and another one in each
kernel.  So a variable that begins with such addresses and never changes is written into every kernel that reads it,
with its initializer, instead of being copied from the host.

Where other `declare target` variables begin with the addresses of functions, or `indirect` lists some, these addresses
are the host's on all devices (lowering/indirect.py), so that a pointer means one function wherever it lies; then a
variable that begins with one of them is no table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ompls.analysis.dataenv.paths import holds_pointers
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.peel import bare
from ompls.analysis.model.targeted import names_under
from ompls.analysis.model.tu import TU
from ompls.translate.ctext import is_const
from ompls.translate.uses import directives_in, modified_in, names_in, root_symbol

HOST_ADDRESSES = "__ompls_indirect_functions"  # written by lowering/indirect.py


@dataclass(frozen=True)
class Known:
    """Variables that are tables; functions whose addresses are the host's on all devices."""

    tables: frozenset[str]
    functions: frozenset[str]


def tables(tu: TU) -> frozenset[str]:
    """The names of the unit's tables."""
    return known(tu).tables


@lru_cache(maxsize=4)
def known(tu: TU) -> Known:
    """The unit's tables, and the functions that have one address everywhere."""
    begun = {s.name: (s, init) for s, init in _initialized(tu) if holds_pointers(s.type)}
    found = {name: s for name, (s, init) in begun.items() if name != HOST_ADDRESSES and _is_own(init)}
    # Kernels of other units have only what lies in memory, and of what a compound literal makes there is one.
    alone = {name for name, s in found.items() if s.storage == "static" and not _has_literal(begun[name][1])}
    found = {name: s for name, s in found.items() if name in alone or not on_device(tu, s)}
    varying = {name for name, s in found.items() if not is_const(s.type)}
    kept = {name for name in varying if found[name].storage == "static"}
    for item in tu.items if kept else []:
        kept -= _changed(item.content.node)
    own = found.keys() - (varying - kept)
    placed = {name: init for name, (s, init) in begun.items() if on_device(tu, s)}
    called = {name: _functions(tu, init) for name, init in placed.items()}
    functions = _indirect(tu)
    while True:
        memory = placed.keys() - own
        functions = functions.union(*(called[name] for name in memory))
        led_to = {n.name for name in memory for n in names_in(placed[name]) if n.name in own}
        shared = led_to | {name for name in own & placed.keys() if called[name] & functions}
        if not shared:
            return Known(frozenset(own), functions)
        own -= shared


def on_device(tu: TU, s: Symbol) -> bool:
    """Whether `declare target` is about the variable or function; the directive may stand behind its declaration."""
    last = tu.symbols.get(s.name)
    return bool(s.declare_target or (last is not None and last.declare_target))


def _initialized(tu: TU) -> Iterator[tuple[Symbol, ast.Expr]]:
    """The variables of the file scope that have an initializer, with it."""
    for item in tu.items:
        node = item.content.node
        for d in node.decls if isinstance(node, ast.Declaration) else []:
            if d.symbol.kind == "var" and d.init is not None:
                yield d.symbol, d.init


def _functions(tu: TU, init: ast.Expr) -> frozenset[str]:
    """The functions that an initializer names and devices may have."""
    named = {n.name for n in names_in(init) if n.symbol is not None and n.symbol.kind == "func"}
    found = (s for s in map(tu.symbols.get, named) if s is not None and not s.name.startswith("__builtin_"))
    return frozenset(s.name for s in found if s.defined or s.from_system_header or s.declare_target)


def _indirect(tu: TU) -> frozenset[str]:
    """The functions that `declare target` with `indirect` is about."""
    said = [f for f in tu.directives if _holds(f.directive.clause("indirect"))]
    found = ((n, tu.symbols.get(n)) for n in names_under(tu, said)) if said else ()
    return frozenset(n for n, s in found if s is not None and s.kind == "func")


def _holds(clause: Clause | None) -> bool:
    """`indirect(false)` says that there is nothing to do."""
    return clause is not None and not (clause.args and fold(clause.args[0]) == 0)


def _is_own(init: ast.Expr) -> bool:
    """Whether it names functions or has string literals for pointers, and names no variables."""
    names = [n.symbol for n in names_in(init) if n.symbol is not None]
    if any(s.kind == "var" for s in names):
        return False
    return any(s.kind == "func" for s in names) or any(isinstance(n, ast.StringLiteral) for n in init.walk())


def _has_literal(init: ast.Expr) -> bool:
    return any(isinstance(n, ast.CompoundLiteral) for n in init.walk())


def _changed(node: ast.Node) -> set[str]:
    """Variables that somebody may change: assigned, their address taken, or an array of theirs used as a pointer."""
    read = {id(bare(n.base)) for n in node.walk() if isinstance(n, (ast.Index, ast.Member))}
    operands = [n.operand for n in node.walk() if isinstance(n, ast.SizeOf) and n.operand is not None]
    read |= {id(n) for e in operands for n in e.walk()}
    whole = (n for n in node.walk() if isinstance(n, ast.Expr) and isinstance(n.type, Array) and id(n) not in read)
    found = modified_in(node) | {root_symbol(n) for n in whole if not isinstance(n, ast.StringLiteral)}
    listed = {i.symbol for d in directives_in(node) for c in d.directive.clauses for i in c.items}
    return {s.name for s in found | listed if s is not None}
