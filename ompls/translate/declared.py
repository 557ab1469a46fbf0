"""`declare reduction` (OpenMP 6.0 section 7.6.14): what the program declares, as text.

The combiner and the initializer are C expressions over omp_out, omp_in, omp_priv and omp_orig.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ompls.analysis.model.ctype import CType
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, Item
from ompls.translate.ctext import Types

NAME = "declare reduction"


@dataclass(frozen=True)
class DeclaredReduction:
    """`types` are C type names as written; `initializer` is "" without the clause."""

    name: str
    types: tuple[str, ...]
    combiner: str
    initializer: str

    @property
    def uses(self) -> str:
        """The text whose names have to be there."""
        return f"{self.combiner} {self.initializer}"

    @property
    def asks_for_original(self) -> bool:
        """Whether a copy's first value depends on the original's."""
        return re.search(r"\bomp_orig\b", self.initializer) is not None

    @property
    def pragma(self) -> str:
        """The directive in the form that every compiler knows."""
        initializer = f" initializer({self.initializer})" if self.initializer else ""
        return f"#pragma omp {NAME}({self.name} : {', '.join(self.types)} : {self.combiner}){initializer}"

    def is_for(self, tu: TU, kinds: Types, t: CType) -> bool:
        """Whether it was declared for `t`."""
        shown = " ".join(kinds.c(t).split())
        return any(x == shown or _named(tu, x) == t for x in self.types)


def _named(tu: TU, name: str) -> CType | None:
    """The type that a typedef name or `struct TAG` stands for."""
    tag = tu.tags.get(name.rsplit(maxsplit=1)[-1]) if " " in name else None
    symbol = tu.symbols.get(name)
    return tag or (symbol.type if symbol is not None and symbol.kind == "typedef" else None)


def declared_reductions(tu: TU, item: Item | None = None) -> Iterator[DeclaredReduction]:
    """Those of the file scope, and those inside the external declaration `item`, which come first."""
    for stmt in item.content.directives if item is not None else []:
        if stmt.directive.name == NAME:
            yield from _read(stmt.directive)
    for f in tu.directives:
        if f.directive.name == NAME:
            yield from _read(f.directive)


def _read(d: Directive) -> Iterator[DeclaredReduction]:
    parts = d.args[0].text.split(":", 2) if d.args else []
    combiner, initializer = d.clause("combiner"), d.clause("initializer")
    if len(parts) == 2 and combiner is not None:
        parts.append(combiner.text)
    if len(parts) == 3:
        types = tuple(" ".join(x.split()) for x in parts[1].split(","))
        yield DeclaredReduction(parts[0].strip(), types, parts[2].strip(), initializer.text if initializer else "")
