"""What people write most: the order of proposals, by how often programs (of tests/corpus, for one) have it.

A directive that stands alone as often as it goes on comes before the longer ones (`target`); one that seldom does comes
after all that is usual (`target teams`: each team would run all of the loop).
"""

from __future__ import annotations

from ompls.analysis.spec import is_extension

_DIRECTIVES = (
    "target", "target teams distribute parallel for", "target data", "target enter data", "target exit data",
    "target update", "parallel", "parallel for", "declare target", "end declare target",
    "teams distribute parallel for", "distribute parallel for", "for", "simd", "atomic", "critical", "barrier",
    "single", "task", "taskwait", "loop",
)  # fmt: skip
_CLAUSES = (
    "map", "to", "from", "reduction", "collapse", "private", "firstprivate", "nowait", "depend", "if", "device",
    "num_teams", "thread_limit", "num_threads", "schedule", "is_device_ptr", "use_device_ptr", "use_device_addr",
    "has_device_addr", "shared", "default", "defaultmap", "lastprivate", "read", "write", "update", "capture", "enter",
    "link",
)  # fmt: skip
_CLAUSES_FROM, _REST_FROM, _EXTENSIONS, OUTDATED = 30, 70, 90, 100
_ORDER = {name: number for number, name in enumerate(_DIRECTIVES)}
_CLAUSE_ORDER = {name: _CLAUSES_FROM + number for number, name in enumerate(_CLAUSES)}


def directive_rank(name: str) -> int:
    """Smaller comes first; what is not usual by the number of its words, after the usual clauses."""
    at = _ORDER.get(name)
    return at if at is not None else _REST_FROM + len(name.split())


def clause_rank(name: str) -> int:
    """Smaller comes first; an implementation's own clauses are the last."""
    return _EXTENSIONS if is_extension(name) else _CLAUSE_ORDER.get(name, _REST_FROM)
