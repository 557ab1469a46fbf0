"""What a thread needs memory of its own for: the large variables that are declared in a region or a function."""

from __future__ import annotations

from functools import lru_cache

from ompls.analysis.model import ast
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import sizeof

_LARGE = 1024  # bytes: what is smaller is no array that somebody forgot to map


def large_variables(node: ast.Node, model: DataModel) -> list[tuple[ast.VarDecl, int]]:
    """The automatic variables of 1 KiB and more in it, with their sizes where data are laid out so."""
    declared = node.nodes(ast.VarDecl) if isinstance(node, ast.DirectiveStmt) else _variables(node)
    return [
        (n, size)
        for n in declared
        if n.symbol.kind == "var" and n.symbol.storage not in ("static", "extern")
        if (size := sizeof(n.symbol.type, model) or 0) >= _LARGE
    ]


@lru_cache(maxsize=1024)  # a function that many regions call
def _variables(node: ast.Node) -> tuple[ast.VarDecl, ...]:
    return tuple([n for n in node.walk() if isinstance(n, ast.VarDecl)])
