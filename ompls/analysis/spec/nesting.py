"""Which region may not stand in which (OpenMP 5.2 §17.1, §10.2, §11.6, §10.3) as data, by leaf construct."""

from __future__ import annotations

_WORKSHARING = ("for", "sections", "single")
_TASKS = ("task", "taskloop")

# An inner region and the regions it may not be closely nested in.  `scope` around a worksharing region is allowed.
_ALONE = frozenset((*_WORKSHARING, "section", *_TASKS, "critical", "ordered", "atomic", "masked", "master"))
CLOSELY_FORBIDDEN: dict[str, frozenset[str]] = {
    **dict.fromkeys((*_WORKSHARING, "scope", "barrier"), _ALONE),
    **dict.fromkeys(("masked", "master"), frozenset((*_WORKSHARING, "section", *_TASKS, "atomic"))),
    "ordered": frozenset(("critical", "ordered", "atomic", *_TASKS)),
}

# What a `teams` region may not hold directly: what needs a team of threads, or tasks.
NOT_IN_TEAMS = frozenset(
    (*_WORKSHARING, "scope", "masked", "master", "critical", "ordered", "barrier", *_TASKS, "taskgroup", "taskwait",
     "taskyield", "cancel", "cancellation point")
)  # fmt: skip

# Executable directives that may stand in a `simd` region; `ordered` only with the `simd` clause.
IN_SIMD = frozenset(("atomic", "loop", "simd", "scan", "ordered"))
# ... and in a region that says `order(concurrent)`, which `loop` always means.
IN_CONCURRENT = frozenset(("loop", "parallel", "simd", "atomic"))
# Directives that leave no region behind: they may stand anywhere.
WITHOUT_REGION = frozenset(
    ("tile", "unroll", "fuse", "interchange", "reverse", "split", "stripe", "assume", "nothing", "error",
     "metadirective", "begin metadirective", "end metadirective", "section", "dispatch")
)  # fmt: skip

DEVICE_DATA = frozenset(("target", "target data", "target enter data", "target exit data", "target update"))
# Constructs that may stand around a `teams` construct: on the host it is not nested in a parallel or task region.
AROUND_TEAMS = frozenset(("target", "target data", "taskgroup", "taskgraph"))

# The construct that a `cancel` of each kind must be closely nested in (5.2 §16.1).
CANCELLED: dict[str, frozenset[str]] = {
    "parallel": frozenset(("parallel",)),
    "for": frozenset(("for",)),
    "sections": frozenset(("sections", "section")),
    "taskgroup": frozenset(("task", "taskloop")),
}
