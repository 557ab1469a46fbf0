"""The budget of process starts: what is counted, and what is said of a folder that starts too many."""

from __future__ import annotations

from collections import Counter

from budget import over
from starts import counted

COLD = "cli\t\ncli\t-a.o\ncli\t+a.o\ncuda\t\ncuda\t+a.o\ncuda\t+a.o\n"
WARM = "cli\t+a.o\ncli\t+a.o\ncuda\t\ncuda\t+a.o\n"


def test_what_the_cache_spares_a_folder_counts_once() -> None:
    """So it is the same with an empty cache and a full one: one start for the object, and another of cuda's."""
    assert counted(COLD) == counted(WARM) == Counter(cli=1, cuda=2)


def test_a_folder_that_starts_more_than_it_may_is_named() -> None:
    assert over(Counter(cli=2, new=1), {"cli": 2, "new": 1, "cuda": 9}) == []
    (line,) = over(Counter(cli=3), {"cli": 2})
    assert line.startswith("tests/cli starts 3 processes, and budget.toml allows 2: ")
    (line,) = over(Counter(new=1), {})
    assert "allows 0" in line
