"""Which constructs are groups of tasks: who leaves one has waited for all that it created."""

from __future__ import annotations

from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive


def groups_tasks(directive: Directive) -> bool | None:
    """Whether its end waits for all tasks in it, as that of `taskgroup` does (6.0 §14.3 for `taskgraph`).

    None: that is decided when the program runs.
    """
    if directive.name != "taskgraph":
        return directive.name == "taskgroup"
    clause = directive.clause("nogroup")
    if clause is None:
        return True
    value = fold(clause.args[0]) if clause.args else 1
    return None if value is None else not value
