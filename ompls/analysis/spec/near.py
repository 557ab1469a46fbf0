"""Names that a misspelt one may have meant, by edit distance."""

from __future__ import annotations

from collections.abc import Iterable


def distance(a: str, b: str) -> int:
    """Damerau-Levenshtein distance (restricted): insertions, deletions, substitutions, swaps of neighbours."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def near(name: str, candidates: Iterable[str], count: int = 1) -> list[str]:
    """Up to `count` candidates that differ from `name` in a third of its letters at most, nearest first."""
    limit = max(1, len(name) // 3)
    close = ((c, distance(name, c)) for c in candidates if abs(len(c) - len(name)) <= limit)
    return [c for c, d in sorted(close, key=lambda pair: (pair[1], pair[0])) if 0 < d <= limit][:count]
