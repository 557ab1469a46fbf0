"""Tables of functions and strings: variables that lead to what each kernel file has of its own.

The address of a function, or of a string literal, is another one on a device than on the host, and another one in each
kernel.  So a variable that begins with such addresses and never changes is written into every kernel that reads it,
with its initializer, instead of being copied from the host.
"""

from __future__ import annotations

from functools import lru_cache

from ompls.analysis.dataenv.paths import holds_pointers
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.tu import TU
from ompls.translate.ctext import is_const, strip
from ompls.translate.uses import directives_in, modified_in, names_in, root_symbol

HOST_ADDRESSES = "__ompls_indirect_functions"  # written by lowering/indirect.py


@lru_cache(maxsize=4)
def tables(tu: TU) -> frozenset[str]:
    """The names of the unit's tables."""
    found: dict[str, ast.VarDecl] = {}
    for item in tu.items:
        node = item.content.node
        for d in node.decls if isinstance(node, ast.Declaration) else []:
            if d.symbol.name == HOST_ADDRESSES:
                continue  # what it holds are the host's addresses, on all devices
            if d.symbol.kind == "var" and d.init is not None and holds_pointers(d.symbol.type) and _is_own(d.init):
                found[d.symbol.name] = d
    varying = {name for name, d in found.items() if not is_const(d.symbol.type)}
    kept = {name for name in varying if found[name].symbol.storage == "static"}
    for item in tu.items if kept else []:
        kept -= _changed(item.content.node)
    return frozenset(found.keys() - (varying - kept))


def _is_own(init: ast.Expr) -> bool:
    """Whether it names functions or has string literals for pointers, and names no variables."""
    names = [n.symbol for n in names_in(init) if n.symbol is not None]
    if any(s.kind == "var" for s in names):
        return False
    return any(s.kind == "func" for s in names) or any(isinstance(n, ast.StringLiteral) for n in init.walk())


def _changed(node: ast.Node) -> set[str]:
    """Variables that somebody may change: assigned, their address taken, or an array of theirs used as a pointer."""
    read = {id(strip(n.base)) for n in node.walk() if isinstance(n, (ast.Index, ast.Member))}
    operands = [n.operand for n in node.walk() if isinstance(n, ast.SizeOf) and n.operand is not None]
    read |= {id(n) for e in operands for n in e.walk()}
    whole = (n for n in node.walk() if isinstance(n, ast.Expr) and isinstance(n.type, Array) and id(n) not in read)
    found = modified_in(node) | {root_symbol(n) for n in whole if not isinstance(n, ast.StringLiteral)}
    listed = {i.symbol for d in directives_in(node) for c in d.directive.clauses for i in c.items}
    return {s.name for s in found | listed if s is not None}
