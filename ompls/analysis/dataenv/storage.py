"""What needs memory near to a thread: the large variables that a region or a function declares, and `ompx_local`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ompls.analysis.dataenv.traffic import mapped_bytes
from ompls.analysis.model import ast
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.tu import MapItem, Region

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


def local_sections(region: Region, model: DataModel) -> Iterator[tuple[MapItem, int | None]]:
    """What the region maps with `ompx_local`, with its bytes where they are known."""
    for variable in region.variables:
        for mapped in variable.maps:
            if "ompx_local" in mapped.modifiers:
                yield mapped, mapped_bytes(mapped, model)


@lru_cache(maxsize=1024)  # a function that many regions call
def _variables(node: ast.Node) -> tuple[ast.VarDecl, ...]:
    return tuple([n for n in node.walk() if isinstance(n, ast.VarDecl)])
