"""What people write most: the order of proposals, by how often programs (of tests/corpus, for one) have it.

What begins a usual word is as usual as that, so that it comes before it in the list: who has typed `target` means it,
whatever else begins so.
"""

from __future__ import annotations

from ompls.analysis.spec import is_extension

_DIRECTIVES = (
    "target teams distribute parallel for", "target data", "target enter data", "target exit data", "target update",
    "parallel for", "declare target", "end declare target", "teams distribute parallel for", "for", "simd", "atomic",
    "critical", "barrier", "single", "task", "taskwait", "loop",
)  # fmt: skip
_CLAUSES = (
    "map", "to", "from", "reduction", "collapse", "private", "firstprivate", "nowait", "depend", "if", "device",
    "num_teams", "thread_limit", "num_threads", "schedule", "is_device_ptr", "use_device_ptr", "use_device_addr",
    "has_device_addr", "shared", "defaultmap", "default", "lastprivate", "read", "write", "update", "capture", "enter",
    "link",
)  # fmt: skip
_OPERATORS = (("+",), ("max", "min"), ("*",), ("||", "&&"))  # of reductions
_CLAUSES_FROM, _REST_FROM, _EXTENSIONS, OUTDATED = 20, 60, 80, 90


def directive_rank(name: str) -> int:
    """Smaller comes first; what is not usual by the number of its words, after the usual clauses."""
    at = (number for number, usual in enumerate(_DIRECTIVES) if f"{usual} ".startswith(f"{name} "))
    return next(at, _REST_FROM + len(name.split()))


def clause_rank(name: str) -> int:
    """Smaller comes first; an implementation's own clauses are the last."""
    at = (_CLAUSES_FROM + number for number, usual in enumerate(_CLAUSES) if usual.startswith(name))
    return _EXTENSIONS if is_extension(name) else next(at, _REST_FROM)


def operator_rank(name: str) -> int:
    """Of a reduction: smaller comes first."""
    return next((number for number, alike in enumerate(_OPERATORS) if name in alike), len(_OPERATORS))
