"""What is implied for a region's variables, as clauses: the inlay hint shows them, an action writes them.

Left out is what other clauses say, and data that a data construct of the function maps: the region finds these on the
device, and where only a part is there, an implicit map takes that part while an explicit one fails.
"""

from __future__ import annotations

from ompls.analysis.dataenv.paths import named_in, root
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.items import Group
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, Item, Region, Variable

_IMPLIED = ("mapped", "firstprivate")


class Implied:
    """Of the regions of a file; what one function says is kept while its regions are asked about."""

    def __init__(self, tu: TU) -> None:
        self._file = tu.symbols
        self._own = _threadprivate([d.directive for d in tu.directives])
        if any(_declares(group) for _, group in tu.items.groups):
            # A `declare target` variable takes those along that its initialiser points to.
            given = [s.init for s in tu.symbols.own.values() if s.kind == "var" and s.init is not None]
            self._own |= {symbol.name for init in given for symbol in named_in(init)}
        self._item: Item | None = None
        self._elsewhere: set[Symbol] = set()
        self._names: set[str] = set()

    def of(self, item: Item, region: Region) -> list[Variable]:
        """The variables for which no clause says what is implied."""
        found = [v for v in region.variables if v.implicit and v.sharing in _IMPLIED]
        if not found:
            return found
        if item is not self._item:
            self._item, self._elsewhere, self._names = item, set(), set()
            if len(item.content.directives) > 1:  # others than the region's own
                self._elsewhere = mapped_elsewhere(item)
                self._names = _threadprivate([s.directive for s in item.content.directives])
        clauses = region.directive.clauses
        left = {*self._elsewhere, *[i.symbol or root(i.expr) for c in clauses for i in c.items]}
        return [v for v in found if v.symbol not in left and self._may_be_listed(v.symbol)]

    def _may_be_listed(self, symbol: Symbol) -> bool:
        if symbol.thread_local or symbol.name in self._names:
            return False
        return symbol.level != "file" or (symbol.name not in self._own and symbol.name in self._file)


def _declares(group: Group) -> bool:
    """Whether a directive of the group declares something; kept with it."""
    known: bool | None = group.memo.get(__name__)
    if known is None:
        inside = (s.directive for content in group.contents for s in content.directives)
        said = (*[d.directive for d in group.directives], *inside)
        known = group.memo[__name__] = any("declare" in directive.name for directive in said)
    return known


def _threadprivate(directives: list[Directive]) -> set[str]:
    return {i.text for directive in directives if directive.name == "threadprivate" for i in directive.args}


def written(variables: list[Variable], most: int | None = None) -> list[str]:
    """The clauses that say what is implied for these variables, with at most so many names in each."""
    groups: dict[str, list[str]] = {}
    for variable in variables:
        groups.setdefault(_group(variable), []).append(_item(variable))
    clauses = []
    for group, names in groups.items():
        shown = names if most is None or len(names) <= most else [*names[:most], f"… {len(names) - most} more"]
        clauses.append(f"{group}{', '.join(shown)})")
    return clauses


def mapped_elsewhere(item: Item) -> set[Symbol]:
    """What other directives of the function put on the device."""
    found = set()
    for stmt in item.content.directives:
        if stmt.directive.name in ("target data", "target enter data"):
            for clause in stmt.directive.all("map"):
                found |= {s for i in clause.items if (s := i.symbol or root(i.expr)) is not None}
    return found


def _group(variable: Variable) -> str:
    if variable.sharing == "firstprivate":
        return "firstprivate("
    item = variable.maps[0]
    if item.zero_length:
        return "map("  # nothing is copied, whatever the type
    return f"map({''.join(f'{m}, ' for m in item.modifiers)}{item.map_type}: "


def _item(variable: Variable) -> str:
    zero = variable.sharing == "mapped" and variable.maps[0].zero_length
    return variable.symbol.name + ("[:0]" if zero else "")
