"""Which names `declare target` directives of a file are about."""

from __future__ import annotations

from collections.abc import Iterable

from ompls.analysis.model.ast import FunctionDef
from ompls.analysis.model.omp import declare_target_list
from ompls.analysis.model.tu import TU, FileDirective


def names_under(tu: TU, said: Iterable[FileDirective]) -> frozenset[str]:
    """The names that these `declare target` directives list, and those declared between a `begin` and its `end`."""
    said = tuple(said)
    names = {i.text for d in said for _, i in declare_target_list(d.directive)}
    for begun in said:
        if begun.directive.name == "begin declare target":
            end = min((d.start for d in tu.directives if d.start > begun.start and d.directive.name.startswith("end")),
                      default=-1)  # fmt: skip
            for item in tu.items:
                if begun.end <= item.start < end:
                    node = item.content.node
                    declared = [node.symbol] if isinstance(node, FunctionDef) else []
                    names |= {s.name for s in (*declared, *(d.symbol for d in getattr(node, "decls", ())))}
    return frozenset(names)
