"""Path patterns of project files: `*` and `?` within a name, `**` over directories, `\\` before a literal."""

from __future__ import annotations

import re
from functools import lru_cache


def matches(glob: str, path: str) -> bool:
    """Whether `path` (absolute, with slashes), or a directory that it is in, is one that `glob` (absolute) means."""
    return _compiled(glob).match(path) is not None


@lru_cache(maxsize=256)
def _compiled(glob: str) -> re.Pattern[str]:
    parts: list[str] = []
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            parts.append("(?:[^/]+/)*")
            at += 3
        elif glob.startswith("**", at):
            parts.append(".*")
            at += 2
        elif glob[at] in "*?":
            parts.append("[^/]*" if glob[at] == "*" else "[^/]")
            at += 1
        else:
            at += glob[at] == "\\" and at + 1 < len(glob)
            parts.append(re.escape(glob[at]))
            at += 1
    return re.compile("".join(parts).rstrip("/") + r"(?:/.*)?\Z", re.S)
