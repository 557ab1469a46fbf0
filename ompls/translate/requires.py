"""What `requires` directives ask for (OpenMP 5.2 §8.2)."""

from __future__ import annotations

from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import TU

_SHARING = ("unified_shared_memory", "self_maps")


def shares_memory(tu: TU) -> bool:
    """Whether the unit makes host addresses valid on devices: everything corresponds to itself."""
    return any(
        c.name in _SHARING and _holds(c)
        for f in tu.directives for c in f.directive.clauses if f.directive.name == "requires"
    )  # fmt: skip


def _holds(c: Clause) -> bool:
    return not c.args or fold(c.args[0]) != 0
