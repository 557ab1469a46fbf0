"""The directive that words in a wrong order are meant to be, or too few of them: `target teams parallel for`."""

from __future__ import annotations

from collections.abc import Sequence

from ompls.analysis.spec.directives import DIRECTIVES, is_declarative
from ompls.analysis.spec.near import near
from ompls.analysis.spec.versions import is_newer

WORDS = frozenset(word for name in DIRECTIVES for word in name.split())
_MOST = 2  # words that may have been forgotten


def combined(words: Sequence[str], version: str) -> str:
    """The shortest directive of the version that has all these words, which may be misspelt; "" if there is none.

    Where two are as short, the one with teams: a device has many of them.
    """
    meant = {word if word in WORDS else next(iter(near(word, sorted(WORDS))), word) for word in words}
    held = [
        (len(has) - len(meant), has[0] not in meant, spec.since, "teams" not in has, number, name)
        for number, (name, spec) in enumerate(DIRECTIVES.items())
        for has in (name.split(),)
        if meant <= set(has) and len(has) - len(meant) <= _MOST and not spec.until and not is_newer(spec.since, version)
    ]
    if not held:
        return ""
    found = min(held)
    several = sum(other[0] == found[0] for other in held) > 1
    return "" if several and is_declarative(found[-1]) else found[-1]  # `end`, `declare`
