"""Many files, checked on several cores: what comes back does not depend on how many there are.

Each worker process has an engine of its own; header snapshots are shared through the cache on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ompls.cli.engine import Engine, Options
from ompls.cli.outcomes import Outcome, Texts, outcome, spare_looks

FEW = 8  # files that are not worth a second process


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_all(options: Options, names: Sequence[str], texts: Texts, jobs: int) -> Iterator[Outcome]:
    """The outcome of each file, in the order of `names`."""
    if jobs <= 1 or len(names) <= FEW:
        engine = Engine(options, one_by_one=True)
        spare_looks()
        yield from (outcome(engine, name, texts) for name in names)
        return
    from ompls.cli import pool  # one file needs none of what makes processes

    yield from pool.outcomes(options, names, texts, jobs)
