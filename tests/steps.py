"""How much work something is, in steps: calls of functions, C's too, as cProfile counts them.  No time is measured, so
the number is the same on a slow machine and on a busy one."""

from __future__ import annotations

import cProfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path


def steps(work: Callable[[], object]) -> Counter[str]:
    """How often each function is called while `work` is done."""
    profile = cProfile.Profile(int, 1.0)  # a timer in C that tells no time
    profile.enable()
    try:
        work()
    finally:
        profile.disable()
    found: Counter[str] = Counter()
    for entry in profile.getstats():
        code = entry.code
        name = code if isinstance(code, str) else f"{Path(code.co_filename).name}:{code.co_name}"
        found[name] += entry.callcount
    return found
